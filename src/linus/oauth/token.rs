//! The token endpoint: what is sent, and reading what comes back (RFC 6749 section 5).
//!
//! Pure. Requests hold secrets, so nothing here prints one.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use form_urlencoded::{Serializer, byte_serialize};
use serde_json::Value;

use super::endpoint::shown;
use super::register::{Client, ClientAuth};
use crate::linus::call_error::one_line;
use crate::linus::secret::Secret;

/// Longest token that is taken: servers refuse headers beyond 8 to 16 KiB.
const TOKEN_LIMIT: usize = 16 * 1024;
/// A lifetime beyond a year is as good as one of a year, and keeps the sum with the clock small.
const LIFETIME_LIMIT: u64 = 366 * 24 * 3600;

/// A POST of a form.
pub struct Form {
    pub body: String,
    pub authorization: Option<Secret>,
}

impl fmt::Debug for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Form(…)")
    }
}

/// What is asked of the token endpoint, or the revocation endpoint.
#[derive(Clone, Copy)]
pub(super) enum Ask<'a> {
    Code { code: &'a str, redirect: &'a str, verifier: &'a str },
    Refresh(&'a Secret),
    Revoke(&'a Secret),
}

/// The form for it, with the client's credentials where its way of authentication puts them.
pub(super) fn form(ask: Ask<'_>, client: &Client, resource: Option<&str>) -> Form {
    let mut form = Serializer::new(String::new());
    match ask {
        Ask::Code { code, redirect, verifier } => form
            .append_pair("grant_type", "authorization_code")
            .append_pair("code", code)
            .append_pair("redirect_uri", redirect)
            .append_pair("code_verifier", verifier),
        Ask::Refresh(token) => {
            form.append_pair("grant_type", "refresh_token").append_pair("refresh_token", token.expose())
        }
        Ask::Revoke(token) => {
            form.append_pair("token", token.expose()).append_pair("token_type_hint", "refresh_token")
        }
    };
    if let Some(resource) = resource.filter(|_| !matches!(ask, Ask::Revoke(_))) {
        form.append_pair("resource", resource);
    }
    let secret = client.secret.as_ref().map(Secret::expose).unwrap_or_default();
    let authorization = match client.auth {
        ClientAuth::Basic => Some(basic(&client.id, secret)),
        ClientAuth::Public => {
            form.append_pair("client_id", &client.id);
            None
        }
        ClientAuth::Post => {
            form.append_pair("client_id", &client.id).append_pair("client_secret", secret);
            None
        }
    };
    Form { body: form.finish(), authorization }
}

/// RFC 6749 2.3.1: both are form-encoded before they are joined.
fn basic(id: &str, secret: &str) -> Secret {
    let encode = |text: &str| byte_serialize(text.as_bytes()).collect::<String>();
    Secret::new(format!("Basic {}", STANDARD.encode(format!("{}:{}", encode(id), encode(secret)))))
}

/// What the token endpoint gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tokens {
    pub access: Secret,
    pub refresh: Option<Secret>,
    /// Seconds from now.
    pub lifetime: Option<u64>,
    pub scope: Option<String>,
}

/// Why there are no tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TokenError {
    /// What was presented is no longer good: only signing in anew helps.
    Refused(String),
    /// Anything else: it may go better later.
    Failed(String),
}

impl fmt::Display for TokenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(text) | Self::Failed(text) => f.write_str(text),
        }
    }
}

/// Reads the answer of the token endpoint of `issuer`.
pub(super) fn read(status: u16, answer: &Value, issuer: &str) -> Result<Tokens, TokenError> {
    let issuer = shown(issuer);
    if status != 200 {
        return Err(refusal(status, answer, &issuer));
    }
    let failed = |what: &str| Err(TokenError::Failed(format!("{issuer} gave {what}")));
    let token =
        |name: &str| answer.get(name).and_then(Value::as_str).filter(|text| is_token(text)).map(Secret::new);
    let is_bearer = answer
        .get("token_type")
        .and_then(Value::as_str)
        .is_some_and(|kind| kind.eq_ignore_ascii_case("bearer"));
    match token("access_token") {
        Some(access) if is_bearer => Ok(Tokens {
            access,
            refresh: token("refresh_token"),
            lifetime: answer.get("expires_in").and_then(seconds).map(|s| s.min(LIFETIME_LIMIT)),
            scope: answer.get("scope").and_then(Value::as_str).map(str::to_owned),
        }),
        Some(_) => failed("a token that is not of the type Bearer"),
        None => failed("no token that can be used"),
    }
}

