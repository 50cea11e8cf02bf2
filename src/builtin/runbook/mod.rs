//! Runbooks: what the built-in Linus knows, as data, and the engine that runs it.
//!
//! A runbook is a TOML file; `src/builtin/runbooks/README.md` has its schema. Expressions: [`expr`]. Templates:
//! [`template`]. Evidence is the shape of output, wherever it comes from: a card's command, an equivalent that the
//! user typed, or the screen. A step is done when its `done` holds, in whatever order that happens.

pub(crate) mod compile;
pub(crate) mod compiled;
pub(crate) mod eval;
pub(crate) mod expr;
mod file;
mod finder;
mod lazy;
pub(crate) mod library;
mod needles;
pub(crate) mod outcome;
mod parse;
pub(crate) mod plan;
pub(crate) mod template;
mod tree;
