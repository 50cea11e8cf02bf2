//! Signals as events: the handlers only set a flag and write to a pipe, the poll loop does the rest.

use nix::libc;
use signal_hook::consts::{
    SIGALRM, SIGCHLD, SIGCONT, SIGHUP, SIGINT, SIGPROF, SIGQUIT, SIGTERM, SIGTSTP, SIGUSR1, SIGUSR2,
    SIGVTALRM, SIGWINCH,
};
use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Signals that people and systems send to end a program: passed on, so that what happens is up to ssh. One that is
/// left to its default action leaves the user's terminal raw (util-linux#4499).
const PASSED_ON: [i32; 9] = [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGALRM, SIGUSR1, SIGUSR2, SIGVTALRM, SIGPROF];

/// Signals that concern the wrapper itself.
const OWN: [i32; 4] = [SIGWINCH, SIGCHLD, SIGCONT, SIGTSTP];

/// The signals since the last look, as flags: several of one kind count once, as with the kernel's own.
pub struct Signals {
    pipe: UnixStream,
    flags: Vec<(i32, Arc<AtomicBool>)>,
}

impl Signals {
    /// Installs the handlers. Signals that are ignored at start (nohup, `trap '' INT`) stay ignored.
    pub fn install() -> io::Result<Self> {
        let (pipe, handler) = UnixStream::pair()?;
        pipe.set_nonblocking(true)?;
        handler.set_nonblocking(true)?;
        let mut flags = Vec::new();
        for signal in OWN.into_iter().chain(PASSED_ON) {
            // These two say what happens to us and to ssh; ignored at start or not, they are needed.
            if matches!(signal, SIGCHLD | SIGWINCH) || !is_ignored(signal) {
                let flag = Arc::new(AtomicBool::new(false));
                signal_hook::flag::register(signal, Arc::clone(&flag))?;
                signal_hook::low_level::pipe::register(signal, handler.try_clone()?)?;
                flags.push((signal, flag));
            }
        }
        Ok(Self { pipe, flags })
    }

    /// The signals that came since the last call.
    pub fn take(&mut self) -> Vec<i32> {
        let mut sink = [0; 64];
        while matches!(self.pipe.read(&mut sink), Ok(1..)) {}
        self.flags.iter().filter(|(_, flag)| flag.swap(false, Ordering::AcqRel)).map(|(s, _)| *s).collect()
    }

    /// Whether this signal is ssh's business.
    pub fn is_passed_on(signal: i32) -> bool {
        PASSED_ON.contains(&signal)
    }
}

impl AsFd for Signals {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.pipe.as_fd()
    }
}

/// Whether a signal is set to be ignored.
pub fn is_ignored(signal: i32) -> bool {
    let mut now = std::mem::MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: with a null `act`, sigaction only writes the present action into `now`; an all-zero sigaction is
    // a valid value if the call fails.
    #[allow(unsafe_code)]
    let now = unsafe {
        libc::sigaction(signal, std::ptr::null(), now.as_mut_ptr());
        now.assume_init()
    };
    now.sa_sigaction == libc::SIG_IGN
}

/// Ends this process by `signal` with its default action, as ssh ended; without a core of our own beside ssh's.
pub fn die_by(signal: i32) -> ! {
    use nix::sys::resource::{Resource, setrlimit};
    let _ = setrlimit(Resource::RLIMIT_CORE, 0, 0);
    let _ = signal_hook::low_level::emulate_default_handler(signal);
    // Signals that signal-hook does not list. Twice: Rust's own handler of SIGSEGV and SIGBUS (stack overflow)
    // first restores the default action and returns.
    let _ = signal_hook::low_level::raise(signal);
    let _ = signal_hook::low_level::raise(signal);
    // Only reached for a signal whose default action is not to end the process.
    std::process::exit(128 + signal)
}
