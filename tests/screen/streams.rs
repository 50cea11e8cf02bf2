//! The streams: recorded from programs, and written for what programs seldom do.

use std::path::Path;

pub(crate) struct Stream {
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
    /// It begins below what the user has on the screen. Where rows are addressed there, the emulator cannot know which they
    /// are: it was never told where on the screen the session began.
    pub(crate) starts_below: bool,
}

/// The same numbers for the same seed, on every machine.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, n: usize) -> usize {
        // Knuth's MMIX generator; the high bits are the good ones.
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % n as u64) as usize
    }
}

pub(crate) fn all() -> Vec<Stream> {
    let mut streams = recorded();
    streams.extend(WRITTEN.iter().map(|(name, bytes)| Stream {
        name: format!("({name})"),
        bytes: bytes.to_vec(),
        starts_below: false,
    }));
    let only = std::env::var("AISSH_SCREEN_ONLY").unwrap_or_default();
    streams.retain(|stream| stream.name.contains(&only));
    assert!(!streams.is_empty(), "no stream has {only:?} in its name");
    streams
}

fn recorded() -> Vec<Stream> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/streams");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "raw"));
    files.sort();
    assert!(files.len() >= 12, "the recordings are there");
    let stream = |file: &std::path::PathBuf| {
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        let starts_below = !ADDRESS_ROWS.contains(&name.as_str());
        Stream { name, bytes: std::fs::read(file).unwrap(), starts_below }
    };
    files.iter().map(stream).collect()
}

/// These place text by rows on the primary screen. Which row a line is in after a change of width is each terminal's own
/// affair, so that with a split only their modes are compared, and what is shown with what the emulator holds. The last one
/// is here because Alacritty leaves the gap before a wide character in a line that it widens.
pub(crate) const ADDRESS_ROWS: &[&str] = &[
    "apt",
    "git",
    "progress",
    "shell",
    "(alignment)",
    "(coloured erase)",
    "(coloured wrap)",
    "(insert mode)",
    "(pending wrap)",
    "(regions)",
    "(tab stops)",
    "(wide characters)",
];

/// Alacritty takes a tab behind the last column for a line end, unlike xterm, and swallows a byte behind a broken character
/// at some splits: what it shows is then not what the emulator holds.
pub(crate) const READ_OTHERWISE: &[&str] = &["(tab stops)", "(bad bytes)"];

