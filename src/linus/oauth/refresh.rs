//! Renewing a sign-in, and giving it up: under its lock, with the file read again first.
//!
//! Several windows want this at the same time, and a server that rotates refresh tokens takes a second use of one for
//! theft and revokes them all. So whoever gets the lock renews, and the others find that done.

use super::fetch::Fetcher;
use super::store::{Key, SignIn, Store, now};
use super::token::{Ask, TokenError, form, read};
use crate::linus::cancel::Canceller;

/// Renews the sign-in if its state still is `serial`. `Refused`: the server takes the grant no more; that is in the file
/// then, and only signing in again helps.
///
/// It is not taken back once it is under way: a rotated token whose answer nobody reads is a sign-in lost.
pub fn refresh(store: &Store, key: &Key, serial: u64, fetcher: &Fetcher) -> Result<(), TokenError> {
    let locked = store.lock(key, &Canceller::new()).map_err(TokenError::Failed)?;
    let Some(mut sign_in) = locked.read().map_err(TokenError::Failed)? else {
        return Err(TokenError::Refused("there is no sign-in any more".into()));
    };
    if sign_in.serial != serial {
        return Ok(());
    }
    let outcome = exchange(&sign_in, fetcher);
    match outcome {
        Ok(tokens) => sign_in.take(tokens, now()),
        Err(TokenError::Refused(_)) => (sign_in.access, sign_in.refresh) = (None, None),
        Err(failed) => return Err(failed),
    }
    let refused = sign_in.access.is_none();
    locked.write(sign_in).map_err(TokenError::Failed)?;
    if refused { Err(TokenError::Refused("the sign-in is no longer valid".into())) } else { Ok(()) }
}

fn exchange(sign_in: &SignIn, fetcher: &Fetcher) -> Result<super::token::Tokens, TokenError> {
    let Some(token) = &sign_in.refresh else {
        return Err(TokenError::Refused("the sign-in cannot be renewed".into()));
    };
    let form = form(Ask::Refresh(token), &sign_in.client, sign_in.resource.as_deref());
    let answer = fetcher.post_form(&sign_in.token_endpoint, &form).map_err(TokenError::Failed)?;
    read(answer.status, &answer.body, &sign_in.issuer)
}

/// Notes scopes that a session was refused for, so that signing in again asks for them.
pub fn want(store: &Store, key: &Key, scope: &str, cancel: &Canceller) -> Result<(), String> {
    let locked = store.lock(key, cancel)?;
    match locked.read()? {
        Some(sign_in) if sign_in.wanted.as_deref() != Some(scope) => {
            locked.write(SignIn { wanted: Some(scope.to_owned()), ..sign_in }).map(drop)
        }
        _ => Ok(()),
    }
}

/// Forgets a sign-in, and asks the server to do the same (RFC 7009). `None`: there was none. The text says why the
/// server could not be told; here it is forgotten all the same.
pub fn sign_out(store: &Store, key: &Key, fetcher: &Fetcher) -> Result<Option<Result<(), String>>, String> {
    let locked = store.lock(key, &Canceller::new())?;
    let sign_in = locked.read();
    if sign_in == Ok(None) {
        return Ok(None);
    }
    locked.remove()?;
    Ok(Some(sign_in.and_then(|sign_in| sign_in.map_or(Ok(()), |sign_in| revoke(&sign_in, fetcher)))))
}

fn revoke(sign_in: &SignIn, fetcher: &Fetcher) -> Result<(), String> {
    let Some(token) = sign_in.refresh.as_ref().or(sign_in.access.as_ref()) else { return Ok(()) };
    let issuer = super::endpoint::shown(&sign_in.issuer);
    let Some(endpoint) = &sign_in.revocation_endpoint else {
        return Err(format!("{issuer} has no way to take its tokens back: they end by themselves"));
    };
    let answer = fetcher.post_form(endpoint, &form(Ask::Revoke(token), &sign_in.client, None))?;
    match answer.status {
        200 => Ok(()),
        status => Err(format!("{issuer} answered HTTP {status} to taking its tokens back")),
    }
}
