//! How waiting messages lie in a file: a heading that says whose they are, then one line each. Pure.
//!
//! A line is a mark, a blank, and JSON. The mark is one byte, so that it is changed in place: whole or not at all, and on
//! a full disk too. What is no whole line, or not ours, is passed over; nothing in a file makes anything be sent.

use serde::{Deserialize, Serialize};

/// Longest line that is read: a message of 8 KiB with every character escaped, and what stands around it.
const LINE_LIMIT: usize = 64 * 1024;

/// What became of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// It has not left.
    Waiting,
    /// A call with it was begun. Found in a file whose session is gone: perhaps delivered.
    InFlight,
    Perhaps,
    /// Answered or deleted.
    Gone,
}

impl Mark {
    pub(super) fn byte(self) -> u8 {
        match self {
            Self::Waiting => b'w',
            Self::InFlight => b'f',
            Self::Perhaps => b'p',
            Self::Gone => b'x',
        }
    }

    fn of(byte: u8) -> Option<Self> {
        [Self::Waiting, Self::InFlight, Self::Perhaps, Self::Gone]
            .into_iter()
            .find(|mark| mark.byte() == byte)
    }
}

/// The first line: to whom and from where.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Heading {
    pub(super) aissh_queue: u32,
    /// Linus's origin.
    pub(super) origin: String,
    /// `user@host:port` as ssh resolved it.
    pub(super) target: String,
}

/// The version of this format; another one is left alone.
pub(super) const VERSION: u32 = 1;

#[derive(Serialize, Deserialize)]
struct Message {
    /// Seconds since 1970.
    at: u64,
    text: String,
}

/// One message as it was found, with the place of its mark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) offset: u64,
    pub(super) mark: Mark,
    /// Seconds since 1970.
    pub(super) at: u64,
    pub(super) text: String,
}

pub(super) fn heading(origin: &str, target: &str) -> Vec<u8> {
    let heading = Heading { aissh_queue: VERSION, origin: origin.to_owned(), target: target.to_owned() };
    line(&heading)
}

/// A message's line, with its mark.
pub(super) fn message(mark: Mark, at: u64, text: &str) -> Vec<u8> {
    let mut bytes = vec![mark.byte(), b' '];
    bytes.extend(line(&Message { at, text: text.to_owned() }));
    bytes
}

fn line(value: &impl Serialize) -> Vec<u8> {
    // Not reachable: structs of strings and numbers. JSON escapes newlines.
    let mut bytes = serde_json::to_vec(value).unwrap_or_default();
    bytes.push(b'\n');
    bytes
}

/// The heading of a file, and its messages in order, those that are gone left out. `None`: not a file of ours.
pub(super) fn read(bytes: &[u8]) -> Option<(Heading, Vec<Found>)> {
    let mut lines = bytes.split_inclusive(|b| *b == b'\n');
    let first = lines.next().filter(|line| line.len() <= LINE_LIMIT && line.ends_with(b"\n"))?;
    let heading: Heading = serde_json::from_slice(first).ok()?;
    if heading.aissh_queue != VERSION {
        return None;
    }
    let mut offset = first.len() as u64;
    let mut found = Vec::new();
    for line in lines {
        found.extend(one(line, offset).filter(|it| it.mark != Mark::Gone));
        offset += line.len() as u64;
    }
    Some((heading, found))
}

/// A torn last line has no newline, or no whole JSON.
fn one(line: &[u8], offset: u64) -> Option<Found> {
    let [mark, b' ', json @ .., b'\n'] = line else { return None };
    if line.len() > LINE_LIMIT {
        return None;
    }
    let Message { at, text } = serde_json::from_slice(json).ok()?;
    Some(Found { offset, mark: Mark::of(*mark)?, at, text })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file() -> Vec<u8> {
        let mut bytes = heading("https://l:443", "joe@web1:22");
        for (mark, text) in
            [(Mark::Waiting, "one\n\u{1b}[2Jtwo"), (Mark::Gone, "over"), (Mark::InFlight, "größe")]
        {
            bytes.extend(message(mark, 7, text));
        }
        bytes
    }

    fn texts(bytes: &[u8]) -> Option<Vec<String>> {
        read(bytes).map(|(_, found)| found.into_iter().map(|it| it.text).collect())
    }

    #[test]
    fn what_was_written_is_found_with_the_places_of_its_marks() {
        let bytes = file();
        let (heading, found) = read(&bytes).expect("ours");
        assert_eq!((heading.origin.as_str(), heading.target.as_str()), ("https://l:443", "joe@web1:22"));
        let seen: Vec<_> = found.iter().map(|it| (it.mark, it.text.as_str(), it.at)).collect();
        assert_eq!(seen, [(Mark::Waiting, "one\n\u{1b}[2Jtwo", 7), (Mark::InFlight, "größe", 7)]);
        for it in found {
            assert_eq!(bytes[it.offset as usize], it.mark.byte());
        }
    }

    #[test]
    fn a_file_torn_anywhere_has_the_whole_messages_before_the_tear() {
        let bytes = file();
        let whole = texts(&bytes).expect("ours");
        for end in 0..bytes.len() {
            match texts(&bytes[..end]) {
                Some(found) => assert!(whole.starts_with(&found), "{end}: {found:?}"),
                None => assert!(end < heading("https://l:443", "joe@web1:22").len(), "{end}"),
            }
            // What is appended after a tear costs itself at most.
            let mut mended = bytes[..end].to_vec();
            mended.extend(message(Mark::Waiting, 8, "later"));
            mended.extend(message(Mark::Waiting, 9, "last"));
            assert!(
                texts(&mended).is_none_or(|found| found.last().is_some_and(|text| text == "last")),
                "{end}"
            );
        }
    }

    #[test]
    fn garbage_is_passed_over_and_never_panics() {
        // xorshift64: the same every time.
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let mut random = move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
        let bytes = file();
        for _ in 0..20_000 {
            let mut changed = bytes.clone();
            for _ in 0..=random() % 8 {
                let at = random() as usize % changed.len();
                match random() % 3 {
                    0 => changed[at] = random() as u8,
                    1 => changed.insert(at, random() as u8),
                    _ => drop(changed.remove(at)),
                }
            }
            for it in read(&changed).map(|(_, found)| found).unwrap_or_default() {
                // Whatever was read has a mark where it says, so that marking it changes nothing else.
                assert_eq!(changed[it.offset as usize], it.mark.byte());
                assert_ne!(it.mark, Mark::Gone);
            }
        }
        let noise: Vec<u8> = (0..100_000).map(|_| random() as u8).collect();
        assert_eq!(read(&noise), None);
        let mut after = heading("o", "t");
        after.extend(&noise);
        assert!(texts(&after).is_some_and(|found| found.is_empty()));
    }

    #[test]
    fn another_version_and_a_line_without_end_are_not_ours() {
        assert_eq!(read(b"{\"aissh_queue\":2,\"origin\":\"o\",\"target\":\"t\"}\n"), None);
        assert_eq!(read(&vec![b'a'; 1 << 20]), None);
        let mut long = heading("o", "t");
        long.extend(message(Mark::Waiting, 1, &"x".repeat(LINE_LIMIT)));
        assert_eq!(texts(&long), Some(Vec::new()));
    }
}
