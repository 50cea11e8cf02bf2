//! The reference: the same PTY, monitor and raw mode as aissh's, and a loop that polls, reads and writes. It parses
//! nothing and knows nothing.

use aissh::terminal::monitor::Inherit;
use aissh::terminal::pty::{Change, Given, Pty};
use aissh::terminal::tty::Tty;
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::unistd::{read, write};
use std::ffi::OsString;
use std::os::fd::AsFd;
use std::path::Path;

pub(crate) fn run(argv: &[OsString]) -> ! {
    let (program, args) = argv.split_first().expect("a program");
    let mut tty = Tty::open(std::io::stdin().as_fd()).expect("the terminal");
    let size = tty.size().expect("its size");
    let given = Given { size, modes: tty.cooked(), inherit: &Inherit::default(), ahead: &[] };
    let pty = Pty::spawn(Path::new(program), args, &given).expect("start");
    let guard = tty.raw();
    let mut buffer = vec![0; 16 * 1024];
    loop {
        let mut fds =
            [PollFd::new(tty.as_fd(), PollFlags::POLLIN), PollFd::new(pty.as_fd(), PollFlags::POLLIN)];
        let _ = poll(&mut fds, PollTimeout::NONE);
        let [from_tty, from_pty] = fds.map(|fd| fd.revents().is_some_and(|events| !events.is_empty()));
        if from_pty && !pass(&pty, &tty, &mut buffer) || from_tty && !pass(&tty, &pty, &mut buffer) {
            break;
        }
    }
    drop(guard);
    let code = loop {
        match pty.change() {
            Some(Change::Exited(code)) => break code,
            Some(Change::Killed(_)) => break 255,
            _ => std::thread::sleep(std::time::Duration::from_millis(1)),
        }
    };
    std::process::exit(code)
}

/// One read and all of its writes; `false` when either end is gone.
fn pass(from: &impl AsFd, to: &impl AsFd, buffer: &mut [u8]) -> bool {
    let n = match read(from, buffer) {
        Ok(0) => return false,
        Ok(n) => n,
        Err(Errno::EAGAIN | Errno::EINTR) => return true,
        Err(_) => return false,
    };
    let mut done = 0;
    while done < n {
        match write(to, &buffer[done..n]) {
            Ok(n) => done += n,
            Err(Errno::EINTR) => {}
            Err(Errno::EAGAIN) => {
                let _ = poll(&mut [PollFd::new(to.as_fd(), PollFlags::POLLOUT)], PollTimeout::NONE);
            }
            Err(_) => return false,
        }
    }
    true
}
