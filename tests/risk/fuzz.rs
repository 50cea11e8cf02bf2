//! Whatever the text is: an answer, soon. A few thousand texts in the tests; `scripts/fuzz-risk` runs more.

use std::time::{Duration, Instant};

use aissh::copilot::risk::{Assessment, Syntax, assess};
use aissh::linus::contract::Risk;

const SYNTAXES: [Syntax; 7] =
    [Syntax::Posix, Syntax::Fish, Syntax::Ios, Syntax::Junos, Syntax::Vrp, Syntax::RouterOs, Syntax::Frr];

/// Pieces that shells and rules care about.
const PIECES: &[&str] = &[
    " ",
    "\n",
    ";",
    "&",
    "&&",
    "|",
    "||",
    "|&",
    "(",
    ")",
    "((",
    "))",
    "{",
    "}",
    "[",
    "]",
    "[[",
    "]]",
    "<",
    ">",
    ">>",
    "<<",
    "<<-",
    "<<<",
    "<(",
    ">(",
    "&>",
    ">&",
    "2>&1",
    "$",
    "$(",
    "$((",
    "${",
    "`",
    "'",
    "\"",
    "$'",
    "\\",
    "\\\n",
    "#",
    "!",
    "*",
    "?",
    "~",
    "=",
    ":",
    ",",
    "..",
    "-",
    "--",
    "EOF",
    "if",
    "then",
    "elif",
    "else",
    "fi",
    "for",
    "in",
    "do",
    "done",
    "while",
    "until",
    "case",
    "esac",
    ";;",
    "function",
    "f()",
    "time",
    "end",
    "begin",
    "switch",
    "and",
    "ls",
    "rm",
    "-rf",
    "/",
    "/etc/shadow",
    "sudo",
    "sh",
    "-c",
    "bash",
    "eval",
    "xargs",
    "find",
    "-exec",
    "{}",
    "+",
    "sed",
    "s/a/b/w",
    "awk",
    "{print>\"x\"}",
    "env",
    "A=b",
    "ssh",
    "host",
    "systemctl",
    "stop",
    "sshd",
    "docker",
    "exec",
    "psql",
    "DROP",
    "git",
    "-C",
    "é",
    "漢",
    "\u{202e}",
    "\u{200b}",
    "\x1b",
    "\0",
    "\x01",
    "\u{ff52}",
    "show",
    "reload",
    "/ip",
    "print",
];

/// Marsaglia's xorshift: the same texts for the same seed, everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound.max(1) as u64) as usize
    }

    fn of<T: Clone>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())].clone()
    }
}

fn generated(random: &mut Random) -> String {
    // Mostly short; one in sixteen fills the 4 KiB of the budget with few kinds of pieces.
    if random.below(16) == 0 {
        let kinds: Vec<&str> = (0..1 + random.below(3)).map(|_| random.of(PIECES)).collect();
        let mut text = String::new();
        while text.len() < 4000 {
            text.push_str(random.of(&kinds));
            if random.below(4) == 0 {
                text.push(' ');
            }
        }
        return text;
    }
    let mut text = String::new();
    for _ in 0..random.below(30) {
        text.push_str(random.of(PIECES));
        if random.below(2) == 0 {
            text.push(' ');
        }
    }
    text
}

fn mutated(random: &mut Random, seeds: &[String]) -> String {
    let mut chars: Vec<char> = random.of(seeds).chars().collect();
    for _ in 0..1 + random.below(8) {
        let at = random.below(chars.len() + 1);
        match random.below(4) {
            0 if at < chars.len() => drop(chars.remove(at)),
            1 => chars.truncate(at),
            2 => {
                let other: Vec<char> = random.of(seeds).chars().collect();
                chars.splice(at..at, other);
            }
            _ => {
                chars.splice(at..at, random.of(PIECES).chars());
            }
        }
    }
    chars.into_iter().take(4096).collect()
}

fn seeds() -> Vec<String> {
    let corpus = include_str!("../fixtures/risk/own.tsv");
    let command = |row: &str| row.splitn(4, '\t').nth(3).map(|c| c.replace('␊', "\n"));
    corpus.lines().filter_map(command).collect()
}

