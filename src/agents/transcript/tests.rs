use super::*;

/// A generator of its own (xorshift): seeds name the cases.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % n
    }
}

fn redactor() -> Redactor {
    Redactor::new(crate::linus::redact::Options::default())
}

const KEY: &str = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW\nQyNTUxOQAAACDRvaVb0Ttw1uNyTfCkLnUsHe0Um5aKXQ0d0YpT2DNI1QAAAJj4i3YY+It2\n-----END OPENSSH PRIVATE KEY-----\n";
const TOKEN: &str = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";

/// All pages from a position on, put together.
fn paged(transcript: &Transcript, from: u64, limit: u64, redactor: &mut Redactor, raw: bool) -> String {
    let (mut at, mut text) = (from, String::new());
    loop {
        let want = Want { from: Some(at), limit: Some(limit), since: None };
        let page =
            if raw { transcript.raw(want, redactor) } else { transcript.clean(want, redactor).map(|p| p.0) };
        let page = page.expect("redacted");
        text.push_str(&page.text);
        if !page.has_more() {
            return text;
        }
        assert!(page.end > at, "it goes on");
        at = page.end;
    }
}

#[test]
fn pages_of_any_size_are_the_same_text_and_never_a_secret() {
    let mut transcript = Transcript::default();
    let shown = format!("$ env\nGH_TOKEN={TOKEN}\ngrößer 😀\n{KEY}done {TOKEN}\n$ ");
    transcript.push(shown.replace('\n', "\r\n").as_bytes());
    for raw in [false, true] {
        let whole = paged(&transcript, 0, u64::MAX, &mut redactor(), raw);
        assert!(whole.contains("größer 😀") && whole.contains("‹github-token-1›"), "{whole}");
        for limit in (1..8).chain([13, 40, 97, 1000]) {
            let pages = paged(&transcript, 0, limit, &mut redactor(), raw);
            assert_eq!(pages, whole, "{raw} {limit}");
            for secret in [TOKEN, &TOKEN[8..30], "b3BlbnNzaC1rZXk", "QyNTUxOQAAACDRvaVb0"] {
                assert!(!pages.contains(secret), "{raw} {limit}: {secret}");
            }
        }
    }
}

#[test]
fn positions_hold_while_output_is_appended_and_evicted() {
    for seed in 1..=6 {
        let mut random = Random(seed * 0x9e37_79b9);
        let (mut transcript, mut redactor) = (Transcript::default(), redactor());
        let (mut number, mut cursor, mut missed_at) = (0u64, 0u64, 0u64);
        for _ in 0..40 {
            for _ in 0..random.below(400) {
                let filler = "x".repeat(random.below(200) as usize);
                transcript.push(format!("line {number} {filler}\r\n").as_bytes());
                number += 1;
            }
            let limit = random.below(1200);
            let want = Want { since: Some(cursor), limit: Some(limit), from: None };
            let (page, _) = transcript.clean(want, &mut redactor).expect("redacted");
            assert_eq!(page.missed, page.start - cursor, "seed {seed}");
            missed_at += page.missed;
            for (at, line) in page.text.lines().enumerate() {
                let wanted = format!("line {} ", page.start + at as u64);
                assert!(format!("{line} ").starts_with(&wanted), "seed {seed}: {line} is not {wanted}");
            }
            assert_eq!(page.text.lines().count() as u64, page.end - page.start, "seed {seed}");
            assert!(page.total == number && page.text.len() <= PAGE + 200, "seed {seed}");
            cursor = page.end;
        }
        assert!(transcript.bytes <= RETAINED && transcript.raw.bytes.len() <= 2 * RETAINED, "seed {seed}");
        assert!(cursor <= number && missed_at <= number);
    }
}

#[test]
fn what_is_beyond_the_end_or_before_the_oldest_is_told() {
    let (mut transcript, mut redactor) = (Transcript::default(), redactor());
    (0..15_000).for_each(|n| transcript.push(format!("{n}\n").as_bytes()));
    let of = |since, redactor: &mut Redactor| {
        transcript.clean(Want { since: Some(since), ..Want::default() }, redactor).expect("redacted").0
    };
    let old = of(0, &mut redactor);
    assert_eq!((old.oldest, old.missed, old.start, old.end), (5000, 5000, 5000, 5200));
    let future = of(99_999, &mut redactor);
    assert_eq!((future.text.as_str(), future.end, future.has_more()), ("", 15_000, false));
    let (tail, current) = transcript.clean(Want::default(), &mut redactor).expect("redacted");
    assert!(tail.text.ends_with("\n14999\n") && tail.truncated && current.is_empty());
}

#[test]
fn the_rest_of_an_evicted_key_stays_hidden() {
    let (mut transcript, mut redactor) = (Transcript::default(), redactor());
    transcript.push(KEY.as_bytes());
    let filler = format!("{}\n", "filler ".repeat(20));
    while transcript.first < 2 {
        transcript.push(filler.as_bytes());
    }
    for raw in [false, true] {
        let text = paged(&transcript, 0, u64::MAX, &mut redactor, raw);
        assert!(!text.contains("QyNTUxOQAAACDRvaVb0"), "{raw}: {}", &text[..300]);
    }
}

#[test]
fn what_nobody_kept_is_missed_like_what_was_evicted() {
    let (mut transcript, mut redactor) = (Transcript::default(), redactor());
    transcript.push(b"before\nhalf");
    transcript.lost(1_000_000, 20);
    transcript.push(b"after\n");
    let want = Want { since: Some(1), ..Want::default() };
    let (page, _) = transcript.clean(want, &mut redactor).expect("redacted");
    assert_eq!((page.text.as_str(), page.start, page.missed), ("after\n", 21, 20));
    let raw = transcript.raw(Want { from: Some(0), ..Want::default() }, &mut redactor).expect("redacted");
    assert_eq!((raw.text.as_str(), raw.start, raw.missed), ("after\n", 1_000_011, 1_000_011));
}
