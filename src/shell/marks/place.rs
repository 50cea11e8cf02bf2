//! Where and as whom: OSC 7, iTerm2's 1337, ConEmu's 9;9, and window titles.

use super::escapes::percent_decoded;

/// No user or host name is longer (POSIX HOST_NAME_MAX is 255).
const MAX_NAME: usize = 255;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) user: Option<String>,
    pub(crate) host: Option<String>,
    pub(crate) cwd: Option<String>,
}

/// `RemoteHost=user@host` and `CurrentDir=path`.
pub(super) fn iterm(rest: &str) -> Option<Place> {
    if let Some(path) = rest.strip_prefix("CurrentDir=") {
        return directory(path);
    }
    let (user, host) = rest.strip_prefix("RemoteHost=")?.split_once('@')?;
    Some(Place { user: name(user), host: name(host), cwd: None })
}

/// The host is the remote's word for itself. `localhost` is every host's, and says nothing.
pub(super) fn file_url(url: &str) -> Option<Place> {
    let (rest, encoded) = match url.strip_prefix("file://") {
        Some(rest) => (rest, true),
        None => (url.strip_prefix("kitty-shell-cwd://")?, false),
    };
    let (host, path) = rest.split_at(rest.find('/')?);
    let path = if encoded { percent_decoded(path)? } else { path.to_owned() };
    Some(Place { host: name(host).filter(|h| h != "localhost"), ..directory(&path)? })
}

pub(super) fn directory(path: &str) -> Option<Place> {
    let odd = |c: char| c.is_control() || c == char::REPLACEMENT_CHARACTER;
    let ok = !path.is_empty() && !path.contains(odd);
    ok.then(|| Place { cwd: Some(path.to_owned()), ..Place::default() })
}

/// `user@host: dir` (Debian) and `user@host:dir` (RHEL); titles with anything else after the host are not taken.
pub(crate) fn user_host_dir(text: &str) -> Option<Place> {
    let (who, dir) = text.trim().split_once(':')?;
    let (user, host) = who.split_once('@')?;
    let dir = dir.trim_start();
    let place = dir.starts_with(['/', '~']).then(|| directory(dir)).flatten()?;
    let (user, host) = (name(user)?, name(host)?);
    Some(Place { user: Some(user), host: Some(host), ..place })
}

/// A user or host name, or nothing when it cannot be one.
pub(crate) fn name(text: &str) -> Option<String> {
    let ok = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | '$' | '+' | '\\');
    (!text.is_empty() && text.len() <= MAX_NAME && text.chars().all(ok)).then(|| text.to_owned())
}
