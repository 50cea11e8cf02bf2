//! Pictures of the whole screen, compared with `tests/fixtures/ui/*.txt`.
//!
//! `AISSH_UPDATE_FIXTURES=1 cargo test golden` writes them anew; look at the difference before committing it.

use std::num::NonZeroU16;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::{Buffer, CellWidth};
use ratatui::style::Color;
use serde_json::json;

use super::*;
use crate::copilot::{Copilot, Delivery, FileState, Place, policy};
use crate::files::Diff;
use crate::linus::contract::{Envelope, Risk};
use crate::shell::{Dialect, Shell};
use crate::terminal::Size;

pub(super) const SIZES: [(u16, u16); 3] = [(80, 24), (120, 40), (200, 60)];

pub(super) fn status() -> Status {
    Status {
        target: "root@10.250.50.70".into(),
        device: None,
        policy: PolicyStatus {
            mode: policy::Mode::Confirm,
            chain: None,
            limit: 8,
            announced: None,
            stopped: None,
            obstacle: None,
        },
        sharing: None,
        question: None,
        leaves: None,
        roster: None,
        health: None,
        recording: false,
        secret: false,
        prefix: "Ctrl-\\".into(),
        integration: Integration::default(),
    }
}

/// The story of the contract: /var is full.
pub(super) fn story(now: Instant) -> Copilot {
    let mut copilot = Copilot::new("built-in (runbooks, no model)");
    copilot.link.online(Duration::from_millis(3));
    let said = copilot.chat.say("hey linus, /var is full what's eating the space");
    copilot.chat.set_delivery(said, Delivery::Delivered);
    let reply = json!({
        "chat_response": {
            "message": "Looks like \x1b[1m/var/log\x1b[0m is the culprit at 4.2G. I've queued up some commands to \
                        identify the largest files.",
            "mentions": ["cmd_001"],
        },
        "intent_update": {
            "summary": "Investigating /var disk usage",
            "confidence": 0.85,
            "steps": [
                { "status": "done", "text": "Check overall disk usage with df -h" },
                { "status": "done", "text": "Identify largest directories in /var" },
                { "status": "current", "text": "List largest individual files in /var/log" },
                { "status": "pending", "text": "Determine if logs can be rotated or cleaned" },
                { "status": "pending", "text": "Free disk space safely" },
            ],
        },
        "suggested_commands": { "commands": [
            { "id": "cmd_000", "command": "du -xh --max-depth=1 /var", "description": "", "risk": "low" },
            { "id": "cmd_001", "command": "ls -lhS /var/log/*.log | head -10",
              "description": "List largest log files in /var/log", "risk": "low" },
            { "id": "cmd_002", "command": "sudo journalctl --disk-usage",
              "description": "Check journald disk usage", "risk": "low" },
            { "id": "cmd_003", "command": "sudo apt-get clean && sudo apt-get autoremove -y",
              "description": "Clean apt cache and remove unused packages (~500MB typical)", "risk": "medium" },
            { "id": "cmd_004", "command": "find /var/log -name '*.gz' -mtime +30 -delete",
              "description": "Delete rotated logs older than 30 days", "risk": "high" },
        ] },
    });
    copilot.apply(Envelope::read(&reply).0, now);
    copilot.suggestions.begin_edit("cmd_000", now).unwrap();
    copilot.suggestions.send_edit("du -xh --max-depth=1 /var").unwrap();
    copilot.suggestions.done("cmd_000", Some(0), now);
    copilot
}

pub(super) fn remote(layout: &Layout, size: Size) -> vt100::Parser {
    let size = layout.remote(size);
    let dimension = |n: u16| NonZeroU16::new(n.max(2)).unwrap();
    let mut parser = vt100::Parser::new(dimension(size.rows), dimension(size.cols), 0);
    parser.process(
        b"root@prod-web-03:~# df -h\r\nFilesystem      Size  Used Avail Use% Mounted on\r\n\
          /dev/sda1        45G   42G  1.2G  \x1b[31m98%\x1b[0m /\r\ntmpfs           7.8G     0  7.8G   0% /dev/shm\r\n\
          root@prod-web-03:~# du -xh --max-depth=1 /var\r\n4.2G    /var/log\r\n1.1G    /var/lib\r\n\
          root@prod-web-03:~# ",
    );
    parser
}

