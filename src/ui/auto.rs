//! The question before auto: what it will do, what it will not, and the word that is typed.

use crossterm::event::{KeyCode, KeyEvent};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};

use super::editor::{Edit, LineEditor};
use super::paint::{heading, lines, paragraph, styled};
use super::theme::Theme;
use crate::copilot::policy::MOMENT;
use crate::text::{visible, width};

/// The question while it is open.
#[derive(Debug, Clone, Default)]
pub(super) struct Question {
    word: LineEditor,
    scroll: usize,
}

/// What a key means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Answer {
    /// Enter, with what was typed.
    Word(String),
    Leave,
    Nothing,
}

const WILL: [&str; 2] = [
    "sends Linus's own cards of low risk, one after the other, without your key. Each is shown before for MOMENT \
     seconds, and any key stops it",
    "sends at most LIMIT in a row. A message of yours to Linus begins a new row",
];
const WILL_NOT: [&str; 3] = [
    "send what is medium or high, has several lines or something to fill in, or was changed by you; nor any other \
     agent's card",
    "send anywhere else than here: to another user, host or shell, or where the prompt has no mark of this session's \
     shell integration",
    "go on when you type on the remote, the panel closes, a command comes again, three fail, a status is not known, a \
     secret is asked for, a program waits for input, Linus is away, or the output has hidden text or text that tells an \
     agent what to do",
];
const LOW: &str =
    "Low is what the rules of --risk call so. They can be wrong, and what Linus reads can mislead him.";
const END: &str = "It ends with this session, with PREFIX ! at once, and with PREFIX m.";
const QUESTION: &str = "Type auto or yes: ";

impl Question {
    pub(super) fn key(&mut self, key: KeyEvent) -> Answer {
        match key.code {
            KeyCode::PageUp => self.scroll = self.scroll.saturating_sub(5),
            KeyCode::PageDown => self.scroll += 5,
            KeyCode::Up => self.scroll = self.scroll.saturating_sub(1),
            KeyCode::Down => self.scroll += 1,
            _ => {
                return match self.word.key(key) {
                    Edit::Submit(word) => {
                        self.word.clear();
                        Answer::Word(word)
                    }
                    Edit::Cancel => Answer::Leave,
                    Edit::Changed | Edit::Ignored => Answer::Nothing,
                };
            }
        }
        Answer::Nothing
    }

    /// The value is the place of the cursor. `obstacle`: why it would not begin here.
    pub(super) fn draw(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        texts: &Texts<'_>,
        notice: Option<&str>,
        theme: Theme,
    ) -> Option<Position> {
        let cols = usize::from(area.width);
        let mut foot: Vec<Line<'static>> =
            notice.map(|n| paragraph(n, cols, 0, theme.warning())).unwrap_or_default();
        let typed = visible(self.word.text()).into_owned();
        let column = width(QUESTION) + width(&typed);
        foot.push(Line::from(vec![Span::styled(QUESTION, theme.bad()), Span::styled(typed, theme.bold())]));
        foot.push(styled("Esc leaves it off".to_owned(), theme.dim()));
        let body = texts.body(cols, theme);
        let room = usize::from(area.height).saturating_sub(foot.len() + 2);
        self.scroll = self.scroll.min(body.len().saturating_sub(room));
        let below = body.len().saturating_sub(self.scroll + room);
        let mut all = vec![heading(cols, "Auto", theme.accent(), theme.dim(), Vec::new())];
        all.extend(body.into_iter().skip(self.scroll).take(room));
        let more = if below > 0 { format!("↓ {below} more lines: PgDn") } else { String::new() };
        all.push(styled(more, theme.dim()));
        let row = u16::try_from(all.len() + foot.len()).unwrap_or(u16::MAX).saturating_sub(2);
        all.extend(foot);
        lines(buffer, area, &all);
        let at = Position::new(
            area.x.saturating_add(u16::try_from(column).unwrap_or(u16::MAX)),
            area.y.saturating_add(row),
        );
        area.contains(at).then_some(at)
    }
}

/// What the question says of this session.
pub(super) struct Texts<'a> {
    pub(super) prefix: &'a str,
    /// Already harmless.
    pub(super) target: &'a str,
    pub(super) limit: u8,
    /// Why it would not begin here.
    pub(super) obstacle: Option<&'a str>,
}

impl Texts<'_> {
    fn body(&self, cols: usize, theme: Theme) -> Vec<Line<'static>> {
        let fill = |text: &str| {
            text.replace("MOMENT", &MOMENT.as_secs().to_string())
                .replace("LIMIT", &self.limit.to_string())
                .replace("PREFIX", self.prefix)
        };
        let list = |items: &[&str]| -> Vec<Line<'static>> {
            items
                .iter()
                .flat_map(|item| paragraph(&format!("• {}", fill(item)), cols, 0, theme.plain()))
                .collect()
        };
        let at = if self.target.is_empty() { String::new() } else { format!(" on {}", self.target) };
        let mut out = Vec::new();
        if let Some(obstacle) = self.obstacle {
            out.extend(paragraph(&format!("It cannot begin now: {obstacle}."), cols, 0, theme.warning()));
        }
        out.extend(paragraph(&format!("Until it is off, aissh{at}"), cols, 0, theme.bold()));
        out.extend(list(&WILL));
        out.extend(paragraph("and will not", cols, 0, theme.bold()));
        out.extend(list(&WILL_NOT));
        out.push(Line::default());
        out.extend(paragraph(LOW, cols, 0, theme.plain()));
        out.extend(paragraph(&fill(END), cols, 0, theme.plain()));
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossterm::event::KeyModifiers;

    #[test]
    fn only_enter_answers_and_with_what_was_typed() {
        let mut consent = Question::default();
        let mut press = |code| consent.key(KeyEvent::new(code, KeyModifiers::NONE));
        for c in "aut".chars() {
            assert_eq!(press(KeyCode::Char(c)), Answer::Nothing);
        }
        assert_eq!(press(KeyCode::Enter), Answer::Word("aut".into()));
        assert_eq!(press(KeyCode::Enter), Answer::Word(String::new()), "what was wrong is gone");
        assert_eq!(press(KeyCode::Esc), Answer::Leave);
    }
}
