//! Who this client is to an authorization server: the registrations that the user made, a metadata document of the
//! client's own, or dynamic registration (RFC 7591), in this order.
//!
//! Pure: what to send and how to read the answer.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::discovery::Server;
use super::endpoint::shown;
use crate::linus::secret::Secret;

/// A client as one authorization server knows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Client {
    pub id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret: Option<Secret>,
    pub auth: ClientAuth,
    /// The redirect address that it was registered with by us; absent for one that the user registered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redirect: Option<String>,
}

/// How the client says at the token endpoint who it is. The names are those of RFC 7591.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ClientAuth {
    #[serde(rename = "none")]
    Public,
    #[serde(rename = "client_secret_basic")]
    Basic,
    #[serde(rename = "client_secret_post")]
    Post,
}

impl ClientAuth {
    fn name(self) -> &'static str {
        match self {
            Self::Public => "none",
            Self::Basic => "client_secret_basic",
            Self::Post => "client_secret_post",
        }
    }

    fn named(name: &str) -> Option<Self> {
        [Self::Public, Self::Basic, Self::Post].into_iter().find(|auth| auth.name() == name)
    }

    /// For a client with or without a secret at a server that says, or does not say, what it takes.
    fn choose(has_secret: bool, server: &Server) -> Self {
        let takes = |auth: Self| match &server.client_auth {
            Some(methods) => methods.iter().any(|method| method == auth.name()),
            // RFC 8414: Basic, if it does not say.
            None => auth == Self::Basic,
        };
        match has_secret {
            false => Self::Public,
            true if takes(Self::Basic) => Self::Basic,
            true if takes(Self::Post) => Self::Post,
            true if takes(Self::Public) => Self::Public,
            true => Self::Basic,
        }
    }
}

/// What the user configured about registrations.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Registered {
    pub client_id: Option<String>,
    pub client_secret: Option<Secret>,
    /// The https address of a client ID metadata document for aissh.
    pub document: Option<String>,
}

/// Where the client of a sign-in comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Plan {
    Known(Client),
    /// To be registered at this address.
    Register(String),
}

/// Pre-registered first, then the document, then dynamic registration; else the user has to register one.
pub(super) fn plan(registered: &Registered, server: &Server) -> Result<Plan, String> {
    if let Some(id) = &registered.client_id {
        let secret = registered.client_secret.clone();
        let auth = ClientAuth::choose(secret.is_some(), server);
        return Ok(Plan::Known(Client { id: id.clone(), secret, auth, redirect: None }));
    }
    if let Some(id) = registered.document.as_ref().filter(|_| server.takes_documents) {
        let client = Client { id: id.clone(), secret: None, auth: ClientAuth::Public, redirect: None };
        return Ok(Plan::Known(client));
    }
    server.register.clone().map(Plan::Register).ok_or_else(|| {
        format!(
            "{} does not register clients by itself: have aissh registered there as a native (public) client with the \
             redirect address http://127.0.0.1/callback and put its id into the configuration as linus.oauth.client_id",
            shown(&server.issuer)
        )
    })
}

/// The body of a registration.
pub(super) fn request(server: &Server, redirect: &str, scope: Option<&str>) -> Value {
    let takes = |name: &str| server.client_auth.as_ref().is_some_and(|all| all.iter().any(|m| m == name));
    // A program on the user's machine keeps no secrets from its user, so none is asked for unless the server insists.
    let auth = match &server.client_auth {
        Some(_) if takes("none") => ClientAuth::Public,
        Some(_) if takes("client_secret_basic") => ClientAuth::Basic,
        Some(_) if takes("client_secret_post") => ClientAuth::Post,
        _ => ClientAuth::Public,
    };
    let mut body = json!({
        "client_name": "aissh",
        "application_type": "native",
        "redirect_uris": [redirect],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": auth.name(),
    });
    if let Some(scope) = scope {
        body["scope"] = scope.into();
    }
    body
}

