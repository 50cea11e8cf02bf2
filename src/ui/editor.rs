//! Line editing as shells have it: the chat input and the edit line of a card.

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use crate::text::{char_width, cut, is_sendable_char, width};

/// Bytes of the text: what a card or a message may have at most.
const TEXT_LIMIT: usize = 8 * 1024;

/// Submitted lines that come back with Up.
const HISTORY_LIMIT: usize = 100;

/// Texts that undo brings back: more than anybody takes back in one line.
const UNDO_LIMIT: usize = 64;

/// What a key did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Edit {
    /// Text or cursor is another.
    Changed,
    /// Enter: the text, which stays until [`LineEditor::clear`].
    Submit(String),
    /// Esc or Ctrl-C.
    Cancel,
    /// Not a key of the editor's.
    Ignored,
}

#[derive(Debug, Clone, Default)]
pub struct LineEditor {
    text: String,
    /// Byte offset, on a character boundary.
    cursor: usize,
    history: Vec<String>,
    /// Which line of the history is shown, and what had been typed before.
    recalled: Option<(usize, String)>,
    /// What was killed last, for Ctrl-Y.
    killed: String,
    /// Text and cursor before each change, the latest last.
    undo: Vec<(String, usize)>,
    /// The last change was a character that was typed: the next one goes with it.
    typing: bool,
}

