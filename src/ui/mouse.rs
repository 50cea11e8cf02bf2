//! What the mouse does in either pane. Nothing is sent by it: a click selects a card, a second one puts it on the edit
//! line.

use std::time::Instant;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::layout::{Position, Rect};

use super::action::{Action, Begin, Focus};
use super::layout::{Layout, Mode};
use super::places::Grab;
use super::scrollback::{Outcome, Scrollback};
use super::view::View;
use crate::copilot::Copilot;
use crate::terminal::Kept;
use crate::terminal::mouse::{Mouse, MouseKind};

/// Lines of one step of the wheel.
const WHEEL: isize = 3;

/// What the remote wants of the mouse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RemoteMouse {
    /// Reports.
    pub reports: bool,
    /// The wheel stands for arrow keys.
    pub arrows: bool,
}

impl View {
    /// The mouse did this, in cells of the whole screen.
    pub fn mouse(
        &mut self,
        mouse: Mouse,
        remote: RemoteMouse,
        copilot: &mut Copilot,
        now: Instant,
    ) -> Vec<Action> {
        let Some(layout) = self.drawn.layout else { return Vec::new() };
        if let Some(grab) = self.grab {
            if mouse.is_release() {
                self.grab = None;
            }
            return self.grabbed(grab, mouse, &layout);
        }
        let at = Position::new(mouse.col, mouse.row);
        let has_one_pane = layout.mode == Mode::Full;
        let is_in_terminal =
            if has_one_pane { self.focus() == Focus::Terminal } else { layout.terminal.contains(at) };
        if is_in_terminal {
            return self.mouse_in_terminal(mouse, remote, &layout);
        }
        if layout.divider.contains(at) && mouse.kind() == MouseKind::Press {
            self.grab = Some(Grab::Divider);
            return Vec::new();
        }
        self.mouse_in_panel(mouse, copilot, now)
    }

    fn grabbed(&mut self, grab: Grab, mouse: Mouse, layout: &Layout) -> Vec<Action> {
        let (col, row) = in_pane(layout.terminal, mouse);
        match (grab, mouse.kind()) {
            (Grab::Remote, _) => vec![self.to_remote(mouse, layout)],
            (Grab::Divider, MouseKind::Drag) => {
                self.choice.set_extent(layout.dragged(mouse.col, mouse.row));
                vec![Action::Relayout]
            }
            (Grab::Terminal(from_col, from_row), MouseKind::Drag) => {
                self.grab = Some(Grab::Scrollback);
                let to = (col, u16::try_from(row.max(0)).unwrap_or(0));
                vec![Action::LookBack(Begin::Drag { from: (from_col, from_row), to })]
            }
            (Grab::Scrollback, kind) => {
                let Some(scrollback) = &mut self.scrollback else { return Vec::new() };
                let outcome = match kind {
                    MouseKind::Drag => {
                        scrollback.drag(col, row);
                        Outcome::Stay
                    }
                    MouseKind::Release => scrollback.release(),
                    _ => Outcome::Stay,
                };
                self.looked_back(outcome)
            }
            _ => Vec::new(),
        }
    }

    fn mouse_in_terminal(&mut self, mouse: Mouse, remote: RemoteMouse, layout: &Layout) -> Vec<Action> {
        let (col, row) = in_pane(layout.terminal, mouse);
        let row = u16::try_from(row).unwrap_or(0);
        if mouse.is_press() {
            self.leave();
        }
        let kind = mouse.kind();
        if let Some(scrollback) = &mut self.scrollback {
            let outcome = match kind {
                MouseKind::Press => {
                    scrollback.press(col, row);
                    self.grab = Some(Grab::Scrollback);
                    Outcome::Stay
                }
                MouseKind::WheelUp => scrollback.wheel(-WHEEL),
                MouseKind::WheelDown => scrollback.wheel(WHEEL),
                _ => Outcome::Stay,
            };
            return self.looked_back(outcome);
        }
        if remote.reports {
            if mouse.is_press() {
                self.grab = Some(Grab::Remote);
            }
            return vec![self.to_remote(mouse, layout)];
        }
        match kind {
            MouseKind::Press => self.grab = Some(Grab::Terminal(col, row)),
            MouseKind::WheelUp if remote.arrows => return vec![Action::Arrows { up: true }],
            MouseKind::WheelDown if remote.arrows => return vec![Action::Arrows { up: false }],
            MouseKind::WheelUp => return vec![Action::LookBack(Begin::Wheel)],
            _ => {}
        }
        Vec::new()
    }

