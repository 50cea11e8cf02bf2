use super::super::ring::RING;
use super::super::thread::apply;
use super::*;
use crate::shell::{Observer, ShellEvent, State};

struct Clock(Instant);

impl Clock {
    fn start() -> Self {
        Self(Instant::now())
    }

    fn at(&self, millis: u64) -> Instant {
        self.0 + Duration::from_millis(millis)
    }
}

/// No modes are set anywhere here.
fn print(backlog: &mut Backlog, bytes: &[u8], now: Instant) {
    backlog.output(bytes, &Modes::new(), now);
}

fn outputs(batch: &Batch) -> Vec<usize> {
    let len = |(_, item): &(Instant, Item)| match item {
        Item::Output { len, .. } => Some(*len),
        Item::Act(_) => None,
    };
    batch.items.iter().filter_map(len).collect()
}

#[test]
fn what_comes_is_handed_over_once_in_a_while_with_its_times() {
    let (clock, mut backlog) = (Clock::start(), Backlog::new());
    assert_eq!(backlog.deadline(), None);
    backlog.act(Act::Typed(Typed::Text), clock.at(0));
    print(&mut backlog, b"l", clock.at(3));
    print(&mut backlog, b"s", clock.at(4));
    backlog.act(Act::Typed(Typed::Enter), clock.at(9));
    assert_eq!(backlog.deadline(), Some(clock.at(20)));
    assert!(!backlog.is_due(clock.at(19)) && backlog.is_due(clock.at(20)));
    let batch = backlog.take(&Modes::new());
    assert_eq!(batch.ring.bytes(), b"ls");
    let text = (clock.at(0), Item::Act(Act::Typed(Typed::Text)));
    let enter = (clock.at(9), Item::Act(Act::Typed(Typed::Enter)));
    assert_eq!(batch.items, [text, (clock.at(3), Item::Output { len: 2, until: clock.at(4) }), enter]);
    assert!(batch.ring.gap().is_none() && backlog.deadline().is_none());
}

#[test]
fn keys_that_are_echoed_at_once_are_one() {
    let (clock, mut backlog) = (Clock::start(), Backlog::new());
    for millis in 0..30 {
        backlog.act(Act::Typed(Typed::Text), clock.at(millis));
        print(&mut backlog, b"x", clock.at(millis));
    }
    backlog.act(Act::Typed(Typed::Enter), clock.at(30));
    let batch = backlog.take(&Modes::new());
    let kinds: Vec<_> = batch.items.iter().map(|(when, item)| (*when, *item)).collect();
    let (text, enter) = (Item::Act(Act::Typed(Typed::Text)), Item::Act(Act::Typed(Typed::Enter)));
    let output = |len, until| Item::Output { len, until: clock.at(until) };
    let first = [(clock.at(0), text), (clock.at(0), output(20, 19))];
    let second = [(clock.at(20), text), (clock.at(20), output(10, 29)), (clock.at(30), enter)];
    assert_eq!(kinds, [&first[..], &second[..]].concat());
}

#[test]
fn an_answer_is_not_waited_for() {
    let (clock, mut backlog) = (Clock::start(), Backlog::new());
    backlog.act(Act::Snapshot { ticket: 1, since: Since::default() }, clock.at(5));
    assert_eq!(backlog.deadline(), Some(clock.at(5)));
    assert!(backlog.is_due(clock.at(5)));
}

#[test]
fn a_floods_begin_is_seen_and_then_it_is_left_alone_until_it_pauses() {
    let (clock, mut backlog, modes) = (Clock::start(), Backlog::new(), Modes::new());
    let chunk = vec![b'x'; FLOOD];
    print(&mut backlog, &chunk, clock.at(0));
    assert!(backlog.is_due(clock.at(0)), "the begin");
    backlog.take(&modes);
    for millis in 1..500 {
        print(&mut backlog, &chunk, clock.at(millis));
        assert!(!backlog.is_due(clock.at(millis)), "at {millis} ms");
    }
    print(&mut backlog, b"$ ", clock.at(510));
    assert!(!backlog.is_due(clock.at(510)), "less, but the window is not over");
    assert!(!backlog.is_due(clock.at(520)), "a window that began in the flood");
    assert!(backlog.is_due(backlog.deadline().expect("a deadline")), "a window without it");
    let batch = backlog.take(&modes);
    assert!(batch.ring.gap().is_some() && batch.ring.bytes().ends_with(b"x$ "));
    assert!((RING..=2 * RING + FLOOD).contains(&batch.ring.bytes().len()));
    assert_eq!(outputs(&batch), [batch.ring.bytes().len()]);
}

#[test]
fn a_flood_is_looked_at_once_a_second() {
    let (clock, mut backlog, modes) = (Clock::start(), Backlog::new(), Modes::new());
    let chunk = vec![b'x'; FLOOD];
    let mut looks = 0;
    for millis in (0..10_000).step_by(5) {
        print(&mut backlog, &chunk, clock.at(millis));
        if backlog.is_due(clock.at(millis)) {
            backlog.take(&modes);
            looks += 1;
        }
    }
    assert!((10..=11).contains(&looks), "{looks}");
}

