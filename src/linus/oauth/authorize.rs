//! The authorization request and what comes back on the redirect (RFC 6749 4.1, RFC 8707, RFC 9207).
//!
//! Pure.

use form_urlencoded::{Serializer, parse};

use super::discovery::{Server, is_scope};
use super::endpoint::shown;
use super::pkce::Pkce;
use super::register::Client;
use crate::linus::call_error::one_line;

/// The scope of a refresh token.
const OFFLINE: &str = "offline_access";

/// What one authorization request says.
#[derive(Debug)]
pub(super) struct Request<'a> {
    pub server: &'a Server,
    pub client: &'a Client,
    pub redirect: &'a str,
    /// Exactly as the resource published it; `None` only for servers of 2025-03-26.
    pub resource: Option<&'a str>,
    pub scope: Option<&'a str>,
    pub state: &'a str,
    pub pkce: &'a Pkce,
}

impl Request<'_> {
    /// The address for the user's browser.
    pub(super) fn url(&self) -> String {
        let address = self.server.authorize.split('#').next().unwrap_or_default();
        let glue = if address.contains('?') { '&' } else { '?' };
        let mut query = Serializer::new(String::new());
        query
            .append_pair("response_type", "code")
            .append_pair("client_id", &self.client.id)
            .append_pair("redirect_uri", self.redirect)
            .append_pair("state", self.state)
            .append_pair("code_challenge", &self.pkce.challenge())
            .append_pair("code_challenge_method", "S256");
        // OpenID Connect Core 11: without it offline_access is ignored.
        let wants_offline = self.scope.is_some_and(|scope| scope.split(' ').any(|s| s == OFFLINE));
        let prompt = wants_offline.then_some("consent");
        for (name, value) in [("resource", self.resource), ("scope", self.scope), ("prompt", prompt)] {
            if let Some(value) = value {
                query.append_pair(name, value);
            }
        }
        format!("{address}{glue}{}", query.finish())
    }

    /// Whether a redirect answers this request and no other: it carries its state.
    pub(super) fn is_answered_by(&self, query: &str) -> bool {
        values(query, "state") == [self.state]
    }

    /// The code from the query of the redirect, or why there is none. The issuer is compared before anything of the
    /// answer is believed or shown: another server's words are not this one's.
    pub(super) fn code(&self, query: &str) -> Result<String, String> {
        let issuer = shown(&self.server.issuer);
        if !self.is_answered_by(query) {
            return Err("the redirect does not answer this sign-in: its state is another".into());
        }
        match values(query, "iss").as_slice() {
            [] if self.server.tells_iss => {
                return Err(format!(
                    "the redirect does not say that it is from {issuer}, which always says so"
                ));
            }
            [] => {}
            [iss] if *iss == self.server.issuer => {}
            _ => return Err(format!("the redirect is not from {issuer}")),
        }
        if let Some(error) = values(query, "error").first() {
            let description = values(query, "error_description").first().map(|text| format!(": {text}"));
            let said = one_line(&format!("{error}{}", description.unwrap_or_default()));
            return Err(format!("{issuer} refused the sign-in: {said}"));
        }
        match values(query, "code").as_slice() {
            [code] if !code.is_empty() => Ok(code.clone()),
            _ => Err(format!("the redirect from {issuer} has no code")),
        }
    }
}

fn values(query: &str, name: &str) -> Vec<String> {
    parse(query.as_bytes()).filter(|(key, _)| key == name).map(|(_, value)| value.into_owned()).collect()
}

/// The scopes to ask for: those of the challenge, else all that the resource has, else none; with them the ones that
/// were granted before and the ones that a session was refused for, so that signing in again loses nothing; and
/// `offline_access` where the authorization server has it, without which some give no refresh token.
pub(super) fn scopes(
    challenge: Option<&str>,
    resource: &[String],
    earlier: &[&str],
    server: &Server,
) -> Option<String> {
    let mut all: Vec<String> = Vec::new();
    let mut add = |scope: &str| {
        if is_scope(scope) && !all.iter().any(|known| known == scope) {
            all.push(scope.to_owned());
        }
    };
    match challenge.filter(|scope| !scope.trim().is_empty()) {
        Some(scope) => scope.split_whitespace().for_each(&mut add),
        None => resource.iter().for_each(|scope| add(scope)),
    }
    earlier.iter().flat_map(|scope| scope.split_whitespace()).for_each(&mut add);
    if server.scopes.iter().any(|scope| scope == OFFLINE) {
        add(OFFLINE);
    }
    Some(all.join(" ")).filter(|scope| !scope.is_empty())
}

