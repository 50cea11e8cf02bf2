//! Every runbook against its cases: `cases/NAME.toml` and the outputs in `tests/fixtures/runbooks/NAME`, read from the
//! source tree when the test runs, so that a runbook can be written without compiling anything.
//!
//! A fixture begins with lines of `# key: value` up to a line that is only `#`: `command`, `exit`, `tool` (with its
//! version) and `origin`, which begins with "recorded" or with "from documentation".

use super::story::{Story, said};
use aissh::ask::request;
use aissh::builtin::{Builtin, check};
use aissh::copilot::risk::{Syntax, assess};
use aissh::linus::contract::{Risk, StepStatus};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

/// Runbooks whose every positive case is real output; the issue asks for 40.
const REAL: usize = 40;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    case: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    kind: Kind,
    name: String,
    ask: String,
    /// A fixture that is piped into `--ask`; there is no session then.
    pipe: Option<String>,
    /// Text that is piped, written for the case.
    piped: Option<String>,
    /// Fixtures that the terminal shows before the question.
    #[serde(default)]
    screen: Vec<String>,
    #[serde(default = "root")]
    user: String,
    /// The prompt of a device, whose dialect its banner shows.
    device: Option<String>,
    /// The exit status of the command before the question.
    last_exit: Option<i32>,
    #[serde(flatten)]
    wanted: Wanted,
    #[serde(default)]
    show: Vec<Show>,
}

#[derive(Deserialize, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Positive,
    Negative,
    Misleading,
}

/// A command's end: a fixture, or text that was written for the case.
#[derive(Deserialize)]
struct Show {
    run: Option<String>,
    /// The fixture's command must be a card's, to the letter.
    #[serde(default)]
    card: bool,
    command: Option<String>,
    #[serde(default)]
    output: String,
    exit: Option<i32>,
    /// A question instead of a command.
    ask: Option<String>,
    #[serde(flatten)]
    wanted: Wanted,
}

/// What must be so afterwards.
#[derive(Deserialize, Default)]
struct Wanted {
    #[serde(default)]
    says: Vec<String>,
    #[serde(default)]
    silent: Vec<String>,
    /// Beginnings of commands.
    #[serde(default)]
    cards: Vec<String>,
    #[serde(default)]
    no_cards: Vec<String>,
    /// Parts of steps' texts.
    #[serde(default)]
    done: Vec<String>,
    #[serde(default)]
    open: Vec<String>,
    /// The plan is finished: every step done, no card left.
    #[serde(default)]
    closed: bool,
}

fn root() -> String {
    "root".into()
}

struct Fixture {
    command: String,
    exit: Option<i32>,
    tool: String,
    is_real: bool,
    output: String,
}

fn path(below: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(below)
}

fn read(path: &PathBuf) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn fixture(runbook: &str, name: &str) -> Fixture {
    // `other/name` is a fixture of another runbook's.
    let (runbook, name) = name.split_once('/').unwrap_or((runbook, name));
    let path = path(&format!("tests/fixtures/runbooks/{runbook}/{name}.txt"));
    let text = read(&path);
    let (header, output) = text.split_once("#\n").unwrap_or_else(|| panic!("{}: no header", path.display()));
    let field = |key: &str| {
        let line = header.lines().find_map(|l| l.strip_prefix(&format!("# {key}: ")));
        line.unwrap_or_else(|| panic!("{}: its header has no `{key}`", path.display())).to_owned()
    };
    let origin = field("origin");
    assert!(field("tool").contains(|c: char| c.is_ascii_digit()), "{}: no version", path.display());
    let is_real = origin.starts_with("recorded");
    assert!(is_real || origin.starts_with("from documentation"), "{}: {origin}", path.display());
    Fixture {
        command: field("command"),
        exit: field("exit").parse().ok(),
        tool: field("tool"),
        is_real,
        output: output.to_owned(),
    }
}

/// Every recorded output below `tests/fixtures/runbooks`, as `runbook/name`.
pub(crate) fn recorded() -> Vec<(String, String)> {
    let mut found = Vec::new();
    let folders = std::fs::read_dir(path("tests/fixtures/runbooks")).expect("fixtures").flatten();
    for folder in folders.filter(|f| f.path().is_dir()) {
        let runbook = folder.file_name().to_string_lossy().into_owned();
        for file in std::fs::read_dir(folder.path()).expect("a folder").flatten() {
            let name = file.path().file_stem().expect("a name").to_string_lossy().into_owned();
            found.push((format!("{runbook}/{name}"), fixture(&runbook, &name).output));
        }
    }
    found.sort();
    found
}

/// The runbooks of the source tree by name, with their texts.
fn runbooks() -> BTreeMap<String, String> {
    let folder = path("src/builtin/runbooks");
    let entries = std::fs::read_dir(&folder).expect("the folder of runbooks").filter_map(Result::ok);
    let files = entries.map(|e| e.path()).filter(|p| p.extension().is_some_and(|e| e == "toml"));
    files.map(|p| (p.file_stem().expect("a name").to_string_lossy().into_owned(), read(&p))).collect()
}

