//! SFTP's packets (draft-ietf-secsh-filexfer-02, which is version 3): made and read, nothing else. What a server sends
//! is hostile: every read can fail, and none reserves memory for a length that somebody claims.

/// OpenSSH's SFTP_MAX_MSG_LENGTH; a longer packet is no packet.
pub(super) const PACKET_LIMIT: usize = 256 << 10;

pub(super) const INIT: u8 = 1;
pub(super) const VERSION: u8 = 2;
pub(super) const OPEN: u8 = 3;
pub(super) const CLOSE: u8 = 4;
pub(super) const READ: u8 = 5;
pub(super) const WRITE: u8 = 6;
pub(super) const LSTAT: u8 = 7;
pub(super) const FSTAT: u8 = 8;
pub(super) const FSETSTAT: u8 = 10;
pub(super) const OPENDIR: u8 = 11;
pub(super) const READDIR: u8 = 12;
pub(super) const REMOVE: u8 = 13;
pub(super) const REALPATH: u8 = 16;
pub(super) const STAT: u8 = 17;
pub(super) const RENAME: u8 = 18;
pub(super) const STATUS: u8 = 101;
pub(super) const HANDLE: u8 = 102;
pub(super) const DATA: u8 = 103;
pub(super) const NAME: u8 = 104;
pub(super) const ATTRS: u8 = 105;
pub(super) const EXTENDED: u8 = 200;
pub(super) const EXTENDED_REPLY: u8 = 201;

const ATTR_SIZE: u32 = 1;
const ATTR_OWNER: u32 = 2;
const ATTR_PERMISSIONS: u32 = 4;
const ATTR_TIMES: u32 = 8;
const ATTR_EXTENDED: u32 = 1 << 31;

/// S_IFMT and two of its values, as every server sends them whatever its system.
const TYPE_MASK: u32 = 0o170_000;
const TYPE_REGULAR: u32 = 0o100_000;
const TYPE_DIRECTORY: u32 = 0o040_000;
const TYPE_SYMLINK: u32 = 0o120_000;

/// What is known of a file; `None` where the server does not say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Attrs {
    pub size: Option<u64>,
    pub uid: Option<u32>,
    pub gid: Option<u32>,
    /// With the type bits.
    pub permissions: Option<u32>,
    /// Seconds since 1970.
    pub mtime: Option<u32>,
}

/// What kind of thing it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileType {
    Regular,
    Directory,
    Symlink,
    /// Device, pipe, socket, or not told.
    Other,
}

impl Attrs {
    pub fn file_type(&self) -> FileType {
        match self.permissions.map(|p| p & TYPE_MASK) {
            Some(TYPE_REGULAR) => FileType::Regular,
            Some(TYPE_DIRECTORY) => FileType::Directory,
            Some(TYPE_SYMLINK) => FileType::Symlink,
            _ => FileType::Other,
        }
    }

    /// Permissions, set-user-ID, set-group-ID and sticky bits.
    pub fn mode(&self) -> Option<u32> {
        self.permissions.map(|p| p & 0o7777)
    }
}

/// A packet on its way out.
pub(super) struct Packet {
    bytes: Vec<u8>,
}

impl Packet {
    pub(super) fn new(kind: u8, number: u32) -> Self {
        let mut this = Self { bytes: vec![0, 0, 0, 0, kind] };
        this.bytes.extend(number.to_be_bytes());
        this
    }

    pub(super) fn u32(mut self, number: u32) -> Self {
        self.bytes.extend(number.to_be_bytes());
        self
    }

    pub(super) fn u64(mut self, number: u64) -> Self {
        self.bytes.extend(number.to_be_bytes());
        self
    }

    pub(super) fn string(self, text: &[u8]) -> Self {
        // What we send is far below 4 GiB.
        let mut this = self.u32(u32::try_from(text.len()).unwrap_or(u32::MAX));
        this.bytes.extend_from_slice(text);
        this
    }

    /// Attributes with only the permissions.
    pub(super) fn mode(self, mode: u32) -> Self {
        self.u32(ATTR_PERMISSIONS).u32(mode)
    }

