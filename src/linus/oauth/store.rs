//! The sign-ins on the disk: one file for each Linus that the user signed in to, 0600 in a folder 0700, replaced whole,
//! changed under a lock that all windows share.
//!
//! A file belongs to one address and holds what one issuer gave for one resource. A sign-in at another issuer begins
//! anew: nothing of the old one is ever sent there.

use std::fmt;
use std::fs::File;
use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use nix::errno::Errno;
use nix::fcntl::{Flock, FlockArg};
use ring::digest::{SHA256, digest};
use serde::{Deserialize, Serialize};

use super::endpoint::{parse, split};
use super::register::Client;
use super::token::Tokens;
use crate::linus::cancel::Canceller;
use crate::linus::secret::Secret;
use crate::private;
use crate::text::hex;

/// Four tokens of 16 KiB and the rest.
const FILE_LIMIT: u64 = 128 * 1024;
/// How often a lock that another window holds is tried again. flock(2) itself could not be taken back by `Esc`.
const LOCK_PAUSE: Duration = Duration::from_millis(50);
/// Longer than one refresh may take (`fetch.rs`), so that a window waits for another's rather than failing.
const LOCK_LIMIT: Duration = Duration::from_secs(30);
/// A token is renewed so many seconds before its end, and one of a short life after three quarters of it: clocks differ,
/// and messages are under way.
const EARLY: u64 = 30;

/// The name of a sign-in's file: the host for the eye, a hash of the whole address for the difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key(String);

impl Key {
    /// Fails for an address that no credential may be sent to.
    pub fn of(server: &str) -> Result<Self, String> {
        let uri = parse(server)?;
        let (origin, path) = split(&uri);
        let query = uri.query().map(|query| format!("?{query}")).unwrap_or_default();
        let hash = digest(&SHA256, format!("{origin}{path}{query}").as_bytes());
        let hash = hex(&hash.as_ref()[..8]);
        let host = uri.host().unwrap_or_default().to_ascii_lowercase();
        // File names end at 255 bytes, host names at 253.
        let host: String = host
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' })
            .take(100)
            .collect();
        Ok(Self(format!("{}-{hash}", host.trim_matches(['.', '-']))))
    }

    /// A key that another process of aissh wrote out.
    pub fn named(name: &str) -> Option<Self> {
        let fine = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '.';
        (!name.is_empty() && name.chars().all(fine) && !name.starts_with('.')).then(|| Self(name.to_owned()))
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What signing in brought.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignIn {
    /// Counts the changes: a window that wants a refresh says of which state.
    pub serial: u64,
    /// The address that was signed in to.
    pub server: String,
    /// As the resource published it.
    pub resource: Option<String>,
    pub issuer: String,
    pub token_endpoint: String,
    pub revocation_endpoint: Option<String>,
    pub client: Client,
    pub scope: Option<String>,
    /// Scopes that a session was refused for.
    #[serde(default)]
    pub wanted: Option<String>,
    /// Empty when the server took them back.
    pub access: Option<Secret>,
    pub refresh: Option<Secret>,
    /// Seconds since 1970.
    pub obtained: u64,
    pub expires: Option<u64>,
}

impl SignIn {
    /// Takes new tokens in. What a refresh does not repeat stays (RFC 6749 section 6).
    pub fn take(&mut self, tokens: Tokens, now: u64) {
        self.access = Some(tokens.access);
        self.refresh = tokens.refresh.or(self.refresh.take());
        self.scope = tokens.scope.or(self.scope.take());
        self.obtained = now;
        self.expires = tokens.lifetime.map(|lifetime| now + lifetime);
    }

    /// The access token, if it is not about to end.
    pub fn fresh(&self, now: u64) -> Option<&Secret> {
        let is_fresh = |end: u64| now + EARLY.min(end.saturating_sub(self.obtained) / 4) < end;
        self.access.as_ref().filter(|_| self.expires.is_none_or(is_fresh))
    }
}

/// Seconds since 1970.
pub fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// The folder of all sign-ins.
#[derive(Debug, Clone)]
pub struct Store(PathBuf);

impl Store {
    pub fn at(folder: PathBuf) -> Self {
        Self(folder)
    }

    /// The user's own; `None` where there is no home.
    pub fn of_user() -> Option<Self> {
        private::state_folder().map(|folder| Self(folder.join("sign-ins")))
    }

    pub fn path(&self, key: &Key) -> PathBuf {
        self.0.join(format!("{key}.json"))
    }

    /// A file that is damaged is an error, not a sign-in that never was.
    pub fn read(&self, key: &Key) -> Result<Option<SignIn>, String> {
        let path = self.path(key);
        let bytes = private::read(&path, FILE_LIMIT).map_err(|e| format!("{}: {e}", path.display()))?;
        let Some(bytes) = bytes else { return Ok(None) };
        // serde's error could quote a token.
        let sign_in = serde_json::from_slice(&bytes);
        sign_in.map(Some).map_err(|_| format!("{} is damaged: sign in again", path.display()))
    }

    /// Waits for the sign-in's lock, at most until the call is taken back or another window has held it too long.
    pub fn lock(&self, key: &Key, cancel: &Canceller) -> Result<Locked<'_>, String> {
        private::folder(&self.0).map_err(|e| e.to_string())?;
        let path = self.0.join(format!("{key}.lock"));
        let mut file = private::open(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        let end = Instant::now() + LOCK_LIMIT;
        loop {
            match Flock::lock(file, FlockArg::LockExclusiveNonblock) {
                Ok(lock) => return Ok(Locked { store: self, key: key.clone(), _lock: lock }),
                // EWOULDBLOCK is the same number.
                Err((same, Errno::EAGAIN | Errno::EINTR)) => file = same,
                Err((_, e)) => return Err(format!("{}: {}", path.display(), e.desc())),
            }
            if cancel.wait(LOCK_PAUSE) {
                return Err("cancelled".into());
            }
            if Instant::now() >= end {
                return Err(format!("{} has been locked by another aissh for too long", path.display()));
            }
        }
    }
}

/// The right to change a sign-in. Given back when it is dropped, and by the kernel when the process dies.
#[derive(Debug)]
pub struct Locked<'a> {
    store: &'a Store,
    key: Key,
    _lock: Flock<File>,
}

impl Locked<'_> {
    /// As it is now: another window may have changed it before the lock was ours.
    pub fn read(&self) -> Result<Option<SignIn>, String> {
        self.store.read(&self.key)
    }

