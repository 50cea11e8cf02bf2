//! Faults that unwinding does not reach: abort (out of memory, a panic while panicking), a stack overflow, a signal
//! whose default action ends the process. What is left to do is done in the signal handler: on the main thread the
//! terminal is given back before the process dies of it; any other thread stops for good, and the session goes on
//! without it.
//!
//! A thread that is stopped keeps what it held. Should that be the allocator's lock, the session hangs: it is a chance,
//! not a guarantee. SIGKILL, the kernel's own when memory is short, reaches nobody.

use super::signals::is_ignored;
use nix::libc;
use nix::sys::termios::Termios;
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, IntoRawFd};
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU8, AtomicUsize, Ordering};

/// Those whose default action ends a process, without the ones that are passed on to ssh and the two that cannot be
/// caught.
const FATAL: [i32; 8] = [
    libc::SIGABRT,
    libc::SIGSEGV,
    libc::SIGBUS,
    libc::SIGILL,
    libc::SIGFPE,
    libc::SIGTRAP,
    libc::SIGSYS,
    libc::SIGXCPU,
];

/// Name of the thread whose loss somebody asks for ([`emulator_is_lost`]); 15 bytes at most, as the kernel keeps it.
pub const EMULATOR: &str = "emulator";

/// More than the panel ever needs to leave; longer ones are not kept.
const LEAVE_LIMIT: usize = 256;

static TERMINAL: AtomicI32 = AtomicI32::new(-1);
static COOKED: Bytes<{ size_of::<libc::termios>() }> = Bytes::new();
static LEAVE: Bytes<LEAVE_LIMIT> = Bytes::new();
static LOST: AtomicBool = AtomicBool::new(false);
static WAKE: AtomicI32 = AtomicI32::new(-1);

/// Bytes that a signal handler may read at any time. One that comes in the middle of a change reads a mixture, which
/// here is no worse than the old or the new.
struct Bytes<const N: usize> {
    len: AtomicUsize,
    bytes: [AtomicU8; N],
}

impl<const N: usize> Bytes<N> {
    const fn new() -> Self {
        Self { len: AtomicUsize::new(0), bytes: [const { AtomicU8::new(0) }; N] }
    }

    fn set(&self, bytes: &[u8]) {
        let kept = if bytes.len() > N { &[] } else { bytes };
        self.len.store(0, Ordering::SeqCst);
        for (to, from) in self.bytes.iter().zip(kept) {
            to.store(*from, Ordering::SeqCst);
        }
        self.len.store(kept.len(), Ordering::SeqCst);
    }

    fn get(&self) -> ([u8; N], usize) {
        let mut copy = [0; N];
        for (to, from) in copy.iter_mut().zip(&self.bytes) {
            *to = from.load(Ordering::SeqCst);
        }
        (copy, self.len.load(Ordering::SeqCst))
    }
}

/// Installs the handlers, on the alternate stack that Rust gives each thread. What is ignored stays ignored. `wake` is
/// written to when the emulator was lost.
pub fn install(wake: BorrowedFd<'_>) -> io::Result<()> {
    // Open for good: its number must never mean something else.
    WAKE.store(wake.try_clone_to_owned()?.into_raw_fd(), Ordering::SeqCst);
    for signal in FATAL.into_iter().filter(|signal| !is_ignored(*signal)) {
        handle(signal, on_fault)?;
    }
    // A file that may not grow (ulimit -f) is an error of the write, as a full disk is, and no reason to die.
    if !is_ignored(libc::SIGXFSZ) {
        handle(libc::SIGXFSZ, on_limit)?;
    }
    Ok(())
}

extern "C" fn on_limit(_signal: i32) {}

fn handle(signal: i32, handler: extern "C" fn(i32)) -> io::Result<()> {
    // SAFETY: both handlers only make async-signal-safe calls and touch atomics; the structure is all zero but for what is
    // set, which is a valid sigaction with an empty mask.
    #[allow(unsafe_code)]
    let done = unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handler as usize;
        action.sa_flags = libc::SA_ONSTACK;
        libc::sigaction(signal, &action, std::ptr::null_mut())
    };
    if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// The terminal has been made raw: how it was before.
