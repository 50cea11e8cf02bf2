//! Which proxy leads to Linus, from the environment as curl reads it: pure, the environment is passed in.
//!
//! ureq's own reading takes `HTTPS_PROXY` for plain HTTP as well and goes without a proxy where the variable cannot be
//! read; what should have gone through a proxy must not go past it.

use ureq::Proxy;
use ureq::http::Uri;

use super::origin;
use crate::linus::call_error::CallError;

/// The proxy for `uri`, or none. Loopback addresses never have one.
pub(crate) fn choose(uri: &Uri, env: impl Fn(&str) -> Option<String>) -> Result<Option<Proxy>, CallError> {
    let host = uri.host().unwrap_or_default();
    let set = |name: &str| env(name).map(|v| v.trim().to_owned()).filter(|v| !v.is_empty());
    let exceptions = set("no_proxy").or_else(|| set("NO_PROXY")).unwrap_or_default();
    if origin::is_loopback(uri) || is_excepted(host, &exceptions) {
        return Ok(None);
    }
    let names = match uri.scheme_str() {
        Some("https") => ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"],
        _ => ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"],
    };
    let Some((name, value)) = names.iter().find_map(|name| Some((name, set(name)?))) else { return Ok(None) };
    // The value may hold a password: it is in no text.
    let proxy =
        Proxy::new(&value).map_err(|_| CallError::unreachable(format!("{name} is no proxy's URL")))?;
    Ok(Some(proxy))
}

/// `*`, a host, or a domain with everything below it, with or without a leading dot; separated by commas or blanks.
fn is_excepted(host: &str, exceptions: &str) -> bool {
    let host = host.trim_start_matches('[').trim_end_matches(']').to_ascii_lowercase();
    exceptions.split([',', ' ']).map(|e| e.trim().to_ascii_lowercase()).filter(|e| !e.is_empty()).any(
        |entry| {
            let name = entry.trim_start_matches("*.").trim_start_matches('.');
            let name = name.trim_start_matches('[').trim_end_matches(']');
            entry == "*" || host == name || host.strip_suffix(name).is_some_and(|above| above.ends_with('.'))
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(url: &str, env: &[(&str, &str)]) -> Result<Option<String>, CallError> {
        let uri = origin::parse(url).unwrap();
        let get = |name: &str| env.iter().find(|(n, _)| *n == name).map(|(_, v)| (*v).to_owned());
        choose(&uri, get).map(|proxy| proxy.map(|p| p.host().to_owned()))
    }

    #[test]
    fn each_scheme_has_its_proxy_and_lower_case_comes_first() {
        let env = [
            ("http_proxy", "http://plain:1"),
            ("HTTP_PROXY", "http://never:1"),
            ("HTTPS_PROXY", "secure:2"),
            ("all_proxy", "socks5://any:3"),
        ];
        assert_eq!(chosen("http://linus.example/", &env), Ok(Some("plain".into())));
        assert_eq!(chosen("https://linus.example/", &env), Ok(Some("secure".into())));
        assert_eq!(chosen("https://linus.example/", &env[3..]), Ok(Some("any".into())));
        assert_eq!(chosen("https://linus.example/", &[("https_proxy", " ")]), Ok(None));
        assert_eq!(chosen("https://linus.example/", &env[..2]), Ok(None), "not the other scheme's");
    }

    #[test]
    fn loopback_and_exceptions_go_without() {
        let with = |no_proxy| [("all_proxy", "http://p:1"), ("no_proxy", no_proxy)];
        for url in ["http://127.0.0.1:9/", "http://localhost/", "https://[::1]/"] {
            assert_eq!(chosen(url, &with("")), Ok(None), "{url}");
        }
        for (exceptions, excepted) in [
            ("*", true),
            ("linus.example", true),
            (".example", true),
            ("*.example", true),
            ("a, EXAMPLE", true),
            ("us.example", false),
            ("linus", false),
            ("", false),
        ] {
            let got = chosen("https://linus.example/", &with(exceptions)).unwrap();
            assert_eq!(got.is_none(), excepted, "{exceptions:?}");
        }
    }

    #[test]
    fn a_proxy_that_cannot_be_read_stops_the_call_and_its_password_is_not_told() {
        let error = chosen("https://h/", &[("https_proxy", "gopher://u:s3cret@p:1")]).unwrap_err();
        assert_eq!(error, CallError::Unreachable("https_proxy is no proxy's URL".into()));
    }
}
