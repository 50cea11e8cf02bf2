//! What is typed reaches the remote byte for byte and in order, and nothing else does, however the panel comes and goes
//! meanwhile: with reports of the mouse, marks of pastes and answers of the terminal on their way at that moment, cut
//! anywhere. `AISSH_KEYS_SEEDS` plays more games than the few of a usual run.
#![allow(clippy::unwrap_used)]

mod support;

use std::fs;
use std::time::Instant;

use support::DEADLINE;
use support::aissh::{PREFIX, Run, close_panel, open_panel, wait_panel};
use support::lab::Lab;
use support::terminal::{Size, Terminal};

/// A session whose every byte of input is in a file. The terminal answers nothing by itself.
fn recorded(lab: &Lab, modes: &str) -> Terminal {
    let remote = format!("stty raw -echo; printf '{modes}ready'; cat > $HOME/typed");
    let run = Run::aissh(lab).mute().size(Size::WIDE).ssh(&["-tt", "-e", "none", "lab", &remote]);
    let terminal = run.start();
    terminal.wait_text("ready");
    terminal
}

/// What had been typed when this is typed as the last.
fn typed(lab: &Lab, terminal: &Terminal) -> String {
    terminal.send("<end>");
    let deadline = Instant::now() + DEADLINE;
    loop {
        // Written by the remote: there is no event of it here.
        let bytes = fs::read(lab.home().join("typed")).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some(text) = text.strip_suffix("<end>") {
            return text.to_owned();
        }
        assert!(Instant::now() < deadline, "{text:?}");
        std::thread::yield_now();
    }
}

/// splitmix64.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) >> 33) as usize % limit
    }
}

struct Game<'a> {
    terminal: &'a Terminal,
    random: Random,
    is_open: bool,
    answered: usize,
    typed: String,
}

impl Game<'_> {
    /// Sends it in one write, or in two; what the terminal itself sends is never cut in its first three bytes, where it
    /// could be keys, and is passed on as such after a moment.
    fn send(&mut self, bytes: &str, uncut: usize) {
        let at = match bytes.len() {
            len if len > uncut + 1 && self.random.below(2) == 0 => uncut + self.random.below(len - uncut),
            len => len,
        };
        self.terminal.send(&bytes.as_bytes()[..at]);
        self.pause();
        self.terminal.send(&bytes.as_bytes()[at..]);
    }

    /// Lets the other side run for a little, or for not at all.
    fn pause(&mut self) {
        for _ in 0..[0, 0, 1, 30, 1000][self.random.below(5)] {
            std::thread::yield_now();
        }
    }

    fn step(&mut self, n: usize) {
        match self.random.below(12) {
            0 | 1 => {
                self.is_open = !self.is_open;
                self.terminal.send(format!("{PREFIX}a"));
            }
            2 if self.is_open => self.terminal.send(format!("{PREFIX}l")),
            3 if self.is_open => {
                self.terminal.send(format!("{PREFIX} "));
                self.send("for Linus\x1b[C", 0);
                self.terminal.send(format!("{PREFIX}\t"));
            }
            4 | 5 if self.reports() => {
                // Motion and the middle button, wherever: they leave the focus where it is.
                let (col, row) = (1 + self.random.below(130), 1 + self.random.below(40));
                let report = ["35", "1"][self.random.below(2)];
                self.send(&format!("\x1b[<{report};{col};{row}M"), 3);
            }
            6 | 7 => self.answer(),
            _ => self.key(n),
        }
    }

    /// Whether the terminal, as far as it has read, has been told to report the mouse.
    fn reports(&self) -> bool {
        let raw = self.terminal.raw();
        let last = raw.windows(8).rev().find(|part| part.starts_with(b"\x1b[?1002"));
        last.is_some_and(|part| part.ends_with(b"h"))
    }

    /// Answers a question of the panel's, if there is one.
    fn answer(&mut self) {
        let asked = self.terminal.raw().windows(4).filter(|part| part == b"\x1b[6n").count();
        if asked > self.answered {
            self.answered += 1;
            self.send("\x1b[12;34R", 3);
        }
    }

    fn key(&mut self, n: usize) {
        let key = [
            format!("<{n}>"),
            format!("<{n}\r>"),
            format!("<{n}\x1b[A>"),
            format!("<{n}\x1bOP\u{e9}>"),
            format!("<{n}\x1b>"),
            format!("<{n}\x1b[1;5C>"),
            format!("<{n}\x1b[15~>"),
        ][self.random.below(7)]
        .clone();
        self.send(&key, 0);
        self.typed.push_str(&key);
    }
}

