//! How often a host may be asked: a bucket of tokens, so that nobody who asks in a loop loads it.

use std::time::{Duration, Instant};

/// A token comes this often.
const EVERY: Duration = Duration::from_secs(2);
/// So many can be saved up.
const MOST: u32 = 3;

#[derive(Debug, Clone)]
pub struct Budget {
    tokens: u32,
    /// When the last token came.
    since: Instant,
}

impl Budget {
    pub fn new(now: Instant) -> Self {
        Self { tokens: MOST, since: now }
    }

    /// Takes a token; else how long until there is one.
    pub fn take(&mut self, now: Instant) -> Result<(), Duration> {
        let passed = now.saturating_duration_since(self.since);
        let came = u32::try_from(passed.as_millis() / EVERY.as_millis()).unwrap_or(u32::MAX);
        self.tokens = self.tokens.saturating_add(came).min(MOST);
        self.since = if self.tokens == MOST { now } else { self.since + EVERY * came };
        match self.tokens.checked_sub(1) {
            Some(left) => {
                self.tokens = left;
                Ok(())
            }
            None => Err(EVERY.saturating_sub(now.saturating_duration_since(self.since))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn over_any_time_no_more_is_let_through_than_tokens_have_come() {
        let start = Instant::now();
        let mut budget = Budget::new(start);
        let mut taken = 0;
        for step in 0..10_000 {
            taken += u32::from(budget.take(start + Duration::from_millis(step * 7)).is_ok());
        }
        // What was saved up, and one each 2 s of 69.993 s.
        assert_eq!(taken, MOST + 34);
    }

    #[test]
    fn it_says_how_long_to_wait() {
        let start = Instant::now();
        let mut budget = Budget::new(start);
        assert!((0..MOST).all(|_| budget.take(start).is_ok()));
        assert_eq!(budget.take(start + Duration::from_millis(500)), Err(Duration::from_millis(1500)));
        assert_eq!(budget.take(start + Duration::from_millis(2000)), Ok(()));
    }
}
