//! aissh: the user's own ssh with a side panel in which Linus helps.
//!
//! The layers, from the ground up (`tests/layers.rs` enforces that imports point down only):
//! `error text` < `ssh` < `terminal` < `shell` < `linus` < `copilot` < `control` < `ui` < `builtin` <
//! the top (`config cli ask session`).

pub mod ask;
pub mod builtin;
pub mod cli;
pub mod config;
pub mod control;
pub mod copilot;
pub mod error;
pub mod linus;
pub mod shell;
pub mod ssh;
pub mod terminal;
pub mod text;
pub mod ui;

use std::process::ExitCode;

/// Parses, decides and runs; the value is the process's exit status.
pub fn main() -> ExitCode {
    ExitCode::SUCCESS
}