fn refusal(status: u16, answer: &Value, issuer: &str) -> TokenError {
    let text = |name: &str| answer.get(name).and_then(Value::as_str).map(str::to_owned);
    let Some(error) = text("error") else {
        return TokenError::Failed(format!("{issuer} answered HTTP {status}"));
    };
    // Its description is not shown: servers have put the refused token into it.
    let said = format!("{issuer} says {}", one_line(&error));
    match error.as_str() {
        "invalid_grant" | "invalid_client" | "unauthorized_client" => TokenError::Refused(said),
        _ => TokenError::Failed(said),
    }
}

/// What a header takes (RFC 6750 2.1 allows less).
fn is_token(text: &str) -> bool {
    !text.is_empty() && text.len() <= TOKEN_LIMIT && text.bytes().all(|b| b.is_ascii_graphic())
}

/// Some servers write the number as a text.
fn seconds(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| value.as_f64().map(|s| s as u64)).or_else(|| value.as_str()?.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use form_urlencoded::parse;
    use serde_json::json;

    fn client(auth: ClientAuth) -> Client {
        Client { id: "a:b".into(), secret: Some(Secret::new("s &%")), auth, redirect: None }
    }

    fn pairs(form: &Form) -> Vec<(String, String)> {
        parse(form.body.as_bytes()).map(|(k, v)| (k.into_owned(), v.into_owned())).collect()
    }

    #[test]
    fn the_client_says_who_it_is_in_the_way_that_it_was_registered_with() {
        let ask = Ask::Code { code: "c+d", redirect: "http://127.0.0.1:5/callback", verifier: "v" };
        let has = |form: &Form, name: &str| pairs(form).iter().any(|(n, _)| n == name);
        let public = form(ask, &client(ClientAuth::Public), Some("https://H/mcp"));
        assert!(
            has(&public, "client_id") && !has(&public, "client_secret") && public.authorization.is_none()
        );
        assert!(pairs(&public).contains(&("code".into(), "c+d".into())));
        assert!(pairs(&public).contains(&("resource".into(), "https://H/mcp".into())));
        let post = form(ask, &client(ClientAuth::Post), None);
        assert!(pairs(&post).contains(&("client_secret".into(), "s &%".into())) && !has(&post, "resource"));
        let basic = form(ask, &client(ClientAuth::Basic), None);
        assert!(!has(&basic, "client_id") && !has(&basic, "client_secret"));
        let expected = format!("Basic {}", STANDARD.encode("a%3Ab:s+%26%25"));
        assert_eq!(basic.authorization.map(|a| a.expose().to_owned()), Some(expected));
    }

    #[test]
    fn a_refresh_names_its_token_and_the_resource() {
        let token = Secret::new("r1");
        let refresh = form(Ask::Refresh(&token), &client(ClientAuth::Public), Some("https://h/mcp"));
        for pair in [("grant_type", "refresh_token"), ("refresh_token", "r1"), ("resource", "https://h/mcp")]
        {
            assert!(pairs(&refresh).contains(&(pair.0.into(), pair.1.into())), "{pair:?}");
        }
        assert_eq!(format!("{refresh:?}"), "Form(…)");
    }

    #[test]
    fn only_bearer_tokens_that_a_header_takes_are_taken() {
        let read = |answer: Value| read(200, &answer, "https://as");
        let tokens =
            read(json!({"access_token": "a", "token_type": "bearer", "expires_in": "60", "scope": "x"}));
        let tokens = tokens.unwrap();
        assert_eq!((tokens.lifetime, tokens.scope.as_deref(), tokens.refresh), (Some(60), Some("x"), None));
        assert_eq!(
            read(json!({"access_token": "a", "token_type": "Bearer", "expires_in": 1e30})).unwrap().lifetime,
            Some(LIFETIME_LIMIT)
        );
        for bad in [
            json!({"access_token": "a"}),
            json!({"access_token": "a", "token_type": "DPoP"}),
            json!({"access_token": "", "token_type": "Bearer"}),
            json!({"access_token": "a\r\nX: y", "token_type": "Bearer"}),
            json!({"access_token": "x".repeat(TOKEN_LIMIT + 1), "token_type": "Bearer"}),
            json!(["a"]),
        ] {
            assert!(matches!(read(bad), Err(TokenError::Failed(_))));
        }
    }

    #[test]
    fn a_grant_that_is_no_longer_good_is_told_from_a_server_in_trouble_and_neither_is_quoted_at_length() {
        let error = |status, answer: Value| read(status, &answer, "https://as?x").unwrap_err();
        let refused =
            error(400, json!({"error": "invalid_grant", "error_description": "token r-secret is used"}));
        assert_eq!(refused, TokenError::Refused("https://as says invalid_grant".into()));
        assert_eq!(error(503, Value::Null), TokenError::Failed("https://as answered HTTP 503".into()));
        assert!(matches!(error(429, json!({"error": "slow_down"})), TokenError::Failed(_)));
    }
}
