//! What the panel asks the session to do, as data; and who gets the keys.

use super::leaves::LeafAction;
use super::roster::{List, RosterKey};
use crate::shell::Shell;
use crate::terminal::mouse::Mouse;

/// Who gets the keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Focus {
    #[default]
    Terminal,
    Panel,
}

/// How it begins to be looked back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Begin {
    Key,
    Wheel,
    /// It is dragged from one cell of the screen to another.
    Drag {
        from: (u16, u16),
        to: (u16, u16),
    },
}

/// What the session has to do. After every key it draws; that is no action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    OpenPanel,
    ClosePanel,
    /// Look back through what is kept of the terminal.
    LookBack(Begin),
    /// To the clipboard of the user's terminal; then it is not looked back any more, or it goes on.
    Copy {
        text: String,
        leave: bool,
    },
    /// A mouse report, in the remote's cells.
    ToRemote(Mouse),
    /// The wheel as arrow keys for the remote.
    Arrows {
        up: bool,
    },
    /// Width or mode of the panel has changed: lay out again, and resize the remote if that changes it.
    Relayout,
    SubmitChat(String),
    /// Type this into the session, with Enter. The card counts as sent already; if it cannot be typed,
    /// `View::not_sent` brings it back.
    SendCard {
        id: String,
        text: String,
        was_edited: bool,
    },
    /// Type the integration into this shell; `None`: into the one that the session knows it to be.
    Integrate(Option<Shell>),
    /// Do not offer the integration on this host again.
    DeclineIntegration,
    /// The next policy; auto asks first.
    NextMode,
    /// The word that was typed at that question.
    TurnAutoOn(String),
    /// Put away why auto is off.
    DismissStop,
    /// A key in the view of what leaves.
    Leaf(LeafAction),
    /// A page of sessions or agents has been opened.
    OpenRoster(List),
    /// A key on it.
    Roster(RosterKey),
    /// Send what an earlier session left.
    SendOffers,
    /// Delete what is offered.
    DropOffers,
    /// The answer to the question before anything leaves.
    Consent(bool),
    /// Pause or go on with what Linus is told.
    Pause,
    /// Look at the file action with this id.
    OpenFile(String),
    /// What the user says to the one that is open.
    File(FileAnswer),
    /// Turn host health on or off.
    Health,
    /// Whether aissh may log in once more for it.
    HealthConsent(bool),
    /// Cancel all calls to Linus under way.
    Cancel,
    /// Cancel the chat that waits for its answer.
    CancelChat,
}

/// What the user says to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileAnswer {
    /// The connection may be used.
    Agree,
    /// Write it; what was typed to confirm that.
    Write(Option<String>),
    /// Stop what is being done.
    Cancel,
    /// Put the dialog away.
    Leave,
    /// And the card too.
    Dismiss,
}
