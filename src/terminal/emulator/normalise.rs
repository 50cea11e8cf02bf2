//! The stream in front of vt100: what vt100 0.18 does not know is rewritten into what it does, and what must be
//! done with the cursor in view becomes an act. Only complete, well-formed sequences come out, at any split.

use super::charset::Text;
use super::looks::{Look, Looks};
use super::sgr::Pen;
use super::signals::{self, Signal};
use super::width::cells_of;
use crate::terminal::modes::Charsets;
use crate::terminal::queries::Query;
use crate::terminal::tokens::{Csi, Token, Tokenizer};
use std::collections::VecDeque;

/// Largest REP. A screen's width is the longest in use (ncurses); seven bytes must not print 65,535 characters.
const REPEAT_LIMIT: u16 = 500;

/// What comes out beside bytes for vt100. Bytes that were written before it are to be processed before it.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Step {
    Signal(Signal),
    Act(Act),
}

/// What depends on where the cursor is.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Act {
    /// BS, CUB: from a pending wrap they count from the last column.
    Back(u16),
    /// CHT forwards, CBT backwards.
    Tab(i32),
    /// CUU, CUD, VPA, VPR: a pending wrap does not move along.
    Vertical(u8, u16),
    SetTab,
    ClearTab {
        all: bool,
    },
    /// Text while autowrap is off, insert mode on or tab stops are moved.
    Text(String),
    /// Text and line feeds on a background colour, which what scrolls in gets as well.
    Coloured(String),
    /// Text with wide characters.
    Wide(String),
    /// ICH, DCH, IL, DL, SU, SD on a background colour.
    Shift(u8, u16),
    /// DECSC, DECRC.
    Save,
    Recall,
    Private(u16, bool),
    /// 47, 1047, 1049.
    Switch(u16, bool),
    Erase(u16),
    Region(u16, u16),
    ReverseIndex,
    Align,
    SoftReset,
    Reset,
    /// CPR and DECXCPR.
    Report {
        extended: bool,
    },
}

/// What stands for a picture, which vt100 cannot hold.
const IMAGE: &str = "[image]";

pub(super) struct Normaliser {
    scan: Tokenizer,
    rules: Rules,
}

/// The state that rewriting needs.
#[derive(Default)]
struct Rules {
    text: Text,
    charsets: Charsets,
    pen: Pen,
    /// Of the primary and the alternate screen.
    saved: [(Charsets, Pen); 2],
    is_alternate: bool,
    has_saved: bool,
    no_wrap: bool,
    insert: bool,
    own_tabs: bool,
    /// The last character, for REP.
    last: Option<char>,
    looks: Looks,
    queue: VecDeque<Step>,
}

impl Normaliser {
    pub(super) fn new() -> Self {
        Self { scan: Tokenizer::new(), rules: Rules::default() }
    }

    /// Forgets the stream, and not what lines of the history name.
    pub(super) fn begin_anew(&mut self) {
        let looks = std::mem::take(&mut self.rules.looks);
        *self = Self { rules: Rules { looks, ..Rules::default() }, ..Self::new() };
    }

    pub(super) fn pen(&self) -> Pen {
        self.rules.pen
    }

    /// The last character printed.
    pub(super) fn last(&self) -> Option<char> {
        self.rules.last
    }

    pub(super) fn looks(&self) -> &Looks {
        &self.rules.looks
    }

    /// What DECSC saved on the primary and the alternate screen.
    pub(super) fn saved(&self, screen: usize) -> (Charsets, Look) {
        let (charsets, pen) = self.rules.saved[screen];
        (charsets, pen.look)
    }

    pub(super) fn insert_mode(&self) -> bool {
        self.rules.insert
    }

    pub(super) fn autowrap(&self) -> bool {
        !self.rules.no_wrap
    }

    /// Whether the remote ever saved the cursor, as mode 1049 does too.
    pub(super) fn has_saved(&self) -> bool {
        self.rules.has_saved
    }

    /// Whether a character is incomplete.
    pub(super) fn is_in_character(&self) -> bool {
        self.rules.text.is_partial()
    }

    /// The sequence or character that has begun.
    pub(super) fn pending(&self) -> Vec<u8> {
        self.scan.pending()
    }

    /// Takes from `input` up to the next step, writing bytes for vt100; how many it took. `None` only when all
    /// of `input` was taken.
    pub(super) fn feed(&mut self, input: &[u8], out: &mut Vec<u8>) -> (usize, Option<Step>) {
        let mut used = 0;
        loop {
            if let Some(step) = self.rules.queue.pop_front() {
                return (used, Some(step));
            }
            let (taken, token) = self.scan.next(&input[used..]);
            used += taken;
            match token {
                Some(token) => self.rules.take(&token, out),
                None => return (used, None),
            }
        }
    }
}

