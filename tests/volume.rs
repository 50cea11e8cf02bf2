//! Much, fast and against resistance: every byte arrives, nothing grows, and keys get through.
#![allow(clippy::unwrap_used)]

mod support;

use std::fs::{self, File};
use std::io::{ErrorKind, Read, Write};
use std::os::fd::AsFd;
use std::process::{Child, Command};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::pty::Winsize;
use nix::unistd::Pid;
use support::aissh::Run;
use support::both::{Way, same};
use support::lab::Lab;
use support::process::{wait_asleep, wait_file};
use support::terminal::{Exit, Size};
use support::{DEADLINE, tty};

const UNSEEN: &[Way] = &[Way::Alone, Way::Hidden];
const ALL: &[Way] = &[Way::Alone, Way::Hidden, Way::Shown];

/// A terminal that takes what it is given, as fast or as slowly as the test does.
struct Wire {
    master: File,
    child: Child,
}

impl Wire {
    fn start(run: &Run<'_>, lab: &Lab) -> Self {
        let mut command = Command::new(run.program());
        command.args(run.args()).env_clear().envs(lab.env());
        let size = Winsize { ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0 };
        let (master, child) = tty::spawn(&mut command, size).unwrap();
        Self { master, child }
    }

    fn pid(&self) -> Pid {
        Pid::from_raw(self.child.id() as i32)
    }

    /// Waits until it can be read or written.
    fn wait(&self, flags: PollFlags) {
        let mut fds = [PollFd::new(self.master.as_fd(), flags)];
        let timeout = PollTimeout::try_from(DEADLINE).unwrap();
        assert_ne!(poll(&mut fds, timeout), Ok(0), "nothing moves");
    }

    /// Some bytes; none at the end.
    fn read(&self, buffer: &mut [u8]) -> usize {
        loop {
            match (&self.master).read(buffer) {
                Ok(count) => return count,
                Err(error) if error.kind() == ErrorKind::WouldBlock => self.wait(PollFlags::POLLIN),
                // EIO: the last holder of the other side is gone.
                Err(_) => return 0,
            }
        }
    }

    fn write(&self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            match (&self.master).write(bytes) {
                Ok(count) => bytes = &bytes[count..],
                Err(error) if error.kind() == ErrorKind::WouldBlock => self.wait(PollFlags::POLLOUT),
                Err(error) => panic!("typing: {error}"),
            }
        }
    }

    /// Reads up to and including this word.
    fn read_to(&self, word: &[u8]) {
        let (mut byte, mut seen) = ([0], Vec::new());
        while !seen.ends_with(word) {
            assert_ne!(self.read(&mut byte), 0, "ended after {}", seen.escape_ascii());
            seen.push(byte[0]);
        }
    }

    /// Reads to the end; how many bytes that were, and the status.
    fn finish(mut self) -> (usize, Option<i32>) {
        let mut buffer = vec![0; 1 << 16];
        let mut total = 0;
        loop {
            match self.read(&mut buffer) {
                0 => break,
                count => total += count,
            }
        }
        (total, self.child.wait().unwrap().code())
    }
}

/// One block of random bytes without Ctrl-\, which is the panel's; it is sent again and again.
fn random_block() -> Vec<u8> {
    let mut block = vec![0; 1 << 20];
    File::open("/dev/urandom").unwrap().read_exact(&mut block).unwrap();
    block.iter_mut().filter(|byte| **byte == 0x1c).for_each(|byte| *byte = 0x1d);
    block
}

/// Sends so many MiB to a remote that sends them back, and compares each.
fn there_and_back(way: Way, mib: usize) {
    let lab = Lab::start();
    let block = random_block();
    let remote = format!("stty raw -echo; printf READY; head -c {}; exit 7", mib * block.len());
    let wire = Wire::start(&way.run(&lab).ssh(&["-e", "none", "-t", "lab", &remote]), &lab);
    wire.read_to(b"READY");
    std::thread::scope(|scope| {
        scope.spawn(|| (0..mib).for_each(|_| wire.write(&block)));
        let mut back = vec![0; 1 << 16];
        let mut at = 0;
        while at < mib * block.len() {
            let most = back.len().min(block.len() - at % block.len());
            let count = wire.read(&mut back[..most]);
            assert_ne!(count, 0, "{way:?}: ended at {at}");
            let sent = &block[at % block.len()..][..count];
            let same = back.iter().zip(sent).take_while(|(a, b)| a == b).count();
            assert_eq!(same, count, "{way:?}: another byte at {}", at + same);
            at += count;
        }
    });
    assert_eq!(wire.finish().1, Some(7));
}

