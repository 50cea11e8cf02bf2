//! SGR as vt100 0.18 reads it right: colon forms flattened, underline styles reduced, colours of underlines and
//! unknown attributes left out (`looks` has those that are known); and erasing without painting inverse or underlined
//! blanks.

use super::looks::{Look, Looks};
use crate::terminal::tokens::{Csi, number};

/// What must be known of the attributes that vt100 keeps, and those that it does not.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Pen {
    /// Erased cells must not get these two, although vt100 gives them.
    inverse: bool,
    underline: bool,
    /// A background colour, which erased cells get.
    pub(super) is_coloured: bool,
    bold: bool,
    dim: bool,
    pub(super) look: Look,
}

impl Pen {
    pub(super) fn normalise(&mut self, params: &[u8], looks: &mut Looks, out: &mut Vec<u8>) {
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
                    match color {
                        Some(color) if code == 58 => looks.colour(&mut self.look, &color),
                        Some(color) => {
                            self.is_coloured |= code == 48;
                            let color: Vec<String> = color.iter().map(u16::to_string).collect();
                            let space = if color.len() == 1 { 5 } else { 2 };
                            write(out, start, &format!("{code};{space};{}", color.join(";")));
                        }
                        None => {}
                    }
                }
                4 if !is_flat => {
                    let style = parts.next().unwrap_or(1);
                    self.attribute(out, start, if style == 0 { 24 } else { 4 });
                    self.look.underline(style);
                }
                0..=4 | 7 | 22..=24 | 27 | 30..=37 | 39..=47 | 49 | 90..=97 | 100..=107 if is_flat => {
                    self.attribute(out, start, code);
                }
                _ if is_flat => self.look.set(code),
                _ => {}
            }
        }
        if out.len() > start {
            out.push(b'm');
        }
    }

    fn attribute(&mut self, out: &mut Vec<u8>, start: usize, code: u16) {
        match code {
            0 => *self = Self { look: self.look, ..Self::default() },
            1 => self.bold = true,
            2 => self.dim = true,
            22 => (self.bold, self.dim) = (false, false),
            40..=47 | 100..=107 => self.is_coloured = true,
            49 => self.is_coloured = false,
            4 | 24 => self.underline = code == 4,
            7 | 27 => self.inverse = code == 7,
            _ => {}
        }
        self.look.set(code);
        self.look.both(self.bold && self.dim);
        write(out, start, &code.to_string());
    }

    /// EL and ECH.
    pub(super) fn erase(self, csi: &Csi<'_>, out: &mut Vec<u8>) {
        out.extend_from_slice(self.lay_down());
        csi.write(out);
        out.extend_from_slice(self.take_up());
    }

    pub(super) fn lay_down(self) -> &'static [u8] {
        if self.inverse || self.underline { b"\x1b[24;27m" } else { b"" }
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

/// An index, or red, green and blue, of `5;n` or `2;r;g;b`; takes its arguments also where they are out of range, and
/// yields nothing then.
fn flat_color(next: &mut dyn FnMut() -> u16) -> Option<Vec<u16>> {
    match next() {
        5 => color(&[next()]),
        2 => color(&[next(), next(), next()]),
        _ => None,
    }
}

/// `5:n`, `2:r:g:b`, or with the colour space that ISO 8613-6 has, `2::r:g:b`.
fn nested_color(parts: &[u16]) -> Option<Vec<u16>> {
    match parts {
        [5, index, ..] => color(&[*index]),
        [2, r, g, b] | [2, _, r, g, b, ..] => color(&[*r, *g, *b]),
        _ => None,
    }
}

fn color(values: &[u16]) -> Option<Vec<u16>> {
    values.iter().all(|value| *value <= 255).then(|| values.to_vec())
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
        Pen::default().normalise(params.as_bytes(), &mut Looks::default(), &mut out);
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
            ("4:0;4", "\x1b[24;4m"),
        ] {
            assert_eq!(normalised(given), expected, "{given}");
        }
    }

    #[test]
    fn what_vt100_would_misread_is_left_out_and_never_becomes_a_reset() {
        for given in ["58;5;1", "58;2;1;2;3", "58:2::1:2:3", "5", "9;53", "21", "38;5;999", "1:2"] {
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
