//! Random events, and a judge of its own: nothing is sent unless every condition held, from the word to the moment.

use super::*;

/// The low bits of a linear congruential generator are poor: the high ones are used.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }

    /// True once in `n` times.
    fn one_in(&mut self, n: u64) -> bool {
        self.roll(n) == 0
    }
}

/// What the judge knows, from the calls alone.
#[derive(Default)]
struct Judge {
    on: bool,
    /// The card announced since the last break, and when it was drawn.
    shown: Option<(Send, Option<Instant>)>,
    under_way: Option<String>,
    chain: Vec<String>,
    failures: u8,
    tainted: bool,
    sends: usize,
}

const COMMANDS: [&str; 12] = [
    "df -h",
    "df  -h",
    "uptime",
    "free -m",
    "ls -la /x",
    "ls /x -al",
    "head -n 1 f",
    "head -n 2 f",
    "id",
    "ps aux",
    "who",
    "w",
];

fn scene(dice: &mut Dice) -> Scene<'static> {
    const RARE: u64 = 60;
    let text = COMMANDS[dice.roll(12) as usize / (1 + dice.roll(3) as usize)];
    let states =
        [State::Running, State::Running, State::Unknown, State::Secret, State::Waiting, State::Program];
    let mut card = card(if dice.one_in(9) { "c2" } else { "c1" }, text);
    card.level = if dice.one_in(RARE) { Risk::Medium } else { Risk::Low };
    card.edited = dice.one_in(RARE);
    card.holes = dice.one_in(RARE);
    card.refused = dice.one_in(RARE).then_some("refused");
    card.sender = if dice.one_in(RARE) { Sender::Other("bot") } else { Sender::Linus };
    Scene {
        shown: !dice.one_in(RARE),
        line: if dice.one_in(RARE) { Line::Local } else { Line::Remote },
        state: if dice.one_in(12) { states[dice.roll(6) as usize] } else { State::AtPrompt },
        trusted: !dice.one_in(RARE),
        line_taken: dice.one_in(RARE),
        changed: dice.one_in(RARE).then(|| "moved".into()),
        user_is_busy: dice.one_in(20),
        linus: [Linus::Ready, Linus::Busy, Linus::Offline]
            [if dice.one_in(RARE) { 2 } else { usize::from(dice.one_in(15)) }],
        card: (!dice.one_in(15)).then_some(card),
    }
}

fn holds(scene: &Scene<'_>) -> bool {
    scene.shown
        && scene.line == Line::Remote
        && scene.state == State::AtPrompt
        && scene.trusted
        && !scene.line_taken
        && scene.changed.is_none()
        && !scene.user_is_busy
        && scene.linus == Linus::Ready
}

impl Judge {
    fn off(&mut self) {
        *self = Self { sends: self.sends, ..Self::default() };
    }

    /// Before the policy looks.
    fn look(&mut self, scene: &Scene<'_>) {
        let next = scene.card.as_ref().map(|c| Send { id: c.id.into(), text: c.text.into() });
        let same = self.shown.as_ref().map(|(send, _)| send) == next.as_ref();
        if self.under_way.is_none() && !(holds(scene) && same) {
            self.shown = next.filter(|_| holds(scene)).map(|send| (send, None));
        }
    }

    fn sent(&mut self, send: &Send, scene: &Scene<'_>, limit: u8, now: Instant) {
        assert!(self.on, "it was not on");
        assert!(holds(scene) && !self.tainted, "{scene:?}");
        let card = scene.card.as_ref().expect("a card");
        assert_eq!((card.id, card.text), (send.id.as_str(), send.text.as_str()));
        assert!(card.level == Risk::Low && card.sender == Sender::Linus && card.refused.is_none());
        assert!(!card.edited && !card.holes && !card.text.contains('\n'));
        let drawn = self.shown.take().and_then(|(shown, drawn)| drawn.filter(|_| shown == *send));
        assert!(drawn.is_some_and(|at| now >= at + MOMENT), "it was not seen for a moment");
        assert_eq!(self.under_way, None, "one after the other");
        assert!(
            !self.chain.contains(&send.text) && self.chain.len() < usize::from(limit) && self.failures < 3
        );
        self.chain.push(send.text.clone());
        self.under_way = Some(send.id.clone());
        self.sends += 1;
    }
}

/// One session of random events; the value is how often something was sent.
fn session(seed: u64) -> usize {
    let limit = ChainLimit(4);
    let (mut dice, mut judge) = (Dice(seed), Judge::default());
    let (mut policy, mut now) = (Policy::new(StartMode::Confirm, limit), Instant::now());
    // A scene lasts for a while, as scenes do.
    let mut current = scene(&mut dice);
    for _ in 0..400 {
        now += Duration::from_millis(dice.roll(900));
        match dice.roll(24) {
            0 if !policy.is_auto() => {
                let word = ["auto", "yes", "no", ""][dice.roll(4) as usize];
                if policy.turn_on(word, &current, "", &nonce(), now).is_ok() {
                    assert!(
                        WORDS.contains(&word)
                            && holds(&Scene { user_is_busy: false, linus: Linus::Ready, ..current.clone() })
                    );
                    judge.off();
                    judge.on = true;
                }
            }
            1 if dice.one_in(8) => drop(policy.stop(Stop::User)),
            2 if dice.one_in(8) => policy.choose(StartMode::Suggest),
            3 if dice.one_in(6) => drop(policy.key()),
            4 => {
                policy.asked(now);
                (judge.chain, judge.failures, judge.shown) = (Vec::new(), 0, None);
            }
            5 if dice.one_in(6) && policy.is_auto() => {
                policy.output(b"x\r\n\x1b[8mhidden\x1b[0m");
                judge.tainted = true;
            }
            6 => policy.output(b"plain text\r\n"),
            7..=9 => {
                let id = ["c1", "c2"][dice.roll(2) as usize];
                let evidence = if dice.one_in(12) { Evidence::Mark } else { Evidence::Trusted };
                let code = i32::from(dice.one_in(3));
                policy.ended(id, Some(ExitStatus { code, evidence }), now);
                if judge.under_way.as_deref() == Some(id) {
                    judge.under_way = None;
                    judge.failures = if code == 0 { 0 } else { judge.failures + 1 };
                }
            }
            10 if dice.one_in(8) => policy.prompt(),
            11..=13 => {
                policy.drawn(now);
                if let Some((_, drawn)) = &mut judge.shown {
                    drawn.get_or_insert(now);
                }
            }
            14 | 15 => current = scene(&mut dice),
            _ => {
                judge.look(&current);
                if let Some(send) = policy.step(&current, now) {
                    judge.sent(&send, &current, limit.0, now);
                }
            }
        }
        if !policy.is_auto() {
            judge.off();
        }
    }
    judge.sends
}

#[test]
fn random_events_send_nothing_unless_every_condition_held() {
    let sends: usize = (0..1200).map(session).sum();
    assert!(sends > 300, "{sends}: the test must see sends, or it tests nothing");
}

#[test]
fn without_the_word_nothing_is_ever_sent() {
    for seed in 0..200 {
        let mut dice = Dice(seed);
        let (mut policy, mut now) = (Policy::new(StartMode::Confirm, CHAIN_LIMIT), Instant::now());
        for _ in 0..200 {
            now += Duration::from_millis(dice.roll(3000));
            policy.drawn(now);
            policy.asked(now);
            policy.output(b"\x1b]133;A\x07$ ");
            policy.ended("c1", None, now);
            assert_eq!(policy.step(&scene(&mut dice), now), None);
        }
    }
}
