//! Where the metadata documents are and what they have to say to be believed: RFC 9728 for the resource, RFC 8414 and
//! OpenID Connect Discovery for the authorization server.
//!
//! Pure: addresses and JSON in, values or a sentence out. Fetching is `fetch.rs`.

use serde_json::Value;

use super::endpoint::{parse, shown, split};
use crate::linus::origin;

/// Scopes of a document that are looked at: more is no list that a person was meant to agree to.
const SCOPES_LIMIT: usize = 200;
/// Authorization servers of a document that are looked at.
const SERVERS_LIMIT: usize = 16;

/// What a protected resource says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Resource {
    /// The identifier, exactly as published: it goes into requests so.
    pub id: String,
    /// Issuers, as published. At least one.
    pub servers: Vec<String>,
    pub scopes: Vec<String>,
}

/// What an authorization server says of itself. All addresses were checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Server {
    pub issuer: String,
    pub authorize: String,
    pub token: String,
    pub register: Option<String>,
    pub revoke: Option<String>,
    pub scopes: Vec<String>,
    /// Ways of authenticating a client at the token endpoint; `None` if it does not say.
    pub client_auth: Option<Vec<String>>,
    /// Whether every answer of the authorization endpoint has an `iss` (RFC 9207).
    pub tells_iss: bool,
    /// Whether a client may be named by the address of its own metadata document.
    pub takes_documents: bool,
}

/// Where the resource's metadata may be, in order: where the challenge says, below the path, at the root.
pub(super) fn resource_documents(server: &str, challenge: Option<&str>) -> Result<Vec<String>, String> {
    const NAME: &str = "/.well-known/oauth-protected-resource";
    let uri = parse(server)?;
    let (origin, path) = split(&uri);
    let below = format!("{origin}{NAME}{}", path.trim_end_matches('/'));
    let mut all: Vec<String> =
        challenge.filter(|url| parse(url).is_ok()).map(str::to_owned).into_iter().collect();
    for url in [below, format!("{origin}{NAME}")] {
        if !all.contains(&url) {
            all.push(url);
        }
    }
    Ok(all)
}

/// Where an authorization server's metadata may be, in the order of the MCP specification.
pub(super) fn server_documents(issuer: &str) -> Result<Vec<String>, String> {
    let uri = parse(issuer)?;
    let (origin, path) = split(&uri);
    let path = path.trim_end_matches('/');
    let mut all = vec![
        format!("{origin}/.well-known/oauth-authorization-server{path}"),
        format!("{origin}/.well-known/openid-configuration{path}"),
    ];
    if !path.is_empty() {
        all.push(format!("{origin}{path}/.well-known/openid-configuration"));
    }
    Ok(all)
}

/// The address of a server of 2025-03-26 as an issuer: that revision has no resource metadata, and the server's own
/// origin is its authorization server.
pub(super) fn origin_as_issuer(server: &str) -> Result<String, String> {
    Ok(split(&parse(server)?).0)
}

/// Reads the resource's document. It must be about `server`: another's would have us ask for tokens for that one.
pub(super) fn read_resource(document: &Value, server: &str) -> Result<Resource, String> {
    let id = text(document, "resource").ok_or("the resource metadata names no resource")?;
    if !covers(&id, server)? {
        return Err(format!("the resource metadata is about {}, not about {}", shown(&id), shown(server)));
    }
    let mut servers = texts(document, "authorization_servers").unwrap_or_default();
    servers.truncate(SERVERS_LIMIT);
    if servers.is_empty() {
        return Err("the resource metadata names no authorization server".into());
    }
    Ok(Resource { id, servers, scopes: scopes(document) })
}

/// Whether a resource identifier is that of `server`: the same origin, and the same path or one above it. RFC 9728
/// wants them equal; servers that publish one document for their whole origin are common.
fn covers(id: &str, server: &str) -> Result<bool, String> {
    let (Ok(id_uri), server_uri) = (origin::parse(id), parse(server)?) else { return Ok(false) };
    let (_, above) = split(&id_uri);
    let (_, path) = split(&server_uri);
    let above = above.trim_end_matches('/');
    let is_above = path.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    Ok(origin::is_same(&id_uri, &server_uri) && is_above && !id.contains('#'))
}

/// Reads an authorization server's document. Its issuer must be the very one that was asked (RFC 8414 3.3, byte for
/// byte), it must offer PKCE with S256, and no address of it may be open to others.
pub(super) fn read_server(document: &Value, issuer: &str) -> Result<Server, String> {
    if text(document, "issuer").as_deref() != Some(issuer) {
        return Err(format!("the metadata found for {} is another issuer's", shown(issuer)));
    }
    let endpoint = |name: &str| match text(document, name) {
        Some(url) => parse(&url).map(|_| Some(url)),
        None => Ok(None),
    };
    let needed = |name: &str| endpoint(name)?.ok_or(format!("{} names no {name}", shown(issuer)));
    let methods = texts(document, "code_challenge_methods_supported").unwrap_or_default();
    if !methods.iter().any(|method| method == "S256") {
        return Err(format!(
            "{} does not offer PKCE with S256, without which aissh does not sign in",
            shown(issuer)
        ));
    }
    Ok(Server {
        issuer: issuer.to_owned(),
        authorize: needed("authorization_endpoint")?,
        token: needed("token_endpoint")?,
        register: endpoint("registration_endpoint")?,
        revoke: endpoint("revocation_endpoint")?,
        scopes: scopes(document),
        client_auth: texts(document, "token_endpoint_auth_methods_supported"),
        tells_iss: is_true(document, "authorization_response_iss_parameter_supported"),
        takes_documents: is_true(document, "client_id_metadata_document_supported"),
    })
}

