//! The keys after the prefix and the keys of the panel: one table each, from which help is drawn.

/// What a key after the prefix does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PrefixAction {
    Toggle,
    SendPrefix,
    Focus,
    Ask,
    /// Put the card with this number on the edit line.
    Card(u8),
    Narrower,
    Wider,
    Mode,
    Position,
    Scrollback,
    /// The next policy.
    Policy,
    Cancel,
    Integration,
    Pause,
    Leaves,
    Sessions,
    Agents,
    /// Host health on or off.
    Health,
    Help,
}

/// The keys that a row of the table stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    /// The prefix itself, once more.
    Prefix,
    /// Any of these characters, as the terminal sends them.
    Chars(&'static [char]),
    /// `1` to `9`.
    Digit,
}

/// A row of the table.
#[derive(Debug, Clone, Copy)]
pub struct Binding {
    pub key: Key,
    /// The key as it is written in help and in the manual.
    pub label: &'static str,
    /// What it does; for [`Key::Digit`] the number is filled in.
    pub action: PrefixAction,
    pub help: &'static str,
}

const fn row(key: Key, label: &'static str, action: PrefixAction, help: &'static str) -> Binding {
    Binding { key, label, action, help }
}

/// After the prefix. Only what exists.
pub const PREFIX: &[Binding] = &[
    row(Key::Chars(&['a']), "a", PrefixAction::Toggle, "open or close the panel"),
    row(Key::Prefix, "prefix", PrefixAction::SendPrefix, "send the prefix itself"),
    row(Key::Chars(&['\t', 'o']), "Tab o", PrefixAction::Focus, "focus: terminal ↔ panel"),
    row(Key::Chars(&[' ']), "Space", PrefixAction::Ask, "ask Linus"),
    row(Key::Digit, "1…9", PrefixAction::Card(1), "edit card n"),
    row(Key::Chars(&['m']), "m", PrefixAction::Policy, "next policy; auto asks"),
    row(Key::Chars(&['!']), "!", PrefixAction::Cancel, "stop auto, cancel calls"),
    row(Key::Chars(&['<']), "<", PrefixAction::Narrower, "panel smaller"),
    row(Key::Chars(&['>']), ">", PrefixAction::Wider, "panel larger"),
    row(Key::Chars(&['v']), "v", PrefixAction::Mode, "split ↔ overlay"),
    row(Key::Chars(&['l']), "l", PrefixAction::Position, "panel right, left, bottom"),
    row(Key::Chars(&['[']), "[", PrefixAction::Scrollback, "look back in the terminal"),
    row(Key::Chars(&['i']), "i", PrefixAction::Integration, "shell integration"),
    row(Key::Chars(&['w']), "w", PrefixAction::Leaves, "what leaves, and what left"),
    row(Key::Chars(&['p']), "p", PrefixAction::Pause, "pause what Linus is told"),
    row(Key::Chars(&['s']), "s", PrefixAction::Sessions, "your live sessions"),
    row(Key::Chars(&['A']), "A", PrefixAction::Agents, "other agents: share, mute"),
    row(Key::Chars(&['h']), "h", PrefixAction::Health, "host health on or off"),
    row(Key::Chars(&['?']), "?", PrefixAction::Help, "this help"),
];

/// In the panel: key and what it does.
pub const PANEL: &[(&str, &str)] = &[
    ("Enter", "send; on a card: edit"),
    ("↑ ↓", "a card; earlier messages"),
    ("Alt-1…9", "edit card n"),
    ("Esc", "back, or cancel"),
    ("Ctrl-X", "dismiss card or reason"),
    ("Alt-s", "send what waits"),
    ("Alt-x", "delete what waits"),
    ("Alt-Enter", "new line"),
    ("PgUp PgDn", "scroll the chat"),
    ("Ctrl-P/N", "earlier, later message"),
];

/// The action of a character typed after the prefix.
pub fn after_prefix(c: char) -> Option<PrefixAction> {
    PREFIX.iter().find_map(|binding| match binding.key {
        Key::Chars(chars) => chars.contains(&c).then_some(binding.action),
        Key::Digit => match c.to_digit(10) {
            Some(n @ 1..=9) => Some(PrefixAction::Card(n as u8)),
            _ => None,
        },
        Key::Prefix => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_has_one_meaning() {
        let mut seen = Vec::new();
        for binding in PREFIX {
            if let Key::Chars(chars) = binding.key {
                for c in chars {
                    assert!(!seen.contains(c) && !c.is_ascii_digit(), "{c:?} is bound twice");
                    seen.push(*c);
                    assert_eq!(after_prefix(*c), Some(binding.action));
                }
            }
        }
        assert_eq!(after_prefix('7'), Some(PrefixAction::Card(7)));
        assert_eq!((after_prefix('0'), after_prefix('Z')), (None, None));
    }
}
