//! Patterns with `*` (any text) and `?` (one byte).

/// Whether the text fits the pattern, in time that grows with the product of both lengths at most: the usual two-pointer
/// walk, in which only the last star is ever tried again.
pub(crate) fn fits(pattern: &[u8], text: &[u8]) -> bool {
    let (mut p, mut t) = (0, 0);
    let mut retry = None;
    while t < text.len() {
        match pattern.get(p) {
            Some(b'*') => {
                retry = Some((p + 1, t));
                p += 1;
            }
            Some(c) if *c == b'?' || *c == text[t] => {
                p += 1;
                t += 1;
            }
            _ => {
                let Some((star, from)) = retry else { return false };
                retry = Some((star, from + 1));
                (p, t) = (star, from + 1);
            }
        }
    }
    pattern[p..].iter().all(|c| *c == b'*')
}
