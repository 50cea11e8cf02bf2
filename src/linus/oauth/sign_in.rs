//! One sign-in from the first question to the tokens on the disk. The user starts it; a session never does.

use serde_json::Value;

use super::authorize::{Request, scopes};
use super::challenge::Challenge;
use super::discovery::{self, Resource, Server};
use super::endpoint::shown;
use super::fetch::Fetcher;
use super::loopback::Loopback;
use super::pkce::{Pkce, random};
use super::register::{self, Client, Plan, Registered};
use super::store::{Key, SignIn, Store, now};
use super::token::{Ask, Tokens, form, read};
use crate::linus::call_error::one_line;
use crate::linus::cancel::Canceller;

/// The person at the keyboard.
pub trait User {
    /// Shows `url` and waits for the query of the redirect that `is_answer`.
    fn authorize(
        &mut self,
        url: &str,
        door: &Loopback,
        is_answer: &dyn Fn(&str) -> bool,
    ) -> Result<String, String>;
}

/// What a sign-in needs to know beforehand.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    pub registered: Registered,
    /// The port of the redirect address, for a client that was registered with one.
    pub port: Option<u16>,
}

/// Signs in to the Linus at `server`, whose 401 said `challenge`, and keeps what that brings. Errors are sentences for
/// the user.
pub fn sign_in(
    server: &str,
    challenge: &Challenge,
    settings: &Settings,
    store: &Store,
    fetcher: &Fetcher,
    user: &mut dyn User,
) -> Result<SignIn, String> {
    let key = Key::of(server)?;
    let earlier = store.read(&key).ok().flatten();
    let (resource, issuer) = find_issuer(server, challenge, earlier.as_ref(), fetcher)?;
    let at = find_server(&issuer, fetcher)?;
    // What one server gave is never shown to another.
    let earlier = earlier.filter(|earlier| earlier.issuer == at.issuer);
    let before = earlier.iter().flat_map(|e| [e.scope.as_deref(), e.wanted.as_deref()]).flatten();
    let known = resource.as_ref().map_or(&[][..], |resource| &resource.scopes);
    let scope = scopes(challenge.scope.as_deref(), known, &before.collect::<Vec<_>>(), &at);
    let (door, client) = client(&at, settings, earlier.as_ref(), scope.as_deref(), fetcher)?;
    let id = resource.map(|resource| resource.id);
    let (pkce, state, redirect) = (Pkce::new()?, random()?, door.address());
    let request = Request {
        server: &at,
        client: &client,
        redirect: &redirect,
        resource: id.as_deref(),
        scope: scope.as_deref(),
        state: &state,
        pkce: &pkce,
    };
    let query = user.authorize(&request.url(), &door, &|query| request.is_answered_by(query))?;
    let tokens = exchange(&request, &query, fetcher)?;
    let mut sign_in = SignIn {
        serial: 0,
        server: server.to_owned(),
        resource: id,
        issuer: at.issuer,
        token_endpoint: at.token,
        revocation_endpoint: at.revoke,
        client,
        // A server that does not say gave what was asked (RFC 6749 5.1).
        scope,
        wanted: None,
        access: None,
        refresh: None,
        obtained: 0,
        expires: None,
    };
    sign_in.take(tokens, now());
    store.lock(&key, &Canceller::new())?.write(sign_in)
}

/// What the resource says of itself, and the issuer to go to: the one of the sign-in before, if it is still named.
fn find_issuer(
    server: &str,
    challenge: &Challenge,
    earlier: Option<&SignIn>,
    fetcher: &Fetcher,
) -> Result<(Option<Resource>, String), String> {
    let documents = discovery::resource_documents(server, challenge.resource_metadata.as_deref())?;
    let Some(document) = first(&documents, fetcher)? else {
        // Servers of 2025-03-26 publish none, and are their own authorization server.
        return Ok((None, discovery::origin_as_issuer(server)?));
    };
    let resource = discovery::read_resource(&document, server)?;
    let same = earlier.filter(|earlier| resource.servers.contains(&earlier.issuer));
    let issuer = same.map(|earlier| earlier.issuer.clone()).or_else(|| resource.servers.first().cloned());
    Ok((Some(resource), issuer.unwrap_or_default()))
}

fn find_server(issuer: &str, fetcher: &Fetcher) -> Result<Server, String> {
    match first(&discovery::server_documents(issuer)?, fetcher)? {
        Some(document) => discovery::read_server(&document, issuer),
        None => Err(format!("{} publishes no metadata of an authorization server", shown(issuer))),
    }
}

/// The first of the documents that there is.
fn first(urls: &[String], fetcher: &Fetcher) -> Result<Option<Value>, String> {
    for url in urls {
        let fetched = fetcher.get(url)?;
        if fetched.status == 200 && fetched.body.is_object() {
            return Ok(Some(fetched.body));
        }
    }
    Ok(None)
}

/// The client to sign in as, and the door that its redirect address leads to. A client that we registered before is used
/// again if its port is still free: some servers compare the whole address.
fn client(
    at: &Server,
    settings: &Settings,
    earlier: Option<&SignIn>,
    scope: Option<&str>,
    fetcher: &Fetcher,
) -> Result<(Loopback, Client), String> {
    let bind = |port| Loopback::bind(port).map_err(|e| format!("no door on 127.0.0.1 for the browser: {e}"));
    let endpoint = match register::plan(&settings.registered, at)? {
        Plan::Known(client) => return Ok((bind(settings.port)?, client)),
        Plan::Register(endpoint) => endpoint,
    };
    let again = earlier.map(|earlier| &earlier.client).and_then(|client| {
        let port = Loopback::port_of(client.redirect.as_deref()?)?;
        Some((Loopback::bind(Some(port)).ok()?, client.clone()))
    });
    if let Some(again) = again.filter(|(door, _)| settings.port.is_none_or(|port| port == door.port())) {
        return Ok(again);
    }
    let door = bind(settings.port)?;
    let redirect = door.address();
    let answer = fetcher.post_json(&endpoint, &register::request(at, &redirect, scope))?;
    if !matches!(answer.status, 200 | 201) {
        let why = answer.body.get("error").and_then(Value::as_str).unwrap_or_default();
        return Err(one_line(&format!(
            "{} does not register aissh: HTTP {} {why}",
            shown(&at.issuer),
            answer.status
        )));
    }
    Ok((door, register::read_answer(&answer.body, at, &redirect)?))
}

/// The tokens for the code in the redirect's query.
fn exchange(request: &Request<'_>, query: &str, fetcher: &Fetcher) -> Result<Tokens, String> {
    let code = request.code(query)?;
    let ask = Ask::Code { code: &code, redirect: request.redirect, verifier: request.pkce.verifier() };
    let at = request.server;
    let answer = fetcher.post_form(&at.token, &form(ask, request.client, request.resource))?;
    read(answer.status, &answer.body, &at.issuer).map_err(|e| e.to_string())
}
