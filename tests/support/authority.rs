//! An authorization server that does what no real one would: it lies, forgets, waits, and tells theft from use. It
//! publishes the metadata of one resource, `/mcp`, beside its own.

use std::collections::HashMap;
use std::io::BufReader;
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use super::http::{HttpRequest, read_request, write_answer};

pub struct Authority {
    address: SocketAddr,
    shared: Arc<(Mutex<Inner>, Condvar)>,
}

#[derive(Default)]
struct Inner {
    base: String,
    requests: Vec<HttpRequest>,
    /// Answers instead of the usual ones, by path.
    answers: HashMap<String, (u16, Value)>,
    /// The number of the token that is good now: `access-N`, `refresh-N`.
    number: u32,
    /// A refresh token came twice: from then on none is good, as real servers do it.
    stolen: bool,
    /// The token endpoint answers nobody.
    held: bool,
    over: bool,
}

impl Authority {
    /// `refresh-1` and `access-1` are out.
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let inner = Inner { base: format!("http://{address}"), number: 1, ..Inner::default() };
        let shared = Arc::new((Mutex::new(inner), Condvar::new()));
        let served = Arc::clone(&shared);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if served.0.lock().unwrap().over {
                    break;
                }
                let shared = Arc::clone(&served);
                thread::spawn(move || talk(stream, &shared));
            }
        });
        Self { address, shared }
    }

    pub fn issuer(&self) -> String {
        format!("http://{}", self.address)
    }

    pub fn resource(&self) -> String {
        format!("http://{}/mcp", self.address)
    }

    /// The usual metadata of the authorization server, to be changed and given to [`Authority::answer`].
    pub fn metadata(&self) -> Value {
        metadata(&self.issuer())
    }

    pub fn answer(&self, path: &str, status: u16, body: Value) {
        self.with(|inner| inner.answers.insert(path.to_owned(), (status, body)));
    }

    pub fn hold(&self, held: bool) {
        self.with(|inner| inner.held = held);
    }

    /// The bodies of the requests to a path, as the pairs of a form.
    pub fn forms(&self, path: &str) -> Vec<HashMap<String, String>> {
        let form = |request: &HttpRequest| {
            form_urlencoded::parse(request.text.as_bytes())
                .map(|(name, value)| (name.into_owned(), value.into_owned()))
                .collect()
        };
        self.with(|inner| inner.requests.iter().filter(|r| r.path == path).map(form).collect())
    }

    pub fn paths(&self) -> Vec<String> {
        self.with(|inner| inner.requests.iter().map(|request| request.path.clone()).collect())
    }

    pub fn requests(&self) -> Vec<HttpRequest> {
        self.with(|inner| inner.requests.clone())
    }

    /// Waits until somebody asked for this path.
    pub fn wait_asked(&self, path: &str, deadline: Duration) {
        let (lock, changed) = &*self.shared;
        let asked = |inner: &mut Inner| !inner.requests.iter().any(|request| request.path == path);
        let (_inner, timeout) = changed.wait_timeout_while(lock.lock().unwrap(), deadline, asked).unwrap();
        assert!(!timeout.timed_out(), "nobody asked for {path}");
    }

    fn with<R>(&self, act: impl FnOnce(&mut Inner) -> R) -> R {
        let value = act(&mut self.shared.0.lock().unwrap());
        self.shared.1.notify_all();
        value
    }
}

impl Drop for Authority {
    fn drop(&mut self) {
        self.with(|inner| (inner.over, inner.held) = (true, false));
        let _ = TcpStream::connect(self.address);
    }
}

fn metadata(base: &str) -> Value {
    json!({
        "issuer": base,
        "authorization_endpoint": format!("{base}/authorize"),
        "token_endpoint": format!("{base}/token"),
        "registration_endpoint": format!("{base}/register"),
        "revocation_endpoint": format!("{base}/revoke"),
        "code_challenge_methods_supported": ["S256"],
        "token_endpoint_auth_methods_supported": ["none"],
        "authorization_response_iss_parameter_supported": true,
    })
}

fn talk(mut out: TcpStream, shared: &(Mutex<Inner>, Condvar)) {
    let mut reader = BufReader::new(out.try_clone().unwrap());
    while let Some(request) = read_request(&mut reader) {
        let mut inner = shared.0.lock().unwrap();
        inner.requests.push(request.clone());
        shared.1.notify_all();
        if request.path == "/token" {
            inner = shared.1.wait_while(inner, |inner| inner.held).unwrap();
        }
        let (status, body) = inner.reply(&request);
        drop(inner);
        let headers = [("Content-Type", "application/json")];
        if write_answer(&mut out, status, &headers, &body.to_string()).is_err() {
            break;
        }
    }
    let _ = out.shutdown(Shutdown::Both);
}

impl Inner {
    fn reply(&mut self, request: &HttpRequest) -> (u16, Value) {
        if let Some(answer) = self.answers.get(&request.path) {
            return answer.clone();
        }
        let base = self.base.clone();
        match request.path.as_str() {
            "/.well-known/oauth-protected-resource/mcp" => {
                (200, json!({"resource": format!("{base}/mcp"), "authorization_servers": [base]}))
            }
            "/.well-known/oauth-authorization-server" => (200, metadata(&base)),
            "/register" => (201, json!({"client_id": "client-1"})),
            "/token" => self.token(&request.text),
            "/revoke" => (200, json!({})),
            _ => (404, json!({})),
        }
    }

    fn token(&mut self, form: &str) -> (u16, Value) {
        let value = |name: &str| {
            let mut pairs = form_urlencoded::parse(form.as_bytes());
            pairs.find(|(key, _)| key == name).map(|(_, value)| value.into_owned())
        };
        let good = match value("grant_type").as_deref() {
            Some("authorization_code") => value("code").as_deref() == Some("code-1"),
            Some("refresh_token") => {
                let good = value("refresh_token") == Some(format!("refresh-{}", self.number));
                self.stolen |= !good;
                good && !self.stolen
            }
            _ => false,
        };
        if !good {
            return (400, json!({"error": "invalid_grant", "error_description": "refresh-1 was used"}));
        }
        self.number += 1;
        let number = self.number;
        let (access, refresh) = (format!("access-{number}"), format!("refresh-{number}"));
        (
            200,
            json!({"access_token": access, "refresh_token": refresh, "token_type": "Bearer", "expires_in": 3600}),
        )
    }
}
