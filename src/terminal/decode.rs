//! What one unit of a terminal's input means. A pure function over a whole unit; crossterm's types, not its reader.
//!
//! Names follow crossterm's (`A` is Char('A') with SHIFT), but for the control bytes 0x1c to 0x1f, which are Ctrl
//! with the character of ASCII (`\ ] ^ _`) and not with a digit, so that they equal what kitty's protocol says.

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyEventState, KeyModifiers};

use crate::terminal::mouse::Mouse;
use crate::terminal::sequence::ESC;

mod names;

#[cfg(test)]
mod tests;

/// An answer of the user's terminal to a query that somebody sent it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// DA1, `CSI ? … c`.
    PrimaryAttributes,
    /// DA2, `CSI > … c`.
    SecondaryAttributes,
    /// CPR and DECXCPR, counted from 1. (F3 with a modifier looks the same in some terminals.)
    CursorPosition { row: u32, col: u32 },
    /// DSR, `CSI … n`.
    Status,
    /// DECRPM, `CSI … $ y`.
    Mode,
    /// kitty keyboard flags, `CSI ? … u`.
    KeyboardFlags,
    /// Window reports, `CSI … t`.
    Window,
    /// Any other control sequence that no key sends.
    Control,
    /// OSC … ST or BEL.
    Osc,
    /// DCS … ST.
    Dcs,
    /// APC, PM or SOS … ST.
    Other,
}

/// The meaning of a unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// Releases included.
    Key(KeyEvent),
    PasteStart,
    PasteEnd,
    Reply(Reply),
    Mouse(Mouse),
    Focus(bool),
    Unknown,
}

/// Reads a unit; an unfinished one (a wait that has ended) as the key that it may be.
pub(crate) fn decode(raw: &[u8]) -> Meaning {
    let meaning = match raw {
        [ESC, b'[', rest @ ..] if !rest.is_empty() => control(rest),
        [ESC, b'O', rest @ ..] if !rest.is_empty() => ss3(rest),
        [ESC, kind @ (b']' | b'P' | b'_' | b'^' | b'X'), rest @ ..] if !rest.is_empty() => {
            string(*kind, rest)
        }
        [ESC, rest @ ..] if !rest.is_empty() => character(rest)
            .map(|key| Meaning::Key(KeyEvent { modifiers: key.modifiers | KeyModifiers::ALT, ..key })),
        _ => character(raw).map(Meaning::Key),
    };
    meaning.unwrap_or(Meaning::Unknown)
}

/// A control byte or one character.
fn character(raw: &[u8]) -> Option<KeyEvent> {
    let mut chars = std::str::from_utf8(raw).ok()?.chars();
    let (Some(c), None) = (chars.next(), chars.next()) else { return None };
    let ctrl = |c: u8| KeyEvent::new(KeyCode::Char(c.into()), KeyModifiers::CONTROL);
    let plain = |code| KeyEvent::new(code, KeyModifiers::NONE);
    Some(match c {
        '\0' => ctrl(b' '),
        '\t' => plain(KeyCode::Tab),
        '\r' => plain(KeyCode::Enter),
        '\x1b' => plain(KeyCode::Esc),
        '\x7f' => plain(KeyCode::Backspace),
        '\x01'..='\x1a' => ctrl(c as u8 | 0x60),
        '\x1c'..='\x1f' => ctrl(c as u8 | 0x40),
        _ if c.is_control() => return None,
        _ if c.is_uppercase() => KeyEvent::new(KeyCode::Char(c), KeyModifiers::SHIFT),
        _ => plain(KeyCode::Char(c)),
    })
}

fn string(kind: u8, rest: &[u8]) -> Option<Meaning> {
    let ended = rest.ends_with(b"\x07") || rest.ends_with(b"\x1b\\");
    ended.then_some(Meaning::Reply(match kind {
        b']' => Reply::Osc,
        b'P' => Reply::Dcs,
        _ => Reply::Other,
    }))
}

