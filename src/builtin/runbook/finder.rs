//! Which of many patterns can match which lines, in one pass over a text.
//!
//! It only leaves out: a line that it names may still not match.

use super::lazy::Lazy;
use aho_corasick::AhoCorasick;

#[derive(Default)]
pub(crate) struct Finder {
    words: Option<AhoCorasick>,
    /// By word: the patterns that need it.
    of_word: Vec<Vec<usize>>,
    /// Patterns of which no word can be told: every line is theirs.
    always: Vec<usize>,
    count: usize,
}

/// By pattern: the numbers of the lines that it can match, ascending.
pub(crate) struct Hits {
    lines: Vec<Vec<usize>>,
}

impl Hits {
    pub(crate) fn of(&self, pattern: usize) -> &[usize] {
        self.lines.get(pattern).map_or(&[], Vec::as_slice)
    }
}

impl Finder {
    pub(crate) fn new<'a>(patterns: impl Iterator<Item = &'a Lazy>) -> Self {
        let mut finder = Self::default();
        let mut words: Vec<&str> = Vec::new();
        for (i, pattern) in patterns.enumerate() {
            finder.count = i + 1;
            if pattern.needles().is_empty() {
                finder.always.push(i);
            }
            for word in pattern.needles() {
                let at = words.iter().position(|w| w == word).unwrap_or_else(|| {
                    words.push(word);
                    finder.of_word.push(Vec::new());
                    words.len() - 1
                });
                finder.of_word[at].push(i);
            }
        }
        finder.words = AhoCorasick::builder().ascii_case_insensitive(true).build(&words).ok();
        finder
    }

    /// `lines` are parts of `text`, in order.
    pub(crate) fn find(&self, text: &str, lines: &[&str]) -> Hits {
        let mut found: Vec<Vec<usize>> = vec![Vec::new(); self.count];
        for pattern in &self.always {
            found[*pattern] = (0..lines.len()).collect();
        }
        let start = |line: &&str| line.as_ptr() as usize - text.as_ptr() as usize;
        let mut line = 0;
        for hit in self.words.iter().flat_map(|words| words.find_overlapping_iter(text)) {
            // The pass goes by where a word ends, so lines only ever grow.
            while lines.get(line + 1).is_some_and(|next| start(next) < hit.end()) {
                line += 1;
            }
            for pattern in &self.of_word[hit.pattern().as_usize()] {
                let lines = &mut found[*pattern];
                if lines.last() != Some(&line) {
                    lines.push(line);
                }
            }
        }
        Hits { lines: found }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_that_matches_is_among_the_hits() {
        let patterns = ["(?i)KILLED process", "process", r"^\d+$", "a b"].map(|p| Lazy::parse(p).expect(p));
        let text = "killed process 1\n42\n\nProcess a b process\n";
        let lines: Vec<&str> = text.lines().collect();
        let hits = Finder::new(patterns.iter()).find(text, &lines);
        for (i, pattern) in patterns.iter().enumerate() {
            for (n, line) in lines.iter().enumerate().filter(|(_, l)| pattern.is_match(l)) {
                assert!(hits.of(i).contains(&n), "{i}: {line}");
            }
        }
        assert_eq!((hits.of(0), hits.of(1), hits.of(3)), (&[0][..], &[0, 3][..], &[3][..]));
    }
}
