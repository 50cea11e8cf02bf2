//! What the user sees and what the keys mean. Draws into cells and turns cells into bytes; does no I/O.

mod action;
mod around;
mod ascii;
mod auto;
mod backend;
mod bindings;
mod cards;
mod chat;
mod clipboard;
mod consent;
mod editor;
mod file_cards;
mod file_keys;
mod files;
mod fill;
mod health;
mod help;
mod input;
mod integration;
mod intent;
mod layout;
mod leaves;
mod line;
mod markdown;
mod mouse;
mod paint;
mod panel;
mod places;
mod plain;
mod policy;
mod prefixed;
mod roster;
mod scrollback;
mod sections;
mod sgr;
mod status;
mod syntax;
mod terminal_pane;
mod theme;
mod unread;
mod view;

pub use action::{Action, Begin, FileAnswer, Focus};
pub use ascii::draw;
pub use backend::{Cursor, Screen, Shape};
pub use bindings::{Binding, Key, PANEL, PREFIX, PrefixAction, after_prefix};
pub use clipboard::{Copied, copied};
pub use consent::Question;
pub use editor::{Edit, LineEditor};
pub use files::{FilePage, FileShown};
pub use health::HealthLine;
pub use integration::Integration;
pub use layout::{Choice, Layout, Mode, Position, SPLIT_FROM};
pub use leaves::{Leaf, LeafAction, Leaves, What};
pub use mouse::RemoteMouse;
pub use plain::Plain;
pub use policy::PolicyStatus;
pub use roster::{List, Roster, RosterKey, Row};
pub use scrollback::KEYS as LOOKING_BACK;
pub use status::Status;
pub use theme::{Scheme, Theme};
pub use view::View;

#[cfg(test)]
mod golden;
#[cfg(test)]
mod tests;
