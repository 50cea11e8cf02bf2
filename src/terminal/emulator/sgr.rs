//! SGR as vt100 0.18 reads it right: colon forms flattened, underline styles reduced, colours of underlines and
//! unknown attributes left out; and erasing without painting inverse or underlined blanks.

use crate::terminal::tokens::{Csi, number};

/// Attributes that erased cells must not get, although vt100 gives them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Pen {
    inverse: bool,
    underline: bool,
}

impl Pen {
    pub(super) fn normalise(&mut self, params: &[u8], out: &mut Vec<u8>) {
        let start = out.len();
        let mut groups = params.split(|b| *b == b';');
        while let Some(group) = groups.next() {
            let mut parts = group.split(|b| *b == b':').map(number);
            let code = parts.next().unwrap_or(0);
            let is_flat = !group.contains(&b':');
            match code {
                38 | 48 | 58 => {
                    let color = if is_flat {
                        let mut next = || groups.next().map_or(0, number);
                        flat_color(&mut next)
                    } else {
                        nested_color(&parts.collect::<Vec<_>>())
                    };
                    if let (Some(color), 38 | 48) = (color, code) {
                        write(out, start, &format!("{code};{color}"));
                    }
                }
                4 if !is_flat => self.attribute(out, start, if parts.next() == Some(0) { 24 } else { 4 }),
                21 => self.attribute(out, start, 4),
                0..=4 | 7 | 22..=24 | 27 | 30..=37 | 39..=47 | 49 | 90..=97 | 100..=107 if is_flat => {
                    self.attribute(out, start, code);
                }
                _ => {}
            }
        }
        if out.len() > start {
            out.push(b'm');
        }
    }

    fn attribute(&mut self, out: &mut Vec<u8>, start: usize, code: u16) {
        match code {
            0 => *self = Self::default(),
            4 | 24 => self.underline = code == 4,
            7 | 27 => self.inverse = code == 7,
            _ => {}
        }
        write(out, start, &code.to_string());
    }

    /// EL and ECH.
    pub(super) fn erase(self, csi: &Csi<'_>, out: &mut Vec<u8>) {
        out.extend_from_slice(self.lay_down());
        csi.write(out);
        out.extend_from_slice(self.take_up());
    }

    pub(super) fn lay_down(self) -> &'static [u8] {
        if self == Self::default() { b"" } else { b"\x1b[24;27m" }
    }

    pub(super) fn take_up(self) -> &'static [u8] {
        match (self.underline, self.inverse) {
            (false, false) => b"",
            (true, false) => b"\x1b[4m",
            (false, true) => b"\x1b[7m",
            (true, true) => b"\x1b[4;7m",
        }
    }
}

/// `5;n` or `2;r;g;b`; takes its arguments also where they are out of range, and yields nothing then.
fn flat_color(next: &mut dyn FnMut() -> u16) -> Option<String> {
    match next() {
        5 => color(&[next()]),
        2 => color(&[next(), next(), next()]),
        _ => None,
    }
}

/// `5:n`, `2:r:g:b`, or with the colour space that ISO 8613-6 has, `2::r:g:b`.
fn nested_color(parts: &[u16]) -> Option<String> {
    match parts {
        [5, index, ..] => color(&[*index]),
        [2, r, g, b] | [2, _, r, g, b, ..] => color(&[*r, *g, *b]),
        _ => None,
    }
}

fn color(values: &[u16]) -> Option<String> {
    if values.iter().any(|value| *value > 255) {
        return None;
    }
    match values {
        [index] => Some(format!("5;{index}")),
        [r, g, b] => Some(format!("2;{r};{g};{b}")),
        _ => None,
    }
}

/// vte keeps at most 32 parameters: each attribute is a sequence part, and a new sequence begins in time.
fn write(out: &mut Vec<u8>, start: usize, text: &str) {
    let current = out[start..].iter().rposition(|b| *b == b'[').map(|at| start + at);
    match current {
        Some(at) if out[at..].iter().filter(|b| **b == b';').count() < 24 => out.push(b';'),
        Some(_) => out.extend_from_slice(b"m\x1b["),
        None => out.extend_from_slice(b"\x1b["),
    }
    out.extend_from_slice(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn normalised(params: &str) -> String {
        let mut out = Vec::new();
        Pen::default().normalise(params.as_bytes(), &mut out);
        String::from_utf8(out).expect("ASCII")
    }

    #[test]
    fn known_attributes_pass_and_colon_forms_are_flattened() {
        for (given, expected) in [
            ("", "\x1b[0m"),
            ("1;;31", "\x1b[1;0;31m"),
            ("38;5;208;48;2;1;2;3", "\x1b[38;5;208;48;2;1;2;3m"),
            ("38:2::10:20:30", "\x1b[38;2;10;20;30m"),
            ("38:2:10:20:30;1", "\x1b[38;2;10;20;30;1m"),
            ("48:5:7", "\x1b[48;5;7m"),
            ("4:3", "\x1b[4m"),
            ("4:0;21", "\x1b[24;4m"),
        ] {
            assert_eq!(normalised(given), expected, "{given}");
        }
    }

    #[test]
    fn what_vt100_would_misread_is_left_out_and_never_becomes_a_reset() {
        for given in ["58;5;1", "58;2;1;2;3", "58:2::1:2:3", "5", "9;53", "38;5;999", "1:2"] {
            assert_eq!(normalised(given), "", "{given}");
        }
        assert_eq!(normalised("58;5;1;31"), "\x1b[31m");
    }

    #[test]
    fn long_runs_are_cut_before_the_parser_loses_parameters() {
        let out = normalised(&"1;38;2;1;2;3;".repeat(12));
        for part in out.split('m').filter(|part| !part.is_empty()) {
            assert!(part.split(';').count() <= 30, "{part}");
        }
    }
}
