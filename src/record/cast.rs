//! A recording in asciicast v3 (docs.asciinema.org/manual/asciicast/v3): a header line, then an event a line, each with
//! its seconds since the one before. Pure: events and their times in, lines out.
//!
//! Output is held until its line is complete, so that a secret that comes in pieces is cut out whole; each piece keeps
//! the time at which it came. Keys are not recorded: passwords are typed.

use std::time::Duration;

use serde_json::{Value, json};

use crate::text::sanitize;

/// Output that is held for its line's end: longer than a screen of text is drawn without a line feed.
const HELD_LIMIT: usize = 64 * 1024;

/// Bytes of a marker's label.
const LABEL_LIMIT: usize = 200;

/// Stands for output that could not be checked for secrets.
const WITHHELD: &str = "\r\n[withheld: it could not be checked for secrets]\r\n";

/// Columns and rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    pub cols: u16,
    pub rows: u16,
}

/// Something at a time since the recording's beginning.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Held {
    /// Ends at this byte of the held text.
    Output(Duration, usize),
    Other(Duration, char, String),
}

/// The encoder.
#[derive(Default)]
pub struct Cast {
    text: String,
    /// The bytes of a character whose rest has not come.
    part: Vec<u8>,
    held: Vec<Held>,
    last: Duration,
}

impl Cast {
    /// The first line. `timestamp`: seconds since 1970.
    pub fn header(window: Window, term: Option<&str>, timestamp: u64, title: &str) -> String {
        let mut terminal = json!({ "cols": window.cols, "rows": window.rows });
        if let Some(term) = term {
            terminal["type"] = Value::from(term);
        }
        let head = json!({ "version": 3, "term": terminal, "timestamp": timestamp, "title": label(title) });
        format!("{head}\n")
    }

    /// Something was printed.
    pub fn output(&mut self, at: Duration, bytes: &[u8]) {
        self.part.extend_from_slice(bytes);
        let whole = match std::str::from_utf8(&self.part) {
            Err(e) if e.error_len().is_none() => e.valid_up_to(),
            _ => self.part.len(),
        };
        let rest = self.part.split_off(whole);
        self.text.push_str(&String::from_utf8_lossy(&self.part));
        self.part = rest;
        self.held.push(Held::Output(at, self.text.len()));
    }

    pub fn resize(&mut self, at: Duration, window: Window) {
        self.held.push(Held::Other(at, 'r', format!("{}x{}", window.cols, window.rows)));
    }

    /// A place to jump to: a question, a card, a decision.
    pub fn marker(&mut self, at: Duration, text: &str) {
        self.held.push(Held::Other(at, 'm', text.to_owned()));
    }

    /// ssh has ended.
    pub fn exit(&mut self, at: Duration, status: i32) {
        self.held.push(Held::Other(at, 'x', status.to_string()));
    }

    /// The events up to the end of the last line, without their secrets; of more than can be held, all.
    pub fn take_lines(&mut self, clean: &mut dyn FnMut(&str) -> Option<String>) -> String {
        let whole = self.text.len() >= HELD_LIMIT;
        let end = if whole { self.text.len() } else { self.text.rfind('\n').map_or(0, |at| at + 1) };
        if end == 0 && !self.text.is_empty() {
            return String::new();
        }
        let rest = self.text.split_off(end);
        let held = std::mem::take(&mut self.held);
        let (ripe, rest_held) = split(held, end);
        let lines = self.write(ripe, clean);
        (self.text, self.held) = (rest, rest_held);
        lines
    }

    /// All of them.
    pub fn take(&mut self, clean: &mut dyn FnMut(&str) -> Option<String>) -> String {
        let held = std::mem::take(&mut self.held);
        self.write(held, clean)
    }

    fn write(&mut self, held: Vec<Held>, clean: &mut dyn FnMut(&str) -> Option<String>) -> String {
        let text = std::mem::take(&mut self.text);
        let cleaned = if text.is_empty() { Some(String::new()) } else { clean(&text) };
        let cleaned = cleaned.unwrap_or_else(|| WITHHELD.to_owned());
        let same = common_prefix(&text, &cleaned);
        let tail = common_suffix(&text[same..], &cleaned[same..]);
        let mut lines = String::new();
        let mut done = 0;
        for event in held {
            match event {
                Held::Output(at, end) => {
                    let end = place(end, &text, &cleaned, (same, tail));
                    if end > done {
                        self.line(&mut lines, at, 'o', &cleaned[done..end]);
                        done = end;
                    }
                }
                Held::Other(at, code, what) => {
                    let what = if code == 'm' {
                        clean(&what).map_or(String::new(), |text| label(&text))
                    } else {
                        what
                    };
                    self.line(&mut lines, at, code, &what);
                }
            }
        }
        lines
    }

    fn line(&mut self, lines: &mut String, at: Duration, code: char, what: &str) {
        let since = at.saturating_sub(self.last);
        self.last = self.last.max(at);
        let seconds = f64::from(u32::try_from(since.as_micros() / 1000).unwrap_or(u32::MAX)) / 1000.0;
        lines.push_str(&format!("{}\n", json!([seconds, code.to_string(), what])));
    }
}

/// The events before the end of the text that is written, and those after it, whose places count from there. A piece
/// that goes over it is in both.
fn split(held: Vec<Held>, end: usize) -> (Vec<Held>, Vec<Held>) {
    let (mut before, mut after) = (Vec::new(), Vec::new());
    let mut reached = 0;
    for event in held {
        match event {
            Held::Output(at, to) => {
                if reached < end {
                    before.push(Held::Output(at, to.min(end)));
                }
                if to > end {
                    after.push(Held::Output(at, to - end));
                }
                reached = to;
            }
            other if reached <= end && after.is_empty() => before.push(other),
            other => after.push(other),
        }
    }
    (before, after)
}

