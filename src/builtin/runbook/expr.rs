//! The expressions of runbooks, as trees.

use super::super::facts::Value;
use super::lazy::Lazy;

#[derive(Debug, Clone)]
pub(crate) enum Expr {
    Literal(Value),
    /// A fact and fields of it: `fs.was.used`.
    Name(Vec<String>),
    /// Fields of what an expression gives: `at(du, dir).bytes`.
    Field(Box<Expr>, Vec<String>),
    Not(Box<Expr>),
    Binary(Op, Box<Expr>, Box<Expr>),
    Matches(Box<Expr>, Lazy),
    Call(Function, Vec<Expr>),
    /// A function on the rows of a table.
    Table(Function, String, Vec<Expr>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Op {
    Or,
    And,
    Equal,
    Unequal,
    AtLeast,
    AtMost,
    Above,
    Below,
    Plus,
    Minus,
    Times,
    Over,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Function {
    Known,
    If,
    First,
    Max,
    Min,
    Len,
    Under,
    Top,
    Any,
    Count,
    Sum,
    At,
    Descend,
    Listed,
    Last,
    Oldest,
    List,
    Missing,
}

impl Function {
    /// Name, and the number of arguments at least and at most; for those on tables the table is one of them.
    pub(super) const ALL: [(&'static str, Self, usize, usize); 18] = [
        ("known", Self::Known, 1, 1),
        ("if", Self::If, 3, 3),
        ("first", Self::First, 1, 9),
        ("max", Self::Max, 1, 9),
        ("min", Self::Min, 1, 9),
        ("len", Self::Len, 1, 1),
        ("under", Self::Under, 2, 2),
        ("top", Self::Top, 3, 3),
        ("any", Self::Any, 1, 2),
        ("count", Self::Count, 1, 2),
        ("sum", Self::Sum, 3, 3),
        ("at", Self::At, 2, 2),
        ("descend", Self::Descend, 2, 2),
        ("listed", Self::Listed, 2, 2),
        ("last", Self::Last, 1, 2),
        ("oldest", Self::Oldest, 1, 2),
        ("list", Self::List, 3, 3),
        ("missing", Self::Missing, 1, 1),
    ];

    pub(super) fn takes_table(self) -> bool {
        matches!(
            self,
            Self::Top
                | Self::Any
                | Self::Count
                | Self::Sum
                | Self::At
                | Self::Descend
                | Self::Listed
                | Self::Last
                | Self::Oldest
                | Self::List
        )
    }
}

impl Expr {
    /// Every pattern in it.
    pub(crate) fn patterns(&self, found: &mut dyn FnMut(&Lazy)) {
        match self {
            Self::Literal(_) | Self::Name(_) => {}
            Self::Matches(e, pattern) => {
                found(pattern);
                e.patterns(found);
            }
            Self::Not(e) | Self::Field(e, _) => e.patterns(found),
            Self::Binary(_, a, b) => {
                a.patterns(found);
                b.patterns(found);
            }
            Self::Call(_, arguments) | Self::Table(_, _, arguments) => {
                arguments.iter().for_each(|a| a.patterns(found));
            }
        }
    }

    /// Every name that the expression uses, and every table.
    pub(crate) fn names(&self, found: &mut dyn FnMut(&str, bool)) {
        match self {
            Self::Literal(_) => {}
            Self::Name(path) => path.iter().take(1).for_each(|name| found(name, false)),
            Self::Not(e) | Self::Matches(e, _) | Self::Field(e, _) => e.names(found),
            Self::Binary(_, a, b) => {
                a.names(found);
                b.names(found);
            }
            Self::Call(_, arguments) => arguments.iter().for_each(|a| a.names(found)),
            Self::Table(_, table, arguments) => {
                found(table, true);
                arguments.iter().for_each(|a| a.names(found));
            }
        }
    }
}
