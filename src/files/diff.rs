//! The unified diff of a change, as lines to look at and as text to keep.

use std::time::Instant;

use similar::{Algorithm, DiffOp, capture_diff_slices_deadline, group_diff_ops};

/// Lines around a change, as `diff -u` has.
const CONTEXT: usize = 3;
/// Bytes of a diff that are shown and recorded. More than that nobody reads; the rest is counted.
const DIFF_LIMIT: usize = 1 << 20;
/// And lines: a short line costs as much memory as a long one.
const LINES_LIMIT: usize = 20_000;

/// What a line of a diff is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiffKind {
    /// `@@ -1,3 +1,4 @@`
    Hunk,
    Same,
    Removed,
    Added,
    /// The line before it has no newline.
    NoNewline,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiffLine {
    pub kind: DiffKind,
    /// Without its newline, a carriage return kept; as the file has it, so it is drawn through `text::visible`.
    pub text: String,
}

/// A diff, whole unless it says how many lines were left out.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Diff {
    pub lines: Vec<DiffLine>,
    pub added: usize,
    pub removed: usize,
    pub left_out: usize,
}

impl Diff {
    /// After `until` the diff is still right, but no longer the shortest.
    pub fn new(before: &str, after: &str, until: Instant) -> Self {
        let (old, new) = (lines(before), lines(after));
        let ops = capture_diff_slices_deadline(Algorithm::Myers, &old, &new, Some(until));
        let mut making = Making { diff: Self::default(), bytes: 0 };
        for group in group_diff_ops(ops, CONTEXT) {
            making.group(&group, &old, &new);
        }
        making.diff
    }

    /// As `diff -u` prints it.
    pub fn text(&self, path: &str) -> String {
        let mut text = format!("--- {path}\n+++ {path}\n");
        for line in &self.lines {
            text.push_str(line.sign());
            text.push_str(&line.text);
            text.push('\n');
        }
        if self.left_out > 0 {
            text.push_str(&format!("… {} more lines\n", self.left_out));
        }
        text
    }
}

impl DiffLine {
    /// What stands in the first column.
    pub fn sign(&self) -> &'static str {
        match self.kind {
            DiffKind::Hunk => "",
            DiffKind::Same => " ",
            DiffKind::Removed => "-",
            DiffKind::Added => "+",
            DiffKind::NoNewline => "\\ ",
        }
    }
}

/// With their ends, so that a missing newline is a difference.
fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

struct Making {
    diff: Diff,
    bytes: usize,
}

impl Making {
    fn group(&mut self, ops: &[DiffOp], old: &[&str], new: &[&str]) {
        let (Some(first), Some(last)) = (ops.first(), ops.last()) else { return };
        let old_range = first.old_range().start..last.old_range().end;
        let new_range = first.new_range().start..last.new_range().end;
        let hunk = format!("@@ -{} +{} @@", range(&old_range), range(&new_range));
        self.line(DiffKind::Hunk, &hunk);
        for op in ops {
            if let DiffOp::Equal { .. } = op {
                old[op.old_range()].iter().for_each(|line| self.line(DiffKind::Same, line));
                continue;
            }
            self.diff.removed += op.old_range().len();
            self.diff.added += op.new_range().len();
            old[op.old_range()].iter().for_each(|line| self.line(DiffKind::Removed, line));
            new[op.new_range()].iter().for_each(|line| self.line(DiffKind::Added, line));
        }
    }

    fn line(&mut self, kind: DiffKind, line: &str) {
        self.bytes += line.len();
        if self.bytes > DIFF_LIMIT || self.diff.lines.len() >= LINES_LIMIT {
            self.diff.left_out += 1;
            return;
        }
        let text = line.strip_suffix('\n').unwrap_or(line).to_owned();
        self.diff.lines.push(DiffLine { kind, text });
        if kind != DiffKind::Hunk && !line.ends_with('\n') {
            let text = "No newline at end of file".to_owned();
            self.diff.lines.push(DiffLine { kind: DiffKind::NoNewline, text });
        }
    }
}

/// As `diff` counts: from 1, and an empty range is told by the line before it.
fn range(lines: &std::ops::Range<usize>) -> String {
    match lines.len() {
        0 => format!("{},0", lines.start),
        1 => format!("{}", lines.start + 1),
        count => format!("{},{count}", lines.start + 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn diff(before: &str, after: &str) -> Diff {
        Diff::new(before, after, Instant::now() + Duration::from_secs(5))
    }

    #[test]
    fn it_is_what_diff_u_prints() {
        let before = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
        let after = "1\n2\n3\n4\nfive\nmore\n6\n7\n8\n9";
        let wanted = "--- /a\n+++ /a\n@@ -2,8 +2,9 @@\n 2\n 3\n 4\n-5\n+five\n+more\n 6\n 7\n 8\n-9\n+9\n\\ No newline at end of file\n";
        let diff = diff(before, after);
        assert_eq!(diff.text("/a"), wanted);
        assert_eq!((diff.added, diff.removed), (3, 2));
    }

    #[test]
    fn a_new_file_is_all_added_and_an_ending_is_seen() {
        assert_eq!(diff("", "a\n").text("f"), "--- f\n+++ f\n@@ -0,0 +1 @@\n+a\n");
        assert_eq!(diff("a\r\n", "a\n").lines.len(), 3);
        assert_eq!(diff("a\r\n", "a\n").lines[1].text, "a\r");
    }

    #[test]
    fn what_is_too_long_is_counted_and_quick() {
        let before: String = (0..60_000).map(|n| format!("line number {n} as it was\n")).collect();
        let after = before.replace("was", "is");
        let diff = Diff::new(&before, &after, Instant::now());
        assert!(diff.left_out > 0 && diff.added == 60_000, "{} left out", diff.left_out);
        assert!(diff.text("f").len() < DIFF_LIMIT + (DIFF_LIMIT >> 2));
        assert!(diff.text("f").ends_with("more lines\n"));
    }
}