#[cfg(test)]
mod tests {
    use super::super::register::ClientAuth;
    use super::*;

    fn server(tells_iss: bool, scopes: &[&str]) -> Server {
        Server {
            issuer: "https://as.example".into(),
            authorize: "https://as.example/authorize?tenant=1".into(),
            token: "https://as.example/token".into(),
            register: None,
            revoke: None,
            scopes: scopes.iter().map(|&s| s.to_owned()).collect(),
            client_auth: None,
            tells_iss,
            takes_documents: false,
        }
    }

    fn with_request<R>(tells_iss: bool, test: impl FnOnce(&Request<'_>) -> R) -> R {
        let client = Client { id: "c&1".into(), secret: None, auth: ClientAuth::Public, redirect: None };
        let (server, pkce) = (server(tells_iss, &[]), Pkce::new().unwrap());
        test(&Request {
            server: &server,
            client: &client,
            redirect: "http://127.0.0.1:5/callback",
            resource: Some("https://H.example/mcp"),
            scope: Some("a b"),
            state: "st",
            pkce: &pkce,
        })
    }

    #[test]
    fn the_address_has_everything_that_the_request_must_say() {
        with_request(false, |request| {
            let url = request.url();
            let (address, query) = url.split_once('?').unwrap();
            assert_eq!(address, "https://as.example/authorize");
            for (name, value) in [
                ("tenant", "1"),
                ("response_type", "code"),
                ("client_id", "c&1"),
                ("redirect_uri", "http://127.0.0.1:5/callback"),
                ("resource", "https://H.example/mcp"),
                ("scope", "a b"),
                ("state", "st"),
                ("code_challenge_method", "S256"),
                ("code_challenge", &request.pkce.challenge()),
            ] {
                assert_eq!(values(query, name), [value], "{name}");
            }
            assert!(!url.contains(request.pkce.verifier()));
        });
    }

    #[test]
    fn the_issuer_is_compared_byte_for_byte_before_anything_else_is_believed() {
        let code = |tells_iss, query: &str| with_request(tells_iss, |request| request.code(query));
        assert_eq!(code(false, "code=x&state=st").as_deref(), Ok("x"));
        assert_eq!(code(true, "code=x&state=st&iss=https%3A%2F%2Fas.example").as_deref(), Ok("x"));
        assert!(code(true, "code=x&state=st").is_err(), "advertised and absent");
        for other in ["https%3A%2F%2Fas.example%2F", "https%3A%2F%2Fevil.example", "HTTPS://as.example"] {
            assert!(code(false, &format!("code=x&state=st&iss={other}")).is_err(), "{other}");
            let error =
                code(false, &format!("error=bad&error_description=words&state=st&iss={other}")).unwrap_err();
            assert!(!error.contains("words"), "{error}");
        }
        assert!(code(false, "code=x&state=st&iss=https%3A%2F%2Fas.example&iss=y").is_err(), "two");
    }

    #[test]
    fn a_redirect_of_another_sign_in_or_without_a_code_is_none() {
        let code = |query: &str| with_request(false, |request| request.code(query));
        for bad in
            ["", "code=x", "code=x&state=other", "code=x&state=st&state=st", "state=st", "code=&state=st"]
        {
            assert!(code(bad).is_err(), "{bad}");
        }
        let refused = code("state=st&error=access_denied&error_description=no%1b%5b2Jway").unwrap_err();
        assert_eq!(refused, "https://as.example refused the sign-in: access_denied: no [2Jway");
    }

    #[test]
    fn scopes_are_the_challenges_else_the_resources_else_none_and_nothing_granted_is_lost() {
        let resource = ["r1".to_owned(), "r2".to_owned()];
        let plain = server(false, &[]);
        assert_eq!(scopes(Some("c"), &resource, &[], &plain).as_deref(), Some("c"));
        assert_eq!(scopes(None, &resource, &[], &plain).as_deref(), Some("r1 r2"));
        assert_eq!(scopes(Some(" "), &[], &[], &plain), None);
        assert_eq!(scopes(Some("c"), &resource, &["old c", "more"], &plain).as_deref(), Some("c old more"));
        let offline = server(false, &["offline_access"]);
        assert_eq!(scopes(None, &[], &[], &offline).as_deref(), Some("offline_access"));
        assert_eq!(scopes(Some("a\"b \u{1b}x ok"), &[], &[], &plain).as_deref(), Some("ok"));
    }
}
