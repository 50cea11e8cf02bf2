//! The key that a model's server wants: where it comes from, and what is said where it is refused.

use super::ModelError;
use crate::linus::credentials::Printed;
use crate::linus::{CallError, Canceller, Secret};

/// Where it comes from.
#[derive(Debug)]
pub enum Key {
    /// Nothing is shown.
    None,
    /// From this environment variable; `setting` named it.
    Variable { name: String, setting: String, secret: Secret },
    /// A command or the keyring prints it.
    Printed(Printed),
}

impl Key {
    pub(super) fn secret(&self, cancel: &Canceller) -> Result<Option<Secret>, ModelError> {
        match self {
            Self::None => Ok(None),
            Self::Variable { secret, .. } => Ok(Some(secret.clone())),
            Self::Printed(printed) => printed.token(cancel).map(Some).map_err(denied),
        }
    }

    /// Another one than `shown`, which was refused; an error that says what was shown if there is none.
    pub(super) fn another(
        &self,
        status: u16,
        shown: Option<&Secret>,
        cancel: &Canceller,
    ) -> Result<Secret, ModelError> {
        let another = match (self, shown) {
            // 403 is about what the key may do, and another of the same owner may do no more.
            (Self::Printed(printed), Some(shown)) if status == 401 => {
                printed.another(shown, cancel).map_err(denied)?
            }
            _ => None,
        };
        another.ok_or_else(|| self.refused(status))
    }

    pub(super) fn refused(&self, status: u16) -> ModelError {
        let what = match self {
            Self::None => "it wants a key: set key_env, key_command or key_keyring".to_owned(),
            Self::Variable { name, setting, .. } => format!("the key in {name} ({setting}) is not accepted"),
            Self::Printed(printed) => format!("the key from {} is not accepted", printed.name()),
        };
        ModelError::Denied(format!("HTTP {status}: {what}"))
    }
}

fn denied(error: CallError) -> ModelError {
    match error {
        CallError::Cancelled => ModelError::Cancelled,
        error => ModelError::Denied(error.to_string().replace("no token from", "no key from")),
    }
}
