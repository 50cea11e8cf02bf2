use super::*;

use crossterm::event::KeyModifiers;

use crate::terminal::sequence::KEY_WAIT;

fn machine() -> PrefixMachine {
    PrefixMachine::new(vec![b"\x1c".to_vec(), b"\x1b[24~".to_vec()])
}

/// `a`, `?`, `A`, Tab and the arrow up are bound.
fn bound(key: &KeyEvent) -> bool {
    matches!(key.code, KeyCode::Char('a' | '?' | 'A') | KeyCode::Tab | KeyCode::Up)
}

/// What came out, an action as `<key>`.
fn text(pieces: &[Piece]) -> String {
    pieces
        .iter()
        .map(|piece| match piece {
            Piece::Through(bytes) => bytes.escape_ascii().to_string(),
            Piece::Action(key) => format!("<{}>", key.code),
        })
        .collect()
}

fn feed(machine: &mut PrefixMachine, bytes: &[u8]) -> String {
    text(&machine.feed(bytes, false, bound))
}

fn run(chunks: &[&[u8]]) -> String {
    let mut machine = machine();
    let mut out: String = chunks.iter().map(|chunk| feed(&mut machine, chunk)).collect();
    out += &text(&machine.flush(bound));
    out
}

const CASES: &[(&[u8], &str)] = &[
    (b"", ""),
    (b"abc\r", "abc\\r"),
    (b"\x1ca", "<a>"),
    (b"x\x1cay", "x<a>y"),
    (b"\x1c\x1c", "\\x1c"),
    (b"\x1c\x1c\x1ca", "\\x1c<a>"),
    (b"\x1ca\x1ca", "<a><a>"),
    (b"\x1cz", "\\x1cz"),
    (b"\x1c", ""),
    (b"\x1b[24~a", "<a>"),
    (b"\x1b[24~\x1b[24~", "\\x1b[24~"),
    (b"\x1b[24~z", "\\x1b[24~z"),
    // Either prefix after the other is what is sent.
    (b"\x1c\x1b[24~", "\\x1b[24~"),
    (b"\x1b[24~\x1c", "\\x1c"),
    (b"\x1c\x1b[A", "<Up>"),
    (b"\x1c\x1bOA", "<Up>"),
    (b"\x1c\x1b[B", "\\x1c\\x1b[B"),
    ("\x1c\u{e9}".as_bytes(), "\\x1c\\xc3\\xa9"),
    (b"\x1c\xff", "\\x1c\\xff"),
    (b"\x1c\t", "<Tab>"),
    (b"\x1c?\x1cA", "<?><A>"),
    // Encodings of Ctrl-\.
    (b"\x1b[92;5ua", "<a>"),
    (b"\x1b[27;5;92~a", "<a>"),
    (b"\x1b[92;5u\x1b[97u", "<a>"),
    (b"\x1b[92;5u\x1b[92;5u", "\\x1b[92;5u"),
    (b"\x1b[92;69u\x1b[97;65u", "<a>"),
    (b"\x1b[24;1:1~a", "<a>"),
    (b"\x1b[24;129~a", "<a>"),
    (b"\x1c\x1b[47;2u", "<?>"),
    // Not the prefix.
    (b"\x1b\x1ca", "\\x1b\\x1ca"),
    (b"\x1b[24;2~a", "\\x1b[24;2~a"),
    (b"\x1b[92u\x1b[92;7u", "\\x1b[92u\\x1b[92;7u"),
    (b"\x1b[23~\x1b[25~\x1b[2~", "\\x1b[23~\\x1b[25~\\x1b[2~"),
    // In a paste there are no keys.
    (b"\x1b[200~\x1ca\x1b[24~\x1b[201~\x1ca", "\\x1b[200~\\x1ca\\x1b[24~\\x1b[201~<a>"),
    (b"\x1b[200~\x1b[20\x1c\x1b\x1b[201~\x1ca", "\\x1b[200~\\x1b[20\\x1c\\x1b\\x1b[201~<a>"),
    (b"\x1c\x1b[200~a\x1b[201~", "\\x1c\\x1b[200~a\\x1b[201~"),
    // Reports and replies may come between.
    (b"\x1c\x1b[?1;2ca", "\\x1b[?1;2c<a>"),
    (b"\x1c\x1b[<35;1;1M\x1b[I\x1b]11;x\x1b\\a", "\\x1b[<35;1;1M\\x1b[I\\x1b]11;x\\x1b\\\\<a>"),
    // A sequence that is none does not hide the prefix after it.
    (b"\x1b]\x1ca", "\\x1b]<a>"),
    (b"\x1b[\x1ca", "\\x1b[<a>"),
    (b"\x1bO\x1ca", "\\x1bO<a>"),
    (b"\x1bPq\x1b[24~a", "\\x1bPq<a>"),
    (b"\x1b]1\x1b\x1b[24~a", "\\x1b]1\\x1b<a>"),
    (b"\xc3\x1ca", "\\xc3<a>"),
    (b"\x1b\x1b[24~a", "\\x1b<a>"),
];

