//! Questions that the remote asks its terminal, for the time that the panel is drawn over it: what is answered
//! here, what is passed on, what is dropped, and which reply belongs to which question. Values only.

mod outstanding;
mod places;

use crate::terminal::Size;
pub use outstanding::{Outstanding, Reply, find_place, is_reply};
pub use places::CursorPlaces;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Query {
    /// DA1, DA2, DA3.
    Attributes(u8),
    /// DSR 5: "are you well".
    Status,
    /// CPR, DECXCPR (`extended`): the cursor's place at the moment of the question, from 1, as origin mode has it.
    Cursor {
        row: u16,
        col: u16,
        extended: bool,
    },
    /// DECRQM.
    Mode {
        private: bool,
        mode: u16,
    },
    /// XTVERSION.
    Version,
    /// kitty's `CSI ? u`.
    Keyboard,
    /// OSC 4, 10 to 19 with `?`: the payload.
    Colour(Vec<u8>),
    /// `CSI 14 t` (text area in pixels), 16 (a cell in pixels), 18 (text area in cells).
    Window(u16),
    /// XTGETTCAP, DECRQSS: replies of any form.
    Capability,
    /// A report of the title, which the remote chose itself.
    Title,
    /// OSC 52 with `?`.
    Clipboard,
    Other,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// To ssh, as if typed.
    Local(Vec<u8>),
    /// To the outer terminal; the reply is awaited by `Outstanding`.
    Forward(Vec<u8>),
    Drop,
}

/// `size` is that of the terminal which the remote sees. Only questions whose replies have a fixed grammar are
/// passed on: a title or a clipboard could say anything, and land in the panel or in a shell.
pub fn answer(query: &Query, size: Size) -> Answer {
    let csi = |text: String| format!("\x1b[{text}").into_bytes();
    match query {
        Query::Status => Answer::Local(csi("0n".into())),
        Query::Cursor { row, col, extended: false } => Answer::Local(csi(format!("{row};{col}R"))),
        Query::Cursor { row, col, extended: true } => Answer::Local(csi(format!("?{row};{col}R"))),
        Query::Window(18) => Answer::Local(csi(format!("8;{};{}t", size.rows, size.cols))),
        Query::Window(14) if size.xpixel > 0 && size.ypixel > 0 => {
            Answer::Local(csi(format!("4;{};{}t", size.ypixel, size.xpixel)))
        }
        Query::Window(16) if size.xpixel > 0 && size.ypixel > 0 => {
            let (rows, cols) = (size.rows.max(1), size.cols.max(1));
            Answer::Local(csi(format!("6;{};{}t", size.ypixel / rows, size.xpixel / cols)))
        }
        Query::Attributes(1) => Answer::Forward(csi("c".into())),
        Query::Attributes(2) => Answer::Forward(csi(">c".into())),
        Query::Attributes(3) => Answer::Forward(csi("=c".into())),
        Query::Mode { private: true, mode } => Answer::Forward(csi(format!("?{mode}$p"))),
        Query::Mode { private: false, mode } => Answer::Forward(csi(format!("{mode}$p"))),
        Query::Version => Answer::Forward(csi(">q".into())),
        Query::Keyboard => Answer::Forward(csi("?u".into())),
        Query::Colour(payload) if is_one_colour(payload) => {
            Answer::Forward([b"\x1b]", &payload[..], b"\x1b\\"].concat())
        }
        _ => Answer::Drop,
    }
}

/// `4;N;?` or `10;?`, `11;?`, `12;?`: one question, one reply.
fn is_one_colour(payload: &[u8]) -> bool {
    let is_index = |digits: &[u8]| (1..=3).contains(&digits.len()) && digits.iter().all(u8::is_ascii_digit);
    match payload.split(|b| *b == b';').collect::<Vec<_>>()[..] {
        [b"4", index, b"?"] => is_index(index),
        [b"10" | b"11" | b"12", b"?"] => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: Size = Size { cols: 80, rows: 24, xpixel: 800, ypixel: 480 };

    #[test]
    fn places_and_sizes_are_answered_here() {
        let local = |query, text: &str| {
            assert_eq!(answer(&query, SIZE), Answer::Local(format!("\x1b[{text}").into_bytes()));
        };
        local(Query::Cursor { row: 3, col: 7, extended: false }, "3;7R");
        local(Query::Cursor { row: 3, col: 7, extended: true }, "?3;7R");
        local(Query::Status, "0n");
        local(Query::Window(14), "4;480;800t");
        local(Query::Window(16), "6;20;10t");
        local(Query::Window(18), "8;24;80t");
        assert_eq!(answer(&Query::Window(14), Size::new(80, 24)), Answer::Drop);
    }

    #[test]
    fn what_could_come_back_as_anything_is_dropped() {
        for query in [Query::Title, Query::Clipboard, Query::Capability, Query::Window(21), Query::Other] {
            assert_eq!(answer(&query, SIZE), Answer::Drop);
        }
        assert_eq!(answer(&Query::Colour(b"4;1;?;2;?".to_vec()), SIZE), Answer::Drop);
        let forward = answer(&Query::Colour(b"11;?".to_vec()), SIZE);
        assert_eq!(forward, Answer::Forward(b"\x1b]11;?\x1b\\".to_vec()));
    }
}
