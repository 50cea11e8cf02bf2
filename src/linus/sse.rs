//! An incremental `text/event-stream` parser (HTML Living Standard, 9.2.6) with bounds.
//!
//! Bytes in, events out; it never looks into the data and never decides when a stream is over.

/// Longest line: one JSON answer is one `data:` line in practice, so it is as long as an answer may be.
pub(crate) const LINE_LIMIT: usize = 4 * 1024 * 1024;
/// Longest event: all its data lines together.
pub(crate) const EVENT_LIMIT: usize = 4 * 1024 * 1024;
/// Most bytes of one stream: progress notes of a long answer included.
pub(crate) const TOTAL_LIMIT: usize = 16 * 1024 * 1024;

/// One event with data. Priming events (`data:` empty) only move [`SseParser::last_id`] and are not given out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Event {
    /// `message` unless the stream names another.
    pub(crate) kind: String,
    pub(crate) data: String,
}

/// A bound was exceeded; the stream is of no more use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TooLarge;

#[derive(Debug, Default)]
pub(crate) struct SseParser {
    line: Vec<u8>,
    data: String,
    has_data: bool,
    kind: String,
    /// The id of the event that is being read, and of the last one that was whole.
    next_id: Option<String>,
    last_id: Option<String>,
    retry: Option<u64>,
    total: usize,
    /// The last byte was CR: a LF right after it belongs to the same line end.
    after_cr: bool,
    /// A byte order mark may only stand before the first line.
    past_start: bool,
}

impl SseParser {
    /// Takes the next bytes, split anywhere, and returns the events that they complete.
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> Result<Vec<Event>, TooLarge> {
        self.total = self.total.saturating_add(bytes.len());
        if self.total > TOTAL_LIMIT {
            return Err(TooLarge);
        }
        let mut events = Vec::new();
        let mut rest = bytes;
        while !rest.is_empty() {
            if std::mem::take(&mut self.after_cr) && rest[0] == b'\n' {
                rest = &rest[1..];
                continue;
            }
            let end = memchr::memchr2(b'\n', b'\r', rest);
            let (part, after) = rest.split_at(end.unwrap_or(rest.len()));
            if self.line.len() + part.len() > LINE_LIMIT {
                return Err(TooLarge);
            }
            self.line.extend_from_slice(part);
            let Some((&terminator, after)) = after.split_first() else { break };
            self.after_cr = terminator == b'\r';
            rest = after;
            events.extend(self.end_line()?);
        }
        Ok(events)
    }

    /// The end of the stream: a last line or event that was not terminated is given out too, because servers
    /// leave the final blank line out.
    pub(crate) fn finish(&mut self) -> Result<Option<Event>, TooLarge> {
        if !self.line.is_empty() {
            self.end_line()?;
        }
        // What may have been cut off is asked for again; a priming event has nothing to lose.
        if !self.data.is_empty() {
            self.next_id = None;
        }
        Ok(self.dispatch())
    }

    /// The data of an event whose blank line has not come yet. A server that leaves it out and keeps the
    /// connection open is only understood by looking here.
    pub(crate) fn pending(&self) -> Option<&str> {
        (self.has_data && !self.data.is_empty()).then_some(self.data.as_str())
    }

    /// What `Last-Event-ID` says when the stream is resumed.
    pub(crate) fn last_id(&self) -> Option<&str> {
        self.last_id.as_deref()
    }

    /// The server's `retry:`, in milliseconds.
    pub(crate) fn retry(&self) -> Option<u64> {
        self.retry
    }

    /// Forgets what is half read and keeps the id and the bounds: the stream goes on over another connection.
    pub(crate) fn resume(&mut self) {
        self.line.clear();
        self.next_id = None;
        self.dispatch();
        self.after_cr = false;
        self.past_start = false;
    }

    /// Only a whole line is decoded, so a character is never cut in two.
    fn end_line(&mut self) -> Result<Option<Event>, TooLarge> {
        let bytes = std::mem::take(&mut self.line);
        let text = String::from_utf8_lossy(&bytes);
        let first = !std::mem::replace(&mut self.past_start, true);
        let line = if first { text.strip_prefix('\u{feff}').unwrap_or(&text) } else { &text };
        if line.is_empty() {
            return Ok(self.dispatch());
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "data" => {
                if self.data.len() + value.len() + 1 > EVENT_LIMIT {
                    return Err(TooLarge);
                }
                if std::mem::replace(&mut self.has_data, true) {
                    self.data.push('\n');
                }
                self.data.push_str(value);
            }
            "event" => self.kind = value.into(),
            // The standard ignores an id with NUL; a header could not carry other controls either.
            "id" if !value.chars().any(char::is_control) => self.next_id = Some(value.into()),
            "retry" if !value.is_empty() && value.bytes().all(|b| b.is_ascii_digit()) => {
                self.retry = value.parse().ok();
            }
            // Comments have an empty field name; the rest is not defined.
            _ => {}
        }
        Ok(None)
    }

