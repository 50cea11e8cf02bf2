//! `--sessions`: this user's live sessions, a line each.

use crate::agents::client::sessions;
use crate::agents::runtime::Folder;
use crate::error::{Error, status};
use crate::text::{sanitize, width};
use serde_json::{Value, json};

/// The list as text, or as JSON for programs.
pub(crate) fn run(as_json: bool) -> Result<String, Error> {
    let failed = |why: String| Error::new(status::UNAVAILABLE, format!("sessions: {why}"));
    let folder = Folder::of_user().map_err(|e| failed(e.to_string()))?;
    let all = sessions(&folder, "").map_err(failed)?;
    if as_json {
        return Ok(format!("{}\n", json!({"sessions": all})));
    }
    Ok(table(&all.iter().map(row).collect::<Vec<_>>()))
}

const HEAD: [&str; 7] = ["SESSION", "HOST", "DIALECT", "STATE", "CARDS", "AGE", "LAST COMMAND"];

fn row(about: &Value) -> [String; 7] {
    let text = |key: &str| line(about[key].as_str().unwrap_or("-"));
    let last = about["last_command"]["command"].as_str().map(|command| {
        let exit = about["last_command"]["exit_code"].as_i64();
        format!("{} → {}", line(command), exit.map_or_else(|| "?".to_owned(), |code| code.to_string()))
    });
    let shared = if about["shared"] == true { " (shared)" } else { "" };
    [
        text("alias"),
        text("ssh_host"),
        text("dialect"),
        text("state") + shared,
        about["pending_cards"].as_u64().unwrap_or_default().to_string(),
        age(about["age_s"].as_u64().unwrap_or_default()),
        last.unwrap_or_else(|| "-".to_owned()),
    ]
}

/// One line, harmless.
fn line(text: &str) -> String {
    sanitize(text).replace(['\n', '\t'], " ")
}

fn age(seconds: u64) -> String {
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min", seconds / 60),
        3600..86_400 => format!("{} h", seconds / 3600),
        _ => format!("{} d", seconds / 86_400),
    }
}

fn table(rows: &[[String; 7]]) -> String {
    let head = HEAD.map(str::to_owned);
    let all: Vec<&[String; 7]> = std::iter::once(&head).chain(rows).collect();
    let widths: Vec<usize> =
        (0..HEAD.len()).map(|at| all.iter().map(|row| width(&row[at])).max().unwrap_or(0)).collect();
    let line = |row: &&[String; 7]| {
        let cells = row.iter().zip(&widths);
        let cells: Vec<String> =
            cells.map(|(cell, wide)| format!("{cell}{}", " ".repeat(wide - width(cell)))).collect();
        cells.join("  ").trim_end().to_owned() + "\n"
    };
    all.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_what_a_session_says_and_nothing_that_acts() {
        let about = json!({
            "alias": "web-1", "ssh_host": "root@web\u{1b}[2J", "dialect": "bash", "state": "at_prompt", "shared": true,
            "pending_cards": 2, "age_s": 7200, "last_command": {"command": "df\n-h", "exit_code": null},
        });
        let text = table(&[row(&about)]);
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines.len() == 2 && !text.contains('\u{1b}'), "{text:?}");
        assert!(lines[1].starts_with("web-1    root@web"), "{text}");
        assert!(lines[1].contains("at_prompt (shared)  2      2 h  df -h → ?"), "{text}");
    }
}
