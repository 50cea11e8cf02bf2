//! The commands that auto has sent since the user last asked Linus something: repeats, circles, failures, a limit.

use super::normal::Normal;
use super::stop::Stop;

/// Failures in a row that end a chain.
const FAILURES: u8 = 3;
/// The longest circle that is looked for.
const PERIODS: usize = 4;
/// Commands that differ in numbers only: two of them may be two steps (`ls /proc/1`, `ls /proc/2`), three are a loop.
const COUNTING: usize = 3;

/// One chain.
#[derive(Debug, Clone, Default)]
pub(super) struct Chain {
    sent: Vec<Sent>,
    failures: u8,
}

#[derive(Debug, Clone)]
struct Sent {
    text: String,
    normal: Normal,
    shape: String,
}

impl Sent {
    fn new(text: &str) -> Self {
        let normal = Normal::of(text);
        Self { text: text.to_owned(), shape: normal.shape(), normal }
    }
}

impl Chain {
    pub(super) fn length(&self) -> usize {
        self.sent.len()
    }

    /// Whether this command may be the next.
    pub(super) fn check(&self, text: &str, limit: u8) -> Result<(), Stop> {
        let new = Sent::new(text);
        if self.sent.iter().any(|sent| sent.text == text) {
            return Err(Stop::Repeat { command: text.to_owned() });
        }
        if let Some(before) = self.sent.iter().find(|sent| sent.normal == new.normal) {
            let (command, before) = (text.to_owned(), before.text.clone());
            return Err(Stop::NearRepeat { command, before });
        }
        let shapes: Vec<&str> = self.sent.iter().chain([&new]).map(|sent| sent.shape.as_str()).collect();
        if let Some(period) = circle(&shapes) {
            return Err(Stop::Cycle { period });
        }
        if self.sent.len() >= usize::from(limit) {
            return Err(Stop::Limit(limit));
        }
        Ok(())
    }

    pub(super) fn push(&mut self, text: &str) {
        self.sent.push(Sent::new(text));
    }

    pub(super) fn ended(&mut self, code: i32) -> Result<(), Stop> {
        self.failures = if code == 0 { 0 } else { self.failures + 1 };
        if self.failures >= FAILURES { Err(Stop::Failures(self.failures)) } else { Ok(()) }
    }
}

/// The period of the circle that these end in.
fn circle(shapes: &[&str]) -> Option<usize> {
    let ends_in = |period: usize| {
        let times = if period == 1 { COUNTING } else { 2 };
        let from = shapes.len().checked_sub(period * times)?;
        let tail = shapes.get(from..)?;
        let is_circle = tail.iter().zip(tail.iter().skip(period)).all(|(one, next)| one == next);
        is_circle.then_some(period)
    };
    (1..=PERIODS).find_map(ends_in)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(sent: &[&str], next: &str) -> Result<(), Stop> {
        let mut chain = Chain::default();
        sent.iter().for_each(|text| chain.push(text));
        chain.check(next, 8)
    }

    #[test]
    fn an_exact_repeat_and_one_in_other_words_are_told_apart() {
        assert_eq!(after(&["df -h", "uptime"], "df -h"), Err(Stop::Repeat { command: "df -h".into() }));
        for near in ["df  -h", "df '-h'", "/bin/df -h"] {
            let before = "df -h".to_owned();
            assert_eq!(after(&["df -h"], near), Err(Stop::NearRepeat { command: near.into(), before }));
        }
        let near = after(&["ls -la /x"], "ls /x -l -a");
        assert!(matches!(near, Err(Stop::NearRepeat { .. })), "{near:?}");
        assert_eq!(after(&["df -h"], "df -i"), Ok(()));
    }

    #[test]
    fn circles_of_every_period_up_to_four_are_found() {
        let step = |n: usize, at: usize| format!("{} -n {n} log", ["head", "tail", "cat", "wc"][at]);
        for period in 2..=PERIODS {
            let all: Vec<String> = (0..2 * period).map(|n| step(n, n % period)).collect();
            let (next, sent) = all.split_last().unwrap();
            let sent: Vec<&str> = sent.iter().map(String::as_str).collect();
            assert_eq!(after(&sent, next), Err(Stop::Cycle { period }));
            assert_eq!(after(&sent[1..], next), Ok(()), "not twice around");
        }
        assert_eq!(after(&["ls /proc/1", "ls /proc/2"], "ls /proc/3"), Err(Stop::Cycle { period: 1 }));
        assert_eq!(after(&["ls /proc/1"], "ls /proc/2"), Ok(()));
    }

    #[test]
    fn the_limit_is_the_users() {
        let mut chain = Chain::default();
        for n in ["df", "uptime", "free"] {
            assert_eq!(chain.check(n, 3), Ok(()));
            chain.push(n);
        }
        assert_eq!((chain.check("id", 3), chain.length()), (Err(Stop::Limit(3)), 3));
        assert_eq!(chain.check("id", 8), Ok(()));
    }

    #[test]
    fn three_failures_in_a_row_end_it_and_a_success_between_them_does_not() {
        let mut chain = Chain::default();
        for code in [1, 127, 0, 1, 2] {
            assert_eq!(chain.ended(code), Ok(()));
        }
        assert_eq!(chain.ended(255), Err(Stop::Failures(3)));
    }
}
