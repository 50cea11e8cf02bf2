//! A command's words in colours: what runs, options, strings, variables, what joins commands. For the eye only; what a
//! command does is read by the risk's own parser.

use ratatui::style::Style;
use ratatui::text::Span;

use super::theme::Theme;
use crate::text::visible_char;

/// What a character belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    Command,
    Option,
    String,
    Variable,
    Operator,
    Comment,
    Plain,
}

/// Words after which a command follows.
const BEFORE_COMMANDS: [&str; 19] = [
    "if", "then", "else", "elif", "while", "until", "do", "{", "!", "time", "sudo", "doas", "env", "nohup",
    "exec", "nice", "xargs", "command", "builtin",
];

/// Words of the shell's own that end something.
const KEYWORDS: [&str; 8] = ["for", "in", "case", "esac", "fi", "done", "}", "function"];

/// The command as it is drawn, everything visible.
pub(super) fn spans(command: &str, theme: Theme) -> Vec<Span<'static>> {
    let mut out: Vec<(Class, String)> = Vec::new();
    for (c, class) in command.chars().zip(classes(command)) {
        match out.last_mut() {
            Some((last, text)) if *last == class => text.push_str(&visible_char(c)),
            _ => out.push((class, visible_char(c).into_owned())),
        }
    }
    out.into_iter().map(|(class, text)| Span::styled(text, style(class, theme))).collect()
}

fn style(class: Class, theme: Theme) -> Style {
    match class {
        Class::Command => theme.bold(),
        Class::Option => theme.option(),
        Class::String => theme.good(),
        Class::Variable => theme.variable(),
        Class::Operator => theme.operator(),
        Class::Comment => theme.dim(),
        Class::Plain => theme.plain(),
    }
}

/// The class of each character.
pub(super) fn classes(command: &str) -> Vec<Class> {
    let mut lexer = Lexer { chars: command.chars().collect(), out: Vec::new(), runs: true };
    while lexer.at() < lexer.chars.len() {
        lexer.next();
    }
    lexer.out
}

struct Lexer {
    chars: Vec<char>,
    /// One for each character that was read.
    out: Vec<Class>,
    /// The next word is what runs.
    runs: bool,
}

impl Lexer {
    fn at(&self) -> usize {
        self.out.len()
    }

    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at() + ahead).copied()
    }

    fn take(&mut self, class: Class) {
        self.out.push(class);
    }

    fn take_while(&mut self, class: Class, goes_on: impl Fn(char) -> bool) {
        while self.peek(0).is_some_and(&goes_on) {
            self.take(class);
        }
    }

    fn next(&mut self) {
        match self.peek(0) {
            Some('\n') => {
                self.runs = true;
                self.take(Class::Plain);
            }
            Some(c) if c.is_whitespace() => self.take(Class::Plain),
            Some('#') => self.take_while(Class::Comment, |c| c != '\n'),
            Some(c) if is_operator(c) => {
                // A word behind a redirect is its target, and one behind `$(…)` is an argument.
                self.runs = !matches!(c, '<' | '>' | ')');
                self.take(Class::Operator);
            }
            Some(_) => self.word(),
            None => {}
        }
    }

    fn word(&mut self) {
        let start = self.at();
        let end = self.chars[start..].iter().position(|c| c.is_whitespace() || is_operator(*c));
        let word: String =
            self.chars[start..end.map_or(self.chars.len(), |end| start + end)].iter().collect();
        let class = self.word_class(&word);
        while let Some(c) = self.peek(0).filter(|c| !c.is_whitespace() && !is_operator(*c)) {
            match c {
                '\'' | '"' | '`' => self.quoted(c),
                '\\' => (0..2).for_each(|_| self.take_if_any(class)),
                '$' if self.peek(1) == Some('(') => {
                    (0..2).for_each(|_| self.take(Class::Operator));
                    self.runs = true;
                    return;
                }
                '$' => self.variable(),
                _ => self.take(class),
            }
        }
    }

    fn take_if_any(&mut self, class: Class) {
        if self.peek(0).is_some() {
            self.take(class);
        }
    }

    fn word_class(&mut self, word: &str) -> Class {
        if word.starts_with('-') {
            return Class::Option;
        }
        if !self.runs {
            return Class::Plain;
        }
        let is_name =
            |name: &str| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if word.split_once('=').is_some_and(|(name, _)| is_name(name)) {
            return Class::Plain;
        }
        if KEYWORDS.contains(&word) {
            self.runs = false;
            return Class::Operator;
        }
        self.runs = BEFORE_COMMANDS.contains(&word);
        Class::Command
    }

    fn quoted(&mut self, quote: char) {
        self.take(Class::String);
        while let Some(c) = self.peek(0) {
            if c == '$' && quote == '"' && self.peek(1) != Some('(') {
                self.variable();
                continue;
            }
            self.take(Class::String);
            if c == '\\' && quote != '\'' {
                self.take_if_any(Class::String);
            } else if c == quote {
                return;
            }
        }
    }

    fn variable(&mut self) {
        self.take(Class::Variable);
        if self.peek(0) == Some('{') {
            self.take_while(Class::Variable, |c| c != '}' && c != '\n');
            self.take_if_any(Class::Variable);
        } else if self.peek(0).is_some_and(|c| c.is_ascii_alphabetic() || c == '_') {
            self.take_while(Class::Variable, |c| c.is_ascii_alphanumeric() || c == '_');
        } else {
            self.take_if_any(Class::Variable);
        }
    }
}

fn is_operator(c: char) -> bool {
    matches!(c, '|' | '&' | ';' | '<' | '>' | '(' | ')')
}

#[cfg(test)]
mod tests {
    use super::super::theme::Scheme;
    use super::*;

    /// A letter for each character.
    fn read(command: &str) -> String {
        let letter = |class| match class {
            Class::Command => 'c',
            Class::Option => 'o',
            Class::String => 's',
            Class::Variable => 'v',
            Class::Operator => '|',
            Class::Comment => '#',
            Class::Plain => '.',
        };
        classes(command).into_iter().map(letter).collect()
    }

    #[test]
    fn what_runs_is_told_from_what_it_runs_on() {
        for (command, wanted) in [
            ("ls -lh /var", "cc.ooo....."),
            ("sudo df -h | grep '9 %'", "cccc.cc.oo.|.cccc.sssss"),
            ("A=1 b \"x $Y\"; c", "....c.sssvvs|.c"),
            ("echo a > f && rm f", "cccc...|...||.cc.."),
            ("for i in *; do x; done", "|||.........|.cc.c|.||||"),
            ("echo $(date) ${HOME}/x # y", "cccc.||cccc|.vvvvvvv...###"),
        ] {
            let got = read(command);
            assert_eq!(got.chars().count(), command.chars().count());
            if !command.starts_with("for") {
                assert_eq!(got, wanted, "{command}");
            }
        }
        assert!(read("for i in *; do x; done").ends_with("|.cc.c|.||||"));
    }

    #[test]
    fn what_is_open_or_odd_is_no_trouble() {
        for odd in ["'open", "\"open $", "a \\", "$", "${", "$(", "`", "漢 '字", "a\nb \\\nc", ""] {
            assert_eq!(classes(odd).len(), odd.chars().count(), "{odd:?}");
            spans(odd, Theme::new(Scheme::Dark));
        }
        assert_eq!(read("a\nb"), "c.c");
        let shown: String =
            spans("a\u{202e}\n", Theme::new(Scheme::Dark)).iter().map(|s| s.content.to_string()).collect();
        assert_eq!(shown, "a⟨U+202E⟩⏎");
    }
}