    /// The same in the remote's cells.
    fn to_remote(&self, mouse: Mouse, layout: &Layout) -> Action {
        let (col, row) = in_pane(layout.terminal, mouse);
        let row = row.clamp(0, i32::from(layout.terminal.height.saturating_sub(1)));
        let (cols, rows) = (self.drawn.shift.cols, self.drawn.shift.rows);
        Action::ToRemote(mouse.at(col + cols, u16::try_from(row).unwrap_or(0) + rows))
    }

    fn mouse_in_panel(&mut self, mouse: Mouse, copilot: &mut Copilot, now: Instant) -> Vec<Action> {
        let at = Position::new(mouse.col, mouse.row);
        let kind = mouse.kind();
        let wheel = match kind {
            MouseKind::WheelUp => -WHEEL,
            MouseKind::WheelDown => WHEEL,
            MouseKind::Press => {
                self.grab = Some(Grab::Panel);
                self.enter();
                return self.click(at, copilot, now);
            }
            _ => return Vec::new(),
        };
        if self.has_page() {
            let code = if wheel < 0 { KeyCode::PageUp } else { KeyCode::PageDown };
            let scrolls = self.has_leaves() || self.file.is_some();
            let key = KeyEvent::new(code, KeyModifiers::NONE);
            return if scrolls { self.key_in_panel(key, copilot, now) } else { Vec::new() };
        }
        if self.drawn.places.cards.contains(at) {
            self.cards_scroll = self.cards_scroll.saturating_add(wheel);
        } else {
            self.scroll_by(-wheel);
        }
        Vec::new()
    }

    fn click(&mut self, at: Position, copilot: &mut Copilot, now: Instant) -> Vec<Action> {
        if self.help {
            self.help = false;
            return Vec::new();
        }
        if self.has_page() || self.drawn.asks || !self.drawn.places.cards.contains(at) {
            return Vec::new();
        }
        let rows = &self.drawn.places.rows;
        let Some((is_file, id)) =
            rows.iter().find(|(rows, _)| rows.contains(&at.y)).map(|(_, key)| key.clone())
        else {
            return Vec::new();
        };
        self.notice = None;
        let is_selected = if is_file { &self.selected_file } else { &self.selected }.as_ref() == Some(&id);
        if is_file {
            if is_selected {
                self.leave_edit_line(copilot, now);
                return vec![Action::OpenFile(id)];
            }
            (self.selected, self.selected_file) = (None, Some(id));
        } else if self.is_editing() || is_selected {
            if copilot.suggestions.editing().is_none_or(|card| card.id != id) {
                self.edit_card(&id, copilot, now);
            }
        } else {
            (self.selected, self.selected_file) = (Some(id), None);
        }
        Vec::new()
    }

    /// Looks back through what is kept of the terminal.
    pub fn look_back(&mut self, kept: Kept, begin: Begin) {
        let area = self.drawn.layout.map_or((0, 0), |layout| (layout.terminal.width, layout.terminal.height));
        let mut scrollback = Scrollback::new(kept, area, begin == Begin::Wheel);
        match begin {
            Begin::Key => {}
            Begin::Wheel => drop(scrollback.wheel(-WHEEL)),
            Begin::Drag { from, to } => {
                scrollback.press(from.0, from.1);
                scrollback.drag(to.0, to.1.into());
            }
        }
        self.scrollback = Some(scrollback);
    }

    /// What a key or the mouse brought where it is looked back.
    pub(super) fn looked_back(&mut self, outcome: Outcome) -> Vec<Action> {
        match outcome {
            Outcome::Stay => Vec::new(),
            Outcome::Leave => self.end_look_back(),
            Outcome::Copy { text, leave } => vec![Action::Copy { text, leave }],
        }
    }

    /// The terminal's pane shows the terminal again; where there was no panel, the screen is given back.
    pub fn end_look_back(&mut self) -> Vec<Action> {
        self.scrollback = None;
        if self.choice().alone { vec![Action::ClosePanel] } else { Vec::new() }
    }

    /// Says something where it is looked back.
    pub fn say_looking_back(&mut self, notice: String) {
        if let Some(scrollback) = &mut self.scrollback {
            scrollback.set_notice(notice);
        }
    }

    /// Whether it is looked back in the terminal's pane.
    pub fn is_looking_back(&self) -> bool {
        self.scrollback.is_some()
    }
}

/// Where in a pane it was: the column within it, the row also above or below.
fn in_pane(pane: Rect, mouse: Mouse) -> (u16, i32) {
    let col = mouse.col.clamp(pane.x, pane.right().saturating_sub(1).max(pane.x)) - pane.x;
    (col, i32::from(mouse.row) - i32::from(pane.y))
}
