//! Words: quotes, expansions, substitutions.

use super::{ANY, End, Fault, Reader, STAR, UNKNOWN, Word};

/// Variables whose values are paths or names of the session: they cannot turn into an option.
const SAFE_VARIABLES: &[&str] =
    &["HOME", "PWD", "OLDPWD", "USER", "LOGNAME", "HOSTNAME", "UID", "EUID", "TMPDIR"];

/// Parts of the names of variables that hold secrets.
const SECRET_NAMES: &[&str] =
    &["PASSW", "SECRET", "TOKEN", "API_KEY", "APIKEY", "ACCESS_KEY", "PRIVATE_KEY", "CREDENTIAL"];

/// Characters that end an unquoted word.
pub(super) fn ends_word(c: char) -> bool {
    matches!(c, ' ' | '\n' | ';' | '&' | '|' | '<' | '>' | '(' | ')')
}

impl Reader {
    /// Blanks, joined lines, and the comment that may follow.
    pub(super) fn blanks(&mut self) {
        loop {
            match self.peek() {
                Some(' ') => self.at += 1,
                Some('\\') if self.peek_at(1) == Some('\n') => self.at += 2,
                Some('#') if self.is_word_start() => self.comment(),
                _ => return,
            }
        }
    }

    fn is_word_start(&self) -> bool {
        self.at.checked_sub(1).and_then(|at| self.chars.get(at)).is_none_or(|c| ends_word(*c))
    }

    fn comment(&mut self) {
        while let Some(c) = self.peek().filter(|c| *c != '\n') {
            self.script.odd_comment |= ends_word(c) && c != ' ' || matches!(c, '`' | '$' | '\'' | '"' | '\\');
            self.at += 1;
        }
    }

    /// The word at the cursor, which stands at its first character.
    pub(super) fn word(&mut self) -> Result<Word, Fault> {
        let mut word = Word::default();
        let mut braces: Vec<(usize, bool)> = Vec::new();
        while let Some(c) = self.peek() {
            match c {
                '<' | '>' if word.text.is_empty() && self.peek_at(1) == Some('(') && !self.is_fish() => {
                    self.at += 2;
                    self.substitution(&mut word)?;
                }
                '(' if self.is_fish() => {
                    self.at += 1;
                    self.substitution(&mut word)?;
                }
                c if ends_word(c) => break,
                '{' => {
                    braces.push((word.text.len(), false));
                    self.literal(&mut word);
                }
                ',' | '.' if !braces.is_empty() => {
                    let lists = c == ',' || self.peek_at(1) == Some('.');
                    if let Some(last) = braces.last_mut() {
                        last.1 |= lists;
                    }
                    self.literal(&mut word);
                }
                '}' if braces.last().is_some_and(|(_, lists)| *lists) => {
                    let (from, _) = braces.pop().unwrap_or_default();
                    word.text.truncate(from);
                    word.text.push(UNKNOWN);
                    self.at += 1;
                }
                '}' => {
                    braces.pop();
                    self.literal(&mut word);
                }
                _ => self.piece(&mut word)?,
            }
        }
        Ok(word)
    }

    /// A word that is there: an operator in its place does not parse, and never keeps a loop going.
    pub(super) fn some_word(&mut self) -> Result<Word, Fault> {
        let before = self.at;
        let word = self.word()?;
        if self.at == before { Err(Fault::Unread) } else { Ok(word) }
    }

    fn literal(&mut self, word: &mut Word) {
        word.text.extend(self.next());
    }

    /// One piece of an unquoted word.
    fn piece(&mut self, word: &mut Word) -> Result<(), Fault> {
        match self.peek() {
            Some('\\') => self.escape(word),
            Some('\'') => self.single_quotes(word),
            Some('"') => {
                self.at += 1;
                word.quoted = true;
                self.double_quotes(word)
            }
            Some('$') => self.dollar(word, false),
            Some('`') if !self.is_fish() => self.backquotes(word, false),
            Some('*') => self.glob(word, STAR),
            Some('?') => self.glob(word, ANY),
            Some('[') => {
                self.bracket(word);
                Ok(())
            }
            _ => {
                self.literal(word);
                Ok(())
            }
        }
    }

    fn glob(&mut self, word: &mut Word, mark: char) -> Result<(), Fault> {
        self.at += 1;
        word.text.push(mark);
        Ok(())
    }

