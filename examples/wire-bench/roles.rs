//! What the bench and the program in the place of ssh (`examples/fake-ssh`) say to each other.

/// `print TEXT BYTES` or `echo`.
pub(crate) const ENV: &str = "WIRE_BENCH_ROLE";
pub(crate) const READY: &[u8] = b"READY";
pub(crate) const DONE: &[u8] = b"DONE";
