use super::*;
use crate::terminal::queries::Query;
use crate::terminal::{Modes, Skimmer};

#[test]
fn what_vt100_does_not_know_is_made_up_for() {
    let cases: [(&str, &[&str]); 18] = [
        ("ab\x1bDc", &["ab", "  c"]),
        ("ab\x1bEc", &["ab", "c"]),
        ("ab\x1b[sx\x1b[uy", &["aby"]),
        ("ab\x1b[?1048hx\x1b[?1048ly", &["aby"]),
        ("\x1b(0lqk\x1b(B lq", &["┌─┐ lq"]),
        ("\x1b)0a\x0eq\x0fq", &["a─q"]),
        ("\x1b(0q\x1b7\x1b(Bq\x1b8\x1b[2Gq", &["──"]),
        ("a\x1b[2Ib\x1b[2Zc", &["a       c       b"]),
        ("a\x1b[3ab\x1b[2ec", &["a   b", "", "     c"]),
        ("\x1b[?7labcdefghijklmnopqrstuvwxyz", &["abcdefghijklmnopqrsz"]),
        ("bc\r\x1b[4ha\x1b[4l", &["abc"]),
        ("\x1b[3g\x1b[5G\x1bH\r\tx", &["    x"]),
        ("caf\u{e9} \u{2764}\u{fe0f}x", &["café ❤\u{e0fff}x"]),
        ("12345678901234567890\x08x", &["123456789012345678x0"]),
        ("a\x1b[!pb\x1bPq#sixel\x1b\\c\x1b_apc\x1b\\d", &["ab[image]cd"]),
        ("\x1b_Ga=T,f=100,m=1;iVBO\x1b\\\x1b_Gm=0;Rw0K\x1b\\|\x1b_Ga=d\x1b\\.", &["[image]|."]),
        ("\x1b]1337;File=inline=1:R0lG\x07|\x1bP$qm\x1b\\.", &["[image]|."]),
        ("\x1b[2;3rx", &["x"]),
    ];
    for (stream, expected) in cases {
        let emulator = fed(20, 4, stream);
        assert_eq!(rows(&emulator)[..expected.len()], *expected, "{stream:?}");
    }
    assert_eq!(rows(&fed(4, 2, "\x1b#8")), ["EEEE", "EEEE"]);
    assert_eq!(rows(&fed(20, 4, b"caf\xe9 x"))[0], "caf\u{2426} x");
}

#[test]
fn the_alternate_screen_keeps_the_cursor_as_terminals_do() {
    let mut emulator = fed(20, 4, "ab\r\ncd\x1b[?1049h");
    assert_eq!(emulator.screen().cursor_position(), (1, 2));
    emulator.feed(b"x\x1b[?1049ly");
    assert_eq!(rows(&emulator)[..2], ["ab", "cdy"]);
    let emulator = fed(20, 4, "ab\x1b[?1047hxy\x1b[?1047lz");
    assert_eq!(rows(&emulator)[0], "ab  z");
}

#[test]
fn erasing_leaves_blanks_without_inverse_or_underline() {
    let emulator = fed(10, 3, "\x1b[7;4mab\x1b[K\x1b[Jc");
    let screen = emulator.screen();
    assert!(!screen.cell(0, 5).is_some_and(vt100::Cell::inverse));
    assert!(!screen.cell(1, 5).is_some_and(vt100::Cell::underline));
    assert!(screen.cell(0, 2).is_some_and(|cell| cell.inverse() && cell.underline()));
}

