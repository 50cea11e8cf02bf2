//! What tells an aissh below another one that it is being run by what that one ran as ssh: [`TRIED_ENV`], and a
//! descriptor that is left open.
//!
//! The variable alone would say too much: a script's OpenSSH hands it to everything it runs, and a ProxyCommand that
//! calls aissh again is no loop. But OpenSSH closes all descriptors above 2 before anything else. So while the
//! descriptor is open there is no OpenSSH in between. A script may close it, too (Python does for its children):
//! then the depth ends it.

use std::fmt;
use std::fs::File;
use std::io;
use std::os::fd::{BorrowedFd, RawFd};
use std::os::unix::fs::MetadataExt;

use nix::fcntl::{FcntlArg, fcntl};
use nix::sys::stat::fstat;

/// The descriptor's number, how many aissh there are above, and the programs named ssh that they are running:
/// device and inode of each, in hex.
pub const TRIED_ENV: &str = "AISSH_TRIED";

/// What the descriptor is open on: there everywhere, and nobody else has it open under that number.
const MARK: &str = "/";
/// Above the numbers that scripts use by themselves, and below the least limit there is (OPEN_MAX on old systems).
const LEAST_FD: RawFd = 48;
/// More jumps than anybody has through one host after the other.
const MAX_DEPTH: u32 = 16;

/// A file apart from its names: links to it have the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Identity {
    pub dev: u64,
    pub ino: u64,
}

/// What was run as ssh to come here.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Trail {
    fd: RawFd,
    depth: u32,
    pub(super) tried: Vec<Identity>,
}

impl Trail {
    /// The one that this process was started with; empty where OpenSSH was in between.
    pub(super) fn of_process() -> Self {
        let mut this = std::env::var(TRIED_ENV).ok().and_then(|text| Self::parse(&text)).unwrap_or_default();
        if this.depth < MAX_DEPTH && !is_marked(this.fd) {
            this.tried.clear();
        }
        this
    }

    /// With one more.
    pub(super) fn and(&self, program: Identity) -> Self {
        Self { fd: self.fd, depth: self.depth + 1, tried: [&self.tried[..], &[program]].concat() }
    }

    /// What is not understood is no trail: it only says where not to look.
    fn parse(text: &str) -> Option<Self> {
        let number = |hex| u64::from_str_radix(hex, 16).ok();
        let mut words = text.split(' ');
        let (fd, depth) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
        let tried = words
            .filter_map(|word| word.split_once(':'))
            .filter_map(|(dev, ino)| Some(Identity { dev: number(dev)?, ino: number(ino)? }))
            .collect();
        Some(Self { fd, depth, tried })
    }

    /// For all that this process will start or become: the variable, or none where nothing was tried.
    pub(super) fn leave(mut self) {
        if self.tried.is_empty() {
            if std::env::var_os(TRIED_ENV).is_some() {
                // SAFETY: called by the first thread before there is another.
                #[allow(unsafe_code)]
                unsafe {
                    std::env::remove_var(TRIED_ENV);
                }
            }
            return;
        }
        // Without the descriptor the depth has to do.
        self.fd = mark(LEAST_FD).unwrap_or(self.fd);
        // SAFETY: as above.
        #[allow(unsafe_code)]
        unsafe {
            std::env::set_var(TRIED_ENV, self.to_string());
        }
    }
}

impl fmt::Display for Trail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.fd, self.depth)?;
        self.tried.iter().try_for_each(|id| write!(f, " {:x}:{:x}", id.dev, id.ino))
    }
}

/// Opens the descriptor again where everything above 2 was closed on the way (the monitor's).
pub fn mark_again() {
    let trail = std::env::var(TRIED_ENV).ok().and_then(|text| Trail::parse(&text));
    if let Some(fd) = trail.map(|trail| trail.fd).filter(|&fd| !is_marked(fd)) {
        let _ = mark(fd);
    }
}

/// The first free number from there on, which then stays open.
fn mark(least: RawFd) -> io::Result<RawFd> {
    Ok(fcntl(File::open(MARK)?, FcntlArg::F_DUPFD(least))?)
}

fn is_marked(fd: RawFd) -> bool {
    if fd < LEAST_FD {
        return false;
    }
    // SAFETY: it is only looked at, and a number that is not open is an error (EBADF).
    #[allow(unsafe_code)]
    let found = fstat(unsafe { BorrowedFd::borrow_raw(fd) });
    let identity = |meta: std::fs::Metadata| (meta.dev(), meta.ino());
    // Types of st_dev and st_ino differ between systems.
    #[allow(clippy::unnecessary_cast)]
    let found = found.map(|stat| (stat.st_dev as u64, stat.st_ino as u64));
    found.is_ok_and(|found| std::fs::metadata(MARK).is_ok_and(|meta| identity(meta) == found))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trail_of_somebody_elses_making_is_read_as_far_as_it_goes() {
        let id = |dev, ino| Identity { dev, ino };
        let cases = [
            ("", None),
            ("fe00:1f", None),
            ("48", None),
            ("48 x", None),
            ("48 1", Some((48, 1, vec![]))),
            ("48 1 fe00:1f", Some((48, 1, vec![id(0xfe00, 0x1f)]))),
            ("-1 0 1:2 x 3:", Some((-1, 0, vec![id(1, 2)]))),
            ("48 1 :: -1:2 1:2:3  4:5 ", Some((48, 1, vec![id(4, 5)]))),
            ("48 1 ffffffffffffffff:0 10000000000000000:0", Some((48, 1, vec![id(u64::MAX, 0)]))),
        ];
        for (text, want) in cases {
            let want = want.map(|(fd, depth, tried)| Trail { fd, depth, tried });
            assert_eq!(Trail::parse(text), want, "{text:?}");
        }
    }

    #[test]
    fn a_trail_goes_through_the_environment_unchanged() {
        let trail =
            Trail::default().and(Identity { dev: 1, ino: 0xab }).and(Identity { dev: 0xfe00, ino: 2 });
        assert_eq!(trail.to_string(), "0 2 1:ab fe00:2");
        assert_eq!(Trail::parse(&trail.to_string()), Some(trail));
    }

    #[test]
    fn a_mark_is_a_descriptor_on_the_root() {
        let fd = mark(LEAST_FD).unwrap();
        assert!(is_marked(fd));
        nix::unistd::close(fd).unwrap();
        let other = fcntl(File::open("/dev/null").unwrap(), FcntlArg::F_DUPFD_CLOEXEC(LEAST_FD)).unwrap();
        assert!(!is_marked(other) && !is_marked(-1) && !is_marked(0));
        nix::unistd::close(other).unwrap();
    }
}
