//! A session's timeline for people: Markdown from an audit log. Pure.
//!
//! Nothing in the log is trusted to be harmless: texts are sanitised, and cannot leave the code span or the line that
//! they stand in.

use std::fmt::Write;
use std::time::SystemTime;

use super::entry::{Entry, Event, Step};
use super::read::Logged;
use crate::text::sanitize;

/// The whole report.
pub fn report(logged: &Logged) -> String {
    let mut report = head(logged);
    let entries = &logged.entries;
    section(&mut report, "Timeline", &timeline(entries));
    section(&mut report, "Findings", &findings(entries));
    section(&mut report, "Checklist", &checklist(entries));
    section(&mut report, "Files", &files(entries));
    report
}

fn section(report: &mut String, title: &str, text: &str) {
    if !text.is_empty() {
        let _ = write!(report, "\n## {title}\n\n{text}");
    }
}

fn head(logged: &Logged) -> String {
    let mut text = String::new();
    let (mut session, mut linus, mut target) = ("", "", "an unknown host");
    for entry in &logged.entries {
        match &entry.event {
            Event::Session { session_id, target: to, linus: who, .. } => {
                (session, target, linus) = (session_id, to, who);
            }
            Event::Target { target: to } => target = to,
            _ => {}
        }
    }
    let _ = writeln!(text, "# Session on {}\n", prose(target));
    let _ = writeln!(text, "- Session: {}", code(session));
    let _ = writeln!(text, "- Linus: {}", prose(linus));
    if let (Some(first), Some(last)) = (logged.entries.first(), logged.entries.last()) {
        let (from, to) = (stamp(first.time), stamp(last.time));
        let _ = writeln!(text, "- From {from} to {to} (UTC)");
    }
    let count = |wanted: fn(&Event) -> bool| logged.entries.iter().filter(|e| wanted(&e.event)).count();
    let ran = count(|event| matches!(event, Event::Ran { finished: true, .. }));
    let sent = count(|event| matches!(event, Event::Sent { .. }));
    let refused = count(|event| matches!(event, Event::Refused { .. }));
    let _ = writeln!(text, "- Commands that ended: {ran}; sent from cards: {sent}; refused: {refused}");
    if logged.torn > 0 {
        let _ = writeln!(text, "- {} record(s) of the log could not be read", logged.torn);
    }
    text
}

/// A row for everything that happened on the host or was decided.
fn timeline(entries: &[Entry]) -> String {
    let rows: Vec<String> = entries
        .iter()
        .filter_map(|entry| {
            let (what, how) = row(&entry.event)?;
            Some(format!("| {} | {what} | {how} |\n", clock(entry.time)))
        })
        .collect();
    if rows.is_empty() {
        return String::new();
    }
    format!("| Time | What | How it went |\n|---|---|---|\n{}", rows.concat())
}

fn row(event: &Event) -> Option<(String, String)> {
    Some(match event {
        Event::Asked { text } => (format!("Asked: {}", cell(text)), String::new()),
        Event::Proposed { by, command, risk, reason, .. } => {
            (format!("{} suggested {}", cell(by), cell_code(command)), format!("{risk}: {}", cell(reason)))
        }
        Event::Edited { text, .. } => (format!("Edited to {}", cell_code(text)), String::new()),
        Event::Confirmed { command, how, edited, risk, .. } => {
            let edited = if *edited { ", edited" } else { "" };
            (format!("Confirmed {}", cell_code(command)), format!("{how}{edited}; {risk}"))
        }
        Event::Refused { id, reason } => (format!("Card {} was not sent", cell_code(id)), cell(reason)),
        Event::Ran { finished: false, .. } => return None,
        Event::Ran { command, by, exit, output, .. } => {
            let command = command.as_deref().map_or("a command that was not seen".to_owned(), cell_code);
            let by = if by == "user" { "typed".to_owned() } else { format!("card {}", cell_code(by)) };
            let exit = exit.map_or("exit status unknown".to_owned(), |code| format!("exit status {code}"));
            (format!("Ran {command}"), format!("{by}; {exit}; {} bytes of output", output.bytes))
        }
        Event::Mode { mode, reason } => (format!("Policy: {}", cell(mode)), cell(reason)),
        Event::File { path, action, result, .. } => {
            (format!("File {}: {}", cell_code(path), cell(action)), cell(result))
        }
        Event::Agent { agent, tool, action, outcome } if tool == "copilot" => {
            (format!("{}: {}", cell(agent), cell(action)), cell(outcome))
        }
        Event::Agent { .. } => return None,
        Event::Ended { status } => ("The session ended".into(), cell(status)),
        Event::Session { .. }
        | Event::Target { .. }
        | Event::Answered { .. }
        | Event::Plan { .. }
        | Event::Sent { .. }
        | Event::Closed { .. }
        | Event::Payload { .. } => return None,
    })
}

/// What was said in answer, in full.
fn findings(entries: &[Entry]) -> String {
    let mut text = String::new();
    for entry in entries {
        if let Event::Answered { by, text: said } = &entry.event {
            let _ = writeln!(text, "**{} ({})**\n", prose(by), clock(entry.time));
            for line in sanitize(said).lines() {
                let _ = writeln!(text, "> {}", escaped(line));
            }
            text.push('\n');
        }
    }
    text.truncate(text.trim_end().len());
    if !text.is_empty() {
        text.push('\n');
    }
    text
}

