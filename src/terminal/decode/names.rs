//! Numbers and letters of key sequences: xterm's, VT220's, the Linux console's and kitty's.

use crossterm::event::{KeyCode, KeyEventState, MediaKeyCode, ModifierKeyCode};

/// The final letter of `CSI …` and `ESC O …`.
pub(super) fn letter(last: u8) -> Option<KeyCode> {
    Some(match last {
        b'A' => KeyCode::Up,
        b'B' => KeyCode::Down,
        b'C' => KeyCode::Right,
        b'D' => KeyCode::Left,
        b'E' => KeyCode::KeypadBegin,
        b'F' => KeyCode::End,
        b'H' => KeyCode::Home,
        b'P'..=b'S' => KeyCode::F(last - b'P' + 1),
        _ => return None,
    })
}

/// The number of `CSI … ~`.
pub(super) fn number(number: u32) -> Option<KeyCode> {
    Some(match number {
        1 | 7 => KeyCode::Home,
        2 => KeyCode::Insert,
        3 => KeyCode::Delete,
        4 | 8 => KeyCode::End,
        5 => KeyCode::PageUp,
        6 => KeyCode::PageDown,
        // The gaps are the VT220's.
        11..=15 => KeyCode::F(number as u8 - 10),
        17..=21 => KeyCode::F(number as u8 - 11),
        23..=26 => KeyCode::F(number as u8 - 12),
        28 | 29 => KeyCode::F(number as u8 - 13),
        31..=34 => KeyCode::F(number as u8 - 14),
        _ => return None,
    })
}

/// A Unicode code point, or one of kitty's numbers in the private use area.
pub(super) fn codepoint(code: u32) -> Option<(KeyCode, KeyEventState)> {
    let key = match code {
        9 => KeyCode::Tab,
        13 => KeyCode::Enter,
        27 => KeyCode::Esc,
        8 | 127 => KeyCode::Backspace,
        57358 => KeyCode::CapsLock,
        57359 => KeyCode::ScrollLock,
        57360 => KeyCode::NumLock,
        57361 => KeyCode::PrintScreen,
        57362 => KeyCode::Pause,
        57363 => KeyCode::Menu,
        57376..=57398 => KeyCode::F((code - 57376) as u8 + 13),
        57399..=57427 => return Some((keypad(code)?, KeyEventState::KEYPAD)),
        57428..=57440 => KeyCode::Media(*MEDIA.get((code - 57428) as usize)?),
        57441..=57454 => KeyCode::Modifier(*MODIFIERS.get((code - 57441) as usize)?),
        57344..=63743 => return None,
        _ => KeyCode::Char(char::from_u32(code).filter(|c| !c.is_control())?),
    };
    Some((key, KeyEventState::NONE))
}

fn keypad(code: u32) -> Option<KeyCode> {
    Some(match code {
        57399..=57408 => KeyCode::Char(char::from_digit(code - 57399, 10)?),
        57409 => KeyCode::Char('.'),
        57410 => KeyCode::Char('/'),
        57411 => KeyCode::Char('*'),
        57412 => KeyCode::Char('-'),
        57413 => KeyCode::Char('+'),
        57414 => KeyCode::Enter,
        57415 => KeyCode::Char('='),
        57416 => KeyCode::Char(','),
        57417 => KeyCode::Left,
        57418 => KeyCode::Right,
        57419 => KeyCode::Up,
        57420 => KeyCode::Down,
        57421 => KeyCode::PageUp,
        57422 => KeyCode::PageDown,
        57423 => KeyCode::Home,
        57424 => KeyCode::End,
        57425 => KeyCode::Insert,
        57426 => KeyCode::Delete,
        57427 => KeyCode::KeypadBegin,
        _ => return None,
    })
}

const MEDIA: [MediaKeyCode; 13] = [
    MediaKeyCode::Play,
    MediaKeyCode::Pause,
    MediaKeyCode::PlayPause,
    MediaKeyCode::Reverse,
    MediaKeyCode::Stop,
    MediaKeyCode::FastForward,
    MediaKeyCode::Rewind,
    MediaKeyCode::TrackNext,
    MediaKeyCode::TrackPrevious,
    MediaKeyCode::Record,
    MediaKeyCode::LowerVolume,
    MediaKeyCode::RaiseVolume,
    MediaKeyCode::MuteVolume,
];

const MODIFIERS: [ModifierKeyCode; 14] = [
    ModifierKeyCode::LeftShift,
    ModifierKeyCode::LeftControl,
    ModifierKeyCode::LeftAlt,
    ModifierKeyCode::LeftSuper,
    ModifierKeyCode::LeftHyper,
    ModifierKeyCode::LeftMeta,
    ModifierKeyCode::RightShift,
    ModifierKeyCode::RightControl,
    ModifierKeyCode::RightAlt,
    ModifierKeyCode::RightSuper,
    ModifierKeyCode::RightHyper,
    ModifierKeyCode::RightMeta,
    ModifierKeyCode::IsoLevel3Shift,
    ModifierKeyCode::IsoLevel5Shift,
];

/// What Shift makes of a key, where the terminal does not say. For punctuation the US layout is assumed: a guess,
/// but without one `?` could not be typed at all after the prefix under a program that asks for every key as a code.
pub(super) fn shifted(c: char) -> char {
    const PLAIN: &str = "`1234567890-=[]\\;',./";
    const SHIFTED: &str = "~!@#$%^&*()_+{}|:\"<>?";
    if let Some((_, shifted)) = PLAIN.chars().zip(SHIFTED.chars()).find(|(plain, _)| *plain == c) {
        return shifted;
    }
    let mut upper = c.to_uppercase();
    match (upper.next(), upper.next()) {
        (Some(one), None) => one,
        _ => c,
    }
}
