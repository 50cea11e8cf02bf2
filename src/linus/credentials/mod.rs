//! What a Linus over HTTP is shown as proof of who asks: where the token comes from, when another one is got, and what
//! the user is told to do when it is refused.
//!
//! One value serves all lanes of a session. It works in their threads, so a slow command or authorization server holds
//! up a message to Linus and never the session. A refusal is answered by another token once and otherwise by advice;
//! nothing here asks the user anything.

mod printed;
mod signed_in;

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use crate::linus::call_error::CallError;
use crate::linus::cancel::Canceller;
use crate::linus::oauth::{Challenge, shown};
use crate::linus::secret::Secret;

pub use printed::Printed;
pub use signed_in::{Renew, SignedIn, renew_here};

/// A 401 or 403.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    pub status: u16,
    pub challenge: Challenge,
}

/// Where the token comes from.
pub enum Source {
    /// Nothing is shown.
    Nothing,
    /// From the environment variable of this name.
    Variable { name: String, token: Secret },
    /// A command prints it.
    Printed(Printed),
    /// The user signed in, or can.
    SignedIn(SignedIn),
}

/// The credentials for one Linus, shared by all that talk to him.
#[derive(Clone)]
pub struct Credentials(Arc<Shared>);

struct Shared {
    source: Source,
    /// Of the last refusal. A sign-in begins with it.
    challenge: Mutex<Option<Challenge>>,
}

impl Credentials {
    pub fn new(source: Source) -> Self {
        Self(Arc::new(Shared { source, challenge: Mutex::new(None) }))
    }

    /// Shows nothing.
    pub fn none() -> Self {
        Self::new(Source::Nothing)
    }

    /// A token that does not change, from the environment variable of this name.
    pub fn variable(name: impl Into<String>, token: Secret) -> Self {
        Self::new(Source::Variable { name: name.into(), token })
    }

    /// What the last refusal said.
    pub fn challenge(&self) -> Option<Challenge> {
        self.0.challenge.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The token that does not change, if it is of that kind.
    pub(super) fn fixed(&self) -> Option<&Secret> {
        match &self.0.source {
            Source::Variable { token, .. } => Some(token),
            _ => None,
        }
    }

    /// What to show now. May take as long as a command or an authorization server does.
    pub(super) fn token(&self, cancel: &Canceller) -> Result<Option<Secret>, CallError> {
        match &self.0.source {
            Source::Nothing => Ok(None),
            Source::Variable { token, .. } => Ok(Some(token.clone())),
            Source::Printed(printed) => printed.token(cancel).map(Some),
            Source::SignedIn(signed_in) => signed_in.token(cancel),
        }
    }

    /// What to show instead of `shown`, which was refused; an error that says what the user can do if there is nothing
    /// else.
    pub(super) fn another(
        &self,
        refusal: &Refusal,
        shown: Option<&Secret>,
        cancel: &Canceller,
    ) -> Result<Secret, CallError> {
        let lacks_rights = refusal.status == 403 || refusal.challenge.wants_more_scope();
        let another = match (&self.0.source, shown) {
            (Source::SignedIn(signed_in), Some(_)) if lacks_rights => {
                signed_in.want(&refusal.challenge, cancel);
                None
            }
            (Source::Printed(printed), Some(shown)) if !lacks_rights => printed.another(shown, cancel)?,
            (Source::SignedIn(signed_in), Some(shown)) => signed_in.another(shown, cancel)?,
            _ => None,
        };
        another.ok_or_else(|| self.refused(refusal))
    }

    /// The error for a refusal.
    pub(super) fn refused(&self, refusal: &Refusal) -> CallError {
        *self.0.challenge.lock().unwrap_or_else(PoisonError::into_inner) = Some(refusal.challenge.clone());
        CallError::auth(format!("HTTP {}: {}", refusal.status, self.0.source.advice(refusal)))
    }
}

impl Default for Credentials {
    fn default() -> Self {
        Self::none()
    }
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Credentials(…)")
    }
}

impl Source {
    /// What was shown, for the user's eye.
    fn name(&self) -> String {
        match self {
            Self::Nothing => "a request without a token".into(),
            Self::Variable { name, .. } => format!("the token in {name} (linus.token_env)"),
            Self::Printed(printed) => format!("the token from {}", printed.name()),
            Self::SignedIn(_) => "the sign-in".into(),
        }
    }

    /// What is wrong and what to do, in one line.
    fn advice(&self, refusal: &Refusal) -> String {
        let scope = refusal.challenge.scope.as_deref().filter(|_| refusal.challenge.wants_more_scope());
        match (self, refusal.status, scope) {
            (Self::SignedIn(signed_in), _, Some(scope)) => {
                format!("more rights are needed ({scope}): run aissh --login {}", shown(signed_in.server()))
            }
            (_, _, Some(scope)) => format!("{} lacks the scope {scope}", self.name()),
            (_, 403, None) => format!("{} may not use this Linus", self.name()),
            (Self::SignedIn(signed_in), ..) => signed_in.advice(),
            (Self::Nothing, ..) => "a token is needed".into(),
            _ => format!("{} is not accepted", self.name()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(status: u16, scope: Option<&str>) -> Refusal {
        let error = scope.map(|_| "insufficient_scope".to_owned());
        let challenge = Challenge { scope: scope.map(str::to_owned), error, resource_metadata: None };
        Refusal { status, challenge }
    }

    #[test]
    fn a_refused_variable_is_named_and_its_value_is_not() {
        let credentials = Credentials::variable("LINUS_TOKEN", Secret::new("s3cret"));
        let cancel = Canceller::new();
        let shown = credentials.token(&cancel).unwrap();
        let says = |refusal: &Refusal| {
            credentials.another(refusal, shown.as_ref(), &cancel).unwrap_err().to_string()
        };
        assert_eq!(
            says(&refusal(401, None)),
            "HTTP 401: the token in LINUS_TOKEN (linus.token_env) is not accepted"
        );
        assert_eq!(
            says(&refusal(403, None)),
            "HTTP 403: the token in LINUS_TOKEN (linus.token_env) may not use this Linus"
        );
        assert_eq!(
            says(&refusal(403, Some("mcp:write"))),
            "HTTP 403: the token in LINUS_TOKEN (linus.token_env) lacks the scope mcp:write"
        );
        assert_eq!(credentials.challenge().and_then(|c| c.scope).as_deref(), Some("mcp:write"));
        assert!(!format!("{credentials:?}").contains("s3cret"));
    }
}
