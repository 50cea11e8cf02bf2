use super::*;

use crossterm::event::{KeyCode, KeyModifiers};

fn key(code: KeyCode, modifiers: KeyModifiers) -> Token {
    Token::Key(KeyEvent::new(code, modifiers))
}

fn plain(c: char) -> Token {
    key(KeyCode::Char(c), KeyModifiers::NONE)
}

fn tokens(chunks: &[&[u8]]) -> Vec<(Vec<u8>, Token)> {
    let mut tokenizer = Tokenizer::new();
    let mut out: Vec<_> = chunks.iter().flat_map(|chunk| tokenizer.feed(chunk)).collect();
    out.extend(tokenizer.flush());
    out
}

fn meanings(bytes: &[u8]) -> Vec<Token> {
    tokens(&[bytes]).into_iter().map(|(_, token)| token).collect()
}

#[test]
fn a_stream_becomes_tokens() {
    let none = KeyModifiers::NONE;
    assert_eq!(
        meanings("aé\x1b[A\x1bx\x1b[I\x1b[<0;1;1M\x1b[?1;2c\x1b]11;x\x07\r".as_bytes()),
        [
            plain('a'),
            plain('é'),
            key(KeyCode::Up, none),
            key(KeyCode::Char('x'), KeyModifiers::ALT),
            Token::Focus(true),
            Token::Mouse(Mouse::parse(b"\x1b[<0;1;1M").unwrap()),
            Token::Reply(Reply::PrimaryAttributes),
            Token::Reply(Reply::Osc),
            key(KeyCode::Enter, none),
        ]
    );
}

#[test]
fn every_split_gives_the_same_tokens() {
    let streams: &[&[u8]] = &[
        "aé€🚀b\x1b[1;5C\x1bOP\x1bx\x1b[97;5u\x1b[27;5;92~\r".as_bytes(),
        b"\x1b[200~one\x1b[2two\r\x1b\x1b[201~after",
        b"\x1b[?1;2c\x1b[>0;1;2c\x1b[3;4R\x1b[?2026;2$y\x1b[I\x1b[O",
        b"\x1b]11;rgb:0/0/0\x1b\\a\x1bP1$r0m\x1b\\b\x1b]10;x\x07c\x1b_G;OK\x1b\\",
        b"\x1b[<0;10;20Mx\x1b[M !!y\x1b[97;1:3uz",
        b"\xffa\xc3\x1b[A\xe2\x82a",
        b"\x1b]11;\x1b[A\x1b]1\x1b\x1b[B\x1b[1;\x1c",
    ];
    for stream in streams {
        let whole = tokens(&[stream]);
        for first in 0..=stream.len() {
            for second in first..=stream.len() {
                let parts = [&stream[..first], &stream[first..second], &stream[second..]];
                assert_eq!(tokens(&parts), whole, "{} at {first} {second}", stream.escape_ascii());
            }
        }
        let single: Vec<&[u8]> = stream.chunks(1).collect();
        assert_eq!(tokens(&single), whole, "{}", stream.escape_ascii());
    }
}

#[test]
fn the_bytes_of_a_token_come_with_it() {
    let stream = b"a\x1b[?1;2c\x1b]11;x\x1b\\\x1b[A";
    let raw: Vec<u8> = tokens(&[stream]).into_iter().flat_map(|(raw, _)| raw).collect();
    assert_eq!(raw, stream);
}

#[test]
fn an_escape_waits_for_its_flush() {
    let mut tokenizer = Tokenizer::new();
    assert_eq!(tokenizer.wait(), None);
    assert!(tokenizer.feed(b"\x1b").is_empty());
    assert_eq!(tokenizer.wait(), Some(KEY_WAIT));
    assert_eq!(tokenizer.flush(), [(b"\x1b".to_vec(), key(KeyCode::Esc, KeyModifiers::NONE))]);
    assert_eq!(tokenizer.wait(), None);
    assert_eq!(tokenizer.feed(b"[")[0].1, plain('['));
    // Without a flush in between it is one key.
    assert!(tokenizer.feed(b"\x1b").is_empty());
    assert_eq!(tokenizer.feed(b"[A")[0].1, key(KeyCode::Up, KeyModifiers::NONE));
}

#[test]
fn two_escapes_are_two_keys() {
    let escape = key(KeyCode::Esc, KeyModifiers::NONE);
    assert_eq!(meanings(b"\x1b\x1b"), [escape.clone(), escape.clone()]);
    assert_eq!(meanings(b"\x1b\x1b[A"), [escape, key(KeyCode::Up, KeyModifiers::NONE)]);
}

#[test]
fn half_a_reply_is_one_unknown_token_and_no_keys() {
    assert_eq!(meanings(b"\x1b]11;rgb:12"), [Token::Unknown]);
    assert_eq!(meanings(b"\x1b[?1;2"), [Token::Unknown]);
    let mut tokenizer = Tokenizer::new();
    tokenizer.feed(b"\x1b]11;rgb:12");
    assert_eq!(tokenizer.wait(), Some(REPLY_WAIT));
}

#[test]
fn alt_bracket_and_its_like_are_keys_after_the_wait() {
    for c in ['[', ']', '^', '_'] {
        assert_eq!(meanings(format!("\x1b{c}").as_bytes()), [key(KeyCode::Char(c), KeyModifiers::ALT)]);
    }
}

#[test]
fn pastes_are_whole_and_keep_what_looks_like_keys() {
    let paste = |text: &[u8]| Token::Paste { text: text.to_vec(), truncated: false };
    assert_eq!(meanings(b"\x1b[200~\x1b[201~"), [paste(b"")]);
    assert_eq!(
        meanings(b"x\x1b[200~ls\r\x1b[200~\x1c\x1b[20\x1b[201~y"),
        [plain('x'), paste(b"ls\r\x1b[200~\x1c\x1b[20"), plain('y')]
    );
    assert_eq!(meanings(b"\x1b[201~"), [Token::Unknown]);
}

#[test]
fn an_unfinished_paste_is_waited_for() {
    let mut tokenizer = Tokenizer::new();
    assert!(tokenizer.feed(b"\x1b[200~rm -rf\r").is_empty());
    assert_eq!(tokenizer.wait(), None);
    assert!(tokenizer.flush().is_empty());
    assert!(tokenizer.feed(b" /\r").is_empty());
    assert_eq!(tokenizer.feed(b"\x1b[201~").len(), 1);
}

#[test]
fn a_paste_is_cut_at_its_limit() {
    for (length, cut) in [(PASTE_LIMIT - 3, false), (PASTE_LIMIT, false), (PASTE_LIMIT + 1, true)] {
        let stream = [&b"\x1b[200~"[..], "a".repeat(length).as_bytes(), b"\x1b[201~b"].concat();
        let got = meanings(&stream);
        let text = "a".repeat(length.min(PASTE_LIMIT)).into_bytes();
        assert!(got == [Token::Paste { text, truncated: cut }, plain('b')], "{length}");
    }
}

#[test]
fn an_endless_reply_costs_a_bounded_piece_of_memory_and_its_own_keys() {
    let stream = [&b"\x1b]52;c;"[..], "A".repeat(1 << 20).as_bytes(), b"\x07b"].concat();
    assert_eq!(meanings(&stream), [Token::Unknown, plain('b')]);
}

#[test]
fn releases_are_left_out_and_repeats_are_not() {
    let got = meanings(b"\x1b[97;1:1u\x1b[97;1:2u\x1b[97;1:3u");
    assert_eq!(got.len(), 2);
    assert!(matches!(&got[1], Token::Key(key) if key.kind == KeyEventKind::Repeat));
}
