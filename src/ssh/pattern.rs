//! Patterns of host names as in ssh_config(5): `*`, `?`, several of them, and `!` for an exception. Pure.

use crate::text::wildcard;

/// A list such as `prod-* !prod-lab`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Patterns(Vec<Pattern>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Pattern {
    excludes: bool,
    /// In lower case: host names have none other.
    text: String,
}

impl Patterns {
    /// Patterns set apart by blanks or commas; at least one.
    pub fn parse(text: &str) -> Result<Self, String> {
        let words = text.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty());
        let patterns: Vec<Pattern> = words.map(Pattern::parse).collect();
        if patterns.iter().any(|pattern| pattern.text.is_empty()) {
            return Err("'!' is followed by a pattern".to_owned());
        }
        if patterns.iter().all(|pattern| pattern.excludes) {
            return Err("at least one pattern without '!', such as \"*\", is needed".to_owned());
        }
        Ok(Self(patterns))
    }

    /// Whether a host fits that goes by these names (as it was given, and as ssh resolved it). An exception that fits
    /// any of the names wins, as in ssh.
    pub fn fit(&self, names: &[&str]) -> bool {
        let fits = |pattern: &&Pattern| names.iter().any(|name| pattern.fits(name));
        let (no, yes): (Vec<&Pattern>, Vec<&Pattern>) = self.0.iter().partition(|pattern| pattern.excludes);
        !no.iter().any(fits) && yes.iter().any(fits)
    }
}

impl Pattern {
    fn parse(word: &str) -> Self {
        let excludes = word.starts_with('!');
        Self { excludes, text: word.strip_prefix('!').unwrap_or(word).to_lowercase() }
    }

    fn fits(&self, name: &str) -> bool {
        wildcard::fits(self.text.as_bytes(), name.to_lowercase().as_bytes())
    }
}

impl TryFrom<String> for Patterns {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Self::parse(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fit(patterns: &str, names: &[&str]) -> bool {
        Patterns::parse(patterns).expect("patterns").fit(names)
    }

    #[test]
    fn patterns_fit_as_in_ssh_config() {
        for (patterns, name, wanted) in [
            ("prod-*", "prod-web1", true),
            ("prod-*", "PROD-", true),
            ("prod-*", "preprod-web1", false),
            ("10.0.?.1", "10.0.7.1", true),
            ("10.0.?.1", "10.0.17.1", false),
            ("*", "anything", true),
            ("a*b*c", "aXXbYYbZc", true),
            ("a*b*c", "aXXbYYb", false),
            ("[web]", "w", false),
            ("db1, web1", "web1", true),
            ("* !prod-*", "prod-web1", false),
            ("!prod-* *", "lab", true),
            ("", "x", false),
        ] {
            if patterns.is_empty() {
                assert!(Patterns::parse(patterns).is_err());
            } else {
                assert_eq!(fit(patterns, &[name]), wanted, "{patterns} {name}");
            }
        }
    }

    #[test]
    fn any_name_of_the_host_counts_and_an_exception_that_fits_one_wins() {
        assert!(fit("*.example.com", &["web1", "web1.example.com"]));
        assert!(!fit("* !*.example.com", &["web1", "web1.example.com"]));
        assert!(Patterns::parse("!prod-*").is_err() && Patterns::parse("a !").is_err());
    }

    #[test]
    fn stars_do_not_take_exponential_time() {
        assert!(!fit(&("*a".repeat(200) + "b"), &[&"a".repeat(2000)]));
    }
}
