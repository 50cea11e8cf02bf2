use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;

use super::*;
use crate::terminal::{Emulator, Size};
use crate::ui::theme::{Scheme, Theme};

struct Desk {
    view: Scrollback,
    size: (u16, u16),
}

impl Desk {
    /// What is printed on a terminal of 20 columns and 5 rows.
    fn new(printed: &str) -> Self {
        let mut emulator = Emulator::new(Size::new(20, 5));
        emulator.feed(printed.replace('\n', "\r\n").as_bytes());
        Self { view: Scrollback::new(emulator.kept(), (20, 5), false), size: (20, 5) }
    }

    fn lines() -> Self {
        let text: String = (1..=30).map(|n| format!("line {n}\n")).collect();
        Self::new(&format!("{text}$ "))
    }

    fn draw(&mut self) -> (Buffer, Option<(u16, u16)>) {
        let area = Rect::new(0, 0, self.size.0, self.size.1);
        let mut buffer = Buffer::empty(area);
        let cursor = self.view.draw(&mut buffer, area, Theme::new(Scheme::None));
        (buffer, cursor.position.map(|p| (p.x, p.y)))
    }

    fn rows(&mut self) -> Vec<String> {
        let (buffer, _) = self.draw();
        let row = |y| (0..buffer.area.width).map(|x| buffer[(x, y)].symbol()).collect::<String>();
        (0..buffer.area.height).map(|y| row(y).trim_end().to_owned()).collect()
    }

    fn cursor(&mut self) -> Option<(u16, u16)> {
        self.draw().1
    }

    fn press(&mut self, keys: &str) -> Outcome {
        let mut outcome = Outcome::Stay;
        for c in keys.chars() {
            let code = match c {
                '⏎' => KeyCode::Enter,
                '⎋' => KeyCode::Esc,
                '⇞' => KeyCode::PageUp,
                '⇟' => KeyCode::PageDown,
                c => KeyCode::Char(c),
            };
            outcome = self.view.key(KeyEvent::new(code, KeyModifiers::NONE));
        }
        outcome
    }

    fn control(&mut self, c: char) {
        self.view.key(KeyEvent::new(KeyCode::Char(c), KeyModifiers::CONTROL));
    }
}

fn copied(text: &str) -> Outcome {
    Outcome::Copy { text: text.into(), leave: true }
}

#[test]
fn it_begins_with_the_screen_and_its_cursor() {
    let mut desk = Desk::lines();
    assert_eq!(desk.rows(), ["line 27      [31/31]", "line 28", "line 29", "line 30", "$"]);
    assert_eq!(desk.cursor(), Some((2, 4)));
}

#[test]
fn pages_and_ends_show_every_line() {
    let mut desk = Desk::lines();
    desk.press("g");
    assert_eq!(desk.rows()[0], "line 1        [1/31]");
    assert_eq!(desk.cursor(), Some((0, 0)));
    desk.press("⇟");
    assert_eq!(desk.rows()[..2], ["line 4        [4/31]", "line 5"]);
    desk.control('d');
    assert_eq!(desk.rows()[1], "line 7");
    desk.press("⇞⇞⇞");
    assert!(desk.rows()[0].starts_with("line 1 "));
    desk.press("G");
    assert_eq!(desk.rows()[4], "$");
    desk.press("kkkkkk");
    assert_eq!(desk.rows()[0], "line 25      [25/31]");
}

#[test]
fn a_long_line_is_cut_into_rows_and_stays_one_line() {
    let mut desk = Desk::new("0123456789abcdefghijABCDEFGHIJ\nend\n$ ");
    assert_eq!(desk.rows()[..2], ["0123456789abcde[3/3]", "ABCDEFGHIJ"]);
    desk.press("gVj");
    assert_eq!(desk.press("y"), copied("0123456789abcdefghijABCDEFGHIJ"));
    // In a narrower pane it has more rows, and the cursor is still seen.
    desk.size = (10, 5);
    desk.press("G");
    assert_eq!(desk.rows()[..3], ["01234[3/3]", "abcdefghij", "ABCDEFGHIJ"]);
}

