//! The grammar of expressions.
//!
//! ```text
//! expr   = and { "or" and }            and    = not { "and" not }
//! not    = "not" not | test            test   = sum [ ("=="|"!="|">="|"<="|">"|"<") sum | "~" string ]
//! sum    = product { ("+"|"-") product }       product = value { ("*"|"/") value }
//! value  = ( number[K|M|G|T|%] | 'string' | name | function "(" expr { "," expr } ")" | "(" expr ")" ) { "." field }
//! ```
//! `~` matches a regular expression. A table is named only as the first argument of a function on tables.

use super::super::facts::{Unit, Value};
use super::expr::{Expr, Function, Op};
use super::lazy::Lazy;

impl Expr {
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut parser = Parser { tokens: tokens(text)?, at: 0, depth: 0 };
        let expr = parser.or().map_err(|e| format!("{e} in `{text}`"))?;
        match parser.peek() {
            None => Ok(expr),
            Some(token) => Err(format!("unexpected {token:?} in `{text}`")),
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
enum Token {
    Number(f64, Unit),
    Text(String),
    Name(String),
    Sign(&'static str),
}

const SIGNS: [&str; 15] = ["==", "!=", ">=", "<=", ">", "<", "~", "+", "-", "*", "/", "(", ")", ",", "."];

fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(c) = rest.chars().next() {
        let length = if c.is_ascii_digit() {
            let digits = rest.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(rest.len());
            let number: f64 = rest[..digits].parse().map_err(|_| format!("bad number in `{text}`"))?;
            let power = rest[digits..].chars().next().and_then(|u| "%KMGT".find(u));
            tokens.push(match power {
                None => Token::Number(number, Unit::Count),
                Some(0) => Token::Number(number, Unit::Percent),
                Some(power) => Token::Number(number * 1024f64.powi(power as i32), Unit::Bytes),
            });
            digits + usize::from(power.is_some())
        } else if c == '\'' {
            let end = rest[1..].find('\'').ok_or_else(|| format!("open string in `{text}`"))?;
            tokens.push(Token::Text(rest[1..=end].into()));
            end + 2
        } else if c.is_ascii_lowercase() {
            let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
            tokens.push(Token::Name(rest[..end].into()));
            end
        } else {
            let sign =
                SIGNS.iter().find(|s| rest.starts_with(**s)).ok_or_else(|| format!("{c:?} in `{text}`"))?;
            tokens.push(Token::Sign(sign));
            sign.len()
        };
        rest = rest[length..].trim_start();
    }
    Ok(tokens)
}

/// Deepest nesting: runbooks also come from files of the user, and the tree is walked recursively.
const MAX_DEPTH: usize = 32;

struct Parser {
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
}

impl Parser {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    fn next(&mut self) -> Option<Token> {
        self.at += 1;
        self.tokens.get(self.at - 1).cloned()
    }

    fn sign(&mut self, sign: &str) -> bool {
        let is_it = matches!(self.peek(), Some(Token::Sign(s)) if *s == sign);
        self.at += usize::from(is_it);
        is_it
    }

    fn word(&mut self, word: &str) -> bool {
        let is_it = matches!(self.peek(), Some(Token::Name(n)) if n == word);
        self.at += usize::from(is_it);
        is_it
    }

    fn or(&mut self) -> Result<Expr, String> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err("nested too deep".into());
        }
        let mut left = self.and()?;
        while self.word("or") {
            left = Expr::Binary(Op::Or, Box::new(left), Box::new(self.and()?));
        }
        self.depth -= 1;
        Ok(left)
    }

    fn and(&mut self) -> Result<Expr, String> {
        let mut left = self.not()?;
        while self.word("and") {
            left = Expr::Binary(Op::And, Box::new(left), Box::new(self.not()?));
        }
        Ok(left)
    }

    fn not(&mut self) -> Result<Expr, String> {
        let mut count = 0;
        while self.word("not") {
            count += 1;
        }
        let test = self.test()?;
        Ok(if count % 2 == 1 { Expr::Not(Box::new(test)) } else { test })
    }

