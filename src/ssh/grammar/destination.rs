//! The destination: `[user@]host` or `ssh://[user@]host[:port]`, as parse_ssh_uri() and ssh.c read it.

/// A destination taken apart; the user and port of the destination itself, not those of options.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Parts {
    pub(super) user: Option<Vec<u8>>,
    pub(super) host: Vec<u8>,
    pub(super) port: Option<Vec<u8>>,
}

/// `None` where ssh would print its usage.
pub(super) fn parse(text: &[u8]) -> Option<Parts> {
    if let Some(rest) = text.strip_prefix(b"ssh://") {
        return parse_uri(rest);
    }
    // The last '@': user names may have one.
    match text.iter().rposition(|&b| b == b'@') {
        Some(0) => None,
        Some(at) => {
            Some(Parts { user: Some(text[..at].to_vec()), host: text[at + 1..].to_vec(), port: None })
        }
        None => Some(Parts { user: None, host: text.to_vec(), port: None }),
    }
}

fn parse_uri(text: &[u8]) -> Option<Parts> {
    // In a URI it is the first '@'; another one in a user name is written %40.
    let (user, text) = match text.iter().position(|&b| b == b'@') {
        Some(at) => {
            let info = text[..at].split(|&b| b == b';').next().unwrap_or_default();
            (Some(decode(info).filter(|user| !user.is_empty())?), &text[at + 1..])
        }
        None => (None, text),
    };
    let (host, rest) = if text.starts_with(b"[") {
        let close = text.iter().position(|&b| b == b']')?;
        (&text[1..close], &text[close + 1..])
    } else {
        text.split_at(text.iter().position(|b| matches!(b, b':' | b'/')).unwrap_or(text.len()))
    };
    let host = domain(host)?;
    let port = match rest {
        [] | [b':'] => None,
        [b':', more @ ..] => {
            let (port, path) = more.split_at(more.iter().position(|&b| b == b'/').unwrap_or(more.len()));
            // A number that is no port is refused; any other text may be the name of a service.
            if path.len() > 1 || port.is_empty() || (is_number(port) && port_number(port).is_none()) {
                return None;
            }
            Some(port.to_vec())
        }
        // ssh takes a path for an error, but not an empty one.
        [b'/'] => None,
        _ => return None,
    };
    Some(Parts { user, host, port })
}

/// valid_domain(): in a URI the host must look like a name. A trailing dot is dropped.
fn domain(host: &[u8]) -> Option<Vec<u8>> {
    let first = *host.first()?;
    let fits = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b'_');
    let good = (first.is_ascii_alphanumeric() || first == b'_')
        && host.iter().all(|&b| fits(b))
        && !host.windows(2).any(|pair| pair == b"..");
    good.then(|| host.strip_suffix(b".").unwrap_or(host).to_vec())
}

/// urldecode(): '+' is a blank, `%00` is refused.
fn decode(text: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len());
    let mut at = 0;
    while at < text.len() {
        match text[at] {
            b'+' => out.push(b' '),
            b'%' => {
                let digits = std::str::from_utf8(text.get(at + 1..at + 3)?).ok()?;
                let both = digits.bytes().all(|b| b.is_ascii_hexdigit());
                let byte = u8::from_str_radix(digits, 16).ok().filter(|&byte| both && byte != 0)?;
                out.push(byte);
                at += 2;
            }
            byte => out.push(byte),
        }
        at += 1;
    }
    Some(out)
}

/// strtonum(): blanks and a sign may stand before the digits.
fn is_number(text: &[u8]) -> bool {
    std::str::from_utf8(text).is_ok_and(|text| text.trim_start().parse::<i64>().is_ok())
}

/// a2port() without the names of services.
pub(super) fn port_number(text: &[u8]) -> Option<u16> {
    std::str::from_utf8(text).ok()?.trim_start().parse().ok().filter(|&port| port != 0)
}
