//! Bytes that bring a terminal from one state of modes to another.

use super::state::{MOUSE, SETS, State, is_mouse};

/// The order is that of leaving cleanly: a synchronized update ends first; the alternate screen is left before
/// keyboard flags change, because each screen has its own; what would hold back or move drawing comes last.
/// The cursor's place afterwards is unspecified.
pub(crate) fn change(from: &State, to: &State) -> Vec<u8> {
    let mut out = Vec::new();
    if from.is_on(2026) && !to.is_on(2026) {
        private(&mut out, 2026, false);
    }
    if from.link.is_some() && from.link != to.link {
        osc(&mut out, b"8;;");
    }
    if from.alternate != 0 && to.alternate == 0 {
        keyboard(&mut out, &from.keyboard[1], &to.keyboard[1]);
        private(&mut out, from.alternate, false);
    }
    if to.alternate == 0 || from.alternate == 0 {
        keyboard(&mut out, &from.keyboard[0], &to.keyboard[0]);
    }
    if from.alternate == 0 && to.alternate != 0 {
        private(&mut out, to.alternate, true);
    }
    if to.alternate != 0 {
        keyboard(&mut out, &from.keyboard[1], &to.keyboard[1]);
    }
    key_options(&mut out, &from.key_options, &to.key_options);
    mouse(&mut out, from, to);
    private_modes(&mut out, from, to);
    drawing(&mut out, from, to);
    if to.title.is_some() && to.title != from.title {
        osc(&mut out, to.title.as_deref().unwrap_or_default());
    }
    if to.link.is_some() && to.link != from.link {
        osc(&mut out, to.link.as_deref().unwrap_or_default());
    }
    if to.is_on(2026) && !from.is_on(2026) {
        private(&mut out, 2026, true);
    }
    out
}

fn private_modes(out: &mut Vec<u8>, from: &State, to: &State) {
    // Off first, then on in order.
    for on in [false, true] {
        let seen = to.private.iter().chain(from.private.iter().filter(|(mode, _)| {
            // Not seen since: its default, where terminals agree on one.
            !to.private.iter().any(|(had, _)| had == mode)
        }));
        for (mode, _) in seen {
            let is_due = to.value(*mode) == Some(on) && from.value(*mode) != Some(on);
            if is_due && *mode != 2026 && !is_mouse(*mode) {
                private(out, *mode, on);
            }
        }
    }
}

/// The part of a change that concerns the alternate screen's keyboard flags, on that screen.
pub(crate) fn keyboard_change(from: &State, to: &State) -> Vec<u8> {
    let mut out = Vec::new();
    keyboard(&mut out, &from.keyboard[1], &to.keyboard[1]);
    out
}

/// Terminals differ in which of these modes end which: what the remote did is done again in its order.
fn mouse(out: &mut Vec<u8>, from: &State, to: &State) {
    if from.mouse == to.mouse {
        return;
    }
    let is_still = |mode| to.mouse.iter().rfind(|(had, _)| *had == mode).is_some_and(|(_, on)| *on);
    for mode in MOUSE {
        if from.is_on(mode) && (to.mouse.is_empty() || !is_still(mode)) {
            private(out, mode, false);
        }
    }
    to.mouse.iter().for_each(|(mode, on)| private(out, *mode, *on));
}

fn drawing(out: &mut Vec<u8>, from: &State, to: &State) {
    if from.keypad != to.keypad {
        out.extend_from_slice(if to.keypad { b"\x1b=" } else { b"\x1b>" });
    }
    for (mode, was, is) in [(4, from.insert, to.insert), (20, from.newline, to.newline)] {
        if was != is {
            out.extend_from_slice(format!("\x1b[{mode}{}", if is { 'h' } else { 'l' }).as_bytes());
        }
    }
    if from.region != to.region {
        match to.region {
            None => out.extend_from_slice(b"\x1b[r"),
            Some((top, 0)) => out.extend_from_slice(format!("\x1b[{top}r").as_bytes()),
            Some((top, bottom)) => out.extend_from_slice(format!("\x1b[{top};{bottom}r").as_bytes()),
        }
    }
    if from.shape != to.shape {
        out.extend_from_slice(format!("\x1b[{} q", to.shape).as_bytes());
    }
    for (index, opener) in SETS.into_iter().enumerate() {
        if from.charsets.g[index] != to.charsets.g[index] {
            out.extend_from_slice(&[0x1b, opener, to.charsets.g[index]]);
        }
    }
    if from.charsets.shift != to.charsets.shift {
        out.extend_from_slice(
            [&b"\x0f"[..], b"\x0e", b"\x1bn", b"\x1bo"][usize::from(to.charsets.shift & 3)],
        );
    }
}

pub(super) fn key_options(out: &mut Vec<u8>, from: &[Option<u16>; 8], to: &[Option<u16>; 8]) {
    for (option, (was, is)) in from.iter().zip(to).enumerate() {
        if was != is {
            let value = is.map_or(String::new(), |value| format!(";{value}"));
            out.extend_from_slice(format!("\x1b[>{option}{value}m").as_bytes());
        }
    }
}

fn keyboard(out: &mut Vec<u8>, from: &[u16], to: &[u16]) {
    // Never touched is the same as no flags.
    let from = if from.is_empty() { &[0] } else { from };
    let to = if to.is_empty() { &[0] } else { to };
    if from == to {
        return;
    }
    let common = from.iter().zip(to).take_while(|(a, b)| a == b).count();
    // Popping all is a reset to 0 in kitty's protocol; from there the stack is built again.
    let mut built = match from.len() - common {
        0 => common,
        pops if common > 0 => {
            out.extend_from_slice(format!("\x1b[<{pops}u").as_bytes());
            common
        }
        _ => {
            out.extend_from_slice(format!("\x1b[<{}u", from.len()).as_bytes());
            0
        }
    };
    if built == 0 {
        let base = to.first().copied().unwrap_or(0);
        if base != 0 {
            out.extend_from_slice(format!("\x1b[={base}u").as_bytes());
        }
        built = 1;
    }
    for flags in to.get(built..).unwrap_or_default() {
        out.extend_from_slice(format!("\x1b[>{flags}u").as_bytes());
    }
}

fn private(out: &mut Vec<u8>, mode: u16, on: bool) {
    out.extend_from_slice(format!("\x1b[?{mode}{}", if on { 'h' } else { 'l' }).as_bytes());
}

fn osc(out: &mut Vec<u8>, payload: &[u8]) {
    out.extend_from_slice(b"\x1b]");
    out.extend_from_slice(payload);
    out.extend_from_slice(b"\x1b\\");
}
