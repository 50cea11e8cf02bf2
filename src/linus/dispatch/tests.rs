use super::*;

type D = Dispatch<&'static str, &'static str>;

const QUICK: Duration = Duration::from_millis(10);

struct Bench {
    dispatch: D,
    now: Instant,
}

impl Bench {
    fn new() -> Self {
        Self { dispatch: D::new(), now: Instant::now() }
    }

    fn wait(&mut self, millis: u64) {
        self.now += Duration::from_millis(millis);
    }

    /// What is due, shortened to readable text.
    fn due(&mut self) -> Vec<String> {
        let effects = self.dispatch.due(self.now);
        let text = effects.into_iter().map(|effect| match effect {
            Effect::CancelBackground => "cancel".to_string(),
            Effect::Send { ticket, due, .. } => match due {
                Due::Chat { message, .. } => format!("{ticket} chat {message}"),
                Due::TerminalUpdate => format!("{ticket} update"),
                Due::Command(command) => format!("{ticket} command {command}"),
                Due::Session(event) => format!("{ticket} session {event}"),
                Due::Probe => format!("{ticket} probe"),
            },
        });
        text.collect()
    }

    /// Sends what is due, which must be one thing named `what`, and returns its ticket.
    fn sent(&mut self, what: &str) -> Ticket {
        let due = self.due();
        let [only] = due.as_slice() else { panic!("{due:?} is not one {what}") };
        let (ticket, rest) = only.split_once(' ').unwrap();
        assert_eq!(rest, what);
        ticket.parse().unwrap()
    }

    fn ok(&mut self, ticket: Ticket) -> Option<(u64, Fate)> {
        self.dispatch.reply(ticket, Ok(()), QUICK, self.now, 0.0)
    }

    fn fail(&mut self, ticket: Ticket, error: &CallError) -> Option<(u64, Fate)> {
        self.dispatch.reply(ticket, Err(error), QUICK, self.now, 0.0)
    }

    fn nothing(&mut self) {
        assert_eq!(self.due(), Vec::<String>::new());
    }

    fn go_offline(&mut self) {
        self.dispatch.session("up");
        let ticket = self.sent("session up");
        self.fail(ticket, &CallError::unreachable("refused"));
        assert!(matches!(self.dispatch.link(), Link::Offline { .. }));
    }
}

#[test]
fn updates_are_sent_a_second_after_the_first_output_and_coalesce_in_flight() {
    let mut b = Bench::new();
    b.dispatch.output(b.now);
    b.wait(999);
    b.dispatch.output(b.now);
    b.nothing();
    assert_eq!(b.dispatch.deadline(), Some(b.now + Duration::from_millis(1)));
    b.wait(1);
    let first = b.sent("update");
    for _ in 0..50 {
        b.wait(100);
        b.dispatch.output(b.now);
        b.nothing();
    }
    assert_eq!(b.dispatch.deadline(), None);
    b.ok(first);
    let second = b.sent("update");
    b.ok(second);
    b.wait(5000);
    b.nothing();
}

#[test]
fn continuous_output_is_reported_about_every_second_and_not_put_off_for_ever() {
    let mut b = Bench::new();
    let mut updates = 0;
    for _ in 0..100 {
        b.dispatch.output(b.now);
        b.wait(100);
        if !b.due().is_empty() {
            updates += 1;
            let ticket = b.dispatch.flight.as_ref().unwrap().0;
            b.ok(ticket);
        }
    }
    assert!((8..=10).contains(&updates), "{updates} updates in 10 s");
}

#[test]
fn commands_and_session_events_go_in_order_one_at_a_time_and_before_an_update() {
    let mut b = Bench::new();
    b.dispatch.output(b.now);
    b.wait(2000);
    b.dispatch.command("ls");
    b.dispatch.session("down");
    b.dispatch.command("df");
    for what in ["command ls", "session down", "command df", "update"] {
        let ticket = b.sent(what);
        b.nothing();
        b.ok(ticket);
    }
    b.nothing();
}

#[test]
fn a_due_command_takes_an_update_in_flight_back_and_the_update_follows_it() {
    let mut b = Bench::new();
    b.dispatch.output(b.now);
    b.wait(1000);
    let update = b.sent("update");
    b.dispatch.command("ls");
    assert_eq!(b.due(), ["cancel"]);
    b.nothing();
    b.fail(update, &CallError::Cancelled);
    let command = b.sent("command ls");
    b.ok(command);
    b.sent("update");
}

#[test]
fn a_command_in_flight_is_not_taken_back() {
    let mut b = Bench::new();
    b.dispatch.command("ls");
    b.sent("command ls");
    b.dispatch.command("df");
    b.nothing();
}

#[test]
fn chat_has_its_own_lane_in_order_and_never_waits_for_the_background() {
    let mut b = Bench::new();
    b.dispatch.command("ls");
    b.sent("command ls");
    b.dispatch.chat("one".into()).unwrap();
    b.dispatch.chat("two".into()).unwrap();
    let one = b.sent("chat one");
    b.nothing();
    assert_eq!(b.ok(one).map(|(_, fate)| fate), Some(Fate::Answered));
    b.sent("chat two");
}

