//! A complete control sequence: marker, parameters, intermediates and final byte. No meaning.

/// `CSI` with its parts; `params` is raw (`;` between parameters, `:` between sub-parameters).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Csi<'a> {
    /// `<`, `=`, `>` or `?` in front, else 0.
    pub(crate) marker: u8,
    pub(crate) params: &'a [u8],
    /// The last intermediate, else 0. Sequences with two are not in use.
    pub(crate) intermediate: u8,
    pub(crate) last: u8,
}

/// Longest CSI kept. The longest in use are SGR runs of about 100 bytes; a longer one is swallowed whole.
pub(super) const CSI_LIMIT: usize = 256;

impl<'a> Csi<'a> {
    /// A sequence that begins and ends in these bytes, and its length: most come in one piece. `None` for all that has
    /// to be looked at byte by byte.
    pub(super) fn at_start(bytes: &'a [u8]) -> Option<(usize, Self)> {
        let body = bytes.strip_prefix(b"\x1b[")?;
        let end = body.iter().take(CSI_LIMIT).position(|b| !(0x30..=0x3b).contains(b))?;
        if (0x40..=0x7e).contains(&body[end]) {
            return Some((
                2 + end + 1,
                Self { marker: 0, params: &body[..end], intermediate: 0, last: body[end] },
            ));
        }
        let end = body.iter().take(CSI_LIMIT).position(|b| !(0x20..=0x3f).contains(b))?;
        let last = *body.get(end).filter(|b| (0x40..=0x7e).contains(*b))?;
        Some((2 + end + 1, Self::parse(&body[..end], last)?))
    }

    /// `None` where the order of the bytes is not that of a control sequence.
    pub(super) fn parse(body: &'a [u8], last: u8) -> Option<Self> {
        let (marker, rest) = match body.first() {
            Some(b @ 0x3c..=0x3f) => (*b, &body[1..]),
            _ => (0, body),
        };
        let split = rest.iter().position(|b| (0x20..=0x2f).contains(b)).unwrap_or(rest.len());
        let (params, intermediates) = rest.split_at(split);
        let well_formed =
            params.iter().all(|b| (0x30..=0x3b).contains(b)) && intermediates.iter().all(|b| *b < 0x30);
        let intermediate = intermediates.last().copied().unwrap_or(0);
        (well_formed && intermediates.len() < 2).then_some(Self { marker, params, intermediate, last })
    }

    /// Marker, intermediate and final byte: what names the function.
    pub(crate) fn name(&self) -> (u8, u8, u8) {
        (self.marker, self.intermediate, self.last)
    }

    /// The parameters; an empty or overlong one is 0 or the largest value.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = u16> + use<'a> {
        self.params.split(|b| *b == b';').map(number)
    }

    /// The `index`th parameter, `default` where it is absent or 0.
    pub(crate) fn number(&self, index: usize, default: u16) -> u16 {
        self.numbers().nth(index).filter(|n| *n != 0).unwrap_or(default)
    }

    /// The sequence as bytes again.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"\x1b[");
        out.extend((self.marker != 0).then_some(self.marker));
        out.extend_from_slice(self.params);
        out.extend((self.intermediate != 0).then_some(self.intermediate));
        out.push(self.last);
    }
}

/// Digits up to the first byte that is none.
pub(crate) fn number(digits: &[u8]) -> u16 {
    digits
        .iter()
        .take_while(|b| b.is_ascii_digit())
        .fold(0u16, |n, b| n.saturating_mul(10).saturating_add(u16::from(b - b'0')))
}
