//! Lists, pipelines and compound commands.
//!
//! What is open is kept in frames of our own, not on the stack: `((((…` costs memory, and little of it.

mod fish;
mod parts;

use super::words::ends_word;
use super::{Direction, End, Fault, Reader, Redirect, Simple, Word};

/// Groups, loops and conditions open at once.
const FRAMES_LIMIT: usize = 64;

/// What is open, and how it ends.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Frame {
    kind: Kind,
    /// Its input is another command's output.
    piped: bool,
    /// It is the body of a function.
    is_function: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Parenthesis,
    Brace,
    If,
    /// `while until for select`, until its `do`.
    Head,
    /// After `do`.
    Loop,
    /// A `case`, where a pattern comes next.
    Patterns,
    /// A `case`, in the commands of a pattern.
    Case,
    /// Everything of fish's that ends in `end`.
    Block,
}

/// Where a list stands.
struct State {
    frames: Vec<Frame>,
    /// The next command's input is a pipe.
    piped: bool,
    /// A compound command has just ended: redirects or a separator follow.
    closed: Option<Frame>,
    /// `name ()` or `function name` was read: its body follows.
    body_follows: bool,
    outer_piped: bool,
}

impl State {
    fn inherited(&self) -> bool {
        self.frames.last().map_or(self.outer_piped, |f| f.piped)
    }

    fn new_command(&mut self) {
        self.piped = self.inherited();
        self.closed = None;
    }

    fn top(&self) -> Option<Kind> {
        self.frames.last().map(|f| f.kind)
    }
}

impl Reader {
    /// Commands up to the end of the text or the parenthesis that closes a substitution.
    pub(super) fn commands(&mut self, end: End, piped: bool) -> Result<(), Fault> {
        let mut state =
            State { frames: Vec::new(), piped, closed: None, body_follows: false, outer_piped: piped };
        loop {
            self.blanks();
            if state.top() == Some(Kind::Patterns) {
                self.pattern(&mut state)?;
                continue;
            }
            let Some(c) = self.peek() else { break };
            match c {
                '\n' => {
                    self.at += 1;
                    self.here_documents()?;
                    state.new_command();
                }
                ';' => self.semicolon(&mut state)?,
                '&' | '|' if !self.at_redirect() => self.operator_between(&mut state),
                ')' if state.frames.is_empty() && end == End::Parenthesis => {
                    self.at += 1;
                    return if state.body_follows { Err(Fault::Unread) } else { Ok(()) };
                }
                ')' => self.close(&mut state, &[Kind::Parenthesis], 1)?,
                _ if state.closed.is_some() => self.after_compound(&mut state)?,
                '(' if !self.is_fish() => self.open_parenthesis(&mut state)?,
                _ => self.command(&mut state)?,
            }
        }
        let open = !state.frames.is_empty() || end != End::Text || state.body_follows;
        if open { Err(Fault::Unfinished) } else { Ok(()) }
    }

    fn semicolon(&mut self, state: &mut State) -> Result<(), Fault> {
        let ends_case = self.take(";;&") || self.take(";;") || self.take(";&");
        if !ends_case {
            self.at += 1;
        } else if state.top() == Some(Kind::Case) {
            self.set_top(state, Kind::Patterns);
        } else {
            return Err(Fault::Unread);
        }
        state.new_command();
        Ok(())
    }

    fn operator_between(&mut self, state: &mut State) {
        state.new_command();
        if self.take("&&") || self.take("||") || self.take("&|") || self.take("&!") {
            return;
        }
        if self.take("|&") || self.take("|") {
            state.piped = true;
        } else {
            self.at += 1;
        }
    }

    fn set_top(&self, state: &mut State, kind: Kind) {
        if let Some(top) = state.frames.last_mut() {
            top.kind = kind;
        }
    }