    /// Writes it as the next state after the one on the disk, and returns that.
    pub fn write(&self, mut sign_in: SignIn) -> Result<SignIn, String> {
        let before = self.read().ok().flatten().map_or(sign_in.serial, |on_disk| on_disk.serial);
        sign_in.serial = before + 1;
        let path = self.store.path(&self.key);
        let bytes = serde_json::to_vec(&sign_in).map_err(|_| "a sign-in cannot be written".to_owned())?;
        private::replace(&path, &bytes).map_err(|e| format!("{}: {e}", path.display()))?;
        Ok(sign_in)
    }

    /// Forgets it. The lock's file stays: another window may wait for it.
    pub fn remove(&self) -> Result<(), String> {
        let path = self.store.path(&self.key);
        std::fs::remove_file(&path).map_err(|e| format!("{}: {e}", path.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::register::ClientAuth;
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn folder() -> PathBuf {
        nix::unistd::mkdtemp(&std::env::temp_dir().join("aissh-sign-ins.XXXXXX")).unwrap()
    }

    fn sign_in() -> SignIn {
        SignIn {
            serial: 0,
            server: "https://h/mcp".into(),
            resource: Some("https://h/mcp".into()),
            issuer: "https://as".into(),
            token_endpoint: "https://as/token".into(),
            revocation_endpoint: None,
            client: Client { id: "c".into(), secret: None, auth: ClientAuth::Public, redirect: None },
            scope: None,
            wanted: None,
            access: Some(Secret::new("a1")),
            refresh: Some(Secret::new("r1")),
            obtained: 100,
            expires: Some(200),
        }
    }

    #[test]
    fn each_address_has_its_own_file_whose_name_shows_the_host() {
        let key = |url: &str| Key::of(url).unwrap().to_string();
        assert_eq!(key("https://Linus.example/mcp"), key("HTTPS://linus.example/mcp"));
        assert_ne!(key("https://linus.example/mcp"), key("https://linus.example/mcp?x"));
        assert_ne!(key("https://linus.example/mcp"), key("https://linus.example:8443/mcp"));
        assert!(key("https://linus.example/mcp").starts_with("linus.example-"));
        for url in ["http://[::1]:1/", "https://h/../../x", "https://x/%2e%2e"] {
            assert_eq!(Key::named(&key(url)).map(|k| k.to_string()), Some(key(url)), "{url}");
        }
        for bad in ["", "..", "a/b", ".x", "a\0"] {
            assert_eq!(Key::named(bad), None, "{bad}");
        }
        assert!(Key::of("http://linus.example/mcp").is_err());
    }

    #[test]
    fn a_sign_in_is_the_users_alone_counts_its_changes_and_can_be_forgotten() {
        let dir = folder();
        let (store, key) = (Store::at(dir.join("state")), Key::of("https://h/mcp").unwrap());
        assert_eq!(store.read(&key), Ok(None));
        let locked = store.lock(&key, &Canceller::new()).unwrap();
        locked.write(sign_in()).unwrap();
        locked.write(sign_in()).unwrap();
        assert_eq!(store.read(&key).unwrap().unwrap().serial, 2);
        let mode = |path: PathBuf| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(store.path(&key)), mode(dir.join("state"))), (0o600, 0o700));
        std::fs::write(store.path(&key), "{\"access\": \"a1").unwrap();
        let error = store.read(&key).unwrap_err();
        assert!(error.contains("damaged") && !error.contains("a1"), "{error}");
        locked.remove().unwrap();
        assert_eq!(store.read(&key), Ok(None));
        std::fs::remove_dir_all(dir).unwrap();
    }

    #[test]
    fn the_lock_is_held_by_one_and_waiting_for_it_can_be_taken_back() {
        let dir = folder();
        let (store, key) = (Store::at(dir.clone()), Key::of("https://h/mcp").unwrap());
        let held = store.lock(&key, &Canceller::new()).unwrap();
        let cancel = Canceller::new();
        cancel.cancel();
        assert_eq!(store.lock(&key, &cancel).unwrap_err(), "cancelled");
        drop(held);
        assert!(store.lock(&key, &Canceller::new()).is_ok());
        std::fs::remove_dir_all(dir).unwrap();
    }

    #[test]
    fn what_a_refresh_does_not_repeat_stays_and_a_token_ends_early() {
        let mut sign_in = sign_in();
        assert!(sign_in.fresh(174).is_some() && sign_in.fresh(175).is_none(), "three quarters of 100 s");
        sign_in.expires = Some(1100);
        assert!(sign_in.fresh(1069).is_some() && sign_in.fresh(1070).is_none());
        let tokens = Tokens { access: Secret::new("a2"), refresh: None, lifetime: None, scope: None };
        sign_in.take(tokens, 300);
        assert_eq!(sign_in.refresh, Some(Secret::new("r1")));
        assert!(sign_in.fresh(u64::MAX).is_some(), "no end is known");
        assert!(!format!("{sign_in:?}").contains("r1"));
    }
}
