//! What the stream says beside the screen: marks for the shell tracker, queries, and sequences that the user's
//! terminal should get although the panel is drawn over it. Values and their bounds; nothing is done about them.

use crate::terminal::modes::osc_number;
use crate::terminal::queries::Query;
use std::collections::VecDeque;

/// Longest OSC that is a mark or a title. Ours are below 512 bytes; fish puts the whole command line in one.
const MARK_LIMIT: usize = 4096;
/// Signals kept for `take_signals`. While the panel is hidden nobody takes them: the oldest fall out.
const QUEUE_LIMIT: usize = 256;
/// And their bytes: four clipboards of the longest kind.
const QUEUE_BYTES: usize = 256 << 10;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Signal {
    /// The raw payload of an OSC 0, 1, 2, 7, 9, 133, 633, 777, 1337 or 3008, at most 4 KiB.
    Osc(Vec<u8>),
    BracketedPaste(bool),
    Alternate(bool),
    /// All from the beginning of a row on was erased (ED), as zsh does before it prints a prompt.
    Erased,
    Bell,
    /// The remote asks the terminal something; `queries::answer` knows what to do.
    Query(Query),
    /// A complete sequence for the user's terminal, while the panel is drawn: title, clipboard, notification,
    /// palette, cursor shape. Without control characters inside.
    Forward(Vec<u8>),
}

impl Signal {
    /// Whether the shell tracker must see it at its place in the stream.
    pub(super) fn is_mark(&self) -> bool {
        match self {
            Self::Osc(_) | Self::BracketedPaste(_) | Self::Alternate(_) | Self::Erased => true,
            // busybox ash asks for the cursor at each prompt.
            Self::Query(query) => matches!(query, Query::Cursor { .. }),
            Self::Bell | Self::Forward(_) => false,
        }
    }

    fn len(&self) -> usize {
        match self {
            Self::Osc(bytes) | Self::Forward(bytes) => bytes.len(),
            _ => 0,
        }
    }
}

/// What an OSC means to others than the screen.
pub(super) fn command(payload: &[u8]) -> Vec<Signal> {
    let Some(number) = osc_number(payload) else { return Vec::new() };
    if payload.len() > MARK_LIMIT && number != 52 {
        return Vec::new();
    }
    let is_question = payload.split(|b| *b == b';').any(|part| part == b"?");
    let forward = || {
        let mut bytes = b"\x1b]".to_vec();
        bytes.extend_from_slice(payload);
        // BEL: the terminator that every terminal knows.
        bytes.push(0x07);
        Signal::Forward(bytes)
    };
    let mark = || Signal::Osc(payload.to_vec());
    match number {
        0..=2 => vec![forward(), mark()],
        // `9;9;path` is a directory, not a notification.
        9 if payload.starts_with(b"9;9;") => vec![mark()],
        9 | 777 => vec![forward(), mark()],
        7 | 133 | 633 | 1337 | 3008 => vec![mark()],
        52 if is_question => vec![Signal::Query(Query::Clipboard)],
        4 | 10..=19 if is_question => vec![Signal::Query(Query::Colour(payload.to_vec()))],
        4 | 5 | 10..=19 | 22 | 52 | 99 | 104 | 105 | 110..=119 => vec![forward()],
        _ => Vec::new(),
    }
}

/// A bounded queue that forgets the oldest.
#[derive(Debug, Default)]
pub(super) struct Queue {
    signals: VecDeque<Signal>,
    bytes: usize,
}

impl Queue {
    pub(super) fn push(&mut self, signal: Signal) {
        self.bytes += signal.len();
        self.signals.push_back(signal);
        while self.signals.len() > QUEUE_LIMIT || self.bytes > QUEUE_BYTES {
            match self.signals.pop_front() {
                Some(oldest) => self.bytes -= oldest.len(),
                None => break,
            }
        }
    }

    pub(super) fn take(&mut self) -> Vec<Signal> {
        self.bytes = 0;
        self.signals.drain(..).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clipboard_reads_are_questions_and_writes_are_forwarded() {
        assert_eq!(command(b"52;c;?"), [Signal::Query(Query::Clipboard)]);
        assert_eq!(command(b"52;c;aGk="), [Signal::Forward(b"\x1b]52;c;aGk=\x07".to_vec())]);
    }

    #[test]
    fn overlong_marks_are_nothing() {
        let mut payload = b"133;C;".to_vec();
        payload.resize(MARK_LIMIT + 1, b'x');
        assert_eq!(command(&payload), []);
        assert_eq!(command(b"133;A"), [Signal::Osc(b"133;A".to_vec())]);
        assert_eq!(command(b"nonsense"), []);
    }

    #[test]
    fn the_queue_keeps_the_latest_within_its_bounds() {
        let mut queue = Queue::default();
        for n in 0..1000u32 {
            queue.push(Signal::Osc(n.to_string().into_bytes()));
        }
        let signals = queue.take();
        assert_eq!((signals.len(), signals.last()), (QUEUE_LIMIT, Some(&Signal::Osc(b"999".to_vec()))));
        for _ in 0..100 {
            queue.push(Signal::Forward(vec![b'x'; 60_000]));
        }
        assert!(queue.bytes <= QUEUE_BYTES && queue.take().len() == 4);
    }
}
