//! The panel over a real session: what it leaves behind when it closes is what would be there without it, and
//! while it is open the remote is what it was.
#![allow(clippy::unwrap_used)]

mod support;

use std::fs;

use support::aissh::{PREFIX, Run, chat, close_panel, open_panel, wait_panel};
use support::lab::Lab;
use support::linus::Linus;
use support::screen::picture;
use support::terminal::{Exit, Size, Terminal};

/// The same keys with and without aissh; the screens must be the same afterwards.
fn assert_same(expected: &Terminal, terminal: &Terminal) {
    let wanted = expected.screen(picture);
    terminal.wait_for(|screen| picture(screen) == wanted, &format!("the screen\n{wanted}"));
    assert_eq!(terminal.transcript(), expected.transcript());
}

fn type_and_wait(terminal: &Terminal, lab: &Lab, line: &str, shows: &str) {
    terminal.type_line(line);
    terminal.wait_text(shows);
    terminal.wait_prompt(lab.prompt());
}

#[test]
fn it_opens_and_closes_and_leaves_no_trace() {
    let lab = Lab::start();
    // Colours, a title, a wide character, a line that wraps, and an unfinished line with its cursor in the middle.
    let line = "printf '\\33[1;31mred\\33[m \\33]0;title\\7\\346\\274\\242%0150d\\n' 7; echo do''ne";
    let [expected, terminal] = [Run::plain(&lab), Run::aissh(&lab)].map(|run| {
        let terminal = run.at_prompt();
        type_and_wait(&terminal, &lab, line, "done");
        terminal
    });
    for _ in 0..3 {
        open_panel(&terminal);
        close_panel(&terminal);
    }
    assert_same(&expected, &terminal);
    for terminal in [&expected, &terminal] {
        terminal.send("echo half a line\x1b[D\x1b[D\x1b[D");
        terminal.wait_for(|screen| screen.cursor_position().1 == 26, "the cursor in the line");
    }
    open_panel(&terminal);
    close_panel(&terminal);
    assert_same(&expected, &terminal);
    // The bell, the modes: whatever else there is, it is used.
    for terminal in [&expected, &terminal] {
        type_and_wait(terminal, &lab, "X", "half a lXine");
    }
    assert_same(&expected, &terminal);
}

#[test]
fn what_arrives_while_it_is_open_is_in_the_scrollback_once_and_in_order() {
    let lab = Lab::start();
    for size in [Size::CLASSIC, Size::WIDE] {
        let [expected, terminal] = [Run::plain(&lab), Run::aissh(&lab)].map(|run| {
            let terminal = run.size(size).at_prompt();
            type_and_wait(&terminal, &lab, "seq -f 'before %g' 1 30; echo fi''rst", "first");
            terminal
        });
        type_and_wait(&expected, &lab, "seq -f 'during %g' 1 200; echo th''en", "then");
        open_panel(&terminal);
        type_and_wait(&terminal, &lab, "seq -f 'during %g' 1 200; echo th''en", "then");
        close_panel(&terminal);
        assert_same(&expected, &terminal);
        for terminal in [&expected, &terminal] {
            type_and_wait(terminal, &lab, "seq -f 'after %g' 1 50; echo la''st", "last");
        }
        assert_same(&expected, &terminal);
        let transcript = expected.transcript();
        assert_eq!(transcript.iter().filter(|line| line.starts_with("during ")).count(), 200);
    }
}

