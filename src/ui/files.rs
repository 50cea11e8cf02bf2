//! A file action from card to result: the questions, the diff, the word that confirms it, and what came of it. Shows
//! what the session gives it and turns keys into answers; reads and writes nothing.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};

use super::action::FileAnswer;
use super::editor::{Edit, LineEditor};
use super::help::table;
use super::paint::{by_character, heading, lines, paragraph, styled};
use super::theme::Theme;
use crate::files::{CONFIRMATION, Diff, DiffKind};
use crate::linus::contract::Risk;
use crate::text::{visible, width};

/// What the dialog shows.
#[derive(Debug, Clone, PartialEq)]
pub enum FilePage {
    /// May a connection be used for files? Sentences.
    Asking(Vec<String>),
    /// What is being done.
    Busy(String),
    Shown(Box<FileShown>),
    /// How it ended. Sentences.
    Ended {
        is_good: bool,
        text: Vec<String>,
    },
}

/// A change that waits for the user's word.
#[derive(Debug, Clone, PartialEq)]
pub struct FileShown {
    /// The file on the remote.
    pub path: String,
    /// `replace`, `new file`, …
    pub how: String,
    /// Whose it will be done as, and where.
    pub target: String,
    pub level: Risk,
    pub reason: String,
    pub warnings: Vec<String>,
    pub notes: Vec<String>,
    pub diff: Diff,
}

/// How far the user's word is given.
#[derive(Debug, Clone)]
enum Word {
    No,
    /// One more key.
    Key,
    Typed(LineEditor),
}

/// The dialog while it is open.
#[derive(Debug, Clone)]
pub(super) struct FileDialog {
    pub(super) id: String,
    path: String,
    page: FilePage,
    word: Word,
    scroll: usize,
    /// Rows of the diff for a number of columns: wrapped once, not at every frame.
    rows: Option<(usize, Vec<Line<'static>>)>,
    /// Rows that were drawn: what a page is.
    height: usize,
}

impl FileDialog {
    pub(super) fn new(id: &str, path: &str) -> Self {
        let page = FilePage::Busy("looking".to_owned());
        let (id, path) = (id.to_owned(), path.to_owned());
        Self { id, path, page, word: Word::No, scroll: 0, rows: None, height: 0 }
    }

    /// Another page; the user's word was for the one before.
    pub(super) fn show(&mut self, page: FilePage) {
        if self.page != page {
            (self.page, self.word, self.scroll, self.rows) = (page, Word::No, 0, None);
        }
    }

    /// `Err` with a sentence where the key did not do what it might have been meant for.
    pub(super) fn key(&mut self, key: KeyEvent) -> Result<Option<FileAnswer>, String> {
        let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
        let leaves = key.code == KeyCode::Esc || is_control && key.code == KeyCode::Char('c');
        Ok(match (&self.page, key.code) {
            (FilePage::Shown(_), _) if !matches!(self.word, Word::No) => return self.word_key(key),
            (FilePage::Busy(_), _) => leaves.then_some(FileAnswer::Cancel),
            (FilePage::Asking(_), KeyCode::Char('y')) => Some(FileAnswer::Agree),
            (FilePage::Asking(_), KeyCode::Char('n')) => Some(FileAnswer::Leave),
            (FilePage::Ended { .. }, KeyCode::Enter) => Some(FileAnswer::Leave),
            (FilePage::Shown(shown), KeyCode::Enter) => {
                let is_high = shown.level == Risk::High;
                self.word = if is_high { Word::Typed(LineEditor::default()) } else { Word::Key };
                None
            }
            (FilePage::Shown(_), KeyCode::Char('x')) if is_control => Some(FileAnswer::Dismiss),
            (_, KeyCode::Char('q')) => Some(FileAnswer::Leave),
            _ if leaves => Some(FileAnswer::Leave),
            _ => self.scroll_key(key),
        })
    }

    /// A key where the user's word is asked for: anything else than that leads back to the diff.
    fn word_key(&mut self, key: KeyEvent) -> Result<Option<FileAnswer>, String> {
        let Word::Typed(editor) = &mut self.word else {
            self.word = Word::No;
            let is_yes = key.code == KeyCode::Char('y');
            return if is_yes { Ok(Some(FileAnswer::Write(None))) } else { Err("Not written.".to_owned()) };
        };
        match editor.key(key) {
            Edit::Changed | Edit::Ignored => return Ok(None),
            Edit::Submit(word) if word.trim() == CONFIRMATION => {
                self.word = Word::No;
                return Ok(Some(FileAnswer::Write(Some(word))));
            }
            Edit::Submit(_) | Edit::Cancel => self.word = Word::No,
        }
        Err(format!("Not written: {CONFIRMATION} was not typed."))
    }

    /// The lower end is known when it is drawn.
    fn scroll_key(&mut self, key: KeyEvent) -> Option<FileAnswer> {
        let page = self.height.max(2) as isize - 1;
        let by = match key.code {
            KeyCode::Up | KeyCode::Char('k') => -1,
            KeyCode::Down | KeyCode::Char('j') => 1,
            KeyCode::PageUp => -page,
            KeyCode::PageDown | KeyCode::Char(' ') => page,
            KeyCode::Home | KeyCode::Char('g') => isize::MIN,
            KeyCode::End | KeyCode::Char('G') => isize::MAX,
            _ => 0,
        };
        self.scroll = self.scroll.saturating_add_signed(by);
        None
    }

