//! What auto must know of the session at one moment: values only, put together by the session.

use crate::linus::contract::Risk;
use crate::shell::State;

/// Who reads what is typed, by the state of ssh's own terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Line {
    Remote,
    /// ssh itself asks for a secret.
    Secret,
    /// ssh itself asks something, or is not connected.
    Local,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Linus {
    Offline,
    /// He answers the user, or is told of a command.
    Busy,
    Ready,
}

/// Whose card it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sender<'a> {
    Linus,
    Other(&'a str),
}

/// The first open card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate<'a> {
    pub id: &'a str,
    /// Byte for byte what would be sent.
    pub text: &'a str,
    pub sender: Sender<'a>,
    pub level: Risk,
    /// The level's reason.
    pub why: String,
    /// The user's own text is in it.
    pub edited: bool,
    pub refused: Option<&'a str>,
    /// Something is to be filled in.
    pub holes: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scene<'a> {
    /// The panel is drawn, with auto's sign and countdown, and the terminal takes what is drawn.
    pub shown: bool,
    pub line: Line,
    pub state: State,
    /// The prompt that waits carries this session's nonce.
    pub trusted: bool,
    pub line_taken: bool,
    /// What is another than where auto was turned on.
    pub changed: Option<String>,
    /// The user writes in the panel, or something covers it.
    pub user_is_busy: bool,
    pub linus: Linus,
    pub card: Option<Candidate<'a>>,
}

/// Whether something in a command is to be filled in first: `<PASSWORD>`, or what stands for a secret (`‹token-1›`).
pub fn has_holes(text: &str) -> bool {
    let is_name = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_uppercase())
            && name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || "_- ".contains(c))
    };
    let names = text.split('<').skip(1).filter_map(|rest| rest.split_once('>'));
    text.contains('‹') || names.into_iter().any(|(name, _)| is_name(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holes_are_told_from_redirections() {
        for holes in ["mysql -p<PASSWORD>", "ssh <USER_1>@x", "cat <FILE NAME>", "x ‹aws-key-1›"] {
            assert!(has_holes(holes), "{holes}");
        }
        for none in ["wc -l <file >out", "sort < A > B", "cat <<EOF\n>", "ls", "[ a <b ] > c", "<>"] {
            assert!(!has_holes(none), "{none}");
        }
    }
}