fn text(document: &Value, name: &str) -> Option<String> {
    document.get(name)?.as_str().filter(|text| !text.is_empty()).map(str::to_owned)
}

fn texts(document: &Value, name: &str) -> Option<Vec<String>> {
    let list = document.get(name)?.as_array()?;
    Some(list.iter().filter_map(|text| Some(text.as_str()?.to_owned())).collect())
}

fn is_true(document: &Value, name: &str) -> bool {
    document.get(name).and_then(Value::as_bool) == Some(true)
}

/// Scopes as RFC 6749 3.3 allows them; others could not be told apart when they stand in one line.
fn scopes(document: &Value) -> Vec<String> {
    let mut scopes = texts(document, "scopes_supported").unwrap_or_default();
    scopes.retain(|scope| is_scope(scope));
    scopes.truncate(SCOPES_LIMIT);
    scopes
}

pub(super) fn is_scope(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_graphic() && b != b'"' && b != b'\\')
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_resources_document_is_looked_for_where_the_challenge_says_then_below_the_path_then_at_the_root() {
        let all = |challenge| resource_documents("https://H.example:8/a/mcp/", challenge).unwrap();
        let below = "https://h.example:8/.well-known/oauth-protected-resource/a/mcp";
        let root = "https://h.example:8/.well-known/oauth-protected-resource";
        assert_eq!(all(None), [below, root]);
        assert_eq!(all(Some("https://x/custom.json")), ["https://x/custom.json", below, root]);
        assert_eq!(all(Some(below)), [below, root]);
        assert_eq!(all(Some("http://x/open.json")), [below, root], "an address in the clear is not taken");
        assert_eq!(resource_documents("https://h/", None).unwrap().len(), 1);
        assert!(resource_documents("http://h.example/mcp", None).is_err());
    }

    #[test]
    fn an_authorization_servers_documents_are_looked_for_in_the_specifications_order() {
        assert_eq!(
            server_documents("https://as.example/t/1").unwrap(),
            [
                "https://as.example/.well-known/oauth-authorization-server/t/1",
                "https://as.example/.well-known/openid-configuration/t/1",
                "https://as.example/t/1/.well-known/openid-configuration",
            ]
        );
        assert_eq!(
            server_documents("https://as.example/").unwrap(),
            [
                "https://as.example/.well-known/oauth-authorization-server",
                "https://as.example/.well-known/openid-configuration",
            ]
        );
    }

    fn resource(id: &str) -> Result<Resource, String> {
        let document = json!({"resource": id, "authorization_servers": ["https://as/"], "scopes_supported": ["a", "b c", 1]});
        read_resource(&document, "https://h.example/team/mcp")
    }

    #[test]
    fn a_resource_document_about_another_resource_is_refused() {
        for fine in [
            "https://h.example/team/mcp",
            "https://H.example:443/team",
            "https://h.example",
            "https://h.example/team/mcp/",
        ] {
            assert_eq!(resource(fine).unwrap().id, fine, "kept as it was published");
        }
        for other in [
            "https://evil.example/team/mcp",
            "https://h.example/te",
            "https://h.example/team/mcp/x",
            "http://h.example/team/mcp",
            "https://h.example:8443/",
            "https://h.example/#x",
            "x",
        ] {
            assert!(resource(other).is_err(), "{other}");
        }
        assert_eq!(resource("https://h.example").unwrap().scopes, ["a"]);
        assert!(read_resource(&json!({"resource": "https://h/"}), "https://h/").is_err(), "no server");
    }

    fn document() -> Value {
        json!({"issuer": "https://as/t", "authorization_endpoint": "https://as/a", "token_endpoint": "https://as/k",
            "code_challenge_methods_supported": ["plain", "S256"]})
    }

    #[test]
    fn a_servers_document_is_believed_if_it_is_of_the_issuer_asked_has_pkce_and_is_https() {
        assert!(read_server(&document(), "https://as/t").is_ok());
        let with = |name: &str, value: Value| {
            let mut document = document();
            document[name] = value;
            read_server(&document, "https://as/t").unwrap_err()
        };
        assert!(with("issuer", json!("https://as/t/")).contains("another issuer"));
        assert!(with("code_challenge_methods_supported", json!(["plain"])).contains("PKCE"));
        assert!(with("code_challenge_methods_supported", Value::Null).contains("PKCE"));
        for name in
            ["authorization_endpoint", "token_endpoint", "registration_endpoint", "revocation_endpoint"]
        {
            assert!(with(name, json!("http://as/x")).contains("not https"), "{name}");
        }
        assert!(with("token_endpoint", Value::Null).contains("token_endpoint"));
    }
}
