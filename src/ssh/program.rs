//! What a program named ssh is, told by its bytes: OpenSSH, aissh, or something else that may lead back to aissh.
//!
//! Nothing is run and nothing asked to find out: whatever it is would then be started once more than the user did.

use memchr::memmem;

/// A program that may be run as ssh.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Program {
    /// It runs nothing of ours, and its environment is the user's, to the byte.
    OpenSsh,
    /// A copy of this program, of whatever version. It would look for ssh as we do, and find us.
    Aissh,
    /// A script, a shim, another ssh: it may run `aissh` or the next `ssh` in PATH.
    Unknown,
}

/// In every OpenSSH since 2000: its version, and the versions of others that it has workarounds for.
const OPENSSH: &[u8] = b"OpenSSH_";
/// In every aissh: the variable's name, in messages and in the manual page.
const AISSH: &[u8] = b"AISSH_SSH";

/// What of the last piece may be the start of a name.
const OVERLAP: usize = AISSH.len() - 1;

/// Reads a program piece by piece.
#[derive(Debug, Default)]
pub(crate) struct Recognizer {
    /// The end of the last piece.
    tail: Vec<u8>,
    openssh: bool,
    aissh: bool,
}

impl Recognizer {
    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        // The seam first, so that the piece itself need not be copied.
        let seam = [&self.tail, &bytes[..bytes.len().min(OVERLAP)]].concat();
        for part in [&seam, bytes] {
            self.openssh = self.openssh || memmem::find(part, OPENSSH).is_some();
            self.aissh = self.aissh || memmem::find(part, AISSH).is_some();
        }
        let kept = if bytes.len() < OVERLAP { &seam } else { bytes };
        self.tail = kept[kept.len().saturating_sub(OVERLAP)..].to_vec();
    }

    /// aissh has the name of OpenSSH's version in it as well: in this file.
    pub(crate) fn program(&self) -> Program {
        match (self.aissh, self.openssh) {
            (true, _) => Program::Aissh,
            (false, true) => Program::OpenSsh,
            (false, false) => Program::Unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recognize(pieces: &[&[u8]]) -> Program {
        let mut recognizer = Recognizer::default();
        for piece in pieces {
            recognizer.feed(piece);
        }
        recognizer.program()
    }

    #[test]
    fn a_program_is_recognized_however_it_is_split() {
        let cases: [(&[u8], Program); 4] = [
            (b"\x7fELF\0..OpenSSH_9.2p1\0..", Program::OpenSsh),
            (b"\x7fELF\0..OpenSSH_\0..(set AISSH_SSH to its path)..", Program::Aissh),
            (b"AISSH_SSH..", Program::Aissh),
            (b"#!/bin/sh\nexec aissh \"$@\" # OpenSSH AISSH\n", Program::Unknown),
        ];
        for (bytes, want) in cases {
            assert_eq!(recognize(&[bytes]), want);
            for at in 0..=bytes.len() {
                for to in at..=bytes.len() {
                    assert_eq!(recognize(&[&bytes[..at], &bytes[at..to], &bytes[to..]]), want, "{at} {to}");
                }
            }
            let single: Vec<&[u8]> = bytes.chunks(1).collect();
            assert_eq!(recognize(&single), want);
        }
    }
}
