//! Redirects and here-documents.

use super::words::is_name_start;
use super::{Direction, Fault, Pending, Reader, Redirect, Simple, Word};

impl Reader {
    /// Whether a redirect begins here: an operator, with a descriptor before it or not.
    pub(super) fn at_redirect(&self) -> bool {
        let mut ahead = 0;
        if self.peek() == Some('{') {
            ahead = 1;
            while self.peek_at(ahead).is_some_and(|c| is_name_start(c) || c.is_ascii_digit()) {
                ahead += 1;
            }
            if ahead == 1 || self.peek_at(ahead) != Some('}') {
                return false;
            }
            ahead += 1;
        } else {
            while self.peek_at(ahead).is_some_and(|c| c.is_ascii_digit()) {
                ahead += 1;
            }
        }
        match (self.peek_at(ahead), self.peek_at(ahead + 1)) {
            // Process substitutions are words.
            (Some('<' | '>'), Some('(')) => false,
            (Some('<' | '>'), _) => true,
            (Some('&'), Some('>')) => ahead == 0,
            _ => false,
        }
    }

    pub(super) fn redirect(&mut self, simple: &mut Simple) -> Result<(), Fault> {
        while self.peek().is_some_and(|c| !matches!(c, '<' | '>' | '&')) {
            self.at += 1;
        }
        let direction = self.operator();
        self.blanks();
        if direction == Operator::HereDocument(false) || direction == Operator::HereDocument(true) {
            return self.announce(direction == Operator::HereDocument(true), simple);
        }
        let target = self.word()?;
        if target.text.is_empty() && !target.quoted {
            return Err(Fault::Unread);
        }
        let is_descriptor = target.text.chars().all(|c| c.is_ascii_digit() || c == '-');
        let direction = match direction {
            Operator::Duplicate(_) if is_descriptor => Direction::Duplicate,
            Operator::Duplicate(true) => Direction::Overwrite,
            Operator::Duplicate(false) => Direction::Read,
            Operator::HereString => Direction::Here,
            Operator::To(direction) => direction,
            Operator::HereDocument(_) => return Err(Fault::Unread),
        };
        simple.redirects.push(Redirect { direction, target, slot: None });
        Ok(())
    }

    fn operator(&mut self) -> Operator {
        const OPERATORS: &[(&str, Operator)] = &[
            ("<<<", Operator::HereString),
            ("<<-", Operator::HereDocument(true)),
            ("<<", Operator::HereDocument(false)),
            ("<>", Operator::To(Direction::Append)),
            ("<&", Operator::Duplicate(false)),
            ("<", Operator::To(Direction::Read)),
            ("&>>", Operator::To(Direction::Append)),
            ("&>", Operator::To(Direction::Overwrite)),
            (">>", Operator::To(Direction::Append)),
            (">|", Operator::To(Direction::Overwrite)),
            (">&", Operator::Duplicate(true)),
            (">?", Operator::To(Direction::Append)),
        ];
        // `>?` is fish's; elsewhere it is a redirect to a file named by a glob.
        let known = |sign: &str| sign != ">?" || self.is_fish();
        let found = OPERATORS.iter().find(|(sign, _)| known(sign) && self.looking_at(sign));
        let (sign, operator) = found.copied().unwrap_or((">", Operator::To(Direction::Overwrite)));
        self.at += sign.len();
        operator
    }

    /// After `<<`: the delimiter. The text comes after the line's end.
    fn announce(&mut self, strip_tabs: bool, simple: &mut Simple) -> Result<(), Fault> {
        let delimiter = self.word()?;
        if self.is_fish() || delimiter.text.is_empty() || !delimiter.is_literal() {
            return Err(Fault::Unread);
        }
        let slot = self.bodies.len();
        self.bodies.push(Word::default());
        let literal = delimiter.quoted;
        self.pending.push(Pending { delimiter: delimiter.text, strip_tabs, literal, slot });
        simple.redirects.push(Redirect {
            direction: Direction::Here,
            target: Word::default(),
            slot: Some(slot),
        });
        Ok(())
    }

    /// After a line's end: the texts of the here-documents that it announced.
    pub(super) fn here_documents(&mut self) -> Result<(), Fault> {
        for pending in std::mem::take(&mut self.pending) {
            let text = self.lines_until(&pending)?;
            let body = if pending.literal { Word::plain(&text) } else { self.expand(&text)? };
            if let Some(slot) = self.bodies.get_mut(pending.slot) {
                *slot = body;
            }
        }
        Ok(())
    }

    fn lines_until(&mut self, pending: &Pending) -> Result<String, Fault> {
        let mut text = String::new();
        loop {
            let rest = self.chars.get(self.at..).filter(|rest| !rest.is_empty()).ok_or(Fault::Unfinished)?;
            let line: String = rest.iter().take_while(|c| **c != '\n').collect();
            self.at = (self.at + line.chars().count() + 1).min(self.chars.len());
            let line = if pending.strip_tabs { line.trim_start_matches('\t') } else { &line };
            if line == pending.delimiter {
                // The line's end belongs to the delimiter; the next command begins a line.
                return Ok(text);
            }
            text.push_str(line);
            text.push('\n');
        }
    }

    /// A text in which expansions happen and quotes are nothing special.
    fn expand(&mut self, text: &str) -> Result<Word, Fault> {
        let (depth, tongue) = (self.depth, self.tongue);
        let mut inner = Self::new(text, tongue, depth);
        let mut word = Word::default();
        let mut result = Ok(());
        while inner.peek().is_some() && result.is_ok() {
            result = inner.quoted_piece(&mut word);
        }
        let (inner, open) = inner.finish();
        self.keep(inner);
        result.and(open.map_or(Ok(()), Err)).map(|()| word)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operator {
    To(Direction),
    /// To (true) or from another descriptor, or what the word says.
    Duplicate(bool),
    HereString,
    /// `<<`, and whether leading tabs go.
    HereDocument(bool),
}