/// Under kitty's protocol.
const RELEASES: &[(&[u8], &str)] = &[
    // Releases and repeats of what was taken are taken too; Shift on its way does not count.
    (b"\x1b[92;5u\x1b[92;5:3u\x1b[97u\x1b[97;1:2u\x1b[97;1:3uz", "<a>z"),
    (b"\x1b[92;5u\x1b[92;5:2u\x1b[92;5:3ua", "<a>"),
    (b"\x1b[92;5u\x1b[57441;2u\x1b[47;2u\x1b[57441;2:3u", "\\x1b[57441;2u<?>\\x1b[57441;2:3u"),
    (b"\x1b[97u\x1b[97;1:3u", "\\x1b[97u\\x1b[97;1:3u"),
    (b"\x1ca\x1b[97u\x1b[97;1:3u", "<a>\\x1b[97u\\x1b[97;1:3u"),
];

#[test]
fn prefixes_are_found_and_everything_else_passes() {
    for (bytes, want) in CASES.iter().chain(RELEASES) {
        assert_eq!(run(&[bytes]), *want, "{}", bytes.escape_ascii());
    }
}

/// True where a cut stands right after an ESC that begins a multi-byte prefix or the like: there the ESC has passed.
fn after_escape(bytes: &[u8], at: usize) -> bool {
    at > 0 && bytes[at - 1] == ESC && at < bytes.len()
}

#[test]
fn every_split_gives_the_same_but_right_after_an_escape() {
    for (bytes, want) in CASES {
        for first in (0..=bytes.len()).filter(|&at| !after_escape(bytes, at)) {
            for second in (first..=bytes.len()).filter(|&at| !after_escape(bytes, at)) {
                let parts = [&bytes[..first], &bytes[first..second], &bytes[second..]];
                assert_eq!(run(&parts), *want, "{} at {first} {second}", bytes.escape_ascii());
            }
        }
    }
}

#[test]
fn nothing_is_lost_or_made_up_without_a_prefix() {
    let machine = || PrefixMachine::new(vec![b"\x1b[24~".to_vec()]);
    let mut seed = 1_u32;
    let alphabet = b"\x1b\x1b[[]OP\\\x07\x1c;0a2013u\xc3\xa9\x80?";
    for _ in 0..3000 {
        let mut machine = machine();
        let (mut sent, mut got) = (Vec::new(), Vec::new());
        for _ in 0..4 {
            let chunk: Vec<u8> = (0..5)
                .map(|_| {
                    seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    alphabet[(seed >> 16) as usize % alphabet.len()]
                })
                .collect();
            sent.extend_from_slice(&chunk);
            let mut pieces = machine.feed(&chunk, seed & 0x100 != 0, |_| true);
            if seed & 0x200 != 0 {
                pieces.extend(machine.flush(|_| true));
            }
            for piece in pieces {
                match piece {
                    Piece::Through(bytes) => got.extend(bytes),
                    Piece::Action(key) => panic!("{key:?} from {}", sent.escape_ascii()),
                }
            }
        }
        for piece in machine.flush(|_| true) {
            let Piece::Through(bytes) = piece else { panic!() };
            got.extend(bytes);
        }
        assert_eq!(got.escape_ascii().to_string(), sent.escape_ascii().to_string());
    }
}

#[test]
fn escape_is_never_delayed_and_does_not_hide_the_next_prefix() {
    let mut m = machine();
    assert_eq!(feed(&mut m, b"\x1b"), "\\x1b");
    assert_eq!(m.wait(), None);
    assert_eq!(feed(&mut m, b"\x1c"), "");
    assert_eq!(feed(&mut m, b"a"), "<a>");
    // F12 that was cut there is not recognised, but passes.
    assert_eq!(feed(&mut m, b"\x1b"), "\\x1b");
    assert_eq!(feed(&mut m, b"[24~"), "[24~");
    assert_eq!(feed(&mut m, b"\x1b[24~a"), "<a>");
    // A paste that was cut there is.
    assert_eq!(feed(&mut m, b"\x1b"), "\\x1b");
    assert_eq!(feed(&mut m, b"[200~\x1c\x1b[201~\x1ca"), "[200~\\x1c\\x1b[201~<a>");
}

#[test]
fn other_keys_are_not_held() {
    let mut m = machine();
    for start in
        [&b"\x1b[1"[..], b"\x1b[3", b"\x1b[1;5", b"\x1b[25", b"\x1bO", b"\x1b[?", b"\x1b]11", b"\xe2\x82"]
    {
        assert_eq!(feed(&mut m, start), start.escape_ascii().to_string());
        assert_eq!(m.wait(), None);
    }
    for start in [&b"\x1b["[..], b"\x1b[2", b"\x1b[24", b"\x1b[24;", b"\x1b[92;5:", b"\x1b[27;5;9"] {
        assert_eq!(feed(&mut m, start), "");
        assert_eq!(m.wait(), Some(KEY_WAIT));
        assert_eq!(text(&m.flush(bound)), start.escape_ascii().to_string());
        assert_eq!(m.wait(), None);
    }
    assert_eq!(feed(&mut m, b"\x1b[24~a"), "<a>");
}