/// What a case has come to know on its way: for the invariants that hold for all of them.
struct Run<'a> {
    runbook: &'a str,
    story: Story,
    shown: String,
    is_device: bool,
}

impl Run<'_> {
    fn expect(&self, answer: &str, wanted: &Wanted) {
        let Self { story, .. } = self;
        for text in &wanted.says {
            assert!(answer.contains(text.as_str()), "does not say `{text}`:\n{answer}");
        }
        for text in &wanted.silent {
            assert!(!answer.contains(text.as_str()), "says `{text}`:\n{answer}");
        }
        let has = |start: &String| story.cards.iter().any(|c| c.command.starts_with(start.as_str()));
        for start in &wanted.cards {
            assert!(has(start), "no card `{start}` in {:#?}\n{answer}", story.commands());
        }
        for start in &wanted.no_cards {
            assert!(!has(start), "a card `{start}` in {:#?}", story.commands());
        }
        for text in &wanted.done {
            assert!(
                story.status(text) == StepStatus::Done,
                "`{text}` is not done:\n{answer}\n{:#?}",
                story.steps
            );
        }
        for text in &wanted.open {
            assert!(
                story.status(text) != StepStatus::Done,
                "`{text}` is done:\n{answer}\n{:#?}",
                story.steps
            );
        }
        if wanted.closed {
            let is_done = story.steps.iter().all(|s| s.status == StepStatus::Done);
            assert!(is_done && story.cards.is_empty(), "not over: {:#?} {:?}", story.steps, story.commands());
        }
        self.hold(answer);
    }

    /// What holds in every case: what is cited was shown, nothing dangerous is called harmless, the safe comes first.
    fn hold(&self, answer: &str) {
        let squeeze = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let shown = squeeze(&self.shown);
        for cited in answer.lines().filter_map(|l| l.strip_prefix("    ")) {
            assert!(shown.contains(&squeeze(cited)), "cites what was not shown: {cited}");
        }
        let syntax = if self.is_device { Syntax::of(aissh::shell::Dialect::IosLike) } else { Syntax::Posix };
        for card in &self.story.cards {
            let computed = assess(&card.command, syntax).level;
            assert!(card.risk > Risk::Low || computed < Risk::High, "called low: {}", card.command);
            assert!(!card.command.contains(char::is_control), "{:?}", card.command);
        }
        let changes = self.story.cards.iter().filter(|c| c.risk > Risk::Low).map(|c| c.risk);
        assert!(changes.is_sorted(), "the safest first: {:#?}", self.story.cards);
    }

    fn show(&mut self, show: &Show) {
        let answer = match (&show.ask, &show.run, &show.command) {
            (Some(question), _, _) => self.story.chat(question),
            (_, Some(name), _) => {
                let fixture = fixture(self.runbook, name);
                self.shown.push_str(&fixture.output);
                let bare = |command: &str| command.trim_start_matches("sudo ").to_owned();
                let cards = &self.story.cards;
                let card = cards.iter().find(|c| bare(&c.command) == bare(&fixture.command)).cloned();
                assert!(
                    card.is_some() || !show.card,
                    "no card `{}` in {:#?}",
                    fixture.command,
                    self.story.commands()
                );
                let command = card.as_ref().map_or(fixture.command, |c| c.command.clone());
                self.story.report(&command, card, &fixture.output, fixture.exit)
            }
            (_, _, Some(command)) => {
                self.shown.push_str(&show.output);
                let card = self.story.cards.iter().find(|c| c.command == *command).cloned();
                self.story.report(command, card, &show.output, show.exit)
            }
            _ => panic!("neither run, command nor ask"),
        };
        self.expect(&answer, &show.wanted);
    }
}

fn play(runbook: &str, case: &Case, linus: Builtin) {
    let user: &'static str = Box::leak(case.user.clone().into_boxed_str());
    let mut run = Run {
        runbook,
        story: Story::with(linus, user),
        shown: String::new(),
        is_device: case.device.is_some(),
    };
    if let Some(banner) = &case.device {
        run.story.prompt_of_device(banner);
    }
    for name in &case.screen {
        let fixture = fixture(runbook, name);
        run.story.on_screen(&fixture.command, &fixture.output);
        run.shown.push_str(&fixture.output);
    }
    run.story.last_exit = case.last_exit;
    let piped = case.pipe.as_ref().map(|name| fixture(runbook, name).output).or(case.piped.clone());
    let answer = match piped {
        Some(piped) => {
            run.shown.push_str(&piped);
            said(&run.story.send(&request(&case.ask, piped)))
        }
        None => run.story.chat(&case.ask),
    };
    run.expect(&answer, &case.wanted);
    for (i, show) in case.show.iter().enumerate() {
        if let Err(why) = catch_unwind(AssertUnwindSafe(|| run.show(show))) {
            panic!("show {}: {}", i + 1, message(&*why));
        }
    }
}