fn check(text: &str, assessment: &Assessment) {
    assert!(assessment.findings.len() <= 8, "{text:?}");
    for finding in &assessment.findings {
        assert!(!finding.reason.chars().any(char::is_control), "{text:?}: {:?}", finding.reason);
        assert!(finding.reason.len() < 2000, "{text:?}");
        assert!(finding.level <= assessment.level, "{text:?}");
    }
    let hidden = text.chars().any(|c| c.is_control() && c != '\n');
    assert!(!hidden || assessment.level == Risk::High, "{text:?}");
}

/// Judges `rounds` texts; the value is the time that each took.
fn run(seed: u64, rounds: usize) -> Vec<(Duration, String)> {
    let mut random = Random(seed | 1);
    let seeds = seeds();
    let mut times = Vec::new();
    for round in 0..rounds {
        let text = if round % 2 == 0 { generated(&mut random) } else { mutated(&mut random, &seeds) };
        let syntax = if random.below(2) == 0 { Syntax::Posix } else { random.of(&SYNTAXES) };
        let (mut time, assessment) = timed(&text, syntax);
        check(&text, &assessment);
        // On a busy machine a slow one is mostly a pause; the best of five is the text's own.
        if time > Duration::from_millis(1) {
            time = (0..5).map(|_| timed(&text, syntax).0).min().unwrap_or(time);
        }
        times.push((time, text));
    }
    times
}

fn timed(text: &str, syntax: Syntax) -> (Duration, Assessment) {
    let start = Instant::now();
    let assessment = assess(text, syntax);
    (start.elapsed(), assessment)
}

#[test]
fn any_text_gets_an_answer() {
    run(20_260_930, 4000);
}

/// `AISSH_FUZZ_SEED` and `AISSH_FUZZ_ROUNDS`; prints the slowest.
#[test]
#[ignore = "long: scripts/fuzz-risk"]
fn many_texts_get_an_answer() {
    let number = |name: &str| std::env::var(name).ok().and_then(|n| n.parse::<u64>().ok());
    let seed = number("AISSH_FUZZ_SEED").unwrap_or(1);
    let mut times = run(seed, number("AISSH_FUZZ_ROUNDS").unwrap_or(200_000) as usize);
    let long: Vec<Duration> =
        times.iter().filter(|(_, text)| text.len() >= 3900).map(|(time, _)| *time).collect();
    times.sort();
    let median = |mut all: Vec<Duration>| {
        all.sort();
        all.get(all.len() / 2).copied().unwrap_or_default()
    };
    println!("seed {seed}: {} texts, median {:?}", times.len(), times[times.len() / 2].0);
    println!(
        "{} texts of 4 KiB: median {:?}, worst {:?}",
        long.len(),
        median(long.clone()),
        long.iter().max()
    );
    for (time, text) in times.iter().rev().take(5) {
        println!("{time:?} {} bytes: {:?}", text.len(), text.chars().take(60).collect::<String>());
    }
}

/// Deeper than anybody reads, and than the stack of a small thread holds if it were followed.
#[test]
fn depth_is_refused_and_not_followed() {
    let deep = |open: &str, close: &str| {
        let count = 4096 / (open.len() + close.len()).max(1);
        format!("{}ls{}", open.repeat(count), close.repeat(count))
    };
    let texts = [
        "(".repeat(4096),
        "$((".repeat(1365),
        "`".repeat(4096),
        "$(".repeat(2048),
        "if ".repeat(1365),
        deep("(", ")"),
        deep("$(", ")"),
        deep("echo $(", ")"),
        deep("{ ", ";}"),
        deep("${a:-", "}"),
        deep("\"$(", ")\""),
        deep("$((", "))"),
        deep("a[", "]=1 "),
        deep("eval '", "'"),
        "sudo ".repeat(800),
        "env sudo nice ".repeat(280),
        "cat <<a\n$(".repeat(300),
        "case x in x) ".repeat(300),
        "f() { ".repeat(600),
        "[[ ( ".repeat(800),
    ];
    let small = std::thread::Builder::new().stack_size(512 * 1024);
    let judged = small.spawn(move || texts.map(|text| (assess(&text, Syntax::Posix), text)));
    for (assessment, text) in judged.expect("a thread").join().expect("no panic, no overflow") {
        let start: String = text.chars().take(20).collect();
        assert!(assessment.level > Risk::Low, "{start}… {}", assessment.reason());
    }
}