/// Where a byte of the text stands in the cleaned one: before the first and after the last change the same place
/// counted from that side; between them at the end of what was changed.
fn place(at: usize, text: &str, cleaned: &str, (same, tail): (usize, usize)) -> usize {
    let from_end = text.len() - at;
    if at <= same {
        at
    } else if from_end <= tail {
        cleaned.len() - from_end
    } else {
        // Within the change: it shows as a whole with the piece that ends it.
        same
    }
}

fn common_prefix(a: &str, b: &str) -> usize {
    let equal = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
    (0..=equal).rev().find(|at| a.is_char_boundary(*at) && b.is_char_boundary(*at)).unwrap_or_default()
}

fn common_suffix(a: &str, b: &str) -> usize {
    let equal = a.bytes().rev().zip(b.bytes().rev()).take_while(|(a, b)| a == b).count();
    let fits = |n: &usize| a.is_char_boundary(a.len() - n) && b.is_char_boundary(b.len() - n);
    (0..=equal).rev().find(fits).unwrap_or_default()
}

fn label(text: &str) -> String {
    crate::text::cut(&sanitize(text).replace(['\n', '\t'], " "), LABEL_LIMIT).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    fn plain(text: &str) -> Option<String> {
        Some(text.to_owned())
    }

    #[test]
    fn the_header_is_version_3s() {
        let header = Cast::header(Window { cols: 80, rows: 24 }, Some("xterm"), 5, "joe@\x1b[mweb1");
        let value: Value = serde_json::from_str(&header).expect("JSON");
        assert_eq!(value["version"], 3);
        assert_eq!(value["term"], json!({ "cols": 80, "rows": 24, "type": "xterm" }));
        assert_eq!(value["timestamp"], 5);
        assert!(!value["title"].to_string().contains('\x1b'));
    }

    #[test]
    fn each_event_has_its_time_since_the_one_before() {
        let mut cast = Cast::default();
        cast.output(ms(100), b"a\x1b[1m");
        cast.marker(ms(150), "asked: why?");
        cast.output(ms(400), b"b\r\n");
        cast.resize(ms(400), Window { cols: 100, rows: 30 });
        cast.exit(ms(1500), 0);
        assert_eq!(
            cast.take(&mut plain),
            "[0.1,\"o\",\"a\\u001b[1m\"]\n[0.05,\"m\",\"asked: why?\"]\n[0.25,\"o\",\"b\\r\\n\"]\n\
             [0.0,\"r\",\"100x30\"]\n[1.1,\"x\",\"0\"]\n"
        );
        assert_eq!(cast.take(&mut plain), "");
    }

    #[test]
    fn a_secret_is_cut_out_however_it_comes_and_the_rest_keeps_its_times() {
        let text = "A=1 KEY=hunter2\r\nB=2\r\n";
        let clean = |text: &str| Some(text.replace("hunter2", "‹s-1›"));
        for (first, second) in (0..text.len()).flat_map(|a| (a..text.len()).map(move |b| (a, b))) {
            let mut cast = Cast::default();
            for (n, piece) in [&text[..first], &text[first..second], &text[second..]].iter().enumerate() {
                cast.output(ms(n as u64), piece.as_bytes());
            }
            let lines = cast.take(&mut { clean });
            let shown: String = lines
                .lines()
                .filter_map(|line| serde_json::from_str::<(f64, String, String)>(line).ok())
                .map(|(_, _, text)| text)
                .collect();
            assert_eq!(shown, "A=1 KEY=‹s-1›\r\nB=2\r\n", "{first} {second}");
        }
    }

    #[test]
    fn half_a_character_and_half_a_line_wait_and_too_much_does_not() {
        let mut cast = Cast::default();
        cast.output(ms(0), b"x\xe2\x82");
        cast.output(ms(1), b"\xac");
        assert_eq!(cast.take_lines(&mut plain), "", "no line yet");
        cast.output(ms(2), b"\xff\n$ l");
        cast.marker(ms(3), "asked");
        cast.output(ms(4), b"s");
        assert_eq!(
            cast.take_lines(&mut plain),
            "[0.0,\"o\",\"x\"]\n[0.001,\"o\",\"€\"]\n[0.001,\"o\",\"\u{fffd}\\n\"]\n"
        );
        assert_eq!(cast.take_lines(&mut plain), "", "the prompt waits");
        cast.output(ms(5), b"\n");
        assert_eq!(
            cast.take_lines(&mut plain),
            "[0.0,\"o\",\"$ l\"]\n[0.001,\"m\",\"asked\"]\n[0.001,\"o\",\"s\"]\n[0.001,\"o\",\"\\n\"]\n"
        );
        cast.output(ms(6), &vec![b'x'; HELD_LIMIT]);
        assert!(cast.take_lines(&mut plain).len() > HELD_LIMIT);
    }

    #[test]
    fn what_could_not_be_checked_is_withheld() {
        let mut cast = Cast::default();
        cast.output(ms(0), b"secret\r\n");
        cast.marker(ms(0), "secret");
        let lines = cast.take(&mut |_| None);
        assert!(lines.contains("withheld") && !lines.contains("secret\\r"), "{lines}");
        assert!(lines.ends_with("[0.0,\"m\",\"\"]\n"), "{lines}");
    }
}
