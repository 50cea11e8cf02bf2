//! What the recorded shells are taken for, and by what.

use super::recorded::{Replay, recordings, replay};
use crate::shell::{Clue, Dialect};

/// What is told at the end of each recording. A shell whose prompt and words others share is its family.
const TRUTH: [(&str, Dialect, Option<Clue>); 14] = [
    ("ash", Dialect::Ash, Some(Clue::Message)),
    ("bash-3008", Dialect::Bash, Some(Clue::Message)),
    ("bash-fancy", Dialect::Bash, Some(Clue::Message)),
    ("bash-marks", Dialect::Bash, Some(Clue::Message)),
    ("bash-nopaste", Dialect::Bash, Some(Clue::Message)),
    ("bash-plain", Dialect::Bash, Some(Clue::Message)),
    ("bash-title", Dialect::Bash, Some(Clue::Message)),
    ("dash", Dialect::Dash, Some(Clue::Message)),
    ("fish", Dialect::Fish, Some(Clue::Message)),
    ("mksh", Dialect::Ksh, Some(Clue::Message)),
    ("programs", Dialect::Bash, Some(Clue::Mode)),
    ("vtysh", Dialect::Vtysh, Some(Clue::Message)),
    ("zebra", Dialect::Vtysh, Some(Clue::Message)),
    ("zsh", Dialect::Zsh, Some(Clue::Message)),
];

#[test]
fn recorded_shells_are_told_from_each_other() {
    let mut wrong = Vec::new();
    for how in [Replay::Whole, Replay::Late(300)] {
        for recording in recordings() {
            let Some((_, dialect, clue)) = TRUTH.iter().find(|(name, ..)| *name == recording.name) else {
                continue;
            };
            let (_, told) = replay(&recording, how);
            let facts = told.iter().map(|(_, facts)| facts);
            let all: Vec<_> = facts.clone().map(|f| (f.dialect, f.dialect_from)).collect();
            println!("{:14} {:?} then {:?}", recording.name, all.first(), all.last());
            wrong.extend(
                (how == Replay::Whole && all.last() != Some(&(*dialect, *clue)))
                    .then(|| recording.name.clone()),
            );
            // Keys typed blind cost commands, and with them what the answers tell.
            // Until it is known it is its family or unknown, never another.
            let fits = |d: &Dialect| *d == *dialect || *d == Dialect::Unknown || *d == dialect.family();
            assert!(facts.clone().all(|f| fits(&f.dialect)), "{}: {all:?}", recording.name);
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}
