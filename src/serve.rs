//! `--linus` and `--mcp`: a service, and the door that it is to have.

use crate::agents;
use crate::cli::Cli;
use crate::config::{self, Config};
use crate::doors::{self, Admission, HttpOptions, MadeToken, Tokens};
use crate::error::{Error, status};
use crate::linus::service::Service;
use crate::private;
use crate::random;
use crate::runbooks;
use std::io::{self, Write};
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::Arc;

/// A file of tokens that is larger is none of ours.
const MAX_TOKENS: u64 = 1 << 20;

/// Serves until the client leaves or a signal comes.
pub(crate) fn run(cli: &Cli) -> Result<(), Error> {
    let config = Config::load(cli.config.as_deref())?;
    let service: Arc<dyn Service> =
        if cli.linus { Arc::new(runbooks::server()) } else { Arc::new(agents::service()) };
    let Some(address) = cli.http else {
        return doors::stdio(service).map_err(|e| Error::new(status::IO, format!("--stdio: {e}")));
    };
    let admission = admission(cli, address)?;
    let failed = |e: io::Error| Error::new(status::UNAVAILABLE, format!("--http {address}: {e}"));
    let listener = TcpListener::bind(address).map_err(failed)?;
    let at = listener.local_addr().map_err(failed)?;
    // Whoever closed standard error does not want to know.
    let _ = writeln!(io::stderr(), "aissh: serving at http://{at}/mcp");
    let options = HttpOptions { admission, hosts: config.serve.hosts, origins: config.serve.origins };
    doors::http(listener, service, options).map_err(failed)
}

/// What a client has to show: a token, but where the user said otherwise and nobody else's machine can come.
fn admission(cli: &Cli, address: SocketAddr) -> Result<Admission, Error> {
    if cli.no_token {
        return if address.ip().is_loopback() {
            Ok(Admission::Anyone)
        } else {
            let what = format!(
                "--no-token: {} is not a loopback address; make tokens with --token NAME",
                address.ip()
            );
            Err(Error::new(status::USAGE, what))
        };
    }
    let (path, tokens) = tokens(door_of(cli))?;
    if tokens.is_empty() {
        let what = format!(
            "--http: {} has no token: make one with `aissh --{} --token NAME`, or say --no-token on a loopback address",
            path.display(),
            door_of(cli)
        );
        return Err(Error::new(status::CONFIG, what));
    }
    Ok(Admission::Tokens(tokens))
}

/// A new token for the name, which must not have one yet.
pub(crate) fn make_token(cli: &Cli, name: &str) -> Result<String, Error> {
    if !doors::is_name(name) {
        let what = format!("--token {name:?}: a name has letters, digits and . _ @ - and at most 24 of them");
        return Err(Error::new(status::USAGE, what));
    }
    let (path, tokens) = tokens(door_of(cli))?;
    if tokens.has(name) {
        let what = format!(
            "--token {name}: it has one already; to change it, take its line out of {} first",
            path.display()
        );
        return Err(Error::new(status::USAGE, what));
    }
    let failed = |e: io::Error| Error::new(status::IO, format!("--token: {e}"));
    let MadeToken { token, line } = doors::make(name, &random::bytes().map_err(failed)?);
    path.parent().map_or(Ok(()), private::folder).map_err(failed)?;
    private::append(&path).and_then(|mut file| file.write_all(line.as_bytes())).map_err(failed)?;
    Ok(format!("{token}\n"))
}

/// Each door has tokens of its own: who may ask Linus may not therefore read sessions.
fn door_of(cli: &Cli) -> &'static str {
    if cli.linus { "linus" } else { "mcp" }
}

/// The file of tokens, and what is in it. It must be the user's own.
fn tokens(door: &str) -> Result<(PathBuf, Tokens), Error> {
    let path =
        config::tokens_file(door).ok_or_else(|| Error::new(status::CONFIG, "no home folder for tokens"))?;
    let failed = |why: String| Error::new(status::CONFIG, format!("{}: {why}", path.display()));
    let bytes = private::read(&path, MAX_TOKENS).map_err(|e| Error::new(status::CONFIG, e.to_string()))?;
    let text = String::from_utf8(bytes.unwrap_or_default()).map_err(|_| failed("not UTF-8".to_owned()))?;
    let tokens = Tokens::read(&text).map_err(failed)?;
    Ok((path, tokens))
}