#[test]
fn one_failed_connection_or_three_failures_open_the_breaker() {
    let mut b = Bench::new();
    assert_eq!(*b.dispatch.link(), Link::Connecting);
    b.go_offline();
    for error in [CallError::Timeout, CallError::Http(500), CallError::protocol("x"), CallError::lost("x")] {
        let mut b = Bench::new();
        for n in 1..=3 {
            b.dispatch.command("ls");
            let ticket = b.sent("command ls");
            b.fail(ticket, &error);
            assert_eq!(matches!(b.dispatch.link(), Link::Offline { .. }), n == 3, "{error:?} {n}");
        }
    }
}

#[test]
fn a_success_between_failures_and_a_tools_own_error_keep_the_breaker_closed() {
    let mut b = Bench::new();
    for n in 0..12 {
        b.dispatch.command("ls");
        let ticket = b.sent("command ls");
        match n % 3 {
            0 => b.ok(ticket),
            _ => b.fail(ticket, &CallError::Timeout),
        };
    }
    for _ in 0..5 {
        b.dispatch.command("ls");
        let ticket = b.sent("command ls");
        b.fail(ticket, &CallError::tool("no model"));
    }
    assert_eq!(*b.dispatch.link(), Link::Online { latency: QUICK });
}

#[test]
fn offline_keeps_chat_and_session_events_and_drops_the_rest() {
    let mut b = Bench::new();
    b.go_offline();
    b.dispatch.output(b.now);
    b.dispatch.command("ls");
    b.dispatch.chat("one".into()).unwrap();
    b.dispatch.chat("two".into()).unwrap();
    b.nothing();
    b.wait(1000);
    let probe = b.sent("probe");
    b.nothing();
    b.ok(probe);
    let due = b.due();
    assert!(due[0].ends_with("chat one") && due[1].ends_with("session up") && due.len() == 2, "{due:?}");
}

#[test]
fn the_backoff_doubles_to_a_minute_with_jitter_and_starts_again_after_a_call_that_worked() {
    let mut b = Bench::new();
    b.go_offline();
    let next_try = |b: &Bench| b.dispatch.deadline().unwrap() - b.now;
    assert_eq!(next_try(&b), Duration::from_secs(1));
    for seconds in [2, 4, 8, 16, 32, 60, 60] {
        b.now = b.dispatch.deadline().unwrap();
        let probe = b.sent("probe");
        assert_eq!(b.dispatch.deadline(), None);
        b.fail(probe, &CallError::unreachable("refused"));
        assert_eq!(next_try(&b), Duration::from_secs(seconds));
    }
    b.now = b.dispatch.deadline().unwrap();
    let probe = b.sent("probe");
    b.dispatch.reply(probe, Err(&CallError::Timeout), QUICK, b.now, 1.0);
    assert_eq!(next_try(&b), Duration::from_secs(75));
    b.dispatch.retry(b.now);
    let probe = b.sent("probe");
    b.ok(probe);
    let session = b.sent("session up");
    b.ok(session);
    b.go_offline();
    assert_eq!(next_try(&b), Duration::from_secs(1));
}

#[test]
fn a_server_that_only_answers_probes_is_asked_less_and_less() {
    let mut b = Bench::new();
    b.dispatch.chat("hi".into()).unwrap();
    let mut pauses = Vec::new();
    for _ in 0..5 {
        let chat = b.sent("chat hi");
        assert_eq!(b.fail(chat, &CallError::auth("x")).map(|(_, fate)| fate), Some(Fate::Queued));
        pauses.push((b.dispatch.deadline().unwrap() - b.now).as_secs());
        b.now = b.dispatch.deadline().unwrap();
        let probe = b.sent("probe");
        b.ok(probe);
    }
    assert_eq!(pauses, [1, 2, 4, 8, 16]);
}

#[test]
fn the_offline_state_says_since_when_and_why() {
    let mut b = Bench::new();
    let start = b.now;
    b.go_offline();
    b.wait(1000);
    let probe = b.sent("probe");
    b.fail(probe, &CallError::auth("x"));
    let Link::Offline { since, why, .. } = b.dispatch.link() else { panic!() };
    assert_eq!((*since, why.as_str()), (start, "x"));
}

#[test]
fn a_chat_that_never_left_is_sent_again_and_one_that_may_have_arrived_is_not() {
    let mut b = Bench::new();
    let first = b.dispatch.chat("one".into()).unwrap();
    let second = b.dispatch.chat("two".into()).unwrap();
    let chat = b.sent("chat one");
    assert_eq!(b.fail(chat, &CallError::unreachable("refused")), Some((first, Fate::Queued)));
    b.wait(1000);
    let probe = b.sent("probe");
    b.ok(probe);
    let chat = b.sent("chat one");
    assert_eq!(b.fail(chat, &CallError::lost("reset")), Some((first, Fate::PerhapsDelivered)));
    assert_eq!(b.dispatch.waiting_chats().collect::<Vec<_>>(), [(second, "two")]);
    // One failure right after a probe opens the breaker again.
    b.wait(2000);
    let probe = b.sent("probe");
    b.ok(probe);
    let chat = b.sent("chat two");
    assert_eq!(b.fail(chat, &CallError::tool("no model")), Some((second, Fate::Failed)));
    let third = b.dispatch.chat("three".into()).unwrap();
    let chat = b.sent("chat three");
    assert_eq!(b.fail(chat, &CallError::Cancelled), Some((third, Fate::Cancelled)));
    b.nothing();
}

