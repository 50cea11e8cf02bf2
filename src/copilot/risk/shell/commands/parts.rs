//! Parts of commands: assignments, the words of a loop, `[[ … ]]`.

use super::super::words::{ends_word, is_name_start};
use super::super::{Fault, Reader, Simple, Word};
use super::{Frame, Kind, State};

impl Reader {
    /// `for NAME in WORDS`: what the name may come to stand for is kept as assignments.
    pub(super) fn names(&mut self) -> Result<(), Fault> {
        self.blanks();
        if self.take("((") {
            self.balanced('(', ')')?;
            return if self.take(")") { Ok(()) } else { Err(Fault::Unread) };
        }
        let name = self.word()?.text;
        self.blank_lines()?;
        if self.peek_word() != "in" {
            return Ok(());
        }
        self.at += 2;
        let mut simple = Simple { within: self.within.clone(), ..Simple::default() };
        loop {
            self.blanks();
            if self.peek().is_none_or(|c| matches!(c, '\n' | ';')) {
                break;
            }
            if self.peek().is_some_and(ends_word) && !self.looking_at("<(") && !self.is_fish() {
                return Err(Fault::Unread);
            }
            let word = self.some_word()?;
            simple.assignments.push((name.clone(), word));
        }
        self.script.commands.push(simple);
        Ok(())
    }

    /// `[[ … ]]`: operators are words here, and substitutions run.
    pub(super) fn test(&mut self, state: &mut State) -> Result<(), Fault> {
        let mut simple = self.simple(state);
        self.at += 2;
        let mut after_operator = false;
        loop {
            self.blank_lines()?;
            if self.peek_word() == "]]" {
                self.at += 2;
                break;
            }
            let c = self.peek().ok_or(Fault::Unfinished)?;
            if self.take("&&") || self.take("||") {
                after_operator = true;
                continue;
            }
            if after_operator && c.is_ascii_alphabetic() {
                // A shell without [[ would run it.
                self.script.odd.get_or_insert("a shell without [[ runs what follows && here");
            }
            after_operator = false;
            if ends_word(c) && !self.looking_at("<(") {
                self.at += 1;
                continue;
            }
            let word = self.some_word()?;
            simple.words.push(word);
        }
        simple.words.insert(0, Word::plain("[["));
        self.script.commands.push(simple);
        state.closed = Some(Frame { kind: Kind::Parenthesis, piped: state.piped, is_function: false });
        Ok(())
    }

    /// `NAME=value`, `NAME+=value`, `NAME[index]=value`, `NAME=(a b)`.
    pub(super) fn assignment(&mut self, simple: &mut Simple) -> Result<bool, Fault> {
        let start = self.at;
        let mut name = String::new();
        while let Some(c) =
            self.peek().filter(|c| is_name_start(*c) || (!name.is_empty() && c.is_ascii_digit()))
        {
            name.push(c);
            self.at += 1;
        }
        if !name.is_empty() && self.peek() == Some('[') && !self.is_fish() {
            self.at += 1;
            self.balanced('[', ']')?;
        }
        if name.is_empty() || !(self.take("=") || self.take("+=")) {
            self.at = start;
            return Ok(false);
        }
        if self.take("(") {
            self.array(&name, simple)?;
        } else {
            let value = self.word()?;
            simple.assignments.push((name, value));
        }
        Ok(true)
    }

    fn array(&mut self, name: &str, simple: &mut Simple) -> Result<(), Fault> {
        loop {
            self.blank_lines()?;
            if self.take(")") {
                return Ok(());
            }
            match self.peek() {
                None => return Err(Fault::Unfinished),
                Some(c) if ends_word(c) => return Err(Fault::Unread),
                Some(_) => {}
            }
            let value = self.some_word()?;
            simple.assignments.push((name.to_owned(), value));
        }
    }
}