    pub(super) fn owner(self, uid: u32, gid: u32) -> Self {
        self.u32(ATTR_OWNER).u32(uid).u32(gid)
    }

    pub(super) fn finish(mut self) -> Vec<u8> {
        let length = u32::try_from(self.bytes.len() - 4).unwrap_or(u32::MAX);
        self.bytes[..4].copy_from_slice(&length.to_be_bytes());
        self.bytes
    }
}

/// What is left of a packet that came in.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fields<'a>(pub(super) &'a [u8]);

impl<'a> Fields<'a> {
    fn bytes(&mut self, count: usize) -> Option<&'a [u8]> {
        let (head, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(head)
    }

    pub(super) fn u8(&mut self) -> Option<u8> {
        self.bytes(1).map(|b| b[0])
    }

    pub(super) fn u32(&mut self) -> Option<u32> {
        self.bytes(4)?.try_into().ok().map(u32::from_be_bytes)
    }

    pub(super) fn u64(&mut self) -> Option<u64> {
        self.bytes(8)?.try_into().ok().map(u64::from_be_bytes)
    }

    pub(super) fn string(&mut self) -> Option<&'a [u8]> {
        let length = self.u32()?;
        self.bytes(usize::try_from(length).ok()?)
    }

    pub(super) fn attrs(&mut self) -> Option<Attrs> {
        let flags = self.u32()?;
        let mut attrs = Attrs::default();
        if flags & ATTR_SIZE != 0 {
            attrs.size = Some(self.u64()?);
        }
        if flags & ATTR_OWNER != 0 {
            (attrs.uid, attrs.gid) = (Some(self.u32()?), Some(self.u32()?));
        }
        if flags & ATTR_PERMISSIONS != 0 {
            attrs.permissions = Some(self.u32()?);
        }
        if flags & ATTR_TIMES != 0 {
            self.u32()?;
            attrs.mtime = Some(self.u32()?);
        }
        if flags & ATTR_EXTENDED != 0 {
            for _ in 0..self.u32()? {
                self.string()?;
                self.string()?;
            }
        }
        Some(attrs)
    }
}

/// The number of names of a file, from the long form of a directory's entry, which is `ls -l`'s line.
pub(super) fn links(long: &[u8]) -> Option<u32> {
    let text = std::str::from_utf8(long).ok()?;
    let mut words = text.split_ascii_whitespace();
    words.next().filter(|mode| mode.starts_with('-') && mode.len() >= 10)?;
    words.next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_are_read_in_their_order_and_never_past_the_end() {
        let bytes = Packet::new(ATTRS, 1).u32(0x8000_000f).u64(5).u32(7).u32(8).u32(0o100_644).u32(1).u32(2);
        let bytes = bytes.u32(1).string(b"x@y").string(b"").finish();
        let whole = &bytes[9..];
        let attrs = Fields(whole).attrs().expect("attributes");
        assert_eq!((attrs.size, attrs.uid, attrs.gid, attrs.mtime), (Some(5), Some(7), Some(8), Some(2)));
        assert_eq!((attrs.mode(), attrs.file_type()), (Some(0o644), FileType::Regular));
        for end in 0..whole.len() {
            assert_eq!(Fields(&whole[..end]).attrs(), None, "cut at {end}");
        }
    }

    #[test]
    fn a_length_that_is_claimed_reserves_nothing() {
        assert_eq!(Fields(&[0xff, 0xff, 0xff, 0xff, 1]).string(), None);
        assert_eq!(Fields(&[0x80, 0, 0, 0, 0xff, 0xff, 0xff, 0xff]).attrs(), None);
    }

    #[test]
    fn the_number_of_names_is_read_from_a_line_of_ls() {
        assert_eq!(links(b"-rw-r--r--    2 root     root            3 Nov 30 15:36 f"), Some(2));
        for none in ["-rw-r--r--    ? root root 3 f", "drwxr-xr-x 2 a b 3 d", "", "-rw 2", "total 4"] {
            assert_eq!(links(none.as_bytes()), None, "{none}");
        }
    }
}
