//! Prompts: the ones seen so far, what may vary in them, and the forms that are well known.
//!
//! Text in, verdicts out; when and where a prompt was seen is the tracker's part.

use super::marks::{Place, name, user_host_dir};

/// What a missing first line counts against the times it was there: two equal outputs are no prompt.
const MISS: i32 = 2;
/// A line above is taken for a part of the prompt from the second time on.
const SURE: i32 = 2;
/// More certainty than this is not kept, so that a changed prompt is noticed.
const MAX_SURE: i32 = 8;
/// Prompts remembered: the login shell's, and a few of nested ones (sudo, su, ssh in ssh).
const MAX_KNOWN: usize = 8;
/// A prompt's last line is shorter; a longer line is output.
const MAX_PROMPT: usize = 512;
/// Statements that zsh names in its continuation prompts (zshmisc(1), %_).
const ZSH_OPEN: [&str; 28] = [
    "quote",
    "dquote",
    "bquote",
    "cmdsubst",
    "mathsubst",
    "math",
    "for",
    "while",
    "until",
    "repeat",
    "select",
    "if",
    "then",
    "else",
    "elif",
    "elif-then",
    "case",
    "function",
    "subsh",
    "cursh",
    "braceparam",
    "array",
    "heredoc",
    "heredocd",
    "pipe",
    "cmdand",
    "cmdor",
    "foreach",
];

/// What showed that a text is a prompt, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The remote marks its prompts.
    Mark,
    /// The line editor turned bracketed paste on.
    Paste,
    /// The text alone.
    Text,
}

#[derive(Debug)]
struct Known {
    text: String,
    shape: String,
    kind: Kind,
    /// Shape of the line above such prompts, and how sure it is that it belongs to them: one more for each time
    /// it was there, `MISS` less for each time it was not. Below zero it never does.
    above: Option<String>,
    sure: i32,
}

/// The prompts of this session, the latest last.
#[derive(Debug, Default)]
pub(crate) struct Prompts {
    known: Vec<Known>,
}

impl Prompts {
    pub(crate) fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// Remembers a prompt that the user used.
    pub(crate) fn learn(&mut self, text: &str, kind: Kind) {
        if text.trim().is_empty() || text.len() > MAX_PROMPT {
            return;
        }
        let shape = shape(text);
        let known = self.known.iter().position(|k| k.shape == shape).map(|at| self.known.remove(at));
        let (above, sure) = known.map_or((None, 0), |k| (k.above, k.sure));
        if self.known.len() >= MAX_KNOWN {
            self.known.remove(0);
        }
        self.known.push(Known { text: text.to_owned(), shape, kind, above, sure });
    }

    /// Tells the line above a prompt (called for each, `first` for the first of its shape); true when that line
    /// has been the same, but for what varies, above all of them.
    pub(crate) fn line_above(&mut self, prompt: &str, above: Option<&str>, first: bool) -> bool {
        let above = above.map(str::trim_end).filter(|a| !a.is_empty()).map(shape);
        let wanted = shape(prompt);
        let Some(known) = self.known.iter_mut().find(|k| k.shape == wanted) else { return false };
        if first {
            (known.sure, known.above) = (1, above);
            return false;
        }
        let same = known.above.is_some() && known.above == above;
        known.sure = (known.sure + if same { 1 } else { -MISS }).min(MAX_SURE);
        if known.sure < 0 {
            known.above = None;
        }
        same && known.sure >= SURE
    }

    /// Whether a prompt of this shape was seen before.
    pub(crate) fn has_shape(&self, text: &str) -> bool {
        let shape = shape(text);
        self.known.iter().any(|k| k.shape == shape)
    }

    /// If `text` (all before the cursor) ends in a known prompt, the bytes before that prompt.
    pub(crate) fn matched(&self, text: &str, kind: Kind) -> Option<usize> {
        let candidates = || self.known.iter().rev().filter(|k| kind != Kind::Text || k.kind == Kind::Text);
        if candidates().any(|k| k.shape == shape(text)) {
            return Some(0);
        }
        // Output without a newline at its end stands before the prompt. A bare ">" is too common for that.
        let after_output = candidates().find(|k| k.text.trim() != ">" && text.ends_with(&k.text));
        if let Some(known) = after_output {
            return Some(text.len() - known.text.len());
        }
        (kind != Kind::Text && candidates().any(|k| alike(&k.text, text))).then_some(0)
    }