/// `ESC O …`: one letter, in old terminals after a digit for the modifiers.
fn ss3(rest: &[u8]) -> Option<Meaning> {
    let (last, digits) = rest.split_last()?;
    let params = Params::parse(digits)?;
    let key = match last {
        b'M' => (KeyCode::Enter, KeyEventState::KEYPAD),
        b'X' => (KeyCode::Char('='), KeyEventState::KEYPAD),
        b'j'..=b'y' => (KeyCode::Char((last - 0x40).into()), KeyEventState::KEYPAD),
        b'a'..=b'd' => {
            let code = names::letter(last.to_ascii_uppercase())?;
            return Some(Meaning::Key(KeyEvent::new(code, KeyModifiers::CONTROL)));
        }
        _ => (names::letter(*last)?, KeyEventState::NONE),
    };
    let mut event = params.event(key.0, params.0.len().saturating_sub(1));
    event.state |= key.1;
    Some(Meaning::Key(event))
}

/// `CSI …`, what follows the introducer.
fn control(rest: &[u8]) -> Option<Meaning> {
    if let [b'[', letter @ b'A'..=b'E'] = rest {
        return Some(Meaning::Key(KeyCode::F(letter - b'A' + 1).into()));
    }
    if rest[0] == b'M' && rest.len() == 4 {
        return mouse(rest);
    }
    let (&last, body) = rest.split_last()?;
    if !(0x40..=0x7e).contains(&last) {
        return None;
    }
    let (private, body) = match body.split_first() {
        Some((&mark @ b'<'..=b'?', more)) => (Some(mark), more),
        _ => (None, body),
    };
    let at = body.iter().position(|b| (0x20..=0x2f).contains(b)).unwrap_or(body.len());
    let (params, intermediates) = (Params::parse(&body[..at])?, &body[at..]);
    match (private, intermediates, last) {
        (None | Some(b'?'), b"$", b'y') => Some(Meaning::Reply(Reply::Mode)),
        (None, b"", b'M') if params.0.len() == 3 => mouse(rest),
        (None, b"", _) => plain_control(&params, last),
        (Some(b'<'), b"", b'M' | b'm') => mouse(rest),
        (Some(b'?'), b"", b'c') => Some(Meaning::Reply(Reply::PrimaryAttributes)),
        (Some(b'>'), b"", b'c') => Some(Meaning::Reply(Reply::SecondaryAttributes)),
        (Some(b'?'), b"", b'R') => params.position(),
        (Some(b'?'), b"", b'n') => Some(Meaning::Reply(Reply::Status)),
        (Some(b'?'), b"", b'u') => Some(Meaning::Reply(Reply::KeyboardFlags)),
        (Some(_), ..) => Some(Meaning::Reply(Reply::Control)),
        _ => None,
    }
}

/// What follows the introducer of a mouse report.
fn mouse(rest: &[u8]) -> Option<Meaning> {
    Mouse::parse(&[b"\x1b[", rest].concat()).map(Meaning::Mouse)
}

fn plain_control(params: &Params, last: u8) -> Option<Meaning> {
    let key = |code| Some(Meaning::Key(params.event(code, 1)));
    match last {
        b'~' => match params.number(0)? {
            200 => Some(Meaning::PasteStart),
            201 => Some(Meaning::PasteEnd),
            // modifyOtherKeys: 27, modifiers, character.
            27 => Some(Meaning::Key(typed(params.event(names::codepoint(params.number(2)?)?.0, 1), None))),
            number => key(names::number(number)?),
        },
        b'u' => {
            let (code, state) = names::codepoint(params.number(0)?)?;
            // What the key types: its text, else its shifted alternate.
            let text = params.sub(2, 0).filter(|_| params.sub(2, 1).is_none()).or(params.sub(0, 1));
            let mut event = typed(params.event(code, 1), text.and_then(char::from_u32));
            event.state |= state;
            Some(Meaning::Key(event))
        }
        b'R' if params.number(1).is_some() => params.position(),
        b'Z' => Some(Meaning::Key(KeyEvent::new(KeyCode::BackTab, KeyModifiers::SHIFT))),
        b'I' if params.0.is_empty() => Some(Meaning::Focus(true)),
        b'O' if params.0.is_empty() => Some(Meaning::Focus(false)),
        b'n' => Some(Meaning::Reply(Reply::Status)),
        b't' => Some(Meaning::Reply(Reply::Window)),
        b'c' | b'x' => Some(Meaning::Reply(Reply::Control)),
        // rxvt: lower case with Shift, and `^` and `@` for `~` with Ctrl.
        b'a'..=b'd' => {
            let code = names::letter(last.to_ascii_uppercase())?;
            Some(Meaning::Key(KeyEvent::new(code, KeyModifiers::SHIFT)))
        }
        b'^' => Some(Meaning::Key(KeyEvent::new(names::number(params.number(0)?)?, KeyModifiers::CONTROL))),
        b'@' => {
            let both = KeyModifiers::CONTROL | KeyModifiers::SHIFT;
            Some(Meaning::Key(KeyEvent::new(names::number(params.number(0)?)?, both)))
        }
        _ => key(names::letter(last)?),
    }
}

