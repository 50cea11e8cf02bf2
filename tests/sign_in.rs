//! Signing in, against an authorization server that does as told: what is asked, of whom, and what is refused.
#![allow(clippy::unwrap_used)]

mod support;

use std::path::PathBuf;

use aissh::linus::Secret;
use aissh::linus::oauth::{
    Challenge, Fetcher, Key, Loopback, Registered, Settings, SignIn, Store, User, sign_in, sign_out,
};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use support::authority::Authority;

/// A store of its own.
struct Place(PathBuf);

impl Place {
    fn new() -> Self {
        Self(nix::unistd::mkdtemp(&std::env::temp_dir().join("aissh-sign-in.XXXXXX")).unwrap())
    }

    fn store(&self) -> Store {
        Store::at(self.0.join("sign-ins"))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A user who agrees to everything, and what the browser brings back.
struct Agreeable<'a> {
    /// Added to the state.
    answer: &'a dyn Fn(&str) -> String,
    /// The addresses that were shown.
    shown: Vec<String>,
}

impl User for Agreeable<'_> {
    fn authorize(
        &mut self,
        url: &str,
        _: &Loopback,
        is_answer: &dyn Fn(&str) -> bool,
    ) -> Result<String, String> {
        self.shown.push(url.to_owned());
        let query = format!("state={}&{}", value(url, "state").unwrap(), (self.answer)(url));
        assert!(is_answer(&query) && !is_answer("state=another&code=code-1"));
        Ok(query)
    }
}

fn value(url: &str, name: &str) -> Option<String> {
    let query = url.split_once('?')?.1;
    form_urlencoded::parse(query.as_bytes()).find(|(key, _)| key == name).map(|(_, value)| value.into_owned())
}

/// Signs in as the settings say; also what was shown.
fn sign(
    authority: &Authority,
    store: &Store,
    settings: &Settings,
    answer: &dyn Fn(&str) -> String,
) -> (Result<SignIn, String>, Vec<String>) {
    let mut user = Agreeable { answer, shown: Vec::new() };
    let server = authority.resource();
    let challenge = Challenge { scope: Some("linus".into()), ..Challenge::default() };
    let done = sign_in(&server, &challenge, settings, store, &Fetcher::default(), &mut user);
    (done, user.shown)
}

fn good(authority: &Authority) -> impl Fn(&str) -> String {
    let iss = authority.issuer();
    move |_: &str| format!("code=code-1&iss={iss}")
}

#[test]
fn a_sign_in_asks_in_order_proves_itself_and_keeps_what_it_got_for_the_user_alone() {
    let (authority, place) = (Authority::start(), Place::new());
    let store = place.store();
    let (done, shown) = sign(&authority, &store, &Settings::default(), &good(&authority));
    let done = done.unwrap();
    assert_eq!(
        authority.paths(),
        [
            "/.well-known/oauth-protected-resource/mcp",
            "/.well-known/oauth-authorization-server",
            "/register",
            "/token"
        ]
    );
    let registration = &authority.requests()[2].body;
    assert_eq!(registration["application_type"], "native");
    let redirect = registration["redirect_uris"][0].as_str().unwrap().to_owned();
    let form = &authority.forms("/token")[0];
    let challenge = ring::digest::digest(&ring::digest::SHA256, form["code_verifier"].as_bytes());
    let url = &shown[0];
    assert_eq!(value(url, "code_challenge"), Some(URL_SAFE_NO_PAD.encode(challenge)));
    for (name, wanted) in
        [("resource", authority.resource()), ("redirect_uri", redirect), ("client_id", "client-1".into())]
    {
        assert_eq!((value(url, name), form.get(name)), (Some(wanted.clone()), Some(&wanted)), "{name}");
    }
    assert_eq!(value(url, "scope").as_deref(), Some("linus"));
    assert_eq!((done.access, done.refresh), (Some(Secret::new("access-2")), Some(Secret::new("refresh-2"))));
    let kept = store.read(&Key::of(&authority.resource()).unwrap()).unwrap().unwrap();
    assert_eq!(
        (kept.serial, kept.scope.as_deref(), kept.resource),
        (1, Some("linus"), Some(authority.resource()))
    );
}

