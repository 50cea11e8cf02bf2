//! What a hostile remote prints costs neither stack nor memory without end: nothing recurses with the input, and what
//! is not text leaves next to nothing behind. An overflow or a failed allocation could not be caught.
#![allow(clippy::unwrap_used)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use aissh::shell::Observer;
use aissh::terminal::{Modes, Size};

/// Counts what is allocated.
struct Counter;

static LIVE: AtomicUsize = AtomicUsize::new(0);

#[global_allocator]
static ALLOCATOR: Counter = Counter;

// SAFETY: everything is the system allocator's; the count beside it changes nothing.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Counter {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LIVE.fetch_add(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's promises are passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's promises are passed on.
        unsafe { System.dealloc(at, layout) }
    }
}

/// A tenth of what a thread has by default, for code that is not optimised.
const STACK: usize = 200 << 10;
/// What may stay of a stream that is no text.
const KEPT: usize = 300 << 10;
const LENGTH: usize = 512 << 10;

fn streams() -> Vec<(&'static str, Vec<u8>)> {
    let endless = |start: &[u8], rest: &[u8]| [start, &rest.repeat(LENGTH / rest.len())].concat();
    let numbered = |make: fn(usize) -> String| (0..5_000).map(make).collect::<String>().into_bytes();
    vec![
        ("an OSC without end", endless(b"\x1b]0;", b"x")),
        ("a DCS without end", endless(b"\x1bP", b"q")),
        ("an APC without end", endless(b"\x1b_G", b"=")),
        ("a CSI without end", endless(b"\x1b[", b"1;")),
        ("a CSI of colons", endless(b"\x1b[4", b":3")),
        ("ESC", endless(b"", b"\x1b")),
        ("one cell with marks", endless(b"x", "\u{301}".as_bytes())),
        ("joined emoji in one place", endless(b"", "\r\u{1f469}\u{200d}\u{1f467}".as_bytes())),
        ("saved cursors", endless(b"", b"\x1b7\x1b[s")),
        ("keyboard flags", endless(b"", b"\x1b[>1u")),
        ("alternate screens", endless(b"", b"\x1b[?1049h")),
        ("held back drawing", endless(b"\x1b[?2026h", b"\rx")),
        ("modes", numbered(|n| format!("\x1b[?{n}h"))),
        ("titles", numbered(|n| format!("\x1b]2;{n}{}\x07", "t".repeat(40)))),
        ("links", numbered(|n| format!("\r\x1b]8;;http://host/{n}\x1b\\x"))),
        ("directories", numbered(|n| format!("\x1b]7;file://host/{n}\x07"))),
        ("marks", numbered(|n| format!("\x1b]133;A\x07\x1b]133;C\x07\x1b]133;D;{n}\x07\r"))),
        ("contexts", numbered(|n| format!("\x1b]3008;start={n};type=shell;cwd=/{n}\x1b\\"))),
        ("tab stops", numbered(|n| format!("\r\x1b[{}C\x1bH", n % 500))),
        ("questions", endless(b"", b"\x1b[6n\x1b[c\x1b[?2026$p")),
    ]
}

#[test]
fn no_stream_takes_stack_or_memory_without_end() {
    let all = || {
        for (name, stream) in streams() {
            let before = LIVE.load(Ordering::Relaxed);
            let mut observer = Observer::new(Size::new(80, 24));
            let mut modes = Modes::new();
            let now = Instant::now();
            for chunk in stream.chunks(4096) {
                observer.feed(chunk, now);
                modes.feed(chunk);
            }
            let kept = LIVE.load(Ordering::Relaxed).saturating_sub(before);
            assert!(kept < KEPT, "{name}: {kept} bytes");
        }
    };
    std::thread::Builder::new().stack_size(STACK).spawn(all).unwrap().join().unwrap();
}