/// A key of the protocols that send the unshifted key and SHIFT apart, as the character that it types.
fn typed(mut event: KeyEvent, text: Option<char>) -> KeyEvent {
    let shift = event.modifiers.contains(KeyModifiers::SHIFT);
    match event.code {
        KeyCode::Tab if shift => event.code = KeyCode::BackTab,
        KeyCode::Char(c) if shift => {
            let c = text.filter(|c| !c.is_control()).unwrap_or_else(|| names::shifted(c));
            event.code = KeyCode::Char(c);
            if c.is_ascii_punctuation() {
                event.modifiers.remove(KeyModifiers::SHIFT);
            }
        }
        _ => {}
    }
    event
}

/// Parameters and their sub-parameters; `None` where one was left out.
struct Params(Vec<Vec<Option<u32>>>);

impl Params {
    fn parse(text: &[u8]) -> Option<Self> {
        if text.is_empty() {
            return Some(Self(Vec::new()));
        }
        let number = |digits: &[u8]| -> Option<Option<u32>> {
            if digits.is_empty() {
                return Some(None);
            }
            Some(Some(std::str::from_utf8(digits).ok()?.parse().ok()?))
        };
        let one = |param: &[u8]| param.split(|&b| b == b':').map(number).collect::<Option<Vec<_>>>();
        text.split(|&b| b == b';').map(one).collect::<Option<Vec<_>>>().map(Self)
    }

    fn sub(&self, param: usize, sub: usize) -> Option<u32> {
        *self.0.get(param)?.get(sub)?
    }

    fn number(&self, param: usize) -> Option<u32> {
        self.sub(param, 0)
    }

    fn position(&self) -> Option<Meaning> {
        Some(Meaning::Reply(Reply::CursorPosition { row: self.number(0)?, col: self.number(1)? }))
    }

    /// A key whose modifiers and kind of event are in that parameter: one more than the bits, as xterm has it.
    fn event(&self, code: KeyCode, at: usize) -> KeyEvent {
        let bits = self.number(at).unwrap_or(1).saturating_sub(1);
        let (mut modifiers, mut state) = (KeyModifiers::NONE, KeyEventState::NONE);
        for (bit, modifier) in [
            (1, KeyModifiers::SHIFT),
            (2, KeyModifiers::ALT),
            (4, KeyModifiers::CONTROL),
            (8, KeyModifiers::SUPER),
            (16, KeyModifiers::HYPER),
            (32, KeyModifiers::META),
        ] {
            modifiers.set(modifier, bits & bit != 0);
        }
        state.set(KeyEventState::CAPS_LOCK, bits & 64 != 0);
        state.set(KeyEventState::NUM_LOCK, bits & 128 != 0);
        let kind = match self.sub(at, 1) {
            Some(2) => KeyEventKind::Repeat,
            Some(3) => KeyEventKind::Release,
            _ => KeyEventKind::Press,
        };
        KeyEvent { code, modifiers, kind, state }
    }
}
