//! What can go wrong at the top, and the exit statuses that say so.
//!
//! Modules below use their own small enums where a caller branches on the kind; this one only carries the
//! sentence for the user and the status of the process.

use std::fmt;

/// Exit statuses of aissh's own modes, from sysexits(3). A wrapped or exec'd ssh keeps its own status.
pub mod status {
    /// Wrong command line (`EX_USAGE`).
    pub const USAGE: u8 = 64;
    /// Input that cannot be read (`EX_DATAERR`).
    pub const DATA: u8 = 65;
    /// Linus could not be reached (`EX_UNAVAILABLE`).
    pub const UNAVAILABLE: u8 = 69;
    /// Output that cannot be written (`EX_IOERR`).
    pub const IO: u8 = 74;
    /// Linus refuses what the user signed in with (`EX_NOPERM`).
    pub const DENIED: u8 = 77;
    /// Bad configuration (`EX_CONFIG`).
    pub const CONFIG: u8 = 78;
    /// What ssh itself returns for every error of its own (ssh(1), EXIT STATUS).
    pub const SSH: u8 = 255;
}

/// One sentence for the user (what, where, and the remedy) and the exit status that goes with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    pub status: u8,
    pub message: String,
}

impl Error {
    pub fn new(status: u8, message: impl Into<String>) -> Self {
        Self { status, message: message.into() }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}
