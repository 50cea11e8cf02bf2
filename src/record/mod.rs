//! What is kept of a session: the audit log of what was proposed, decided and sent (`log`, `audit`), its timeline for
//! people (`incident`), and a recording of the terminal (`cast`, `tape`).
//!
//! Everything here is written by threads of its own: the session never waits for a disk. What is written was redacted
//! before; a text that could not be checked for secrets is withheld.

mod audit;
mod cast;
mod entry;
mod incident;
mod log;
mod read;
mod tape;

pub use audit::Audit;
pub use cast::{Cast, Window};
pub use entry::{Digest, Entry, Event, Step};
pub use incident::report;
pub use log::{Log, folder};
pub use read::{Found, Logged, find, parse};
pub use tape::Tape;
