//! getopt over ssh's arguments: which are options, values, the destination, the command. Knows the letters, not
//! what they do.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

/// The getopt string of OpenSSH 10 (ssh.c): a colon after a letter that takes a value. It is the newest one on
/// purpose: a letter that an older ssh does not know makes that ssh print its usage, wrapped or not. (`-P` took no
/// value before 9.4, where it also did nothing: with it, ssh is asked.)
const OPTIONS: &[u8] = b"1246ACGKMNTVXYZafgknqstvxyB:D:E:F:I:J:L:O:P:Q:R:S:W:b:c:e:i:l:m:o:p:w:";

/// Whether a letter is an option, and then whether it takes a value.
fn takes_value(letter: u8) -> Option<bool> {
    let at = OPTIONS.iter().position(|&known| known == letter && letter != b':')?;
    Some(OPTIONS.get(at + 1) == Some(&b':'))
}

/// One piece of the command line, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Item<'a> {
    Flag(u8),
    Value {
        letter: u8,
        value: &'a OsStr,
        /// In the same argument (`-p22`), not the next.
        attached: bool,
    },
    /// A letter that ssh does not have, or a value that is missing.
    Bad,
    /// `--name…`: to ssh an error.
    Long(&'a OsStr),
    /// `--`
    End,
    Destination(&'a OsStr),
    /// What follows the destination and its options; never empty.
    Command(&'a [OsString]),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Options, then the destination.
    Before,
    /// `--` was seen: the destination is next, whatever it looks like.
    Terminated,
    /// Options once more, then the command.
    After,
    /// The command, whatever it looks like.
    Rest,
}

/// An iterator over [`Item`]s.
#[derive(Debug)]
pub(crate) struct Walk<'a> {
    args: &'a [OsString],
    next: usize,
    /// Letters of the current argument that are still to be read.
    cluster: &'a [u8],
    phase: Phase,
}

impl<'a> Walk<'a> {
    pub(crate) fn new(args: &'a [OsString]) -> Self {
        Self { args, next: 0, cluster: &[], phase: Phase::Before }
    }

    /// Index of the next argument that was not begun.
    pub(crate) fn position(&self) -> usize {
        self.next
    }

    /// Steps over an argument that is not ssh's.
    pub(crate) fn pass_over(&mut self) {
        self.next = (self.next + 1).min(self.args.len());
    }

    fn letter(&mut self) -> Option<Item<'a>> {
        let (&letter, rest) = self.cluster.split_first()?;
        self.cluster = rest;
        if letter == b'-' && rest.is_empty() {
            // getopt stops at the '-' of `-v-` without stepping over it: the whole argument is a plain word too.
            self.next -= 1;
            return self.plain();
        }
        Some(match takes_value(letter) {
            None => Item::Bad,
            Some(false) => Item::Flag(letter),
            Some(true) if !rest.is_empty() => {
                self.cluster = &[];
                Item::Value { letter, value: OsStr::from_bytes(rest), attached: true }
            }
            Some(true) => match self.args.get(self.next) {
                Some(value) => {
                    self.next += 1;
                    Item::Value { letter, value, attached: false }
                }
                None => Item::Bad,
            },
        })
    }

    /// The next argument as a word: the destination, or the start of the command.
    fn plain(&mut self) -> Option<Item<'a>> {
        let arg = self.args.get(self.next)?;
        match self.phase {
            Phase::Before | Phase::Terminated => {
                // ssh looks whether the argument before the destination is "--", so that an option's value of
                // that spelling (`-l -- host`) ends the options too.
                let ended = self.next > 0 && self.args[self.next - 1] == "--";
                self.phase = if ended { Phase::Rest } else { Phase::After };
                self.next += 1;
                Some(Item::Destination(arg))
            }
            Phase::After | Phase::Rest => {
                let words = &self.args[self.next..];
                self.next = self.args.len();
                Some(Item::Command(words))
            }
        }
    }

    fn option(&mut self, arg: &'a OsStr) -> Option<Item<'a>> {
        self.next += 1;
        match arg.as_bytes() {
            b"--" => {
                self.phase = if self.phase == Phase::Before { Phase::Terminated } else { Phase::Rest };
                Some(Item::End)
            }
            [b'-', b'-', ..] => Some(Item::Long(arg)),
            bytes => {
                self.cluster = &bytes[1..];
                self.letter()
            }
        }
    }
}

impl<'a> Iterator for Walk<'a> {
    type Item = Item<'a>;

    fn next(&mut self) -> Option<Item<'a>> {
        if !self.cluster.is_empty() {
            return self.letter();
        }
        let arg = self.args.get(self.next)?;
        let bytes = arg.as_bytes();
        let is_option = bytes.len() > 1 && bytes[0] == b'-';
        match self.phase {
            Phase::Before | Phase::After if is_option => self.option(arg),
            _ => self.plain(),
        }
    }
}
