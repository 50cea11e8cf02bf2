//! A shell line taken apart: every command that could run, wherever it stands.
//!
//! Lists, pipelines, loops, conditions, functions, subshells and substitutions are read for one question only: which
//! simple commands are in there, with which words, redirects and input. So the result is a flat list, and conditions
//! make no difference to it. Reading is strict where strictness matters: what one shell of the family would take for
//! data and another for commands is not read as data. Depth and work are bounded before the stack or the clock is.

mod commands;
mod redirects;
mod words;

pub(super) use commands::here_text;

/// Substitutions and quoted shells within one another. Nobody can read deeper, and the stack must hold it.
pub(super) const DEPTH_LIMIT: usize = 24;

/// Stands in a word's text for what only the remote knows: a variable, the output of a command, a brace list. The
/// marks are control characters, which no command that is read can hold.
pub(super) const UNKNOWN: char = '\0';
/// An unquoted `*`.
pub(super) const STAR: char = '\x01';
/// An unquoted `?` or `[…]`.
pub(super) const ANY: char = '\x02';

/// Whether all of a text is known.
pub(super) fn is_literal(text: &str) -> bool {
    !text.contains([UNKNOWN, STAR, ANY])
}

/// Which language the words are read in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tongue {
    /// sh, bash, zsh, ksh, dash: whatever they have in common, and what only some of them would run.
    Posix,
    Fish,
}

/// A word after quote removal.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Word {
    pub(super) text: String,
    /// Some of it was quoted: no keyword, no assignment, no alias.
    pub(super) quoted: bool,
    /// It holds the output of a command.
    pub(super) substituted: bool,
    /// It holds a variable whose name says that it is a secret.
    pub(super) secret: bool,
}

impl Word {
    pub(super) fn plain(text: &str) -> Self {
        Self { text: text.to_owned(), ..Self::default() }
    }

    /// Whether the text is what the program will get.
    pub(super) fn is_literal(&self) -> bool {
        is_literal(&self.text)
    }

    /// Whether it may turn out to be an option, or several words.
    pub(super) fn may_be_an_option(&self) -> bool {
        self.text.starts_with(UNKNOWN)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    Read,
    Overwrite,
    Append,
    /// Between descriptors.
    Duplicate,
    /// A here-document or here-string; the target is its text.
    Here,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Redirect {
    pub(super) direction: Direction,
    pub(super) target: Word,
    /// Which here-document it is, where it is one.
    slot: Option<usize>,
}

/// A command with all that is said about it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Simple {
    pub(super) assignments: Vec<(String, Word)>,
    pub(super) words: Vec<Word>,
    pub(super) redirects: Vec<Redirect>,
    /// Its input is another command's output.
    pub(super) piped: bool,
    /// These are the redirects of a loop, a group or a function.
    pub(super) compound: bool,
    /// The functions in whose bodies it stands.
    pub(super) within: Vec<String>,
}

/// What a line came to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Script {
    pub(super) commands: Vec<Simple>,
    pub(super) functions: Vec<String>,
    /// Comments that hold more than words: zsh at a prompt does not take them for comments.
    pub(super) odd_comment: bool,
    /// What other shells of the family read in another way.
    pub(super) odd: Option<&'static str>,
}

/// Why a line could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    TooDeep,
    /// Something is open at the end: the shell would wait for more.
    Unfinished,
    Unread,
}

/// Reads a whole line or several; `depth` is how deep they stand in others. What was read before a fault is there too:
/// a shell runs the lines before the one that it cannot read.
pub(super) fn read(text: &str, tongue: Tongue, depth: usize) -> (Script, Option<Fault>) {
    let mut reader = Reader::new(text, tongue, depth);
    let fault = reader.commands(End::Text, false).err();
    let (script, open) = reader.finish();
    (script, fault.or(open))
}

/// Where a list of commands ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Text,
    Parenthesis,
}

/// A here-document whose text has not come yet.
#[derive(Debug)]
struct Pending {
    delimiter: String,
    strip_tabs: bool,
    literal: bool,
    slot: usize,
}

/// A cursor over the text, and what was found so far.
struct Reader {
    chars: Vec<char>,
    at: usize,
    depth: usize,
    tongue: Tongue,
    script: Script,
    pending: Vec<Pending>,
    /// Texts of here-documents, in the order in which they were announced.
    bodies: Vec<Word>,
    within: Vec<String>,
}

impl Reader {
    fn new(text: &str, tongue: Tongue, depth: usize) -> Self {
        Self {
            chars: text.chars().collect(),
            at: 0,
            depth,
            tongue,
            script: Script::default(),
            pending: Vec::new(),
            bodies: Vec::new(),
            within: Vec::new(),
        }
    }

    /// The script, with the here-documents in their places.
    fn finish(mut self) -> (Script, Option<Fault>) {
        for command in &mut self.script.commands {
            for redirect in &mut command.redirects {
                if let Some(body) = redirect.slot.and_then(|slot| self.bodies.get_mut(slot)) {
                    redirect.target = std::mem::take(body);
                }
            }
        }
        (self.script, (!self.pending.is_empty()).then_some(Fault::Unfinished))
    }

    fn is_fish(&self) -> bool {
        self.tongue == Tongue::Fish
    }

    fn peek(&self) -> Option<char> {
        self.peek_at(0)
    }

    fn peek_at(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += 1;
        Some(c)
    }

    fn looking_at(&self, text: &str) -> bool {
        text.chars().enumerate().all(|(ahead, c)| self.peek_at(ahead) == Some(c))
    }

    fn take(&mut self, text: &str) -> bool {
        let there = self.looking_at(text);
        if there {
            self.at += text.chars().count();
        }
        there
    }

    /// One level deeper, if there is one.
    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T, Fault>) -> Result<T, Fault> {
        if self.depth >= DEPTH_LIMIT {
            return Err(Fault::TooDeep);
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// Reads text that stands inside of this one, such as between backquotes, and keeps its commands.
    fn read_inside(&mut self, text: &str) -> Result<(), Fault> {
        let (inner, fault) = self.deeper(|reader| Ok(read(text, reader.tongue, reader.depth)))?;
        self.keep(inner);
        fault.map_or(Ok(()), Err)
    }

    fn keep(&mut self, inner: Script) {
        self.script.commands.extend(inner.commands);
        self.script.functions.extend(inner.functions);
        self.script.odd_comment |= inner.odd_comment;
        self.script.odd = self.script.odd.or(inner.odd);
    }
}
