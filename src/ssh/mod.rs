//! The user's own ssh: its argument grammar, whether to wrap it, where it is, what it resolved.
//!
//! Files import downwards only: `config_line glob` < `grammar` < `config_scan` < `facts` < `decide`;
//! `program trail` < `find`, `surroundings`, `failure`, `pattern` and `side_channel` < `sftp` stand beside them.

mod config_line;
pub mod config_scan;
pub mod decide;
pub mod facts;
mod failure;
pub mod find;
mod glob;
pub mod grammar;
mod pattern;
mod program;
pub mod sftp;
pub mod side_channel;
pub mod surroundings;
pub mod trail;

pub use config_scan::{Places, Scan};
pub use decide::{Plan, Reason, Surroundings, decide};
pub use facts::{ConfigSays, Facts};
pub use failure::is_refused;
pub use grammar::{Invocation, RequestTty, SessionType, Split, split_own};
pub use pattern::Patterns;
