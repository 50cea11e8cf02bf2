use super::*;

struct Clock(Instant);

impl Clock {
    fn start() -> Self {
        Self(Instant::now())
    }

    fn at(&self, millis: u64) -> Instant {
        self.0 + Duration::from_millis(millis)
    }
}

fn outputs(batch: &Batch) -> Vec<usize> {
    let len = |(_, item): &(Instant, Item)| match item {
        Item::Output(len) => Some(*len),
        Item::Act(_) => None,
    };
    batch.items.iter().filter_map(len).collect()
}

#[test]
fn what_comes_is_handed_over_once_in_a_while_with_its_times() {
    let (clock, mut backlog) = (Clock::start(), Backlog::new());
    assert_eq!(backlog.deadline(), None);
    backlog.act(Act::Typed(Typed::Text), clock.at(0));
    backlog.output(b"l", clock.at(3));
    backlog.output(b"s", clock.at(4));
    backlog.act(Act::Typed(Typed::Enter), clock.at(9));
    assert_eq!(backlog.deadline(), Some(clock.at(20)));
    assert!(!backlog.is_due(clock.at(19)) && backlog.is_due(clock.at(20)));
    let batch = backlog.take(&Modes::new());
    assert_eq!(batch.bytes, b"ls");
    let text = (clock.at(0), Item::Act(Act::Typed(Typed::Text)));
    let enter = (clock.at(9), Item::Act(Act::Typed(Typed::Enter)));
    assert_eq!(batch.items, [text, (clock.at(3), Item::Output(2)), enter]);
    assert!(batch.gap.is_none() && backlog.deadline().is_none());
}

#[test]
fn an_answer_is_not_waited_for() {
    let (clock, mut backlog) = (Clock::start(), Backlog::new());
    backlog.act(Act::Snapshot { ticket: 1, since: 0 }, clock.at(5));
    assert_eq!(backlog.deadline(), Some(clock.at(5)));
    assert!(backlog.is_due(clock.at(5)));
}

#[test]
fn a_floods_begin_is_seen_and_then_it_is_left_alone_until_it_pauses() {
    let (clock, mut backlog, modes) = (Clock::start(), Backlog::new(), Modes::new());
    let chunk = vec![b'x'; FLOOD];
    backlog.output(&chunk, clock.at(0));
    assert!(backlog.is_due(clock.at(0)), "the begin");
    backlog.take(&modes);
    for millis in 1..500 {
        backlog.output(&chunk, clock.at(millis));
        assert!(!backlog.is_due(clock.at(millis)), "at {millis} ms");
    }
    backlog.output(b"$ ", clock.at(510));
    assert!(!backlog.is_due(clock.at(510)), "less, but the window is not over");
    assert!(!backlog.is_due(clock.at(520)), "a window that began in the flood");
    assert!(backlog.is_due(backlog.deadline().expect("a deadline")), "a window without it");
    let batch = backlog.take(&modes);
    assert!(batch.gap.is_some() && batch.bytes.ends_with(b"x$ "));
    assert!((RING..=2 * RING + 2).contains(&batch.bytes.len()));
    assert_eq!(outputs(&batch), [batch.bytes.len()]);
}

#[test]
fn a_flood_is_looked_at_once_a_second() {
    let (clock, mut backlog, modes) = (Clock::start(), Backlog::new(), Modes::new());
    let chunk = vec![b'x'; FLOOD];
    let mut looks = 0;
    for millis in (0..10_000).step_by(5) {
        backlog.output(&chunk, clock.at(millis));
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
        backlog.output(&[b'y'; 4096], clock.at(n));
        backlog.act(Act::Typed(if n % 2 == 0 { Typed::Enter } else { Typed::Text }), clock.at(n));
        backlog.act(Act::Resize(Size::new(80, 24)), clock.at(n));
    }
    assert!(backlog.bytes.len() <= 2 * RING + 4096 && backlog.bytes.capacity() <= 4 * RING);
    assert!(backlog.items.len() <= 4 * ITEMS, "{}", backlog.items.len());
    backlog.act(Act::Typed(Typed::LocalSecret(true)), clock.at(5_000));
    let secret = Item::Act(Act::Typed(Typed::LocalSecret(true)));
    assert_eq!(backlog.items.last(), Some(&(clock.at(5_000), secret)), "which is never dropped");
}

#[test]
fn after_a_gap_the_last_size_counts_and_snapshots_see_all() {
    let (clock, mut backlog, modes) = (Clock::start(), Backlog::new(), Modes::new());
    backlog.output(b"\x1b]133;D;3\x07", clock.at(0));
    backlog.act(Act::Resize(Size::new(80, 24)), clock.at(1));
    backlog.act(Act::Snapshot { ticket: 7, since: 0 }, clock.at(1));
    backlog.act(Act::Resize(Size::new(90, 24)), clock.at(2));
    backlog.output(&vec![b'x'; 3 * RING], clock.at(3));
    let batch = backlog.take(&modes);
    let kinds: Vec<Item> = batch.items.iter().map(|(_, item)| *item).collect();
    let (size, snapshot) = (Act::Resize(Size::new(90, 24)), Act::Snapshot { ticket: 7, since: 0 });
    assert_eq!(kinds, [Item::Act(size), Item::Output(RING), Item::Act(snapshot)]);
    assert_eq!(batch.skimmed.marks().collect::<Vec<_>>(), [&b"133;D;3"[..]]);
}

#[test]
fn what_found_no_room_is_offered_again_with_what_came_since() {
    let (clock, mut backlog, modes) = (Clock::start(), Backlog::new(), Modes::new());
    backlog.output(b"one", clock.at(0));
    assert!(backlog.is_due(clock.at(20)));
    let batch = backlog.take(&modes);
    backlog.put_back(batch, clock.at(20));
    backlog.output(b"two", clock.at(21));
    assert!(!backlog.is_due(clock.at(39)), "not at once: that would spin");
    assert_eq!(backlog.deadline(), Some(clock.at(40)));
    assert!(backlog.is_due(clock.at(40)));
    let batch = backlog.take(&modes);
    assert_eq!((batch.bytes.as_slice(), outputs(&batch).as_slice()), (&b"onetwo"[..], &[6][..]));
}
