//! The terminal that `--check` was started on, by what the kernel and the environment say of it. Nothing is sent to it.

use std::ffi::OsStr;
use std::io::{self, IsTerminal};
use std::os::fd::AsFd;

use super::fact::Fact;
use crate::config::{PanelMode, colours, has_utf8};
use crate::terminal::tty;
use crate::ui::SPLIT_FROM;

pub(super) fn facts(mode: PanelMode) -> Vec<Fact> {
    const TOPIC: &str = "terminal";
    if !io::stdin().is_terminal() {
        return vec![
            Fact::note(TOPIC, "standard input is none, so nothing is known of yours")
                .remedy("run --check on it"),
        ];
    }
    let term = std::env::var_os("TERM");
    let Some(term) = term.filter(|term| !term.is_empty() && term != OsStr::new("dumb")) else {
        return vec![
            Fact::bad(TOPIC, "TERM is dumb or not set, so sessions are plain ssh")
                .remedy("set TERM to what the terminal is"),
        ];
    };
    let term = term.to_string_lossy().into_owned();
    let mut facts = vec![match tty::winsize(io::stdin().as_fd()) {
        Ok(size) if size.cols >= 2 && size.rows >= 2 => {
            Fact::good(TOPIC, format!("{term}, {}x{}: {}", size.cols, size.rows, place(mode, size.cols)))
        }
        Ok(_) => Fact::bad(TOPIC, format!("{term} has no size, so sessions are plain ssh"))
            .remedy("set one: stty cols 80 rows 24"),
        Err(e) => Fact::bad(TOPIC, format!("{term} does not tell its size: {e}")),
    }];
    facts.push(if has_utf8() {
        Fact::good("locale", "UTF-8")
    } else {
        Fact::note("locale", "not UTF-8, so the panel is drawn in ASCII")
            .remedy("set LANG to one that is, such as C.UTF-8")
    });
    facts.push(Fact::good("colours", colours()));
    facts
}

/// Where the panel goes. The bounds are the panel's own.
fn place(mode: PanelMode, columns: u16) -> &'static str {
    match mode {
        PanelMode::Split => "the panel stands beside the session (panel.mode)",
        PanelMode::Overlay => "the panel covers the right part (panel.mode)",
        PanelMode::Auto if columns >= SPLIT_FROM => "the panel stands beside the session",
        PanelMode::Auto => {
            "the panel covers the right part; from 110 columns on it stands beside the session"
        }
    }
}
