//! What a command prints, as it comes over the wire: text that the eye cannot see, and text that tells an agent what to
//! do ([`super::Instructions`]). The emulator's screen does not know any more how a text came there; these bytes do.
//!
//! Looked at all the time: characters without a shape, concealed text, text in the colour of its background. Looked at
//! between a command's begin and its prompt: text that is erased or written over, and moves of the cursor that serve
//! nothing else. Prompts and line editors move and erase all the time, so there this is left out.

use unicode_width::UnicodeWidthChar;

use super::colour::Colours;
use super::instructions::{Instruction, Instructions};
use crate::shell::Nonce;
use crate::terminal::tokens::{Csi, Token, Tokenizer};
use crate::text::is_invisible;

/// How a text was hidden.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hidden {
    /// Zero-width, bidirectional or tag characters, C1 controls.
    Invisible(char),
    /// SGR 8.
    Concealed,
    /// Foreground and background are one colour, or nearly.
    SameColour,
    /// Erased after it was printed.
    Erased,
    /// Other text was printed over it.
    Overwritten,
    /// The cursor was sent about the screen.
    Moved,
}

impl Hidden {
    /// For the panel, after "the output ".
    pub fn text(self) -> String {
        match self {
            Self::Invisible(c) => format!("holds a character that is not seen (U+{:04X})", u32::from(c)),
            Self::Concealed => "holds concealed text".into(),
            Self::SameColour => "holds text in the colour of its background".into(),
            Self::Erased => "erases text that it printed".into(),
            Self::Overwritten => "prints over its own text".into(),
            Self::Moved => "moves the cursor about the screen".into(),
        }
    }
}

/// What was found first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    Hidden(Hidden),
    Instruction(Instruction),
}

/// Where the stream is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Region {
    /// A prompt, or a line editor's drawing.
    Prompt,
    /// A line was sent; its echo ends with a newline, or with the shell's own mark.
    Echo,
    /// A line ended, and perhaps a command prints: in shells that mark the begin of output, that mark tells.
    Perhaps,
    /// A command prints.
    Output,
}

/// Reads what the remote prints. The first finding stays until the next [`Scan::begin`].
#[derive(Debug)]
pub struct Scan {
    tokens: Tokenizer,
    nonce: Nonce,
    region: Region,
    colours: Colours,
    instructions: Instructions,
    /// Bytes of a character that is not complete.
    partial: Vec<u8>,
    /// The cursor's column, and behind the last column of the line that has text.
    col: usize,
    filled: usize,
    last: char,
    found: Option<Found>,
    /// Found where perhaps a command printed: it counts when the prompt comes and no mark has said otherwise.
    doubtful: Option<Found>,
}

/// Columns from tab stop to tab stop.
const TAB: usize = 8;

impl Scan {
    /// `nonce`: what only the integrated shell's marks carry.
    pub fn new(nonce: Nonce) -> Self {
        Self {
            tokens: Tokenizer::new(),
            nonce,
            region: Region::Prompt,
            colours: Colours::default(),
            instructions: Instructions::default(),
            partial: Vec::new(),
            col: 0,
            filled: 0,
            last: ' ',
            found: None,
            doubtful: None,
        }
    }

    /// A line is sent now.
    pub fn begin(&mut self) {
        self.region = Region::Echo;
    }

    /// Takes a chunk, split anywhere.
    pub fn feed(&mut self, bytes: &[u8]) {
        let mut tokens = std::mem::replace(&mut self.tokens, Tokenizer::new());
        let mut rest = bytes;
        while !rest.is_empty() && self.found.is_none() {
            let (used, token) = tokens.next(rest);
            if let Some(token) = token {
                self.token(&token);
            }
            rest = rest.get(used..).unwrap_or_default();
        }
        self.tokens = tokens;
    }

    /// What was found so far.
    pub fn found(&mut self) -> Option<Found> {
        if self.found.is_none() {
            self.found = self.instructions.look().map(Found::Instruction);
        }
        self.found
    }

    fn token(&mut self, token: &Token<'_>) {
        match token {
            Token::Text(bytes) => self.text(bytes),
            Token::Control(0x08) => self.col = self.col.saturating_sub(1),
            // Other character sets make other text of the same bytes.
            Token::Control(0x0e | 0x0f) => self.moved(),
            Token::Control(_) | Token::Dcs(_) | Token::Image => {}
            Token::Csi(csi) => self.csi(csi),
            Token::Escape { intermediates, last } => self.escape(intermediates, *last),
            Token::Osc(payload) => self.mark(payload),
        }
    }

