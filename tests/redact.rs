//! The corpus of secrets and of what only looks like them, and what the redaction makes of it.
//!
//! `tests/fixtures/redact/*.txt` has blocks between lines `---`. A block's first line is `+ class | note` or `- | note`,
//! a positive's second one is `secret: …` with `\n` and `\e` for line ends and ESC; the rest is the text, with `\e` too.
//! `{}` is taken out: the secrets are made up, and those of famous forms are written in two pieces so that no scanner of
//! repositories takes them for real.

use aissh::linus::redact::{Options, Redactor};
use std::path::Path;

/// Wanted of the whole corpus: secrets that go, and look-alikes that are touched.
const RECALL: f64 = 0.99;
const FALSE_ALARMS: f64 = 0.02;

struct Block {
    name: String,
    secret: Option<String>,
    text: String,
}

fn blocks(file: &Path) -> Vec<Block> {
    let name = file.file_name().expect("a file").to_string_lossy().into_owned();
    let all = std::fs::read_to_string(file).expect("read the corpus").replace("{}", "");
    let block = |(number, block): (usize, &str)| {
        let mut lines = block.trim_matches('\n').lines();
        let head = lines.next().filter(|head| head.starts_with(['+', '-']))?;
        let secret = head.starts_with('+').then(|| {
            let line = lines.next().and_then(|line| line.strip_prefix("secret: "));
            line.unwrap_or_else(|| panic!("{name} {number}: {head}: no secret"))
                .replace("\\n", "\n")
                .replace("\\e", "\x1b")
        });
        let text = lines.collect::<Vec<_>>().join("\n").replace("\\e", "\x1b");
        Some(Block { name: format!("{name} {number}: {head}"), secret, text: text + "\n" })
    };
    all.split("\n---\n").enumerate().filter_map(block).collect()
}

fn corpus() -> Vec<Block> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/redact");
    let mut files: Vec<_> =
        std::fs::read_dir(folder).expect("the corpus").map(|e| e.expect("a file").path()).collect();
    files.retain(|file| file.extension().is_some_and(|e| e == "txt"));
    files.sort();
    let all: Vec<Block> = files.iter().flat_map(|file| blocks(file)).collect();
    for block in &all {
        if let Some(secret) = &block.secret {
            assert!(
                shown(&block.text).contains(&shown(secret)),
                "{}: the secret is not in the text",
                block.name
            );
        }
    }
    all
}

/// Without escape sequences and line ends.
fn shown(text: &str) -> String {
    let mut shown = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['\x1b', '\n', '\r']) {
        shown.push_str(&rest[..at]);
        let skip = match rest[at..].strip_prefix("\x1b[") {
            Some(sequence) => sequence.find(|c: char| c.is_ascii_alphabetic()).map_or(2, |end| end + 3),
            None => 1,
        };
        rest = &rest[at + skip..];
    }
    shown + rest
}

/// Whether half of the secret is still there, in one piece.
fn leaks(output: &str, secret: &str) -> bool {
    let (output, secret) = (shown(output), shown(secret));
    let secret: Vec<char> = secret.chars().collect();
    let half = secret.len().div_ceil(2).max(4).min(secret.len());
    secret.windows(half).any(|piece| output.contains(&piece.iter().collect::<String>()))
}

fn redact(text: &str) -> String {
    Redactor::new(Options::default()).redact(text).expect("within the budget").text
}

#[test]
fn secrets_go_and_what_looks_like_them_stays() {
    let corpus = corpus();
    let (mut positives, mut missed, mut negatives, mut alarms) = (0_u32, 0_u32, 0_u32, 0_u32);
    for block in &corpus {
        let output = redact(&block.text);
        match &block.secret {
            Some(secret) => {
                positives += 1;
                if leaks(&output, secret) {
                    missed += 1;
                    println!("missed: {}\n{output}", block.name);
                }
            }
            None => {
                negatives += 1;
                if output != block.text {
                    alarms += 1;
                    println!("false alarm: {}\n{output}", block.name);
                }
            }
        }
    }
    let recall = 1.0 - f64::from(missed) / f64::from(positives);
    let false_alarms = f64::from(alarms) / f64::from(negatives);
    println!("{positives} secrets, {missed} missed: recall {:.2} %", recall * 100.0);
    println!("{negatives} look-alikes, {alarms} touched: {:.2} %", false_alarms * 100.0);
    assert!(recall >= RECALL && false_alarms <= FALSE_ALARMS);
}