#[test]
fn memory_is_bounded_whatever_comes() {
    let (clock, mut backlog) = (Clock::start(), Backlog::new());
    for n in 0..5_000u64 {
        print(&mut backlog, &[b'y'; 4096], clock.at(n));
        backlog.act(Act::Typed(if n % 2 == 0 { Typed::Enter } else { Typed::Text }), clock.at(n));
        backlog.act(Act::Resize(Size::new(80, 24)), clock.at(n));
    }
    assert!(backlog.ring.bytes().len() <= WHOLE + 4096);
    assert!(backlog.items.len() <= 4 * ITEMS, "{}", backlog.items.len());
    backlog.act(Act::Typed(Typed::LocalSecret(true)), clock.at(5_000));
    let secret = Item::Act(Act::Typed(Typed::LocalSecret(true)));
    assert_eq!(backlog.items.last(), Some(&(clock.at(5_000), secret)), "which is never dropped");
}

#[test]
fn after_a_gap_the_last_size_counts_and_snapshots_see_all() {
    let (clock, mut backlog, modes) = (Clock::start(), Backlog::new(), Modes::new());
    print(&mut backlog, b"\x1b]133;D;3\x07", clock.at(0));
    backlog.act(Act::Resize(Size::new(80, 24)), clock.at(1));
    backlog.act(Act::Snapshot { ticket: 7, since: Since::default() }, clock.at(1));
    backlog.act(Act::Resize(Size::new(90, 24)), clock.at(2));
    for _ in 0..32 {
        print(&mut backlog, &vec![b'x'; WHOLE / 16], clock.at(3));
    }
    let batch = backlog.take(&modes);
    let kinds: Vec<Item> = batch.items.iter().map(|(_, item)| *item).collect();
    let (size, snapshot) =
        (Act::Resize(Size::new(90, 24)), Act::Snapshot { ticket: 7, since: Since::default() });
    let [Item::Act(first), Item::Output { .. }, Item::Act(last)] = kinds[..] else { panic!("{kinds:?}") };
    assert_eq!((first, last), (size, snapshot));
    let (skimmed, _) = batch.ring.gap().expect("a gap");
    assert_eq!(skimmed.marks().collect::<Vec<_>>(), [&b"133;D;3"[..]]);
}

#[test]
fn what_found_no_room_is_offered_again_with_what_came_since() {
    let (clock, mut backlog, modes) = (Clock::start(), Backlog::new(), Modes::new());
    print(&mut backlog, b"one", clock.at(0));
    assert!(backlog.is_due(clock.at(20)));
    let batch = backlog.take(&modes);
    backlog.put_back(batch, clock.at(20));
    print(&mut backlog, b"two", clock.at(21));
    assert!(!backlog.is_due(clock.at(39)), "not at once: that would spin");
    assert_eq!(backlog.deadline(), Some(clock.at(40)));
    assert!(backlog.is_due(clock.at(40)));
    let batch = backlog.take(&modes);
    assert_eq!(
        (batch.ring.bytes(), outputs(&batch).as_slice()),
        (&b"onetwo"[..], &[3, 3][..]),
        "with the pause"
    );
}

/// What an observer says that is given a flood by the backlog, a chunk a millisecond.
fn flood(chunks: impl Iterator<Item = Vec<u8>>) -> (Observer, Vec<ShellEvent>, usize) {
    let (clock, mut backlog, mut modes) = (Clock::start(), Backlog::new(), Modes::new());
    let mut observer = Observer::new(Size::new(80, 24));
    let (mut events, mut gaps) = (Vec::new(), 0);
    let mut chunks = chunks.fuse();
    // 200 ms of silence at the end.
    let mut silence = 200;
    for millis in 0.. {
        match chunks.next() {
            Some(chunk) => {
                modes.feed(&chunk);
                backlog.output(&chunk, &modes, clock.at(millis));
            }
            None if silence == 0 => break,
            None => silence -= 1,
        }
        if backlog.is_due(clock.at(millis)) {
            let batch = backlog.take(&modes);
            gaps += usize::from(batch.ring.gap().is_some());
            apply(&mut observer, &batch);
            events.extend(observer.take_events().into_iter().filter(|event| *event != ShellEvent::Output));
        }
        if backlog.is_empty() && observer.deadline().is_some_and(|at| at <= clock.at(millis)) {
            observer.tick(clock.at(millis));
        }
    }
    events.extend(observer.take_events().into_iter().filter(|event| *event != ShellEvent::Output));
    (observer, events, gaps)
}

#[test]
fn output_does_not_settle_in_the_middle_of_a_flood() {
    // Each read ends in what looks like a prompt.
    let text = b"the price of it is 5$\r\n".repeat(700);
    let (end, begin) = (text[..text.len() - 2].to_vec(), [b"\r\n", &text[..text.len() - 2]].concat());
    let chunks = std::iter::once(end).chain(std::iter::repeat_n(begin, 3_500));
    let (_, events, gaps) = flood(chunks.chain([b"\r\nmore\r\n".to_vec()]));
    assert!(gaps >= 3, "{gaps}");
    assert_eq!(events, []);
}

#[test]
fn a_full_screen_flood_ends_at_the_prompt_behind_it() {
    let frame = format!("\x1b[H{}", "\x1b[31m#".repeat(2_000)).into_bytes();
    let begin =
        [&b"old text\r\n\x1b[?2004hjoe@web1:~$ "[..], b"\x1b[?2004l\r\n\x1b[?1049h"].map(<[u8]>::to_vec);
    let end = [&b"\x1b[?1049l"[..], b"\x1b[?2004hjoe@web1:~$ "].map(<[u8]>::to_vec);
    let (observer, _, gaps) = flood(begin.into_iter().chain(std::iter::repeat_n(frame, 2_000)).chain(end));
    assert!(gaps >= 1, "{gaps}");
    assert_eq!((observer.state(), observer.emulator().is_alternate()), (State::AtPrompt, false));
    assert!(observer.emulator().screen().contents().starts_with("old text\njoe@web1:~$ "));
}
