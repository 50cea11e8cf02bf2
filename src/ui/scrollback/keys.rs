//! The keys while it is looked back: those of less, vi and tmux's copy mode.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::super::editor::{Edit, LineEditor};
use super::{Anchor, Outcome, Place, Scrollback, Search};

/// What the help says of them.
pub const KEYS: &[(&str, &str)] = &[
    ("↑ ↓ ← →", "move; also h j k l w b 0 $"),
    ("PgUp PgDn", "a page; Ctrl-U/D: half a page"),
    ("g G", "first line, last line"),
    ("/ ? n N", "search down, up; next, before"),
    ("Space v V", "select; V: whole lines"),
    ("Enter y", "copy (OSC 52), and leave"),
    ("q Esc", "leave"),
];

impl Scrollback {
    pub(in crate::ui) fn key(&mut self, key: KeyEvent) -> Outcome {
        self.notice = None;
        if self.prompt.is_some() {
            self.prompt_key(key);
            return Outcome::Stay;
        }
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        let (page, half) = ((self.height as isize - 2).max(1), (self.height as isize / 2).max(1));
        match key.code {
            KeyCode::Char(c) if control => return self.control(c, page, half),
            KeyCode::Up | KeyCode::Char('k') => self.up_or_down(-1),
            KeyCode::Down | KeyCode::Char('j') => self.up_or_down(1),
            KeyCode::Left | KeyCode::Char('h') | KeyCode::Backspace => self.left(),
            KeyCode::Right | KeyCode::Char('l') => self.right(),
            KeyCode::Char('w') => self.word(true),
            KeyCode::Char('b') => self.word(false),
            KeyCode::Home | KeyCode::Char('0') => self.go(Place { at: 0, ..self.cursor }),
            KeyCode::End | KeyCode::Char('$') => {
                let at = self.kept.plain(self.cursor.line).len();
                self.go(Place { at, ..self.cursor });
            }
            KeyCode::PageUp => self.page(-page),
            KeyCode::PageDown => self.page(page),
            KeyCode::Char('K') => self.scroll(-1),
            KeyCode::Char('J') => self.scroll(1),
            KeyCode::Char('g') => self.go(Place::default()),
            KeyCode::Char('G') => {
                let line = self.kept.len().saturating_sub(1);
                self.go(Place { line, at: 0 });
            }
            KeyCode::Char(c @ ('/' | '?')) => self.prompt = Some((LineEditor::default(), c == '?')),
            KeyCode::Char('n') => self.find(false),
            KeyCode::Char('N') => self.find(true),
            KeyCode::Char(c @ (' ' | 'v' | 'V')) => self.select(c == 'V'),
            KeyCode::Char('y') if self.anchor.is_none() => {
                self.notice = Some("Nothing is selected: v begins to select.".into());
            }
            KeyCode::Enter | KeyCode::Char('y') if self.anchor.is_some() => return self.copy(true),
            KeyCode::Esc if self.anchor.is_some() => self.anchor = None,
            KeyCode::Enter | KeyCode::Char('q') | KeyCode::Esc => return Outcome::Leave,
            _ => {}
        }
        Outcome::Stay
    }

    fn control(&mut self, c: char, page: isize, half: isize) -> Outcome {
        match c {
            'b' => self.page(-page),
            'f' => self.page(page),
            'u' => self.page(-half),
            'd' => self.page(half),
            'y' => self.scroll(-1),
            'e' => self.scroll(1),
            'p' => self.up_or_down(-1),
            'n' => self.up_or_down(1),
            'a' => self.go(Place { at: 0, ..self.cursor }),
            'c' => return Outcome::Leave,
            _ => {}
        }
        Outcome::Stay
    }

    /// Begins to select; the same key again ends that, the other changes what is selected.
    fn select(&mut self, lines: bool) {
        self.by_wheel = false;
        self.anchor = match self.anchor {
            Some(anchor) if anchor.lines == lines => None,
            Some(anchor) => Some(Anchor { lines, ..anchor }),
            None => Some(Anchor { place: self.cursor, lines }),
        };
    }

    fn prompt_key(&mut self, key: KeyEvent) {
        let Some((editor, is_upward)) = &mut self.prompt else { return };
        match editor.key(key) {
            Edit::Submit(text) => {
                let is_upward = *is_upward;
                self.prompt = None;
                self.by_wheel = false;
                // Without a text it is the one before, in this direction.
                match &mut self.search {
                    Some(search) if text.is_empty() => search.is_upward = is_upward,
                    _ if text.is_empty() => return,
                    search => *search = Search::new(&text, is_upward),
                }
                self.find(false);
            }
            Edit::Cancel => self.prompt = None,
            Edit::Ignored | Edit::Changed => {}
        }
    }

    /// Text that was pasted: only a search takes any.
    pub(in crate::ui) fn paste(&mut self, text: &str) {
        if let Some((editor, _)) = &mut self.prompt {
            editor.paste(text.lines().next().unwrap_or_default());
        }
    }
}
