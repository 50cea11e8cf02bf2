//! Which addresses a sign-in may use: https, or http that stays on this machine.

use ureq::http::Uri;

use crate::linus::origin;

/// An address that a credential may be sent to.
pub(super) fn parse(url: &str) -> Result<Uri, String> {
    // It is shown on a terminal and handed to a browser.
    if !url.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(format!("{} is not written as a URL is", shown(url)));
    }
    let uri = origin::parse(url).map_err(|_| format!("{} is not an http or https URL", shown(url)))?;
    if uri.scheme_str() != Some("https") && !origin::is_loopback(&uri) {
        return Err(format!("{} is not https: it could be read on the way", shown(url)));
    }
    Ok(uri)
}

/// A URL in a message: without its query, which may hold what is nobody's business, and without controls.
pub fn shown(url: &str) -> String {
    crate::linus::call_error::one_line(url.split(['?', '#']).next().unwrap_or_default())
}

/// Scheme and authority in lower case, and the path: `https://h:1`, `/mcp`.
pub(super) fn split(uri: &Uri) -> (String, &str) {
    let scheme = uri.scheme_str().unwrap_or_default().to_ascii_lowercase();
    let authority = uri.authority().map(|a| a.as_str().to_ascii_lowercase()).unwrap_or_default();
    (format!("{scheme}://{authority}"), uri.path())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_http_is_taken_on_this_machine_only() {
        for fine in
            ["https://as.example/token", "http://127.0.0.1:1/x", "http://localhost/x", "http://[::1]/x"]
        {
            assert!(parse(fine).is_ok(), "{fine}");
        }
        for bad in [
            "http://as.example/token",
            "http://localhost.example/",
            "ftp://x/",
            "javascript:alert(1)",
            "https://x/\u{202e}",
            "https://x/ ",
            "",
        ] {
            assert!(parse(bad).is_err(), "{bad}");
        }
        let error = parse("http://as.example/a?secret=1").unwrap_err();
        assert!(error.contains("http://as.example/a ") && !error.contains("secret"), "{error}");
    }
}
