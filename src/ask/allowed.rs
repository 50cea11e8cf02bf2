//! Who answers `--ask`: a Linus on another machine only if the user has said so, the built-in one otherwise.

use crate::linus::Consents;
use crate::linus::consent::PIPED;
use crate::peers::{Door, Recipient};
use serde_json::{Value, json};

/// Who answers, and what is to be said of it.
pub(super) struct Allowed {
    pub(super) door: Door,
    /// For standard error.
    pub(super) notice: Option<String>,
    /// The Linus that was meant, where another answers.
    instead_of: Option<String>,
}

impl Allowed {
    /// `allow`: the user says yes, now and for later.
    pub(super) fn choose(door: &Door, allow: bool) -> Self {
        Self::with(door, allow, Consents::of_user().as_ref())
    }

    fn with(door: &Door, allow: bool, consents: Option<&Consents>) -> Self {
        let this = |notice| Self { door: door.clone(), notice, instead_of: None };
        let Some(Recipient { origin, is_remote: true }) = door.recipient() else { return this(None) };
        if allow {
            let set = consents.map(|consents| consents.set(&origin, PIPED, Some(true)));
            let why = match set {
                Some(Ok(())) => return this(None),
                Some(Err(e)) => e.to_string(),
                None => "there is no home folder".to_owned(),
            };
            return this(Some(format!("that {} is allowed is not kept: {why}", door.name())));
        }
        let said = consents.and_then(|consents| consents.get(&origin, PIPED).ok()?);
        if said == Some(true) {
            return this(None);
        }
        let name = door.name();
        let notice = format!(
            "answered by the built-in Linus: {name} is not on this machine, and you have not allowed that he gets \
             questions and what is piped in; --allow asks him, now and from then on"
        );
        Self { door: Door::inside(), notice: Some(notice), instead_of: Some(name) }
    }

    /// Adds to the reply who answered, where it was another than was meant.
    pub(super) fn tell(&self, reply: &mut Value) {
        if let (Some(name), Some(reply)) = (&self.instead_of, reply.as_object_mut()) {
            let told = json!({"answered_by": self.door.name(), "instead_of": name, "because": self.notice});
            reply.insert("aissh".to_owned(), told);
        }
    }
}
