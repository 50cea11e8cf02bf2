//! A session's short name: made from its host's name, or given by the user or an agent. One line, no controls, bounded.

use crate::text::{is_sendable_char, width};

/// Bytes of an alias: it is typed, and stands in one row of a list.
const LIMIT: usize = 40;

/// `web-1` for `web.example.org`, or the first number that is free. Nothing of a hostile name but letters and digits
/// comes through.
pub fn of_host(host: &str, is_taken: impl Fn(&str) -> bool) -> String {
    // The whole of an address: its first part says nothing.
    let is_address = host.contains(':') || host.chars().all(|c| c.is_ascii_digit() || c == '.');
    let name = if is_address { host } else { host.split('.').next().unwrap_or_default() };
    let word = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    let name: String = name.chars().take(LIMIT / 2).map(word).collect();
    let name = name.trim_matches('-');
    let name = if name.is_empty() { "session" } else { name };
    (1..).map(|n: u32| format!("{name}-{n}")).find(|alias| !is_taken(alias)).unwrap_or_default()
}

/// An alias that somebody asks for, or why it cannot be one.
pub fn checked(wanted: &str) -> Result<String, String> {
    let wanted = wanted.trim();
    let is_plain = |c: char| is_sendable_char(c) && !c.is_whitespace();
    if wanted.is_empty() {
        return Err("an alias needs a name".to_owned());
    }
    if wanted.len() > LIMIT {
        return Err(format!("an alias has at most {LIMIT} bytes"));
    }
    // A `@` would be taken for user@host, and what is not seen for another alias.
    if !wanted.chars().all(is_plain) || wanted.contains('@') || width(wanted) < wanted.chars().count() {
        return Err("an alias is one word without blanks, controls, invisible characters and @".to_owned());
    }
    if looks_like_id(wanted) {
        return Err("an alias must not look like a session's id".to_owned());
    }
    Ok(wanted.to_owned())
}

/// Whether this has the form of an id (a UUID): only such names are ever put into a path.
pub fn looks_like_id(name: &str) -> bool {
    let is_hex = |c: char| c.is_ascii_digit() || ('a'..='f').contains(&c);
    name.len() == 36
        && name
            .char_indices()
            .all(|(at, c)| if matches!(at, 8 | 13 | 18 | 23) { c == '-' } else { is_hex(c) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_gives_a_name_and_the_first_free_number() {
        let taken = ["web-1", "web-2"];
        let of = |host: &str| of_host(host, |alias| taken.contains(&alias));
        assert_eq!(of("web.example.org"), "web-3");
        assert_eq!(of("DB01"), "db01-1");
        assert_eq!(of("10.250.50.70"), "10-250-50-70-1");
        assert_eq!(of("fe80::1"), "fe80--1-1");
    }

    #[test]
    fn hostile_host_names_give_harmless_aliases() {
        let hosts =
            ["", "..", "../../etc/passwd", "\u{1b}[2J", "a\nb", "\u{202e}evil", "-oProxyCommand=x", "ä"];
        for host in hosts.into_iter().chain([&*"x".repeat(10_000)]) {
            let alias = of_host(host, |_| false);
            assert_eq!(checked(&alias), Ok(alias.clone()), "{host:?}");
            assert!(alias.chars().all(|c| c.is_ascii_alphanumeric() || c == '-'), "{alias:?}");
        }
    }

    #[test]
    fn what_is_no_alias_is_refused() {
        let id = "0f1e2d3c-4b5a-4978-8695-a4b3c2d1e0f0";
        assert!(looks_like_id(id) && !looks_like_id("../2d3c-4b5a-4978-8695-a4b3c2d1e0f0"));
        for bad in ["", "  ", "a b", "a\nb", "a\u{7}", "root@web", "a\u{200b}b", id, &"x".repeat(41)] {
            assert!(checked(bad).is_err(), "{bad:?}");
        }
        for good in ["web-1", "größe", " db_2 "] {
            assert_eq!(checked(good).as_deref(), Ok(good.trim()));
        }
    }
}