    fn open(&mut self, state: &mut State, kind: Kind) -> Result<(), Fault> {
        if state.frames.len() >= FRAMES_LIMIT {
            return Err(Fault::TooDeep);
        }
        state.frames.push(Frame { kind, piped: state.piped, is_function: state.body_follows });
        state.body_follows = false;
        state.new_command();
        Ok(())
    }

    /// The top frame ends, if it is one of these.
    fn close(&mut self, state: &mut State, kinds: &[Kind], length: usize) -> Result<(), Fault> {
        let frame = state.frames.pop().filter(|f| kinds.contains(&f.kind)).ok_or(Fault::Unread)?;
        self.at += length;
        if frame.is_function {
            self.within.pop();
        }
        state.closed = Some(frame);
        Ok(())
    }

    /// Redirects of a loop or a group. Anything else does not parse.
    fn after_compound(&mut self, state: &mut State) -> Result<(), Fault> {
        if !self.at_redirect() {
            // A keyword may follow without a separator: `( … ) fi` is not written, but `}` after `)` is no error.
            let word = self.peek_word();
            let keyword = ["then", "do", "done", "fi", "else", "elif", "esac", "}", "end"];
            if keyword.contains(&word.as_str()) {
                state.closed = None;
                return self.command(state);
            }
            return Err(Fault::Unread);
        }
        let mut simple = self.simple(state);
        simple.compound = true;
        self.redirect(&mut simple)?;
        self.script.commands.push(simple);
        Ok(())
    }

    fn simple(&self, state: &State) -> Simple {
        Simple { piped: state.piped, within: self.within.clone(), ..Simple::default() }
    }

    fn open_parenthesis(&mut self, state: &mut State) -> Result<(), Fault> {
        if self.peek_at(1) == Some('(') {
            // dash runs what is in there, bash calculates it.
            self.script.odd.get_or_insert("((…)) is arithmetic in some shells and commands in others");
        }
        self.at += 1;
        self.open(state, Kind::Parenthesis)
    }

    /// A case's pattern, its `)`, or `esac`.
    fn pattern(&mut self, state: &mut State) -> Result<(), Fault> {
        while self.peek() == Some('\n') {
            self.at += 1;
            self.here_documents()?;
            self.blanks();
        }
        if self.peek_word() == "esac" {
            return self.close(state, &[Kind::Patterns], 4);
        }
        self.take("(");
        loop {
            self.blanks();
            self.word()?;
            self.blanks();
            if self.take(")") {
                break;
            }
            if !self.take("|") {
                return Err(if self.peek().is_none() { Fault::Unfinished } else { Fault::Unread });
            }
        }
        self.set_top(state, Kind::Case);
        state.new_command();
        Ok(())
    }

    /// The unquoted word at the cursor, to be compared with keywords.
    fn peek_word(&self) -> String {
        let rest = self.chars.iter().skip(self.at);
        rest.take_while(|c| !ends_word(**c)).take(9).collect()
    }

    /// A keyword or a simple command.
    fn command(&mut self, state: &mut State) -> Result<(), Fault> {
        let word = self.peek_word();
        let length = word.chars().count();
        if self.is_fish() {
            if let Some(done) = self.fish_keyword(state, &word)? {
                return Ok(done);
            }
        } else if let Some(done) = self.keyword(state, &word, length)? {
            return Ok(done);
        }
        if state.body_follows {
            return Err(Fault::Unread);
        }
        self.simple_command(state)
    }