#[test]
fn it_opens_over_a_full_screen_program_and_gives_it_back() {
    let lab = Lab::start();
    let text: String = (1..=300).map(|n| format!("line {n} of the file\n")).collect();
    fs::write(lab.home().join("file"), text).unwrap();
    for size in [Size::CLASSIC, Size::WIDE] {
        let [expected, terminal] = [Run::plain(&lab), Run::aissh(&lab)].map(|run| {
            let terminal = run.size(size).at_prompt();
            // Where the session's first row is cannot be asked for on the alternate screen; now it is known.
            type_and_wait(&terminal, &lab, "clear; echo cl''eared", "cleared");
            terminal.type_line("less file");
            terminal.wait_for(vt100::Screen::alternate_screen, "the alternate screen");
            terminal.wait_text("line 23 of");
            // From here on less shows `:` at the bottom, whether its window changes or not.
            terminal.send("j");
            terminal.wait_text(if size == Size::CLASSIC { "line 24 of" } else { "line 40 of" });
            terminal
        });
        open_panel(&terminal);
        close_panel(&terminal);
        assert_same(&expected, &terminal);
        // Scrolled while the panel is open.
        open_panel(&terminal);
        for terminal in [&expected, &terminal] {
            terminal.send("  ");
            terminal.wait_text(if size == Size::CLASSIC { "line 70 of" } else { "line 118 of" });
        }
        close_panel(&terminal);
        assert_same(&expected, &terminal);
        // Left while the panel is open.
        open_panel(&terminal);
        for terminal in [&expected, &terminal] {
            terminal.send("q");
            terminal.wait_prompt(lab.prompt());
        }
        close_panel(&terminal);
        assert_same(&expected, &terminal);
        // Entered while the panel is open.
        open_panel(&terminal);
        for terminal in [&expected, &terminal] {
            terminal.type_line("less +50 file");
            terminal.wait_text("line 50 of");
            terminal.send("j");
            terminal.wait_text(if size == Size::CLASSIC { "line 73 of" } else { "line 89 of" });
        }
        close_panel(&terminal);
        assert_same(&expected, &terminal);
        for terminal in [&expected, &terminal] {
            terminal.send("q");
            terminal.wait_prompt(lab.prompt());
        }
        assert_same(&expected, &terminal);
    }
}

#[test]
fn modes_that_the_remote_set_are_the_terminals_again() {
    let lab = Lab::start();
    let modes = "printf '\\33[?1h\\33=\\33[?2004h\\33[?1002h\\33[?1006h\\33[?25lmo''des'; read";
    let [expected, terminal] = [Run::plain(&lab), Run::aissh(&lab)].map(|run| {
        let terminal = run.at_prompt();
        terminal.type_line(modes);
        terminal.wait_text("modes");
        terminal
    });
    open_panel(&terminal);
    // The panel reads the mouse meanwhile, for both panes.
    let is_read = |screen: &vt100::Screen| {
        screen.mouse_protocol_mode() == vt100::MouseProtocolMode::ButtonMotion
            && screen.mouse_protocol_encoding() == vt100::MouseProtocolEncoding::Sgr
    };
    terminal.wait_for(is_read, "the mouse");
    close_panel(&terminal);
    assert_same(&expected, &terminal);
    // Switched off while the panel is open.
    open_panel(&terminal);
    for terminal in [&expected, &terminal] {
        // The end of `read`.
        terminal.send("\r");
        terminal.wait_prompt(lab.prompt());
        let off = "printf '\\33[?1l\\33>\\33[?1002l\\33[?1006l\\33[?25h'; echo o''ff";
        type_and_wait(terminal, &lab, off, "off");
    }
    close_panel(&terminal);
    assert_same(&expected, &terminal);
}

