//! Reading `WWW-Authenticate` (RFC 9110 11.6.1, RFC 6750 section 3, RFC 9728 section 5.1).
//!
//! Pure. The text is a stranger's: what does not parse is left out, and nothing of it is shown unsanitised.

/// A longer header is no challenge that anybody means.
const HEADER_LIMIT: usize = 8 * 1024;

/// What a Bearer challenge says, as far as it is of use.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Challenge {
    /// Where the protected-resource metadata is.
    pub resource_metadata: Option<String>,
    /// Scopes for this request, separated by blanks.
    pub scope: Option<String>,
    /// `invalid_token`, `insufficient_scope`, …
    pub error: Option<String>,
}

impl Challenge {
    /// The Bearer challenge among the values of all `WWW-Authenticate` headers; empty if there is none.
    pub fn read<'a>(headers: impl Iterator<Item = &'a str>) -> Self {
        let mut found = Self::default();
        for header in headers.filter(|header| header.len() <= HEADER_LIMIT) {
            let mut is_bearer = false;
            for item in items(header) {
                match item {
                    Item::Scheme(name) => is_bearer = name.eq_ignore_ascii_case("bearer"),
                    Item::Param(name, value) if is_bearer => found.take(name, value),
                    Item::Param(..) => {}
                }
            }
        }
        found
    }

    /// The first of a name counts: a second one is an attempt to be read differently by two readers.
    fn take(&mut self, name: &str, value: String) {
        let place = match name.to_ascii_lowercase().as_str() {
            "resource_metadata" => &mut self.resource_metadata,
            "scope" => &mut self.scope,
            "error" => &mut self.error,
            _ => return,
        };
        place.get_or_insert(value);
    }

    pub fn wants_more_scope(&self) -> bool {
        self.error.as_deref() == Some("insufficient_scope")
    }
}

enum Item<'a> {
    Scheme(&'a str),
    Param(&'a str, String),
}

/// Schemes and parameters in their order. A word that `=` follows is a parameter's name, any other a scheme; what
/// `token68` schemes carry is read as a scheme of no known name.
fn items(header: &str) -> Vec<Item<'_>> {
    let (mut items, mut rest) = (Vec::new(), header);
    loop {
        rest = rest.trim_start_matches([' ', '\t', ',', '=']);
        let end = rest.find(|c: char| !is_token(c)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        if word.is_empty() {
            // A character that begins nothing: step over it, or the header is over.
            let mut chars = rest.chars();
            if chars.next().is_none() {
                return items;
            }
            rest = chars.as_str();
            continue;
        }
        match after.trim_start_matches([' ', '\t']).strip_prefix('=') {
            Some(value) => {
                let (value, after) = read_value(value.trim_start_matches([' ', '\t']));
                items.push(Item::Param(word, value));
                rest = after;
            }
            None => {
                items.push(Item::Scheme(word));
                rest = after;
            }
        }
    }
}

/// A token or a quoted string, and what follows it.
fn read_value(text: &str) -> (String, &str) {
    let Some(quoted) = text.strip_prefix('"') else {
        let end = text.find([',', ' ', '\t']).unwrap_or(text.len());
        return (text[..end].to_owned(), &text[end..]);
    };
    let (mut value, mut chars) = (String::new(), quoted.chars());
    while let Some(c) = chars.next() {
        match c {
            '"' => break,
            '\\' => value.extend(chars.next()),
            _ => value.push(c),
        }
    }
    (value, chars.as_str())
}

/// RFC 9110 5.6.2.
fn is_token(c: char) -> bool {
    c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(header: &str) -> Challenge {
        Challenge::read(std::iter::once(header))
    }

    #[test]
    fn a_bearer_challenge_is_read_in_the_ways_that_servers_write_it() {
        let wanted = Challenge {
            resource_metadata: Some("https://h/.well-known/oauth-protected-resource/mcp".into()),
            scope: Some("a b".into()),
            error: Some("invalid_token".into()),
        };
        for header in [
            r#"Bearer error="invalid_token", scope="a b", resource_metadata="https://h/.well-known/oauth-protected-resource/mcp""#,
            r#"bearer  Error = invalid_token ,SCOPE="a b",resource_metadata=https://h/.well-known/oauth-protected-resource/mcp"#,
            r#"Negotiate YII=, Basic realm="scope=\"x\", Bearer", Bearer scope="a b", error="invalid\_token", resource_metadata="https://h/.well-known/oauth-protected-resource/mcp", scope="c""#,
        ] {
            assert_eq!(read(header), wanted, "{header}");
        }
        let two = [r#"Basic realm="x""#, r#"Bearer scope="s""#];
        assert_eq!(Challenge::read(two.into_iter()).scope.as_deref(), Some("s"));
    }

    #[test]
    fn what_is_no_bearer_challenge_says_nothing() {
        for header in [
            "",
            ",",
            "=",
            "\"",
            "Basic scope=\"x\"",
            "DPoP error=\"x\"",
            "scope=\"x\"",
            "Bearer",
            "Bearer scope",
        ] {
            assert_eq!(read(header), Challenge::default(), "{header}");
        }
        assert_eq!(read(&format!("Bearer scope=\"{}\"", "x".repeat(HEADER_LIMIT))), Challenge::default());
    }

    #[test]
    fn a_cut_or_odd_header_is_read_as_far_as_it_goes_at_every_length() {
        let header = "Bearer realm=\"ü\\\"\", scope=\"a b\u{1b}[2J\", error=insufficient_scope";
        for end in (0..=header.len()).filter(|end| header.is_char_boundary(*end)) {
            let _ = read(&header[..end]);
        }
        assert!(read(header).wants_more_scope());
    }
}
