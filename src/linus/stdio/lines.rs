//! The bytes of a pipe to lines, bounded: MCP over stdio has one JSON-RPC message a line.

/// Longest line: as long as an answer over HTTP may be.
pub(super) const LINE_LIMIT: usize = 4 * 1024 * 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TooLong;

#[derive(Debug, Default)]
pub(super) struct Lines {
    rest: Vec<u8>,
}

impl Lines {
    /// Takes the next bytes, split anywhere, and hands on every line that they complete, without its end.
    pub(super) fn feed(&mut self, bytes: &[u8], mut line: impl FnMut(&[u8])) -> Result<(), TooLong> {
        let mut bytes = bytes;
        while let Some(end) = memchr::memchr(b'\n', bytes) {
            self.push(&bytes[..end])?;
            line(self.rest.strip_suffix(b"\r").unwrap_or(&self.rest));
            self.rest.clear();
            bytes = &bytes[end + 1..];
        }
        self.push(bytes)
    }

    fn push(&mut self, part: &[u8]) -> Result<(), TooLong> {
        if self.rest.len() + part.len() > LINE_LIMIT {
            return Err(TooLong);
        }
        self.rest.extend_from_slice(part);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(parts: &[&[u8]]) -> Vec<String> {
        let (mut parser, mut all) = (Lines::default(), Vec::new());
        for part in parts {
            parser.feed(part, |line| all.push(String::from_utf8_lossy(line).into_owned())).unwrap();
        }
        all
    }

    #[test]
    fn lines_are_the_same_however_they_are_split() {
        let text = "{\"a\":\"ü€😀\"}\r\n\n{}\nhalf".as_bytes();
        let whole = lines(&[text]);
        assert_eq!(whole, ["{\"a\":\"ü€😀\"}", "", "{}"]);
        for split in 0..=text.len() {
            let (a, b) = text.split_at(split);
            assert_eq!(lines(&[a, b]), whole, "{split}");
        }
    }

    #[test]
    fn a_line_without_end_is_refused() {
        let mut parser = Lines::default();
        let block = vec![b'x'; LINE_LIMIT / 4];
        assert!((0..4).all(|_| parser.feed(&block, |_| ()).is_ok()));
        assert_eq!(parser.feed(b"x", |_| ()), Err(TooLong));
    }
}