    /// The part of `line` that is a known prompt, with whatever path or number: what follows it was typed.
    pub(crate) fn prefix_of<'l>(&self, line: &'l str) -> Option<&'l str> {
        let whole = |k: &Known| k.text.trim_end() == line.trim_end();
        let exact = self.known.iter().filter(|k| line.starts_with(&k.text)).map(|k| k.text.len()).max();
        match exact {
            Some(length) => line.get(..length),
            None if self.known.iter().any(whole) => Some(line),
            None => self.known.iter().rev().find_map(|k| k.varied_prefix(line)),
        }
    }

    /// Whether `line` shows input after a prompt that only its text tells: type-ahead that a shell without line
    /// editor read.
    pub(crate) fn is_input_line(&self, line: &str) -> bool {
        self.known
            .iter()
            .any(|k| k.kind == Kind::Text && line.len() > k.text.len() && line.starts_with(&k.text))
    }

    /// Whether two texts are the same prompt, but for what varies.
    pub(crate) fn same_shape(a: &str, b: &str) -> bool {
        shape(a) == shape(b)
    }
}

impl Known {
    fn varied_prefix<'l>(&self, line: &'l str) -> Option<&'l str> {
        let own = self.text.trim_end();
        let (sign, blanks) = (own.chars().next_back()?, self.text.get(own.len()..)?);
        line.match_indices(sign).take_while(|(at, _)| *at < MAX_PROMPT).find_map(|(at, sign)| {
            let end = at + sign.len();
            let prefix = line.get(..end)?;
            let rest = line.get(end..)?;
            (rest.starts_with(blanks) && shape(prefix) == self.shape)
                .then(|| line.get(..end + blanks.len()))?
        })
    }
}

/// The same last sign, where that sign says enough, or the same first word too.
fn alike(known: &str, text: &str) -> bool {
    let sign = |t: &str| t.trim_end().chars().next_back();
    let word = |t: &str| t.split_whitespace().next().map(str::to_owned);
    match sign(text) {
        Some(c) if sign(known) != Some(c) || text.len() > MAX_PROMPT => false,
        Some(c) if !c.is_ascii() || is_form(text) => true,
        Some(_) => word(known) == word(text) && word(text).is_some_and(|w| w.len() > 1 && w != text.trim()),
        None => false,
    }
}

/// What stays when numbers and paths change: a number becomes `0`, a path becomes `~`.
fn shape(text: &str) -> String {
    let text = match rhel(text) {
        Some((head, tail)) => format!("{head}~{tail}"),
        None => text.to_owned(),
    };
    let mut shape = String::with_capacity(text.len());
    let mut chars = text.trim_end().chars().peekable();
    while let Some(c) = chars.next() {
        let start = shape.chars().next_back().is_none_or(|p| matches!(p, ' ' | ':' | '[' | '('));
        // The digits of a host's name do not vary.
        if c.is_ascii_digit() && !shape.ends_with(char::is_alphabetic) {
            while chars.next_if(char::is_ascii_digit).is_some() {}
            shape.push('0');
        } else if matches!(c, '/' | '~') && start {
            while chars.next_if(|c| !matches!(c, ' ' | '$' | '#' | '%' | '>' | ':' | ']' | ')')).is_some() {}
            shape.push('~');
        } else {
            shape.push(c);
        }
    }
    shape
}

/// `[user@host dir]$ `: what stands before and after the directory.
fn rhel(text: &str) -> Option<(&str, &str)> {
    let inner = text.strip_prefix('[')?;
    let (who, rest) = inner.split_once(' ')?;
    let (user, host) = who.split_once('@')?;
    let end = rest.find(']')?;
    name(user).and(name(host))?;
    Some((text.get(..who.len() + 2)?, rest.get(end..)?))
}

/// The trailing `$`, `#` or `%` of a shell. Not `=#` and `-#` (psql), not a percentage, not a bar of `#`.
pub(crate) fn is_form(text: &str) -> bool {
    let trimmed = text.trim_end();
    let mut back = trimmed.chars().rev();
    let (last, before) = (back.next(), back.next());
    let word = trimmed.rsplit(' ').next().unwrap_or("");
    let is_number = |w: &str| w.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | ','));
    if text.len() > MAX_PROMPT || text.len() - trimmed.len() > 1 {
        return false;
    }
    match last {
        Some('$') => true,
        Some('#') => !matches!(before, Some('=' | '-' | '#' | '(' | '*')),
        Some('%') => word == "%" && before.is_none() || !is_number(word.trim_end_matches('%')),
        _ => false,
    }
}

/// A continuation prompt: bash, dash, ksh and ash print `> `, zsh names what is open.
pub(crate) fn is_continuation(text: &str) -> bool {
    let Some(open) = text.trim_end().strip_suffix('>') else { return false };
    open.split(' ').filter(|w| !w.is_empty()).all(|w| ZSH_OPEN.contains(&w))
}

