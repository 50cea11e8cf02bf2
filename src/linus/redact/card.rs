//! Numbers of payment cards: 12 to 19 digits of a known issuer with a valid check digit (ISO/IEC 7812).

use super::found::{Found, Rank};
use super::view::View;

/// The digits of a card that is cut at the end of the text from here on: the issuer and half of the rest.
const PART: usize = 9;

/// All numbers of cards.
pub(super) fn find(view: &View) -> Vec<Found> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < view.len() {
        if !view.bytes[at].is_ascii_digit() {
            at += 1;
            continue;
        }
        let (end, digits, groups) = number(view, at);
        if is_apart(view, at, end) {
            let is_card = is_grouped(&groups, digits.len()) && is_issuer(&digits) && luhn(&digits);
            let is_part = view.is_open_end(end)
                && (PART..16).contains(&digits.len())
                && is_begun(&groups)
                && is_issuer_begun(&digits);
            if is_card || is_part {
                found.push(Found::new(at..end, "card", Rank::Shape, !is_card));
            }
        }
        at = end.max(at + 1);
    }
    found
}

/// Digits with a single blank or dash between groups: where they end, the digits, the groups' lengths.
fn number(view: &View, start: usize) -> (usize, Vec<u8>, Vec<usize>) {
    let (mut digits, mut groups) = (Vec::new(), vec![0]);
    let (mut at, mut end) = (start, start);
    let mut sign = None;
    while at < view.len() && digits.len() < 24 && !(view.is_break(at) && at > start && !view.is_soft(at)) {
        let byte = view.bytes[at];
        if byte.is_ascii_digit() {
            digits.push(byte - b'0');
            if let Some(group) = groups.last_mut() {
                *group += 1;
            }
            end = at + 1;
        } else if matches!(byte, b' ' | b'-') && end == at && sign.is_none_or(|sign| sign == byte) {
            sign = Some(byte);
            groups.push(0);
        } else {
            break;
        }
        at += 1;
    }
    if groups.last() == Some(&0) {
        groups.pop();
    }
    (end, digits, groups)
}

/// Not a part of a longer word or number.
fn is_apart(view: &View, start: usize, end: usize) -> bool {
    let is_part = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-' | b'/' | b'+');
    let is_glued = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'-';
    let is_fraction =
        view.in_line(end) == Some(b'.') && view.in_line(end + 1).is_some_and(|b| b.is_ascii_digit());
    let is_within = view.before(start).is_some_and(is_part) || view.in_line(end).is_some_and(is_glued);
    !is_within && !is_fraction
}

/// As printed on cards: in one piece, 4-4-4-4(-3), or 4-6-5.
fn is_grouped(groups: &[usize], length: usize) -> bool {
    match groups {
        [_] => matches!(length, 14..=16 | 19),
        [4, 4, 4, 4] | [4, 4, 4, 4, 3] | [4, 6, 5] | [4, 6, 4] => true,
        _ => false,
    }
}

fn is_begun(groups: &[usize]) -> bool {
    matches!(groups, [_] | [4, 4, ..] | [4, 5..=6, ..])
}

/// The ranges of the large issuers that have the length.
fn is_issuer(digits: &[u8]) -> bool {
    let first = |n: usize| digits.iter().take(n).fold(0_u32, |number, d| number * 10 + u32::from(*d));
    match digits.len() {
        15 => matches!(first(2), 34 | 37),
        14 => matches!(first(3), 300..=305 | 360..=369 | 380..=389),
        16 => {
            matches!(first(1), 4)
                || matches!(first(2), 51..=55 | 65)
                || matches!(first(4), 2221..=2720 | 3528..=3589 | 6011)
                || matches!(first(3), 644..=649)
        }
        19 => matches!(first(1), 4) || matches!(first(2), 62),
        _ => false,
    }
}

fn is_issuer_begun(digits: &[u8]) -> bool {
    let two = digits.iter().take(2).fold(0_u32, |number, d| number * 10 + u32::from(*d));
    matches!(two, 34 | 37 | 40..=49 | 51..=55 | 65 | 60 | 62 | 22..=27)
}

fn luhn(digits: &[u8]) -> bool {
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(i, d)| if i % 2 == 0 { u32::from(*d) } else { u32::from(*d) * 2 - if *d > 4 { 9 } else { 0 } })
        .sum();
    sum.is_multiple_of(10) && digits.iter().any(|d| *d != digits[0])
}

#[cfg(test)]
mod tests {
    use super::super::view::views;
    use super::*;

    fn cards(text: &str) -> usize {
        find(&views(text)[0]).iter().filter(|f| !f.is_part).count()
    }

    #[test]
    fn a_card_has_an_issuer_a_length_and_a_check_digit() {
        for card in [
            "4111 1111 1111 1111 ",
            "5500-0055-5555-5559 ",
            "378282246310005 ",
            "3782 822463 10005 ",
            "(4012888888881881)",
        ] {
            assert_eq!(cards(card), 1, "{card}");
        }
        for none in [
            "4111 1111 1111 1112 ",
            "1700000000000000 ",
            "4111-1111-11111111 ",
            "0x4012888888881881 ",
            "3.4012888888881881 ",
            "4012888888881881.5 ",
        ] {
            assert_eq!(cards(none), 0, "{none}");
        }
    }
}