impl LineEditor {
    /// With the cursor at the end.
    pub fn with_text(text: &str) -> Self {
        let mut editor = Self::default();
        editor.set(text);
        editor
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// The cursor as a byte offset into the text.
    pub fn cursor(&self) -> usize {
        self.cursor
    }

    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    pub fn clear(&mut self) {
        self.set("");
        self.recalled = None;
    }

    /// Remembers a line for [`LineEditor::earlier`].
    pub fn remember(&mut self, line: &str) {
        if line.trim().is_empty() || self.history.last().is_some_and(|l| l == line) {
            return;
        }
        if self.history.len() == HISTORY_LIMIT {
            self.history.remove(0);
        }
        self.history.push(line.to_owned());
    }

    /// The line before in the history.
    pub fn earlier(&mut self) -> bool {
        let at = self.recalled.as_ref().map_or(self.history.len(), |(at, _)| *at);
        let Some(line) = at.checked_sub(1).and_then(|at| self.history.get(at)).cloned() else { return false };
        let typed = self.recalled.take().map_or_else(|| self.text.clone(), |(_, typed)| typed);
        self.set(&line);
        self.recalled = Some((at - 1, typed));
        true
    }

    /// The line after; past the last one, what had been typed.
    pub fn later(&mut self) -> bool {
        let Some((at, typed)) = self.recalled.take() else { return false };
        match self.history.get(at + 1).cloned() {
            Some(line) => {
                self.set(&line);
                self.recalled = Some((at + 1, typed));
            }
            None => self.set(&typed),
        }
        true
    }

    /// Inserts text that came in one piece. Newlines stay, other controls go, and nothing is submitted.
    pub fn paste(&mut self, pasted: &str) {
        let pasted = pasted.replace("\r\n", "\n").replace('\r', "\n").replace('\t', " ");
        let kept: String = pasted.chars().filter(|c| is_sendable_char(*c)).collect();
        self.insert(&kept);
    }

    pub fn key(&mut self, key: KeyEvent) -> Edit {
        if key.kind == KeyEventKind::Release {
            return Edit::Ignored;
        }
        let ctrl = key.modifiers.contains(KeyModifiers::CONTROL);
        let alt = key.modifiers.contains(KeyModifiers::ALT);
        let typing = matches!(key.code, KeyCode::Char(_)) && !ctrl && !alt;
        if !typing || !self.typing {
            self.typing = false;
        }
        match key.code {
            KeyCode::Enter if alt => self.insert("\n"),
            KeyCode::Enter => return Edit::Submit(self.text.clone()),
            KeyCode::Esc => return Edit::Cancel,
            KeyCode::Char(c) if ctrl && !alt => return self.control(c.to_ascii_lowercase()),
            KeyCode::Char('b') if alt => self.cursor = self.word_left(),
            KeyCode::Char('f') if alt => self.cursor = self.word_right(),
            KeyCode::Char('d') if alt => self.kill(self.cursor, self.word_right()),
            KeyCode::Char(_) if alt => return Edit::Ignored,
            KeyCode::Char(c) if is_sendable_char(c) => {
                self.insert(c.encode_utf8(&mut [0; 4]));
                self.typing = true;
            }
            KeyCode::Backspace if alt || ctrl => self.kill(self.word_left(), self.cursor),
            KeyCode::Backspace => self.remove(self.left(), self.cursor),
            KeyCode::Delete => self.remove(self.cursor, self.right()),
            KeyCode::Left if alt || ctrl => self.cursor = self.word_left(),
            KeyCode::Right if alt || ctrl => self.cursor = self.word_right(),
            KeyCode::Left => self.cursor = self.left(),
            KeyCode::Right => self.cursor = self.right(),
            KeyCode::Home => self.cursor = self.line_start(),
            KeyCode::End => self.cursor = self.line_end(),
            KeyCode::Up if self.line_start() > 0 => self.cursor = self.line_above(),
            KeyCode::Down if self.line_end() < self.text.len() => self.cursor = self.line_below(),
            _ => return Edit::Ignored,
        }
        Edit::Changed
    }

    fn control(&mut self, c: char) -> Edit {
        match c {
            'a' => self.cursor = self.line_start(),
            'e' => self.cursor = self.line_end(),
            'b' => self.cursor = self.left(),
            'f' => self.cursor = self.right(),
            'k' => self.kill(self.cursor, self.line_end().max(self.right_if_at_line_end())),
            'u' => self.kill(self.line_start(), self.cursor),
            'w' => self.kill(self.blank_word_left(), self.cursor),
            'y' => self.insert(&self.killed.clone()),
            // Ctrl-_, which terminals also send for Ctrl-7 and Ctrl-/.
            '_' | '7' | '/' => self.take_back(),
            'd' => self.remove(self.cursor, self.right()),
            'h' => self.remove(self.left(), self.cursor),
            'p' if self.earlier() => {}
            'n' if self.later() => {}
            'c' => return Edit::Cancel,
            _ => return Edit::Ignored,
        }
        Edit::Changed
    }

    fn set(&mut self, text: &str) {
        (self.typing, self.undo) = (false, Vec::new());
        self.text = cut(text, TEXT_LIMIT).to_owned();
        self.cursor = self.text.len();
    }

    /// Before a change: what undo comes back to. A run of typed characters is one change.
    fn note(&mut self) {
        if self.typing {
            return;
        }
        if self.undo.len() == UNDO_LIMIT {
            self.undo.remove(0);
        }
        self.undo.push((self.text.clone(), self.cursor));
    }

    fn take_back(&mut self) {
        if let Some((text, cursor)) = self.undo.pop() {
            (self.text, self.cursor) = (text, cursor);
        }
    }

    /// Removes what Ctrl-Y puts back.
    fn kill(&mut self, from: usize, to: usize) {
        if from < to {
            self.killed = self.text[from..to].to_owned();
        }
        self.remove(from, to);
    }

    fn insert(&mut self, text: &str) {
        self.note();
        let text = cut(text, TEXT_LIMIT - self.text.len());
        self.text.insert_str(self.cursor, text);
        self.cursor += text.len();
        self.recalled = None;
    }

    fn remove(&mut self, from: usize, to: usize) {
        if from == to {
            return;
        }
        self.note();
        self.text.drain(from..to);
        self.cursor = from;
        self.recalled = None;
    }

    /// One character left, with the marks that stand on it.
    fn left(&self) -> usize {
        let before = self.text[..self.cursor].char_indices().rev();
        before.map(|(at, c)| (at, is_mark(c))).find(|(_, mark)| !mark).map_or(0, |(at, _)| at)
    }

    fn right(&self) -> usize {
        let rest = &self.text[self.cursor..];
        let next = rest.char_indices().skip(1).find(|(_, c)| !is_mark(*c));
        self.cursor + next.map_or(rest.len(), |(at, _)| at)
    }

    /// At the end of a line Ctrl-K joins the next one.
    fn right_if_at_line_end(&self) -> usize {
        if self.cursor == self.line_end() { self.right() } else { self.cursor }
    }

    fn line_start(&self) -> usize {
        self.text[..self.cursor].rfind('\n').map_or(0, |at| at + 1)
    }

    fn line_end(&self) -> usize {
        self.text[self.cursor..].find('\n').map_or(self.text.len(), |at| self.cursor + at)
    }

    /// The same column in the line above, or its end.
    fn line_above(&self) -> usize {
        let end = self.line_start().saturating_sub(1);
        let start = self.text[..end].rfind('\n').map_or(0, |at| at + 1);
        self.column_in(start, end)
    }

    fn line_below(&self) -> usize {
        let start = self.line_end() + 1;
        let end = self.text[start..].find('\n').map_or(self.text.len(), |at| start + at);
        self.column_in(start, end)
    }

    /// Where this line has the cursor's column, in cells.
    fn column_in(&self, start: usize, end: usize) -> usize {
        let column = width(&self.text[self.line_start()..self.cursor]);
        let mut used = 0;
        for (at, c) in self.text[start..end].char_indices() {
            let cells = char_width(c);
            if used + cells > column || used == column && cells > 0 {
                return start + at;
            }
            used += cells;
        }
        end
    }

    /// readline's word: letters and digits.
    fn word_left(&self) -> usize {
        let before = self.text[..self.cursor].trim_end_matches(|c: char| !c.is_alphanumeric());
        before.trim_end_matches(char::is_alphanumeric).len()
    }

    fn word_right(&self) -> usize {
        let rest = self.text[self.cursor..].trim_start_matches(|c: char| !c.is_alphanumeric());
        self.text.len() - rest.trim_start_matches(char::is_alphanumeric).len()
    }

    /// Ctrl-W's word: up to a blank.
    fn blank_word_left(&self) -> usize {
        let before = self.text[..self.cursor].trim_end_matches(char::is_whitespace);
        before.trim_end_matches(|c: char| !c.is_whitespace()).len()
    }
}

/// Drawn on the character before it. A newline has no width either, and is a character of its own.
fn is_mark(c: char) -> bool {
    char_width(c) == 0 && !c.is_control()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn press(editor: &mut LineEditor, code: KeyCode, modifiers: KeyModifiers) -> Edit {
        editor.key(KeyEvent::new(code, modifiers))
    }

    fn ctrl(editor: &mut LineEditor, c: char) -> Edit {
        press(editor, KeyCode::Char(c), KeyModifiers::CONTROL)
    }

    fn typed(text: &str) -> LineEditor {
        let mut editor = LineEditor::default();
        for c in text.chars() {
            assert_eq!(press(&mut editor, KeyCode::Char(c), KeyModifiers::NONE), Edit::Changed);
        }
        editor
    }

    #[test]
    fn typing_inserts_at_the_cursor() {
        let mut editor = typed("l -l");
        for _ in 0..3 {
            press(&mut editor, KeyCode::Left, KeyModifiers::NONE);
        }
        press(&mut editor, KeyCode::Char('s'), KeyModifiers::NONE);
        assert_eq!((editor.text(), editor.cursor()), ("ls -l", 2));
        assert_eq!(press(&mut editor, KeyCode::Enter, KeyModifiers::NONE), Edit::Submit("ls -l".into()));
        assert_eq!(press(&mut editor, KeyCode::Esc, KeyModifiers::NONE), Edit::Cancel);
        assert_eq!(press(&mut editor, KeyCode::F(5), KeyModifiers::NONE), Edit::Ignored);
    }

    #[test]
    fn readlines_keys_do_what_they_do_there() {
        let mut editor = typed("cat /var/log/syslog");
        ctrl(&mut editor, 'w');
        assert_eq!(editor.text(), "cat ");
        editor.paste("/var/log/syslog");
        press(&mut editor, KeyCode::Char('b'), KeyModifiers::ALT);
        assert_eq!(editor.cursor(), "cat /var/log/".len());
        ctrl(&mut editor, 'k');
        assert_eq!(editor.text(), "cat /var/log/");
        ctrl(&mut editor, 'a');
        press(&mut editor, KeyCode::Char('f'), KeyModifiers::ALT);
        assert_eq!(editor.cursor(), 3);
        ctrl(&mut editor, 'u');
        assert_eq!((editor.text(), editor.cursor()), (" /var/log/", 0));
        press(&mut editor, KeyCode::Delete, KeyModifiers::NONE);
        ctrl(&mut editor, 'e');
        press(&mut editor, KeyCode::Backspace, KeyModifiers::NONE);
        assert_eq!(editor.text(), "/var/log");
        assert_eq!(ctrl(&mut editor, 'c'), Edit::Cancel);
    }

    #[test]
    fn what_was_killed_is_put_back_by_ctrl_y() {
        let mut editor = typed("ls -l /var/log");
        ctrl(&mut editor, 'w');
        ctrl(&mut editor, 'a');
        ctrl(&mut editor, 'y');
        assert_eq!(editor.text(), "/var/logls -l ");
        press(&mut editor, KeyCode::Delete, KeyModifiers::NONE);
        ctrl(&mut editor, 'e');
        ctrl(&mut editor, 'y');
        assert_eq!(editor.text(), "/var/logs -l /var/log", "a character that was deleted was not killed");
        // Nothing is there to be killed: what was stays.
        ctrl(&mut editor, 'k');
        ctrl(&mut editor, 'y');
        assert!(editor.text().ends_with("/var/log/var/log"), "{}", editor.text());
    }

    #[test]
    fn each_change_is_taken_back_and_a_run_of_typing_is_one() {
        let mut editor = LineEditor::with_text("ls");
        for c in " -l".chars() {
            press(&mut editor, KeyCode::Char(c), KeyModifiers::NONE);
        }
        ctrl(&mut editor, 'a');
        ctrl(&mut editor, 'k');
        assert_eq!(editor.text(), "");
        ctrl(&mut editor, '_');
        assert_eq!((editor.text(), editor.cursor()), ("ls -l", 0));
        ctrl(&mut editor, '_');
        assert_eq!((editor.text(), editor.cursor()), ("ls", 2));
        ctrl(&mut editor, '_');
        assert_eq!(editor.text(), "ls");
    }

    #[test]
    fn up_and_down_keep_the_column_in_cells() {
        let mut editor = LineEditor::with_text("abcdef\n漢字漢\nx");
        press(&mut editor, KeyCode::Up, KeyModifiers::NONE);
        assert_eq!(editor.cursor(), "abcdef\n".len(), "a wide character is not cut");
        press(&mut editor, KeyCode::Right, KeyModifiers::NONE);
        press(&mut editor, KeyCode::Up, KeyModifiers::NONE);
        assert_eq!(editor.cursor(), 2);
        assert_eq!(press(&mut editor, KeyCode::Up, KeyModifiers::NONE), Edit::Ignored);
        press(&mut editor, KeyCode::Down, KeyModifiers::NONE);
        press(&mut editor, KeyCode::Down, KeyModifiers::NONE);
        assert_eq!(editor.cursor(), editor.text().len());
        assert_eq!(press(&mut editor, KeyCode::Down, KeyModifiers::NONE), Edit::Ignored);
    }

    #[test]
    fn a_character_goes_with_its_marks() {
        let mut editor = typed("ae\u{301}漢");
        press(&mut editor, KeyCode::Backspace, KeyModifiers::NONE);
        press(&mut editor, KeyCode::Left, KeyModifiers::NONE);
        assert_eq!(editor.cursor(), 1);
        press(&mut editor, KeyCode::Delete, KeyModifiers::NONE);
        assert_eq!(editor.text(), "a");
    }

    #[test]
    fn a_paste_keeps_its_lines_and_submits_nothing() {
        let mut editor = LineEditor::default();
        editor.paste("for i in 1\r\ndo\tx\x1b[31m\x03\rdone");
        assert_eq!(editor.text(), "for i in 1\ndo x[31m\ndone");
        press(&mut editor, KeyCode::Home, KeyModifiers::NONE);
        assert_eq!(editor.cursor(), editor.text().len() - 4);
        press(&mut editor, KeyCode::Enter, KeyModifiers::ALT);
        assert!(editor.text().ends_with("\n\ndone"));
    }

    #[test]
    fn history_goes_back_and_forth_and_returns_what_was_typed() {
        let mut editor = LineEditor::default();
        for line in ["one", "two", "two", " "] {
            editor.remember(line);
        }
        editor.paste("thr");
        assert!(editor.earlier());
        assert_eq!(editor.text(), "two");
        assert!(editor.earlier());
        assert_eq!(editor.text(), "one");
        assert!(!editor.earlier());
        assert!(editor.later() && editor.later());
        assert_eq!(editor.text(), "thr");
        assert!(!editor.later());
    }

    #[test]
    fn text_is_bounded_and_no_key_breaks_it_anywhere() {
        let mut editor = LineEditor::with_text(&"é".repeat(10_000));
        assert_eq!(editor.text().len(), TEXT_LIMIT);
        editor.paste("more");
        assert_eq!(editor.text().len(), TEXT_LIMIT);

        let codes =
            [KeyCode::Left, KeyCode::Right, KeyCode::Home, KeyCode::End, KeyCode::Backspace, KeyCode::Delete];
        for start in 0..="aé\n漢\u{301} b\n".len() {
            for code in codes
                .into_iter()
                .chain([KeyCode::Up, KeyCode::Down])
                .chain("abdefhkuwpny_".chars().map(KeyCode::Char))
            {
                for modifiers in [KeyModifiers::NONE, KeyModifiers::CONTROL, KeyModifiers::ALT] {
                    let mut editor = LineEditor::with_text("aé\n漢\u{301} b\n");
                    while editor.cursor > start {
                        editor.cursor = editor.left();
                    }
                    press(&mut editor, code, modifiers);
                    assert!(editor.text.is_char_boundary(editor.cursor));
                }
            }
        }
    }
}
