//! The way to a Linus elsewhere: certificate authorities, client certificates, proxies.
#![allow(clippy::unwrap_used)]

mod support;

use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use aissh::linus::{CallError, HttpConfig, Tls};
use support::calls::{PATIENCE, call, chat, client_of, said};
use support::linus::Linus;

/// An authority, and what it signed: a server's and a client's certificate.
struct Authority(PathBuf);

impl Authority {
    fn new() -> Self {
        let this = Self(nix::unistd::mkdtemp(&std::env::temp_dir().join("aissh-tls.XXXXXX")).unwrap());
        std::fs::write(this.file("san"), "subjectAltName=IP:127.0.0.1").unwrap();
        this.openssl("req -x509 -keyout ca.key -out ca.pem -subj /CN=authority");
        for (name, subject) in [("server", "127.0.0.1"), ("client", "joe"), ("other", "other")] {
            this.openssl(&format!("req -keyout {name}.key -out {name}.csr -subj /CN={subject}"));
            let sign = "x509 -req -CA ca.pem -CAkey ca.key -CAcreateserial -days 1 -extfile san";
            this.run(&format!("{sign} -in {name}.csr -out {name}.pem"));
        }
        this
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn openssl(&self, what: &str) {
        self.run(&format!("{what} -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1"));
    }

    fn run(&self, what: &str) {
        let mut openssl = Command::new("openssl");
        let output = openssl.args(what.split(' ')).current_dir(&self.0).output().unwrap();
        assert!(output.status.success(), "openssl {what}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

impl Drop for Authority {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A Linus behind TLS, ended with the test.
struct Secure {
    child: Child,
    url: String,
}

impl Secure {
    fn start(authority: &Authority, wants_client: bool) -> Self {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/support/tls_peer.py");
        let mut python = Command::new("python3");
        python.arg(script).args([authority.file("server.pem"), authority.file("server.key")]);
        if wants_client {
            python.arg(authority.file("ca.pem"));
        }
        let mut child = python.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
        let mut port = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut port).unwrap();
        Self { child, url: format!("https://127.0.0.1:{}/mcp", port.trim()) }
    }

    fn config(&self, tls: Tls) -> HttpConfig {
        HttpConfig { tls, ..HttpConfig::new(&self.url) }
    }
}

impl Drop for Secure {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn an_authority_of_ones_own_is_trusted_only_where_it_is_named() {
    let authority = Authority::new();
    let linus = Secure::start(&authority, false);
    let error = call(&mut client_of(linus.config(Tls::default())), &chat("hi")).unwrap_err();
    assert!(matches!(&error, CallError::Unreachable(text) if text.contains("certificate")), "{error:?}");
    let tls = Tls::default().trusting(&authority.file("ca.pem")).unwrap();
    assert_eq!(said(&mut client_of(linus.config(tls)), "hi").as_deref(), Some("nobody"));
    let other = Tls::default().trusting(&authority.file("other.pem")).unwrap();
    assert!(call(&mut client_of(linus.config(other)), &chat("hi")).is_err());
}

#[test]
fn a_client_certificate_is_shown_to_who_asks_for_one() {
    let authority = Authority::new();
    let linus = Secure::start(&authority, true);
    let trusting = || Tls::default().trusting(&authority.file("ca.pem")).unwrap();
    let error = call(&mut client_of(linus.config(trusting())), &chat("hi")).unwrap_err();
    assert!(matches!(error, CallError::Unreachable(_)), "{error:?}");
    let tls = trusting().identified(&authority.file("client.pem"), &authority.file("client.key")).unwrap();
    assert_eq!(said(&mut client_of(linus.config(tls)), "hi").as_deref(), Some("joe"));
}

#[test]
fn files_that_are_of_no_use_are_named_and_no_key_is_shown() {
    let authority = Authority::new();
    let file = |name: &str| authority.file(name);
    let shown = |result: Result<Tls, String>| result.map(|_| ()).unwrap_err();
    std::fs::write(file("empty"), "no PEM").unwrap();
    nix::unistd::mkfifo(&file("fifo"), nix::sys::stat::Mode::S_IRWXU).unwrap();
    for (name, why) in [
        ("empty", "no certificate in it"),
        ("missing", "No such file"),
        ("fifo", "not a regular file"),
        ("ca.key", "no certificate in it"),
    ] {
        let error = shown(Tls::default().trusting(&file(name)));
        assert!(error.contains(name) && error.contains(why), "{error}");
    }
    for (key, why) in [("other.key", "not the key of the certificate"), ("client.pem", "no private key")] {
        let error = shown(Tls::default().identified(&file("client.pem"), &file(key)));
        assert!(error.contains(key) && error.contains(why) && !error.contains("BEGIN"), "{error}");
    }
}

/// A proxy that leads everything to one place, and the hosts that were asked for.
fn proxy(target: &str) -> (String, Receiver<String>) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let address = format!("http://user:s3cret@{}", listener.local_addr().unwrap());
    let target = target.trim_start_matches("http://").split('/').next().unwrap().to_owned();
    let (tx, rx) = channel();
    thread::spawn(move || {
        for near in listener.incoming().flatten() {
            let mut reader = BufReader::new(near.try_clone().unwrap());
            let (mut first, mut line) = (String::new(), String::new());
            reader.read_line(&mut first).unwrap();
            while reader.read_line(&mut line).unwrap() > 2 {
                line.clear();
            }
            tx.send(first.trim().to_owned()).unwrap();
            let far = TcpStream::connect(&target).unwrap();
            (&near).write_all(b"HTTP/1.1 200 OK\r\n\r\n").unwrap();
            pass(near.try_clone().unwrap(), far.try_clone().unwrap());
            pass(far, near);
        }
    });
    (address, rx)
}

fn pass(mut from: TcpStream, mut to: TcpStream) {
    thread::spawn(move || {
        let _ = std::io::copy(&mut from, &mut to);
        let _ = to.shutdown(Shutdown::Both);
    });
}

/// The client of the conformance suite as a process of its own, for it has an environment of its own.
fn reach(url: &str, environment: &[(&str, &str)]) -> Result<(), String> {
    let client = Path::new(env!("CARGO_TARGET_TMPDIR")).join("../debug/examples/mcp-conformance");
    let mut client = Command::new(client);
    for name in ["http_proxy", "https_proxy", "all_proxy", "no_proxy"] {
        client.env_remove(name).env_remove(name.to_uppercase());
    }
    client.envs(environment.iter().copied()).env("MCP_CONFORMANCE_CONTEXT", "{\"toolCalls\": []}");
    let output = client.arg(url).stdin(Stdio::null()).output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    output.status.success().then_some(()).ok_or(error)
}

#[test]
fn a_proxy_leads_to_linus_and_never_to_one_on_this_machine_or_excepted() {
    let linus = Linus::modern();
    let (address, asked_rx) = proxy(&linus.url());
    let elsewhere = "http://linus.invalid/mcp";
    assert_eq!(reach(elsewhere, &[("http_proxy", &address)]), Ok(()));
    assert_eq!(asked_rx.recv_timeout(PATIENCE).unwrap(), "CONNECT linus.invalid:80 HTTP/1.1");
    while asked_rx.try_recv().is_ok() {}
    let error = reach(elsewhere, &[("http_proxy", &address), ("no_proxy", ".invalid")]).unwrap_err();
    assert!(error.contains("not known"), "its name was looked up here: {error}");
    assert_eq!(reach(&linus.url(), &[("http_proxy", &address), ("all_proxy", "http://127.0.0.1:1")]), Ok(()));
    let error = reach(elsewhere, &[("http_proxy", "http://127.0.0.1:1")]).unwrap_err();
    assert!(error.contains("refused"), "not past it: {error}");
    let error = reach(elsewhere, &[("http_proxy", "what://user:s3cret@x")]).unwrap_err();
    assert!(error.contains("http_proxy is no proxy's URL") && !error.contains("s3cret"), "{error}");
    assert!(asked_rx.try_recv().is_err(), "only the first went through it");
}
