use super::*;

/// Pieces that meet the edges: wraps, wide characters, regions, charsets, erasing, half sequences.
const PIECES: &[&[u8]] = &[
    b"hello world ",
    b"\r\n",
    b"\n",
    b"\r",
    b"\t",
    b"\x08",
    "你好".as_bytes(),
    "e\u{301}".as_bytes(),
    b"\xe9",
    b"\xe4\xbd",
    "\u{2764}\u{fe0f}1\u{fe0f}\u{20e3}".as_bytes(),
    "👨\u{200d}👩".as_bytes(),
    b"\x1b[A",
    b"\x1b[B",
    b"\x1b[9C",
    b"\x1b[D",
    b"\x1b[H",
    b"\x1b[3;3H",
    b"\x1b[999;999H",
    b"\x1b[J",
    b"\x1b[1J",
    b"\x1b[2J",
    b"\x1b[3J",
    b"\x1b[K",
    b"\x1b[1K",
    b"\x1b[L",
    b"\x1b[2M",
    b"\x1b[P",
    b"\x1b[3@",
    b"\x1b[4X",
    b"\x1b[S",
    b"\x1b[T",
    b"\x1bM",
    b"\x1bD",
    b"\x1bE",
    b"\x1b[2;4r",
    b"\x1b[r",
    b"\x1b[?6h",
    b"\x1b[?6l",
    b"\x1b[?7l",
    b"\x1b[?7h",
    b"\x1b[4h",
    b"\x1b[4l",
    b"\x1b7",
    b"\x1b8",
    b"\x1b[?1049h",
    b"\x1b[?1049l",
    b"\x1b[?47h",
    b"\x1b[?47l",
    b"\x1b[?1047h",
    b"\x1b[?1047l",
    b"\x1b(0lqqk\x1b(B",
    b"\x1b[1;38:2::1:2:3;4:3m",
    b"\x1b[7m",
    b"\x1b[m",
    b"\x1b[99b",
    b"x\x1b[65535b",
    b"\x1b#8",
    b"\x1bc",
    b"\x1b[!p",
    b"\x1b]133;A\x07",
    b"\x1b]0;t",
    b"\x1b\\",
    b"\x1bP+q",
    b"\x18",
    b"\x1b[6n",
    b"\x1b[?2004h",
    b"\x1b[5",
    b";3H",
    b"\x1bH",
    b"\x1b[3g",
    b"\x1b[Z",
    b"\x1b[I",
    b"\x0e",
    b"\x0f",
    b"0123456789012345678901234567890123456789",
];

fn stream(random: &mut Random, pieces: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    for _ in 0..pieces {
        match random.below(12) {
            0 => bytes.push(random.next() as u8),
            _ => bytes.extend_from_slice(random.pick(PIECES)),
        }
    }
    bytes
}

fn same(one: &mut Emulator, other: &mut Emulator) {
    assert_eq!(one.screen().state_formatted(), other.screen().state_formatted());
    assert_eq!(one.echo_start(), other.echo_start());
    assert_eq!(one.text_from(0, u64::MAX, 1 << 20), other.text_from(0, u64::MAX, 1 << 20));
    assert_eq!(one.modes.restore(), other.modes.restore());
    assert_eq!(one.take_signals(), other.take_signals());
}

#[test]
fn byte_by_byte_is_the_same_as_whole() {
    let mut random = Random(1);
    for round in 0..300 {
        let (cols, rows) = (2 + random.below(30) as u16, 2 + random.below(8) as u16);
        let bytes = stream(&mut random, 60);
        let mut whole = fed(cols, rows, &bytes);
        let mut split = emulator(cols, rows);
        bytes.chunks(1).for_each(|byte| split.feed(byte));
        let mut halves = emulator(cols, rows);
        let (a, b) = bytes.split_at(random.below(bytes.len()));
        halves.feed(a);
        halves.feed(b);
        let mut copy = fed(cols, rows, &bytes);
        same(&mut whole, &mut split);
        same(&mut copy, &mut halves);
        assert_eq!(whole.faults(), 0, "round {round}: {bytes:?}");
    }
}

#[test]
fn nothing_panics_or_grows_at_any_size() {
    let mut random = Random(7);
    for round in 0..200 {
        let mut emulator = emulator(random.below(12) as u16, random.below(6) as u16);
        let mut mark = emulator.mark();
        let mut start = emulator.echo_start();
        for _ in 0..20 {
            emulator.feed(&stream(&mut random, 30));
            match random.below(6) {
                0 => emulator.resize(Size::new(random.below(60) as u16, random.below(20) as u16)),
                1 => mark = emulator.mark(),
                2 => start = emulator.echo_start(),
                3 => drop(emulator.dim_echo(start, "hello world")),
                4 => drop((
                    emulator.tail(50, 500, true),
                    emulator.text_before_cursor(),
                    emulator.text_after(start),
                )),
                _ => assert!(emulator.replay(&mark).len() < 4 << 20),
            }
            let (row, col) = emulator.screen().cursor_position();
            assert!(row < emulator.size().rows && col <= emulator.size().cols);
        }
        assert_eq!(emulator.faults(), 0, "round {round}");
    }
}

