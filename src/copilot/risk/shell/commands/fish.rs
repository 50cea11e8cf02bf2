//! fish's compound commands.

use super::super::{Fault, Reader};
use super::{Kind, State};

impl Reader {
    /// fish's keywords: blocks end in `end`.
    pub(super) fn fish_keyword(&mut self, state: &mut State, word: &str) -> Result<Option<()>, Fault> {
        let length = word.chars().count();
        match word {
            "if" | "while" | "begin" => self.open_keyword(state, Kind::Block, length)?,
            "for" => {
                self.open_keyword(state, Kind::Block, length)?;
                self.names()?;
            }
            "switch" => {
                self.open_keyword(state, Kind::Block, length)?;
                self.blanks();
                self.word()?;
            }
            "case" => {
                self.at += length;
                while {
                    self.blanks();
                    self.peek().is_some_and(|c| !matches!(c, '\n' | ';'))
                } {
                    self.some_word()?;
                }
            }
            "function" => {
                self.at += length;
                self.blanks();
                let name = self.word()?.text;
                while {
                    self.blanks();
                    self.peek().is_some_and(|c| !matches!(c, '\n' | ';'))
                } {
                    self.some_word()?;
                }
                self.begin_function(state, name)?;
                self.open(state, Kind::Block)?;
            }
            "else" => {
                self.at += length;
                self.blanks();
                if self.peek_word() == "if" {
                    self.at += 2;
                }
            }
            "and" | "or" | "not" | "!" | "time" => self.at += length,
            "end" => self.close(state, &[Kind::Block], length)?,
            "{" | "}" => return Err(Fault::Unread),
            _ => return Ok(None),
        }
        Ok(Some(()))
    }
}