    fn keyword(&mut self, state: &mut State, word: &str, length: usize) -> Result<Option<()>, Fault> {
        match word {
            "if" => self.open_keyword(state, Kind::If, length)?,
            "while" | "until" => self.open_keyword(state, Kind::Head, length)?,
            "{" => self.open_keyword(state, Kind::Brace, length)?,
            "for" | "select" => {
                self.open_keyword(state, Kind::Head, length)?;
                self.names()?;
            }
            "case" => {
                self.open_keyword(state, Kind::Patterns, length)?;
                self.blanks();
                self.word()?;
                self.blank_lines()?;
                if !self.take("in") {
                    return Err(Fault::Unread);
                }
            }
            "then" | "else" | "elif" if state.top() == Some(Kind::If) => self.at += length,
            "do" if state.top() == Some(Kind::Head) => {
                self.at += length;
                self.set_top(state, Kind::Loop);
            }
            "done" => self.close(state, &[Kind::Loop], length)?,
            "fi" => self.close(state, &[Kind::If], length)?,
            "}" => self.close(state, &[Kind::Brace], length)?,
            "esac" => self.close(state, &[Kind::Case], length)?,
            "!" | "time" => {
                self.at += length;
                self.blanks();
                // `time -p`.
                if self.peek_word() == "-p" {
                    self.at += 2;
                }
            }
            "[[" => self.test(state)?,
            "function" => {
                self.at += length;
                self.blanks();
                let name = self.word()?.text;
                self.blanks();
                if self.take("(") {
                    self.blanks();
                    if !self.take(")") {
                        return Err(Fault::Unread);
                    }
                }
                self.begin_function(state, name)?;
            }
            "then" | "else" | "elif" | "do" | "in" | "coproc" => return Err(Fault::Unread),
            _ => return Ok(None),
        }
        Ok(Some(()))
    }

    fn open_keyword(&mut self, state: &mut State, kind: Kind, length: usize) -> Result<(), Fault> {
        self.at += length;
        self.open(state, kind)
    }

    fn begin_function(&mut self, state: &mut State, name: String) -> Result<(), Fault> {
        if name.is_empty() || name.contains(|c: char| c.is_control()) {
            return Err(Fault::Unread);
        }
        self.script.functions.push(name.clone());
        self.within.push(name);
        state.body_follows = true;
        self.blank_lines()
    }

    fn blank_lines(&mut self) -> Result<(), Fault> {
        self.blanks();
        while self.peek() == Some('\n') {
            self.at += 1;
            self.here_documents()?;
            self.blanks();
        }
        Ok(())
    }

    fn simple_command(&mut self, state: &mut State) -> Result<(), Fault> {
        let mut simple = self.simple(state);
        let result = self.parts(&mut simple);
        if self.peek() == Some('(') && simple.words.len() == 1 && result.is_err() {
            return self.function(state, &simple);
        }
        let empty = simple.words.is_empty() && simple.assignments.is_empty() && simple.redirects.is_empty();
        if !empty {
            self.script.commands.push(simple);
        }
        if empty { Err(Fault::Unread) } else { result }
    }

    /// Assignments, words and redirects up to the command's end.
    fn parts(&mut self, simple: &mut Simple) -> Result<(), Fault> {
        loop {
            self.blanks();
            if self.at_redirect() {
                self.redirect(simple)?;
                continue;
            }
            match self.peek() {
                None => return Ok(()),
                Some('(') if !self.is_fish() => return Err(Fault::Unread),
                Some('(' | '<' | '>') => {}
                Some(c) if ends_word(c) => return Ok(()),
                Some(_) => {}
            }
            if simple.words.is_empty() && self.assignment(simple)? {
                continue;
            }
            let word = self.some_word()?;
            simple.words.push(word);
        }
    }

    fn function(&mut self, state: &mut State, simple: &Simple) -> Result<(), Fault> {
        self.at += 1;
        self.blanks();
        let name = simple.words.first().map(|w| w.text.clone()).unwrap_or_default();
        if !self.take(")") || !simple.redirects.is_empty() {
            return Err(Fault::Unread);
        }
        self.begin_function(state, name)
    }
}

/// For the walker: the text that a here-document or here-string gives a command.
pub(in super::super) fn here_text(redirects: &[Redirect]) -> Option<&Word> {
    redirects.iter().rev().find(|r| r.direction == Direction::Here).map(|r| &r.target)
}