#[test]
fn without_an_alternate_screen_closing_paints_the_screen_anew() {
    let lab = Lab::start();
    let config = lab.client_home().join("console.toml");
    fs::write(&config, "[panel]\nalternate_screen = false\n").unwrap();
    fs::write(lab.home().join("file"), "line of the file\n".repeat(300)).unwrap();
    for size in [Size::CLASSIC, Size::WIDE] {
        let own = ["--config", config.to_str().unwrap()];
        let [expected, terminal] = [Run::plain(&lab), Run::aissh(&lab).own(&own)].map(|run| {
            let terminal = run.size(size).at_prompt();
            type_and_wait(
                &terminal,
                &lab,
                "clear; printf '\\33[31m%0150d\\33[m\\n' 7; echo fi''rst",
                "first",
            );
            terminal
        });
        open_panel(&terminal);
        assert!(!terminal.screen(vt100::Screen::alternate_screen));
        close_panel(&terminal);
        assert_same(&expected, &terminal);
        open_panel(&terminal);
        for terminal in [&expected, &terminal] {
            type_and_wait(terminal, &lab, "seq -f 'during %g' 1 100; echo th''en", "then");
        }
        close_panel(&terminal);
        terminal.wait_prompt(lab.prompt());
        // What was drawn over is not in the scrollback twice, nor is the panel.
        let wanted = expected.screen(picture);
        terminal.wait_for(|screen| picture(screen) == wanted, &format!("the screen\n{wanted}"));
        let during = |terminal: &Terminal| {
            terminal.transcript().into_iter().filter(|line| line.starts_with("during")).collect::<Vec<_>>()
        };
        assert_eq!(during(&terminal), during(&expected));
        for terminal in [&expected, &terminal] {
            type_and_wait(terminal, &lab, "clear; echo th''ird", "third");
            terminal.type_line("less file");
            terminal.wait_for(vt100::Screen::alternate_screen, "the alternate screen");
            terminal.wait_text("line of the file");
        }
        open_panel(&terminal);
        close_panel(&terminal);
        terminal.wait_text("line of the file");
    }
}

#[test]
fn split_narrows_the_remote_and_overlay_does_not() {
    let lab = Lab::start();
    let terminal = Run::aissh(&lab).at_prompt();
    open_panel(&terminal);
    assert_size(&terminal, &lab, "24 80");
    let wide = Run::aissh(&lab).size(Size::WIDE).at_prompt();
    assert_size(&wide, &lab, "40 130");
    open_panel(&wide);
    // 38 % of 130 columns are the panel's.
    assert_size(&wide, &lab, "40 81");
    wide.send(format!("{PREFIX}v"));
    assert_size(&wide, &lab, "40 130");
    wide.send(format!("{PREFIX}v{PREFIX}<"));
    assert_size(&wide, &lab, "40 85");
    wide.send(format!("{PREFIX}>{PREFIX}>"));
    assert_size(&wide, &lab, "40 77");
    close_panel(&wide);
    assert_size(&wide, &lab, "40 130");
}

#[test]
fn it_stands_at_each_side_and_where_it_was_last() {
    let lab = Lab::start();
    let [expected, terminal] =
        [Run::plain(&lab), Run::aissh(&lab)].map(|run| run.size(Size::WIDE).at_prompt());
    open_panel(&terminal);
    // 49 of 130 columns are the panel's, or 16 of 40 rows.
    for (keys, size) in [(1, "40 81"), (1, "24 130"), (1, "40 81"), (2, "24 130")] {
        terminal.send(format!("{PREFIX}l").repeat(keys));
        assert_size(&terminal, &lab, size);
    }
    // The cursor is where the remote has it: at the end of its prompt, above the panel.
    terminal.type_line("clear; echo t''op");
    terminal.wait_prompt(lab.prompt());
    terminal.wait_for(|screen| screen.cursor_position().0 == 1, "the cursor in the second row");
    terminal.send(format!("{PREFIX}>"));
    assert_size(&terminal, &lab, "22 130");
    close_panel(&terminal);
    for terminal in [&expected, &terminal] {
        type_and_wait(terminal, &lab, "clear; echo e''nd", "end");
    }
    let wanted = expected.screen(picture);
    terminal.wait_for(|screen| picture(screen) == wanted, &format!("the screen\n{wanted}"));
    terminal.type_line("exit");
    assert_eq!(terminal.wait_exit(), Exit::Code(0));
    let again = Run::aissh(&lab).size(Size::WIDE).at_prompt();
    open_panel(&again);
    assert_size(&again, &lab, "22 130");
}

/// Waits on the remote until its window has this size. ssh is told of a change by a signal, so keys can be faster.
fn assert_size(terminal: &Terminal, lab: &Lab, size: &str) {
    let wait =
        format!("clear; until [ \"$(stty size)\" = '{size}' ]; do sleep 0.05; done; echo 'it is' '{size}'");
    type_and_wait(terminal, lab, &wait, &format!("it is {size}"));
}