#[test]
fn marks_stop_where_they_stand() {
    let stream = b"$ \x1b]133;B\x07ls -l\r\n\x1b[?2004l\x1b]133;C\x1b\\out\x1b[6n\x1b[?1049h";
    for chunk in [1, 3, stream.len()] {
        let mut emulator = emulator(20, 4);
        let mut seen = Vec::new();
        for piece in stream.chunks(chunk) {
            let mut rest = piece;
            loop {
                let (used, signal) = emulator.feed_some(rest);
                rest = &rest[used..];
                let Some(signal) = signal else { break };
                seen.push((signal, emulator.screen().cursor_position()));
            }
            assert_eq!(rest, b"");
        }
        let query = Signal::Query(Query::Cursor { row: 2, col: 4, extended: false });
        assert_eq!(
            seen,
            [
                (Signal::Osc(b"133;B".to_vec()), (0, 2)),
                (Signal::BracketedPaste(false), (1, 0)),
                (Signal::Osc(b"133;C".to_vec()), (1, 0)),
                (query.clone(), (1, 3)),
                (Signal::Alternate(true), (1, 3)),
            ]
        );
        assert_eq!(emulator.take_signals(), [query]);
    }
}

#[test]
fn signals_come_in_order_with_titles_also_to_forward() {
    let mut emulator =
        fed(20, 4, "\x1b]0;a;b\x07\x07\x1b[c\x1b[>q\x1b[5 q\x1b]52;c;?\x07\x1b[?2026$p\x1b[21t");
    assert_eq!(
        emulator.take_signals(),
        [
            Signal::Forward(b"\x1b]0;a;b\x07".to_vec()),
            Signal::Osc(b"0;a;b".to_vec()),
            Signal::Bell,
            Signal::Query(Query::Attributes(1)),
            Signal::Query(Query::Version),
            Signal::Forward(b"\x1b[5 q".to_vec()),
            Signal::Query(Query::Clipboard),
            Signal::Query(Query::Mode { private: true, mode: 2026 }),
            Signal::Query(Query::Title),
        ]
    );
    assert_eq!(emulator.take_signals(), []);
}

#[test]
fn the_cursor_is_reported_as_origin_mode_has_it() {
    let mut emulator = fed(20, 10, "\x1b[3;8r\x1b[?6h\x1b[2;5H\x1b[6n");
    let query = Query::Cursor { row: 2, col: 5, extended: false };
    assert_eq!(emulator.take_signals(), [Signal::Query(query)]);
}

#[test]
fn rows_that_wrapped_are_one_line_of_history() {
    let mut emulator = emulator(10, 3);
    emulator.feed("one\r\n\x1b[31m0123456789abcde\x1b[m\r\n你你你你x你\r\n".as_bytes());
    emulator.feed(b"a\r\nb\r\nc");
    assert_eq!(emulator.line_text(0).as_deref(), Some("one"));
    assert_eq!(emulator.line_text(1).as_deref(), Some("0123456789abcde"));
    assert_eq!(emulator.line_text(2).as_deref(), Some("你你你你x你"));
    assert_eq!(emulator.line_text(5).as_deref(), Some("c"));
    assert_eq!(emulator.line_text(6), None);
    assert_eq!(emulator.cursor_line(), 5);
    assert_eq!(emulator.text_from(0, 2, 1000), "one\n\x1b[31m0123456789abcde\x1b[m");
    assert_eq!(emulator.text_from(0, 99, 7), "a\nb\nc");
}

#[test]
fn history_is_bounded_in_bytes_and_lines_keep_their_numbers() {
    let mut emulator = emulator(80, 5);
    let line = format!("{}\r\n", "x".repeat(70));
    for _ in 0..100 {
        emulator.feed(line.repeat(1000).as_bytes());
    }
    emulator.feed(b"last");
    assert_eq!(emulator.cursor_line(), 100_000);
    assert_eq!(emulator.line_text(100_000).as_deref(), Some("last"));
    assert_eq!(emulator.line_text(0), None);
    assert!(emulator.line_text(50_000).is_some());
    // One endless line is broken up.
    emulator.feed(&b"y".repeat(1 << 20));
    assert!(emulator.history().open().len() <= 66 << 10);
}