    /// The value is the cursor of the word that is typed.
    pub(super) fn draw(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        notice: Option<&str>,
        theme: Theme,
    ) -> Option<Position> {
        let cols = usize::from(area.width);
        let head = self.head(cols, theme);
        let mut foot = notice.map(|n| paragraph(n, cols, 0, theme.warning())).unwrap_or_default();
        foot.extend(table(&self.keys(), cols, theme));
        if let Word::Typed(editor) = &self.word {
            let text = Span::styled(visible(editor.text()).into_owned(), theme.bold());
            foot.push(Line::from(vec![Span::styled(format!("{CONFIRMATION}? "), theme.bad()), text]));
        }
        let body = self.body(cols, theme);
        let height = usize::from(area.height).saturating_sub(head.len() + foot.len() + 1).max(1);
        let last = body.saturating_sub(height);
        (self.height, self.scroll) = (height, self.scroll.min(last));
        let below = last - self.scroll;
        let mut all = head;
        let shown = self.rows.iter().flat_map(|(_, rows)| rows.iter().skip(self.scroll).take(height));
        all.extend(shown.cloned());
        all.resize(usize::from(area.height).saturating_sub(foot.len() + 1), Line::default());
        let more = if below > 0 { format!("↓ {below} more rows: PgDn") } else { String::new() };
        all.push(styled(more, theme.dim()));
        all.extend(foot);
        lines(buffer, area, &all);
        let Word::Typed(editor) = &self.word else { return None };
        let column = width(CONFIRMATION) + 2 + width(editor.text());
        let x = area.x.saturating_add(u16::try_from(column).unwrap_or(u16::MAX));
        let at = Position::new(x, area.bottom().saturating_sub(1));
        area.contains(at).then_some(at)
    }

    /// All of it in lines, by what they are about. How far something is that is being done is left out.
    pub(super) fn told(&self, cols: usize, theme: Theme) -> Vec<(&'static str, Vec<Line<'static>>)> {
        if let FilePage::Busy(what) = &self.page {
            let doing = what.split(':').next().unwrap_or_default();
            return vec![("busy", vec![styled(format!("{}: {doing}", visible(&self.path)), theme.plain())])];
        }
        let page = [self.head(cols, theme), rows(&self.page, cols, theme)].concat();
        vec![("page", page), ("keys", table(&self.keys(), cols, theme))]
    }

    /// What is typed to confirm, and what asks for it.
    pub(super) fn typed(&self) -> Option<(String, &LineEditor)> {
        match &self.word {
            Word::Typed(editor) => Some((format!("{CONFIRMATION}? "), editor)),
            Word::No | Word::Key => None,
        }
    }

    /// What a key is waited for to say.
    pub(super) fn asks(&self) -> &'static str {
        match (&self.page, &self.word) {
            (FilePage::Asking(_), _) => "y or n: ",
            (FilePage::Busy(_), _) => "Esc cancels: ",
            (FilePage::Ended { .. }, _) => "Enter closes it: ",
            (FilePage::Shown(_), Word::Key) => "y writes it: ",
            (FilePage::Shown(_), _) => "Enter writes it, Esc leaves it: ",
        }
    }

    /// What always stands on top: which file, where, and what is at stake.
    fn head(&self, cols: usize, theme: Theme) -> Vec<Line<'static>> {
        let FilePage::Shown(shown) = &self.page else {
            let title = heading(cols, "File", theme.accent(), theme.dim(), Vec::new());
            return [vec![title], paragraph(&visible(&self.path), cols, 0, theme.bold())].concat();
        };
        let (style, risk) = theme.risk(shown.level);
        let title = format!("File: {}", shown.how);
        let mut out =
            vec![heading(cols, &title, theme.accent(), theme.dim(), vec![Span::styled(risk, style)])];
        out.extend(paragraph(&visible(&shown.path), cols, 0, theme.bold()));
        out.extend(paragraph(&visible(&format!("as {}", shown.target)), cols, 0, theme.plain()));
        if shown.level == Risk::High {
            out.extend(paragraph(&visible(&shown.reason), cols, 0, style));
        }
        out
    }

    /// Makes the rows if they are not there for this width; the value is how many.
    fn body(&mut self, cols: usize, theme: Theme) -> usize {
        if self.rows.as_ref().is_none_or(|(of, _)| *of != cols) {
            self.rows = Some((cols, rows(&self.page, cols, theme)));
        }
        self.rows.as_ref().map_or(0, |(_, rows)| rows.len())
    }

    fn keys(&self) -> Vec<(&'static str, &'static str)> {
        match (&self.page, &self.word) {
            (FilePage::Asking(_), _) => vec![("y", "use it for files in this session"), ("n Esc", "no")],
            (FilePage::Busy(_), _) => vec![("Esc", "cancel")],
            (FilePage::Ended { .. }, _) => vec![("Enter Esc", "close")],
            (FilePage::Shown(_), Word::No) => {
                vec![("Enter", "write it (asks once more)"), ("Esc", "leave"), ("Ctrl-X", "dismiss the card")]
            }
            (FilePage::Shown(_), Word::Key) => vec![("y", "write it"), ("else", "back")],
            (FilePage::Shown(_), Word::Typed(_)) => vec![("Enter", "after yes: write it"), ("Esc", "back")],
        }
    }
}