/// Who and where, from the two prompts that are defaults of distributions.
pub(crate) fn place(prompt: &str) -> Option<Place> {
    let prompt = prompt.trim_end();
    if let Some((head, _)) = rhel(prompt) {
        let (user, host) = head.trim_start_matches('[').trim_end().split_once('@')?;
        return Some(Place { user: name(user), host: name(host), cwd: None });
    }
    let text = prompt.strip_suffix(['$', '#'])?;
    // Debian puts the name of a chroot in front.
    let text = text.strip_prefix('(').and_then(|t| t.split_once(')')).map_or(text, |(_, rest)| rest);
    user_host_dir(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn knows(prompt: &str, kind: Kind) -> Prompts {
        let mut prompts = Prompts::default();
        prompts.learn(prompt, kind);
        prompts
    }

    #[test]
    fn a_prompt_is_known_again_when_only_path_number_or_git_state_changed() {
        for (known, again) in [
            ("joe@web1:~$ ", "joe@web1:/tmp/a b$ "),
            ("[joe@web1 ~]$ ", "[joe@web1 src]$ "),
            ("12:00:01 ❯ ", "12:00:09 ❯ "),
            ("~/a main ❯ ", "/srv dev* ❯ "),
            ("joe@web1 ~> ", "joe@web1 ~/x (main)> "),
        ] {
            assert_eq!(knows(known, Kind::Paste).matched(again, Kind::Paste), Some(0), "{again}");
        }
    }

    #[test]
    fn other_prompts_are_not_taken_for_it() {
        for (known, other) in [
            ("joe@web1:~$ ", ">>> "),
            ("joe@web1:~$ ", "> "),
            ("joe@web1:~$ ", "shop=# "),
            ("joe@web1 ~> ", "> "),
            ("web1> ", "mysql> "),
            ("$ ", "dquote> "),
        ] {
            assert_eq!(knows(known, Kind::Paste).matched(other, Kind::Paste), None, "{other}");
        }
        assert_eq!(
            knows("$ ", Kind::Paste).matched("$ ", Kind::Text),
            None,
            "its line editor would have told"
        );
    }

    #[test]
    fn a_prompt_after_output_without_newline_is_found() {
        assert_eq!(knows("$ ", Kind::Text).matched("abc$ ", Kind::Text), Some(3));
        assert_eq!(knows("> ", Kind::Text).matched("abc> ", Kind::Text), None);
    }

    #[test]
    fn forms_are_told_from_progress_and_other_programs() {
        for yes in ["$ ", "# ", "web1% ", "Router#", "joe@web1:~$ ", "[joe@web1 ~]# "] {
            assert!(is_form(yes), "{yes}");
        }
        for no in ["", "45%", "####", "shop=# ", "> ", ">>> ", "$   ", "Continue? "] {
            assert!(!is_form(no), "{no}");
        }
        for yes in ["> ", "dquote> ", "for dquote> "] {
            assert!(is_continuation(yes), "{yes}");
        }
        for no in ["mysql> ", ">>> ", "$ ", ""] {
            assert!(!is_continuation(no), "{no}");
        }
    }

    #[test]
    fn places_are_read_only_from_the_default_prompts() {
        let debian = place("(jail)joe@web1:~/src$ ").unwrap();
        assert_eq!((debian.user.as_deref(), debian.cwd.as_deref()), (Some("joe"), Some("~/src")));
        let rhel = place("[joe@web1 src]$ ").unwrap();
        assert_eq!((rhel.host.as_deref(), rhel.cwd), (Some("web1"), None));
        for none in ["$ ", "joe@web1 ~> ", "a:b$ ", "x joe@web1:~$ ", "[x]$ "] {
            assert_eq!(place(none), None, "{none}");
        }
    }

    #[test]
    fn the_line_above_belongs_to_the_prompt_if_it_is_there_nearly_every_time() {
        let mut prompts = knows("❯ ", Kind::Paste);
        let mut above = |text, first| prompts.line_above("❯ ", Some(text), first);
        assert!(!above("/tmp at 12:00", true), "one prompt shows no habit");
        assert!(above("/srv/x at 12:01", false));
        assert!(!above("hi", false));
        assert!(!above("/tmp at 12:02", false), "doubtful after a miss");
        assert!(above("/tmp at 12:03", false));
        let mut prompts = knows("$ ", Kind::Text);
        assert!(!prompts.line_above("$ ", Some("welcome"), true));
        for same in ["hi", "hi", "hi"] {
            assert!(!prompts.line_above("$ ", Some(same), false), "equal outputs are no prompt");
        }
    }

    #[test]
    fn input_is_found_behind_a_prompt_whose_path_changed() {
        let prompts = knows("joe@web1:~$ ", Kind::Paste);
        assert_eq!(prompts.prefix_of("joe@web1:/tmp$ echo $x"), Some("joe@web1:/tmp$ "));
        assert_eq!(prompts.prefix_of("joe@web1:~$"), Some("joe@web1:~$"));
        for none in ["joe@web2:~$ ls", "echo joe@web1:~$ ls", "joe@web1:~$x", ""] {
            assert_eq!(prompts.prefix_of(none), None, "{none}");
        }
    }
}
