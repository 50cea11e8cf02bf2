//! Prompts: the ones seen so far, what may vary in them, and the forms that are well known.
//!
//! Text in, verdicts out; when and where a prompt was seen is the tracker's part.

mod forms;

use forms::shape;
pub(crate) use forms::{is_continuation, is_form, place};

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
    /// Lines that it takes above its last one, where a signal of the shell tells.
    lines: u64,
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

    /// Whether the latest prompt came with a line editor's signal.
    pub(crate) fn come_with_paste(&self) -> bool {
        self.known.last().is_some_and(|k| k.kind != Kind::Text)
    }

    /// Whether the latest prompt of a line editor has more lines than one.
    pub(crate) fn are_tall(&self) -> bool {
        self.known.iter().rev().find(|k| k.kind != Kind::Text).is_some_and(|k| k.lines > 0)
    }

    /// Remembers a prompt that the user used.
    pub(crate) fn learn(&mut self, text: &str, kind: Kind, lines: u64) {
        if text.trim().is_empty() || text.len() > MAX_PROMPT {
            return;
        }
        let shape = shape(text);
        let known = self.known.iter().position(|k| k.shape == shape).map(|at| self.known.remove(at));
        // A pause may come between its sign and the blank behind that.
        let whole = known.as_ref().filter(|k| k.text.trim_end() == text).map(|k| k.text.clone());
        let text = whole.unwrap_or_else(|| text.to_owned());
        let (above, sure) = known.map_or((None, 0), |k| (k.above, k.sure));
        if self.known.len() >= MAX_KNOWN {
            self.known.remove(0);
        }
        self.known.push(Known { text, shape, kind, lines, above, sure });
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

    /// Whether this line belongs to the prompt below it, as far as those seen before tell.
    pub(crate) fn has_above(&self, prompt: &str, above: &str) -> bool {
        let (prompt, above) = (shape(prompt), shape(above));
        let known = self.known.iter().find(|k| k.shape == prompt);
        known.is_some_and(|k| k.sure + 1 >= SURE && k.above.as_ref() == Some(&above))
    }

    /// Whether a prompt of this shape was seen before.
    pub(crate) fn has_shape(&self, text: &str) -> bool {
        let shape = shape(text);
        self.known.iter().any(|k| k.shape == shape)
    }

    /// Whether a text that paused and is not known ends as no prompt did before, nor as prompts commonly do.
    pub(crate) fn doubts(&self, text: &str) -> bool {
        let sign = |t: &str| t.trim_end().chars().next_back();
        let seen = |k: &Known| sign(&k.text) == sign(text) || k.shape == shape(text);
        !self.is_empty()
            && sign(text).is_some_and(|sign| sign.is_ascii())
            && !is_form(text)
            && !self.known.iter().any(seen)
    }

    /// If `text` (all before the cursor) ends in a known prompt, the bytes before that prompt. `lines` stand above
    /// its last one.
    pub(crate) fn matched(&self, text: &str, kind: Kind, lines: u64) -> Option<usize> {
        let candidates = || self.known.iter().rev().filter(|k| kind != Kind::Text || k.kind == Kind::Text);
        let shape = shape(text);
        if candidates().any(|k| k.shape == shape) {
            return Some(0);
        }
        // Output without a newline at its end stands before the prompt. A bare ">" is too common for that.
        let after_output = candidates().find(|k| {
            // A line editor's signal comes first, and says how many lines the prompt has.
            let fits = kind == Kind::Text || k.lines == lines;
            fits && k.text.trim() != ">" && text.ends_with(&k.text)
        });
        if let Some(known) = after_output {
            return Some(text.len() - known.text.len());
        }
        let is_alike = || candidates().any(|k| k.is_alike(text, lines));
        (kind != Kind::Text && !is_continuation(text) && is_alike()).then_some(0)
    }

    /// The part of `line` that is a known prompt, with whatever path or number: what follows it was typed.
    pub(crate) fn prefix_of<'l>(&self, line: &'l str) -> Option<&'l str> {
        let whole = |k: &Known| k.text.trim_end() == line.trim_end();
        let exact = self.known.iter().filter(|k| line.starts_with(&k.text)).map(|k| k.text.len()).max();
        match exact {
            // The prompt's own sign again behind it: this one is longer.
            Some(length) => line
                .split_at_checked(length)
                .filter(|(prompt, rest)| {
                    let sign = prompt.trim_end().chars().next_back();
                    sign.is_none_or(|sign| sign.is_ascii() || !rest.contains(sign))
                })
                .map(|(prompt, _)| prompt),
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

/// Whether two prompts may be one shell's, or one device's in two modes: directory, number or branch differ, but not
/// who it is and the sign at the end. Themes without a name are known by their first sign.
pub fn is_alike(a: &str, b: &str) -> bool {
    let (a_shape, b_shape) = (shape(a), shape(b));
    let signs = ['$', '#', '%', '>'];
    let word = |t: &str| t.split_whitespace().next().map(|w| w.trim_end_matches(signs).to_owned());
    let sign = |t: &str| t.chars().next_back();
    let same_word = word(&a_shape).filter(|w| !w.is_empty() && word(&b_shape).as_ref() == Some(w));
    a_shape == b_shape
        || same_word.is_some_and(|w| !w.is_ascii() || w.len() > 1 && sign(&a_shape) == sign(&b_shape))
}

impl Known {
    /// A line editor reads after this text too: is it the same shell's? As many lines and the same last sign, or
    /// one that programs do not use. In one line: the same sign, where that sign says enough, or the same first word.
    fn is_alike(&self, text: &str, lines: u64) -> bool {
        let sign = |t: &str| t.trim_end().chars().next_back();
        let word = |t: &str| t.split_whitespace().next().map(str::to_owned);
        let (Some(own), Some(other)) = (sign(&self.text), sign(text)) else { return false };
        if text.len() > MAX_PROMPT || self.lines != lines {
            return false;
        }
        if lines > 0 {
            return own == other || !own.is_ascii() || !other.is_ascii();
        }
        let has_word = |t: &str| t.contains(char::is_alphanumeric);
        let same_word = word(text).filter(|w| word(&self.text).as_ref() == Some(w) && w != text.trim());
        match same_word {
            Some(word) if !word.is_ascii() || own == other && word.len() > 1 => true,
            // A theme's continuation prompt may end as its prompt does, but has no words.
            _ => {
                own == other && (is_form(text) || !other.is_ascii() && has_word(text) == has_word(&self.text))
            }
        }
    }

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

#[cfg(test)]
mod tests;
