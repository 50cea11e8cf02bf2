//! What the keys after the prefix do.

use std::time::Instant;

use super::action::{Action, Begin, FileAnswer, Focus};
use super::bindings::PrefixAction;
use super::integration::Dialog;
use super::layout::Mode;
use super::leaves::LeavesView;
use super::roster::{List, RosterView};
use super::view::View;
use crate::copilot::Copilot;

/// These leave open what covers the panel.
const STAYS: [PrefixAction; 6] = [
    PrefixAction::Narrower,
    PrefixAction::Wider,
    PrefixAction::Mode,
    PrefixAction::Position,
    PrefixAction::Scrollback,
    PrefixAction::Cancel,
];

/// These end what is done with a file.
fn ends_file(action: PrefixAction) -> bool {
    use PrefixAction::{Agents, Ask, Card, Integration, Leaves, Policy, Sessions};
    matches!(action, Ask | Card(_) | Integration | Policy | Leaves | Sessions | Agents)
}

impl View {
    /// A key after the prefix.
    pub fn prefix(&mut self, action: PrefixAction, copilot: &mut Copilot, now: Instant) -> Vec<Action> {
        self.notice = None;
        let stays = STAYS.contains(&action);
        let dialog = if stays { self.dialog } else { self.dialog.take() };
        let leaves = if stays { self.leaves } else { self.leaves.take() };
        let roster = if stays { None } else { self.roster.take() };
        if !stays && action != PrefixAction::Policy {
            self.auto = None;
        }
        if !stays && action != PrefixAction::Health {
            self.health = None;
        }
        let left = self.file.take_if(|_| ends_file(action)).map(|_| Action::File(FileAnswer::Leave));
        let has_focus = self.focus() == Focus::Panel;
        let actions = match action {
            // What is open is closed by its own key.
            PrefixAction::Leaves if leaves.is_some() && has_focus => Vec::new(),
            PrefixAction::Integration if dialog.is_some() && has_focus => Vec::new(),
            PrefixAction::Sessions | PrefixAction::Agents => {
                let list = if action == PrefixAction::Agents { List::Agents } else { List::Sessions };
                if roster.is_some_and(|roster| roster.list == list) && has_focus {
                    return left.into_iter().collect();
                }
                self.leave_edit_line(copilot, now);
                (self.help, self.roster) = (false, Some(RosterView::new(list)));
                self.enter_panel().into_iter().chain([Action::OpenRoster(list)]).collect()
            }
            PrefixAction::Leaves => {
                self.leave_edit_line(copilot, now);
                (self.help, self.leaves) = (false, Some(LeavesView::default()));
                self.enter_panel()
            }
            PrefixAction::Integration => {
                self.leave_edit_line(copilot, now);
                (self.help, self.dialog) = (false, Some(Dialog::default()));
                self.enter_panel()
            }
            PrefixAction::Policy => {
                self.help = false;
                let open = (!self.is_shown()).then_some(Action::OpenPanel);
                open.into_iter().chain([Action::NextMode]).collect()
            }
            PrefixAction::Card(number) => {
                let mut actions = self.enter_panel();
                actions.extend(self.pick_number(usize::from(number), copilot, now));
                actions
            }
            PrefixAction::Ask => {
                self.leave_edit_line(copilot, now);
                self.help = false;
                self.enter_panel()
            }
            PrefixAction::Help => {
                self.help = !self.help;
                self.enter_panel()
            }
            // The prefix machine has passed it on.
            PrefixAction::SendPrefix => Vec::new(),
            PrefixAction::Cancel => vec![Action::Cancel],
            // The panel opens, since it says which of both it is now.
            PrefixAction::Pause if self.is_shown() => vec![Action::Pause],
            PrefixAction::Pause => vec![Action::Pause, Action::OpenPanel],
            PrefixAction::Health if self.is_shown() => vec![Action::Health],
            PrefixAction::Health => vec![Action::Health, Action::OpenPanel],
            pane => self.pane(pane),
        };
        left.into_iter().chain(actions).collect()
    }

    /// Which panes there are, how large, and which has the keys.
    fn pane(&mut self, action: PrefixAction) -> Vec<Action> {
        let layout = self.drawn.layout.filter(|layout| self.is_shown() && layout.mode != Mode::Full);
        match (action, layout) {
            (PrefixAction::Toggle, _) if self.choice.alone => return self.enter_panel(),
            (PrefixAction::Toggle, _) if self.is_shown() => return vec![Action::ClosePanel],
            (PrefixAction::Toggle, _) => return vec![Action::OpenPanel],
            // Also when it is not shown yet, but has been asked for.
            (PrefixAction::Focus, _) if self.focus() == Focus::Panel => {
                self.leave();
                return Vec::new();
            }
            (PrefixAction::Focus, _) => return self.enter_panel(),
            (PrefixAction::Scrollback, _) => return self.ask_look_back(),
            (PrefixAction::Position, _) if self.is_shown() && !self.choice.alone => {
                self.choice.position = self.choice.position.next();
            }
            (PrefixAction::Narrower, Some(layout)) => self.choice.set_extent(layout.stepped(false)),
            (PrefixAction::Wider, Some(layout)) => self.choice.set_extent(layout.stepped(true)),
            (PrefixAction::Mode, Some(layout)) => self.choice.split = Some(layout.mode == Mode::Overlay),
            _ => return Vec::new(),
        }
        vec![Action::Relayout]
    }

    /// The panel is opened if it is not, and gets the keys.
    fn enter_panel(&mut self) -> Vec<Action> {
        self.enter();
        match (self.is_shown(), std::mem::take(&mut self.choice.alone)) {
            (false, _) => vec![Action::OpenPanel],
            // It was looked back over the whole screen: there is a panel beside it now.
            (true, true) => vec![Action::Relayout],
            (true, false) => Vec::new(),
        }
    }

    /// Without a panel it is looked back over the whole screen.
    fn ask_look_back(&mut self) -> Vec<Action> {
        self.leave();
        if self.is_looking_back() {
            return Vec::new();
        }
        let open = (!self.is_shown()).then_some(Action::OpenPanel);
        self.choice.alone |= !self.is_shown();
        open.into_iter().chain([Action::LookBack(Begin::Key)]).collect()
    }
}
