//! Which rows of the panel each section has.

use ratatui::layout::Rect;

/// Rows of text that the sections would like, headings not counted.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wants {
    pub(super) intent: usize,
    pub(super) cards: usize,
    pub(super) chat: usize,
    pub(super) input: usize,
    /// There is a line more at the foot.
    pub(super) health: bool,
}

/// The sections from top to bottom, headings included; a height of 0 is not drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sections {
    pub(super) intent: Rect,
    pub(super) cards: Rect,
    pub(super) chat: Rect,
    pub(super) input: Rect,
    pub(super) status: Rect,
}

/// From this height on, sections are set apart by an empty row.
const ROOMY: u16 = 32;

/// From this height on, there is a line at the foot.
pub(super) const STATUS_FROM: u16 = 8;

/// Below, there is only the input.
const CHAT_FROM: u16 = 3;

/// From this width on, a low panel has two columns, and blanks between them.
const TWO_COLUMNS_FROM: u16 = 80;
const COLUMN_GAP: u16 = 2;

/// Below, Intent and cards are left out: the chat alone is of more use.
const ALL_FROM: u16 = 12;

/// The columns that the sections stand in: one, or two in a panel that is wide and low.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Columns {
    pub(super) left: Rect,
    pub(super) right: Rect,
}

impl Columns {
    pub(super) fn new(area: Rect, is_flat: bool) -> Self {
        if !is_flat || area.width < TWO_COLUMNS_FROM {
            return Self { left: area, right: area };
        }
        let width = (area.width - COLUMN_GAP) / 2;
        let right = Rect { x: area.right() - width, width, ..area };
        Self { left: Rect { width, ..area }, right }
    }
}

impl Sections {
    pub(super) fn new(columns: Columns, wants: Wants) -> Self {
        if columns.left == columns.right {
            return Self::one_column(columns.left, wants);
        }
        // Plan and cards beside the talk.
        let Columns { left, right } = columns;
        let none = Wants { intent: 0, cards: 0, ..wants };
        let talk = Self::one_column(right, none);
        let above = Rect { height: talk.input.y - right.y, ..right };
        let intent = fit(wants.intent).saturating_add(1);
        let cards = fit(wants.cards).saturating_add(1);
        let share = (left.height / 2).max(left.height.saturating_sub(cards)).min(left.height);
        let intent = intent.min(share);
        Self {
            intent: Rect { height: intent, ..left },
            cards: Rect { y: left.y + intent, height: left.height - intent, ..left },
            chat: above,
            ..talk
        }
    }

    fn one_column(area: Rect, wants: Wants) -> Self {
        let height = area.height;
        let status = match height {
            0..STATUS_FROM => 0,
            STATUS_FROM..=15 => 1,
            16..=19 => 2 + u16::from(wants.health),
            _ => 3 + u16::from(wants.health),
        };
        // The edit line must show a command whole if at all possible: up to a third.
        let most = (height / 3).max(1);
        let input = (1 + fit(wants.input.max(1)).min(most)).min(height - status);
        let rest = height - status - input;
        let gap = u16::from(height >= ROOMY);
        let (intent, cards) = if height < ALL_FROM { (0, 0) } else { upper(rest, gap, wants) };
        let chat = if rest >= CHAT_FROM || intent + cards > 0 { rest - intent - cards } else { 0 };
        let input = if chat == 0 { input + rest - intent - cards } else { input };
        let mut y = area.y;
        let mut take = |rows: u16, gap: u16| {
            let rect = Rect { y, height: rows - gap.min(rows), ..area };
            y += rows;
            rect
        };
        Self {
            intent: take(intent, gap),
            cards: take(cards, gap),
            chat: take(chat, gap),
            input: take(input, 0),
            status: take(status, 0),
        }
    }
}

/// Rows of Intent and cards. The chat keeps at least a third if it has that much to show; what they do not
/// want is the chat's.
fn upper(rest: u16, gap: u16, wants: Wants) -> (u16, u16) {
    let room = rest - (rest / 3).min(fit(wants.chat).saturating_add(1)).max(CHAT_FROM.min(rest));
    let intent = fit(wants.intent).saturating_add(1 + gap);
    let cards = fit(wants.cards).saturating_add(1 + gap);
    if intent.saturating_add(cards) <= room {
        return (intent, cards);
    }
    let share = (room * 2 / 5).max(room.saturating_sub(cards));
    let intent = intent.min(share);
    (intent, cards.min(room - intent))
}

/// A count of rows as a height.
pub(super) fn fit(rows: usize) -> u16 {
    u16::try_from(rows).unwrap_or(u16::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sections_fill_the_panel_and_never_overlap_at_any_height() {
        for height in 0..120 {
            for (intent, cards, chat, input) in
                [(1, 1, 1, 1), (6, 9, 99, 1), (60, 60, 60, 60), (0, 300, 2, 3), (usize::MAX, 0, 0, 1)]
            {
                let area = Rect::new(3, 0, 40, height);
                let s = Sections::one_column(area, Wants { intent, cards, chat, input, health: false });
                let mut y = 0;
                for part in [s.intent, s.cards, s.chat, s.input, s.status] {
                    assert!(part.y >= y && part.bottom() <= height, "{height}: {s:?}");
                    assert!(part.y - y <= 1, "{height}: {s:?}");
                    y = part.bottom();
                }
                assert_eq!(y, height, "{height}: {s:?}");
                assert!(height < 2 || s.input.height >= 2, "{height}: {s:?}");
            }
        }
    }

    #[test]
    fn a_low_panel_has_its_plan_beside_the_talk() {
        let wants = Wants { intent: 6, cards: 9, chat: 20, input: 1, health: false };
        for height in 1..30 {
            let area = Rect::new(0, 5, 120, height);
            let s = Sections::new(Columns::new(area, true), wants);
            for part in [s.intent, s.cards, s.chat, s.input, s.status] {
                assert!(part.bottom() <= area.bottom() && part.right() <= area.right(), "{height}: {s:?}");
            }
            assert!(s.intent.right() < s.chat.x && s.cards.bottom() == area.bottom(), "{height}: {s:?}");
            assert!(s.input.height >= 1 && s.chat.bottom() <= s.input.y, "{height}: {s:?}");
        }
        let narrow = Sections::new(Columns::new(Rect::new(0, 0, 70, 12), true), wants);
        assert_eq!(narrow.intent.x, narrow.chat.x);
    }

    #[test]
    fn the_chat_keeps_a_third_when_all_want_more() {
        let s = Sections::one_column(
            Rect::new(0, 0, 40, 40),
            Wants { intent: 50, cards: 50, chat: 50, input: 1, health: true },
        );
        assert!(s.chat.height >= 10 && s.cards.height > s.intent.height, "{s:?}");
    }
}