    fn test(&mut self) -> Result<Expr, String> {
        const TESTS: [(&str, Op); 6] = [
            ("==", Op::Equal),
            ("!=", Op::Unequal),
            (">=", Op::AtLeast),
            ("<=", Op::AtMost),
            (">", Op::Above),
            ("<", Op::Below),
        ];
        let left = self.sum()?;
        if self.sign("~") {
            let Some(Token::Text(pattern)) = self.next() else { return Err("`~` needs a 'pattern'".into()) };
            let pattern = Lazy::parse(&pattern)?;
            return Ok(Expr::Matches(Box::new(left), pattern));
        }
        for (sign, op) in TESTS {
            if self.sign(sign) {
                return Ok(Expr::Binary(op, Box::new(left), Box::new(self.sum()?)));
            }
        }
        Ok(left)
    }

    fn sum(&mut self) -> Result<Expr, String> {
        let mut left = self.product()?;
        loop {
            let op = if self.sign("+") {
                Op::Plus
            } else if self.sign("-") {
                Op::Minus
            } else {
                return Ok(left);
            };
            left = Expr::Binary(op, Box::new(left), Box::new(self.product()?));
        }
    }

    fn product(&mut self) -> Result<Expr, String> {
        let mut left = self.fields()?;
        loop {
            let op = if self.sign("*") {
                Op::Times
            } else if self.sign("/") {
                Op::Over
            } else {
                return Ok(left);
            };
            left = Expr::Binary(op, Box::new(left), Box::new(self.fields()?));
        }
    }

    fn fields(&mut self) -> Result<Expr, String> {
        let value = self.value()?;
        let mut path = Vec::new();
        while self.sign(".") {
            let Some(Token::Name(field)) = self.next() else { return Err("missing field".into()) };
            path.push(field);
        }
        Ok(match value {
            value if path.is_empty() => value,
            Expr::Name(mut name) => {
                name.extend(path);
                Expr::Name(name)
            }
            value => Expr::Field(Box::new(value), path),
        })
    }

    fn value(&mut self) -> Result<Expr, String> {
        match self.next() {
            Some(Token::Number(n, unit)) => Ok(Expr::Literal(Value::Number(n, unit))),
            Some(Token::Text(t)) => Ok(Expr::Literal(Value::Text(t))),
            Some(Token::Sign("(")) => {
                let inner = self.or()?;
                if self.sign(")") { Ok(inner) } else { Err("missing `)`".into()) }
            }
            Some(Token::Name(name)) if self.sign("(") => self.call(&name),
            Some(Token::Name(name)) => Ok(Expr::Name(vec![name])),
            other => Err(format!("expected a value, found {other:?}")),
        }
    }

    fn call(&mut self, name: &str) -> Result<Expr, String> {
        let (_, function, least, most) =
            *Function::ALL.iter().find(|f| f.0 == name).ok_or_else(|| format!("no function `{name}`"))?;
        let mut arguments = vec![self.or()?];
        while self.sign(",") {
            arguments.push(self.or()?);
        }
        if !self.sign(")") {
            return Err("missing `)`".into());
        }
        if !(least..=most).contains(&arguments.len()) {
            return Err(format!("`{name}` takes {least} to {most} arguments"));
        }
        if !function.takes_table() {
            return Ok(Expr::Call(function, arguments));
        }
        match arguments.remove(0) {
            Expr::Name(path) if path.len() == 1 => Ok(Expr::Table(function, path[0].clone(), arguments)),
            _ => Err(format!("the first argument of `{name}` is a table")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mistakes_are_told_with_the_expression() {
        for bad in [
            "",
            "1 +",
            "(1",
            "fs.",
            "nope(1)",
            "known()",
            "top('x', 1, 2)",
            "a ~ b",
            "a ~ '('",
            "'open",
            "#",
            "a b",
        ] {
            assert!(Expr::parse(bad).is_err(), "{bad}");
        }
        assert!(Expr::parse(&"(".repeat(1000)).is_err());
        assert!(Expr::parse(&"not ".repeat(1000)).is_err());
    }

    #[test]
    fn names_and_tables_are_found() {
        let mut names = Vec::new();
        Expr::parse("any(df, row.use >= full) and known(fs.was.use)")
            .expect("parses")
            .names(&mut |n, table| names.push((n.to_owned(), table)));
        let names: Vec<_> = names.iter().map(|(n, t)| (n.as_str(), *t)).collect();
        assert_eq!(names, [("df", true), ("row", false), ("full", false), ("fs", false)]);
    }
}