fn rows(page: &FilePage, cols: usize, theme: Theme) -> Vec<Line<'static>> {
    let say = |text: &str, style| paragraph(&visible(text), cols, 0, style);
    match page {
        FilePage::Asking(text) => {
            text.iter().flat_map(|t| [vec![Line::default()], say(t, theme.plain())].concat()).collect()
        }
        FilePage::Busy(what) => [vec![Line::default()], say(what, theme.accent())].concat(),
        FilePage::Ended { is_good, text } => {
            let first = if *is_good { theme.good() } else { theme.warning() };
            let mut out = Vec::new();
            for (at, text) in text.iter().enumerate() {
                out.push(Line::default());
                out.extend(say(text, if at == 0 { first } else { theme.plain() }));
            }
            out
        }
        FilePage::Shown(shown) => {
            let mut out: Vec<_> = shown.warnings.iter().flat_map(|text| say(text, theme.warning())).collect();
            out.extend(shown.notes.iter().flat_map(|text| say(text, theme.dim())));
            out.extend(diff_rows(&shown.diff, cols, theme));
            out
        }
    }
}

fn diff_rows(diff: &Diff, cols: usize, theme: Theme) -> Vec<Line<'static>> {
    let counts = vec![
        Span::styled(format!("+{}", diff.added), theme.good()),
        Span::styled(format!(" −{}", diff.removed), theme.bad()),
    ];
    let mut out = vec![heading(cols, "Change", theme.bold(), theme.dim(), counts)];
    for line in &diff.lines {
        let style = match line.kind {
            DiffKind::Hunk => theme.accent(),
            DiffKind::Same => theme.plain(),
            DiffKind::Removed => theme.bad(),
            DiffKind::Added => theme.good(),
            DiffKind::NoNewline => theme.dim(),
        };
        let text = by_character(line.sign(), &line.text, cols);
        out.extend(text.into_iter().map(|row| styled(row, style)));
    }
    if diff.left_out > 0 {
        let text = format!("… {} more lines are not shown", diff.left_out);
        out.extend(paragraph(&text, cols, 0, theme.warning()));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(level: Risk) -> FileDialog {
        let mut dialog = FileDialog::new("f", "/a");
        dialog.show(FilePage::Shown(Box::new(FileShown {
            path: "/a".into(),
            how: "replace".into(),
            target: "joe@web1".into(),
            level,
            reason: String::new(),
            warnings: Vec::new(),
            notes: Vec::new(),
            diff: Diff::default(),
        })));
        dialog
    }

    fn press(dialog: &mut FileDialog, code: KeyCode) -> Result<Option<FileAnswer>, String> {
        dialog.key(KeyEvent::new(code, KeyModifiers::NONE))
    }

    #[test]
    fn enter_alone_never_writes() {
        let mut dialog = shown(Risk::Medium);
        assert_eq!(press(&mut dialog, KeyCode::Enter), Ok(None));
        assert!(press(&mut dialog, KeyCode::Enter).is_err());
        assert_eq!(press(&mut dialog, KeyCode::Enter), Ok(None));
        assert_eq!(press(&mut dialog, KeyCode::Char('y')), Ok(Some(FileAnswer::Write(None))));
        assert_eq!(press(&mut dialog, KeyCode::Char('y')), Ok(None), "the diff is shown, nothing is asked");
    }

    #[test]
    fn a_high_risk_takes_the_word_and_nothing_less() {
        let mut dialog = shown(Risk::High);
        for (typed, writes) in [("", false), ("y", false), ("yes", true)] {
            assert_eq!(press(&mut dialog, KeyCode::Enter), Ok(None));
            for c in typed.chars() {
                assert_eq!(press(&mut dialog, KeyCode::Char(c)), Ok(None));
            }
            assert_eq!(press(&mut dialog, KeyCode::Enter).is_ok(), writes, "{typed}");
        }
    }

    #[test]
    fn another_page_takes_the_word_back() {
        let mut dialog = shown(Risk::Medium);
        assert_eq!(press(&mut dialog, KeyCode::Enter), Ok(None));
        dialog.show(FilePage::Busy("x".into()));
        dialog.show(shown(Risk::Medium).page);
        assert_eq!(press(&mut dialog, KeyCode::Char('y')), Ok(None));
    }

    #[test]
    fn a_line_is_shown_to_its_last_character() {
        for cols in [1, 7, 40] {
            let rows = by_character("+", "a\tb\u{1b}[31m größe\r \u{202e}x", cols);
            let text: String = rows.iter().map(|row| &row[1..]).collect();
            assert_eq!(text, "a␉b␛[31m größe␍ ⟨U+202E⟩x", "{cols}");
        }
    }
}
