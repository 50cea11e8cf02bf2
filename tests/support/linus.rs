//! A recording Linus: a small MCP server over HTTP on a loopback address that checks every request against the
//! specification and every call against the contract, answers as told, and breaks as told.
//!
//! Dropping it fails the test if anything that it was sent was wrong.

use std::collections::VecDeque;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use aissh::linus::contract::{ChatResponse, Envelope, Request};
use serde_json::Value;

use super::http::HttpRequest;
pub use super::mcp::{LEGACY, MODERN};
pub use super::server::{Call, Fault, Record, Setup, Style, tool};
use super::server::{Inner, Shared, serve, stop};

pub struct Linus {
    address: SocketAddr,
    shared: Shared,
}

impl Linus {
    pub fn start(setup: Setup) -> Self {
        Self::listen(setup, own_address().or_else(|_| TcpListener::bind("127.0.0.1:0")).unwrap())
    }

    /// One that is reached by an address which does not say that it is on this machine, [`Linus::remote_url`].
    pub fn remote() -> Self {
        Self::listen(Setup::default(), TcpListener::bind("127.0.0.1:0").unwrap())
    }

    fn listen(setup: Setup, listener: TcpListener) -> Self {
        let address = listener.local_addr().unwrap();
        let inner = Inner {
            setup,
            record: Record::default(),
            script: Box::new(said_back),
            faults: VecDeque::new(),
            standing: Vec::new(),
            before: Vec::new(),
            session: None,
            sessions: 0,
            streams: Vec::new(),
            is_up: false,
            is_listening: false,
        };
        let shared = Shared(Arc::new((Mutex::new(inner), Condvar::new())));
        serve(listener, &shared);
        Self { address, shared }
    }

    pub fn modern() -> Self {
        Self::start(Setup::default())
    }

    pub fn legacy() -> Self {
        Self::start(Setup { revision: LEGACY, ..Setup::default() })
    }

    pub fn url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }

    /// No loopback address as it is written; Linux connects to this machine.
    pub fn remote_url(&self) -> String {
        format!("http://0.0.0.0:{}/mcp", self.address.port())
    }

    pub fn remote_origin(&self) -> String {
        format!("http://0.0.0.0:{}", self.address.port())
    }

    /// What Linus says from now on.
    pub fn reply_with(&self, script: impl FnMut(&Request) -> Envelope + Send + 'static) {
        self.shared.with(|i| i.script = Box::new(script));
    }

    /// The next request with this JSON-RPC method (`GET` for a GET) goes wrong. Several happen in order.
    pub fn fault(&self, method: &'static str, fault: Fault) {
        self.shared.with(|i| i.faults.push_back((method, fault)));
    }

    /// Every request with this method goes wrong.
    pub fn always(&self, method: &'static str, fault: Fault) {
        self.shared.with(|i| i.standing.push((method, fault)));
    }

    /// Takes all faults away.
    pub fn heal(&self) {
        self.shared.with(|i| {
            i.faults.clear();
            i.standing.clear();
        });
    }

    /// Messages that go before the answer on the next streams.
    pub fn say_before(&self, messages: &[Value]) {
        self.shared.with(|i| i.before = messages.to_vec());
    }

    /// The server no longer knows its session.
    pub fn lose_session(&self) {
        self.shared.with(|i| i.session = None);
    }

    pub fn change(&self, change: impl FnOnce(&mut Setup)) {
        self.shared.with(|i| change(&mut i.setup));
    }

    /// Ends every connection and stops listening.
    pub fn stop(&self) {
        stop(&self.shared, self.address);
    }

    /// Listens on the same port again.
    pub fn restart(&self) {
        let deadline = Instant::now() + Duration::from_secs(10);
        let listener = loop {
            match TcpListener::bind(self.address) {
                Ok(listener) => break listener,
                Err(e) => assert!(Instant::now() < deadline, "the port is not free again: {e}"),
            }
            thread::yield_now();
        };
        serve(listener, &self.shared);
    }

    /// Waits until `is_there` of the record, or fails at the deadline.
    pub fn wait_until(&self, what: &str, deadline: Duration, is_there: impl Fn(&Record) -> bool) {
        let (lock, changed) = &*self.shared.0;
        let inner = lock.lock().unwrap();
        let (inner, timeout) = changed.wait_timeout_while(inner, deadline, |i| !is_there(&i.record)).unwrap();
        let methods: Vec<_> = inner.record.requests.iter().map(|r| r.rpc().to_owned()).collect();
        drop(inner);
        assert!(!timeout.timed_out(), "no {what} within {deadline:?}; there were {methods:?}");
    }

    /// Waits for calls and returns all that there were.
    pub fn wait_for(&self, is_there: impl Fn(&[Call]) -> bool, deadline: Duration) -> Vec<Call> {
        self.wait_until("such calls", deadline, |r| is_there(&r.calls));
        self.calls()
    }

    pub fn calls(&self) -> Vec<Call> {
        self.shared.with(|i| i.record.calls.clone())
    }

    pub fn requests(&self) -> Vec<HttpRequest> {
        self.shared.with(|i| i.record.requests.clone())
    }

    /// The JSON-RPC methods in the order in which they came.
    pub fn methods(&self) -> Vec<String> {
        self.requests().iter().map(|r| r.rpc().to_owned()).collect()
    }

    /// What was wrong with what came in; taken out, so that dropping no longer fails for it.
    pub fn take_violations(&self) -> Vec<String> {
        self.shared.with(|i| std::mem::take(&mut i.record.violations))
    }
}

impl Drop for Linus {
    fn drop(&mut self) {
        self.stop();
        let violations = self.take_violations();
        if !thread::panicking() {
            assert!(violations.is_empty(), "Linus was sent what he should not be: {violations:#?}");
        }
    }
}

/// A listener on a loopback address that no other Linus has, also of tests that run at the same time: a port
/// that one gives up must not become another's while a client still knocks there. Only Linux answers on all of
/// 127.0.0.0/8.
fn own_address() -> std::io::Result<TcpListener> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let [.., high, low] = std::process::id().to_be_bytes();
    let count = COUNT.fetch_add(1, Ordering::Relaxed) % 250;
    TcpListener::bind((Ipv4Addr::new(127, high, low, count as u8 + 2), 0))
}

/// The script at the start: chat is said back, everything else has no answer.
fn said_back(request: &Request) -> Envelope {
    let chat_response = match request {
        Request::Chat { message, .. } => {
            Some(ChatResponse { message: format!("you said: {message}"), mentions: Vec::new() })
        }
        _ => None,
    };
    Envelope { chat_response, ..Envelope::default() }
}
