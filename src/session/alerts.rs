//! Alerts on their way to Linus. The contract has no message for them: they are lines at the end of the next terminal
//! update's new output, in brackets and marked as aissh's own. What the remote prints can look the same; so nothing
//! depends on them.

use crate::linus::CallError;
use crate::linus::dispatch::Ticket;

/// Lines that wait: while Linus is told nothing, the newest.
const LIMIT: usize = 16;

#[derive(Debug, Clone, Default)]
pub(super) struct Alerts {
    lines: Vec<String>,
    /// With which update how many of them went out.
    under_way: Option<(Ticket, usize)>,
}

impl Alerts {
    pub(super) fn push(&mut self, line: String) {
        self.lines.push(line);
        while self.lines.len() > LIMIT && self.under_way.is_none() {
            self.lines.remove(0);
        }
        self.lines.truncate(2 * LIMIT);
    }

    /// New output with the lines after it.
    pub(super) fn after(&mut self, mut output: String, ticket: Ticket) -> String {
        self.under_way = Some((ticket, self.lines.len()));
        for line in &self.lines {
            if !output.is_empty() && !output.ends_with('\n') {
                output.push('\n');
            }
            output.push_str(line);
        }
        output
    }

    /// As with the lines of the terminal: an update that was taken back was not seen, one that failed is dropped.
    pub(super) fn note_update(&mut self, ticket: Ticket, error: Option<&CallError>) {
        if let Some((_, count)) = self.under_way.take_if(|(update, _)| *update == ticket)
            && error != Some(&CallError::Cancelled)
        {
            self.lines.drain(..count.min(self.lines.len()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_goes_once_and_again_only_where_it_was_taken_back() {
        let mut alerts = Alerts::default();
        assert_eq!(alerts.after("$ ".into(), 1), "$ ");
        alerts.push("[a]".into());
        assert_eq!(alerts.after("$ ls".into(), 2), "$ ls\n[a]");
        alerts.push("[b]".into());
        alerts.note_update(2, Some(&CallError::Cancelled));
        assert_eq!(alerts.after(String::new(), 3), "[a]\n[b]");
        alerts.note_update(1, None);
        alerts.push("[c]".into());
        alerts.note_update(3, None);
        assert_eq!(alerts.after(String::new(), 4), "[c]");
        alerts.note_update(4, None);
        (0..1000).for_each(|n| alerts.push(n.to_string()));
        assert_eq!(alerts.after(String::new(), 5).lines().count(), LIMIT);
    }
}
