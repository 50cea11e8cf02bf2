//! One fact that `--check` tells, and how facts are printed. Finds nothing out.

use serde_json::{Value, json};

use crate::text::sanitize;

/// How it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    Good,
    /// Something does not work, and `--check` ends with 1.
    Bad,
    /// Worth knowing.
    Note,
}

/// One line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fact {
    topic: &'static str,
    pub(crate) state: State,
    what: String,
    /// What to do about it.
    remedy: Option<String>,
}

impl Fact {
    pub(crate) fn good(topic: &'static str, what: impl Into<String>) -> Self {
        Self { topic, state: State::Good, what: what.into(), remedy: None }
    }

    pub(crate) fn bad(topic: &'static str, what: impl Into<String>) -> Self {
        Self { state: State::Bad, ..Self::good(topic, what) }
    }

    pub(crate) fn note(topic: &'static str, what: impl Into<String>) -> Self {
        Self { state: State::Note, ..Self::good(topic, what) }
    }

    pub(crate) fn remedy(mut self, remedy: impl Into<String>) -> Self {
        self.remedy = Some(remedy.into());
        self
    }
}

/// What a line can be written with.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Style {
    pub(crate) utf8: bool,
    pub(crate) colour: bool,
}

/// A line a fact: mark, topic, what is, and what to do.
pub(crate) fn text(facts: &[Fact], style: Style) -> String {
    facts.iter().map(|fact| line(fact, style)).collect()
}

fn line(fact: &Fact, style: Style) -> String {
    let (mark, plain, colour) = match fact.state {
        State::Good => ("✓", "ok", "\x1b[32m"),
        State::Bad => ("✗", "NO", "\x1b[31m"),
        State::Note => ("·", "--", "\x1b[33m"),
    };
    let mark = if style.utf8 { mark } else { plain };
    let (start, end) = if style.colour { (colour, "\x1b[0m") } else { ("", "") };
    let remedy = fact.remedy.as_ref().map(|remedy| format!("; {remedy}")).unwrap_or_default();
    // Names of files and servers are others' text; a line stays one.
    let said = format!("{}: {}{remedy}", fact.topic, fact.what).replace(['\n', '\t'], " ");
    let said = sanitize(&said);
    let said =
        if style.utf8 { said } else { said.chars().map(|c| if c.is_ascii() { c } else { '?' }).collect() };
    format!("{start}{mark}{end} {said}\n")
}

/// The same for programs: `ok` is null for a note.
pub(crate) fn json(facts: &[Fact]) -> Value {
    let facts = facts.iter().map(|fact| {
        let ok = match fact.state {
            State::Good => json!(true),
            State::Bad => json!(false),
            State::Note => Value::Null,
        };
        json!({"topic": fact.topic, "ok": ok, "what": sanitize(&fact.what), "remedy": fact.remedy})
    });
    let facts: Vec<Value> = facts.collect();
    json!({"ok": facts.iter().all(|fact| fact["ok"] != false), "facts": facts})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fact_is_one_harmless_line_in_either_alphabet() {
        let facts = [
            Fact::good("ssh", "/usr/bin/ssh"),
            Fact::bad("folders", "/tmp/\x1b]0;x\x07é\nis another's").remedy("give it back"),
            Fact::note("alias", "none"),
        ];
        let utf8 = text(&facts, Style { utf8: true, colour: false });
        assert_eq!(
            utf8,
            "✓ ssh: /usr/bin/ssh\n✗ folders: /tmp/é is another's; give it back\n· alias: none\n"
        );
        let ascii = text(&facts, Style { utf8: false, colour: false });
        assert!(ascii.is_ascii() && ascii.contains("NO folders: /tmp/? is"), "{ascii}");
        let value = json(&facts);
        assert_eq!((value["ok"].as_bool(), value["facts"][2]["ok"].is_null()), (Some(false), true));
    }
}