/// The last one, as it stood.
fn checklist(entries: &[Entry]) -> String {
    let last = entries.iter().rev().find_map(|entry| match &entry.event {
        Event::Plan { summary, steps, .. } => Some((summary, steps)),
        _ => None,
    });
    let Some((summary, steps)) = last else { return String::new() };
    let line = |step: &Step| {
        let mark = if step.status == "done" { 'x' } else { ' ' };
        format!("- [{mark}] {}\n", prose(&step.text))
    };
    format!("{}\n\n{}", prose(summary), steps.iter().map(line).collect::<String>())
}

fn files(entries: &[Entry]) -> String {
    let mut text = String::new();
    for entry in entries {
        if let Event::File { path, action, result, diff } = &entry.event {
            let _ = writeln!(
                text,
                "{} {}: {}, {}\n",
                clock(entry.time),
                code(path),
                prose(action),
                prose(result)
            );
            let diff = sanitize(diff);
            let fence = "`".repeat(longest_run(&diff).max(2) + 1);
            let _ = writeln!(text, "{fence}diff\n{}\n{fence}\n", diff.trim_end());
        }
    }
    text
}

fn stamp(time: SystemTime) -> String {
    humantime::format_rfc3339_seconds(time).to_string().replace('T', " ").replace('Z', "")
}

fn clock(time: SystemTime) -> String {
    stamp(time).split_off(11)
}

/// Text that is read as itself, on one line.
fn prose(text: &str) -> String {
    escaped(&one_line(text))
}

/// A code span, delimited by more backticks than the text has in a row (CommonMark 6.1).
fn code(text: &str) -> String {
    let text = one_line(text);
    let ticks = "`".repeat(longest_run(&text) + 1);
    let pad = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{ticks}{pad}{text}{pad}{ticks}")
}

/// In a table a `|` ends the cell, also within code (GFM 4.10).
fn cell_code(text: &str) -> String {
    code(text).replace('|', "\\|")
}

fn cell(text: &str) -> String {
    prose(text).replace('|', "\\|")
}

/// Line ends are shown, everything else that is not to be seen is made harmless.
fn one_line(text: &str) -> String {
    sanitize(text).replace('\n', "⏎").replace('\t', " ")
}

/// Characters that Markdown or the HTML in it would act on.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '&' | '!' | '~') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::entry::Digest;
    use super::*;
    use std::time::Duration;

    fn logged(events: Vec<Event>) -> Logged {
        let time = |n: usize| SystemTime::UNIX_EPOCH + Duration::from_secs(1_790_000_000 + n as u64);
        let entries = events.into_iter().enumerate().map(|(n, event)| Entry { time: time(n), event });
        Logged { entries: entries.collect(), torn: 1 }
    }

    fn ran(command: &str, by: &str, exit: Option<i32>) -> Event {
        let (command, output) = (Some(command.to_owned()), Digest::of(b"12345"));
        Event::Ran { command, by: by.into(), exit, finished: true, output }
    }

    #[test]
    fn the_report_tells_who_suggested_what_and_how_it_ended() {
        let (session_id, target, linus) = ("id".into(), "joe@web1".into(), "built-in".into());
        let text = report(&logged(vec![
            Event::Session { version: 1, aissh: "0".into(), session_id, target, linus },
            ran("df -h | tail", "user", Some(0)),
            Event::Asked { text: "why is /var full?".into() },
            Event::Answered { by: "Linus".into(), text: "**apt** keeps\n4 GB".into() },
            Event::Plan {
                summary: "Free /var".into(),
                confidence: Some(0.5),
                steps: vec![
                    Step { status: "done".into(), text: "Measure".into() },
                    Step { status: "current".into(), text: "Clean".into() },
                ],
            },
            Event::Refused { id: "c1".into(), reason: "something runs there".into() },
            ran("apt clean", "c2", None),
            Event::Ended { status: "exit status 0".into() },
        ]));
        for line in [
            "# Session on joe@web1",
            "- From 2026-09-21 14:13:20 to 2026-09-21 14:13:27 (UTC)",
            "- Commands that ended: 2; sent from cards: 0; refused: 1",
            "- 1 record(s) of the log could not be read",
            "| 14:13:21 | Ran `df -h \\| tail` | typed; exit status 0; 5 bytes of output |",
            "| 14:13:25 | Card `c1` was not sent | something runs there |",
            "| 14:13:26 | Ran `apt clean` | card `c2`; exit status unknown; 5 bytes of output |",
            "> \\*\\*apt\\*\\* keeps",
            "- [x] Measure",
            "- [ ] Clean",
        ] {
            assert!(text.lines().any(|l| l == line), "{line}\n--\n{text}");
        }
    }

    #[test]
    fn nothing_in_the_log_leaves_its_place() {
        let text = report(&logged(vec![
            ran("echo `a` \x1b[2J| x\n# y", "user", Some(1)),
            Event::Asked { text: "<script>\n| [x](y) |".into() },
            Event::File {
                path: "/etc/motd".into(),
                action: "overwrite".into(),
                result: "written".into(),
                diff: "+```\n+# not a heading\n".into(),
            },
        ]));
        assert!(text.contains("`` echo `a`") || text.contains("``echo `a`"), "{text}");
        assert!(!text.contains('\x1b') && text.contains("⏎# y"), "{text}");
        assert!(text.contains("Asked: \\<script\\>⏎\\| \\[x\\](y) \\|"), "{text}");
        assert!(text.contains("````diff\n+```\n+# not a heading\n````"), "{text}");
    }
}