pub(super) fn draw_at(
    cols: u16,
    rows: u16,
    view: &mut View,
    copilot: &Copilot,
    status: &Status,
) -> (Buffer, Cursor) {
    let size = Size::new(cols, rows);
    let layout = Layout::new(size, view.choice());
    let parser = remote(&layout, size);
    let mut terminal = Terminal::new(TestBackend::new(cols, rows)).unwrap();
    let mut cursor = Cursor::default();
    terminal.draw(|frame| cursor = draw(frame, &layout, parser.screen(), view, copilot, status)).unwrap();
    (terminal.backend().buffer().clone(), cursor)
}

pub(super) fn picture(buffer: &Buffer) -> String {
    let mut out = String::new();
    for y in 0..buffer.area.height {
        let mut line = String::new();
        let mut x = 0;
        while x < buffer.area.width {
            let cell = &buffer[(x, y)];
            line.push_str(cell.symbol());
            x += cell.cell_width().max(1);
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

fn compare(name: &str, picture: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/fixtures/ui/{name}.txt"));
    if std::env::var_os("AISSH_UPDATE_FIXTURES").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, picture).unwrap();
    }
    let wanted = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(wanted == picture, "{name} differs from {}:\n{picture}", path.display());
}

fn all_sizes(name: &str, view: &View, copilot: &Copilot, status: &Status) {
    for (cols, rows) in SIZES {
        let (buffer, _) = draw_at(cols, rows, &mut view.clone(), copilot, status);
        compare(&format!("{name}-{cols}x{rows}"), &picture(&buffer));
    }
}

/// The same with its colours and attributes: where they change they stand in braces.
fn coloured(buffer: &Buffer) -> String {
    let mut out = String::new();
    for y in 0..buffer.area.height {
        let (mut line, mut last, mut x) = (String::new(), String::new(), 0);
        while x < buffer.area.width {
            let cell = &buffer[(x, y)];
            let style = match (cell.fg, cell.bg, cell.modifier) {
                (Color::Reset, Color::Reset, modifier) if modifier.is_empty() => String::new(),
                (fg, bg, modifier) => {
                    let colour = |name, colour| match colour {
                        Color::Reset => String::new(),
                        colour => format!("{name}{colour} "),
                    };
                    let names: Vec<&str> = modifier.iter_names().map(|(name, _)| name).collect();
                    format!("{}{}{}", colour("", fg), colour("on ", bg), names.join(" ").to_lowercase())
                }
            };
            if style != last {
                line.push_str(&format!("{{{}}}", style.trim_end()));
                last = style;
            }
            line.push_str(cell.symbol());
            x += cell.cell_width().max(1);
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

#[test]
fn golden_the_story_in_dark_light_and_without_colour() {
    let start = Instant::now();
    let mut copilot = story(start);
    copilot.chat.answer(
        "**Two** ways:\n\n1. `truncate -s 0 x`, see [man](https://x.example)\n2. wait\n\n```\ndf -h\n```",
    );
    let now = start + Duration::from_secs(1);
    let mut view = focused(&mut copilot, now);
    view.prefix(PrefixAction::Card(3), &mut copilot, now);
    let themes = [
        ("dark", Theme::new(Scheme::Dark)),
        ("light", Theme::new(Scheme::Light)),
        ("either", Theme::new(Scheme::Either)),
        ("light-16", Theme::new(Scheme::Light).in_sixteen()),
        ("either-16", Theme::new(Scheme::Either).in_sixteen()),
        ("plain", Theme::new(Scheme::None)),
    ];
    for (name, theme) in themes {
        for (cols, rows) in SIZES {
            view.theme = theme;
            let (buffer, _) = draw_at(cols, rows, &mut view.clone(), &copilot, &status());
            compare(&format!("{name}-{cols}x{rows}"), &coloured(&buffer));
        }
    }
}

#[test]
fn golden_the_panel_at_the_left_and_at_the_bottom() {
    let now = Instant::now();
    let mut copilot = story(now);
    for (name, position) in [("left", Position::Left), ("bottom", Position::Bottom)] {
        let mut view = View::new(Theme::new(Scheme::Dark), Choice { position, ..Choice::default() });
        view.set_shown(true);
        view.prefix(PrefixAction::Ask, &mut copilot, now);
        all_sizes(name, &view, &copilot, &status());
    }
}

pub(super) fn focused(copilot: &mut Copilot, now: Instant) -> View {
    let mut view = View::new(Theme::new(Scheme::Dark), Choice::default());
    view.set_shown(true);
    view.prefix(PrefixAction::Ask, copilot, now);
    view
}

#[test]
fn golden_an_empty_panel_says_what_to_do() {
    let mut view = View::new(Theme::new(Scheme::Dark), Choice::default());
    view.set_shown(true);
    all_sizes("empty", &view, &Copilot::new("built-in (runbooks, no model)"), &status());
}

#[test]
fn golden_the_contracts_story() {
    let now = Instant::now();
    let mut copilot = story(now);
    let view = focused(&mut copilot, now);
    all_sizes("story", &view, &copilot, &status());
}

#[test]
fn golden_in_ascii_everything_has_its_place() {
    let now = Instant::now();
    let mut copilot = story(now);
    copilot.chat.say("größe 漢字 👍🏽?");
    copilot.chat.answer("“Quotes” — and an ellipsis…");
    let mut view = focused(&mut copilot, now);
    let utf8: Vec<_> =
        SIZES.map(|(cols, rows)| draw_at(cols, rows, &mut view.clone(), &copilot, &status()).0).into();
    view.theme = view.theme.in_ascii();
    all_sizes("ascii", &view, &copilot, &status());
    for ((cols, rows), utf8) in SIZES.into_iter().zip(utf8) {
        let (ascii, _) = draw_at(cols, rows, &mut view.clone(), &copilot, &status());
        for (is, was) in ascii.content().iter().zip(utf8.content()) {
            assert!(is.symbol().is_ascii() && is.symbol().len() == 1, "{:?}", is.symbol());
            assert!(!was.symbol().is_ascii() || is.symbol() == was.symbol() || was.symbol() == " ", "moved");
        }
    }
}

#[test]
fn golden_a_card_on_the_edit_line() {
    let start = Instant::now();
    let mut copilot = story(start);
    let now = start + Duration::from_secs(1);
    let mut view = focused(&mut copilot, now);
    view.prefix(PrefixAction::Card(3), &mut copilot, now);
    view.key(KeyEvent::new(KeyCode::Char('w'), KeyModifiers::CONTROL), &mut copilot, now);
    all_sizes("edit", &view, &copilot, &status());
}

#[test]
fn golden_a_card_that_was_proposed_for_another_user() {
    let start = Instant::now();
    let mut copilot = story(start);
    let place = |user: &str| Place {
        user: Some(user.into()),
        host: Some("web-1".into()),
        prompt: Some(format!("{user}@web-1:~$ ")),
        dialect: Dialect::Bash,
        ..Place::default()
    };
    let reply = json!({ "suggested_commands": { "commands": [
        { "id": "cmd_005", "command": "systemctl restart nginx", "description": "Read the new configuration",
          "risk": "medium", "undo": "cp /etc/nginx/nginx.conf.bak /etc/nginx/nginx.conf",
          "verify": "systemctl is-active nginx" },
    ] }, "clear_suggestions": { "ids": ["cmd_002", "cmd_003", "cmd_004"] } });
    copilot.suggestions.set_place(place("root"), start);
    copilot.apply(Envelope::read(&reply).0, start);
    copilot.suggestions.set_place(place("postgres"), start);
    let now = start + Duration::from_secs(1);
    let mut view = focused(&mut copilot, now);
    all_sizes("stale", &view, &copilot, &status());
    view.prefix(PrefixAction::Card(2), &mut copilot, now);
    view.set_notice("Not sent: was root@web-1, now postgres@web-1. Enter sends it all the same");
    all_sizes("stale-asked", &view, &copilot, &status());
}

#[test]
fn golden_offline_with_a_queued_message_and_a_secret_prompt() {
    let now = Instant::now();
    let mut copilot = story(now);
    copilot.link.offline("connection refused");
    let said = copilot.chat.say("can I delete the old logs?");
    copilot.chat.set_delivery(said, Delivery::Queued);
    let view = focused(&mut copilot, now);
    all_sizes("offline", &view, &copilot, &Status { secret: true, recording: true, ..status() });
}

/// Three file actions, and one of them open.
fn files(copilot: &mut Copilot, now: Instant) {
    let reply = json!({ "file_actions": { "actions": [
        { "id": "file_001", "action": "update_file", "mode": "replace", "path": "/etc/nginx/sites-enabled/shop",
          "oldContent": "listen 80;", "content": ["listen 443 ssl;", "ssl_certificate /etc/ssl/shop.pem;"],
          "description": "Serve the shop over TLS" },
        { "id": "file_002", "action": "write_file", "path": "/tmp/notes\u{1b}[2J", "content": "x" },
        { "id": "file_003", "action": "update_file", "mode": "append", "path": "/etc/cron.d/report", "content": "# end" },
    ] } });
    copilot.apply(Envelope::read(&reply).0, now);
}

#[test]
fn golden_files_among_the_cards() {
    let now = Instant::now();
    let mut copilot = story(now);
    files(&mut copilot, now);
    copilot.files.begin("file_003");
    copilot.files.end("file_003", FileState::Failed("Permission denied.".into()));
    let mut view = focused(&mut copilot, now);
    let (buffer, _) = draw_at(200, 60, &mut view, &copilot, &status());
    compare("files-200x60", &picture(&buffer));
}

#[test]
fn golden_a_change_of_a_file_before_it_is_written() {
    let now = Instant::now();
    let mut copilot = story(now);
    files(&mut copilot, now);
    let mut view = focused(&mut copilot, now);
    view.open_file("file_001", "/etc/nginx/sites-enabled/shop");
    let (before, after) =
        ("server {\n\tlisten 80;\n\troot /srv;\n}\n", "server {\n\tlisten 443 ssl;\r\n\troot /srv;\n}");
    let shown = FileShown {
        path: "/etc/nginx/sites-available/shop".into(),
        how: "replace".into(),
        target: "root@prod-web-03".into(),
        level: Risk::High,
        reason: "Something runs in the terminal, perhaps another shell.".into(),
        warnings: vec!["It has 2 names (hard links). Only this one gets the new content; the others keep the old.".into()],
        notes: vec!["/etc/nginx/sites-enabled/shop is a symlink: the file that changes is /etc/nginx/sites-available/shop.".into()],
        diff: Diff::new(before, after, now + Duration::from_secs(1)),
    };
    view.show_file("file_001", FilePage::Shown(Box::new(shown)));
    view.key(KeyEvent::new(KeyCode::Enter, KeyModifiers::NONE), &mut copilot, now);
    view.key(KeyEvent::new(KeyCode::Char('y'), KeyModifiers::NONE), &mut copilot, now);
    all_sizes("file", &view, &copilot, &status());
}

#[test]
fn golden_help() {
    let now = Instant::now();
    let mut copilot = story(now);
    let mut view = focused(&mut copilot, now);
    view.prefix(PrefixAction::Help, &mut copilot, now);
    all_sizes("help", &view, &copilot, &status());
}

#[test]
fn golden_a_narrow_terminal_has_the_panel_alone() {
    let now = Instant::now();
    let mut copilot = story(now);
    let mut view = focused(&mut copilot, now);
    let (buffer, _) = draw_at(50, 30, &mut view, &copilot, &status());
    compare("narrow-50x30", &picture(&buffer));
}

#[test]
fn golden_auto_asks_announces_and_says_why_it_is_off() {
    let now = Instant::now();
    let mut copilot = story(now);
    let mut view = focused(&mut copilot, now);
    let auto = PolicyStatus {
        mode: policy::Mode::Auto,
        chain: Some((2, 8)),
        announced: Some(policy::Announcement {
            id: "cmd_001".into(),
            left: Some(Duration::from_millis(1500)),
        }),
        ..status().policy
    };
    all_sizes("auto", &view, &copilot, &Status { policy: auto.clone(), ..status() });
    let (buffer, _) = draw_at(50, 10, &mut view, &copilot, &Status { policy: auto, ..status() });
    compare("auto-narrow-50x10", &picture(&buffer));
    let why = policy::Stop::Hidden(policy::Hidden::Concealed).text();
    let off = PolicyStatus { stopped: Some(why), ..status().policy };
    all_sizes("auto-off", &view, &copilot, &Status { policy: off, ..status() });
    view.ask_auto();
    all_sizes("auto-asks", &view, &copilot, &status());
    let obstacle = Some(policy::Stop::Untrusted.text());
    let blocked = PolicyStatus { obstacle, ..status().policy };
    let (buffer, _) = draw_at(80, 24, &mut view, &copilot, &Status { policy: blocked, ..status() });
    compare("auto-asks-blocked-80x24", &picture(&buffer));
}

#[test]
fn golden_the_shell_integration_before_it_is_typed() {
    let now = Instant::now();
    let mut copilot = story(now);
    let mut view = focused(&mut copilot, now);
    view.prefix(PrefixAction::Integration, &mut copilot, now);
    let with = |dialect, answer| Status {
        integration: Integration { shell: Shell::of(dialect), dialect, is_on: false, answer },
        ..status()
    };
    all_sizes("integration", &view, &copilot, &with(Dialect::Bash, Some(true)));
    let (buffer, _) = draw_at(80, 24, &mut view.clone(), &copilot, &with(Dialect::Unknown, None));
    compare("integration-unknown-80x24", &picture(&buffer));
    let (buffer, _) = draw_at(80, 24, &mut view.clone(), &copilot, &with(Dialect::RouterOs, None));
    compare("integration-device-80x24", &picture(&buffer));
}

#[test]
fn golden_a_pause_is_seen_at_eighty_columns_whatever_linus_does() {
    let now = Instant::now();
    let mut copilot = Copilot::new("linus.example.com:8443");
    let mut view = focused(&mut copilot, now);
    let mut foot = String::new();
    for word in ["paused", "updates off", "updates held"] {
        for state in 0..3 {
            match state {
                0 => copilot.link.offline("connection refused"),
                1 => copilot.link.online(Duration::from_millis(42)),
                _ => copilot = Copilot::new("linus.example.com:8443"),
            }
            let status = Status { sharing: Some(word), ..status() };
            let (buffer, _) = draw_at(80, 24, &mut view, &copilot, &status);
            let picture = picture(&buffer);
            foot += &picture.lines().skip(21).map(|line| format!("{line}\n")).collect::<String>();
        }
    }
    compare("sharing-80x24", &foot);
}

#[test]
fn golden_the_question_before_anything_leaves() {
    let now = Instant::now();
    let mut copilot = Copilot::new("linus.example.com:8443");
    let view = focused(&mut copilot, now);
    let question = Question {
        to: "https://linus.example.com:8443".into(),
        target: "root@10.250.50.70".into(),
        only_asked: false,
    };
    let status = Status { question: Some(question), sharing: Some("not allowed yet"), ..status() };
    all_sizes("consent", &view, &copilot, &status);
}

#[test]
fn golden_what_leaves_is_shown_as_it_goes() {
    let now = Instant::now();
    let mut copilot = story(now);
    let mut view = focused(&mut copilot, now);
    view.prefix(PrefixAction::Leaves, &mut copilot, now);
    let leaf = |what, title: &str, body: &str| Leaf { what, title: title.into(), body: body.into() };
    let next = json!({"jsonrpc": "2.0", "id": 4, "method": "tools/call", "params": {"name": "linus_chat", "arguments": {
        "session_id": "6f1c", "message": "why is /var full",
        "context": {"ssh_host": "root@10.250.50.70", "ssh_user": "root", "connected": true, "cwd": "/root",
            "terminal_tail": "root@prod-web-03:~# export KEY=‹aws-key-1›\nroot@prod-web-03:~# ",
            "last_command": null, "last_exit_code": null}}}});
    let leaves = Leaves {
        to: "To https://linus.example.com:8443, who may know of web03.".into(),
        consent: Some("take that back"),
        leaves: vec![
            leaf(What::Next, "next, if you ask now: linus_chat", &next.to_string()),
            leaf(
                What::Offer(1),
                "not sent, 3 days ago: can I delete the old logs?",
                "can I delete the old logs?",
            ),
            leaf(What::Sent, "sent 12 seconds ago: linus_terminal_update", &next.to_string()),
        ],
    };
    all_sizes("leaves", &view, &copilot, &Status { leaves: Some(leaves), ..status() });
}