#[test]
fn narrowing_and_widening_lose_no_text() {
    let mut stream = String::from("before\r\nthe\r\nscreen\r\n\x1b[H\x1b[J");
    stream.push_str("\x1b[32m0123456789abcdefghij\x1b[m rest of it\r\n\x1b[44mblue\x1b[K\x1b[m\r\n你好你好你好你好\r\n$ cmd");
    let start = fed(40, 6, &stream);
    for (cols, rows_now) in [(20, 6), (7, 6), (2, 2), (3, 9), (200, 3), (13, 4)] {
        let mut emulator = fed(40, 6, &stream);
        emulator.resize(Size::new(cols, rows_now));
        let all = emulator.text_from(0, u64::MAX, 10_000);
        assert!(all.contains("0123456789abcdefghij\u{1b}[m rest of it"), "{cols}x{rows_now}: {all}");
        assert!(all.contains("你好你好你好你好"), "{cols}x{rows_now}: {all}");
        assert_eq!(emulator.text_before_cursor(), "$ cmd");
        emulator.resize(Size::new(40, 6));
        assert_eq!(rows(&emulator), rows(&start), "{cols}x{rows_now}");
        assert_eq!(emulator.screen().cursor_position(), start.screen().cursor_position());
        assert_eq!(emulator.cursor_line(), start.cursor_line());
        if cols < 20 {
            continue;
        }
        // Where the line never left the screen, the erased part keeps its colour, whatever the width.
        let blue = emulator.screen().cell(1, 30).map(vt100::Cell::bgcolor);
        assert_eq!(blue, Some(vt100::Color::Idx(4)));
    }
}

#[test]
fn history_does_not_come_back_to_a_cleared_screen() {
    let mut emulator = emulator(20, 4);
    emulator.feed(b"1\r\n2\r\n3\r\n4\r\n5\r\n6\r\n7\x1b[H\x1b[J$ ");
    for (cols, rows) in [(10, 4), (20, 4), (20, 3), (20, 8), (40, 8)] {
        emulator.resize(Size::new(cols, rows));
        assert_eq!(super::rows(&emulator)[..2], ["$", ""], "{cols}x{rows}");
    }
}

#[test]
fn a_resize_in_the_alternate_screen_reflows_the_primary_one() {
    let mut emulator =
        fed(20, 4, "0123456789abcde\r\n$ vim\x1b[?1049h\x1b[2J\x1b[1;1Htop line of vim\x1b[2;3H");
    emulator.resize(Size::new(8, 4));
    assert!(emulator.is_alternate());
    assert_eq!(rows(&emulator)[0], "top line");
    assert_eq!(emulator.screen().cursor_position(), (1, 2));
    emulator.resize(Size::new(20, 4));
    emulator.feed(b"\x1b[?1049l!");
    assert_eq!(rows(&emulator)[..2], ["0123456789abcde", "$ vim!"]);
}

#[test]
fn a_resize_keeps_modes_pen_and_saved_cursor_and_drops_the_region() {
    let mut emulator =
        fed(20, 6, "ab\x1b7\r\n\x1b[?1h\x1b=\x1b[?25l\x1b[?1002;1006h\x1b[2;4r\x1b[3;2H\x1b[1;31m");
    emulator.resize(Size::new(10, 6));
    let screen = emulator.screen();
    assert!(screen.application_cursor() && screen.application_keypad() && screen.hide_cursor());
    assert!(screen.bold() && screen.fgcolor() == vt100::Color::Idx(1));
    assert_eq!(screen.cursor_position(), (2, 1));
    emulator.feed(b"\n\n\nx\x1b8y");
    assert_eq!(rows(&emulator), ["aby", "", "", "", "", " x"]);
}

#[test]
fn a_pending_wrap_stays_pending() {
    let mut emulator = fed(10, 3, "0123456789");
    emulator.resize(Size::new(5, 3));
    emulator.resize(Size::new(10, 3));
    emulator.feed(b"x");
    assert_eq!(rows(&emulator)[..2], ["0123456789", "x"]);
}

#[test]
fn the_tail_ends_with_the_cursors_line_and_is_cut_in_the_middle() {
    let mut emulator = emulator(20, 4);
    for n in 0..100 {
        emulator.feed(format!("line \x1b[33m{n}\x1b[m   \r\n").as_bytes());
    }
    emulator.feed(b"$ ");
    assert_eq!(emulator.tail(3, 1000, true), "line \x1b[33m98\x1b[m\nline \x1b[33m99\x1b[m\n$");
    let cut = emulator.tail(50, 200, true);
    assert!(cut.len() <= 200 && cut.contains("\n--- snip ---\n") && cut.ends_with("99\x1b[m\n$"), "{cut}");
    emulator.feed(b"\x1b[?1049h\x1b[Hfull screen");
    assert_eq!(emulator.tail(3, 1000, true), "full screen");
    emulator.feed(b"\x1b[?1049l");
    assert_eq!(emulator.tail(3, 1000, false), "line 98\nline 99\n$");
}

