//! The forms in which programs show a text: quoted, escaped, encoded. Nothing is decoded here.

use std::fmt::Write;

/// Shorter forms are in other texts by chance.
const SHORTEST: usize = 6;

/// All forms of a secret, itself first.
pub(super) fn forms(secret: &[u8]) -> Vec<Vec<u8>> {
    let mut forms = vec![secret.to_owned()];
    let mut add = |form: Vec<u8>| {
        if form.len() >= SHORTEST && !forms.contains(&form) {
            forms.push(form);
        }
    };
    if let Ok(text) = std::str::from_utf8(secret) {
        add(text.replace('\'', r"'\''").into_bytes());
        add(text.replace('\'', r#"'"'"'"#).into_bytes());
        add(escaped(text, |c| !c.is_alphanumeric() && !"_-./+@%:,=".contains(c)));
        add(escaped(text, |c| "\"\\$`".contains(c)));
        add(escaped(text, |c| "\"\\".contains(c)));
        add(escaped(text, |c| "\"\\/".contains(c)));
        add(text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").into_bytes());
        add(text
            .replace('&', "&amp;")
            .replace('<', "&lt;")
            .replace('>', "&gt;")
            .replace('"', "&quot;")
            .replace('\'', "&#39;")
            .into_bytes());
    }
    let unreserved = |b: u8| b.is_ascii_alphanumeric() || b"-._~".contains(&b);
    let in_query = |b: u8| unreserved(b) || b"!*'();:@&=+$,/?".contains(&b);
    for is_kept in [&unreserved as &dyn Fn(u8) -> bool, &in_query] {
        add(percent(secret, is_kept, false));
        add(percent(secret, is_kept, true));
    }
    add(hex(secret, false));
    add(hex(secret, true));
    for offset in 0..3 {
        let [standard, url_safe] = base64_within(secret, offset);
        add(standard);
        add(url_safe);
    }
    forms
}

fn escaped(text: &str, is_special: impl Fn(char) -> bool) -> Vec<u8> {
    let mut out = String::new();
    for c in text.chars() {
        if is_special(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out.into_bytes()
}

fn percent(secret: &[u8], is_kept: &dyn Fn(u8) -> bool, is_lower: bool) -> Vec<u8> {
    let mut out = String::new();
    for b in secret {
        // Writing to a string does not fail.
        let _ = match (is_kept(*b), is_lower) {
            (true, _) => write!(out, "{}", char::from(*b)),
            (false, true) => write!(out, "%{b:02x}"),
            (false, false) => write!(out, "%{b:02X}"),
        };
    }
    out.into_bytes()
}

fn hex(secret: &[u8], is_upper: bool) -> Vec<u8> {
    let digits: String =
        secret.iter().map(|b| if is_upper { format!("{b:02X}") } else { format!("{b:02x}") }).collect();
    digits.into_bytes()
}

/// What base64 of a longer text has of the secret that stands at this offset in it, modulo 3: only the characters that no
/// neighbour has a part in. The usual alphabet and that for URLs (RFC 4648).
fn base64_within(secret: &[u8], offset: usize) -> [Vec<u8>; 2] {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let bits = |at: usize| -> Option<u8> {
        // Six bits from bit 6 * at on, of the text with `offset` unknown bytes before the secret.
        let mut sextet = 0;
        for bit in 6 * at..6 * at + 6 {
            let byte = secret.get((bit / 8).checked_sub(offset)?)?;
            sextet = sextet << 1 | (byte >> (7 - bit % 8)) & 1;
        }
        Some(sextet)
    };
    let all = (secret.len() + offset) * 8 / 6 + 1;
    let standard: Vec<u8> = (0..all).filter_map(bits).map(|six| DIGITS[usize::from(six)]).collect();
    let url_safe = standard.iter().map(|b| match b {
        b'+' => b'-',
        b'/' => b'_',
        b => *b,
    });
    [standard.clone(), url_safe.collect()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_known_at_every_offset() {
        // printf 'user:s3cr3t!pw' | base64; and with one and two letters less before it.
        for text in ["dXNlcjpzM2NyM3QhcHc=", "c2VyOnMzY3IzdCFwdw==", "ZXI6czNjcjN0IXB3"] {
            let known = forms(b"s3cr3t!pw");
            assert!(
                known.iter().any(|f| text.contains(&String::from_utf8_lossy(f).into_owned())),
                "{text}: {known:?}"
            );
        }
    }

    #[test]
    fn what_programs_make_of_a_text_is_among_its_forms() {
        let known: Vec<String> =
            forms(br#"p@ss "w'/d"#).into_iter().map(|f| String::from_utf8(f).unwrap()).collect();
        for form in [
            r#"p@ss "w'/d"#,
            r#"p@ss "w'\''/d"#,
            r#"p@ss\ \"w\'/d"#,
            r#"p@ss \"w'/d"#,
            r#"p@ss \"w'\/d"#,
            "p@ss &quot;w&#39;/d",
            "p%40ss%20%22w%27%2Fd",
            "p%40ss%20%22w%27%2fd",
            "70407373202277272f64",
            "70407373202277272F64",
        ] {
            assert!(known.iter().any(|k| k == form), "{form}: {known:?}");
        }
    }
}