impl Rules {
    fn take(&mut self, token: &Token<'_>, out: &mut Vec<u8>) {
        if let Token::Text(bytes) = token {
            return self.print(bytes, out);
        }
        if self.text.is_partial() {
            let substitute = self.text.abandon();
            self.put(substitute, out);
        }
        match token {
            Token::Text(_) => {}
            Token::Control(byte) => self.execute(*byte, out),
            Token::Escape { intermediates: [], last } => self.escape(*last, out),
            Token::Escape { intermediates: [b'#'], last: b'8' } => self.act(Act::Align),
            Token::Escape { intermediates, last } => self.charsets.designate(intermediates, *last),
            Token::Csi(csi) => self.control(csi, out),
            Token::Osc(link @ [b'8', b';', ..]) => self.looks.link(&mut self.pen.look, link),
            Token::Osc(payload) => self.queue.extend(signals::command(payload).into_iter().map(Step::Signal)),
            Token::Dcs([b'$' | b'+', b'q', ..]) => self.ask(Query::Capability),
            Token::Dcs(_) => {}
            Token::Image => self.put(IMAGE.to_owned(), out),
        }
    }

    fn print(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        let lines = self.charsets.draws_lines();
        if bytes.is_ascii() && !lines && !self.text.is_partial() && !self.is_special() {
            let last = bytes.iter().rev().find(|b| **b >= b' ');
            self.last = last.copied().map(char::from).or(self.last);
            return out.extend_from_slice(bytes);
        }
        let text = self.text.feed(bytes, lines);
        self.put(text, out);
    }

    fn put(&mut self, text: String, out: &mut Vec<u8>) {
        self.last = text.chars().rev().find(|c| *c >= ' ' && cells_of(*c) > 0).or(self.last);
        let text = if self.pen.look == Look::default() { text } else { self.pen.look.dress(&text) };
        if self.is_careful() {
            self.act(Act::Text(text));
        } else if self.pen.is_coloured {
            self.act(Act::Coloured(text));
        } else if text.chars().any(|c| cells_of(c) == 2) {
            self.act(Act::Wide(text));
        } else {
            out.extend_from_slice(text.as_bytes());
        }
    }

    /// Whether text must be printed one character at a time.
    fn is_careful(&self) -> bool {
        self.no_wrap || self.insert || self.own_tabs
    }

    /// Whether text is more to vt100 than its bytes.
    fn is_special(&self) -> bool {
        self.is_careful() || self.pen.is_coloured || self.pen.look != Look::default()
    }

    fn repeat(&mut self, count: u16, out: &mut Vec<u8>) {
        let Some(last) = self.last else { return };
        let count = count.min(REPEAT_LIMIT);
        if self.is_special() || cells_of(last) == 2 {
            self.put(last.to_string().repeat(usize::from(count)), out);
        } else {
            out.extend_from_slice(format!("\x1b[{count}b").as_bytes());
        }
    }

    fn act(&mut self, act: Act) {
        self.queue.push_back(Step::Act(act));
    }

    fn ask(&mut self, query: Query) {
        self.queue.push_back(Step::Signal(Signal::Query(query)));
    }

    fn execute(&mut self, byte: u8, out: &mut Vec<u8>) {
        match byte {
            0x05 => self.ask(Query::Other),
            0x07 => self.queue.push_back(Step::Signal(Signal::Bell)),
            0x08 => self.act(Act::Back(1)),
            0x09 => self.put("\t".into(), out),
            0x0a..=0x0c => self.put(char::from(byte).into(), out),
            0x0d => out.push(byte),
            0x0e => self.charsets.shift = 1,
            0x0f => self.charsets.shift = 0,
            _ => {}
        }
    }

    fn escape(&mut self, last: u8, out: &mut Vec<u8>) {
        match last {
            b'7' => self.save(),
            b'8' => self.recall(),
            b'=' | b'>' => out.extend_from_slice(&[0x1b, last]),
            b'M' => self.act(Act::ReverseIndex),
            b'D' => self.put("\n".into(), out),
            b'E' => self.put("\r\n".into(), out),
            b'n' => self.charsets.shift = 2,
            b'o' => self.charsets.shift = 3,
            b'H' => {
                self.own_tabs = true;
                self.act(Act::SetTab);
            }
            b'Z' => self.ask(Query::Attributes(1)),
            b'c' => {
                let queue = std::mem::take(&mut self.queue);
                let looks = std::mem::take(&mut self.looks);
                *self = Self { queue, looks, ..Self::default() };
                self.act(Act::Reset);
            }
            _ => {}
        }
    }

