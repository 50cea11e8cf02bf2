//! The Intent section: summary, steps, confidence.

use ratatui::text::{Line, Span};

use super::paint::{paragraph, styled};
use super::theme::Theme;
use crate::copilot::{Copilot, Intent, OFFLINE_INTENT};
use crate::linus::contract::StepStatus;
use crate::text::{truncate, visible, wrap};

/// Cells of the confidence bar.
const BAR: usize = 8;

/// What can be done about it.
const OFFLINE_NEXT: &str = "Whatever you ask looks for him again. aissh --check says what is wrong.";

const EMPTY: &str = "No plan yet. Ask Linus what you want to do.";

/// The section in `height` rows: whole if that fits, else a line a step, and of these the ones around the
/// current (the heading tells how many there are).
pub(super) fn body(copilot: &Copilot, cols: usize, height: usize, theme: Theme) -> Vec<Line<'static>> {
    let (mut lines, steps, _) = parts(copilot, cols, theme, false);
    if lines.len() + steps.len() <= height {
        lines.extend(steps);
        return lines;
    }
    let (mut lines, steps, current) = parts(copilot, cols, theme, true);
    let rows = height.saturating_sub(lines.len());
    // One step of the future is worth more than one of the past.
    let start = (current + 2).saturating_sub(rows.max(1)).min(steps.len().saturating_sub(rows));
    let start = start.min(current);
    lines.extend(steps.into_iter().skip(start).take(rows));
    lines
}

/// Rows that the section would like.
pub(super) fn wanted(copilot: &Copilot, cols: usize, theme: Theme) -> usize {
    let (lines, steps, _) = parts(copilot, cols, theme, false);
    lines.len() + steps.len()
}

/// What always stands on top, the steps, and the index of the current one.
fn parts(
    copilot: &Copilot,
    cols: usize,
    theme: Theme,
    compact: bool,
) -> (Vec<Line<'static>>, Vec<Line<'static>>, usize) {
    let mut top = Vec::new();
    let offline = copilot.link.is_offline();
    if offline {
        top.extend(paragraph(OFFLINE_INTENT, cols, 0, theme.warning()));
        if copilot.intent.is_none() {
            top.extend(paragraph(OFFLINE_NEXT, cols, 0, theme.dim()));
        }
    }
    let Some(intent) = &copilot.intent else {
        if !offline {
            top.extend(paragraph(EMPTY, cols, 0, theme.dim()));
        }
        return (top, Vec::new(), 0);
    };
    if compact {
        top.push(styled(truncate(&one_line(&intent.summary), cols), theme.bold()));
    } else {
        top.extend(paragraph(&intent.summary, cols, 0, theme.bold()));
    }
    let mut steps = Vec::new();
    let mut current = 0;
    for step in &intent.steps {
        if step.status == StepStatus::Current {
            current = steps.len();
        }
        let room = cols.saturating_sub(2);
        let text = if compact { vec![truncate(&one_line(&step.text), room)] } else { wrap(&step.text, room) };
        steps.extend(step_lines(step.status, text, theme));
        if let Some(check) = step.check.as_ref().filter(|_| step.status == StepStatus::Current && !compact) {
            steps.extend(paragraph(&format!("check: {}", visible(check)), cols, 2, theme.dim()));
        }
    }
    (top, steps, current)
}

fn one_line(text: &str) -> String {
    text.replace(['\n', '\t'], " ")
}

fn step_lines(status: StepStatus, text: Vec<String>, theme: Theme) -> Vec<Line<'static>> {
    let (sign, sign_style, style) = match status {
        StepStatus::Done => ("✓ ", theme.good(), theme.dim()),
        StepStatus::Current => ("▸ ", theme.accent(), theme.bold()),
        StepStatus::Pending => ("○ ", theme.plain(), theme.plain()),
    };
    let mut lines = Vec::new();
    for (at, line) in text.into_iter().enumerate() {
        let start = if at == 0 { Span::styled(sign, sign_style) } else { Span::raw("  ") };
        lines.push(Line::from(vec![start, Span::styled(line, style)]));
    }
    lines
}

/// What stands at the right of the heading: steps done, and the confidence as a bar and a number.
pub(super) fn heading_right(intent: &Intent, theme: Theme) -> Vec<Span<'static>> {
    let mut spans = Vec::new();
    let (done, all) = intent.progress();
    if all > 0 {
        spans.push(Span::styled(format!("{done}/{all}"), theme.plain()));
    }
    if let Some(confidence) = intent.confidence {
        // In 0..=1 by construction; the casts cannot wrap.
        let full = (confidence * BAR as f64).round() as usize;
        let bar = "█".repeat(full) + &"░".repeat(BAR.saturating_sub(full));
        let gap = if spans.is_empty() { "" } else { "  " };
        // Said in a word, or the bar would be read as how much of the plan is done.
        spans.push(Span::styled(format!("{gap}sure "), theme.dim()));
        spans.push(Span::styled(format!("{bar} "), theme.good()));
        spans.push(Span::styled(format!("{:.0}%", confidence * 100.0), theme.plain()));
    }
    spans
}