#[test]
fn waiting_chat_is_bounded_and_the_oldest_are_kept() {
    let mut b = Bench::new();
    b.go_offline();
    for n in 0..CHATS_LIMIT {
        b.dispatch.chat(n.to_string()).unwrap();
    }
    assert_eq!(b.dispatch.chat("more".into()), Err(Refused::QueueFull));
    assert_eq!(b.dispatch.waiting_chats().next().map(|(_, m)| m), Some("0"));
    let first = b.dispatch.waiting_chats().next().unwrap().0;
    assert!(b.dispatch.withdraw(first) && !b.dispatch.withdraw(first));
    assert_eq!(b.dispatch.chat("x".repeat(CHAT_BYTES_LIMIT)), Err(Refused::TooLong));
    assert!(b.dispatch.chat("fits".into()).is_ok());
}

#[test]
fn waiting_events_are_bounded_and_the_oldest_command_gives_way() {
    let mut b = Bench::new();
    b.dispatch.session("up");
    for _ in 0..10 * EVENTS_LIMIT {
        b.dispatch.command("ls");
    }
    assert_eq!(b.dispatch.events.len(), EVENTS_LIMIT);
    b.sent("session up");
}

#[test]
fn a_call_that_hangs_while_offline_is_taken_back_for_the_probe() {
    let mut b = Bench::new();
    b.dispatch.command("ls");
    let hanging = b.sent("command ls");
    b.dispatch.chat("hi".into()).unwrap();
    let chat = b.sent("chat hi");
    b.fail(chat, &CallError::unreachable("refused"));
    b.wait(1000);
    assert_eq!(b.due(), ["cancel"]);
    b.nothing();
    assert_eq!(b.dispatch.deadline(), None);
    b.fail(hanging, &CallError::Cancelled);
    b.sent("probe");
}

#[test]
fn a_reply_that_nobody_waits_for_changes_nothing() {
    let mut b = Bench::new();
    assert_eq!(b.fail(999, &CallError::unreachable("x")), None);
    assert_eq!(*b.dispatch.link(), Link::Connecting);
}

#[test]
fn a_late_success_of_another_lane_brings_the_link_back() {
    let mut b = Bench::new();
    b.dispatch.chat("hi".into()).unwrap();
    let chat = b.sent("chat hi");
    b.go_offline();
    b.ok(chat);
    assert_eq!(*b.dispatch.link(), Link::Online { latency: QUICK });
    b.sent("session up");
}

#[test]
fn a_pause_takes_back_what_is_told_by_itself_and_lets_through_what_is_asked() {
    let mut b = Bench::new();
    b.dispatch.output(b.now);
    b.wait(1000);
    let update = b.sent("update");
    b.dispatch.command("ls");
    assert_eq!(b.dispatch.set_gate(Gate::Asked), Some(Effect::CancelBackground));
    assert_eq!(b.dispatch.set_gate(Gate::Asked), None);
    b.fail(update, &CallError::Cancelled);
    b.dispatch.output(b.now);
    b.dispatch.command("df");
    b.dispatch.session("up");
    b.wait(5000);
    b.nothing();
    assert_eq!(b.dispatch.deadline(), None);
    b.dispatch.chat("hi".into()).unwrap();
    let chat = b.sent("chat hi");
    b.ok(chat);
    b.dispatch.set_gate(Gate::Open);
    // What happened meanwhile stays untold, but for the session itself.
    let session = b.sent("session up");
    b.ok(session);
    b.nothing();
}

#[test]
fn a_shut_gate_lets_nothing_out_and_a_paused_one_looks_for_linus_only_for_a_question() {
    let mut b = Bench::new();
    b.dispatch.set_gate(Gate::Shut);
    b.dispatch.session("up");
    b.dispatch.chat("hi".into()).unwrap();
    b.dispatch.output(b.now);
    b.wait(60_000);
    b.nothing();
    assert_eq!(b.dispatch.deadline(), None);
    b.dispatch.set_gate(Gate::Asked);
    let chat = b.sent("chat hi");
    b.fail(chat, &CallError::unreachable("refused"));
    assert!(b.dispatch.deadline().is_some());
    let id = b.dispatch.waiting_chats().next().unwrap().0;
    assert!(b.dispatch.withdraw(id));
    b.wait(60_000);
    assert_eq!(b.dispatch.deadline(), None);
    b.nothing();
    b.dispatch.set_gate(Gate::Open);
    b.sent("probe");
}
