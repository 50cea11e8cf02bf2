//! Random bytes from the system.

use std::io;

use ring::rand::{SecureRandom, SystemRandom};

/// Fit for keys.
pub(crate) fn bytes<const N: usize>() -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    let failed = |_| io::Error::other("the system gives no random numbers");
    SystemRandom::new().fill(&mut bytes).map_err(failed)?;
    Ok(bytes)
}
