//! Timed undos of network devices: what their makers give for this very purpose. None was tried on a device.
//!
//! Tried on none of them but FRR, which has none. Where nothing is known, that is said.

use super::{Cancel, Guard, Order, Proof, Timer};
use crate::shell::Dialect;

/// First words of what restarts the device, or is a timed undo or its end itself.
const ENDS: &[&str] =
    &["reload", "reboot", "request", "restart", "schedule", "undo schedule", "commit confirmed"];

/// `None` for what no undo helps against.
pub(super) fn guard(command: &str, dialect: Dialect) -> Option<Guard> {
    let line = command.trim();
    if ENDS.iter().any(|end| line.starts_with(end)) || line.contains("system reboot") {
        return None;
    }
    let is_commit = command.trim() == "commit" || command.trim().starts_with("commit and-quit");
    Some(match dialect {
        Dialect::Ios | Dialect::IosLike => offer(
            "reload in 5",
            "Timed undo, to be sent first, outside of configuration mode: in 5 minutes the device restarts with the \
             saved configuration, unless it is cancelled. It asks for a confirmation; do not save before.",
            Order::Before,
            "reload cancel",
        ),
        Dialect::Eos => offer(
            "commit timer 00:05:00",
            "For changes made in a configure session: they take effect, and are taken back in 5 minutes unless the \
             session is committed.",
            Order::After,
            "commit",
        ),
        Dialect::Junos if is_commit => offer(
            "commit confirmed 5",
            "In place of commit: the change takes effect, and is taken back in 5 minutes unless commit follows.",
            Order::Instead,
            "commit",
        ),
        Dialect::Junos => offer(
            "commit confirmed 5",
            "When the changes are made: they take effect, and are taken back in 5 minutes unless commit follows.",
            Order::After,
            "commit",
        ),
        Dialect::Vrp => offer(
            "schedule reboot delay 5",
            "Timed undo, to be sent first in the user view: in 5 minutes the device restarts with the saved \
             configuration, unless it is cancelled. Do not save before.",
            Order::Before,
            "undo schedule reboot",
        ),
        Dialect::RouterOs => none(
            "For a change that takes itself back press Ctrl-X (Safe Mode) in the terminal first: no card can.",
        ),
        Dialect::Vtysh => {
            none("vtysh has no timed undo. Leave it, and from the shell vtysh -c … can have one.")
        }
        _ => none("No timed undo is known for this device."),
    })
}

fn offer(command: &str, description: &str, order: Order, cancel: &str) -> Guard {
    let timer = Timer {
        command: command.into(),
        description: description.into(),
        placeholders: Vec::new(),
        order,
        cancel: Cancel::Command(cancel.into()),
        proof: Proof::NoError,
    };
    Guard { timers: vec![timer], note: None }
}

fn none(note: &'static str) -> Guard {
    Guard { timers: Vec::new(), note: Some(note) }
}