/// The client from the answer to a registration.
pub(super) fn read_answer(answer: &Value, server: &Server, redirect: &str) -> Result<Client, String> {
    let text = |name: &str| answer.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
    let id = text("client_id")
        .ok_or_else(|| format!("{} registered aissh without an id", shown(&server.issuer)))?;
    let secret = text("client_secret").map(Secret::new);
    let auth = match text("token_endpoint_auth_method") {
        Some(name) => ClientAuth::named(name).ok_or_else(|| {
            format!("{} wants a way of client authentication that aissh does not have", shown(&server.issuer))
        })?,
        None => ClientAuth::choose(secret.is_some(), server),
    };
    if auth != ClientAuth::Public && secret.is_none() {
        return Err(format!("{} registered aissh without the secret that it wants", shown(&server.issuer)));
    }
    Ok(Client { id: id.to_owned(), secret, auth, redirect: Some(redirect.to_owned()) })
}

#[cfg(test)]
mod tests {
    use super::*;

    const REDIRECT: &str = "http://127.0.0.1:5/callback";

    fn server(client_auth: Option<&[&str]>) -> Server {
        Server {
            issuer: "https://as".into(),
            authorize: "https://as/a".into(),
            token: "https://as/t".into(),
            register: Some("https://as/r".into()),
            revoke: None,
            scopes: vec![],
            client_auth: client_auth.map(|all| all.iter().map(|&m| m.to_owned()).collect()),
            tells_iss: false,
            takes_documents: true,
        }
    }

    #[test]
    fn the_users_own_registration_comes_first_then_the_document_then_dynamic_registration_then_advice() {
        let document = Some("https://me.example/aissh.json".to_owned());
        let mut registered = Registered { client_id: Some("mine".into()), client_secret: None, document };
        let id = |plan| match plan {
            Ok(Plan::Known(client)) => client.id,
            other => format!("{other:?}"),
        };
        let mut server = server(None);
        assert_eq!(id(plan(&registered, &server)), "mine");
        registered.client_id = None;
        assert_eq!(id(plan(&registered, &server)), "https://me.example/aissh.json");
        server.takes_documents = false;
        assert_eq!(plan(&registered, &server), Ok(Plan::Register("https://as/r".into())));
        server.register = None;
        let advice = plan(&registered, &server).unwrap_err();
        assert!(advice.contains("linus.oauth.client_id") && advice.contains("https://as"), "{advice}");
    }

    #[test]
    fn a_registration_says_that_aissh_is_a_native_client_and_asks_for_no_secret_where_none_is_needed() {
        let method = |auth: Option<&[&str]>| {
            let body = request(&server(auth), REDIRECT, Some("a b"));
            assert_eq!((&body["application_type"], &body["scope"]), (&json!("native"), &json!("a b")));
            assert_eq!(body["grant_types"], json!(["authorization_code", "refresh_token"]));
            body["token_endpoint_auth_method"].as_str().unwrap().to_owned()
        };
        assert_eq!(method(None), "none");
        assert_eq!(method(Some(&["client_secret_post", "none"])), "none");
        assert_eq!(method(Some(&["client_secret_post", "client_secret_basic"])), "client_secret_basic");
        assert_eq!(method(Some(&["client_secret_post"])), "client_secret_post");
    }

    #[test]
    fn the_answer_decides_how_the_client_says_who_it_is() {
        let auth = |answer: Value, methods: Option<&[&str]>| {
            read_answer(&answer, &server(methods), REDIRECT).map(|client| client.auth)
        };
        let secret = json!({"client_id": "c", "client_secret": "s"});
        assert_eq!(auth(json!({"client_id": "c"}), None), Ok(ClientAuth::Public));
        assert_eq!(auth(secret.clone(), None), Ok(ClientAuth::Basic));
        assert_eq!(auth(secret.clone(), Some(&["client_secret_post"])), Ok(ClientAuth::Post));
        assert_eq!(auth(secret, Some(&["none"])), Ok(ClientAuth::Public));
        let told = json!({"client_id": "c", "client_secret": "s", "token_endpoint_auth_method": "client_secret_post"});
        assert_eq!(auth(told, Some(&["client_secret_basic"])), Ok(ClientAuth::Post));
        for bad in [
            json!({}),
            json!({"client_id": ""}),
            json!({"client_id": "c", "token_endpoint_auth_method": "private_key_jwt"}),
            json!({"client_id": "c", "token_endpoint_auth_method": "client_secret_basic"}),
        ] {
            assert!(auth(bad.clone(), None).is_err(), "{bad}");
        }
    }
}