    /// `[a-z]` is a glob, the command `[` is a word.
    fn bracket(&mut self, word: &mut Word) {
        let inside = |c: &&char| !ends_word(**c) && !matches!(**c, '\'' | '"' | '\\' | '$' | '`');
        let rest = self.chars.iter().skip(self.at + 1).take_while(inside);
        let close = rest.enumerate().position(|(at, c)| at > 0 && *c == ']');
        match close {
            Some(close) if !self.is_fish() => {
                self.at += close + 2;
                word.text.push(ANY);
            }
            _ => self.literal(word),
        }
    }

    fn escape(&mut self, word: &mut Word) -> Result<(), Fault> {
        self.at += 1;
        match self.next() {
            None => return Err(Fault::Unfinished),
            Some('\n') => {}
            // fish reads \x72 and the like here; the others take the letter.
            Some('x' | 'X' | 'u' | 'U' | '0'..='7') if self.is_fish() => {
                word.quoted = true;
                word.text.push(UNKNOWN);
            }
            Some(c) => {
                word.quoted = true;
                word.text.push(c);
            }
        }
        Ok(())
    }

    fn single_quotes(&mut self, word: &mut Word) -> Result<(), Fault> {
        self.at += 1;
        word.quoted = true;
        loop {
            match self.next().ok_or(Fault::Unfinished)? {
                '\'' => return Ok(()),
                '\\' if self.is_fish() && matches!(self.peek(), Some('\'' | '\\')) => self.literal(word),
                c => word.text.push(c),
            }
        }
    }

    /// What follows the opening quote, up to the closing one.
    pub(super) fn double_quotes(&mut self, word: &mut Word) -> Result<(), Fault> {
        loop {
            match self.peek().ok_or(Fault::Unfinished)? {
                '"' => {
                    self.at += 1;
                    return Ok(());
                }
                _ => self.quoted_piece(word)?,
            }
        }
    }

    /// One piece of what stands in double quotes or in a here-document.
    pub(super) fn quoted_piece(&mut self, word: &mut Word) -> Result<(), Fault> {
        match self.peek() {
            Some('\\') => {
                self.at += 1;
                match self.next().ok_or(Fault::Unfinished)? {
                    '\n' => {}
                    c @ ('$' | '`' | '"' | '\\') => word.text.push(c),
                    c => word.text.extend(['\\', c]),
                }
                Ok(())
            }
            Some('$') => self.dollar(word, true),
            Some('`') if !self.is_fish() => self.backquotes(word, true),
            _ => {
                self.literal(word);
                Ok(())
            }
        }
    }

    fn dollar(&mut self, word: &mut Word, quoted: bool) -> Result<(), Fault> {
        self.at += 1;
        match self.peek() {
            Some('(') if self.peek_at(1) == Some('(') && !self.is_fish() => self.arithmetic(word),
            Some('(') => {
                self.at += 1;
                self.substitution(word)
            }
            Some('{') if !self.is_fish() => {
                self.at += 1;
                self.parameter(word)
            }
            // The old spelling of $((…)).
            Some('[') if !self.is_fish() => {
                self.at += 1;
                word.text.push(UNKNOWN);
                self.balanced('[', ']')
            }
            Some('\'') if !quoted && !self.is_fish() => self.ansi_c(word),
            Some('"') if !quoted && !self.is_fish() => {
                self.at += 1;
                word.quoted = true;
                self.double_quotes(word)
            }
            // Numbers, all of them.
            Some('?' | '$' | '#' | '!') => {
                self.at += 1;
                word.text.push('0');
                Ok(())
            }
            Some(c) if c.is_ascii_digit() || matches!(c, '@' | '*' | '-') => {
                self.at += 1;
                word.text.push(UNKNOWN);
                Ok(())
            }
            Some(c) if is_name_start(c) => {
                self.variable(word);
                Ok(())
            }
            _ => {
                word.text.push('$');
                Ok(())
            }
        }
    }

    fn variable(&mut self, word: &mut Word) {
        let mut name = String::new();
        while let Some(c) = self.peek().filter(|c| is_name_start(*c) || c.is_ascii_digit()) {
            name.push(c);
            self.at += 1;
        }
        let upper = name.to_uppercase();
        word.secret |= SECRET_NAMES.iter().any(|part| upper.contains(part));
        word.text.push(if SAFE_VARIABLES.contains(&name.as_str()) { '~' } else { UNKNOWN });
    }

    /// `$((…))`. What begins so and does not end in `))` is a subshell in a substitution, and nobody writes that.
    fn arithmetic(&mut self, word: &mut Word) -> Result<(), Fault> {
        self.at += 2;
        word.text.push(UNKNOWN);
        self.balanced('(', ')')?;
        if self.take(")") { Ok(()) } else { Err(Fault::Unread) }
    }

