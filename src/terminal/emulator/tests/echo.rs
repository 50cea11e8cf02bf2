use super::*;

fn dims(emulator: &Emulator) -> Vec<String> {
    let size = emulator.size();
    (0..size.rows)
        .map(|row| {
            let cell = |col| emulator.screen().cell(row, col).filter(|cell| cell.dim());
            (0..size.cols).filter_map(cell).map(vt100::Cell::contents).collect()
        })
        .collect()
}

#[test]
fn an_echo_is_dimmed_and_nothing_else_changes() {
    let mut emulator = fed(12, 4, "$ ");
    let start = emulator.echo_start();
    assert!(!emulator.cursor_is_after(start));
    emulator.feed(b"\x1b[1mls\x1b[m -la /etc /x\x1b[31m");
    assert!(emulator.cursor_is_after(start));
    let (place, text) = (emulator.screen().cursor_position(), rows(&emulator));
    assert_eq!(emulator.text_after(start), "ls -la /etc /x");
    assert!(!emulator.dim_echo(start, "ls -la /usr"));
    assert!(emulator.dim_echo(start, "ls -la /etc /x"));
    assert_eq!(dims(&emulator)[..2], ["ls -la /et", "c /x"]);
    assert_eq!((emulator.screen().cursor_position(), rows(&emulator)), (place, text));
    assert_eq!(emulator.screen().fgcolor(), vt100::Color::Idx(1));
    let printed = emulator.printed;
    assert!(emulator.dim_echo(start, "ls -la /etc /x"));
    assert_eq!(emulator.printed, printed);
}

#[test]
fn a_pending_wrap_at_the_end_of_the_echo_survives() {
    let mut emulator = fed(10, 3, "$ ");
    let start = emulator.echo_start();
    emulator.feed(b"12345678");
    assert!(emulator.dim_echo(start, "12345678"));
    assert_eq!(dims(&emulator)[0], "12345678");
    emulator.feed(b"9");
    assert_eq!(rows(&emulator)[..2], ["$ 12345678", "9"]);
}

#[test]
fn dimming_follows_the_line_into_history_and_through_reflow() {
    let mut emulator = fed(12, 3, "$ ");
    let start = emulator.echo_start();
    emulator.feed(b"echo hello world\r\n");
    assert!(emulator.dim_echo(start, "echo hello world"));
    emulator.feed(b"hello world\r\n1\r\n2\r\n3");
    let line = emulator.text_from(0, 1, 1000);
    assert_eq!(line, "$ \x1b[2mecho hello world\x1b[m");
    emulator.resize(Size::new(8, 3));
    assert_eq!(emulator.text_after(start), "echo hello world");
}

#[test]
fn an_echo_that_has_left_the_screen_is_dimmed_where_it_is() {
    let mut emulator = fed(12, 3, "$ ");
    let start = emulator.echo_start();
    emulator.feed(b"echo hello world\r\nhello\r\n1");
    // Its first row is history, its second the top of the screen.
    assert_eq!(emulator.history().open(), "$ echo hello");
    assert!(emulator.dim_echo(start, "echo hello world"));
    emulator.feed(b"\r\n2\r\n3\r\n4");
    assert_eq!(emulator.text_from(0, 1, 1000), "$ \x1b[2mecho hello world\x1b[m");
    let later = emulator.echo_start();
    emulator.feed(b"5\r\n6\r\n7\r\n8");
    assert!(emulator.dim_echo(later, "5"));
    assert_eq!(emulator.text_from(later.line, later.line + 1, 1000), "4\x1b[2m5\x1b[m");
}

#[test]
fn a_start_names_the_same_character_at_every_width() {
    let mut emulator = fed(20, 5, "0123456789 prompt> ");
    let start = emulator.echo_start();
    emulator.feed(b"some command");
    for cols in [7, 33, 5, 20] {
        emulator.resize(Size::new(cols, 5));
        assert_eq!(emulator.text_after(start), "some command", "{cols}");
        assert_eq!(emulator.text_before_cursor(), "0123456789 prompt> some command");
    }
}