    fn control(&mut self, csi: &Csi<'_>, out: &mut Vec<u8>) {
        let first = csi.number(0, 1);
        match csi.name() {
            (0, 0, b'm') => self.pen.normalise(csi.params, &mut self.looks, out),
            (0, 0, b'D') => self.act(Act::Back(first)),
            (0, 0, b'a') => out.extend_from_slice(format!("\x1b[{first}C").as_bytes()),
            (0, 0, b'A' | b'B' | b'd') => self.act(Act::Vertical(csi.last, first)),
            (0, 0, b'e') => self.act(Act::Vertical(b'B', first)),
            (0, 0, b'b') => self.repeat(first, out),
            (0, 0, b'@' | b'L' | b'M' | b'P' | b'S' | b'T') if self.pen.is_coloured => {
                self.act(Act::Shift(csi.last, first));
            }
            (0, 0, b'I') => self.act(Act::Tab(i32::from(first))),
            (0, 0, b'Z') => self.act(Act::Tab(-i32::from(first))),
            (0, 0, b'g') => {
                self.own_tabs = true;
                self.act(Act::ClearTab { all: csi.number(0, 0) == 3 });
            }
            (0 | b'?', 0, b'J') => self.act(Act::Erase(csi.number(0, 0))),
            (0 | b'?', 0, b'K') | (0, 0, b'X') => self.pen.erase(csi, out),
            (0, 0, b'r') => self.act(Act::Region(first, csi.number(1, 0))),
            (0, 0, b's') if csi.params.is_empty() => self.save(),
            (0, 0, b'u') if csi.params.is_empty() => self.recall(),
            (0, 0, b'h' | b'l') => {
                if csi.numbers().any(|mode| mode == 4) {
                    self.insert = csi.last == b'h';
                }
            }
            (b'?', 0, b'h' | b'l') => {
                for mode in csi.numbers() {
                    self.private(mode, csi.last == b'h', out);
                }
            }
            (0, b' ', b'q') => {
                csi.write(out);
                self.forward(csi);
            }
            (0, b'!', b'p') => {
                (self.charsets, self.pen, self.saved) = Default::default();
                (self.no_wrap, self.insert) = (false, false);
                self.act(Act::SoftReset);
            }
            (0, 0, b'@' | b'C' | b'E'..=b'H' | b'L' | b'M' | b'P' | b'S' | b'T' | b'`' | b'f') => {
                csi.write(out);
            }
            _ => self.question(csi),
        }
    }

    fn question(&mut self, csi: &Csi<'_>) {
        let first = csi.number(0, 0);
        match csi.name() {
            (0, 0, b'n') if first == 5 => self.ask(Query::Status),
            (marker @ (0 | b'?'), 0, b'n') if first == 6 => {
                self.act(Act::Report { extended: marker == b'?' });
            }
            (0 | b'?', 0, b'n') | (0, 0, b'x') => self.ask(Query::Other),
            (0, 0, b'c') if first == 0 => self.ask(Query::Attributes(1)),
            (b'>', 0, b'c') if first == 0 => self.ask(Query::Attributes(2)),
            (b'=', 0, b'c') if first == 0 => self.ask(Query::Attributes(3)),
            (marker @ (0 | b'?'), b'$', b'p') => {
                self.ask(Query::Mode { private: marker == b'?', mode: first });
            }
            (b'>', 0, b'q') if first == 0 => self.ask(Query::Version),
            (b'?', 0, b'u') => self.ask(Query::Keyboard),
            (0, 0, b't') => match first {
                14 | 16 | 18 | 19 => self.ask(Query::Window(first)),
                20 | 21 => self.ask(Query::Title),
                22 | 23 => self.forward(csi),
                _ => {}
            },
            _ => {}
        }
    }

    fn forward(&mut self, csi: &Csi<'_>) {
        let mut bytes = Vec::new();
        csi.write(&mut bytes);
        self.queue.push_back(Step::Signal(Signal::Forward(bytes)));
    }

    fn private(&mut self, mode: u16, on: bool, out: &mut Vec<u8>) {
        match mode {
            47 | 1047 | 1049 => {
                // Entering twice is nothing, as in kitty, Alacritty and tmux.
                if on && self.is_alternate {
                    return;
                }
                if mode == 1049 && on {
                    self.saved[0] = (self.charsets, self.pen);
                    self.has_saved = true;
                } else if mode == 1049 {
                    self.restore(0);
                }
                self.is_alternate = on;
                self.act(Act::Switch(mode, on));
            }
            1048 if on => self.save(),
            1048 => self.recall(),
            7 => self.no_wrap = !on,
            1 | 6 | 9 | 25 | 1000 | 1002 | 1003 | 1005 | 1006 | 2004 => {
                // Behind a queued act it must not overtake.
                if self.queue.is_empty() {
                    let last = if on { 'h' } else { 'l' };
                    out.extend_from_slice(format!("\x1b[?{mode}{last}").as_bytes());
                } else {
                    self.act(Act::Private(mode, on));
                }
                if mode == 2004 {
                    self.queue.push_back(Step::Signal(Signal::BracketedPaste(on)));
                }
            }
            _ => {}
        }
    }

    fn save(&mut self) {
        self.saved[usize::from(self.is_alternate)] = (self.charsets, self.pen);
        self.has_saved = true;
        self.act(Act::Save);
    }

    fn recall(&mut self) {
        self.restore(usize::from(self.is_alternate));
        self.act(Act::Recall);
    }

    /// A link is a mode, and is not saved.
    fn restore(&mut self, screen: usize) {
        let link = self.pen.look;
        (self.charsets, self.pen) = self.saved[screen];
        self.pen.look.keep_link(link);
    }
}
