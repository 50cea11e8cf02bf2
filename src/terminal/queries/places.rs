//! The panel's own question: where the terminal's cursor stands (CPR). Each is answered once, in order, and no answer may
//! be taken for typing, however often the panel was opened meanwhile.

use super::find_place;
use std::collections::VecDeque;
use std::ops::Range;
use std::time::{Duration, Instant};

/// How long an answer is told from keys, also if the panel has closed by then.
const WITHIN: Duration = Duration::from_secs(5);

/// The answers that are still to come, and until when.
#[derive(Debug, Default)]
pub struct CursorPlaces {
    until: VecDeque<Instant>,
}

impl CursorPlaces {
    pub fn asked(&mut self, now: Instant) {
        self.until.push_back(now + WITHIN);
    }

    pub fn is_awaited(&self, now: Instant) -> bool {
        self.until.back().is_some_and(|until| now <= *until)
    }

    /// The first answer among these bytes: its row, if no later question has made it old, and where it is.
    pub fn take(&mut self, bytes: &[u8], now: Instant) -> Option<(Option<u16>, Range<usize>)> {
        self.until.retain(|until| now <= *until);
        if self.until.is_empty() {
            return None;
        }
        let (row, range) = find_place(bytes)?;
        self.until.pop_front();
        Some((self.until.is_empty().then_some(row), range))
    }

    /// Nothing is waited for any more.
    pub fn forget(&mut self) {
        self.until.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_question_has_one_answer_and_the_last_one_counts() {
        let now = Instant::now();
        let mut places = CursorPlaces::default();
        assert_eq!(places.take(b"\x1b[3;1R", now), None);
        places.asked(now);
        places.asked(now);
        assert_eq!(places.take(b"a\x1b[3;1R", now), Some((None, 1..7)));
        assert_eq!(places.take(b"a", now), None);
        assert_eq!(places.take(b"\x1b[R\x1b[4;1R", now), Some((Some(4), 3..9)), "after F3");
        assert_eq!(places.take(b"\x1b[4;1R", now), None);
    }

    #[test]
    fn an_answer_that_does_not_come_is_not_waited_for_for_ever() {
        let now = Instant::now();
        let mut places = CursorPlaces::default();
        places.asked(now);
        assert!(places.is_awaited(now + WITHIN));
        assert!(!places.is_awaited(now + WITHIN * 2));
        assert_eq!(places.take(b"\x1b[1;2R", now + WITHIN * 2), None);
    }
}