#[test]
fn an_authority_that_cannot_be_trusted_gets_no_code_and_no_token_is_kept() {
    let lie = |name: &'static str, value: Value| {
        move |authority: &Authority| {
            let mut metadata = authority.metadata();
            metadata[name] = value.clone();
            authority.answer("/.well-known/oauth-authorization-server", 200, metadata);
        }
    };
    let resource = |resource: &'static str| {
        move |authority: &Authority| {
            let body = json!({"resource": resource, "authorization_servers": [authority.issuer()]});
            authority.answer("/.well-known/oauth-protected-resource/mcp", 200, body);
        }
    };
    type Setup = Box<dyn Fn(&Authority)>;
    let lies: Vec<(&str, Setup)> = vec![
        ("another issuer's", Box::new(lie("issuer", json!("https://evil.example")))),
        ("PKCE", Box::new(lie("code_challenge_methods_supported", json!(["plain"])))),
        ("not https", Box::new(lie("token_endpoint", json!("http://evil.example/token")))),
        ("not https", Box::new(lie("authorization_endpoint", json!("http://evil.example/")))),
        ("linus.oauth.client_id", Box::new(lie("registration_endpoint", Value::Null))),
        ("is about https://evil.example/mcp", Box::new(resource("https://evil.example/mcp"))),
        (
            "does not register",
            Box::new(|a: &Authority| a.answer("/register", 403, json!({"error": "no\u{1b}[2J"}))),
        ),
    ];
    for (wanted, setup) in lies {
        let (authority, place) = (Authority::start(), Place::new());
        setup(&authority);
        let (done, shown) = sign(&authority, &place.store(), &Settings::default(), &good(&authority));
        let error = done.unwrap_err();
        assert!(error.contains(wanted) && !error.contains('\u{1b}'), "{wanted}: {error}");
        assert!(shown.is_empty() && !authority.paths().contains(&"/token".to_owned()), "{wanted}");
    }
    let iss = |iss: &'static str| move |_: &str| format!("code=code-1&iss={iss}");
    let none = |_: &str| "code=code-1".to_owned();
    let answers: [&dyn Fn(&str) -> String; 3] =
        [&iss("https://evil.example"), &iss("HTTP://127.0.0.1"), &none];
    for answer in answers {
        let (authority, place) = (Authority::start(), Place::new());
        assert!(sign(&authority, &place.store(), &Settings::default(), answer).0.is_err());
        assert!(!authority.paths().contains(&"/token".to_owned()), "the code went to nobody");
        assert_eq!(place.store().read(&Key::of(&authority.resource()).unwrap()), Ok(None));
    }
}

#[test]
fn a_registered_client_is_used_again_and_its_rights_are_kept_but_never_at_another_issuer() {
    let (authority, place) = (Authority::start(), Place::new());
    let store = place.store();
    let key = Key::of(&authority.resource()).unwrap();
    sign(&authority, &store, &Settings::default(), &good(&authority)).0.unwrap();
    let cancel = aissh::linus::Canceller::new();
    aissh::linus::oauth::want(&store, &key, "write", &cancel).unwrap();
    let (again, shown) = sign(&authority, &store, &Settings::default(), &good(&authority));
    let again = again.unwrap();
    let registrations = || authority.paths().iter().filter(|path| *path == "/register").count();
    assert_eq!((registrations(), value(&shown[0], "scope").as_deref()), (1, Some("linus write")));
    assert_eq!((again.wanted, again.serial), (None, 3));
    // The same address, another authorization server: it learns nothing of the first one's.
    let other = Authority::start();
    let moved = json!({"resource": authority.resource(), "authorization_servers": [other.issuer()]});
    authority.answer("/.well-known/oauth-protected-resource/mcp", 200, moved);
    other.answer("/register", 201, json!({"client_id": "client-9"}));
    let (done, shown) = sign(&authority, &store, &Settings::default(), &good(&other));
    let done = done.unwrap();
    assert_eq!((done.client.id.as_str(), done.issuer), ("client-9", other.issuer()));
    assert_eq!(value(&shown[0], "scope").as_deref(), Some("linus"));
    let seen = format!("{:?}", other.requests());
    assert!(!seen.contains("client-1") && !seen.contains("refresh-"), "{seen}");
}

#[test]
fn a_client_that_the_user_registered_needs_no_registration_and_its_secret_goes_where_it_belongs() {
    let (authority, place) = (Authority::start(), Place::new());
    let mut metadata = authority.metadata();
    metadata["token_endpoint_auth_methods_supported"] = json!(["client_secret_basic"]);
    metadata["registration_endpoint"] = Value::Null;
    authority.answer("/.well-known/oauth-authorization-server", 200, metadata);
    let registered = Registered {
        client_id: Some("mine".into()),
        client_secret: Some(Secret::new("s3cret")),
        document: None,
    };
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let settings = Settings { registered, port: Some(port) };
    let (done, shown) = sign(&authority, &place.store(), &settings, &good(&authority));
    done.unwrap();
    assert_eq!(value(&shown[0], "redirect_uri"), Some(format!("http://127.0.0.1:{port}/callback")));
    let token = authority.requests().into_iter().find(|request| request.path == "/token").unwrap();
    let basic = base64::engine::general_purpose::STANDARD.encode("mine:s3cret");
    assert_eq!(token.header("authorization"), Some(format!("Basic {basic}").as_str()));
    assert!(!token.text.contains("s3cret") && !shown[0].contains("s3cret"));
}

#[test]
fn signing_out_takes_the_token_back_and_forgets_it_also_when_the_server_will_not() {
    for status in [200, 500] {
        let (authority, place) = (Authority::start(), Place::new());
        let store = place.store();
        let key = Key::of(&authority.resource()).unwrap();
        sign(&authority, &store, &Settings::default(), &good(&authority)).0.unwrap();
        authority.answer("/revoke", status, json!({}));
        let out = sign_out(&store, &key, &Fetcher::default()).unwrap();
        assert_eq!(out.map(|told| told.is_ok()), Some(status == 200));
        assert_eq!(authority.forms("/revoke")[0]["token"], "refresh-2");
        assert_eq!(store.read(&key), Ok(None));
        assert_eq!(sign_out(&store, &key, &Fetcher::default()), Ok(None));
    }
}
