//! The dialog of the shell integration: what would be typed, what it changes, and the keys that decide.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;

use super::help::table;
use super::paint::{by_character, heading, lines, paragraph, styled};
use super::theme::Theme;
use crate::shell::{Dialect, Shell};

/// What the session knows that the dialog shows.
#[derive(Debug, Clone, Default)]
pub struct Integration {
    /// The shell that reads there, if that is known.
    pub shell: Option<Shell>,
    /// Else what does.
    pub dialect: Dialect,
    /// The prompt that waits is marked with this session's nonce already.
    pub is_on: bool,
    /// What the user said on this host before.
    pub answer: Option<bool>,
}

/// The dialog while it is open.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Dialog {
    pub(super) choice: Option<Shell>,
    scroll: usize,
}

/// What a key in the dialog means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Answer {
    Yes(Option<Shell>),
    No,
    Leave,
    Nothing,
}

const WHAT: &str = "Types the line below into this shell. The shell then marks its prompts and commands, so that \
                    exit statuses and directories are told and not guessed.";
const KEPT: &str = "Your prompt, traps, $? and $_ stay. No file is written, no other program is told the nonce (a \
                    random number of this session), and all of it is gone when this shell ends.";
const AGAIN: &str = "It is on in this shell. Typed again it changes nothing.";

impl Dialog {
    pub(super) fn key(&mut self, key: KeyEvent) -> Answer {
        match key.code {
            KeyCode::Char('c') if key.modifiers.contains(KeyModifiers::CONTROL) => Answer::Leave,
            KeyCode::Esc | KeyCode::Char('q') => Answer::Leave,
            KeyCode::Char('y') => Answer::Yes(self.choice),
            KeyCode::Char('n') => Answer::No,
            KeyCode::Char(c) => {
                let number = c.to_digit(10).and_then(|n| (n as usize).checked_sub(1));
                let chosen = number.and_then(|n| Shell::ALL.get(n)).copied();
                if chosen.is_some() {
                    (self.choice, self.scroll) = (chosen, 0);
                }
                Answer::Nothing
            }
            KeyCode::Up => self.scroll_by(-1),
            KeyCode::Down => self.scroll_by(1),
            KeyCode::PageUp => self.scroll_by(-10),
            KeyCode::PageDown => self.scroll_by(10),
            _ => Answer::Nothing,
        }
    }

    fn scroll_by(&mut self, rows: isize) -> Answer {
        self.scroll = self.scroll.saturating_add_signed(rows);
        Answer::Nothing
    }

    pub(super) fn draw(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        integration: &Integration,
        target: &str,
        notice: Option<&str>,
        theme: Theme,
    ) {
        let cols = usize::from(area.width);
        let shell = self.shell(integration);
        let mut foot: Vec<Line<'static>> =
            notice.map(|n| paragraph(n, cols, 0, theme.warning())).unwrap_or_default();
        foot.extend(table(&keys(shell, target), cols, theme));
        let title = heading(cols, "Shell integration", theme.accent(), theme.dim(), Vec::new());
        let body = self.body(shell, integration, cols, theme);
        let room = usize::from(area.height).saturating_sub(foot.len() + 2);
        self.scroll = self.scroll.min(body.len().saturating_sub(room));
        let below = body.len().saturating_sub(self.scroll + room);
        let mut all = vec![title];
        all.extend(body.into_iter().skip(self.scroll).take(room));
        all.push(styled(
            if below > 0 { format!("↓ {below} more lines: PgDn") } else { String::new() },
            theme.dim(),
        ));
        all.extend(foot);
        lines(buffer, area, &all);
    }

    /// All of it in lines.
    pub(super) fn told(
        &self,
        integration: &Integration,
        target: &str,
        cols: usize,
        theme: Theme,
    ) -> Vec<Line<'static>> {
        let shell = self.shell(integration);
        let mut out = self.body(shell, integration, cols, theme);
        out.extend(table(&keys(shell, target), cols, theme));
        out
    }

    fn shell(&self, integration: &Integration) -> Option<Shell> {
        self.choice.filter(|_| !integration.dialect.is_device()).or(integration.shell)
    }

    fn body(
        &self,
        shell: Option<Shell>,
        integration: &Integration,
        cols: usize,
        theme: Theme,
    ) -> Vec<Line<'static>> {
        let say = |text: &str| paragraph(text, cols, 0, theme.plain());
        let gap = || vec![Line::default()];
        let Some(shell) = shell else {
            let mut out = say(&why_not(integration.dialect));
            if !integration.dialect.is_device() {
                out.extend([gap(), say("Choose the shell by its number:"), choices(theme)].concat());
            }
            return out;
        };
        let whose = if self.choice.is_some() { "as you chose" } else { "as this shell looks" };
        let mut out = paragraph(&format!("For {}, {whose}.", shell.name()), cols, 0, theme.bold());
        let before = match integration.answer {
            _ if integration.is_on => Some(AGAIN),
            Some(true) => Some("You said yes on this host before."),
            Some(false) => Some("You said no on this host before."),
            None => None,
        };
        out.extend(before.map(say).unwrap_or_default());
        for text in [WHAT, shell.changes(), KEPT, shell.history()] {
            out.extend(gap());
            out.extend(say(text));
        }
        out.extend(gap());
        out.push(heading(cols, "What is typed", theme.bold(), theme.dim(), Vec::new()));
        out.extend(
            by_character("", &shell.shown_line(), cols).into_iter().map(|row| styled(row, theme.plain())),
        );
        out
    }
}

/// Why no shell is taken for granted.
fn why_not(dialect: Dialect) -> String {
    match dialect.name() {
        Some(name) if dialect.is_device() => {
            format!("This looks like {name}, a network device: there is no integration for it.")
        }
        Some("sh") | None => "Which shell this is cannot be told.".to_owned(),
        Some(name) => format!("This looks like {name}: there is no integration for it."),
    }
}

fn choices(theme: Theme) -> Vec<Line<'static>> {
    let names = Shell::NAMES.iter().zip(1..);
    names.map(|(name, number)| styled(format!("  {number}  {name}"), theme.plain())).collect()
}

fn keys(shell: Option<Shell>, target: &str) -> Vec<(&'static str, String)> {
    let mut keys = Vec::new();
    if shell.is_some() {
        let at = if target.is_empty() { String::new() } else { format!(" into {target}") };
        keys.push(("y", format!("type it{at}")));
        keys.push(("1…6", Shell::NAMES.join(" ")));
    }
    keys.push(("n", "no, and do not offer it here".to_owned()));
    keys.push(("Esc", "leave".to_owned()));
    keys
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_y_says_yes_and_a_number_chooses() {
        let mut dialog = Dialog::default();
        let mut press = |code| dialog.key(KeyEvent::new(code, KeyModifiers::NONE));
        assert_eq!(press(KeyCode::Enter), Answer::Nothing);
        assert_eq!(press(KeyCode::Char('7')), Answer::Nothing);
        assert_eq!(press(KeyCode::Char('y')), Answer::Yes(None));
        assert_eq!(press(KeyCode::Char('3')), Answer::Nothing);
        assert_eq!(press(KeyCode::Char('y')), Answer::Yes(Some(Shell::Fish)));
        assert_eq!(press(KeyCode::Char('n')), Answer::No);
        assert_eq!(press(KeyCode::Esc), Answer::Leave);
    }

    #[test]
    fn the_line_is_shown_to_its_last_character() {
        for shell in Shell::ALL {
            let line = shell.shown_line();
            for cols in [1, 34, 74] {
                assert_eq!(by_character("", &line, cols).concat(), line);
            }
        }
    }
}