#[test]
fn random_bytes_come_back_unchanged() {
    for way in UNSEEN {
        there_and_back(*way, 16);
    }
}

#[test]
#[ignore = "takes minutes; scripts/gigabyte runs it"]
fn a_gibibyte_of_random_bytes_comes_back_unchanged() {
    for way in UNSEEN {
        there_and_back(*way, 1024);
    }
}

/// Of a process that may just have ended.
fn peak_memory(process: Pid) -> usize {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    peak.map_or(0, |peak| peak.trim().trim_end_matches(" kB").parse::<usize>().unwrap() << 10)
}

#[test]
fn a_terminal_that_does_not_read_holds_the_remote_and_loses_no_key() {
    let lab = Lab::start();
    let remote = "trap 'touch $HOME/got; exit 5' INT; printf READY; yes 'a flood'; exit 6";
    let (held, status) = same(ALL, |way| {
        let got = lab.home().join("got");
        let _ = fs::remove_file(&got);
        let wire = Wire::start(&way.run(&lab).ssh(&["-t", "lab", remote]), &lab);
        if way == Way::Shown {
            // Between the letters of a drawn word there may be sequences.
            wire.read_to(b"Intent");
        } else {
            wire.read_to(b"READY");
        }
        // From here on nobody reads. ssh alone may then sleep in write(2), and takes keys when that is over; the panel
        // reads on, and draws when the terminal lets it.
        if way != Way::Shown {
            wait_asleep(wire.pid());
        }
        wire.write(b"\x03");
        if way == Way::Shown {
            wait_file(&got);
        }
        let peak = peak_memory(wire.pid());
        assert!(peak < 64 << 20, "{way:?}: {peak} bytes");
        let (total, status) = wire.finish();
        wait_file(&got);
        // What was on its way is bounded: ssh's window, the sockets, our queue.
        (total < 64 << 20, status)
    });
    assert!(held);
    assert_eq!(status, Some(5));
}

#[test]
fn a_megabyte_is_pasted_into_a_file() {
    let lab = Lab::start();
    let line = |n: usize| format!("{n:06} the quick brown fox jumps over the lazy dog \u{00e9}\u{6f22}\n");
    let text: String = (0..20_000).map(line).collect();
    assert!(text.len() > 1 << 20);
    let pasted = same(ALL, |way| {
        let remote = "stty -echo; printf READY; cat > $HOME/pasted; exit 8";
        let terminal = way.run(&lab).ssh(&["-t", "lab", remote]).start();
        terminal.wait_text("READY");
        if way == Way::Shown {
            support::aissh::wait_panel(&terminal);
            // The panel has the terminal mark every paste, and takes the marks out for this remote.
            terminal.send("\x1b[200~");
        }
        terminal.send(&text);
        if way == Way::Shown {
            terminal.send("\x1b[201~");
        }
        terminal.send("\x04");
        assert_eq!(terminal.wait_exit(), Exit::Code(8));
        fs::read_to_string(lab.home().join("pasted")).unwrap() == text
    });
    assert!(pasted);
}

#[test]
fn a_storm_of_sizes_ends_in_the_last_one() {
    let lab = Lab::start();
    same(ALL, |way| {
        let terminal = way.at_prompt(&lab);
        terminal.type_line("seq 20000");
        for n in 0..400u16 {
            let (cols, rows) = (2 + n * 7 % 200, 2 + n * 13 % 70);
            terminal.resize(Size { cols, rows });
        }
        terminal.resize(Size { cols: 97, rows: 31 });
        // ssh is told by a signal, and tells the remote: the keys may be faster.
        terminal.type_line("until [ \"$(stty size)\" = '31 97' ]; do sleep 0.02; done; exit 9");
        assert_eq!(terminal.wait_exit(), Exit::Code(9));
    });
}
