//! Addresses: which are Linus's, which stay within his origin, and which never leave this machine.

use std::net::IpAddr;

use ureq::http::Uri;

/// Whom an address belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// `scheme://host:port`, in lower case and with the port always.
    pub text: String,
    /// What is sent there leaves this machine.
    pub is_remote: bool,
}

impl Origin {
    /// `None` for what is no address of a Linus.
    pub fn of(url: &str) -> Option<Self> {
        let uri = parse(url).ok()?;
        let (scheme, host, port) = origin(&uri)?;
        Some(Self { text: format!("{scheme}://{host}:{port}"), is_remote: !is_loopback(&uri) })
    }
}

/// Reads Linus's address: http or https, with a host, without a user name or password.
pub(crate) fn parse(url: &str) -> Result<Uri, String> {
    let uri: Uri = url.trim().parse().map_err(|_| "the address is not a URL".to_string())?;
    if !matches!(uri.scheme_str(), Some("http" | "https")) || uri.host().is_none_or(str::is_empty) {
        return Err("the address is not an http or https URL".into());
    }
    if uri.authority().is_some_and(|a| a.as_str().contains('@')) {
        return Err("the address contains a user name; set a token instead".into());
    }
    Ok(uri)
}

/// Whether connections to it stay on this machine: no proxy for those.
pub(crate) fn is_loopback(uri: &Uri) -> bool {
    let host = uri.host().unwrap_or_default();
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost") || bare.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

/// The target of a redirect from `base`, if it is of the same origin: a token never goes anywhere else.
pub(crate) fn redirect(base: &Uri, location: &str) -> Option<Uri> {
    let scheme = base.scheme_str()?;
    let authority = base.authority()?;
    let target = if location.contains("://") {
        location.to_owned()
    } else if location.starts_with("//") {
        format!("{scheme}:{location}")
    } else if location.starts_with('/') {
        format!("{scheme}://{authority}{location}")
    } else {
        let (folder, _) = base.path().rsplit_once('/')?;
        format!("{scheme}://{authority}{folder}/{location}")
    };
    parse(&target).ok().filter(|t| is_same(t, base))
}

/// Whether two addresses are of one origin: scheme, host and port.
pub(crate) fn is_same(one: &Uri, other: &Uri) -> bool {
    origin(one) == origin(other)
}

/// An origin in words: `https://linus.example:443`.
pub(crate) fn name(uri: &Uri) -> Option<String> {
    origin(uri).map(|(scheme, host, port)| format!("{scheme}://{host}:{port}"))
}

fn origin(uri: &Uri) -> Option<(String, String, u16)> {
    let scheme = uri.scheme_str()?.to_ascii_lowercase();
    let default = if scheme == "https" { 443 } else { 80 };
    Some((scheme, uri.host()?.to_ascii_lowercase(), uri.port_u16().unwrap_or(default)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_http_addresses_without_credentials_are_taken() {
        assert!(parse(" https://linus.example:8443/mcp?x=1 ").is_ok());
        for bad in
            ["", "linus", "ftp://x/", "http://", "/mcp", "http://u:p@x/mcp", "http://a b/", "file:///x"]
        {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn loopback_is_told_from_the_address_alone() {
        for (url, loopback) in [
            ("http://127.0.0.1:1/", true),
            ("http://127.9.9.9/", true),
            ("http://LOCALHOST/", true),
            ("http://[::1]:80/", true),
            ("http://10.0.0.1/", false),
            ("http://localhost.example/", false),
            ("http://127.0.0.1.example/", false),
        ] {
            assert_eq!(is_loopback(&parse(url).unwrap()), loopback, "{url}");
        }
    }

    #[test]
    fn one_origin_has_one_spelling() {
        let of = |url| Origin::of(url).map(|o| (o.text, o.is_remote));
        let remote = Some(("https://linus.example:443".to_owned(), true));
        assert_eq!(of("https://Linus.example/mcp?x"), remote);
        assert_eq!(of("https://linus.EXAMPLE:443/other"), remote);
        assert_eq!(of("http://[::1]:8000/"), Some(("http://[::1]:8000".to_owned(), false)));
        assert_eq!(of("linus.example"), None);
    }

    #[test]
    fn a_redirect_stays_within_the_origin() {
        let base = parse("http://h:80/a/mcp").unwrap();
        let to = |location| redirect(&base, location).map(|u| u.to_string());
        assert_eq!(to("/a/mcp/").as_deref(), Some("http://h:80/a/mcp/"));
        assert_eq!(to("mcp/").as_deref(), Some("http://h:80/a/mcp/"));
        assert_eq!(to("http://H/a/mcp/").as_deref(), Some("http://H/a/mcp/"));
        for elsewhere in
            ["https://h/a/", "http://h:81/", "//other/x", "http://other/", "http://u@h/x", "ftp://h/"]
        {
            assert_eq!(to(elsewhere), None, "{elsewhere}");
        }
    }
}
