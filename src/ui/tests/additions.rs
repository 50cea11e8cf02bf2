//! What DESIGN adds to the contract's blocks, as it is drawn.

use super::*;

#[test]
fn a_notification_is_a_line_of_the_chat_whose_level_has_a_sign() {
    let mut desk = Desk::new();
    desk.reply(&json!({"notifications": {"notes": [
        {"text": "kernel OOM in dmesg", "level": "critical"},
        {"text": "clock is 90 s off", "level": "warning"},
        {"text": "a reboot is pending"},
    ]}}));
    let picture = desk.picture();
    for line in [
        "◆ Linus notes: kernel OOM in dmesg",
        "▲ Linus notes: clock is 90 s off",
        "· Linus notes: a reboot is pending",
    ] {
        assert!(picture.contains(line), "{line:?} is not in\n{picture}");
    }
}

#[test]
fn the_check_of_the_current_step_is_shown_with_every_character_visible() {
    let mut desk = Desk::new();
    desk.reply(&json!({"intent_update": {"summary": "Disk", "steps": [
        {"status": "done", "text": "Look", "check": "true"},
        {"status": "current", "text": "Clean", "check": "df -h\u{a0}/var"},
        {"status": "pending", "text": "Rest", "check": "false"},
    ]}}));
    let picture = desk.picture();
    assert!(picture.contains("check: df -h"), "{picture}");
    assert!(!picture.contains("check: true") && !picture.contains("check: false"), "{picture}");
    assert!(!picture.contains('\u{a0}'), "{picture}");
}
