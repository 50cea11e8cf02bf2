use super::*;
use serde_json::Value;
use std::sync::Arc;

/// What the built-in Linus says, by the same messages as in a session.
fn answer(question: &str, piped: &str) -> Envelope {
    let mut peer = Door::BuiltIn(Arc::default()).peer();
    let answer = peer.call(&request(question, piped.into()), &Canceller::new(), &mut |_| {});
    answer.expect("he is in this process").envelope
}

fn fixture(name: &str) -> String {
    let path = format!("{}/tests/fixtures/builtin/{name}.txt", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).expect("fixture")
}

#[test]
fn df_alone_is_answered_with_its_numbers_and_what_to_run_next() {
    let text = render(&answer("why is /var full", &fixture("df-all")), false);
    assert!(text.contains("/var is 100 % full: 724M of 739M used"), "{text}");
    assert!(text.contains("/dev/loop0  739M  724M  0 100% /var"), "{text}");
    assert!(text.contains("1. sudo du -xh --max-depth=1 /var | sort -rh | head -20\n   [low]"), "{text}");
    assert!(text.contains("runbooks, no model") && text.contains("(command 1)"), "{text}");
    assert!(!text.contains('\u{1b}'));
}

#[test]
fn a_single_row_and_a_du_listing_are_understood_without_their_commands() {
    let text = render(&answer("why is /var full", &fixture("df-h")), false);
    assert!(text.contains("/var is 100 % full"), "{text}");
    let both = format!("{}{}", fixture("df-h"), fixture("du-ah"));
    let text = render(&answer("what is eating the space on /var?", &both), false);
    assert!(text.contains("/var/log/nginx holds 431M") && text.contains("error.log: 219M"), "{text}");
}

#[test]
fn nothing_piped_still_gets_the_first_command_and_other_questions_an_honest_answer() {
    assert!(render(&answer("my disk is full", ""), false).contains("1. df -h\n"));
    assert!(render(&answer("how do I exit vim", ""), false).starts_with("I don't know. I have "));
    let text = render(&answer("what is wrong here?", &fixture("df-all")), false);
    assert!(text.starts_with("/var is 100 % full"), "{text}");
    let text = render(&answer("how do I exit vim", &fixture("df-all")), false);
    assert!(text.contains("What was piped in says:\n/var is 100 % full"), "{text}");
}

#[test]
fn the_next_command_is_named_by_its_number() {
    let text = render(&answer("what is eating /var", &fixture("du-var")), false);
    assert!(text.contains("/var/log holds 542M of 664M."), "{text}");
    assert!(text.contains("Next: sudo du -xh --max-depth=1 /var/log | sor… (command 1)."), "{text}");
    assert!(text.contains("\n1. sudo du -xh --max-depth=1 /var/log | sort -rh | head -20\n"), "{text}");
}

#[test]
fn colour_is_only_added_where_asked_and_names_never_steer_the_terminal() {
    assert!(render(&answer("my disk is full", ""), true).contains("\u{1b}[32m[low]\u{1b}[0m"));
    let evil = "Filesystem Size Used Avail Use% Mounted on\n/dev/sdb1 20G 20G 0 100% /v\u{202e}ar\u{7}\n";
    let text = render(&answer("disk full?", evil), false);
    assert!(!text.contains(['\u{202e}', '\u{7}']) && text.contains("/v\\u{202e}ar"), "{text}");
}

#[test]
fn the_envelope_is_one_line_of_json() {
    let line = json(&answer("my disk is full", ""));
    assert!(!line.contains('\n'));
    let read: Value = serde_json::from_str(&line).unwrap_or_default();
    assert_eq!(read["suggested_commands"]["commands"][0]["command"], "df -h");
}

#[test]
fn large_input_keeps_its_beginning_and_its_end_and_says_so() {
    assert_eq!(clip(b"a\xffb"), ("a\u{fffd}b".into(), false));
    let mut bytes = b"first line\n".to_vec();
    bytes.resize(HEAD + TAIL + 100, b'x');
    bytes.extend_from_slice(b"\nlast line\n");
    let (text, is_cut) = clip(&bytes);
    assert!(is_cut && text.starts_with("first line\n--- snip ---\n") && text.ends_with("last line\n"));
    assert!(text.len() <= HEAD + TAIL + 20);
    assert_eq!(read_bounded(&bytes[..]).ok(), Some((text, true)));
    let (small, is_cut) = read_bounded(&bytes[..100]).expect("reads");
    assert!(!is_cut && small.len() == 100);
    let mut envelope = answer("my disk is full", "");
    say_clipped(&mut envelope);
    assert!(render(&envelope, false).contains("larger than 10 MiB"));
}

#[test]
fn what_is_empty_or_no_text_is_said_before_the_answer() {
    assert!(is_text(&fixture("df-all")));
    assert!(is_text("\u{1b}[31m98%\u{1b}[0m /var\r\n"));
    assert!(is_text("caf\u{fffd} au lait, in Latin-1"));
    assert!(is_text(" \n"));
    let program = String::from_utf8_lossy(b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0>\0").into_owned();
    let utf16: String = "df -h".chars().flat_map(|c| [c, '\0']).collect();
    for binary in [program, utf16] {
        assert!(!is_text(&binary));
    }
    let mut envelope = answer("my disk is full", "");
    say_first(&mut envelope, "What was piped in is empty.");
    let text = render(&envelope, false);
    assert!(text.starts_with("What was piped in is empty.\nNext: df -h (command 1)."), "{text}");
    let mut envelope = Envelope::default();
    say_first(&mut envelope, "What was piped in is empty.");
    assert_eq!(render(&envelope, false), "What was piped in is empty.\n");
}
