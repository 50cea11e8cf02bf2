//! Tables with a head: what stands below `password`, between bars (`psql`, `mysql`) or below where the word begins.

use std::ops::Range;

use memchr::{memchr, memchr_iter, memmem};

use super::assign::{self, Value};
use super::found::{Found, Rank};
use super::name::Name;
use super::rules::{RULES, Wants};
use super::view::View;
use super::{Class, value};

/// Longer lines are no heads of tables that people read.
const LIMIT: usize = 1000;
/// Steps for a line that may be of a table, and for a byte of it.
const LINE_COST: usize = 40;
const BYTE_COST: usize = 3;
/// A cell without bars around it is believed from here on, if it is no word.
const SHORTEST: usize = 6;

/// A column of secrets.
#[derive(Clone, Copy)]
struct Column {
    class: Class,
    wants: Wants,
    place: Place,
}

#[derive(Clone, Copy)]
enum Place {
    /// Behind so many bars, of so many in a line.
    Bar(usize, usize),
    /// From this byte of a line on.
    Byte(usize),
}

pub(super) fn find(view: &View) -> Vec<Found> {
    let mut found = Vec::new();
    let mut columns: Vec<Column> = Vec::new();
    // Rows of this table, the head among them, and where it ends so far.
    let (mut rows, mut end) = (0, 0);
    for line in view.each_line() {
        let text = &view.bytes[line.clone()];
        view.spend(LINE_COST + text.len().min(LIMIT));
        let bars = memchr_iter(b'|', &text[..text.len().min(LIMIT)]).count();
        let is_row = line.len() <= LIMIT && (bars > 0 || memmem::find(text, b"  ").is_some());
        let is_rule = text.iter().take(LIMIT).all(|b| matches!(b, b'+' | b'-' | b'|' | b'=' | b' ' | b':'));
        // Empty lines are not among these: what is apart is another table.
        if line.start != end || !is_row && !is_rule {
            (columns, rows) = (Vec::new(), 0);
        }
        end = line.end;
        if is_rule || !is_row {
            continue;
        }
        if rows == 0 {
            columns = head(text, bars);
        } else if !columns.is_empty() {
            view.spend(text.len() * BYTE_COST);
            found.extend(columns.iter().filter_map(|column| cell(view, &line, bars, *column)));
        }
        rows += 1;
    }
    found
}

/// The columns of secrets, if this is a table's head: words, and one of them is the name of one.
fn head(text: &[u8], bars: usize) -> Vec<Column> {
    let is_word = |b: &u8| {
        b.is_ascii_alphabetic() || matches!(b, b'|' | b' ' | b'\t' | b'_' | b'-' | b'.' | b'*' | b'`')
    };
    // `PASSWORD2`: a number ends a word, and never begins one.
    let is_of_head = |(i, b): (usize, &u8)| {
        is_word(b) || b.is_ascii_digit() && i > 0 && text[i - 1].is_ascii_alphanumeric()
    };
    if !text.iter().enumerate().all(is_of_head) {
        return Vec::new();
    }
    let mut columns = Vec::new();
    for (number, cell) in cells(text, bars).enumerate() {
        let name = String::from_utf8_lossy(&text[cell.clone()]);
        let Some((class, wants)) = RULES.name(&Name::new(&name)) else { continue };
        let place = if bars > 0 { Place::Bar(number, bars) } else { Place::Byte(cell.start) };
        // Without bars `SECRET` is where the name of one is listed.
        if bars > 0 || matches!(class, "password" | "token") && name.len() > 3 {
            columns.push(Column { class, wants, place });
        }
    }
    if cells(text, bars).count() < 2 { Vec::new() } else { columns }
}

/// The cells of a line, trimmed: between bars, or at least two blanks apart.
fn cells(text: &[u8], bars: usize) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = text.get(at..)?;
        let length = if bars > 0 {
            memchr(b'|', rest)
        } else {
            let skipped = rest.iter().take_while(|b| matches!(b, b' ' | b'\t')).count();
            if skipped == rest.len() {
                return None;
            }
            at += skipped;
            text[at..].windows(2).position(|two| two == b"  " || two[0] == b'\t')
        };
        let length = length.unwrap_or(text.len() - at);
        let cell = &text[at..at + length];
        let start = at + cell.len() - cell.trim_ascii_start().len();
        at += length + 1;
        Some(start..start + cell.trim_ascii().len())
    })
}

fn cell(view: &View, line: &Range<usize>, bars: usize, column: Column) -> Option<Found> {
    let text = &view.bytes[line.clone()];
    let cell = match column.place {
        Place::Bar(number, of) => cells(text, bars).nth(number).filter(|_| bars == of)?,
        Place::Byte(at) => cells(text, 0).find(|cell| cell.start == at)?,
    };
    let is_odd = text[cell.clone()].iter().any(u8::is_ascii_digit)
        && text[cell.clone()].iter().any(u8::is_ascii_alphabetic)
        && cell.len() >= SHORTEST;
    let is_believed = matches!(column.place, Place::Bar(..)) || is_odd;
    let range = line.start + cell.start..line.start + cell.end;
    let is_mask = value::is_mask(&String::from_utf8_lossy(&view.bytes[range.clone()]));
    let is_secret = is_believed
        && !is_mask
        && assign::is_secret(view, &Value::word(range.clone(), false), column.wants, "");
    is_secret.then(|| Found::new(range, column.class, Rank::Name, false))
}