#[test]
fn the_last_character_before_the_cursor_is_found_over_a_wrap() {
    for (bytes, last) in
        [("", None), ("a: ", Some(':')), ("a:\r\n ", None), ("Password: \x1b[C", Some(':')), ("a\r", None)]
    {
        assert_eq!(fed(20, 3, bytes).last_before_cursor(), last, "{bytes:?}");
        assert_eq!(fed(9, 3, bytes).last_before_cursor(), last, "{bytes:?}");
    }
}

#[test]
fn the_tail_shows_what_the_screen_shows() {
    let mut emulator = emulator(20, 6);
    emulator.feed(b"$ get\r\n 10%\r 50%\r100%\r\n\x1b[1;31mred\x1b[m   \r\nab\x08c\r\n\r\n$ \x1b[K");
    assert_eq!(emulator.tail(100, 1000, false), "$ get\n100%\nred\nac\n\n$");
    assert_eq!(emulator.tail(2, 1000, false), "\n$");
    let long = "x".repeat(70_000);
    emulator.feed(format!("first\r\n{long}\r\n$ ").as_bytes());
    let tail = emulator.tail(100, 64 * 1024, false);
    assert!(
        tail.len() <= 64 * 1024 && tail.contains("first\n--- snip ---\n") && tail.ends_with("\n$"),
        "{tail}"
    );
}

#[test]
fn an_erased_history_is_forgotten() {
    let mut emulator = fed(20, 2, "secret\r\na\r\nb\r\nc");
    emulator.feed(b"\x1b[3J");
    assert_eq!(emulator.line_text(0), None);
    assert_eq!(emulator.tail(10, 1000, true), "b\nc");
    assert_eq!(emulator.cursor_line(), 3);
}

#[test]
fn a_panic_of_vt100_costs_the_screen_and_nothing_else() {
    let mut emulator = fed(80, 24, "kept\r\n".repeat(30));
    emulator.feed(b"\x1b[?1h");
    // What the normaliser holds back: a widened cell at the edge of the last row.
    let crash = format!("\x1b[24;1H{}1\u{fe0f}\u{20e3}\x1b[23;1H{}", "x".repeat(79), "y".repeat(200));
    emulator.process(crash.as_bytes());
    assert_eq!(emulator.faults(), 1);
    assert_eq!(emulator.line_text(0).as_deref(), Some("kept"));
    assert!(emulator.screen().application_cursor());
    emulator.feed(b"\x1b[Hgoes on");
    assert_eq!(rows(&emulator)[0], "goes on");
}

#[test]
fn after_a_skipped_flood_the_screen_is_what_the_newest_bytes_make_it() {
    let mut modes = Modes::new();
    let mut emulator = Emulator::new(Size::new(20, 4));
    modes.feed(b"before\r\n");
    emulator.feed(b"before\r\n");
    let mut skimmed = Skimmer::after(&modes);
    for chunk in [&b"lost\x1b[?2004h"[..], b"lost\x1b[31"] {
        modes.feed(chunk);
        skimmed.feed(chunk);
    }
    emulator.restart(&skimmed, &modes);
    emulator.feed(b"mtail\r\none\r\ntwo\r\n$ ");
    assert_eq!(emulator.screen().contents(), "tail\none\ntwo\n$ ");
    assert_eq!(emulator.screen().cell(0, 0).map(vt100::Cell::fgcolor), Some(vt100::Color::Idx(1)));
    assert_eq!(emulator.text_from(0, 3, 100), format!("before\n{SNIP}\n\x1b[31mtail\x1b[m"));
    assert!(emulator.modes().bracketed_paste());
}
