//! `--login` and `--logout` as a user runs them: with a browser here, and with one on another machine.
#![allow(clippy::unwrap_used)]

mod support;

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use aissh::linus::oauth::{Key, Store};
use support::aissh::PROGRAM;
use support::authority::Authority;
use support::process::wait_file;

struct Home(PathBuf);

impl Home {
    fn new() -> Self {
        Self(nix::unistd::mkdtemp(&std::env::temp_dir().join("aissh-login.XXXXXX")).unwrap())
    }

    /// Without a desktop.
    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(PROGRAM);
        command.args(args).env("HOME", &self.0);
        for name in ["XDG_STATE_HOME", "XDG_CONFIG_HOME", "DISPLAY", "WAYLAND_DISPLAY", "SSH_CONNECTION"] {
            command.env_remove(name);
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn is_signed_in(&self, authority: &Authority) -> bool {
        let store = Store::at(self.0.join(".local/state/aissh/sign-ins"));
        store.read(&Key::of(&authority.resource()).unwrap()).unwrap().is_some()
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Where the browser ends: the redirect address of the sign-in, with its answer.
fn redirect(url: &str, authority: &Authority, answer: &str) -> String {
    let value = |name: &str| {
        let query = url.split_once('?').unwrap().1;
        let mut pairs = form_urlencoded::parse(query.as_bytes());
        pairs.find(|(key, _)| key == name).map(|(_, value)| value.into_owned()).unwrap()
    };
    format!("{}?{answer}&state={}&iss={}", value("redirect_uri"), value("state"), authority.issuer())
}

fn visit(address: &str) -> String {
    let (host, target) = address.strip_prefix("http://").unwrap().split_once('/').unwrap();
    let mut stream = TcpStream::connect(host).unwrap();
    write!(stream, "GET /{target} HTTP/1.1\r\nHost: {host}\r\n\r\n").unwrap();
    let mut page = String::new();
    stream.read_to_string(&mut page).unwrap();
    page
}

/// The address that is shown, once it is.
fn shown(errors: &mut impl BufRead) -> String {
    let mut lines = errors.lines().map_while(Result::ok);
    lines
        .find_map(|line| line.trim().starts_with("http").then(|| line.trim().to_owned()))
        .expect("an address")
}

fn end(mut child: Child, errors: &mut impl Read) -> (i32, String) {
    drop(child.stdin.take());
    let mut said = String::new();
    errors.read_to_string(&mut said).unwrap();
    child.stdout.take().unwrap().read_to_string(&mut said).unwrap();
    (child.wait().unwrap().code().unwrap(), said)
}

#[test]
fn the_browser_is_opened_without_a_shell_and_comes_back_to_this_machine() {
    let (authority, home) = (Authority::start(), Home::new());
    // An address that a shell would take apart.
    let mut metadata = authority.metadata();
    metadata["authorization_endpoint"] =
        format!("{}/authorize?a=$(touch${{IFS}}pwned)&b=';touch${{IFS}}pwned;'", authority.issuer()).into();
    authority.answer("/.well-known/oauth-authorization-server", 200, metadata);
    let opener = home.0.join("bin/xdg-open");
    fs::create_dir(home.0.join("bin")).unwrap();
    // What it is started with, and that it has neither this terminal nor these pipes.
    let script = "#!/bin/sh\nprintf '%s\\n' \"$#\" \"$1\" > \"$HOME/new\" && readlink /proc/self/fd/0 >> \"$HOME/new\"\n\
        mv \"$HOME/new\" \"$HOME/opened\"\n";
    fs::write(&opener, script).unwrap();
    fs::set_permissions(&opener, fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", home.0.join("bin").display(), std::env::var("PATH").unwrap());
    let mut command = home.command(&["--login", &authority.resource()]);
    let mut child = command.env("PATH", path).env("DISPLAY", ":9").current_dir(&home.0).spawn().unwrap();
    let mut errors = BufReader::new(child.stderr.take().unwrap());
    let url = shown(&mut errors);
    wait_file(&home.0.join("opened"));
    let opened = fs::read_to_string(home.0.join("opened")).unwrap();
    assert_eq!(opened.lines().collect::<Vec<_>>(), ["1", url.as_str(), "/dev/null"]);
    assert!(!home.0.join("pwned").exists() && !Path::new("pwned").exists());
    let page = visit(&redirect(&url, &authority, "code=code-1"));
    assert!(page.starts_with("HTTP/1.1 200"), "{page}");
    let (status, said) = end(child, &mut errors);
    assert_eq!(status, 0, "{said}");
    assert!(said.contains("Signed in to ") && said.contains("it renews itself"), "{said}");
    for secret in ["access-", "refresh-", "code-1"] {
        assert!(!said.contains(secret), "{said}");
    }
    assert!(home.is_signed_in(&authority));
    let out = home.command(&["--logout", &authority.resource()]).output().unwrap();
    assert!(String::from_utf8_lossy(&out.stdout).starts_with("Signed out of "), "{out:?}");
    assert!(!home.is_signed_in(&authority));
}

#[test]
fn over_ssh_the_address_is_pasted_and_a_wrong_line_is_told() {
    let (authority, home) = (Authority::start(), Home::new());
    let mut child = home.command(&["--login", &authority.resource()]).spawn().unwrap();
    let mut errors = BufReader::new(child.stderr.take().unwrap());
    let url = shown(&mut errors);
    let address = redirect(&url, &authority, "code=code-1");
    writeln!(child.stdin.as_ref().unwrap(), "https://example.org/?code=x&state=y\n{address}").unwrap();
    let (status, said) = end(child, &mut errors);
    assert_eq!(status, 0, "{said}");
    assert!(said.contains("That is not the address"), "{said}");
    assert!(home.is_signed_in(&authority));
}

#[test]
fn a_refusal_and_an_address_in_the_clear_are_said_with_a_status_of_their_own() {
    let (authority, home) = (Authority::start(), Home::new());
    let mut child = home.command(&["--login", &authority.resource()]).spawn().unwrap();
    let mut errors = BufReader::new(child.stderr.take().unwrap());
    let url = shown(&mut errors);
    visit(&redirect(&url, &authority, "error=access_denied&error_description=no%1b[2J"));
    let (status, said) = end(child, &mut errors);
    assert!(status == 69 && said.contains("refused the sign-in: access_denied: no [2J"), "{said}");
    for (url, wanted) in
        [("http://linus.example/mcp", "is not https"), ("linus", "is not an http or https URL")]
    {
        let output = home.command(&["--login", url]).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(64) && said.contains(wanted), "{said}");
    }
    assert!(!home.is_signed_in(&authority));
}
