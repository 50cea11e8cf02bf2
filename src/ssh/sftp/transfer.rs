//! Whole files over SFTP, with many requests on their way at a time: one after the other, each piece would take a trip
//! around the world.

use std::collections::HashMap;

use super::packet::{self, Fields};
use super::{Code, Handle, Result, Sftp, SftpError, expect};

/// What every server takes and gives at once (section 6.4).
const PIECE: usize = 32 << 10;
/// Requests on their way: 2 MiB, as OpenSSH's client has.
const WINDOW: usize = 64;

impl Sftp {
    /// All of a file, if that is no more than `limit` bytes; `None` if it is. `progress` is told the bytes so far.
    pub fn read_all(
        &mut self,
        handle: &Handle,
        limit: usize,
        mut progress: impl FnMut(usize),
    ) -> Result<Option<Vec<u8>>> {
        let mut text = Vec::new();
        let mut waiting: HashMap<u32, (usize, usize)> = HashMap::new();
        // Most files are one piece; the window opens as pieces come.
        let (mut next, mut end, mut window) = (0, None, 1);
        loop {
            while end.is_none() && waiting.len() < window && next <= limit {
                let number = self.ask(handle, next, PIECE);
                waiting.insert(number, (next, PIECE));
                next += PIECE;
            }
            if waiting.is_empty() {
                break;
            }
            let (number, kind, body) = self.reply()?;
            let Some((at, length)) = waiting.remove(&number) else { continue };
            match expect(kind, packet::DATA, body) {
                Ok(body) => {
                    let data = Fields(&body).string().ok_or(SftpError::Protocol("short data"))?;
                    if data.is_empty() || data.len() > length {
                        return Err(SftpError::Protocol("data of another length than asked for"));
                    }
                    put(&mut text, at, data);
                    if data.len() < length {
                        let (at, length) = (at + data.len(), length - data.len());
                        waiting.insert(self.ask(handle, at, length), (at, length));
                    }
                    window = (window * 2).min(WINDOW);
                    progress(text.len());
                }
                Err(SftpError::Status(Code::Eof, _)) => end = Some(end.map_or(at, |end: usize| end.min(at))),
                Err(e) => return Err(e),
            }
        }
        match end {
            None => Ok(None),
            Some(_) if text.len() > limit => Ok(None),
            Some(end) if end != text.len() => Err(SftpError::Protocol("the file changed while it was read")),
            Some(_) => Ok(Some(text)),
        }
    }

    fn ask(&mut self, handle: &Handle, at: usize, length: usize) -> u32 {
        let request = self.request(packet::READ).string(&handle.0).u64(at as u64).u32(length as u32);
        self.channel.send(&request.finish());
        self.number
    }

    /// Writes from the beginning. Stops at the first piece that is refused.
    pub fn write_all(
        &mut self,
        handle: &Handle,
        bytes: &[u8],
        mut progress: impl FnMut(usize),
    ) -> Result<()> {
        let mut waiting: HashMap<u32, usize> = HashMap::new();
        let mut pieces = bytes.chunks(PIECE).enumerate();
        let (mut refused, mut done) = (None, 0);
        loop {
            while refused.is_none() && waiting.len() < WINDOW {
                let Some((at, piece)) = pieces.next() else { break };
                let request = self.request(packet::WRITE).string(&handle.0).u64((at * PIECE) as u64);
                self.channel.send(&request.string(piece).finish());
                waiting.insert(self.number, piece.len());
            }
            if waiting.is_empty() {
                return refused.map_or(Ok(()), Err);
            }
            let (number, kind, body) = self.reply()?;
            let Some(length) = waiting.remove(&number) else { continue };
            match expect(kind, packet::STATUS, body) {
                Ok(_) => {
                    done += length;
                    progress(done);
                }
                Err(e) => {
                    refused.get_or_insert(e);
                }
            }
        }
    }
}

/// Pieces may come in any order.
fn put(text: &mut Vec<u8>, at: usize, data: &[u8]) {
    let end = at + data.len();
    if text.len() < end {
        text.resize(end, 0);
    }
    text[at..end].copy_from_slice(data);
}
