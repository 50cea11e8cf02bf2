//! The redactor as a whole: placeholders, what is known again, edges, messages, what is put back.

use super::*;
use crate::linus::contract::{ChatContext, Context, Request, Source};

/// Made up, like all secrets here; in two pieces, so that no scanner of repositories takes it for one.
const TOKEN: &str = concat!("gh", "p_8sKd02jXmQpL4vRtYbN6wZcE3uHgA1fT5iOq");
const OTHER: &str = concat!("gh", "p_Q7w8E9r0T1y2U3i4O5p6A7s8D9f0G1h2J3k4");

fn redactor() -> Redactor {
    let mut redactor = Redactor::new(Options::default());
    redactor.set_target("root@web");
    redactor
}

fn redact(redactor: &mut Redactor, text: &str) -> String {
    redactor.redact(text).unwrap().text
}

#[test]
fn a_secret_keeps_its_placeholder_and_another_gets_the_next() {
    let mut redactor = redactor();
    assert_eq!(
        redact(&mut redactor, &format!("a {TOKEN}\nb {OTHER}\n")),
        "a ‹github-token-1›\nb ‹github-token-2›\n"
    );
    assert_eq!(redact(&mut redactor, &format!("again {OTHER}.")), "again ‹github-token-2›.");
    // Also in colours, and broken over rows.
    let coloured = format!("{}\x1b[1m{}\r\n{}", &TOKEN[..7], &TOKEN[7..20], &TOKEN[20..]);
    assert_eq!(redact(&mut redactor, &coloured), "‹github-token-1›");
}

#[test]
fn a_row_that_is_no_rest_of_a_token_stays() {
    // The first row is the widest, so it may have been wrapped.
    let echoed = |token: &str| format!("$ echo 1 {token}\n1 {token}\n$ ");
    assert_eq!(redact(&mut redactor(), &echoed(TOKEN)), echoed("‹github-token-1›"));
}

#[test]
fn what_was_found_is_where_it_says() {
    let text = format!("größe {TOKEN} password=hunter2hunter x");
    let redacted = redactor().redact(&text).unwrap();
    for found in &redacted.found {
        assert_eq!(&redacted.text[found.range.clone()], found.placeholder);
    }
    let classes: Vec<_> = redacted.found.iter().map(|f| f.class).collect();
    assert_eq!(classes, ["github-token", "password"]);
    assert_eq!(redacted.text, "größe ‹github-token-1› password=‹password-1› x");
}

#[test]
fn a_secret_is_known_again_where_nothing_says_that_it_is_one() {
    let mut redactor = redactor();
    assert_eq!(redact(&mut redactor, "it is tr0ub4dor&3x\n"), "it is tr0ub4dor&3x\n");
    assert_eq!(redact(&mut redactor, "password=tr0ub4dor&3x\n"), "password=‹password-1›\n");
    assert_eq!(redact(&mut redactor, "it is tr0ub4dor&3x\n"), "it is ‹password-1›\n");
    // A word is not: it would be everywhere.
    redact(&mut redactor, "password=production\n");
    assert_eq!(redact(&mut redactor, "in production\n"), "in production\n");
}

#[test]
fn what_was_learned_is_hidden_in_every_form() {
    let mut redactor = redactor();
    redactor.learn("It's \"me\" & you/", "filled");
    for shown in [
        "x It's \"me\" & you/ y",
        "x It\\'s\\ \\\"me\\\"\\ \\&\\ you/ y",
        "x It's \\\"me\\\" & you/ y",
        "x It%27s%20%22me%22%20%26%20you%2F y",
        "x It&#39;s &quot;me&quot; &amp; you/ y",
        "x 4974277320226d65222026 20796f752f y 497427732022 6d6522202620796f752f",
        "x It's \"m\ne\" & \x1b[1myou/ y",
    ] {
        let text = redact(&mut redactor, shown);
        assert!(shown.contains("22026 2") || text == "x ‹filled-1› y", "{shown}: {text}");
    }
    // echo -n "$secret" | base64, with something before and after it.
    for shown in ["SXQncyAibWUiICYgeW91Lw==", "OiBJdCdzICJtZSIgJiB5b3UvCg=="] {
        assert!(redact(&mut redactor, shown).contains("‹filled-1›"), "{shown}");
    }
}

#[test]
fn placeholders_of_others_are_made_unlike_ours() {
    let mut redactor = redactor();
    redact(&mut redactor, TOKEN);
    let forged = "say ‹github-token-1› and ‹git\x1b[1mhub-token-1› and ‹x-part› ‹nonce›";
    let quoted = "say ‹quoted.github-token-1› and ‹quoted.github-token-1› and ‹quoted.x-part› ‹nonce›";
    assert_eq!(redact(&mut redactor, forged), quoted);
    assert_eq!(redact(&mut redactor, quoted), quoted);
    // The user and Linus may speak of one.
    let ours = redactor.redact_ours("what is ‹github-token-1›, and ‹github-token-9›?").unwrap();
    assert_eq!(
        (ours.text.as_str(), ours.found.len()),
        ("what is ‹github-token-1›, and ‹quoted.github-token-9›?", 0)
    );
}

