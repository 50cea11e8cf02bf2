//! Bytes on their way to a non-blocking descriptor: short writes are queued, nothing is dropped.

use std::io;
use std::os::fd::AsFd;

/// A queue in front of one descriptor. Its owner stops reading the other side above [`Outbox::HIGH`], so the
/// size is bounded by that plus one read.
#[derive(Default)]
pub struct Outbox {
    bytes: Vec<u8>,
    sent: usize,
}

impl Outbox {
    /// Above this many bytes the reader of the other side pauses: back-pressure instead of memory.
    pub const HIGH: usize = 64 * 1024;

    /// Sends at once what the descriptor takes and queues the rest.
    pub fn send(&mut self, to: impl AsFd, bytes: &[u8]) -> io::Result<()> {
        if !self.is_empty() {
            self.bytes.extend_from_slice(bytes);
            return self.flush(to);
        }
        let sent = write(to, bytes)?;
        self.bytes.extend_from_slice(&bytes[sent..]);
        Ok(())
    }

    /// Sends as much as the descriptor takes now.
    pub fn flush(&mut self, to: impl AsFd) -> io::Result<()> {
        self.sent += write(to, &self.bytes[self.sent..])?;
        if self.sent == self.bytes.len() {
            self.bytes.clear();
            self.sent = 0;
        } else if self.sent >= Self::HIGH {
            self.bytes.drain(..self.sent);
            self.sent = 0;
        }
        Ok(())
    }

    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Whether the other side should not be read for now.
    pub fn is_full(&self) -> bool {
        self.is_over(Self::HIGH)
    }

    /// Whether so many bytes wait.
    pub fn is_over(&self, bytes: usize) -> bool {
        self.bytes.len() - self.sent >= bytes
    }

    /// Forgets everything: the reader is gone.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.sent = 0;
    }
}

/// Writes until done or until the descriptor takes no more; the number of bytes taken.
fn write(to: impl AsFd, bytes: &[u8]) -> io::Result<usize> {
    let mut done = 0;
    while done < bytes.len() {
        match nix::unistd::write(&to, &bytes[done..]) {
            Ok(n) => done += n,
            Err(nix::Error::EINTR) => {}
            Err(nix::Error::EAGAIN) => break,
            Err(e) => return Err(e.into()),
        }
    }
    Ok(done)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;
    use std::os::unix::net::UnixStream;

    #[test]
    fn a_slow_reader_gets_every_byte_in_order() {
        let (ours, mut theirs) = UnixStream::pair().expect("socket pair");
        ours.set_nonblocking(true).expect("non-blocking");
        let sent: Vec<u8> = (0..3_000_000u32).map(|i| (i % 251) as u8).collect();
        let mut outbox = Outbox::default();
        outbox.send(&ours, &sent[..2_000_000]).expect("send");
        assert!(outbox.is_full(), "a socket buffer holds less than 2 MB");
        outbox.send(&ours, &sent[2_000_000..]).expect("send");
        let mut got = vec![0; sent.len()];
        let mut at = 0;
        while at < got.len() {
            at += theirs.read(&mut got[at..]).expect("read");
            outbox.flush(&ours).expect("flush");
        }
        assert!(outbox.is_empty());
        assert!(got == sent);
    }

    #[test]
    fn what_cannot_be_written_to_is_an_error() {
        let read_only = std::fs::File::open("/dev/null").expect("open");
        assert!(Outbox::default().send(&read_only, b"x").is_err());
    }
}
