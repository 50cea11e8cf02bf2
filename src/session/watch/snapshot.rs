//! What a message to Linus needs to know of the session.

use crate::shell::{Facts, Observer, State};

/// The limit of `terminal_tail` in bytes.
const TAIL_BYTES: usize = 64 * 1024;

/// Lines that a snapshot is asked from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::session) struct Since {
    /// Where new output begins.
    pub(in crate::session) new: u64,
    /// Where the last pause ended.
    pub(in crate::session) pause: u64,
}

#[derive(Debug, Clone, Default)]
pub(in crate::session) struct Snapshot {
    pub(in crate::session) tail: String,
    /// The same without what was printed before the last pause ended.
    pub(in crate::session) unpaused: String,
    /// The lines since the line asked from, that one included.
    pub(in crate::session) new_output: String,
    /// The line to ask from the next time.
    pub(in crate::session) line: u64,
    pub(in crate::session) facts: Facts,
    /// What was known at the first prompt that was seen.
    pub(in crate::session) login: Option<Facts>,
    pub(in crate::session) state: State,
}

impl Snapshot {
    pub(super) fn take(observer: &Observer, since: Since) -> Self {
        let line = observer.emulator().cursor_line();
        // `clear` moves the cursor to a lower line than before: what is there now is new.
        let shown_since = |from: u64| observer.hide_secrets(observer.shown_since(from.min(line), TAIL_BYTES));
        let tail = observer.hide_secrets(observer.tail(TAIL_BYTES));
        // Both are ends of the same text: the shorter one begins later.
        let after = Some(since.pause).filter(|from| *from > 0).map(shown_since);
        let unpaused = after.filter(|after| after.len() < tail.len()).unwrap_or_else(|| tail.clone());
        Self {
            tail,
            unpaused,
            new_output: shown_since(since.new.max(since.pause)),
            line,
            facts: observer.facts().clone(),
            login: observer.login().cloned(),
            state: observer.state(),
        }
    }
}
