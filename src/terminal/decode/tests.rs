use super::*;

use crossterm::event::{MediaKeyCode, ModifierKeyCode};

const NONE: KeyModifiers = KeyModifiers::NONE;
const SHIFT: KeyModifiers = KeyModifiers::SHIFT;
const ALT: KeyModifiers = KeyModifiers::ALT;
const CTRL: KeyModifiers = KeyModifiers::CONTROL;

fn check(cases: &[(&str, KeyCode, KeyModifiers)]) {
    for (raw, code, modifiers) in cases {
        match decode(raw.as_bytes()) {
            Meaning::Key(key) => {
                assert_eq!((key.code, key.modifiers), (*code, *modifiers), "{}", raw.escape_debug());
                assert_eq!(key.kind, KeyEventKind::Press);
            }
            other => panic!("{}: {other:?}", raw.escape_debug()),
        }
    }
}

#[test]
fn characters_and_control_bytes_are_keys() {
    check(&[
        ("a", KeyCode::Char('a'), NONE),
        ("A", KeyCode::Char('A'), SHIFT),
        ("?", KeyCode::Char('?'), NONE),
        (" ", KeyCode::Char(' '), NONE),
        ("é", KeyCode::Char('é'), NONE),
        ("🚀", KeyCode::Char('🚀'), NONE),
        ("\r", KeyCode::Enter, NONE),
        ("\n", KeyCode::Char('j'), CTRL),
        ("\t", KeyCode::Tab, NONE),
        ("\x7f", KeyCode::Backspace, NONE),
        ("\x08", KeyCode::Char('h'), CTRL),
        ("\x1b", KeyCode::Esc, NONE),
        ("\0", KeyCode::Char(' '), CTRL),
        ("\x03", KeyCode::Char('c'), CTRL),
        ("\x1c", KeyCode::Char('\\'), CTRL),
        ("\x1f", KeyCode::Char('_'), CTRL),
        ("\x1bx", KeyCode::Char('x'), ALT),
        ("\x1bX", KeyCode::Char('X'), ALT | SHIFT),
        ("\x1bé", KeyCode::Char('é'), ALT),
        ("\x1b\r", KeyCode::Enter, ALT),
        ("\x1b\x01", KeyCode::Char('a'), ALT | CTRL),
        // Unfinished sequences whose wait has ended.
        ("\x1b[", KeyCode::Char('['), ALT),
        ("\x1bO", KeyCode::Char('O'), ALT | SHIFT),
        ("\x1b]", KeyCode::Char(']'), ALT),
    ]);
}

#[test]
fn legacy_sequences_are_keys() {
    check(&[
        ("\x1b[A", KeyCode::Up, NONE),
        ("\x1bOA", KeyCode::Up, NONE),
        ("\x1b[1;5C", KeyCode::Right, CTRL),
        ("\x1b[1;4D", KeyCode::Left, ALT | SHIFT),
        ("\x1b[H", KeyCode::Home, NONE),
        ("\x1b[1~", KeyCode::Home, NONE),
        ("\x1b[4~", KeyCode::End, NONE),
        ("\x1b[3;5~", KeyCode::Delete, CTRL),
        ("\x1b[6~", KeyCode::PageDown, NONE),
        ("\x1bOP", KeyCode::F(1), NONE),
        ("\x1b[R", KeyCode::F(3), NONE),
        ("\x1b[1;2S", KeyCode::F(4), SHIFT),
        ("\x1bO5P", KeyCode::F(1), CTRL),
        ("\x1b[15~", KeyCode::F(5), NONE),
        ("\x1b[17~", KeyCode::F(6), NONE),
        ("\x1b[21~", KeyCode::F(10), NONE),
        ("\x1b[24~", KeyCode::F(12), NONE),
        ("\x1b[24;2~", KeyCode::F(12), SHIFT),
        ("\x1b[[C", KeyCode::F(3), NONE),
        ("\x1b[Z", KeyCode::BackTab, SHIFT),
        ("\x1bOM", KeyCode::Enter, NONE),
        ("\x1bOp", KeyCode::Char('0'), NONE),
        ("\x1bOk", KeyCode::Char('+'), NONE),
        ("\x1b[a", KeyCode::Up, SHIFT),
        ("\x1bOd", KeyCode::Left, CTRL),
        ("\x1b[3^", KeyCode::Delete, CTRL),
        ("\x1b[3@", KeyCode::Delete, CTRL | SHIFT),
    ]);
}