#[test]
fn it_follows_the_window_while_it_is_open() {
    let lab = Lab::start();
    let terminal = Run::aissh(&lab).size(Size::WIDE).at_prompt();
    type_and_wait(&terminal, &lab, "seq -f 'number %g' 1 100", "number 100");
    open_panel(&terminal);
    let sizes = [(140, 30, "30 87"), (100, 50, "50 100"), (59, 12, "12 59"), (120, 40, "40 75")];
    for (cols, rows, remote) in sizes {
        terminal.resize(Size { cols, rows });
        assert_size(&terminal, &lab, remote);
    }
    wait_panel(&terminal);
    close_panel(&terminal);
    assert_size(&terminal, &lab, "40 120");
    terminal.type_line("exit");
    assert_eq!(terminal.wait_exit(), Exit::Code(0));
}

#[test]
fn the_focus_decides_who_gets_the_keys() {
    let lab = Lab::start();
    let terminal = Run::aissh(&lab).at_prompt();
    open_panel(&terminal);
    terminal.send("for the remote");
    terminal.wait_text("# for the remote");
    terminal.send(format!("{PREFIX}\tfor the panel"));
    terminal.wait_text("› for the panel");
    assert!(terminal.screen_text().contains("# for the remote"));
    terminal.send(format!("{PREFIX}\t, again"));
    terminal.wait_text("# for the remote, again");
    // Closed and opened: the terminal has the keys, and what was written to Linus is still there.
    terminal.send(format!("{PREFIX}\t"));
    close_panel(&terminal);
    terminal.send(" and again");
    terminal.wait_text("# for the remote, again and again");
    open_panel(&terminal);
    terminal.wait_text("for the panel");
}

#[test]
fn the_prefix_twice_sends_it_and_before_an_unbound_key_both_go() {
    let lab = Lab::start();
    for panel in [false, true] {
        let remote = "stty raw -echo; echo ready; head -c 9 | od -An -tx1";
        let terminal = Run::aissh(&lab).ssh(&["-t", "lab", remote]).start();
        terminal.wait_text("ready");
        if panel {
            open_panel(&terminal);
        }
        terminal.send(format!("{PREFIX}{PREFIX}-{PREFIX}Z-{PREFIX}"));
        terminal.send("\x1bOA");
        terminal.wait_text("1c 2d 1c 5a 2d 1c 1b 4f 41");
        assert_eq!(terminal.wait_exit(), Exit::Code(0));
    }
}

#[test]
fn the_prefix_in_a_paste_is_text() {
    let lab = Lab::start();
    let remote = "stty raw -echo; printf '\\33[?2004hready'; head -c 17 | od -An -tx1";
    let terminal = Run::aissh(&lab).ssh(&["-t", "lab", remote]).start();
    terminal.wait_text("ready");
    terminal.send(format!("\x1b[200~a{PREFIX}ab\r\x1b[201~"));
    terminal.wait_text("1b 5b 32 30 30 7e 61 1c 61 62 0d 1b 5b 32 30 31");
    assert!(!terminal.screen_text().contains("Suggested"));
    assert_eq!(terminal.wait_exit(), Exit::Code(0));
}

#[test]
fn f12_is_a_prefix_too_and_the_configuration_can_name_others() {
    let lab = Lab::start();
    let terminal = Run::aissh(&lab).at_prompt();
    terminal.send("\x1b[24~a");
    wait_panel(&terminal);
    let config = lab.client_home().join("other.toml");
    fs::write(&config, "[keys]\nprefix = [\"C-b\"]\n").unwrap();
    let terminal = Run::aissh(&lab).own(&["--config", config.to_str().unwrap()]).at_prompt();
    terminal.send("\x02a");
    wait_panel(&terminal);
}

#[test]
fn the_prompt_that_came_before_the_panel_is_in_it() {
    let lab = Lab::start();
    let terminal = Run::aissh(&lab).own(&["--sidebar"]).start();
    wait_panel(&terminal);
    terminal.wait_prompt(lab.prompt());
    // Nothing but the panel was asked for: the built-in Linus answers.
    chat(&terminal, "what are you");
    // The end of what he says of himself; its beginning has scrolled out of so small a panel.
    terminal.wait_text("Try: ");
    terminal.send(format!("{PREFIX}a"));
    terminal.wait_prompt(lab.prompt());
    terminal.type_line("exit 2");
    assert_eq!(terminal.wait_exit(), Exit::Code(2));
}

