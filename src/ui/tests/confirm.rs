//! Risk on the edit line: judged at every key, and typed to be sent when it is high.

use super::*;

const COMMAND: &str = "find /var/log -name '*.gz' -mtime +30 -delete";

fn sent(actions: &[Action]) -> Option<&str> {
    match actions {
        [Action::SendCard { text, .. }] => Some(text),
        _ => None,
    }
}

impl Desk {
    /// Card 4 of the story deletes.
    fn deleting() -> Self {
        let mut desk = Self::new();
        desk.prefix(PrefixAction::Card(4));
        desk
    }
}

#[test]
fn enter_alone_does_not_send_what_is_high() {
    let mut desk = Desk::deleting();
    assert_eq!(desk.press(KeyCode::Enter), []);
    assert_eq!(desk.state("cmd_004"), &CardState::Proposed);
    assert_eq!(desk.press(KeyCode::Enter), [], "nothing was typed");
    assert!(desk.picture().contains("Not sent: yes was not typed"), "{}", desk.picture());
    assert!(desk.view.is_editing());
    desk.press(KeyCode::Enter);
    desk.type_text("y");
    assert_eq!(desk.press(KeyCode::Enter), [], "a letter is not the word");
}

#[test]
fn the_word_sends_the_command_byte_for_byte_and_once() {
    let mut desk = Desk::deleting();
    desk.press(KeyCode::Enter);
    assert!(desk.picture().contains("yes?"), "{}", desk.picture());
    desk.type_text("yes");
    assert_eq!(sent(&desk.press(KeyCode::Enter)), Some(COMMAND));
    assert_eq!(desk.state("cmd_004"), &CardState::Sent);
    assert_eq!(desk.press(KeyCode::Enter), []);
}

#[test]
fn esc_leads_back_to_the_edit_line_and_a_paste_confirms_nothing() {
    let mut desk = Desk::deleting();
    desk.press(KeyCode::Enter);
    desk.view.paste("yes");
    assert_eq!(desk.press(KeyCode::Enter), []);
    desk.press(KeyCode::Enter);
    assert_eq!(desk.press(KeyCode::Esc), []);
    desk.type_text("x");
    assert_eq!(desk.view.edit.as_ref().unwrap().text(), format!("{COMMAND}x"));
    assert!(desk.view.is_editing());
}

#[test]
fn the_risk_is_that_of_the_text_on_the_line_after_every_key() {
    let mut desk = Desk::new();
    desk.prefix(PrefixAction::Card(1));
    assert!(desk.picture().contains("● low"), "{}", desk.picture());
    desk.press_with(KeyCode::Char('u'), KeyModifiers::CONTROL);
    desk.type_text("rm -r /var");
    let picture = desk.picture();
    assert!(picture.contains("Edit 1 cmd_001") && picture.contains("◆ high"), "{picture}");
    assert!(picture.contains("destructive: rm: deletes a whole"), "{picture}");
    assert_eq!(desk.press(KeyCode::Enter), []);
    // Low by Linus's label: ours is what counts.
    assert_eq!(desk.state("cmd_001"), &CardState::Proposed);
    desk.press(KeyCode::Esc);
    desk.press_with(KeyCode::Char('u'), KeyModifiers::CONTROL);
    desk.type_text("ls /var/log");
    assert_eq!(sent(&desk.press(KeyCode::Enter)), Some("ls /var/log"));
}

#[test]
fn linus_raises_a_level_and_never_lowers_one() {
    let mut desk = Desk::new();
    desk.reply(&json!({ "suggested_commands": { "commands": [
        { "id": "a", "command": "ip link set eth0 down", "risk": "low" },
        { "id": "b", "command": "df -h", "risk": "high" },
        { "id": "c", "command": "ls !$", "risk": "low" },
    ] }, "clear_suggestions": { "all": true } }));
    let level = |desk: &Desk, id: &str| desk.copilot.suggestions.get(id).unwrap().judgement().level;
    assert_eq!(level(&desk, "a"), Risk::High);
    assert_eq!(level(&desk, "b"), Risk::High);
    assert_eq!(level(&desk, "c"), Risk::Medium, "history is never low");
    let picture = desk.picture();
    assert!(picture.contains("connectivity: ip: changes addresses"), "{picture}");
    assert!(picture.contains("Linus calls it high"), "{picture}");
}

#[test]
fn another_language_of_the_remote_is_another_risk() {
    let mut desk = Desk::new();
    desk.reply(&json!({ "suggested_commands": { "commands": [
        { "id": "sw", "command": "write erase", "risk": "low" },
    ] } }));
    let judged = |desk: &Desk| desk.copilot.suggestions.get("sw").unwrap().judgement();
    assert_eq!(judged(&desk).level, Risk::Medium, "not a shell's");
    desk.copilot.suggestions.set_place(Place { dialect: Dialect::Ios, ..Place::default() }, desk.now);
    assert_eq!(judged(&desk).level, Risk::High);
    assert!(judged(&desk).reason.contains("deletes the configuration"), "{}", judged(&desk).reason);
}

#[test]
fn a_command_with_a_control_character_cannot_be_picked_and_says_which() {
    let mut desk = Desk::new();
    desk.reply(&json!({ "suggested_commands": { "commands": [
        { "id": "esc", "command": "ls\u{1b}[2K\rrm -rf /", "risk": "low" },
    ] }, "clear_suggestions": { "all": true } }));
    let picture = desk.picture();
    assert!(picture.contains("ls␛[2K␍rm -rf /") && picture.contains("◆ high"), "{picture}");
    assert!(picture.contains("refused: it holds the control character"), "{picture}");
    desk.prefix(PrefixAction::Card(1));
    assert!(!desk.view.is_editing());
}

#[test]
fn the_confirmation_has_a_row_and_the_cursor_in_every_size() {
    for (cols, rows) in [(80, 24), (200, 60), (120, 40), (60, 20)] {
        let mut desk = Desk::deleting();
        desk.press(KeyCode::Enter);
        desk.type_text("ye");
        let (buffer, cursor) = desk.draw(cols, rows);
        let (x, y) = find(&buffer, "yes? ye");
        assert_eq!(cursor.position, Some((x + 7, y).into()), "{cols}x{rows}");
        let shown = picture(&buffer);
        assert!(shown.contains("-delete"), "the command stays in sight at {cols}x{rows}:\n{shown}");
        assert!(shown.contains("destructive: find: deletes"), "{cols}x{rows}:\n{shown}");
    }
}
