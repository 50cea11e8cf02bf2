//! Whom we trust and who we are: the user's own authority and client certificate, read and checked before use.
//!
//! Without any of it the system's store is trusted. A key is never in an error's text.

use std::fmt;
use std::path::Path;

use rustls::crypto::ring;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject};
use rustls::sign::CertifiedKey;
use ureq::tls::{Certificate, ClientCert, PemItem, PrivateKey, RootCerts, TlsConfig, parse_pem};

/// The system's own bundle has about 220 KiB.
const FILE_LIMIT: u64 = 4 * 1024 * 1024;

/// TLS settings; by default the system's.
#[derive(Clone, Default)]
pub struct Tls {
    roots: Option<RootCerts>,
    client: Option<ClientCert>,
}

impl Tls {
    /// Only authorities in this PEM file are trusted, not the system's.
    pub fn trusting(mut self, ca_file: &Path) -> Result<Self, String> {
        self.roots = Some(RootCerts::new_with_certs(&certificates(ca_file)?));
        Ok(self)
    }

    /// Shows this certificate (with its chain, leaf first) to a server that asks for one.
    pub fn identified(mut self, cert_file: &Path, key_file: &Path) -> Result<Self, String> {
        let (chain, pem) = (certificates(cert_file)?, read(key_file)?);
        let here = |what: &str| format!("{}: {what}", key_file.display());
        // ureq takes a pair that does not match for a fault of the program.
        let key = PrivateKeyDer::from_pem_slice(&pem)
            .map_err(|_| here("no private key in it that can be read; an encrypted one cannot"))?;
        let ders = chain.iter().map(|cert| CertificateDer::from(cert.der().to_vec())).collect();
        CertifiedKey::from_der(ders, key, &ring::default_provider())
            .map_err(|_| here("not the key of the certificate, or of a kind that is not known"))?;
        let key = PrivateKey::from_pem(&pem).map_err(|_| here("no private key in it"))?;
        self.client = Some(ClientCert::new_with_certs(&chain, key));
        Ok(self)
    }

    /// The same trust, without the certificate that says who we are.
    pub(crate) fn anonymous(&self) -> Self {
        Self { client: None, ..self.clone() }
    }

    pub(crate) fn config(&self) -> TlsConfig {
        // The system's store: companies have certificate authorities of their own.
        let roots = self.roots.clone().unwrap_or(RootCerts::PlatformVerifier);
        TlsConfig::builder().root_certs(roots).client_cert(self.client.clone()).build()
    }
}

impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (own_roots, client) = (self.roots.is_some(), self.client.is_some());
        f.debug_struct("Tls").field("own_roots", &own_roots).field("client", &client).finish()
    }
}

fn certificates(file: &Path) -> Result<Vec<Certificate<'static>>, String> {
    let pem = read(file)?;
    let found = parse_pem(&pem).filter_map(|item| match item {
        Ok(PemItem::Certificate(certificate)) => Some(certificate),
        _ => None,
    });
    let found: Vec<_> = found.collect();
    if found.is_empty() {
        return Err(format!("{}: no certificate in it (PEM is read)", file.display()));
    }
    Ok(found)
}

fn read(file: &Path) -> Result<Vec<u8>, String> {
    use std::io::Read;
    use std::os::unix::fs::OpenOptionsExt;
    let here = |e: std::io::Error| format!("{}: {e}", file.display());
    let mut bytes = Vec::new();
    // Not a FIFO, which may never be opened.
    let mut options = std::fs::OpenOptions::new();
    let open = options.read(true).custom_flags(nix::libc::O_NONBLOCK).open(file).map_err(here)?;
    if !open.metadata().map_err(here)?.is_file() {
        return Err(format!("{}: not a regular file", file.display()));
    }
    open.take(FILE_LIMIT + 1).read_to_end(&mut bytes).map_err(here)?;
    if bytes.len() as u64 > FILE_LIMIT {
        return Err(format!("{}: larger than 4 MiB", file.display()));
    }
    Ok(bytes)
}
