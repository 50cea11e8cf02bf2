//! Holes: filled in on the card, shown whole before Enter, and gone afterwards.

use super::*;

impl Desk {
    /// One card with these holes, on the edit line.
    fn filling(command: &str, placeholders: &serde_json::Value) -> Self {
        let mut desk = Self::new();
        desk.reply(&json!({ "clear_suggestions": { "all": true }, "suggested_commands": { "commands": [
            { "id": "h", "command": command, "risk": "low", "placeholders": placeholders },
        ] } }));
        desk.now += Duration::from_secs(1);
        desk.prefix(PrefixAction::Card(1));
        desk
    }

    fn answer(&mut self, text: &str) -> Vec<Action> {
        self.type_text(text);
        self.press(KeyCode::Enter)
    }
}

fn sent(actions: &[Action]) -> Option<(&str, bool)> {
    match actions {
        [Action::SendCard { text, was_edited, .. }] => Some((text, *was_edited)),
        _ => None,
    }
}

#[test]
fn each_hole_is_asked_for_and_the_whole_command_is_shown_before_it_is_sent() {
    let mut desk =
        Desk::filling("ls -l <DIR> # on <HOST>", &json!([{ "name": "DIR", "description": "where" }]));
    assert_eq!(desk.press(KeyCode::Enter), []);
    assert!(desk.picture().contains("DIR (where):"), "{}", desk.picture());
    assert_eq!(desk.press(KeyCode::Enter), [], "an empty value is none");
    assert!(desk.picture().contains("DIR: a value is needed"), "{}", desk.picture());
    assert_eq!(desk.answer("/var/my log"), []);
    assert!(desk.picture().contains("HOST:"), "{}", desk.picture());
    // Nobody has named it: it may stay as it stands.
    assert_eq!(desk.press(KeyCode::Enter), []);
    assert!(desk.picture().contains("› ls -l '/var/my log' # on <HOST>"), "{}", desk.picture());
    assert_eq!(sent(&desk.press(KeyCode::Enter)), Some(("ls -l '/var/my log' # on <HOST>", false)));
    assert_eq!(desk.copilot.suggestions.get("h").unwrap().text(), "ls -l <DIR> # on <HOST>");
}

#[test]
fn a_secret_is_never_drawn_and_is_not_in_the_card() {
    let mut desk = Desk::filling("mysql -uroot -p<PASSWORD> -e status", &json!([]));
    desk.press(KeyCode::Enter);
    desk.view.paste("hunter2 x\n");
    for (cols, rows) in [(80, 24), (120, 40), (200, 60)] {
        let shown = picture(&desk.draw(cols, rows).0);
        assert!(shown.contains("not shown"), "{shown}");
        assert!(!shown.contains("hunter"), "{shown}");
    }
    desk.press(KeyCode::Enter);
    let shown = desk.picture();
    assert!(shown.contains("-p•••••• -e") && !shown.contains("hunter"), "{shown}");
    assert!(!format!("{:?}{:?}", desk.view, desk.copilot).contains("hunter"));
    assert_eq!(
        sent(&desk.press(KeyCode::Enter)).map(|(text, _)| text),
        Some("mysql -uroot -p'hunter2 x' -e status")
    );
    assert!(!format!("{}{:?}", desk.picture(), desk.copilot).contains("hunter"));
    assert_eq!(desk.copilot.suggestions.take_values(), [crate::copilot::Value::new("hunter2 x")]);
}

#[test]
fn the_risk_is_that_of_the_command_with_its_values() {
    let mut desk = Desk::filling("cat <FILE>", &json!([{ "name": "FILE" }]));
    assert!(desk.picture().contains("▲ medium"), "{}", desk.picture());
    assert!(!desk.picture().contains("cannot be read"), "a hole is no redirect: {}", desk.picture());
    desk.press(KeyCode::Enter);
    desk.answer("/etc/shadow");
    assert!(desk.picture().contains("◆ high"), "{}", desk.picture());
    assert_eq!(desk.press(KeyCode::Enter), [], "a word is wanted");
    assert_eq!(sent(&desk.answer("yes")).map(|(text, _)| text), Some("cat /etc/shadow"));
}

#[test]
fn what_came_back_is_sent_by_the_same_key_and_esc_forgets_the_values() {
    let mut desk = Desk::filling("ls <DIR>", &json!([{ "name": "DIR" }]));
    desk.press(KeyCode::Enter);
    desk.answer("/srv");
    assert_eq!(sent(&desk.press(KeyCode::Enter)).map(|(text, _)| text), Some("ls /srv"));
    desk.view.not_sent("h", "Something runs there.", &mut desk.copilot);
    assert!(desk.picture().contains("› ls /srv"), "{}", desk.picture());
    assert_eq!(sent(&desk.press(KeyCode::Enter)).map(|(text, _)| text), Some("ls /srv"));
    desk.view.not_sent("h", "Something runs there.", &mut desk.copilot);
    assert_eq!(desk.press(KeyCode::Esc), []);
    assert!(desk.picture().contains("› ls <DIR>"), "{}", desk.picture());
    desk.press(KeyCode::Enter);
    assert!(desk.picture().contains("DIR:"), "{}", desk.picture());
}

#[test]
fn a_value_that_cannot_be_quoted_there_is_refused_and_can_be_typed_again() {
    let mut desk = Desk::filling("ssh web ls <DIR>", &json!([{ "name": "DIR" }]));
    desk.press(KeyCode::Enter);
    desk.answer("/var; reboot");
    assert!(desk.picture().contains("another shell reads it there"), "{}", desk.picture());
    desk.press_with(KeyCode::Char('u'), KeyModifiers::CONTROL);
    desk.answer("/var");
    assert_eq!(sent(&desk.press(KeyCode::Enter)).map(|(text, _)| text), Some("ssh web ls /var"));
}
