//! What a terminal was last told of each mode, read by Alacritty's parser: the judge for modes that Alacritty itself does
//! not keep.

use std::collections::{BTreeMap, BTreeSet};

use alacritty_terminal::vte::{Params, Perform};

/// Private modes that are on in a terminal to begin with.
const ON: [u16; 2] = [7, 25];
/// Switches that are no state of their own, or say which screen is shown.
const SWITCHES: [u16; 4] = [47, 1047, 1048, 1049];

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Ledger {
    /// Those that are not as at the beginning.
    private: BTreeMap<u16, bool>,
    ansi: BTreeSet<u16>,
    pub(crate) alternate: bool,
    keypad: bool,
    shape: u16,
    title: Option<Vec<u8>>,
    key_options: BTreeMap<u16, u16>,
    /// kitty's flags of either screen: the stack, its last the present ones.
    keyboard: [Vec<u16>; 2],
    charsets: Charsets,
    saved: [Option<Charsets>; 2],
}

type Charsets = (BTreeMap<u8, u8>, u8);

impl Ledger {
    /// Whether DECSC was used on the screen that is shown.
    pub(crate) fn has_saved(&self) -> bool {
        self.saved[usize::from(self.alternate)].is_some()
    }

    /// As it can be compared: what was saved shows by what it restores.
    pub(crate) fn settled(mut self) -> Self {
        self.saved = Default::default();
        for stack in &mut self.keyboard {
            // A stack of zeros is one that was never touched.
            if stack.iter().all(|flags| *flags == 0) {
                stack.clear();
            }
        }
        self
    }

    fn private(&mut self, mode: u16, on: bool) {
        match mode {
            47 | 1047 | 1049 => {
                if mode == 1049 && on && !self.alternate {
                    self.save();
                }
                let was = std::mem::replace(&mut self.alternate, on);
                if mode == 1049 && !on && was {
                    self.recall();
                }
            }
            1048 if on => self.save(),
            1048 => self.recall(),
            _ if SWITCHES.contains(&mode) => {}
            _ if ON.contains(&mode) == on => {
                self.private.remove(&mode);
            }
            _ => {
                self.private.insert(mode, on);
            }
        }
    }

    fn save(&mut self) {
        self.saved[usize::from(self.alternate)] = Some(self.charsets.clone());
    }

    fn recall(&mut self) {
        self.charsets = self.saved[usize::from(self.alternate)].clone().unwrap_or_default();
    }

    fn keyboard(&mut self, marker: u8, first: u16, second: Option<u16>) {
        let stack = &mut self.keyboard[usize::from(self.alternate)];
        if stack.is_empty() {
            stack.push(0);
        }
        match marker {
            b'>' => stack.push(first),
            b'<' => {
                stack.truncate(stack.len().saturating_sub(usize::from(first.max(1))));
                if stack.is_empty() {
                    stack.push(0);
                }
            }
            _ => {
                if let Some(present) = stack.last_mut() {
                    *present = match second {
                        Some(2) => *present | first,
                        Some(3) => *present & !first,
                        _ => first,
                    };
                }
            }
        }
    }

    fn soft_reset(&mut self) {
        for mode in [1, 6, 7, 25, 66] {
            self.private.remove(&mode);
        }
        (self.keypad, self.charsets, self.saved) = (false, Charsets::default(), Default::default());
        self.ansi.remove(&4);
    }
}

impl Perform for Ledger {
    fn execute(&mut self, byte: u8) {
        match byte {
            0x0e => self.charsets.1 = 1,
            0x0f => self.charsets.1 = 0,
            _ => {}
        }
    }

    fn esc_dispatch(&mut self, intermediates: &[u8], _: bool, byte: u8) {
        match (intermediates, byte) {
            ([], b'=') => self.keypad = true,
            ([], b'>') => self.keypad = false,
            ([], b'n') => self.charsets.1 = 2,
            ([], b'o') => self.charsets.1 = 3,
            ([], b'7') => self.save(),
            ([], b'8') => self.recall(),
            ([], b'c') => *self = Self::default(),
            ([set @ (b'(' | b')' | b'*' | b'+')], _) => {
                self.charsets.0.insert(*set, byte);
                self.charsets.0.retain(|_, name| *name != b'B');
            }
            _ => {}
        }
    }

    fn csi_dispatch(&mut self, params: &Params, intermediates: &[u8], _: bool, action: char) {
        let numbers: Vec<u16> = params.iter().filter_map(|sub| sub.first().copied()).collect();
        let first = numbers.first().copied().unwrap_or(0);
        match (intermediates, action) {
            (b"?", 'h' | 'l') => numbers.iter().for_each(|mode| self.private(*mode, action == 'h')),
            ([], 'h') => self.ansi.extend(&numbers),
            ([], 'l') => self.ansi.retain(|mode| !numbers.contains(mode)),
            (b" ", 'q') => self.shape = first,
            (b"!", 'p') => self.soft_reset(),
            (b">", 'm') => {
                self.key_options.remove(&first);
                self.key_options.extend(numbers.get(1).map(|value| (first, *value)));
            }
            ([marker @ (b'>' | b'<' | b'=')], 'u') => self.keyboard(*marker, first, numbers.get(1).copied()),
            ([], 's') if numbers.iter().all(|n| *n == 0) => self.save(),
            ([], 'u') if numbers.iter().all(|n| *n == 0) => self.recall(),
            _ => {}
        }
    }

    fn osc_dispatch(&mut self, params: &[&[u8]], _: bool) {
        if let [b"0" | b"2", title @ ..] = params {
            self.title = Some(title.join(&b';'));
        }
    }
}