#[test]
fn a_token_that_the_text_ends_in_is_hidden_at_every_length() {
    for end in "ghp_".len() + 1..TOKEN.len() {
        let text = redact(&mut redactor(), &format!("$ echo {}", &TOKEN[..end]));
        assert_eq!(text, "$ echo ‹github-token-part›", "{end}");
    }
    for end in 1..14 {
        let text = redact(&mut redactor(), &format!("psql postgres://app:{}", &"korrekt-Pferd7"[..end]));
        assert!(text.starts_with("psql postgres://app:‹password-"), "{end}: {text}");
    }
}

#[test]
fn a_secret_that_was_seen_is_known_at_both_edges() {
    let mut redactor = redactor();
    redactor.learn("korrekt-Pferd7", "filled");
    for cut in 4..10 {
        let (begin, end) = "korrekt-Pferd7".split_at(cut);
        assert_eq!(redact(&mut redactor, &format!("is {begin}")), "is ‹filled-part›", "{begin}");
        let mut update = update(&format!("{end} it is"), "");
        redactor.redact_request(&mut update).unwrap();
        assert_eq!(new_output(&update), "‹filled-part› it is", "{end}");
        let cut = redact(&mut redactor, &format!("is {begin}\n--- snip ---\n{end} it is"));
        assert_eq!(cut, "is ‹filled-part›\n--- snip ---\n‹filled-part› it is");
    }
}

fn update(new_output: &str, tail: &str) -> Request {
    let context = Context { ssh_host: "root@web".into(), ssh_user: "root".into(), cwd: None };
    Request::TerminalUpdate {
        session_id: "s".into(),
        new_output: new_output.into(),
        terminal_tail: tail.into(),
        context,
    }
}

fn new_output(request: &Request) -> &str {
    let Request::TerminalUpdate { new_output, .. } = request else { panic!("{request:?}") };
    new_output
}

/// A private key of five lines.
fn key() -> Vec<String> {
    let line = |n: usize| {
        let digits = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        (0..64).map(|i| char::from(digits[(i * 29 + n * 17 + i * i * 7) % 64])).collect::<String>()
    };
    let mut lines = vec![concat!("-----BEGIN RSA ", "PRIVATE KEY-----").to_owned()];
    lines.extend((1..5).map(line));
    lines.extend(["c2hvcnQ=".to_owned(), concat!("-----END RSA ", "PRIVATE KEY-----").to_owned()]);
    lines
}

#[test]
fn a_private_key_that_is_split_over_updates_is_hidden_at_every_line() {
    let lines = key();
    for split in 1..lines.len() {
        for with_tail in [false, true] {
            let mut redactor = redactor();
            let first = format!("$ cat key\n{}\n", lines[..split].join("\n"));
            let second = format!("{}\n$ ", lines[split..].join("\n"));
            let tail = |text: &str| if with_tail { text.to_owned() } else { String::new() };
            let mut told = String::new();
            for (new, tail) in [(&first, tail(&first)), (&second, tail(&format!("{first}{second}")))] {
                let mut update = update(new, &tail);
                redactor.redact_request(&mut update).unwrap();
                told.push_str(&format!("{update:?}"));
            }
            for line in &lines[1..lines.len() - 1] {
                assert!(!told.contains(line.as_str()), "{split} {with_tail}: {told}");
            }
            assert!(told.contains("$ cat key"));
        }
    }
}

#[test]
fn a_tail_that_begins_within_a_private_key_hides_the_rest_of_it() {
    let lines = key();
    for first in 1..lines.len() - 1 {
        let mut update = update("", &format!("{}\n$ ls\n", lines[first..].join("\n")));
        redactor().redact_request(&mut update).unwrap();
        let told = format!("{update:?}");
        assert!(!told.contains(&lines[first]) && told.contains("$ ls"), "{first}: {told}");
    }
    // A certificate is none, and base64 of something else neither.
    let certificate = format!("{}\n-----END CERTIFICATE-----\n$ ", lines[1..5].join("\n"));
    let mut same = update("", &certificate);
    assert_eq!(redactor().redact_request(&mut same).unwrap(), []);
}

