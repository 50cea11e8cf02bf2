//! The terminal that `--check` was started on, by what the kernel and the environment say of it. Nothing is sent to it.

use std::ffi::OsStr;
use std::io::{self, IsTerminal};
use std::os::fd::AsFd;

use super::fact::Fact;
use crate::config::{PanelMode, wants_colour};
use crate::terminal::tty;

/// Whether the locale's characters are UTF-8, as setlocale(3) would find it.
pub(crate) fn is_utf8() -> bool {
    let set = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
    let locale = set("LC_ALL").or_else(|| set("LC_CTYPE")).or_else(|| set("LANG")).unwrap_or_default();
    let locale = locale.to_ascii_lowercase();
    locale.ends_with("utf-8")
        || locale.ends_with("utf8")
        || locale.contains("utf-8@")
        || locale.contains("utf8@")
}

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
    facts.push(if is_utf8() {
        Fact::good("locale", "UTF-8")
    } else {
        Fact::note("locale", "not UTF-8, and the panel's lines and marks are")
            .remedy("set LANG to one that is, such as C.UTF-8")
    });
    facts.push(Fact::good("colours", colours(&term)));
    facts
}

/// Where the panel goes. The bounds are the panel's own.
fn place(mode: PanelMode, columns: u16) -> &'static str {
    match mode {
        PanelMode::Split => "the panel stands beside the session (panel.mode)",
        PanelMode::Overlay => "the panel covers the right part (panel.mode)",
        PanelMode::Auto if columns >= 110 => "the panel stands beside the session",
        PanelMode::Auto => {
            "the panel covers the right part; from 110 columns on it stands beside the session"
        }
    }
}

fn colours(term: &str) -> &'static str {
    let deep = std::env::var("COLORTERM").is_ok_and(|value| value == "truecolor" || value == "24bit");
    match () {
        () if !wants_colour() => "none, as NO_COLOR says",
        () if deep => "true colour, as COLORTERM says",
        () if term.contains("256color") => "256, as TERM says",
        () => "16 at least, as TERM says",
    }
}
