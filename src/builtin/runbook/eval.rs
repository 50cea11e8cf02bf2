//! The value of an expression.
//!
//! Nothing here fails: what is not known is [`Value::Null`], a comparison with it is false, a sum with it is
//! null. So a condition never holds because a fact is missing.

use super::super::facts::{Facts, Row, Unit, Value};
use super::super::path;
use super::expr::{Expr, Function, Op};
use super::tree;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Names that expressions may use besides the runbook's own.
pub(crate) const ENGINE_NAMES: [&str; 9] =
    ["asked", "question", "sudo", "root", "piped", "tried", "null", "row", "no_sudo"];

/// The flag of a tool that a shell did not find is this and its name.
pub(crate) const MISSING: &str = "missing ";
/// Names that a list in a sentence shows; what is more is counted.
const MAX_LISTED: usize = 6;

/// What names mean.
#[derive(Clone, Copy)]
pub(crate) struct Scope<'a> {
    pub(crate) facts: &'a Facts,
    pub(crate) values: &'a BTreeMap<String, Value>,
    /// The row under test in a function on a table, `row` in expressions.
    pub(crate) row: Option<&'a Arc<Row>>,
}

impl Expr {
    pub(crate) fn eval(&self, scope: Scope<'_>) -> Value {
        match self {
            Self::Literal(value) => value.clone(),
            Self::Name(path) => name(path, scope),
            Self::Field(e, fields) => field(e.eval(scope), fields),
            Self::Not(e) => match e.eval(scope) {
                Value::Bool(b) => Value::Bool(!b),
                _ => Value::Bool(true),
            },
            Self::Matches(e, pattern) => {
                Value::Bool(e.eval(scope).as_text().is_some_and(|t| pattern.is_match(t)))
            }
            Self::Binary(Op::And, a, b) => Value::Bool(a.holds(scope) && b.holds(scope)),
            Self::Binary(Op::Or, a, b) => Value::Bool(a.holds(scope) || b.holds(scope)),
            Self::Binary(op, a, b) => binary(*op, &a.eval(scope), &b.eval(scope)),
            Self::Call(function, arguments) => call(*function, arguments, scope),
            Self::Table(function, table, arguments) => on_table(*function, table, arguments, scope),
        }
    }

    pub(crate) fn holds(&self, scope: Scope<'_>) -> bool {
        self.eval(scope).is_true()
    }
}

fn name(path: &[String], scope: Scope<'_>) -> Value {
    let Some((first, fields)) = path.split_first() else { return Value::Null };
    let value = match (first.as_str(), scope.row) {
        ("row", Some(row)) => Value::Row(row.clone()),
        (name, _) => match scope.values.get(name) {
            Some(value) => value.clone(),
            None if scope.facts.has_flag(name) => Value::Bool(true),
            None => Value::Null,
        },
    };
    field(value, fields)
}

fn field(mut value: Value, fields: &[String]) -> Value {
    for field in fields {
        let Value::Row(row) = &value else { return Value::Null };
        value = match field.as_str() {
            // Before anything changed, what was is what is.
            "was" => Value::Row(row.was.clone().unwrap_or_else(|| row.clone())),
            field => row.get(field).cloned().unwrap_or(Value::Null),
        };
    }
    value
}

fn binary(op: Op, a: &Value, b: &Value) -> Value {
    use Value::{Bool, Null, Number};
    match (op, a, b) {
        (Op::Equal | Op::Unequal, Null, _) | (Op::Equal | Op::Unequal, _, Null) => Bool(false),
        (Op::Equal, Number(a, _), Number(b, _)) => Bool(a == b),
        (Op::Unequal, Number(a, _), Number(b, _)) => Bool(a != b),
        (Op::Equal, a, b) => Bool(a == b),
        (Op::Unequal, a, b) => Bool(a != b),
        (_, Number(a, unit_a), Number(b, unit_b)) => {
            let unit = match (unit_a, unit_b) {
                (Unit::Bytes, _) | (_, Unit::Bytes) => Unit::Bytes,
                _ => *unit_a,
            };
            match op {
                Op::AtLeast => Bool(a >= b),
                Op::AtMost => Bool(a <= b),
                Op::Above => Bool(a > b),
                Op::Below => Bool(a < b),
                Op::Plus => Number(a + b, unit),
                Op::Minus => Number(a - b, unit),
                Op::Times => Number(a * b, unit),
                _ if *b == 0.0 => Null,
                // Bytes over bytes is a ratio.
                _ => Number(a / b, if unit_b == unit_a { Unit::Count } else { unit }),
            }
        }
        (Op::AtLeast | Op::AtMost | Op::Above | Op::Below, _, _) => Bool(false),
        _ => Null,
    }
}

fn call(function: Function, arguments: &[Expr], scope: Scope<'_>) -> Value {
    let value = |i: usize| arguments.get(i).map_or(Value::Null, |a| a.eval(scope));
    match function {
        Function::Known => Value::Bool(!matches!(value(0), Value::Null)),
        Function::If => value(if value(0).is_true() { 1 } else { 2 }),
        Function::First => {
            arguments.iter().map(|a| a.eval(scope)).find(|v| *v != Value::Null).unwrap_or(Value::Null)
        }
        Function::Max | Function::Min => {
            let sign = if function == Function::Max { 1.0 } else { -1.0 };
            let key = |v: &Value| v.number().map_or(f64::NEG_INFINITY, |n| n * sign);
            let values = arguments.iter().map(|a| a.eval(scope)).filter(|v| v.number().is_some());
            values.max_by(|a, b| key(a).total_cmp(&key(b))).unwrap_or(Value::Null)
        }
        Function::Len => match value(0) {
            Value::Text(t) => Value::Number(t.len() as f64, Unit::Count),
            _ => Value::Null,
        },
        Function::Under => match (value(0), value(1)) {
            (Value::Text(path), Value::Text(directory)) => Value::Bool(path::is_under(&path, &directory)),
            _ => Value::Bool(false),
        },
        Function::Missing => Value::Bool(
            value(0).as_text().is_some_and(|tool| scope.facts.has_flag(&format!("{MISSING}{tool}"))),
        ),
        _ => Value::Null,
    }
}

