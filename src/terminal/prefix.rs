//! The prefix key in the raw bytes of stdin. What is not the prefix passes at once and unchanged; the key after
//! it is an action if it is bound, else both are sent on. A prefix after a prefix sends one.
//!
//! A prefix is a key, not bytes: Ctrl-\ is 0x1c, `CSI 92;5u` (kitty) and `CSI 27;5;92~` (modifyOtherKeys) alike.
//! In a bracketed paste there are no keys. Only the start of a multi-byte prefix is ever held back, and never an
//! ESC alone at the end of a read, so that Escape is not delayed: terminals send a key in one write, and one that
//! was cut right after its ESC is not recognised, but passes.

use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind};

use crate::terminal::decode::{Meaning, decode};
use crate::terminal::sequence::{ESC, Lexer, PasteEnd, Step, Unit};

#[cfg(test)]
mod tests;

/// The key after the prefix is held until it is whole; what is longer is a reply, and passes as it comes.
const HOLD_LIMIT: usize = 256;
/// Keys whose release is still to come; more than that nobody holds down.
const DOWN_LIMIT: usize = 8;

/// What to do with the input, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// Send on.
    Through(Vec<u8>),
    /// This key was pressed after the prefix.
    Action(KeyEvent),
}

/// Feeds on bytes in any split.
#[derive(Debug)]
pub struct PrefixMachine {
    prefixes: Vec<KeyEvent>,
    /// How the encodings of the prefixes begin.
    heads: Vec<Vec<u8>>,
    lexer: Lexer,
    /// Bytes of the unit in progress that were not sent on.
    held: Vec<u8>,
    /// Its first bytes were sent on: it can be no prefix any more.
    passed: bool,
    /// The prefix was pressed; its bytes.
    armed: Option<Vec<u8>>,
    paste: Option<PasteEnd>,
    /// Keys that went down here, whose releases (kitty's protocol) are not for the remote either. One that is cut
    /// between two reads goes there all the same, and does no harm: to hold it would delay other keys.
    down: Vec<KeyCode>,
    out: Vec<Piece>,
}

impl PrefixMachine {
    /// `prefixes` are the bytes of one key each; what is no single key is left out.
    pub fn new(prefixes: Vec<Vec<u8>>) -> Self {
        let keys: Vec<KeyEvent> = prefixes.iter().filter_map(|raw| key_of(raw)).collect();
        let mut heads: Vec<Vec<u8>> = prefixes
            .into_iter()
            .map(|raw| raw.strip_suffix(b"~").map(<[u8]>::to_vec).unwrap_or(raw))
            .collect();
        for key in &keys {
            if let KeyCode::Char(c) = key.code {
                heads.push(format!("\x1b[{}", u32::from(c)).into_bytes());
                heads.push(b"\x1b[27".to_vec());
            }
        }
        Self {
            prefixes: keys,
            heads,
            lexer: Lexer::default(),
            held: Vec::new(),
            passed: false,
            armed: None,
            paste: None,
            down: Vec::new(),
            out: Vec::new(),
        }
    }

    /// Whether these bytes are one key, which a prefix must be.
    pub fn is_key(raw: &[u8]) -> bool {
        key_of(raw).is_some()
    }

    /// The prefix was pressed and its key is still to come.
    pub fn is_armed(&self) -> bool {
        self.armed.is_some()
    }

    /// Takes what was read. `local` says that the inner PTY has ISIG (a local prompt of ssh's): then Ctrl-\ is the
    /// quit character, and everything passes.
    pub fn feed(&mut self, bytes: &[u8], local: bool, bound: impl Fn(&KeyEvent) -> bool) -> Vec<Piece> {
        if local {
            self.disarm();
        }
        // A lone ESC was sent on: it is joined with what follows only to see a paste begin, or else Escape and a
        // prefix after it would count as one key.
        if self.passed && self.lexer.raw() == [ESC] && bytes.first().is_some_and(|&byte| byte != b'[') {
            self.lexer.take();
            self.passed = false;
        }
        for &byte in bytes {
            self.byte(byte, local, &bound);
        }
        let may_be_ours = match self.armed {
            Some(_) => self.held.len() < HOLD_LIMIT,
            None => self.may_become_prefix(),
        };
        let keep = !local && !self.passed && may_be_ours;
        if !keep && !self.held.is_empty() {
            self.send_held();
            self.passed = true;
        }
        std::mem::take(&mut self.out)
    }

    /// How long to wait for more bytes, counted from the last feed, before [`PrefixMachine::flush`].
    pub fn wait(&self) -> Option<Duration> {
        if self.held.is_empty() { None } else { self.lexer.wait() }
    }

    /// The wait has ended: what is held is all there is.
    pub fn flush(&mut self, bound: impl Fn(&KeyEvent) -> bool) -> Vec<Piece> {
        if !self.held.is_empty() {
            let raw = self.lexer.raw();
            if self.armed.is_none() && raw.len() > 2 && b"\x1b[200~".starts_with(raw) {
                // Goes on being watched: it may still become a paste.
                self.send_held();
                self.passed = true;
            } else {
                let unit = self.lexer.take();
                self.unit(&unit, false, &bound);
                // What the lexer begins anew with is an ESC in `unit`, which has just been sent on with it.
                self.lexer.take();
            }
        }
        std::mem::take(&mut self.out)
    }

