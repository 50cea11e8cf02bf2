//! What the remote shell is doing, from evidence only.
//!
//! Nothing is typed and nothing is claimed that was not seen: every fact that has no evidence is `None`.

mod beliefs;
mod command;
mod facts;
mod habits;
mod marks;
mod observer;
mod prompt;
mod screen;
mod secret;
mod status;
mod tracker;

pub use facts::{CommandRecord, Evidence, ExitStatus, Facts, Origin, ShellEvent, Sources, State};
pub use observer::{Observer, Tail};
pub use tracker::Input;
