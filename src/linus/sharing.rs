//! What of a session may leave, and why not: the user's consent, the host's setting, a pause. Pure.

use serde::{Deserialize, Serialize};

use super::dispatch::Gate;

/// `linus.updates`: whether Linus is told without being asked what the terminal shows and which commands ran.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Updates {
    Off,
    #[default]
    On,
    /// Not before the user allows it, for each session.
    Ask,
}

/// Whether the user lets this Linus be told of this host.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Consent {
    /// It is not known yet what they said before.
    #[default]
    Unknown,
    /// Nothing leaves the machine.
    Needless,
    /// They have not said.
    Asked,
    Given,
    /// The built-in Linus answers instead.
    Refused,
}

/// What the pause key did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Toggled {
    Paused,
    Resumed,
    /// The user has allowed the updates that were held.
    Allowed,
    /// The host's setting leaves no choice.
    Off,
}

/// One session's state.
#[derive(Debug, Clone, Default)]
pub struct Sharing {
    consent: Consent,
    /// `None` until it is known which host it is.
    updates: Option<Updates>,
    is_allowed: bool,
    is_paused: bool,
    /// The pause has ended, and where its output ends is not known yet.
    is_resuming: bool,
}

impl Sharing {
    /// The host is known, and this is its setting.
    pub fn set_updates(&mut self, updates: Updates) {
        self.updates = Some(updates);
    }

    pub fn set_consent(&mut self, consent: Consent) {
        self.consent = consent;
    }

    pub fn consent(&self) -> Consent {
        self.consent
    }

    /// Whether the configuration lets nothing go unasked.
    pub fn updates_are_off(&self) -> bool {
        self.updates() == Some(Updates::Off)
    }

    /// The host's setting, where it is about a Linus outside.
    fn updates(&self) -> Option<Updates> {
        if self.consent == Consent::Refused { Some(Updates::On) } else { self.updates }
    }

    /// The pause key.
    pub fn toggle(&mut self) -> Toggled {
        match self.updates() {
            Some(Updates::Off) => return Toggled::Off,
            Some(Updates::Ask) if !self.is_allowed => {
                self.is_allowed = true;
                return Toggled::Allowed;
            }
            _ => {}
        }
        self.is_paused = !self.is_paused;
        self.is_resuming = !self.is_paused;
        if self.is_paused { Toggled::Paused } else { Toggled::Resumed }
    }

    /// Whether it waits for [`Sharing::resumed`].
    pub fn is_resuming(&self) -> bool {
        self.is_resuming
    }

    /// It is known where the output of the pause ends.
    pub fn resumed(&mut self) {
        self.is_resuming = false;
    }

    pub fn gate(&self) -> Gate {
        let updates = self.updates();
        let held = updates == Some(Updates::Ask) && !self.is_allowed;
        match updates {
            _ if matches!(self.consent, Consent::Unknown | Consent::Asked) => Gate::Shut,
            None => Gate::Shut,
            Some(Updates::Off) => Gate::Asked,
            Some(_) if held || self.is_paused || self.is_resuming => Gate::Asked,
            Some(_) => Gate::Open,
        }
    }

    /// For the status line, where not everything may leave.
    pub fn word(&self) -> Option<&'static str> {
        match self.updates() {
            _ if self.consent == Consent::Asked => Some("not allowed yet"),
            Some(Updates::Off) => Some("updates off"),
            Some(Updates::Ask) if !self.is_allowed => Some("updates held"),
            _ => self.is_paused.then_some("paused"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(updates: Updates) -> Sharing {
        let mut sharing = Sharing::default();
        assert_eq!(sharing.gate(), Gate::Shut, "the host is not known");
        sharing.set_updates(updates);
        assert_eq!(sharing.gate(), Gate::Shut, "nor what the user said");
        sharing.set_consent(Consent::Needless);
        sharing
    }

    #[test]
    fn a_pause_lasts_until_the_key_and_until_its_end_is_known() {
        let mut sharing = of(Updates::On);
        assert_eq!((sharing.gate(), sharing.word()), (Gate::Open, None));
        assert_eq!(sharing.toggle(), Toggled::Paused);
        assert_eq!((sharing.gate(), sharing.word()), (Gate::Asked, Some("paused")));
        assert_eq!(sharing.toggle(), Toggled::Resumed);
        assert_eq!((sharing.gate(), sharing.is_resuming()), (Gate::Asked, true));
        sharing.resumed();
        assert_eq!((sharing.gate(), sharing.word()), (Gate::Open, None));
    }

    #[test]
    fn nothing_leaves_before_a_yes_and_after_a_no_the_hosts_setting_is_about_nobody() {
        for consent in [Consent::Unknown, Consent::Asked] {
            let mut sharing = of(Updates::On);
            sharing.set_consent(consent);
            sharing.toggle();
            sharing.toggle();
            sharing.resumed();
            assert_eq!(sharing.gate(), Gate::Shut);
        }
        let mut sharing = of(Updates::Off);
        sharing.set_consent(Consent::Given);
        assert_eq!(sharing.gate(), Gate::Asked);
        sharing.set_consent(Consent::Refused);
        assert_eq!((sharing.gate(), sharing.word()), (Gate::Open, None));
    }

    #[test]
    fn held_updates_go_after_the_key_and_those_that_are_off_never() {
        let mut sharing = of(Updates::Ask);
        assert_eq!((sharing.gate(), sharing.word()), (Gate::Asked, Some("updates held")));
        assert_eq!(sharing.toggle(), Toggled::Allowed);
        assert_eq!((sharing.gate(), sharing.word()), (Gate::Open, None));
        assert_eq!(sharing.toggle(), Toggled::Paused);
        let mut sharing = of(Updates::Off);
        assert_eq!(sharing.toggle(), Toggled::Off);
        assert_eq!((sharing.gate(), sharing.word()), (Gate::Asked, Some("updates off")));
    }
}