#[test]
fn a_paste_whose_start_was_flushed_is_still_a_paste() {
    let mut m = machine();
    assert_eq!(feed(&mut m, b"\x1b[20"), "\\x1b[20");
    assert_eq!(feed(&mut m, b"0~\x1c"), "0~\\x1c");
    let mut m = machine();
    assert_eq!(feed(&mut m, b"\x1b[2"), "");
    assert_eq!(text(&m.flush(bound)), "\\x1b[2");
    assert_eq!(feed(&mut m, b"00~\x1c\x1b[201~\x1ca"), "00~\\x1c\\x1b[201~<a>");
}

#[test]
fn the_key_after_the_prefix_is_held_until_it_is_whole() {
    let mut m = machine();
    assert_eq!(feed(&mut m, b"\x1c\x1b"), "");
    assert!(m.is_armed());
    assert_eq!(m.wait(), Some(KEY_WAIT));
    assert_eq!(feed(&mut m, b"[A"), "<Up>");
    // A lone Escape is a key when its wait has ended.
    assert_eq!(feed(&mut m, b"\x1c\x1b"), "");
    assert_eq!(text(&m.flush(bound)), "\\x1c\\x1b");
    assert!(!m.is_armed());
    // The prefix itself waits without end.
    assert_eq!(feed(&mut m, b"\x1c"), "");
    assert_eq!(m.wait(), None);
    assert!(m.flush(bound).is_empty());
    assert_eq!(feed(&mut m, b"a"), "<a>");
}

#[test]
fn a_long_reply_after_the_prefix_passes_in_pieces() {
    let mut m = machine();
    let reply = [b"\x1b]52;c;".to_vec(), vec![b'A'; 200_000]].concat();
    assert_eq!(feed(&mut m, b"\x1c"), "");
    let mut got = String::new();
    for chunk in reply.chunks(1000) {
        got += &feed(&mut m, chunk);
    }
    assert!(got == reply.escape_ascii().to_string());
    assert_eq!(feed(&mut m, b"\x07a"), "\\x07<a>");
}

#[test]
fn at_a_local_prompt_everything_passes() {
    let mut m = machine();
    assert_eq!(text(&m.feed(b"\x1ca\x1b[24~\x1b[2", true, bound)), "\\x1ca\\x1b[24~\\x1b[2");
    assert_eq!(m.wait(), None);
    // A prefix that was pressed before is not lost.
    let mut m = machine();
    assert_eq!(feed(&mut m, b"\x1c"), "");
    assert_eq!(text(&m.feed(b"a", true, bound)), "\\x1ca");
    assert_eq!(feed(&mut m, b"\x1b[2"), "");
    assert_eq!(text(&m.feed(b"4~", true, bound)), "\\x1b[24~");
    // A paste that began there is one still.
    assert_eq!(text(&m.feed(b"\x1b[200~", true, bound)), "\\x1b[200~");
    assert_eq!(feed(&mut m, b"\x1ca\x1b[201~\x1ca"), "\\x1ca\\x1b[201~<a>");
}

#[test]
fn any_single_key_can_be_the_prefix() {
    for (raw, presses) in [
        (&b"\x01"[..], &[&b"\x01"[..], b"\x1b[97;5u", b"\x1b[27;5;97~"][..]),
        (b"\x1bOP", &[b"\x1bOP", b"\x1b[P"]),
        (b"\x1ba", &[b"\x1ba", b"\x1b[97;3u"]),
        ("§".as_bytes(), &["§".as_bytes()]),
        (b"\x1b[92;5u", &[b"\x1c", b"\x1b[92;5u"]),
    ] {
        assert!(PrefixMachine::is_key(raw));
        for press in presses {
            let mut m = PrefixMachine::new(vec![raw.to_vec()]);
            assert_eq!(text(&m.feed(press, false, bound)), "", "{}", press.escape_ascii());
            let got = m.feed(b"?", false, bound);
            assert_eq!(got, [Piece::Action(KeyEvent::new(KeyCode::Char('?'), KeyModifiers::NONE))]);
        }
    }
    for raw in [&b""[..], b"\x1b", b"ab", b"\x1b[200~", b"\x1b[", b"\x1b[?1;2c", b"\xff"] {
        assert!(!PrefixMachine::is_key(raw), "{}", raw.escape_ascii());
        let mut m = PrefixMachine::new(vec![raw.to_vec()]);
        assert_eq!(text(&m.feed(b"ab\x1ca", false, bound)), "ab\\x1ca");
    }
}
