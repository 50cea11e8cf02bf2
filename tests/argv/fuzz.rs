//! Generated cases, one after another: how many, from which seed, and the least that still fails.
//!
//! `AISSH_FUZZ` is a number of cases (`20000`) or of seconds (`300s`), `AISSH_FUZZ_SEED` where they start;
//! scripts/fuzz-argv sets both. Without them it is the few of every test run, always the same.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::oracle::Oracle;

/// Each runs ssh two to four times (8 to 18 ms each).
const CASES: usize = 300;
const SEED: u64 = 2024;
/// In a long run, a line each so many cases.
const PROGRESS: usize = 1000;

/// Something that is made by chance, and that aissh and ssh must understand alike.
pub(crate) trait Case: Clone + Debug {
    fn generate(random: &mut Random) -> Self;
    /// The same with a little less, for each little.
    fn smaller(&self) -> Vec<Self>;
    /// What kind of case it was, to be counted; or how they differ.
    fn check(&self, oracle: &Oracle) -> Result<&'static str, String>;
}

/// How often each kind came.
pub(crate) type Tally = BTreeMap<&'static str, usize>;

/// splitmix64: any seed is as good as any other, so each case has its own.
pub(crate) struct Random(u64);

impl Random {
    fn of_case(seed: u64, case: usize) -> Self {
        Self(seed.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ (case as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        (self.next() >> 33) as usize % limit
    }

    /// True once in so many times.
    pub(crate) fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    pub(crate) fn pick<'a, T: ?Sized>(&mut self, list: &[&'a T]) -> &'a T {
        list[self.below(list.len())]
    }

    /// One of the first two, and seldom one of the others, which are there to be refused.
    pub(crate) fn pick_good<'a>(&mut self, list: &[&'a str]) -> &'a str {
        let usual = if self.once_in(4) { list.len() } else { list.len().min(2) };
        list[self.below(usual)]
    }

    /// Each letter in either case.
    pub(crate) fn odd_case(&mut self, word: &str) -> String {
        let any = |c: char| if self.once_in(4) { c.to_ascii_uppercase() } else { c };
        word.chars().map(any).collect()
    }
}

enum Limit {
    Cases(usize),
    Until(Instant),
}

impl Limit {
    fn of_environment() -> Self {
        let Ok(text) = std::env::var("AISSH_FUZZ") else { return Self::Cases(CASES) };
        let wrong = "AISSH_FUZZ is a number of cases (20000) or of seconds (300s)";
        match text.strip_suffix('s') {
            Some(seconds) => Self::Until(Instant::now() + Duration::from_secs(seconds.parse().expect(wrong))),
            None => Self::Cases(text.parse().expect(wrong)),
        }
    }

    fn allows(&self, case: usize) -> bool {
        match *self {
            Self::Cases(count) => case < count,
            Self::Until(end) => Instant::now() < end,
        }
    }
}

/// Runs cases until there are enough, or one fails. Nothing when there is no ssh to compare with.
pub(crate) fn run<C: Case>() -> Option<Tally> {
    let Some(ssh) = Oracle::find_ssh() else {
        println!("skipped: there is no ssh in PATH to compare with");
        return None;
    };
    let seed = std::env::var("AISSH_FUZZ_SEED").map_or(SEED, |text| text.parse().expect("a number"));
    let limit = Limit::of_environment();
    let next = AtomicUsize::new(0);
    let results = Mutex::new((Tally::new(), None::<String>));
    let work = || {
        let oracle = Oracle::new(&ssh);
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if !limit.allows(number) || results.lock().unwrap().1.is_some() {
                return;
            }
            let case = C::generate(&mut Random::of_case(seed, number));
            let checked = case.check(&oracle);
            let failure = checked.as_ref().err().map(|_| least(case, &oracle));
            let (tally, failed) = &mut *results.lock().unwrap();
            match checked {
                Ok(kind) => *tally.entry(kind).or_default() += 1,
                Err(_) => *failed = failure.map(|text| format!("case {number} of seed {seed}: {text}")),
            }
            if number % PROGRESS == PROGRESS - 1 {
                println!("{} cases: {tally:?}", number + 1);
            }
        }
    };
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| (0..workers).for_each(|_| drop(scope.spawn(work))));
    let (tally, failure) = results.into_inner().unwrap();
    println!("seed {seed}, {} cases: {tally:?}", tally.values().sum::<usize>());
    assert!(failure.is_none(), "{}", failure.unwrap_or_default());
    Some(tally)
}

/// Takes away whatever can be taken away with a difference left, which may become another one.
fn least<C: Case>(mut case: C, oracle: &Oracle) -> String {
    let fails = |case: &C| case.check(oracle).err();
    while let Some(less) = case.smaller().into_iter().find(|less| fails(less).is_some()) {
        case = less;
    }
    let why = fails(&case).unwrap_or_else(|| "it does not fail again".into());
    format!("{why}\nin the least that fails: {case:?}")
}
