//! What of a session may leave, and why not: the host's setting, the user's pause. Pure.

use serde::Deserialize;

use super::dispatch::Gate;

/// `linus.updates`: whether Linus is told without being asked what the terminal shows and which commands ran.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Updates {
    Off,
    #[default]
    On,
    /// Not before the user allows it, for each session.
    Ask,
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

    /// The pause key.
    pub fn toggle(&mut self) -> Toggled {
        match self.updates {
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
        let held = self.updates == Some(Updates::Ask) && !self.is_allowed;
        match self.updates {
            None => Gate::Shut,
            Some(Updates::Off) => Gate::Asked,
            Some(_) if held || self.is_paused || self.is_resuming => Gate::Asked,
            Some(_) => Gate::Open,
        }
    }

    /// For the status line, where not everything may leave.
    pub fn word(&self) -> Option<&'static str> {
        match self.updates {
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
