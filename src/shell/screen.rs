//! What the tracker asks of the emulated screen. It never sees cells, escape sequences or sizes.

/// Text of the primary screen by logical line (rows that wrap are one line), numbered since the start.
pub(crate) trait Screen {
    /// The logical line on which the cursor stands.
    fn cursor_line(&self) -> u64;
    /// That line's text up to the cursor, plain, blanks kept.
    fn text_before_cursor(&self) -> String;
    /// The last character before it that is no blank.
    fn last_before_cursor(&self) -> Option<char>;
    /// A line's text, plain, trailing blanks trimmed; `None` when the line is gone.
    fn line_text(&self, line: u64) -> Option<String>;
    /// Columns of the screen.
    fn columns(&self) -> usize;
    /// Lines `[line, to)`, SGR kept, joined by `\n`; only the last `limit` bytes when there are more.
    fn text_from(&self, line: u64, to: u64, limit: usize) -> String;
}
