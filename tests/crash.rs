//! A thread that overflows its stack or finds no memory ends itself and not the process. A binary of its own: the
//! handlers are the process's.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

use std::alloc::{Layout, handle_alloc_error};
use std::hint::black_box;
use std::io::Read;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::time::Duration;

use aissh::terminal::crash;

fn overflow(depth: u64) -> u64 {
    let frame = black_box([depth; 64]);
    if black_box(true) { overflow(depth + 1) + frame[0] } else { 0 }
}

#[test]
fn the_emulator_is_lost_and_told_of_and_the_process_lives() {
    let (mut ours, theirs) = UnixStream::pair().unwrap();
    ours.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    crash::install(theirs.as_fd()).unwrap();
    assert!(!crash::emulator_is_lost());
    let faults: [fn(); 3] = [
        || assert_ne!(overflow(0), 0),
        || handle_alloc_error(Layout::new::<[u8; 1 << 20]>()),
        || std::process::abort(),
    ];
    for fault in faults {
        std::thread::Builder::new().name(crash::EMULATOR.into()).spawn(fault).unwrap();
        let mut byte = [0];
        ours.read_exact(&mut byte).unwrap();
        assert!(crash::emulator_is_lost());
        assert!(!crash::emulator_is_lost(), "told once");
    }
}
