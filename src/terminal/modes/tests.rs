use super::*;

fn after(stream: &[u8]) -> Modes {
    let mut modes = Modes::new();
    modes.feed(stream);
    modes
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).expect("sequences are ASCII")
}

const STREAM: &[u8] = b"\x1b[?1h\x1b=\x1b[?1000;1006h\x1b[?1004h\x1b[?2004htext\x1b[3;20r\x1b[?25l\x1b[5 q\
    \x1b(0\x0e\x1b[>1u\x1b[?1049h\x1b[>5u\x1b[>4;2m\x1b]2;ti;tle\x07\x1b[?7l\x1b[4h\x1b[1;31m\x1b]8;;http://x\x1b\\\xe2";

#[test]
fn every_split_gives_the_same_state() {
    let whole = after(STREAM);
    assert!(!whole.is_ground() && whole.pending() == b"\xe2");
    for at in 0..STREAM.len() {
        let mut modes = after(&STREAM[..at]);
        modes.feed(&STREAM[at..]);
        assert_eq!(modes.state, whole.state, "split at {at}");
    }
}

#[test]
fn restore_brings_a_default_terminal_to_the_same_state() {
    let whole = after(STREAM);
    let mut restored = after(&whole.restore()).state;
    restored.pen = whole.state.pen;
    let sorted = |state: &State| {
        let mut modes = state.private.clone();
        modes.sort_unstable();
        modes
    };
    assert_eq!(sorted(&restored), sorted(&whole.state));
    restored.private = whole.state.private.clone();
    // What DECSC saved is not a mode of its own.
    assert_eq!(change(&restored, &whole.state), b"");
    assert_eq!(restored.keyboard, whole.state.keyboard);
}

#[test]
fn reset_undoes_exactly_what_was_switched_on_and_leaves_the_alternate_screen_first() {
    assert_eq!(text(Modes::new().reset()), "");
    assert_eq!(text(after(b"plain \x1b[?25l\x1b[?25h\x1b[?2004h\x1b[?2004l\x1b[1mx\x1b[0m").reset()), "");
    assert_eq!(
        text(after(b"\x1b[?1049h\x1b[?1002h\x1b[?2026h").reset()),
        "\x1b[?2026l\x1b[?1049l\x1b[?1002l"
    );
    assert_eq!(text(after(b"\x1b[?25l\x1b[31m").reset()), "\x1b[?25h\x1b[m");
    assert_eq!(text(after(b"\x1b[>7u\x1b[>4;1m").reset()), "\x1b[<1u\x1b[>4m");
    let whole = after(STREAM);
    let mut both = whole.clone();
    both.feed(b"\x1b\\");
    both.feed(&whole.reset());
    assert_eq!(text(both.reset()), "");
    assert!(text(whole.reset()).contains("\x1b]8;;\x1b\\"));
}

#[test]
fn keyboard_flags_are_a_stack_on_each_screen() {
    let modes = after(b"\x1b[=1u\x1b[>3u\x1b[>8u\x1b[<u\x1b[=4;2u");
    assert_eq!(modes.state.keyboard[0], [1, 7]);
    assert_eq!(text(modes.restore()), "\x1b[<1u\x1b[=1u\x1b[>7u");
    let deep = after(&b"\x1b[>1u".repeat(1000));
    assert_eq!(deep.state.keyboard[0].len(), 9);
    assert_eq!(after(b"\x1b[>1u\x1b[<100u").state.keyboard[0], [0]);
}

#[test]
fn the_panel_gets_a_terminal_that_reports_nothing_and_gives_it_back() {
    let modes = after(b"\x1b[?1;1003;1006;2004h\x1b[2;5r\x1b[?25l\x1b[?1049h\x1b[>1u");
    let suspend = text(modes.suspend_for_panel());
    for expected in ["\x1b[?1003l", "\x1b[?1006l", "\x1b[?1l", "\x1b[r", "\x1b[?25h", "\x1b[>0u"] {
        assert!(suspend.contains(expected), "{expected:?} in {suspend:?}");
    }
    assert!(!suspend.contains("2004") && !suspend.contains("1049"));
    let mut outer = modes.clone();
    outer.feed(suspend.as_bytes());
    outer.feed(&change(&modes.state.suspended(), &modes.state));
    assert_eq!(change(&outer.state, &modes.state), b"");
    assert_eq!(outer.state.keyboard, modes.state.keyboard);
}

#[test]
fn a_full_reset_forgets_and_a_soft_reset_keeps_the_mouse() {
    assert_eq!(text(after(b"\x1b[?1000h\x1b=\x1bc").restore()), "");
    assert_eq!(text(after(b"\x1b[?1000h\x1b[?1h\x1b[2;4r\x1b(0\x1b[!p").restore()), "\x1b[?1000h");
}

#[test]
fn a_cut_sequence_leaves_no_trace_and_a_stream_cannot_grow_the_record() {
    assert_eq!(after(b"abc").cut(), b"");
    assert_eq!(after(b"abc\x1b[3").cut(), b"\x18");
    let mut modes = Modes::new();
    for mode in 0..20_000u32 {
        modes.feed(format!("\x1b[?{mode}h").as_bytes());
    }
    assert!(modes.state.private.len() <= 64);
}