    /// The shell's own marks say where output begins and ends. Others could be the output's.
    fn mark(&mut self, payload: &[u8]) {
        let Some(mark) = self.nonce.strip(payload) else { return };
        if mark.starts_with(b"133;C") {
            // What came before it was the line editor's drawing (fish moves about when it takes a line).
            self.doubtful = None;
            (self.region, self.col, self.filled) = (Region::Output, 0, 0);
        } else {
            self.found = self.found.or(self.doubtful.take());
            self.region = Region::Prompt;
        }
    }

    fn escape(&mut self, intermediates: &[u8], last: u8) {
        match (intermediates, last) {
            ([], b'c' | b'M' | b'7' | b'8' | b'D' | b'E') => self.moved(),
            // `ESC ( B`: ASCII, as most terminfo entries send it with the end of attributes.
            ([b'(' | b')'], b'B') => {}
            ([b'(' | b')' | b'*' | b'+'], _) => self.moved(),
            _ => {}
        }
    }

    fn csi(&mut self, csi: &Csi<'_>) {
        match csi.name() {
            (0, 0, b'm') => self.colours.apply(csi),
            (0, 0, b'C' | b'a') => self.col = self.col.saturating_add(csi.number(0, 1).into()),
            (0, 0, b'D') => self.col = self.col.saturating_sub(csi.number(0, 1).into()),
            (0, 0, b'G' | b'`') => self.col = usize::from(csi.number(0, 1)) - 1,
            // grep and ls erase to the end of a line that has nothing there.
            (0, 0, b'J' | b'K') if csi.number(0, 0) == 0 && self.col >= self.filled => {}
            (0, 0, b'J' | b'K' | b'P' | b'X' | b'M' | b'L' | b'@') | (b'?', 0, b'J' | b'K') => {
                self.hidden(Hidden::Erased, true);
            }
            (
                0,
                0,
                b'A' | b'B' | b'E' | b'F' | b'H' | b'f' | b'd' | b'e' | b'S' | b'T' | b'r' | b's' | b'u',
            ) => {
                self.moved();
            }
            _ => {}
        }
    }

    fn text(&mut self, bytes: &[u8]) {
        let mut all = std::mem::take(&mut self.partial);
        all.extend_from_slice(bytes);
        let mut rest = all.as_slice();
        while !rest.is_empty() && self.found.is_none() {
            match std::str::from_utf8(rest) {
                Ok(text) => return text.chars().for_each(|c| self.character(c)),
                Err(e) => {
                    let (good, bad) = rest.split_at(e.valid_up_to());
                    String::from_utf8_lossy(good).chars().for_each(|c| self.character(c));
                    let Some(length) = e.error_len() else {
                        self.partial = bad.to_vec();
                        return;
                    };
                    self.character('\u{fffd}');
                    rest = bad.get(length..).unwrap_or_default();
                }
            }
        }
    }

    fn character(&mut self, c: char) {
        match c {
            '\n' => {
                self.filled = 0;
                if self.region == Region::Echo {
                    (self.region, self.col) = (Region::Perhaps, 0);
                }
            }
            '\r' => self.col = 0,
            '\t' => self.col = (self.col / TAB + 1) * TAB,
            '\u{b}' | '\u{c}' => self.filled = 0,
            c => self.printed(c),
        }
        if let Some(found) = self.instructions.push(c) {
            self.found.get_or_insert(Found::Instruction(found));
        }
    }

    fn printed(&mut self, c: char) {
        // One selector behind a sign is how emoji are written; a row of them is a message.
        let selects = matches!(c, '\u{fe0e}' | '\u{fe0f}') && !is_invisible(self.last);
        if (is_invisible(c) && !selects) || c.is_control() {
            self.hidden(Hidden::Invisible(c), false);
        }
        self.last = c;
        if c.is_alphanumeric() {
            if self.colours.is_concealed() {
                self.hidden(Hidden::Concealed, false);
            } else if self.colours.are_alike() {
                self.hidden(Hidden::SameColour, false);
            }
        }
        if self.col < self.filled {
            self.hidden(Hidden::Overwritten, true);
        }
        self.col += c.width().unwrap_or(0);
        if !c.is_whitespace() {
            self.filled = self.filled.max(self.col);
        }
    }

    fn moved(&mut self) {
        self.hidden(Hidden::Moved, true);
    }

    /// `in_output`: it says something in a command's output only.
    fn hidden(&mut self, how: Hidden, in_output: bool) {
        let found = Found::Hidden(how);
        match self.region {
            Region::Perhaps if in_output => drop(self.doubtful.get_or_insert(found)),
            Region::Prompt | Region::Echo if in_output => {}
            _ => drop(self.found.get_or_insert(found)),
        }
    }
}

#[cfg(test)]
mod tests;
