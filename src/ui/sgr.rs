//! A cell's style as SGR.
//!
//! Written here and not with crossterm: that one drops every colour when the environment has NO_COLOR, which
//! is not meant for what the remote has coloured, and it writes the 16 colours in the 256-colour form, which
//! loses "bold is bright" and is unknown to old terminals.

use ratatui::style::{Color, Modifier};

/// Modifiers and their SGR parameters.
const MODIFIERS: [(Modifier, u8); 9] = [
    (Modifier::BOLD, 1),
    (Modifier::DIM, 2),
    (Modifier::ITALIC, 3),
    (Modifier::UNDERLINED, 4),
    (Modifier::SLOW_BLINK, 5),
    (Modifier::RAPID_BLINK, 6),
    (Modifier::REVERSED, 7),
    (Modifier::HIDDEN, 8),
    (Modifier::CROSSED_OUT, 9),
];

/// What SGR can say of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Pen {
    pub(super) fg: Color,
    pub(super) bg: Color,
    pub(super) modifier: Modifier,
}

impl Pen {
    /// Everything from the ground up, so that no state of the terminal's matters.
    pub(super) fn write(self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"\x1b[0");
        for (modifier, parameter) in MODIFIERS {
            if self.modifier.contains(modifier) {
                parameter_to(out, parameter);
            }
        }
        colour(out, self.fg, 30);
        colour(out, self.bg, 40);
        out.push(b'm');
    }
}

fn parameter_to(out: &mut Vec<u8>, parameter: u8) {
    out.push(b';');
    out.extend_from_slice(parameter.to_string().as_bytes());
}

/// `base` is 30 for the foreground, 40 for the background.
fn colour(out: &mut Vec<u8>, colour: Color, base: u8) {
    let index = match colour {
        Color::Reset => return,
        Color::Rgb(r, g, b) => {
            for parameter in [base + 8, 2, r, g, b] {
                parameter_to(out, parameter);
            }
            return;
        }
        Color::Indexed(index) => index,
        Color::Black => 0,
        Color::Red => 1,
        Color::Green => 2,
        Color::Yellow => 3,
        Color::Blue => 4,
        Color::Magenta => 5,
        Color::Cyan => 6,
        Color::Gray => 7,
        Color::DarkGray => 8,
        Color::LightRed => 9,
        Color::LightGreen => 10,
        Color::LightYellow => 11,
        Color::LightBlue => 12,
        Color::LightMagenta => 13,
        Color::LightCyan => 14,
        Color::White => 15,
    };
    match index {
        0..=7 => parameter_to(out, base + index),
        8..=15 => parameter_to(out, base + 60 + index - 8),
        _ => {
            for parameter in [base + 8, 5, index] {
                parameter_to(out, parameter);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sgr(fg: Color, bg: Color, modifier: Modifier) -> String {
        let mut out = Vec::new();
        Pen { fg, bg, modifier }.write(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn colours_and_attributes_are_said_in_their_shortest_form() {
        assert_eq!(sgr(Color::Reset, Color::Reset, Modifier::empty()), "\x1b[0m");
        assert_eq!(sgr(Color::Red, Color::LightBlue, Modifier::BOLD | Modifier::DIM), "\x1b[0;1;2;31;104m");
        assert_eq!(sgr(Color::Indexed(3), Color::Indexed(200), Modifier::REVERSED), "\x1b[0;7;33;48;5;200m");
        assert_eq!(sgr(Color::Rgb(1, 2, 3), Color::Reset, Modifier::empty()), "\x1b[0;38;2;1;2;3m");
    }
}
