//! Whom we trust on the network and who we are there, from the configuration: for Linus, and for signing in to him.

use crate::config::Config;
use crate::error::Error;
use crate::linus::Tls;
use std::path::PathBuf;

/// Whom we trust and who we are, from the files that the configuration names.
pub(crate) fn tls(config: &Config) -> Result<Tls, Error> {
    let (ca, cert, key) = (&config.linus.ca_file, &config.linus.client_cert, &config.linus.client_key);
    let mut tls = Tls::default();
    if let Some(ca) = ca {
        tls = tls.trusting(&path(ca.get_ref())).map_err(|e| config.error_at(ca, "ca_file", &e))?;
    }
    match (cert, key) {
        (None, None) => Ok(tls),
        (Some(cert), Some(key)) => {
            let identified = tls.identified(&path(cert.get_ref()), &path(key.get_ref()));
            identified.map_err(|e| config.error_at(cert, "client_cert", &e))
        }
        (Some(cert), None) => {
            Err(config.error_at(cert, "client_cert", "client_key names no file for its key"))
        }
        (None, Some(key)) => {
            Err(config.error_at(key, "client_key", "client_cert names no certificate for it"))
        }
    }
}

/// A file's name as people write it: `~/` is their home.
fn path(text: &str) -> PathBuf {
    match (text.strip_prefix("~/"), std::env::var_os("HOME")) {
        (Some(rest), Some(home)) => PathBuf::from(home).join(rest),
        _ => PathBuf::from(text),
    }
}