    /// Up to the closing sign; substitutions in between count. Arithmetic and indices run them too.
    pub(super) fn balanced(&mut self, open: char, close: char) -> Result<(), Fault> {
        let mut level = 0usize;
        let mut ignored = Word::default();
        loop {
            match self.peek().ok_or(Fault::Unfinished)? {
                c if c == close && level == 0 => {
                    self.at += 1;
                    return Ok(());
                }
                c if c == close => {
                    level -= 1;
                    self.at += 1;
                }
                c if c == open => {
                    level += 1;
                    if level > super::DEPTH_LIMIT {
                        return Err(Fault::TooDeep);
                    }
                    self.at += 1;
                }
                '\'' => self.single_quotes(&mut ignored)?,
                '"' => {
                    self.at += 1;
                    self.double_quotes(&mut ignored)?;
                }
                '\\' | '$' | '`' => self.quoted_piece(&mut ignored)?,
                _ => self.at += 1,
            }
        }
    }

    /// After `(`: commands up to `)`.
    fn substitution(&mut self, word: &mut Word) -> Result<(), Fault> {
        word.text.push(UNKNOWN);
        word.substituted = true;
        self.deeper(|reader| reader.commands(End::Parenthesis, false))
    }

    /// After `${`: whatever it is, only the remote knows its value; substitutions in it run.
    fn parameter(&mut self, word: &mut Word) -> Result<(), Fault> {
        word.text.push(UNKNOWN);
        let mut inner = Word::default();
        self.deeper(|reader| {
            loop {
                match reader.peek().ok_or(Fault::Unfinished)? {
                    '}' => {
                        reader.at += 1;
                        return Ok(());
                    }
                    '(' | ')' | ';' | '&' | '|' | '<' | '>' | '\n' => {
                        // `${ cmd; }` and `${| cmd; }` run commands in some shells.
                        reader.at += 1;
                        reader.script.odd.get_or_insert("shells differ in what ${…} does here");
                    }
                    // `${x@P}` expands a value once more, substitutions and all.
                    '@' if reader.peek_at(1) == Some('P') => {
                        reader.at += 1;
                        reader.script.odd.get_or_insert("${…@P} runs what is in the variable");
                    }
                    ' ' => {
                        if inner.text.is_empty() {
                            reader.script.odd.get_or_insert("shells differ in what ${…} does here");
                        }
                        reader.literal(&mut inner);
                    }
                    _ => reader.piece(&mut inner)?,
                }
            }
        })?;
        word.substituted |= inner.substituted;
        word.secret |= inner.secret;
        Ok(())
    }

    fn backquotes(&mut self, word: &mut Word, quoted: bool) -> Result<(), Fault> {
        self.at += 1;
        let mut inner = String::new();
        loop {
            match self.next().ok_or(Fault::Unfinished)? {
                '`' => break,
                '\\' => match self.next().ok_or(Fault::Unfinished)? {
                    c @ ('`' | '\\' | '$') => inner.push(c),
                    '"' if quoted => inner.push('"'),
                    c => inner.extend(['\\', c]),
                },
                c => inner.push(c),
            }
        }
        word.text.push(UNKNOWN);
        word.substituted = true;
        self.read_inside(&inner)
    }

    /// `$'…'` with C's escapes. A dash would not decode it; what it would run instead does not exist.
    fn ansi_c(&mut self, word: &mut Word) -> Result<(), Fault> {
        self.at += 1;
        word.quoted = true;
        loop {
            match self.next().ok_or(Fault::Unfinished)? {
                '\'' => return Ok(()),
                '\\' => {
                    let c = self.ansi_c_escape()?;
                    word.text.push(if c.is_control() && c != '\n' { UNKNOWN } else { c });
                }
                c => word.text.push(c),
            }
        }
    }

    fn ansi_c_escape(&mut self) -> Result<char, Fault> {
        Ok(match self.next().ok_or(Fault::Unfinished)? {
            'n' => '\n',
            't' => ' ',
            'x' => self.digits(16, 2),
            'u' => self.digits(16, 4),
            'U' => self.digits(16, 8),
            '0'..='7' => {
                self.at -= 1;
                self.digits(8, 3)
            }
            c @ ('\\' | '\'' | '"' | '?') => c,
            _ => UNKNOWN,
        })
    }

    fn digits(&mut self, radix: u32, most: usize) -> char {
        let mut value = 0u32;
        for _ in 0..most {
            let Some(digit) = self.peek().and_then(|c| c.to_digit(radix)) else { break };
            value = value.wrapping_mul(radix).wrapping_add(digit);
            self.at += 1;
        }
        char::from_u32(value).unwrap_or(UNKNOWN)
    }
}

pub(super) fn is_name_start(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_'
}