/// Narrow and tall ones as well as large ones; 2 by 1 becomes 2 by 2.
fn any_size(random: &mut Random) -> Size {
    let side = |random: &mut Random, least: u16, usual: usize, most: usize| {
        let up_to = if random.below(3) == 0 { most } else { usual };
        least + random.below(up_to) as u16
    };
    Size::new(side(random, 2, 60, 499), side(random, 1, 20, 200))
}

/// No half of a wide character, and none that sticks out.
fn assert_whole(emulator: &Emulator, case: &str) {
    let (screen, size) = (emulator.screen(), emulator.size());
    for row in 0..size.rows {
        for col in 0..size.cols {
            let is_half = |col: u16| screen.cell(row, col).is_some_and(vt100::Cell::is_wide_continuation);
            let is_wide = |col: u16| screen.cell(row, col).is_some_and(vt100::Cell::is_wide);
            assert_eq!(is_wide(col), is_half(col + 1), "{case}: row {row} column {col}");
        }
    }
    assert!(!screen.cell(0, 0).is_some_and(vt100::Cell::is_wide_continuation), "{case}");
}

#[test]
fn the_cursor_stays_on_its_character_and_wide_ones_stay_whole_at_any_size() {
    let mut random = Random(11);
    for round in 0..120 {
        let mut emulator = Emulator::new(any_size(&mut random));
        let mut lines = Vec::new();
        for _ in 0..random.below(40) {
            let pieces = ["word ", "漢字", "x", "\x1b[9;31mred\x1b[m", "e\u{301}", "😀", "-----"];
            let line: String = (0..random.below(30)).map(|_| random.pick(&pieces)).collect();
            emulator.feed(format!("{line}|\r\n").as_bytes());
            lines.push(line.replace("\x1b[9;31m", "").replace("\x1b[m", "") + "|");
        }
        emulator.feed("$ type漢d but not yet entered".as_bytes());
        // Within its row: how far the beginning is depends on the width.
        let back = random.below(8).min(usize::from(emulator.size().cols) - 1);
        emulator.feed("\x08".repeat(back).as_bytes());
        let line = emulator.cursor_line();
        let before = emulator.text_before_cursor();
        for _ in 0..8 {
            let size = any_size(&mut random);
            let case = format!("round {round}: {:?} to {size:?}", emulator.size());
            emulator.resize(size);
            assert_whole(&emulator, &case);
            assert_eq!(
                (emulator.cursor_line(), emulator.text_before_cursor()),
                (line, before.clone()),
                "{case}"
            );
            let text: Vec<String> = (0..line).filter_map(|line| emulator.line_text(line)).collect();
            assert_eq!(text, lines, "{case}");
        }
        assert_eq!(emulator.faults(), 0);
    }
}

#[test]
fn resizing_loses_no_text_of_what_is_printed() {
    let mut random = Random(3);
    for round in 0..200 {
        let mut emulator = emulator(2 + random.below(40) as u16, 2 + random.below(10) as u16);
        let mut expected = String::new();
        for n in 0..10 {
            let line: String =
                (0..random.below(60)).map(|_| random.pick(&["a", "b", "c ", "你", "é"])).collect();
            let line = format!("{n}{}.", line.trim_end());
            emulator.feed(line.as_bytes());
            emulator.feed(b"\r\n");
            expected.push_str(&line);
            expected.push('\n');
            if random.below(2) == 0 {
                let was = (emulator.size(), rows(&emulator), emulator.screen().cursor_position());
                emulator.resize(Size::new(2 + random.below(40) as u16, 2 + random.below(10) as u16));
                let got = emulator.text_from(0, u64::MAX, 1 << 20);
                assert_eq!(
                    got.trim_end(),
                    expected.trim_end(),
                    "round {round}, {:?} from {was:?}",
                    emulator.size()
                );
                assert_eq!(
                    emulator.text_before_cursor(),
                    "",
                    "round {round}, {:?} from {was:?}\n{:?}",
                    emulator.size(),
                    rows(&emulator)
                );
            }
        }
        let got = emulator.text_from(0, u64::MAX, 1 << 20);
        assert_eq!(got.trim_end(), expected.trim_end(), "round {round}");
    }
}
