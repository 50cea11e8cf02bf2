//! The answer taken apart. Only a line with the boundary begins a section: nobody else knows it.

use std::fmt;

/// Why an answer is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Garbled;

impl fmt::Display for Garbled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("what runs there does not answer as a POSIX shell would (a forced command?)")
    }
}

impl std::error::Error for Garbled {}

/// The last section's name.
const END: &str = "end";

/// Whether the answer has come to its end.
pub fn is_whole(answer: &[u8], boundary: &str) -> bool {
    let last = format!("\n{boundary} {END}\n");
    // It comes last; a short piece of the end is all that has to be looked at.
    let from = answer.len().saturating_sub(last.len() + 2);
    answer[from..].windows(last.len()).any(|piece| piece == last.as_bytes())
}

/// A whole answer by its sections, in order. What stands before the first is a banner, or a profile's.
#[derive(Debug)]
pub(super) struct Sections<'a>(Vec<(&'a str, Vec<&'a str>)>);

impl<'a> Sections<'a> {
    pub(super) fn read(answer: &'a str, boundary: &str) -> Result<Self, Garbled> {
        let mut sections: Vec<(&str, Vec<&str>)> = Vec::new();
        for line in answer.lines().map(|line| line.trim_end_matches('\r')) {
            let named = line.strip_prefix(boundary).and_then(|rest| rest.strip_prefix(' '));
            match (named, sections.last_mut()) {
                (Some(END), _) => return Ok(Self(sections)),
                (Some(name), _) => sections.push((name, Vec::new())),
                (None, Some((_, lines))) if !line.trim().is_empty() => lines.push(line),
                (None, _) => {}
            }
        }
        Err(Garbled)
    }

    /// The lines of a section; none where it is not there.
    pub(super) fn lines(&self, name: &str) -> &[&'a str] {
        self.0.iter().find(|(known, _)| *known == name).map_or(&[], |(_, lines)| lines)
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(known, _)| *known == name)
    }

    /// The first line of a section.
    pub(super) fn first(&self, name: &str) -> Option<&'a str> {
        self.lines(name).first().copied()
    }

    /// The numbers of a section's first line, up to the first word that is none.
    pub(super) fn numbers(&self, name: &str) -> Vec<f64> {
        let words = self.first(name).unwrap_or_default().split_whitespace();
        words.map_while(|word| word.parse().ok().filter(|n: &f64| n.is_finite())).collect()
    }

    pub(super) fn number(&self, name: &str) -> Option<u64> {
        self.first(name)?.trim().parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_boundary_begins_a_section() {
        let answer = "motd\nB load\n1 2 3 x 4\nb end\n BX end\nB-end\n\nB count\n7\nB end\nB late\n9\n";
        let sections = Sections::read(answer, "B").unwrap();
        assert_eq!(sections.lines("load"), ["1 2 3 x 4", "b end", " BX end", "B-end"]);
        assert_eq!((sections.numbers("load"), sections.number("count")), (vec![1.0, 2.0, 3.0], Some(7)));
        assert!(!sections.has("late") && sections.first("late").is_none());
    }

    #[test]
    fn an_answer_without_its_end_is_none() {
        assert_eq!(Sections::read("B load\n1\n", "B").err(), Some(Garbled));
        assert_eq!(Sections::read("Choose: 1 mail, 2 quit\n", "B").err(), Some(Garbled));
        assert!(is_whole(b"x\n\nB end\n", "B") && !is_whole(b"x\n\nB end", "B") && !is_whole(b"", "B"));
    }
}