fn on_table(function: Function, table: &str, arguments: &[Expr], scope: Scope<'_>) -> Value {
    let Some(table) = scope.facts.table(table) else {
        return match function {
            Function::Any | Function::Listed => Value::Bool(false),
            Function::Count => Value::Number(0.0, Unit::Count),
            _ => Value::Null,
        };
    };
    let value = |i: usize| arguments.get(i).map_or(Value::Null, |a| a.eval(scope));
    let in_row = |row| Scope { row: Some(row), ..scope };
    let mut matching = table.rows().filter(|row| arguments.first().is_none_or(|a| a.holds(in_row(row))));
    let by = |row| arguments.get(1).and_then(|a| a.eval(in_row(row)).number());
    match function {
        Function::Any => Value::Bool(matching.next().is_some()),
        Function::Count => Value::Number(matching.count() as f64, Unit::Count),
        Function::Top => {
            let best = matching.filter_map(|row| Some((by(row)?, row))).max_by(|a, b| a.0.total_cmp(&b.0));
            best.map_or(Value::Null, |(_, row)| Value::Row(row.clone()))
        }
        Function::Sum => {
            let values: Vec<f64> = matching.filter_map(by).collect();
            if values.is_empty() { Value::Null } else { Value::Number(values.iter().sum(), Unit::Bytes) }
        }
        Function::Last => {
            let mut rows = table.latest();
            let last = rows.find(|row| arguments.first().is_none_or(|a| a.holds(in_row(row))));
            last.map_or(Value::Null, |row| Value::Row(row.clone()))
        }
        Function::Oldest => {
            let rows = table.latest();
            let oldest = rows.filter(|row| arguments.first().is_none_or(|a| a.holds(in_row(row)))).last();
            oldest.map_or(Value::Null, |row| Value::Row(row.clone()))
        }
        Function::List => list(matching.filter_map(|row| {
            arguments.get(1).and_then(|a| a.eval(in_row(row)).as_text().map(ToOwned::to_owned))
        })),
        Function::At => {
            let key = value(0);
            key.as_text().and_then(|k| table.get(k)).map_or(Value::Null, |row| Value::Row(row.clone()))
        }
        Function::Descend => {
            value(0).as_text().map_or(Value::Null, |start| Value::text(tree::descend(table, start)))
        }
        Function::Listed => Value::Bool(value(0).as_text().is_some_and(|path| tree::is_listed(table, path))),
        _ => Value::Null,
    }
}

/// `a, b and 3 more`, each once.
fn list(texts: impl Iterator<Item = String>) -> Value {
    let mut all: Vec<String> = Vec::new();
    for text in texts {
        if !all.contains(&text) {
            all.push(text);
        }
    }
    if all.is_empty() {
        return Value::Null;
    }
    let more = all.len().saturating_sub(MAX_LISTED);
    all.truncate(MAX_LISTED);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    Value::text(all.join(", ") + &rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn eval(text: &str) -> Value {
        let mut facts = Facts::default();
        for (mount, used) in [("/", 40.0), ("/var", 98.0)] {
            let row = Row::new("l").with_text("mount", mount).with("use", Value::Number(used, Unit::Percent));
            facts.put("df", mount.into(), row);
        }
        facts.set_flag("seen");
        let values = BTreeMap::from([("asked".to_owned(), Value::text("/var/log"))]);
        let expr = Expr::parse(text).unwrap_or_else(|e| panic!("{e}"));
        expr.eval(Scope { facts: &facts, values: &values, row: None })
    }

    #[test]
    fn the_mount_point_of_a_path_is_the_longest_that_contains_it() {
        let Value::Row(row) = eval("top(df, under(asked, row.mount), len(row.mount))") else {
            panic!("a row")
        };
        assert_eq!(row.text("mount"), Some("/var"));
    }

    #[test]
    fn nothing_holds_because_a_fact_is_missing() {
        for text in
            ["nothing >= 0", "nothing == nothing", "nothing != 1", "nothing.use < 1", "any(none, 1 == 1)"]
        {
            assert_eq!(eval(text), Value::Bool(false), "{text}");
        }
        assert_eq!(eval("nothing + 1"), Value::Null);
        assert_eq!(eval("1 / 0"), Value::Null);
        assert_eq!(eval("top(df, row.mount == 'x', row.use)"), Value::Null);
    }

    #[test]
    fn arithmetic_conditions_and_flags_read_as_written() {
        for text in [
            "1 + 2 * 3 == 7",
            "10M > 9M and not (1G < 1M)",
            "if(seen, 1, 2) == 1",
            "max(1, nothing, 3) == 3 and min(2, 5) == 2",
            "first(nothing, 'x') == 'x'",
            "count(df, row.use >= 90%) == 1",
            "count(df) == 2",
            "asked ~ '^/var/'",
            "not known(nothing)",
            "sum(df, row.use > 0, row.use) == 138",
            "last(df).mount == '/var' and last(df, row.use < 50).mount == '/'",
            "list(df, row.use > 0, row.mount) == '/, /var'",
            "not missing('ss')",
        ] {
            assert_eq!(eval(text), Value::Bool(true), "{text}");
        }
        assert_eq!(eval("max(10M, 1) / 2"), Value::Number(5.0 * 1048576.0, Unit::Bytes));
    }
}