#[test]
fn a_flood_is_followed_and_does_not_hold_back_an_interrupt() {
    let lab = Lab::start();
    for open in [false, true] {
        let terminal = Run::aissh(&lab).size(Size::WIDE).at_prompt();
        if open {
            open_panel(&terminal);
        }
        type_and_wait(&terminal, &lab, "seq -f 'line %.0f' 1 200000; echo th''en", "then");
        if !open {
            open_panel(&terminal);
        }
        // The screen is the end of the flood, whatever was skipped of it.
        terminal.wait_text("line 199999");
        close_panel(&terminal);
        terminal.wait_text("line 199999");
        terminal.type_line("yes flood");
        terminal.wait_text("flood\nflood\nflood");
        terminal.send("\x03");
        terminal.wait_prompt(lab.prompt());
        terminal.type_line("exit 8");
        assert_eq!(terminal.wait_exit(), Exit::Code(8));
    }
}

#[test]
fn the_help_lists_the_keys() {
    let lab = Lab::start();
    let terminal = Run::aissh(&lab).size(Size::WIDE).at_prompt();
    // Help opens the panel if it has to.
    terminal.send(format!("{PREFIX}?"));
    for shown in ["this help", "edit card n", "panel smaller"] {
        terminal.wait_text(shown);
    }
    terminal.send("\x1b");
    wait_panel(&terminal);
    close_panel(&terminal);
    terminal.wait_prompt(lab.prompt());
}

#[test]
fn the_first_panel_says_what_it_is_and_what_leaves_once() {
    let lab = Lab::start();
    let linus = Linus::modern();
    fs::remove_file(lab.client_home().join(".local/state/aissh/welcomed")).unwrap();
    for is_first in [true, false] {
        let terminal = Run::aissh(&lab).linus(&linus).size(Size::WIDE).at_prompt();
        open_panel(&terminal);
        terminal.wait_text(if is_first { "These lines are shown once." } else { "Say what you want" });
        let text = terminal.screen_text();
        for line in [
            "Linus reads this terminal with you",
            "What leaves: what you ask",
            "Ctrl-\\ a closes",
            "lists the keys",
            "AISSH=off",
        ] {
            assert_eq!(text.contains(line), is_first, "{line}\n{text}");
        }
    }
}

#[test]
fn a_terminal_without_utf_8_or_colours_gets_neither() {
    let lab = Lab::start();
    let looks = [[("LANG", "C"), ("NO_COLOR", "")], [("LANG", "C.UTF-8"), ("NO_COLOR", "1")]];
    for (is_ascii, looks) in [true, false].into_iter().zip(looks) {
        let run = looks
            .into_iter()
            .fold(Run::aissh(&lab).size(Size::WIDE), |run, (name, value)| run.env(name, value));
        let terminal = run.at_prompt();
        type_and_wait(&terminal, &lab, "printf '\\346\\274\\242 wi''de\\n'", "wide");
        let before = terminal.raw().len();
        open_panel(&terminal);
        chat(&terminal, "why");
        terminal.wait_text("You: why");
        let raw = terminal.raw()[before..].to_vec();
        assert_eq!(raw.is_ascii(), is_ascii);
        assert!(!is_ascii || terminal.screen_text().contains("?? wide"), "{}", terminal.screen_text());
        let text = String::from_utf8_lossy(&raw).into_owned();
        let sgr = text.split("\x1b[").filter_map(|csi| csi.split_once('m')).map(|(params, _)| params);
        let sgr = sgr.filter(|params| params.bytes().all(|b| b.is_ascii_digit() || b == b';'));
        let is_colour = |n: &str| matches!(n.parse::<u8>(), Ok(30..=38 | 90..=97));
        let coloured = sgr.flat_map(|params| params.split(';')).any(is_colour);
        assert_eq!(coloured, is_ascii, "{text:?}");
    }
}