#[test]
fn kitty_and_modify_other_keys_are_keys() {
    check(&[
        ("\x1b[92;5u", KeyCode::Char('\\'), CTRL),
        ("\x1b[27;5;92~", KeyCode::Char('\\'), CTRL),
        ("\x1b[92;69u", KeyCode::Char('\\'), CTRL),
        ("\x1b[92;5:1u", KeyCode::Char('\\'), CTRL),
        ("\x1b[27u", KeyCode::Esc, NONE),
        ("\x1b[13;2u", KeyCode::Enter, SHIFT),
        ("\x1b[9;2u", KeyCode::BackTab, SHIFT),
        ("\x1b[127;3u", KeyCode::Backspace, ALT),
        ("\x1b[97u", KeyCode::Char('a'), NONE),
        ("\x1b[97;2u", KeyCode::Char('A'), SHIFT),
        ("\x1b[97:65;2u", KeyCode::Char('A'), SHIFT),
        ("\x1b[47;2u", KeyCode::Char('?'), NONE),
        ("\x1b[223:63;2u", KeyCode::Char('?'), NONE),
        ("\x1b[223;2;63u", KeyCode::Char('?'), NONE),
        ("\x1b[97;;228u", KeyCode::Char('a'), NONE),
        ("\x1b[27;6;65~", KeyCode::Char('A'), CTRL | SHIFT),
        ("\x1b[97;9u", KeyCode::Char('a'), KeyModifiers::SUPER),
        ("\x1b[57376u", KeyCode::F(13), NONE),
        ("\x1b[57399u", KeyCode::Char('0'), NONE),
        ("\x1b[57414;5u", KeyCode::Enter, CTRL),
        ("\x1b[57428u", KeyCode::Media(MediaKeyCode::Play), NONE),
        ("\x1b[57441;2u", KeyCode::Modifier(ModifierKeyCode::LeftShift), SHIFT),
        ("\x1b[57454u", KeyCode::Modifier(ModifierKeyCode::IsoLevel5Shift), NONE),
    ]);
    for (raw, kind) in [
        ("\x1b[97;1:2u", KeyEventKind::Repeat),
        ("\x1b[97;1:3u", KeyEventKind::Release),
        ("\x1b[24;1:3~", KeyEventKind::Release),
        ("\x1b[1;1:3A", KeyEventKind::Release),
    ] {
        assert!(matches!(decode(raw.as_bytes()), Meaning::Key(key) if key.kind == kind), "{raw:?}");
    }
    let Meaning::Key(key) = decode(b"\x1b[57399;193u") else { panic!() };
    assert_eq!(key.state, KeyEventState::KEYPAD | KeyEventState::CAPS_LOCK | KeyEventState::NUM_LOCK);
}

#[test]
fn replies_and_reports_are_no_keys() {
    let mouse = |raw: &str| Meaning::Mouse(Mouse::parse(raw.as_bytes()).unwrap());
    let cases = [
        ("\x1b[?1;2c", Meaning::Reply(Reply::PrimaryAttributes)),
        ("\x1b[?62;22c", Meaning::Reply(Reply::PrimaryAttributes)),
        ("\x1b[>41;377;0c", Meaning::Reply(Reply::SecondaryAttributes)),
        ("\x1b[12;40R", Meaning::Reply(Reply::CursorPosition { row: 12, col: 40 })),
        ("\x1b[?12;40;1R", Meaning::Reply(Reply::CursorPosition { row: 12, col: 40 })),
        ("\x1b[0n", Meaning::Reply(Reply::Status)),
        ("\x1b[?997;1n", Meaning::Reply(Reply::Status)),
        ("\x1b[?2026;2$y", Meaning::Reply(Reply::Mode)),
        ("\x1b[4;1$y", Meaning::Reply(Reply::Mode)),
        ("\x1b[?1u", Meaning::Reply(Reply::KeyboardFlags)),
        ("\x1b[8;24;80t", Meaning::Reply(Reply::Window)),
        ("\x1b[>4;1m", Meaning::Reply(Reply::Control)),
        ("\x1b[?64;1S", Meaning::Reply(Reply::Control)),
        ("\x1b]11;rgb:0/0/0\x07", Meaning::Reply(Reply::Osc)),
        ("\x1b]52;c;YQ==\x1b\\", Meaning::Reply(Reply::Osc)),
        ("\x1bP1$r0m\x1b\\", Meaning::Reply(Reply::Dcs)),
        ("\x1b_Gi=1;OK\x1b\\", Meaning::Reply(Reply::Other)),
        ("\x1b[<0;1;1M", mouse("\x1b[<0;1;1M")),
        ("\x1b[<35;80;24m", mouse("\x1b[<35;80;24m")),
        ("\x1b[M !!", mouse("\x1b[<0;1;1M")),
        ("\x1b[32;5;5M", mouse("\x1b[<0;5;5M")),
        ("\x1b[I", Meaning::Focus(true)),
        ("\x1b[O", Meaning::Focus(false)),
        ("\x1b[200~", Meaning::PasteStart),
        ("\x1b[201~", Meaning::PasteEnd),
    ];
    for (raw, want) in cases {
        assert_eq!(decode(raw.as_bytes()), want, "{}", raw.escape_debug());
    }
}

#[test]
fn nonsense_is_unknown_and_never_a_panic() {
    for raw in [
        &b""[..],
        b"\xff",
        b"\xc3",
        b"ab",
        b"\x1b\xff",
        b"\x1b[99~",
        b"\x1b[~",
        b"\x1b[u",
        b"\x1b[99999999999u",
        b"\x1b[55296u",
        b"\x1b[1;2",
        b"\x1b[1<2u",
        b"\x1b]11;rgb",
        b"\x1bP",
        b"\x1bO9",
        b"\x1b[3$~",
        b"\x1b[W",
        b"\x1b[57344u",
        b"\x1b[0u",
        b"\xc2\x80",
    ] {
        let key = matches!(decode(raw), Meaning::Key(_));
        assert!(decode(raw) == Meaning::Unknown || (key && raw == b"\x1bP"), "{}", raw.escape_ascii());
    }
    // Every unit of up to three bytes from what sequences are made of, after each introducer.
    let alphabet = b"\x1b[]OPM<>?;:0129~uRcy$ \x00\x7f\x80\xc3\xff";
    for start in [&b""[..], b"\x1b", b"\x1b[", b"\x1b[?", b"\x1bO", b"\x1b]"] {
        for a in alphabet {
            for b in alphabet {
                for c in alphabet {
                    decode(&[start, &[*a, *b, *c]].concat());
                }
            }
        }
    }
}