#[test]
fn nothing_is_lost_or_made_up_while_the_panel_comes_and_goes() {
    let games = std::env::var("AISSH_KEYS_SEEDS").map_or(4, |games| games.parse().unwrap());
    for seed in 0..games {
        let lab = Lab::start();
        let terminal = recorded(&lab, "");
        let (random, typed_by_us) = (Random(seed), String::new());
        let mut game = Game { terminal: &terminal, random, is_open: false, answered: 0, typed: typed_by_us };
        for n in 0..150 {
            game.step(n);
            game.pause();
        }
        let wanted = game.typed;
        let got = typed(&lab, &terminal);
        assert!(got == wanted, "seed {seed}:\n{wanted:?}\n{got:?}");
    }
}

#[test]
fn a_report_made_for_the_panel_is_never_typed_into_a_remote_that_wants_another() {
    let lab = Lab::start();
    for (modes, wanted) in [
        ("", "q"),
        ("\\33[?1000h", "\x1b[M!'#q"),
        ("\\33[?1000h\\33[?1015h", "\x1b[33;7;3Mq"),
        ("\\33[?1000h\\33[?1006h", "\x1b[<1;7;3Mq"),
    ] {
        let terminal = recorded(&lab, modes);
        open_panel(&terminal);
        // On its way when the panel closes.
        terminal.send(format!("{PREFIX}a\x1b[<1;7;3M"));
        terminal.send("q");
        assert_eq!(typed(&lab, &terminal), wanted, "{modes:?}");
    }
    let terminal = recorded(&lab, "");
    open_panel(&terminal);
    terminal.send(format!("{PREFIX}a\x1b[200~pasted\x1b[201~q"));
    assert_eq!(typed(&lab, &terminal), "pastedq");
    // One that the remote asked for itself is as it was sent.
    let terminal = recorded(&lab, "\\33[?2004h");
    open_panel(&terminal);
    terminal.send(format!("{PREFIX}a\x1b[200~pasted\x1b[201~q"));
    assert_eq!(typed(&lab, &terminal), "\x1b[200~pasted\x1b[201~q");
}

#[test]
fn each_time_the_panel_opens_it_takes_its_own_answer_however_late() {
    let lab = Lab::start();
    let terminal = recorded(&lab, "");
    for _ in 0..3 {
        open_panel(&terminal);
        close_panel(&terminal);
    }
    terminal.send("a\x1b[1;1R\x1b[1;1Rb\x1b[1;1Rc");
    assert_eq!(typed(&lab, &terminal), "abc");
}

/// Waits until the cursor is in the pane that was clicked into.
fn wait_focus(terminal: &Terminal, in_panel: bool) {
    let is_there = |screen: &vt100::Screen| (screen.cursor_position().1 > 81) == in_panel;
    terminal.wait_for(is_there, "the focus");
}

#[test]
fn a_click_that_moves_the_focus_may_be_cut_anywhere() {
    let lab = Lab::start();
    let terminal = recorded(&lab, "");
    open_panel(&terminal);
    let mut wanted = String::new();
    for (press, release, in_panel) in
        [("\x1b[<0;100;39M", "\x1b[<0;100;39m", true), ("\x1b[<0;5;5M", "\x1b[<0;5;5m", false)].repeat(3)
    {
        // The press and the begin of the release come in one read, the rest in another.
        let at = 3 + wanted.len() % 5;
        terminal.send(format!("{press}{}", &release[..at]));
        wait_focus(&terminal, in_panel);
        terminal.send(format!("{}x", &release[at..]));
        if !in_panel {
            wanted.push('x');
        }
    }
    terminal.wait_text("xxx");
    assert_eq!(typed(&lab, &terminal), wanted);
}

#[test]
fn what_was_typed_for_a_panel_that_is_coming_is_not_typed_into_the_remote() {
    let lab = Lab::start();
    let terminal = recorded(&lab, "");
    terminal.send(format!("{PREFIX} to Linus{PREFIX}\tto the remote"));
    terminal.wait_text("› to Linus");
    assert_eq!(typed(&lab, &terminal), "to the remote");
}

#[test]
fn a_question_from_before_the_panel_is_answered_with_it_open() {
    let lab = Lab::start();
    let terminal = recorded(&lab, "\\33[c");
    // The terminal answers while the panel is opened.
    terminal.send(format!("{PREFIX}a"));
    wait_panel(&terminal);
    terminal.send("\x1b[?62;22cq");
    assert_eq!(typed(&lab, &terminal), "\x1b[?62;22cq");
}
