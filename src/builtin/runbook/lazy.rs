//! Regular expressions that are checked when they are read and compiled when they are first needed.
//!
//! Dozens of runbooks have a thousand patterns, and a session uses a few: compiling all would cost the first answer
//! a tenth of a second. Each also tells which words must be in a text that it matches, so that most texts never meet it.

use super::needles::needles;
use regex::{Captures, Regex};
use std::sync::{Arc, OnceLock};

/// A pattern; clones share what is compiled.
#[derive(Debug, Clone)]
pub(crate) struct Lazy(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    text: String,
    needles: Vec<String>,
    compiled: OnceLock<Option<Regex>>,
}

impl Lazy {
    /// Checks the syntax. What is too large to compile matches nothing; [`Self::compile`] tells.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let hir = regex_syntax::Parser::new().parse(text).map_err(|e| format!("regex {}", brief(&e)))?;
        let inner = Inner { text: text.into(), needles: needles(&hir), compiled: OnceLock::new() };
        Ok(Self(Arc::new(inner)))
    }

    /// Words of which a text that matches has at least one, in lower case; empty where that cannot be told.
    pub(crate) fn needles(&self) -> &[String] {
        &self.0.needles
    }

    pub(crate) fn compile(&self) -> Result<(), String> {
        Regex::new(&self.0.text).map(|_| ()).map_err(|e| e.to_string())
    }

    fn regex(&self) -> Option<&Regex> {
        self.0.compiled.get_or_init(|| Regex::new(&self.0.text).ok()).as_ref()
    }

    pub(crate) fn is_match(&self, text: &str) -> bool {
        self.regex().is_some_and(|r| r.is_match(text))
    }

    pub(crate) fn captures<'t>(&self, text: &'t str) -> Option<Captures<'t>> {
        self.regex()?.captures(text)
    }

    pub(crate) fn capture_names(&self) -> impl Iterator<Item = &str> {
        self.regex().into_iter().flat_map(|r| r.capture_names().flatten())
    }
}

/// The last line of a syntax error is what is wrong; the ones before draw where.
fn brief(error: &regex_syntax::Error) -> String {
    error.to_string().lines().last().unwrap_or("cannot be read").trim().to_owned()
}
