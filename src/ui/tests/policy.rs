//! The keys of the policy: the question before auto, and what puts its reason away.

use super::*;

#[test]
fn the_word_of_the_question_goes_to_the_session_and_a_paste_is_no_word() {
    let mut desk = Desk::new();
    assert_eq!(desk.prefix(PrefixAction::Policy), [Action::NextMode]);
    desk.view.ask_auto();
    assert!(desk.view.is_busy() && desk.view.asks_auto());
    desk.view.paste("auto");
    assert!(desk.picture().contains("typed, not pasted"), "{}", desk.picture());
    desk.type_text("yes");
    assert_eq!(desk.press(KeyCode::Enter), [Action::TurnAutoOn("yes".into())]);
    assert!(desk.view.asks_auto(), "the session closes it");
    desk.press(KeyCode::Esc);
    assert!(!desk.view.asks_auto() && !desk.view.is_busy());
}

#[test]
fn another_key_after_the_prefix_closes_the_question() {
    let mut desk = Desk::new();
    desk.view.ask_auto();
    desk.prefix(PrefixAction::Help);
    assert!(!desk.view.asks_auto());
    desk.view.ask_auto();
    desk.prefix(PrefixAction::Policy);
    assert!(desk.view.asks_auto(), "the session says what the next mode is");
    desk.view.set_shown(false);
    assert!(!desk.view.asks_auto());
    assert_eq!(desk.prefix(PrefixAction::Policy), [Action::OpenPanel, Action::NextMode]);
}

#[test]
fn the_reason_is_put_away_where_no_card_is_chosen() {
    let mut desk = Desk::new();
    let put_away = |desk: &mut Desk| desk.press_with(KeyCode::Char('x'), KeyModifiers::CONTROL);
    assert_eq!(put_away(&mut desk), [Action::DismissStop]);
    desk.press(KeyCode::Down);
    assert_eq!(put_away(&mut desk), [], "that is for the card");
}

#[test]
fn what_covers_the_cards_keeps_auto_waiting() {
    for action in [PrefixAction::Leaves, PrefixAction::Help, PrefixAction::Integration] {
        let mut desk = Desk::new();
        assert!(!desk.view.is_busy());
        desk.prefix(action);
        assert!(desk.view.is_busy(), "{action:?}");
    }
}

#[test]
fn the_policy_is_seen_only_where_it_is_drawn() {
    let mut desk = Desk::new();
    for (cols, rows, seen) in [(120, 40, true), (80, 24, true), (120, 7, false), (50, 24, true)] {
        desk.view.note_layout(&Layout::new(Size::new(cols, rows), desk.view.choice()));
        assert_eq!(desk.view.shows_policy(), seen, "{cols}x{rows}");
    }
    // Alone on a narrow screen it is drawn while it has the keys.
    desk.view.leave();
    assert!(!desk.view.shows_policy());
    desk.view.enter();
    desk.view.set_shown(false);
    assert!(!desk.view.shows_policy());
}
