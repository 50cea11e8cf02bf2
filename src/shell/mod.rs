//! What the remote shell is doing, from evidence only.
//!
//! Nothing is typed and nothing is claimed that was not seen: every fact that has no evidence is `None`.

mod beliefs;
mod command;
mod dialect;
mod facts;
mod foreground;
mod habits;
mod integration;
mod marks;
mod nonce;
mod observer;
mod prompt;
mod screen;
mod secret;
mod status;
mod tracker;

pub(crate) use beliefs::is_interactive;
pub use dialect::{Clue, Dialect, dialect_of};
pub(crate) use dialect::{is_device_name, is_mode_of};
pub use facts::{CommandRecord, Evidence, ExitStatus, Facts, Origin, ShellEvent, Sources, State};
pub use integration::Shell;
pub use nonce::Nonce;
pub use observer::{Observer, Tail};
pub use prompt::is_alike;
pub use tracker::Input;