    fn byte(&mut self, byte: u8, local: bool, bound: &dyn Fn(&KeyEvent) -> bool) {
        if let Some(end) = &mut self.paste {
            if end.push(byte) {
                self.paste = None;
            }
            self.send(&[byte]);
            return;
        }
        loop {
            match self.lexer.push(byte) {
                Step::More => return self.held.push(byte),
                Step::Done => {
                    self.held.push(byte);
                    let unit = self.lexer.take();
                    return self.unit(&unit, local, bound);
                }
                Step::Refused => {
                    let unit = self.lexer.take();
                    // An ESC that ended nothing begins the next unit, and is the last byte held if it was not sent.
                    let begun = !self.lexer.raw().is_empty();
                    let escape = begun.then(|| self.held.pop()).flatten();
                    self.unit(&unit, local, bound);
                    self.held.extend(escape);
                    self.passed = begun && escape.is_none();
                }
            }
        }
    }

    /// A whole unit, whose unsent bytes are in `held`.
    fn unit(&mut self, unit: &Unit, local: bool, bound: &dyn Fn(&KeyEvent) -> bool) {
        let passed = std::mem::take(&mut self.passed);
        match if unit.cut { Meaning::Unknown } else { decode(&unit.raw) } {
            Meaning::PasteStart => {
                self.disarm();
                self.send_held();
                self.paste = Some(PasteEnd::default());
            }
            Meaning::Key(key) if !local && !passed => self.key(key, bound),
            Meaning::Unknown if !passed => {
                self.disarm();
                self.send_held();
            }
            // Replies and reports may come between the prefix and its key.
            _ => self.send_held(),
        }
    }

    fn key(&mut self, key: KeyEvent, bound: &dyn Fn(&KeyEvent) -> bool) {
        if key.kind == KeyEventKind::Release {
            match self.down.iter().position(|code| same_key(*code, key.code)) {
                Some(at) => {
                    self.down.remove(at);
                    self.held.clear();
                }
                None => self.send_held(),
            }
            return;
        }
        if key.kind == KeyEventKind::Repeat && self.down.iter().any(|code| same_key(*code, key.code)) {
            return self.held.clear();
        }
        // A release without its press cannot come any more: under a terminal that reports none, none came.
        self.forget(key.code);
        let is_prefix = self.prefixes.iter().any(|p| p.code == key.code && p.modifiers == key.modifiers);
        match self.armed.take() {
            None if is_prefix => {
                self.remember(key.code);
                self.armed = Some(std::mem::take(&mut self.held));
            }
            None => self.send_held(),
            Some(_) if is_prefix => self.send_held(),
            // Shift on its way to `?`, under a program that wants to know of every key.
            Some(prefix) if matches!(key.code, KeyCode::Modifier(_)) => {
                self.send_held();
                self.armed = Some(prefix);
            }
            Some(_) if bound(&key) => {
                self.remember(key.code);
                self.held.clear();
                self.out.push(Piece::Action(key));
            }
            Some(prefix) => {
                self.armed = Some(prefix);
                self.disarm();
                self.send_held();
            }
        }
    }

    /// Sends a prefix on that nothing of ours followed.
    fn disarm(&mut self) {
        if let Some(prefix) = self.armed.take() {
            if let Some(key) = key_of(&prefix) {
                self.forget(key.code);
            }
            self.send(&prefix);
        }
    }

    fn send_held(&mut self) {
        let held = std::mem::take(&mut self.held);
        self.send(&held);
    }

    fn send(&mut self, bytes: &[u8]) {
        match self.out.last_mut() {
            _ if bytes.is_empty() => {}
            Some(Piece::Through(text)) => text.extend_from_slice(bytes),
            _ => self.out.push(Piece::Through(bytes.to_vec())),
        }
    }

    fn remember(&mut self, code: KeyCode) {
        if self.down.len() == DOWN_LIMIT {
            self.down.remove(0);
        }
        self.down.push(code);
    }

    fn forget(&mut self, code: KeyCode) {
        self.down.retain(|down| !same_key(*down, code));
    }

    /// Could what is held still turn out to be a prefix?
    fn may_become_prefix(&self) -> bool {
        let held = self.held.as_slice();
        held != [ESC]
            && self.heads.iter().any(|head| {
                let tail = held.strip_prefix(head.as_slice());
                let parameters = |tail: &[u8]| tail.iter().all(|b| matches!(b, b'0'..=b';'));
                head.starts_with(held) || (head.starts_with(b"\x1b[") && tail.is_some_and(parameters))
            })
    }
}

/// The key that these bytes are, if they are one key.
fn key_of(raw: &[u8]) -> Option<KeyEvent> {
    let mut lexer = Lexer::default();
    let (last, start) = raw.split_last()?;
    let whole = start.iter().all(|&byte| lexer.push(byte) == Step::More) && lexer.push(*last) == Step::Done;
    match decode(raw) {
        Meaning::Key(key) if whole => Some(KeyEvent { kind: KeyEventKind::Press, ..key }),
        _ => None,
    }
}

/// Equal but for Shift, which may be let go first.
fn same_key(a: KeyCode, b: KeyCode) -> bool {
    match (a, b) {
        (KeyCode::Char(a), KeyCode::Char(b)) => a == b || a.to_lowercase().eq(b.to_lowercase()),
        _ => a == b,
    }
}
