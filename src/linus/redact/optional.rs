//! What is redacted only where the user wants it: private addresses, mail addresses, names of hosts, patterns of his own.

use std::sync::LazyLock;

use regex::bytes::{Regex, RegexBuilder};

use super::budget::Exhausted;
use super::found::{Found, Rank};
use super::view::View;

/// Compiled, a pattern is not larger; the worst of these takes some 100 ns a byte.
const PATTERN_SIZE: usize = 256 * 1024;
/// Steps a byte that a pattern costs.
const PATTERN_COST: usize = 2;
/// Patterns of the user's own.
pub(super) const PATTERNS: usize = 32;

/// RFC 1918, RFC 6598, link-local, and unique local IPv6.
const ADDRESS: &str = r"\b(?:10(?:\.[0-9]{1,3}){3}|192\.168(?:\.[0-9]{1,3}){2}|172\.(?:1[6-9]|2[0-9]|3[01])(?:\.[0-9]{1,3}){2}|100\.(?:6[4-9]|[789][0-9]|1[01][0-9]|12[0-7])(?:\.[0-9]{1,3}){2}|169\.254(?:\.[0-9]{1,3}){2}|(?i:f[cd][0-9a-f]{2}|fe80):[0-9a-fA-F:]{2,37})\b";
const MAIL: &str = r"\b[A-Za-z0-9._%+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.)+[A-Za-z]{2,24}\b";
/// A name with a top-level domain that is one, or with three parts and one of two letters.
const HOST: &str = r"\b(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+(?:com|net|org|edu|gov|mil|int|info|biz|io|dev|app|cloud|online|site|local|localdomain|lan|internal|intern|intra|corp|home|arpa|private|priv|[A-Za-z0-9-]{2,63}\.(?:de|at|ch|uk|fr|nl|be|eu|us|ca|au|jp|cn|ru|se|no|dk|fi|cz|it|es|pt|br|in|kr|tv|cc|me|ai|co))\b";

static CLASSES: LazyLock<[Option<Regex>; 3]> =
    LazyLock::new(|| [ADDRESS, MAIL, HOST].map(|p| compile(p).ok()));

/// What is wanted besides the rules.
#[derive(Debug, Default)]
pub(super) struct Optional {
    wanted: [bool; 3],
    patterns: Vec<Regex>,
}

fn compile(pattern: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(pattern).size_limit(PATTERN_SIZE).dfa_size_limit(PATTERN_SIZE).build()
}

impl Optional {
    /// The error is of the first pattern that cannot be used.
    pub(super) fn new(wanted: [bool; 3], patterns: &[String]) -> Result<Self, String> {
        if patterns.len() > PATTERNS {
            return Err(format!("more than {PATTERNS} patterns"));
        }
        let compiled = patterns.iter().map(|pattern| {
            let compiled = compile(pattern).map_err(|e| format!("{pattern:?}: {e}"))?;
            if compiled.is_match(b"") {
                Err(format!("{pattern:?} matches the empty text"))
            } else {
                Ok(compiled)
            }
        });
        Ok(Self { wanted, patterns: compiled.collect::<Result<_, _>>()? })
    }

    /// All of it, line by line.
    pub(super) fn find(&self, view: &View) -> Result<Vec<Found>, Exhausted> {
        let classes = ["address", "mail", "host"];
        let wanted = self.wanted.iter().zip(CLASSES.iter()).zip(classes);
        let wanted =
            wanted.filter_map(|((wanted, regex), class)| Some((regex.as_ref().filter(|_| *wanted)?, class)));
        let all: Vec<_> = wanted.chain(self.patterns.iter().map(|regex| (regex, "own"))).collect();
        view.spend(view.len() * all.len() * PATTERN_COST);
        let mut found = Vec::new();
        for line in view.each_line().filter(|_| !all.is_empty()) {
            view.check()?;
            for (regex, class) in &all {
                let hits = regex.captures_iter(&view.bytes[line.clone()]);
                // The first group is the secret, where there is one.
                found.extend(hits.filter_map(|hit| hit.get(1).or(hit.get(0))).map(|hit| {
                    let range = line.start + hit.start()..line.start + hit.end();
                    Found::new(range, class, Rank::Shape, false)
                }));
            }
        }
        Ok(found)
    }
}
