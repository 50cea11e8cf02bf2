//! Stdin's bytes as tokens for the panel: keys, pastes, mouse and focus reports, and replies of the user's
//! terminal, which are not keys however late they come. Owns no clock: the caller waits and flushes.

use std::time::Duration;

use crossterm::event::{KeyEvent, KeyEventKind};

use crate::terminal::decode::{Meaning, decode};
use crate::terminal::mouse::Mouse;
use crate::terminal::sequence::{Lexer, PASTE, PasteEnd, Step, Unit};

pub use crate::terminal::decode::Reply;
pub use crate::terminal::sequence::{KEY_WAIT, REPLY_WAIT};

#[cfg(test)]
mod tests;

/// A paste into an input line or a chat; what is longer is cut, and says so.
pub const PASTE_LIMIT: usize = 1 << 20;

/// What was typed or reported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Token {
    /// A key went down, or repeats; releases are left out.
    Key(KeyEvent),
    /// A bracketed paste, without its marks, hostile bytes and all.
    Paste {
        text: Vec<u8>,
        truncated: bool,
    },
    Reply(Reply),
    Mouse(Mouse),
    /// The terminal's window got the focus, or lost it.
    Focus(bool),
    Unknown,
}

impl Token {
    /// As it came, where these bytes came with it.
    pub fn into_bytes(self, raw: Vec<u8>) -> Vec<u8> {
        match self {
            Self::Paste { text, .. } => [PASTE, text.as_slice(), PasteEnd::MARK].concat(),
            _ => raw,
        }
    }
}

/// Feeds on bytes in any split. The bytes of a token come with it, as they were, so that a reply can be handed on;
/// those of a paste and of an overlong sequence do not (empty).
#[derive(Debug, Default)]
pub struct Tokenizer {
    lexer: Lexer,
    paste: Option<Paste>,
}

impl Tokenizer {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn feed(&mut self, bytes: &[u8]) -> Vec<(Vec<u8>, Token)> {
        let mut out = Vec::new();
        for &byte in bytes {
            self.byte(byte, &mut out);
        }
        out
    }

    /// How long to wait for more bytes, counted from the last feed, before [`Tokenizer::flush`]. A paste is waited
    /// for without end: its rest, read as keys, could be a command and its Enter.
    pub fn wait(&self) -> Option<Duration> {
        self.lexer.wait()
    }

    /// The wait has ended: what is there is all there is (a lone ESC is the key Escape).
    pub fn flush(&mut self) -> Vec<(Vec<u8>, Token)> {
        let mut out = Vec::new();
        while !self.lexer.raw().is_empty() {
            let unit = self.lexer.take();
            self.unit(unit, &mut out);
        }
        out
    }

    /// What is held of a key or of a paste that has not ended, for somebody else to go on with.
    pub fn take_held(&mut self) -> Vec<u8> {
        let held = std::mem::take(self);
        let paste = held.paste.map(|paste| [PASTE, &paste.text].concat());
        paste.unwrap_or_else(|| held.lexer.raw().to_vec())
    }

    /// What is not the rest of a key or of a paste whose beginning came here.
    pub fn without_rest<'a>(&mut self, mut bytes: &'a [u8]) -> &'a [u8] {
        while let Some((&byte, others)) = bytes.split_first() {
            if let Some(paste) = &mut self.paste {
                if paste.push(byte) {
                    self.paste = None;
                }
            } else if self.lexer.raw().is_empty() {
                break;
            } else {
                match self.lexer.push(byte) {
                    Step::More => {}
                    Step::Done if self.lexer.take().raw == PASTE => self.paste = Some(Paste::default()),
                    Step::Done => {}
                    Step::Refused => {
                        self.lexer.take();
                        continue;
                    }
                }
            }
            bytes = others;
        }
        bytes
    }

    fn byte(&mut self, byte: u8, out: &mut Vec<(Vec<u8>, Token)>) {
        if let Some(paste) = &mut self.paste {
            if paste.push(byte) {
                out.extend(self.paste.take().map(|paste| (Vec::new(), paste.token())));
            }
            return;
        }
        loop {
            let step = self.lexer.push(byte);
            if step == Step::More {
                return;
            }
            let unit = self.lexer.take();
            self.unit(unit, out);
            if step == Step::Done {
                return;
            }
        }
    }

    fn unit(&mut self, unit: Unit, out: &mut Vec<(Vec<u8>, Token)>) {
        if unit.cut {
            out.push((Vec::new(), Token::Unknown));
            return;
        }
        let token = match decode(&unit.raw) {
            Meaning::Key(key) if key.kind == KeyEventKind::Release => return,
            Meaning::Key(key) => Token::Key(key),
            Meaning::PasteStart => {
                self.paste = Some(Paste::default());
                return;
            }
            Meaning::Reply(reply) => Token::Reply(reply),
            Meaning::Mouse(mouse) => Token::Mouse(mouse),
            Meaning::Focus(gained) => Token::Focus(gained),
            Meaning::PasteEnd | Meaning::Unknown => Token::Unknown,
        };
        out.push((unit.raw, token));
    }
}

#[derive(Debug, Default)]
struct Paste {
    /// The text, and the start of the mark that ends it.
    text: Vec<u8>,
    seen: usize,
    end: PasteEnd,
}

impl Paste {
    fn push(&mut self, byte: u8) -> bool {
        self.seen += 1;
        if self.text.len() < PASTE_LIMIT {
            self.text.push(byte);
        }
        self.end.push(byte)
    }

    fn token(mut self) -> Token {
        let length = self.seen - PasteEnd::MARK.len();
        self.text.truncate(length);
        Token::Paste { text: self.text, truncated: length > PASTE_LIMIT }
    }
}
