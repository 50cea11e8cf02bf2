//! What a message to Linus needs to know of the session.

use crate::shell::{Facts, Observer};

/// The limit of `terminal_tail` in bytes.
const TAIL_BYTES: usize = 64 * 1024;

#[derive(Debug, Clone, Default)]
pub(in crate::session) struct Snapshot {
    pub(in crate::session) tail: String,
    /// The lines since the line asked from, that one included.
    pub(in crate::session) new_output: String,
    /// The line to ask from the next time.
    pub(in crate::session) line: u64,
    pub(in crate::session) facts: Facts,
}

impl Snapshot {
    pub(super) fn take(observer: &Observer, since: u64) -> Self {
        let line = observer.emulator().cursor_line();
        Self {
            tail: observer.hide_secrets(observer.tail(TAIL_BYTES)),
            // `clear` moves the cursor to a lower line than before: what is there now is new.
            new_output: observer.hide_secrets(observer.shown_since(since.min(line), TAIL_BYTES)),
            line,
            facts: observer.facts().clone(),
        }
    }
}
