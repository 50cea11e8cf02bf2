//! A host's own facts: load, memory, disks, processes. Nothing is installed there and nothing is written.
//!
//! [`SCRIPT`] is what a `sh` of the host is given, and [`probe`] the line that makes it answer; [`Sample::read`] reads the
//! answer, [`Watcher`] keeps the last one and says what is above a threshold, `tools` answers other agents from it.
//! Pure: what comes from the host is bytes here, and hostile.

mod budget;
mod disks;
mod processes;
mod sample;
mod sections;
pub mod tools;
mod watcher;

pub use budget::Budget;
pub use disks::Disk;
pub use processes::Process;
pub use sample::{Memory, Sample};
pub use sections::{Garbled, is_whole};
pub use watcher::{Alert, Crossing, Settings, Subject, Thresholds, Watcher};

/// The functions of the probe, for a POSIX sh.
pub const SCRIPT: &str = include_str!("probe.sh");

/// More than the probe's own limits let it print.
pub const ANSWER_LIMIT: usize = 2 << 20;

/// How much a probe asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Extent {
    /// What the health line shows.
    Summary,
    /// The processes besides.
    Processes,
}

/// The line that makes the script answer once. `pauses`: how busy the processor is is measured on the spot, else only
/// since the last answer.
pub fn probe(boundary: &str, extent: Extent, pauses: bool) -> String {
    let what = match extent {
        Extent::Summary => "summary",
        Extent::Processes => "processes",
    };
    let how = if pauses { "pause" } else { "go" };
    format!("probe {boundary} {what} {how} </dev/null\n")
}
