//! The token of a sign-in: read from the store each time, so that what another window renewed, or the user signed in to
//! meanwhile, counts at once; renewed shortly before its end.

use std::sync::Arc;

use crate::linus::call_error::CallError;
use crate::linus::cancel::Canceller;
use crate::linus::oauth::{self, Challenge, Fetcher, Key, SignIn, Store, TokenError, now, shown};
use crate::linus::secret::Secret;

/// A token that was refused so soon after it was given, in seconds, is not renewed: the next would fare no better, and
/// a server that refuses everything would be asked for ever.
const YOUNG: u64 = 60;

/// Renews a sign-in whose state has this serial number, and returns when that is done.
pub type Renew = Arc<dyn Fn(&Store, &Key, u64, &Canceller) -> Result<(), TokenError> + Send + Sync>;

/// Renews in this process. It is for callers that live until the answer is there.
pub fn renew_here(fetcher: Fetcher) -> Renew {
    Arc::new(move |store, key, serial, _| oauth::refresh(store, key, serial, &fetcher))
}

pub struct SignedIn {
    store: Store,
    key: Key,
    server: String,
    renew: Renew,
}

impl SignedIn {
    /// The sign-in for the Linus at `server`, whether there is one yet or not. Fails for an address that no credential
    /// may be sent to.
    pub fn new(store: Store, server: &str, renew: Renew) -> Result<Self, String> {
        Ok(Self { store, key: Key::of(server)?, server: server.to_owned(), renew })
    }

    pub(super) fn server(&self) -> &str {
        &self.server
    }

    /// `None`: the user has not signed in.
    pub(super) fn token(&self, cancel: &Canceller) -> Result<Option<Secret>, CallError> {
        let Some(sign_in) = self.read()? else { return Ok(None) };
        match sign_in.fresh(now()) {
            Some(token) => Ok(Some(token.clone())),
            None => self.renewed(&sign_in, cancel).map(Some),
        }
    }

    /// Another one than `shown`, which was refused.
    pub(super) fn another(&self, shown: &Secret, cancel: &Canceller) -> Result<Option<Secret>, CallError> {
        let Some(sign_in) = self.read()? else { return Ok(None) };
        if let Some(token) = sign_in.fresh(now()).filter(|token| *token != shown) {
            return Ok(Some(token.clone()));
        }
        if sign_in.refresh.is_none() || now() < sign_in.obtained + YOUNG {
            return Ok(None);
        }
        self.renewed(&sign_in, cancel).map(|token| Some(token).filter(|token| token != shown))
    }

    fn renewed(&self, sign_in: &SignIn, cancel: &Canceller) -> Result<Secret, CallError> {
        if sign_in.refresh.is_none() {
            return Err(CallError::auth(format!("the sign-in has ended: {}", self.remedy())));
        }
        (self.renew)(&self.store, &self.key, sign_in.serial, cancel).map_err(|e| match e {
            _ if cancel.is_cancelled() => CallError::Cancelled,
            TokenError::Refused(why) => CallError::auth(format!("{why}: {}", self.remedy())),
            TokenError::Failed(why) => {
                CallError::unreachable(format!("the sign-in could not be renewed: {why}"))
            }
        })?;
        // A token of a very short life is shown all the same.
        let renewed = self.read()?.and_then(|sign_in| sign_in.access);
        renewed.ok_or_else(|| CallError::auth(format!("the sign-in has ended: {}", self.remedy())))
    }

    /// Notes which rights were missing: signing in again asks for them.
    pub(super) fn want(&self, challenge: &Challenge, cancel: &Canceller) {
        if let Some(scope) = challenge.scope.as_deref().filter(|_| challenge.wants_more_scope()) {
            // Without the note the next sign-in is refused again, and says so.
            let _ = oauth::want(&self.store, &self.key, scope, cancel);
        }
    }

    pub(super) fn advice(&self) -> String {
        match self.read() {
            Ok(None) => format!("{}, or set linus.token_env", self.remedy()),
            _ => format!("the sign-in is not accepted: {}", self.remedy()),
        }
    }

    fn remedy(&self) -> String {
        format!("run aissh --login {}", shown(&self.server))
    }

    fn read(&self) -> Result<Option<SignIn>, CallError> {
        self.store.read(&self.key).map_err(CallError::auth)
    }
}