/// After esctest and vttest in what they try, not in how. Each begins with lines of text and ends at a prompt.
const WRITTEN: &[(&str, &[u8])] = &[
    (
        "charsets",
        b"text\r\n\x1b(0lqqwqqk\r\nx  x  x\r\nmqqvqqj\x1b(B lqk\r\n\x1b)0a\x0elqk\x0fb\x1b(A#\x1b(B\r\n\x0e\x1b7q\x1b8q\x0f\r\n\x1b(0`abcdefghijklmno\
        pqrstuvwxyz{|}~_\x1b(B\r\n\x1b*0\x1b%Gx\x0e\r\n\x0fend\x1b(0q$ ",
    ),
    (
        "tab stops",
        b"a\tb\tc\r\n\x1b[3g\r\ta\r\n\x1b[5G\x1bH\x1b[20G\x1bH\x1b[33G\x1bH\r\n\ta\tb\tc\td\r\n\x1b[20G\x1b[g\r\tx\ty\x1b[2Zz\r\n\x1b[2Iq\x1b[Zr\r\n$ \t",
    ),
    (
        "insert mode",
        b"0123456789\r\n\x1b[Aab\x1b[4hXYZ\x1b[4l\r\nlong line\x1b[4G\x1b[4h\x1b[1;31mred\x1b[m\x1b[4l\r\n\x1b[5;1Hwide\x1b[2G\x1b[4h\xe6\xbc\xa2\xe5\xad\x97\x1b[4l\x1b[1;5H\x1b[4h\
        inserted far beyond the end of what the row can take, so that something must go off the right edge and a wrap\x1b[4l\r\n$ \x1b[4h",
    ),
    (
        "alignment",
        b"before\r\n\x1b[31;44m\x1b[3;6r\x1b[?6h\x1b#8after\x1b[5;5H\x1b[Kx\x1b[m\x1b[r\x1b[H\x1b[J$ \x1b#8\x1b[2;2H \x1b#6double\x1b#5",
    ),
    (
        "repeat",
        b"-\x1b[20b|\r\n=\x1b[200b|\r\n\xe6\xbc\xa2\x1b[5b|\r\n\x1b[32mx\x1b[m\x1b[3by\r\nab\x1b[D\x1b[2b\r\n\x1b[0;7m \x1b[10b\x1b[m\r\n$ .\x1b[3b",
    ),
    (
        "regions",
        b"1\r\n2\r\n3\r\n4\r\n5\r\n6\x1b[2;5r\x1b[5;1H\n\nin the region\n\x1b[2;1H\x1bM\x1bMreverse\x1b[3;3r\x1b[2;4r\x1b[3;1H\x1b[L\x1b[2M\x1b[S\x1b[2T\
        \x1b[4;1H\x1bD\x1bE\x1b[6;1Hbelow\n\n\x1b[1;1Habove\x1bM\x1b[r\x1b[24;1Hend\r\n\r\n$ \x1b[2;3r\x1b[3;2Hy",
    ),
    (
        "origin mode",
        b"one\r\ntwo\r\n\x1b[3;6r\x1b[?6h\x1b[1;1Htop\x1b[9;1Hbottom\x1b[2;5H\x1b7\x1b[?6l\x1b[1;1Hhome\x1b8in\x1b[?6h\x1b[2dq\x1b[r\x1b[4;4Hz\
        \x1b[?6l\x1b[r\x1b[6;1H$ \x1b[2;5r\x1b[?6h\x1b[2;2H",
    ),
    (
        "saved cursor",
        b"a\r\nb\r\n\x1b[3;5H\x1b[1;33;4m\x1b(0\x1b7\x1b[H\x1b[m\x1b(Bx\x1b8q\r\n\x1b[m\x1b(B\x1b[su\x1b[5;9H\x1b[u!\r\n\x1b[?1048h\x1b[Hx\x1b[?1048l?\r\n\
        0123\x1b7\x1b[H\x1b[J\x1b8$ \x1b[31m\x1b7\x1b[m",
    ),
    (
        "pending wrap",
        b"\x1b[999Cx\x1b[Dy\r\n\x1b[999Cx\x08y\r\n\x1b[999Cx\x1b[Ay\x1b[B\x1b[Bz\r\n\x1b[999Cx\x1b[Cy\r\n\x1b[999Cxy\r\n\x1b[999Cx\x1b7\r\n\x1b8y\r\n\
        \x1b[?7l\x1b[999Cxyz\x1b[?7h!\r\n\x1b[999Cx\x1b[31m\x1b[mw\r\n\x1b[999Cx",
    ),
    (
        "coloured erase",
        b"a\r\nb\r\nc\r\nd\r\n\x1b[44mtext\x1b[K\r\n\x1b[7mx\x1b[K\x1b[27m\r\n\x1b[3;1H\x1b[2L\x1b[41m\x1b[M\x1b[42m\x1b[5;3H\x1b[3@\x1b[2P\x1b[43m\x1b[4X\
        \x1b[45m\x1b[1K\x1b[8;1H\x1b[46m\x1b[2S\x1b[T\x1b[24;1H\x1b[47m\n\nx\r\n\x1b[100m\x1b[H\x1bM\x1bM\x1b[48;5;99m\x1b[2;8r\x1b[8;1H\n\n\x1b[r\x1b[m\
        \x1b[24;1H\r\n$ ",
    ),
    (
        "coloured wrap",
        b"\x1b[44m0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789\r\n\
        one\r\ntwo\r\n\x1b[24;1Hat the bottom, a line that is longer than this terminal is wide, so that it wraps where everything scrolls up\x1b[m\r\n$ ",
    ),
    (
        "wide characters",
        "漢字かな交じり文\r\n한국어 텍스트\r\n\x1b[79G漢字\r\nab漢\x1b[4Gx\r\n漢字\x1b[2Gx\r\n漢字漢\x1b[3G\x1b[@\r\n漢字\x1b[2X\r\n\
        e\u{301}a\u{308}\u{323}\r\n😀x👍y\r\nＦｕｌｌ\r\n│漢│\r\n漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字x\r\n$ "
            .as_bytes(),
    ),
    (
        "alternate screen",
        b"one\r\ntwo\r\n\x1b[?1049h\x1b[2J\x1b[HALT\x1b[3;3H\x1b7more\x1b[?1049hagain\x1b[31m\x1b8here\x1b[?1049lthree\r\n\x1b[32m\x1b[?1049hx\x1b[?1049ly\
        \x1b[m\r\n\x1b[5;9H\x1b[?1049h\x1b[?25l\x1b[1;4r\x1b[4;1H\n\n\x1b[r\x1b[?25h\x1b[?1049l!\r\n$ ",
    ),
    (
        "1047 and 1048",
        b"one\r\ntwo\x1b[?1048h\x1b[?1047h\x1b[HALT\x1b[2;1Hrow\x1b[?1047l\x1b[?1048lthree\r\n\x1b[?1047h\x1b[4;4Hx\x1b[?1047l\r\n$ ",
    ),
    (
        "modes",
        b"a\x1b[?1000h\x1b[?1006hb\x1b[?1002h\x1b[?1015h\r\nc\x1b[?1003h\x1b[?1016hd\x1b[?1004h\x1b[?2004h\x1b[?1005h\r\ne\x1b[?1005l\x1b[?1003l\x1b[?1016l\
        \x1b[?1h\x1b=f\x1b[?1007h\x1b[?12h\x1b[?2031h\r\n\x1b[?1015lg\x1b[?1l\x1b>\x1b[?1004lh\x1b[?2004l\x1b[?1002h\x1b[?25l\x1b[?2048h\r\ni\x1b[?66h\
        \x1b[?5hj\x1b[?5l\x1b[?45h\x1b[?1000h\x1b[?25hk\r\n$ ",
    ),
    (
        "keyboard",
        b"a\x1b[>1ub\x1b[>4;1mc\x1b[=5;1u\r\nd\x1b[>3ue\x1b[?1049h\x1b[>9uf\x1b[=2;2ug\x1b[>15u\x1b[<u\x1b[?1049lh\r\ni\x1b[>4;2mj\x1b[<uk\x1b[>1;3m\x1b[>4m\
        \r\nl\x1b[=1;3u\x1b[>2u\x1b[>31um\x1b[<2u\r\n$ \x1b[>7u",
    ),
    (
        "titles and shapes",
        b"\x1b]0;one\x07a\x1b[2 q\x1b]2;two; and more\x1b\\\r\nb\x1b[4 q\x1b[22;0t\x1b]2;three\x07\x1b[23;0tc\x1b[6 q\r\n\x1b]1;icon\x07d\x1b[0 q\
        \x1b]2;\xe6\xbc\xa2\xe5\xad\x97\x07\x1b[5 q\r\n$ ",
    ),
    (
        "hyperlinks",
        b"see \x1b]8;;http://example.org/a\x1b\\link\x1b]8;;\x1b\\ text\r\n\x1b]8;id=1;http://example.org/b\x07one\r\ntwo\x1b]8;;\x07 out\r\n\
        \x1b]8;;file:///x\x1b\\\x1b[31ma long link that wraps in a narrow terminal, because it has many words in it, and more\x1b[m\x1b]8;;\x1b\\\r\n$ ",
    ),
    (
        "attributes",
        b"\x1b[9mstruck\x1b[29m \x1b[4:3mcurly\x1b[4:0m \x1b[4:2;58;5;9mdouble\x1b[59;24m \x1b[21mdouble\x1b[24m\r\n\x1b[4;58:2::1:2:3mcoloured\x1b[m \x1b[8mhidden\x1b[28m \
        \x1b[5mblink\x1b[25m \x1b[1;2mboth\x1b[22m \x1b[53mover\x1b[55m\r\n\x1b[3;9;4:4mdotted \x1b[4:5mdashed\x1b[m \x1b[7;9mstruck\x1b[K\x1b[m\r\n\
        \x1b[9;38;2;9;8;7;48:5:22mcolours\x1b[0;9m   \x1b[m\x1b[4:3m   \x1b[m\r\n$ \x1b[9;4:3m",
    ),
    (
        "unterminated",
        b"one\x1b]6973;never ended\r\ntwo\x18three\r\n\x1bP1;1|17/0a0a0a0a0a0a\x1b\\four\x1b_Gf=100;AAAA\x1b\\five\r\n\x1bP+q544e\x18six\x1b^pm\x1b\\\x1bXsos\x1b\\\r\n\
        \x1b[31;\x18seven\x1b[1\x1b[2meight\x1b[m\r\nnine\x1b]52;c;QUFB\x07ten\x1b[?2026h in one \x1b[?2026l\r\n$ \x1b]2;ti",
    ),
    (
        "bad bytes",
        b"caf\xe9 latin\r\n\xc3\xa9 \xe6\xbc x \xff\xfe y\xf0\x9f\x98\r\nz\xc2\x85\xef\xbf\xbd\x00\x7f\r\n\xe2\x98\x81\xef\xb8\x8f cloud \xe2\x9d\xa4\xef\xb8\x8fx\r\n$ \xe6\xbc",
    ),
    (
        "reset",
        b"one\r\n\x1b[?1000h\x1b[4h\x1b(0\x1b[31m\x1b[2;4r\x1b[3g\x1bctwo\r\n\x1b[?2004h\x1b[?1049hALT\x1bcthree\r\n\x1b[2 q\x1b[>1u\x1b[?25l\x1bcfour\r\n$ ",
    ),
    (
        "erasing",
        b"1 text\r\n2 text\r\n3 text\r\n4 text\r\n5 text\x1b[3;4H\x1b[1J\x1b[5;3H\x1b[J\x1b[2;1Hagain\x1b[1K\x1b[2K\r\nmore\r\n\x1b[3Jx\r\n\x1b[H\x1b[Jy\x1b[H\x1b[Jz\r\n\
        \x1b[?Jw\x1b[?2K\r\n\x1b[H\x1b[J$ ",
    ),
];
