//! Mismatches by stream and kind.

use std::collections::BTreeMap;

use unicode_width::UnicodeWidthChar;

use crate::judge::{Picture, Row};
use crate::streams::{self, Stream};

const KINDS: [&str; 9] = ["text", "looks", "wraps", "scrollback", "cursor", "pen", "modes", "tabs", "held"];

const WRAPS: usize = 2;
const HELD: usize = KINDS.len() - 1;

pub(crate) struct Table {
    title: String,
    points: BTreeMap<String, usize>,
    found: BTreeMap<String, [usize; KINDS.len()]>,
    examples: Vec<String>,
    unjudged: usize,
}

impl Table {
    pub(crate) fn new(title: &str) -> Self {
        Self {
            title: title.into(),
            points: BTreeMap::new(),
            found: BTreeMap::new(),
            examples: Vec::new(),
            unjudged: 0,
        }
    }

    /// A point at which the judge gave up.
    pub(crate) fn unjudged(&mut self) {
        self.unjudged += 1;
    }

    pub(crate) fn judge(&mut self, stream: &Stream, case: &str, expected: &Picture, got: &Picture) {
        *self.points.entry(stream.name.clone()).or_default() += 1;
        self.note(stream, case, differences(expected, got));
    }

    /// The terminal shows what the emulator holds, whatever another terminal would have made of the stream.
    pub(crate) fn judge_held(&mut self, stream: &Stream, case: &str, held: &[String], got: &Picture) {
        if streams::READ_OTHERWISE.contains(&stream.name.as_str()) {
            return;
        }
        // Both have a picture of their own for what is no character, and a place for what has no width.
        let visible = |text: &str| -> String {
            let chars = text.chars().filter(|c| c.width() != Some(0));
            let text: String = chars.map(|c| if c == '\u{2426}' { '\u{fffd}' } else { c }).collect();
            text.trim_end().to_owned()
        };
        let shown: Vec<String> = got.screen.iter().map(|row| visible(&row.text)).collect();
        let held: Vec<String> = held.iter().map(|row| visible(row)).collect();
        self.note(stream, case, unequal(&held, &shown).map(|what| (HELD, what)).into_iter().collect());
    }

    fn note(&mut self, stream: &Stream, case: &str, differences: Vec<(usize, String)>) {
        let found = self.found.entry(stream.name.clone()).or_default();
        for (kind, what) in differences {
            if found[kind] == 0 {
                self.examples.push(format!("{} {case}: {}: {what}", stream.name, KINDS[kind]));
            }
            found[kind] += 1;
        }
    }

    /// Prints, and fails where there is a mismatch.
    pub(crate) fn finish(self) {
        println!("\n{:<22}{:>7}  {}", self.title, "points", KINDS.map(|kind| format!("{kind:>10}")).join(""));
        for (name, found) in &self.found {
            let cells = found.map(|count| format!("{count:>10}")).join("");
            println!("{name:<22}{:>7}  {cells}", self.points[name]);
        }
        let points: usize = self.points.values().sum();
        let mismatches: usize = self.found.values().flatten().sum();
        let wraps: usize = self.found.values().map(|found| found[WRAPS]).sum();
        let (streams, real) = (self.points.len(), mismatches - wraps);
        println!(
            "{streams} streams, {points} points, {real} mismatches, {wraps} of wraps; {} not judged",
            self.unjudged
        );
        // vt100 has one flag for a row, and no memory of which cell it belongs to: where a program writes over the beginning
        // of a wrapped row, or DECSC saved a pending wrap there, terminals differ in whether the row still goes on. Nothing of
        // it can be seen.
        assert!(real == 0 && wraps <= points / 25, "\n{}", self.examples.join("\n"));
    }
}

fn differences(expected: &Picture, got: &Picture) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut note = |kind: usize, what: Option<String>| found.extend(what.map(|what| (kind, what)));
    note(0, rows(&expected.screen, &got.screen, |row| &row.text));
    note(1, looks(&expected.screen, &got.screen));
    note(WRAPS, wraps(&expected.screen, &got.screen));
    note(
        3,
        rows(&expected.above, &got.above, |row| &row.text).or_else(|| looks(&expected.above, &got.above)),
    );
    note(WRAPS, wraps(&expected.above, &got.above));
    note(4, unequal(&expected.cursor, &got.cursor));
    // What DECSC saved counts where the remote used it.
    note(4, unequal(&expected.saved, &got.saved).filter(|_| !expected.saved.is_empty()));
    note(5, unequal(&expected.pen, &got.pen));
    note(6, unequal(&(expected.flags, &expected.modes), &(got.flags, &got.modes)));
    note(7, unequal(&expected.tabs, &got.tabs));
    if let (Some(expected), Some(got)) = (&expected.primary, &got.primary) {
        found.extend(
            differences(expected, got).into_iter().map(|(kind, what)| (kind, format!("primary: {what}"))),
        );
    }
    found
}

fn unequal<T: PartialEq + std::fmt::Debug>(expected: &T, got: &T) -> Option<String> {
    (expected != got).then(|| format!("\n  want {expected:?}\n  have {got:?}"))
}

/// Which rows go on in the next.
fn wraps(expected: &[Row], got: &[Row]) -> Option<String> {
    let row = expected.iter().zip(got).position(|(a, b)| a.wraps != b.wraps)?;
    Some(format!("row {row}{} {:?}", unequal(&expected[row].wraps, &got[row].wraps)?, got[row].text))
}

/// The first cell that looks otherwise.
fn looks(expected: &[Row], got: &[Row]) -> Option<String> {
    let row = expected.iter().zip(got).position(|(a, b)| a.looks != b.looks)?;
    let (a, b) = (&expected[row], &got[row]);
    let col = a.looks.iter().zip(&b.looks).position(|(a, b)| a != b)?;
    Some(format!("row {row} column {col}{} {:?}", unequal(&a.looks[col], &b.looks[col])?, b.text))
}

fn rows<T: PartialEq + std::fmt::Debug>(
    expected: &[Row],
    got: &[Row],
    of: impl Fn(&Row) -> &T,
) -> Option<String> {
    if expected.len() != got.len() {
        let texts =
            |rows: &[Row]| rows.iter().map(|row| format!("    {}", row.text)).collect::<Vec<_>>().join("\n");
        return Some(format!(
            "{} rows, not {}\n{}\n  not\n{}",
            got.len(),
            expected.len(),
            texts(got),
            texts(expected)
        ));
    }
    let at = expected.iter().zip(got).position(|(a, b)| of(a) != of(b))?;
    Some(format!("row {at}{}\n  {:?}", unequal(of(&expected[at]), of(&got[at]))?, got[at].text))
}