pub(super) fn arm(terminal: BorrowedFd<'_>, cooked: &Termios) {
    let cooked: libc::termios = cooked.clone().into();
    // SAFETY: a termios is plain integers; every byte of it may be read.
    #[allow(unsafe_code)]
    let bytes = unsafe {
        std::slice::from_raw_parts(std::ptr::from_ref(&cooked).cast::<u8>(), size_of::<libc::termios>())
    };
    COOKED.set(bytes);
    LEAVE.set(&[]);
    TERMINAL.store(terminal.as_raw_fd(), Ordering::SeqCst);
}

/// Bytes that come before the settings.
pub(super) fn on_leave(bytes: &[u8]) {
    LEAVE.set(bytes);
}

/// The terminal has been given back.
pub(super) fn disarm() {
    TERMINAL.store(-1, Ordering::SeqCst);
}

/// Whether the emulator's thread has been lost since the last call.
pub fn emulator_is_lost() -> bool {
    LOST.swap(false, Ordering::SeqCst)
}

extern "C" fn on_fault(signal: i32) {
    if !is_main_thread() {
        stop_this_thread();
    }
    give_back();
    // SAFETY: both are async-signal-safe. The signal is blocked until this returns; then it ends the process, unless a
    // fault does so before.
    #[allow(unsafe_code)]
    unsafe {
        libc::signal(signal, libc::SIG_DFL);
        libc::raise(signal);
    }
}

fn is_main_thread() -> bool {
    #[cfg(target_os = "linux")]
    {
        nix::unistd::gettid() == nix::unistd::getpid()
    }
    #[cfg(not(target_os = "linux"))]
    {
        // SAFETY: takes nothing and only compares.
        #[allow(unsafe_code)]
        unsafe {
            libc::pthread_main_np() != 0
        }
    }
}

fn stop_this_thread() -> ! {
    if is_emulator() {
        LOST.store(true, Ordering::SeqCst);
        put(WAKE.load(Ordering::SeqCst), b"!");
    }
    loop {
        // SAFETY: pause(2) only waits.
        #[allow(unsafe_code)]
        unsafe {
            libc::pause();
        }
    }
}

fn is_emulator() -> bool {
    let mut name = [0u8; 16];
    // SAFETY: both write at most 16 bytes with a final zero. On Linux the kernel is asked; elsewhere the name is read from
    // the thread's own memory.
    #[allow(unsafe_code)]
    unsafe {
        #[cfg(target_os = "linux")]
        libc::prctl(libc::PR_GET_NAME, name.as_mut_ptr());
        #[cfg(not(target_os = "linux"))]
        libc::pthread_getname_np(libc::pthread_self(), name.as_mut_ptr().cast(), name.len());
    }
    name.starts_with(EMULATOR.as_bytes())
}

fn give_back() {
    let fd = TERMINAL.swap(-1, Ordering::SeqCst);
    if fd < 0 {
        return;
    }
    let (bytes, len) = LEAVE.get();
    put(fd, bytes.get(..len).unwrap_or_default());
    let (cooked, len) = COOKED.get();
    if len != cooked.len() {
        return;
    }
    // SAFETY: the bytes are those of a termios, whatever their mixture, and are read without alignment; tcsetattr is
    // async-signal-safe. SIGTTOU would stop a background process here, before it can die.
    #[allow(unsafe_code)]
    unsafe {
        let cooked: libc::termios = std::ptr::read_unaligned(cooked.as_ptr().cast());
        libc::signal(libc::SIGTTOU, libc::SIG_IGN);
        libc::tcsetattr(fd, libc::TCSANOW, &cooked);
    }
}

/// Once, as far as it goes: there is no waiting in a handler.
fn put(fd: i32, bytes: &[u8]) {
    // SAFETY: write(2) is async-signal-safe and reads `bytes` only; a descriptor that is closed is an error.
    #[allow(unsafe_code)]
    unsafe {
        libc::write(fd, bytes.as_ptr().cast(), bytes.len());
    }
}
