//! The program under test on a lab, as a user would start it, and the keys that open and close its panel.

use super::lab::Lab;
use super::linus::Linus;
use super::terminal::{Size, Terminal};

pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_aissh");

/// The prefix key, Ctrl-\.
pub(crate) const PREFIX: &str = "\x1c";

/// One run of aissh, or of plain ssh to compare with.
pub(crate) struct Run<'a> {
    lab: &'a Lab,
    program: &'static str,
    own: Vec<String>,
    rest: Vec<String>,
    env: Vec<(String, String)>,
    size: Size,
    mute: bool,
    wrapper: Vec<String>,
}

impl<'a> Run<'a> {
    /// `aissh -F CONFIG lab` in 80x24.
    pub(crate) fn aissh(lab: &'a Lab) -> Self {
        let rest = vec!["lab".to_owned()];
        Self {
            lab,
            program: PROGRAM,
            own: vec![],
            rest,
            env: lab.env(),
            size: Size::CLASSIC,
            mute: false,
            wrapper: vec![],
        }
    }

    /// The same with the user's ssh.
    pub(crate) fn plain(lab: &'a Lab) -> Self {
        Self { program: "ssh", ..Self::aissh(lab) }
    }

    /// More options of aissh's own; plain ssh has none of them.
    pub(crate) fn own(mut self, options: &[&str]) -> Self {
        if self.program == PROGRAM {
            self.own.extend(options.iter().map(|&option| option.to_owned()));
        }
        self
    }

    /// With this Linus instead of the built-in one.
    pub(crate) fn linus(self, linus: &Linus) -> Self {
        self.own(&["--linus-url", &linus.url()])
    }

    /// What follows `-F CONFIG`, instead of `lab`.
    pub(crate) fn ssh(mut self, rest: &[&str]) -> Self {
        self.rest = rest.iter().map(|&arg| arg.to_owned()).collect();
        self
    }

    pub(crate) fn env(mut self, name: &str, value: &str) -> Self {
        self.env.retain(|(known, _)| known != name);
        self.env.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn size(mut self, size: Size) -> Self {
        self.size = size;
        self
    }

    /// On a terminal that answers no questions.
    pub(crate) fn mute(mut self) -> Self {
        self.mute = true;
        self
    }

    /// Started by this program, which becomes it.
    pub(crate) fn wrapped(mut self, wrapper: &[String]) -> Self {
        self.wrapper = wrapper.to_vec();
        self
    }

    pub(crate) fn program(&self) -> &str {
        self.program
    }

    pub(crate) fn args(&self) -> Vec<String> {
        let rest: Vec<&str> = self.rest.iter().map(String::as_str).collect();
        [self.own.clone(), self.lab.args(&rest)].concat()
    }

    pub(crate) fn start(&self) -> Terminal {
        let start = if self.mute { Terminal::spawn_mute } else { Terminal::spawn };
        let words = [self.wrapper.clone(), vec![self.program.to_owned()], self.args()].concat();
        start(&words[0], &words[1..], &self.env, self.size)
    }

    /// Started, and the remote prompt is there.
    pub(crate) fn at_prompt(&self) -> Terminal {
        let terminal = self.start();
        terminal.wait_prompt(self.lab.prompt());
        terminal
    }

    /// Started by a shell script, in which `"$@"` is the program with its arguments.
    pub(crate) fn in_script(&self, script: &str) -> Terminal {
        let mut args: Vec<String> = ["-c", script, "sh", self.program].map(str::to_owned).into();
        args.extend(self.args());
        Terminal::spawn("sh", &args, &self.env, self.size)
    }
}

/// Opens the panel and waits until all of it is drawn.
pub(crate) fn open_panel(terminal: &Terminal) {
    terminal.send(format!("{PREFIX}a"));
    wait_panel(terminal);
}

/// Waits for a panel that opens by itself.
pub(crate) fn wait_panel(terminal: &Terminal) {
    let parts = ["Intent", "Suggested Commands", "Chat", "Ask Linus"];
    let is_drawn = |screen: &vt100::Screen| {
        let text = screen.contents();
        parts.iter().all(|part| text.contains(part))
    };
    terminal.wait_for(is_drawn, "the panel");
}

/// Puts the first card on the edit line.
pub(crate) fn edit_card(terminal: &Terminal) {
    terminal.send(format!("{PREFIX}1"));
    terminal.wait_text("Edit 1 cmd_001");
}

/// Closes the panel and waits until the screen is the remote's again.
pub(crate) fn close_panel(terminal: &Terminal) {
    terminal.send(format!("{PREFIX}a"));
    wait_no_panel(terminal);
}

pub(crate) fn wait_no_panel(terminal: &Terminal) {
    // The end of the replay cannot be seen from outside; the cursor's place beside the prompt can, by `wait_prompt`.
    terminal.wait_for(|screen| !screen.contents().contains("Suggested Commands"), "the panel's end");
}

/// Says something to Linus; the panel is open and the terminal has the focus.
pub(crate) fn chat(terminal: &Terminal, message: &str) {
    terminal.send(format!("{PREFIX} {message}\r"));
}

/// Puts the first card on the edit line. A card that has just come is not picked at once (a key may have been meant
/// for the one before), and then this is false: look, and press again.
pub(crate) fn pick_first(terminal: &Terminal) -> bool {
    terminal.send(format!("{PREFIX}1"));
    let notices = ["then press", "There is no card"];
    let shown = |screen: &vt100::Screen| {
        let text = screen.contents();
        text.contains("Edit 1 ") || notices.iter().any(|notice| text.contains(notice))
    };
    terminal.wait_for(shown, "the edit line or why not");
    if terminal.screen(|screen| screen.contents().contains("Edit 1 ")) {
        return true;
    }
    // Any key takes the notice away.
    terminal.send("\x1b[6~");
    let is_gone = |screen: &vt100::Screen| notices.iter().all(|notice| !screen.contents().contains(notice));
    terminal.wait_for(is_gone, "the notice's end");
    false
}
