//! Sentences and commands with holes: `du -x -- {dir}`, `{fs.mount} is {fs.use} full`.
//!
//! A hole is an expression. In a command every text is quoted for the shell, without a way around it; only the
//! engine's own `sudo` stands unquoted. If a hole has no value, or one that cannot be quoted, there is no result.

use super::super::facts::{Unit, Value};
use super::super::{plain, quote, size};
use super::eval::Scope;
use super::expr::Expr;

/// Who reads a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Syntax {
    Shell,
    /// A network device's CLI, which knows no quoting that holds for all of them.
    Device,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Template(Vec<Part>);

#[derive(Debug, Clone)]
enum Part {
    Text(String),
    Hole { expr: Expr, is_sudo: bool, in_mebibytes: bool },
}

impl Template {
    /// `{expr}` is a hole, `{expr|M}` a number of whole MiB, `{{` and `}}` braces.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut parts = Vec::new();
        let mut literal = String::new();
        let mut rest = text;
        while let Some(at) = rest.find(['{', '}']) {
            let (before, tail) = rest.split_at(at);
            literal.push_str(before);
            if let Some(after) = tail.strip_prefix("{{").or(tail.strip_prefix("}}")) {
                literal.push_str(&tail[..1]);
                rest = after;
                continue;
            }
            let hole = tail.strip_prefix('{').and_then(|t| t.split_once('}'));
            let Some((inner, after)) = hole else { return Err(format!("unbalanced brace in `{text}`")) };
            let (inner, in_mebibytes) = match inner.strip_suffix("|M") {
                Some(inner) => (inner, true),
                None => (inner, false),
            };
            parts.push(Part::Text(std::mem::take(&mut literal)));
            parts.push(Part::Hole { expr: Expr::parse(inner)?, is_sudo: inner == "sudo", in_mebibytes });
            rest = after;
        }
        literal.push_str(rest);
        parts.push(Part::Text(literal));
        Ok(Self(parts))
    }

    /// The expressions of its holes.
    pub(crate) fn holes(&self) -> impl Iterator<Item = &Expr> {
        self.0.iter().filter_map(|part| match part {
            Part::Hole { expr, .. } => Some(expr),
            Part::Text(_) => None,
        })
    }

    /// A sentence for a person.
    pub(crate) fn text(&self, scope: Scope<'_>) -> Option<String> {
        self.fill(scope, |value| match value {
            Value::Text(t) => Some(plain::printable(t)),
            Value::Number(n, Unit::Bytes) => Some(size::human(*n)),
            Value::Number(n, Unit::Percent) => Some(format!("{n:.0} %")),
            Value::Number(n, Unit::Count) => Some(count(*n)),
            _ => None,
        })
    }

    /// A command line for a shell, or for the CLI of a device.
    pub(crate) fn command(&self, scope: Scope<'_>, syntax: Syntax) -> Option<String> {
        self.fill(scope, |value| match value {
            Value::Text(t) if syntax == Syntax::Device => quote::device(t),
            Value::Text(t) => quote::quote(t),
            Value::Number(n, _) if *n >= 0.0 => Some(format!("{n:.0}")),
            _ => None,
        })
    }

    fn fill(&self, scope: Scope<'_>, show: impl Fn(&Value) -> Option<String>) -> Option<String> {
        let mut out = String::new();
        for part in &self.0 {
            match part {
                Part::Text(text) => out.push_str(text),
                Part::Hole { expr, is_sudo: true, .. } => {
                    out.push_str(expr.eval(scope).as_text().unwrap_or(""))
                }
                Part::Hole { expr, in_mebibytes: true, .. } => {
                    let mebibytes = expr.eval(scope).number()? / 1048576.0;
                    out.push_str(&format!("{:.0}", mebibytes.floor().max(1.0)));
                }
                Part::Hole { expr, .. } => out.push_str(&show(&expr.eval(scope))?),
            }
        }
        Some(out)
    }
}

/// A count as a person writes it: `12`, `0.85`, `12.3`.
fn count(n: f64) -> String {
    let text = if n.abs() < 10.0 { format!("{n:.2}") } else { format!("{n:.1}") };
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::super::super::facts::Facts;
    use super::*;
    use std::collections::BTreeMap;

    fn fill(text: &str) -> (Option<String>, Option<String>) {
        let facts = Facts::default();
        let values = BTreeMap::from([
            ("dir".to_owned(), Value::text("/var/$(x) y")),
            ("lost".to_owned(), Value::text("a\u{fffd}")),
            ("sudo".to_owned(), Value::text("sudo ")),
            ("n".to_owned(), Value::Number(3.9 * 1048576.0, Unit::Bytes)),
        ]);
        let scope = Scope { facts: &facts, values: &values, row: None };
        let template = Template::parse(text).expect("parses");
        (template.text(scope), template.command(scope, Syntax::Shell))
    }

    #[test]
    fn commands_quote_and_sentences_do_not() {
        let (text, command) = fill("{sudo}ls -- {dir} +{n|M}M {{}} '{n}'");
        assert_eq!(text.as_deref(), Some("sudo ls -- /var/$(x) y +3M {} '3.9M'"));
        assert_eq!(command.as_deref(), Some("sudo ls -- '/var/$(x) y' +3M {} '4089446'"));
    }

    #[test]
    fn counts_keep_the_decimals_that_say_something() {
        assert_eq!([0.0, 4.0, 0.854, 12.31, 100.0].map(count), ["0", "4", "0.85", "12.3", "100"]);
    }

    #[test]
    fn a_hole_without_a_usable_value_leaves_no_command() {
        assert_eq!(fill("ls {nothing}"), (None, None));
        assert_eq!(fill("ls {lost}").1, None);
        assert!(Template::parse("{open").is_err() && Template::parse("x}").is_err());
    }
}