#[test]
fn what_is_selected_is_copied_as_it_is_drawn() {
    let mut desk = Desk::new("one \u{1b}[31mtwo\u{1b}[m three  \nfo\u{202e}ur\n$ ");
    desk.press("gwv");
    assert_eq!(desk.press("ll⏎"), copied("two"));
    desk.press("j");
    assert_eq!(desk.press("y"), copied("two three\nfour"));
    let (buffer, _) = desk.draw();
    let reversed = |x, y| buffer[(x, y)].modifier.contains(Modifier::REVERSED);
    assert!(!reversed(3, 0) && reversed(4, 0) && reversed(10, 0) && reversed(0, 1));
    assert_eq!(desk.press("⎋"), Outcome::Stay, "the selection ends first");
    assert_eq!(desk.press("⎋"), Outcome::Leave);
    assert_eq!(desk.press("y"), Outcome::Stay);
    assert!(desk.rows()[4].starts_with("Nothing is selected"), "{:?}", desk.rows());
}

#[test]
fn a_search_goes_to_the_next_and_back_and_shows_them_all() {
    let mut desk = Desk::lines();
    assert_eq!(desk.press("g/LINE 2⏎"), Outcome::Stay);
    assert!(desk.rows()[4].starts_with("Not found: LINE 2"));
    desk.press("/line 2");
    assert_eq!(desk.rows()[4], "/line 2");
    assert_eq!(desk.cursor(), Some((7, 4)));
    desk.press("⏎");
    assert!(desk.rows()[0].contains("[2/31]"));
    desk.press("n");
    let (buffer, cursor) = desk.draw();
    let (x, y) = cursor.unwrap();
    assert!(
        (0..6).all(|dx| buffer[(x + dx, y)].modifier.contains(Modifier::UNDERLINED)),
        "{:?}",
        desk.rows()
    );
    assert!(desk.rows()[0].contains("[20/31]"));
    desk.press("NN");
    assert!(desk.rows().iter().any(|row| row.starts_with("Past the begin")), "{:?}", desk.rows());
    assert!(desk.rows()[0].contains("[29/31]"));
    desk.press("?line 1⏎");
    assert!(desk.rows()[0].contains("[19/31]"));
    assert_eq!(desk.press("/abc⎋"), Outcome::Stay, "only the search is left");
}

#[test]
fn the_wheel_leaves_at_the_end_if_it_began() {
    let mut desk = Desk::lines();
    desk.view.by_wheel = true;
    assert_eq!(desk.view.wheel(-3), Outcome::Stay);
    assert!(desk.rows()[0].starts_with("line 24"));
    assert_eq!(desk.view.wheel(1), Outcome::Stay);
    assert_eq!(desk.view.wheel(3), Outcome::Leave);
    // What was selected would be lost.
    desk.view.wheel(-3);
    desk.press("v");
    assert_eq!(desk.view.wheel(9), Outcome::Stay);
}

#[test]
fn a_drag_selects_and_scrolls_beyond_the_edge() {
    let mut desk = Desk::lines();
    desk.view.press(0, 1);
    desk.view.drag(5, 1);
    assert_eq!(desk.view.release(), Outcome::Copy { text: "line 2".into(), leave: false });
    desk.view.press(6, 0);
    for _ in 0..4 {
        desk.view.drag(0, -1);
    }
    assert!(desk.rows()[0].starts_with("line 23"));
    let Outcome::Copy { text, .. } = desk.view.release() else { panic!("nothing is copied") };
    assert_eq!(text, "line 23\nline 24\nline 25\nline 26\nline 27");
    desk.view.press(0, 0);
    assert_eq!(desk.view.release(), Outcome::Stay, "a click copies nothing");
}

#[test]
fn no_size_and_no_key_is_too_much() {
    let mut desk = Desk::new("漢字漢字漢字漢字漢字漢字\ne\u{301}\u{301}\n\n\n\t tab\n$ ");
    for size in [(1, 1), (2, 2), (3, 1), (200, 60), (20, 5)] {
        desk.size = size;
        for key in "gGhjklwb0$⇞⇟JKnNvVy⎋/漢⏎n?字⏎N".chars() {
            desk.press(&key.to_string());
            let (_, cursor) = desk.draw();
            assert!(cursor.is_none_or(|(x, y)| x < size.0 && y < size.1), "{key} at {size:?}");
        }
    }
    let mut empty = Desk { view: Scrollback::new(Kept::default(), (20, 5), false), size: (20, 5) };
    for key in "gGhjklwb0$⇞⇟JKnNvVy/x⏎".chars() {
        empty.press(&key.to_string());
        empty.draw();
    }
}
