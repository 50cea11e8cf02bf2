//! What stands around the edit line of a card: what hinders it, where it goes, what is thought of it, and the row in
//! which the user answers.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::line::CONFIRMATION;
use super::paint::{lines, paragraph, styled};
use super::status::Status;
use super::theme::Theme;
use super::view::View;
use crate::copilot::{Card, Copilot, Judgement, Order, Timing};
use crate::linus::contract::Risk;
use crate::text::{sanitize, truncate, visible, width};

/// Rows of what hinders it: a sentence that names two places, in the narrowest panel.
const QUESTION_ROWS: usize = 4;

/// Columns of the question before an answer, and what stays for the answer in the same row.
const QUESTION_COLUMNS: usize = 40;
const ANSWER_COLUMNS: usize = 12;

/// The row below the text, in which something is typed.
pub(super) struct Asked {
    line: Line<'static>,
    /// Columns before its cursor.
    column: usize,
}

/// The rows, the most important ones first to stay.
#[derive(Default)]
pub(super) struct Around {
    question: Vec<Line<'static>>,
    target: Option<Line<'static>>,
    reason: Option<Line<'static>>,
    asked: Option<Asked>,
}

impl Around {
    /// Nothing while no card is on the edit line.
    pub(super) fn new(
        view: &View,
        copilot: &Copilot,
        status: &Status,
        judged: Option<&Judgement>,
        cols: usize,
    ) -> Self {
        let Some(card) = copilot.suggestions.editing().filter(|_| view.is_editing()) else {
            return Self::default();
        };
        let theme = view.theme;
        let question = view.notice.clone().or_else(|| hindrance(copilot, card));
        let question = question.map(|text| paragraph(&text, cols, 0, theme.warning())).unwrap_or_default();
        let target = truncate(&format!("→ {}", target(copilot, status)), cols);
        let reason = judged.filter(|judgement| judgement.level > Risk::Low).map(|judgement| {
            styled(truncate(&visible(&judgement.reason), cols), theme.risk(judgement.level).0)
        });
        Self {
            question: question.into_iter().take(QUESTION_ROWS).collect(),
            target: Some(styled(target, theme.dim())),
            reason,
            asked: Asked::of(view, cols),
        }
    }

    pub(super) fn rows(&self) -> usize {
        self.question.len()
            + usize::from(self.target.is_some())
            + usize::from(self.reason.is_some())
            + usize::from(self.asked.is_some())
    }

    /// Draws them; the values are the room that is left between them and where the cursor is, if it is here.
    pub(super) fn draw(mut self, buffer: &mut Buffer, body: Rect) -> (Rect, Option<Position>) {
        // A row stays for the text.
        let most = usize::from(body.height.saturating_sub(1));
        if self.rows() > most {
            self.target = None;
        }
        let mut room = body;
        let mut cursor = None;
        if let Some(asked) = self.asked.filter(|_| most > 0) {
            room.height -= 1;
            let row = Rect { y: room.bottom(), height: 1, ..body };
            lines(buffer, row, &[asked.line]);
            let x = row.x.saturating_add(u16::try_from(asked.column).unwrap_or(u16::MAX));
            cursor = Some(Position::new(x, row.y)).filter(|at| row.contains(*at));
        }
        let above: Vec<Line<'static>> =
            self.question.into_iter().chain(self.target).chain(self.reason).collect();
        // The reason comes last and stays.
        let rows = above.len().min(usize::from(room.height.saturating_sub(1)));
        let shown = above.get(above.len() - rows..).unwrap_or_default();
        lines(buffer, room, shown);
        let rows = u16::try_from(rows).unwrap_or(room.height);
        (Rect { y: room.y + rows, height: room.height - rows, ..room }, cursor)
    }
}

impl Asked {
    /// The confirmation, or the value of a hole.
    fn of(view: &View, cols: usize) -> Option<Self> {
        let theme = view.theme;
        if let Some(confirm) = &view.confirm {
            let typed = confirm.text();
            return Some(Self::new(format!("{CONFIRMATION}? "), theme.bad(), typed, width(typed), theme));
        }
        let fill = view.fill.as_ref()?;
        let (hole, typed) = fill.asked()?;
        let about = if hole.description.is_empty() { "" } else { hole.description.as_str() };
        let about = match (about.is_empty(), hole.secret) {
            (true, true) => " (not shown)".to_owned(),
            (true, false) => String::new(),
            (false, true) => format!(" ({about}; not shown)"),
            (false, false) => format!(" ({about})"),
        };
        let question = truncate(
            &format!("{}{}", visible(&hole.name), visible(&about)),
            QUESTION_COLUMNS.min(cols.saturating_sub(ANSWER_COLUMNS + 2)),
        );
        let column = width(&visible(fill.before_cursor()));
        Some(Self::new(format!("{question}: "), theme.accent(), typed, column, theme))
    }

    fn new(question: String, style: Style, typed: &str, column: usize, theme: Theme) -> Self {
        let column = width(&question) + column;
        let typed = Span::styled(visible(typed).into_owned(), theme.bold());
        Self { line: Line::from(vec![Span::styled(question, style), typed]), column }
    }
}

/// What speaks against sending it as it stands, or comes first.
pub(super) fn hindrance(copilot: &Copilot, card: &Card) -> Option<String> {
    let change = copilot.suggestions.change(&card.id);
    change.or_else(|| timing(copilot, &card.id)).or(card.note.map(str::to_owned))
}

/// How the timed undo of a command stands that may cut the session.
fn timing(copilot: &Copilot, id: &str) -> Option<String> {
    Some(match copilot.suggestions.timer_of(id)? {
        Timing::Set => "Its timed undo is set.".into(),
        Timing::Offered { number, order: Order::Before } => {
            format!("May cut this session. Card {number} times its undo: send that first.")
        }
        Timing::Offered { number, order: Order::Instead } => {
            format!("May cut this session. Card {number} does the same and takes itself back.")
        }
        Timing::Offered { number, order: Order::After } => {
            format!("May cut this session. Card {number} puts it in force and takes it back.")
        }
    })
}

/// Who would read it: `root@web-1 (bash)`. Where no prompt tells, the login that ssh was asked for, as long as no other
/// shell was opened in it.
pub(super) fn target(copilot: &Copilot, status: &Status) -> String {
    let place = copilot.suggestions.place();
    let login = Some(&status.target).filter(|target| place.shell == 0 && !target.is_empty());
    let name = place.name().or(login.cloned()).unwrap_or_else(|| "not known".into());
    let dialect = place.dialect.name().map(|name| format!(" ({name})")).unwrap_or_default();
    sanitize(&format!("{name}{dialect}")).replace(['\n', '\t'], " ")
}