    /// The end of an event. Only now its id counts: resumed after one that was cut off, the stream begins with it again.
    fn dispatch(&mut self) -> Option<Event> {
        if let Some(id) = self.next_id.take() {
            self.last_id = Some(id);
        }
        self.has_data = false;
        let data = std::mem::take(&mut self.data);
        let kind = std::mem::take(&mut self.kind);
        if data.is_empty() {
            return None;
        }
        Some(Event { kind: if kind.is_empty() { "message".into() } else { kind }, data })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(data: &str) -> Event {
        Event { kind: "message".into(), data: data.into() }
    }

    /// Every stream is fed whole, in two parts at every place, and byte by byte.
    fn events(stream: &str) -> Vec<Event> {
        let parse = |parts: &[&[u8]]| {
            let mut parser = SseParser::default();
            let mut all = Vec::new();
            for part in parts {
                all.extend(parser.feed(part).unwrap());
            }
            all.extend(parser.finish().unwrap());
            (all, parser.last_id().map(String::from), parser.retry())
        };
        let bytes = stream.as_bytes();
        let whole = parse(&[bytes]);
        for split in 0..=bytes.len() {
            let (a, b) = bytes.split_at(split);
            assert_eq!(parse(&[a, b]), whole, "split at {split} of {stream:?}");
        }
        assert_eq!(parse(&bytes.chunks(1).collect::<Vec<_>>()), whole, "bytes of {stream:?}");
        whole.0
    }

    #[test]
    fn all_three_line_ends_and_the_optional_blank_are_understood() {
        for end in ["\n", "\r\n", "\r"] {
            let stream = ["data: one", "data:two", "", ": note", "event: ping", "data:  x", "", ""].join(end);
            assert_eq!(
                events(&stream),
                [message("one\ntwo"), Event { kind: "ping".into(), data: " x".into() }],
                "{end:?}"
            );
        }
    }

    #[test]
    fn a_priming_event_moves_the_id_and_is_not_given_out() {
        assert_eq!(events("id: a1\ndata: \n\nid: a2\nretry: 250\nretry: x\ndata: {}\n\n"), [message("{}")]);
        let mut parser = SseParser::default();
        assert_eq!(parser.feed(b"id: a1\nretry: 250\ndata: \n\n"), Ok(Vec::new()));
        assert_eq!((parser.last_id(), parser.retry()), (Some("a1"), Some(250)));
    }

    #[test]
    fn a_byte_order_mark_is_skipped_only_at_the_start() {
        assert_eq!(events("\u{feff}data: ü€😀\n\n\u{feff}data: x\n\n"), [message("ü€😀")]);
    }

    #[test]
    fn a_last_event_without_its_blank_line_is_given_out_at_the_end() {
        assert_eq!(events("data: a\n\ndata: b\n"), [message("a"), message("b")]);
        assert_eq!(events("data: a\n\ndata: b"), [message("a"), message("b")]);
    }

    #[test]
    fn a_missing_blank_line_leaves_the_data_in_sight() {
        let mut parser = SseParser::default();
        assert_eq!(parser.feed(b"event: message\ndata: {\"a\":1}\n"), Ok(Vec::new()));
        assert_eq!(parser.pending(), Some("{\"a\":1}"));
        assert_eq!(parser.feed(b"\n"), Ok(vec![message("{\"a\":1}")]));
        assert_eq!(parser.pending(), None);
    }

    #[test]
    fn a_resumed_stream_keeps_the_id_and_drops_the_half_read_event() {
        let mut parser = SseParser::default();
        parser.feed(b"id: 7\ndata: ok\n\nid: 8\ndata: hal").unwrap();
        parser.resume();
        assert_eq!(parser.feed(b"data: whole\n\n"), Ok(vec![message("whole")]));
        assert_eq!(parser.last_id(), Some("7"));
    }

    #[test]
    fn bytes_that_are_not_utf8_and_odd_fields_do_no_harm() {
        let mut parser = SseParser::default();
        let got = parser.feed(b"\xff\xfe: x\ndata\ndata: \xff\nid: a\0b\nnonsense\n\n").unwrap();
        assert_eq!(got, [message("\n\u{fffd}")]);
        assert_eq!(parser.last_id(), None);
    }

    #[test]
    fn lines_events_and_streams_are_bounded() {
        let block = vec![b'x'; 1024 * 1024];
        let mut line = SseParser::default();
        assert!((0..5).any(|_| line.feed(&block).is_err()));
        let mut event = SseParser::default();
        assert!((0..5).any(|_| {
            event.feed(b"data:").is_err() || event.feed(&block).is_err() || event.feed(b"\n").is_err()
        }));
        let mut total = SseParser::default();
        let comment = [b":".as_slice(), &block, b"\n"].concat();
        assert!((0..15).all(|_| total.feed(&comment).is_ok()));
        assert!((0..2).any(|_| total.feed(&comment).is_err()));
    }
}