/// The example that Linus gives for a runbook must not be about another one as well.
fn leads_to_itself(text: &str, linus: Builtin) {
    let field = |key: &str| {
        let line = text.lines().find_map(|l| l.strip_prefix(&format!("{key} = ")));
        line.unwrap_or_default().trim_matches('"').to_owned()
    };
    let mut story = Story::with(linus, "root");
    if field("area") == "devices" {
        let is_junos = text.lines().any(|l| l.starts_with("dialect = ") && l.contains("Junos"));
        let is_switch = text.lines().any(|l| l.starts_with("dialect = ") && !l.contains("vtysh"));
        story.prompt_of_device(match (is_junos, is_switch) {
            (true, _) => "--- JUNOS 20.4R3.8 Kernel 64-bit XEN JNPR-11.0\nadmin@mx1>",
            (_, true) => "Cisco IOS Software, C2960 Software, Version 15.0(2)SE\n\nsw1#",
            _ => "Hello, this is FRRouting (version 8.4.4).\n\nr1#",
        });
    }
    let answer = story.chat(&field("example"));
    assert!(!story.steps.is_empty(), "its example `{}` leads elsewhere: {answer}", field("example"));
}

fn message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    text.or(panic.downcast_ref::<&str>().map(|s| (*s).to_owned())).unwrap_or_default()
}

/// Whether anything would make the case fail.
fn asserts(case: &Case) -> bool {
    let any = |w: &Wanted| {
        let lists = [&w.says, &w.silent, &w.cards, &w.no_cards, &w.done, &w.open];
        w.closed || lists.iter().any(|l| !l.is_empty())
    };
    any(&case.wanted) || case.show.iter().any(|s| any(&s.wanted))
}

fn fixtures_of(runbook: &str, case: &Case) -> Vec<Fixture> {
    let shown = case.show.iter().filter_map(|s| s.run.as_ref());
    shown.chain(&case.screen).chain(&case.pipe).map(|name| fixture(runbook, name)).collect()
}

#[test]
fn every_runbook_passes_its_positive_negative_and_misleading_cases() {
    let texts = runbooks();
    // Only one runbook, while it is written: RUNBOOK=name cargo test --test runbooks cases
    let only = std::env::var("RUNBOOK").ok();
    let (linus, _) = Builtin::with_runbooks(texts.iter().map(|(n, t)| (n.as_str(), t.as_str())));
    let (mut failures, mut table, mut real) = (Vec::new(), String::new(), 0);
    for (name, text) in texts.iter().filter(|(name, _)| only.as_ref().is_none_or(|o| o == *name)) {
        let summary = match check(text) {
            Ok(summary) => summary,
            Err(mistakes) => {
                failures.extend(mistakes.iter().map(|m| format!("{name}.toml:{}: {}", m.line, m.what)));
                continue;
            }
        };
        let cases = match toml::from_str::<File>(&read(&path(&format!("tests/runbooks/cases/{name}.toml")))) {
            Ok(file) => file.case,
            Err(e) => {
                failures.push(format!("cases/{name}.toml: {e}"));
                continue;
            }
        };
        let kinds: BTreeSet<Kind> = cases.iter().map(|c| c.kind).collect();
        if kinds.len() < 3 {
            failures.push(format!("{name}: needs a positive, a negative and a misleading case"));
        }
        let (mut is_real, mut tools) = (true, BTreeSet::new());
        for case in &cases {
            let outcome = catch_unwind(AssertUnwindSafe(|| {
                assert!(asserts(case), "expects nothing");
                let fixtures = fixtures_of(name, case);
                if case.kind == Kind::Positive {
                    assert!(!fixtures.is_empty(), "a positive case shows recorded output");
                    is_real &= fixtures.iter().all(|f| f.is_real);
                    tools.extend(fixtures.into_iter().map(|f| f.tool));
                }
                play(name, case, linus.sibling());
            }));
            if let Err(why) = outcome {
                failures.push(format!("{name}: {}: {}", case.name, message(&*why)));
            }
        }
        if let Err(why) = catch_unwind(AssertUnwindSafe(|| leads_to_itself(text, linus.sibling()))) {
            failures.push(format!("{name}: {}", message(&*why)));
        }
        real += usize::from(is_real);
        let origin = if is_real { "real output" } else { "from documentation" };
        let evidence = summary.evidence.join(" ");
        let tools = tools.into_iter().collect::<Vec<_>>().join(", ");
        let row = format!("| {name} | {} | {evidence} | {} | {origin}: {tools} |", summary.area, cases.len());
        let _ = writeln!(table, "{row}");
    }
    println!("| runbook | area | evidence | cases | positive cases are |\n|---|---|---|---|---|\n{table}");
    println!("{} runbooks, {real} on real output", texts.len());
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n\n"));
    assert!(only.is_some() || real >= REAL, "{real} of {REAL} on real output");
}
