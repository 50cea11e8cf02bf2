//! Signing in, under the public conformance suite (`scripts/mcp-conformance`): what aissh and its user do together at a
//! server that asks for a token. Where aissh would name the command to run, this runs it, three times at most.
//!
//! Usage: `mcp-conformance-auth URL`, as the suite calls it; `MCP_CONFORMANCE_CONTEXT` may hold what the user had
//! registered.

use aissh::linus::credentials::{SignedIn, Source, renew_here};
use aissh::linus::oauth::{Challenge, Fetcher, Loopback, Registered, Settings, Store, User, sign_in};
use aissh::linus::{CallError, Canceller, Client, Credentials, HttpConfig, Secret};
use serde_json::{Map, Value};
use std::process::ExitCode;

/// Where the suite has a client ID metadata document, for the scenario that wants one.
const DOCUMENT: (&str, &str) = ("auth/basic-cimd", "https://conformance-test.local/client-metadata.json");

fn main() -> ExitCode {
    let Some(url) = std::env::args().next_back() else { return ExitCode::FAILURE };
    let folder = std::env::temp_dir().join(format!("aissh-conformance-{}", std::process::id()));
    let done = run(&url, &Store::at(folder.clone()));
    let _ = std::fs::remove_dir_all(folder);
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{url}: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(url: &str, store: &Store) -> Result<(), String> {
    let mut last = String::new();
    for _ in 0..3 {
        let signed_in = SignedIn::new(store.clone(), url, renew_here(Fetcher::default()))?;
        let credentials = Credentials::new(Source::SignedIn(signed_in));
        match work(url, credentials.clone()) {
            Ok(()) => return Ok(()),
            Err(CallError::Auth(why)) => last = why,
            Err(error) => return Err(error.to_string()),
        }
        println!("{last}");
        let challenge: Challenge = credentials.challenge().unwrap_or_default();
        sign_in(url, &challenge, &settings(), store, &Fetcher::default(), &mut Agreeable)?;
    }
    Err(last)
}

/// Lists the tools and calls each.
fn work(url: &str, credentials: Credentials) -> Result<(), CallError> {
    let cancel = Canceller::new();
    let mut client = Client::new(HttpConfig { credentials, ..HttpConfig::new(url) })?;
    client.connect(&cancel)?;
    for (name, _) in client.tools() {
        client.call_tool(&name, Map::new(), &cancel, &mut |_| ())?;
    }
    Ok(())
}

fn settings() -> Settings {
    let context: Option<Value> =
        std::env::var("MCP_CONFORMANCE_CONTEXT").ok().and_then(|text| serde_json::from_str(&text).ok());
    let text = |name: &str| context.as_ref()?.get(name)?.as_str().map(str::to_owned);
    let scenario = std::env::var("MCP_CONFORMANCE_SCENARIO").unwrap_or_default();
    let document = (scenario == DOCUMENT.0).then(|| DOCUMENT.1.to_owned());
    let registered = Registered {
        client_id: text("client_id"),
        client_secret: text("client_secret").map(Secret::new),
        document,
    };
    Settings { registered, port: None }
}

/// A user who agrees, with a browser that goes where it is sent and no further.
struct Agreeable;

impl User for Agreeable {
    fn authorize(
        &mut self,
        url: &str,
        _: &Loopback,
        is_answer: &dyn Fn(&str) -> bool,
    ) -> Result<String, String> {
        let browser: ureq::Agent = ureq::Agent::config_builder()
            .max_redirects(0)
            .proxy(None)
            .http_status_as_error(false)
            .build()
            .into();
        let response = browser.get(url).call().map_err(|e| e.to_string())?;
        let to = response.headers().get("location").and_then(|to| to.to_str().ok()).unwrap_or_default();
        let query = to.split_once('?').map(|(_, query)| query).unwrap_or_default();
        if is_answer(query) { Ok(query.to_owned()) } else { Err("the browser came back with nothing".into()) }
    }
}