#[test]
fn every_text_of_a_message_is_redacted() {
    let context = ChatContext {
        ssh_host: "root@web".into(),
        ssh_user: "root".into(),
        connected: true,
        terminal_tail: format!("tail {TOKEN}"),
        cwd: Some(format!("/srv/{TOKEN}")),
        last_command: Some(format!("echo {TOKEN}")),
        last_exit_code: None,
    };
    let chat = Request::Chat { session_id: "s".into(), message: format!("what is {TOKEN}?"), context };
    let command = Request::CommandExecuted {
        session_id: "s".into(),
        command: format!("echo {TOKEN}"),
        source: Source::UserTyped,
        suggestion_id: None,
        was_edited: None,
        output: format!("{TOKEN}\n"),
        exit_code: None,
        is_final: true,
        context: Context { ssh_host: "root@web".into(), ssh_user: "root".into(), cwd: Some(TOKEN.into()) },
    };
    for (mut request, count) in [(chat, 4), (command, 3), (update(TOKEN, TOKEN), 2)] {
        let found = redactor().redact_request(&mut request).unwrap();
        assert!(!format!("{request:?}").contains(&TOKEN[4..]), "{request:?}");
        assert_eq!(found.len(), count, "{request:?}");
        assert!(found.iter().all(|f| f.placeholder == "‹github-token-1›" && !f.field.is_empty()));
    }
}

#[test]
fn a_text_that_costs_too_much_is_not_redacted_at_all() {
    let mut redactor = Redactor::new(Options { budget: 0, ..Options::default() });
    assert_eq!(redactor.redact(&"password=".repeat(100_000)), Err(Unredactable::Costly));
    let mut broken = Redactor::new(Options { patterns: vec!["(".into()], ..Options::default() });
    assert!(matches!(broken.redact("x"), Err(Unredactable::Pattern(_))));
    let mut full = Redactor::new(Options::default());
    (0..200).for_each(|n| full.learn(&format!("{n}-{}", "x".repeat(1000)), "filled"));
    assert_eq!(full.redact("x"), Err(Unredactable::Full));
}

#[test]
fn optional_classes_and_patterns_of_the_users_own() {
    let text = "10.0.0.7 192.168.1.2 8.8.8.8 bob@example.com db1.prod.example.com KD-12345 main.rs\n";
    assert_eq!(redact(&mut redactor(), text), text);
    let options = Options {
        addresses: true,
        mail: true,
        hostnames: true,
        patterns: vec!["KD-([0-9]+)".into()],
        ..Options::default()
    };
    assert_eq!(
        redact(&mut Redactor::new(options), text),
        "‹address-1› ‹address-2› 8.8.8.8 ‹mail-1› ‹host-1› KD-‹own-1› main.rs\n"
    );
}

#[test]
fn a_placeholder_is_put_back_quoted_and_only_where_it_was_seen() {
    let mut redactor = redactor();
    redact(&mut redactor, "mysql -uroot -p\"it's a se'cr3t\" x\n");
    let fill = |command: &str, target: &str| {
        redactor.restore(command, target).fill(Quoting::Posix).map(|f| f.command)
    };
    let command = "mysql -p‹password-1› -e 'select 1'";
    assert_eq!(fill(command, "root@web").unwrap(), r"mysql -p'it'\''s a se'\''cr3t' -e 'select 1'");
    assert_eq!(fill("x \"a ‹password-1› b\"", "root@web").unwrap(), r#"x "a "'it'\''s a se'\''cr3t'" b""#);
    assert_eq!(fill("x 'a ‹password-1› b'", "root@web").unwrap(), r"x 'a ''it'\''s a se'\''cr3t'' b'");
    for (command, target) in [
        (command, "root@db"),
        (command, "bob@web"),
        (command, ""),
        ("x ‹password-2›", "root@web"),
        ("x $(echo ‹password-1›)", "root@web"),
        ("x `echo ‹password-1›`", "root@web"),
        ("cat << ‹password-1›", "root@web"),
    ] {
        assert!(fill(command, target).is_err(), "{command} {target}");
    }
    let places = places("cd /; A=1 sudo /usr/bin/mysql -p‹password-1›");
    assert_eq!((places[0].sink.as_str(), places[0].placeholder.as_str()), ("mysql", "‹password-1›"));
    assert_eq!(redactor.reveal("use ‹password-1›, not ‹x-1›"), "use it's a se'cr3t, not ‹x-1›");
}

#[test]
fn what_one_place_of_a_text_gives_away_is_hidden_in_all_of_it() {
    let mut redactor = Redactor::new(Options::default());
    let text = "$ export DB_PASSWORD=hunter2hunter2\n$ echo $DB_PASSWORD\nhunter2hunter2\n$ ";
    let redacted = redactor.redact(text).expect("it can be looked through").text;
    assert!(!redacted.contains("hunter2"), "{redacted}");
    // Before it as well.
    let before = "zanzi-bar-77\n$ export API_TOKEN=zanzi-bar-77\n";
    let redacted = redactor.redact(before).expect("it can be looked through").text;
    assert!(!redacted.contains("zanzi"), "{redacted}");
}
