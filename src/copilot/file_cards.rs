//! The files that Linus wants changed, as cards: which there are and what became of each. What would change is found
//! out when the user opens one; nothing is read before.

use crate::linus::contract::{ClearSuggestions, FileAction, FileText, UpdateMode};

/// Cards that are kept, closed ones included: more than anybody looks through.
const CARDS_LIMIT: usize = 20;
/// Bytes of text in one action. A reply has 4 MiB at most; what a person is to check by eye is far below.
const TEXT_LIMIT: usize = 1 << 20;
/// As for the commands' ids.
const ID_LIMIT: usize = 128;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileState {
    Proposed,
    /// The user looks at it, or it is being written: no reply touches it.
    Open,
    Written,
    /// Why nothing, or nothing certain, was done. It can be opened again.
    Failed(String),
    Dismissed,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileCard {
    pub id: String,
    /// The agent that proposed it, where it was not Linus.
    pub sender: Option<String>,
    pub action: FileAction,
    pub state: FileState,
    /// Lines added and removed: what the action alone tells, and once the file was read, what the change tells.
    counts: (usize, Option<usize>),
}

impl FileCard {
    /// Whether it can be opened.
    pub fn is_open(&self) -> bool {
        !matches!(self.state, FileState::Written | FileState::Dismissed)
    }

    /// The word for what it does.
    pub fn how(&self) -> &'static str {
        self.action.mode.map_or("write", UpdateMode::name)
    }

    /// `+3 −1`, or `+3 −?` where the file has to be read first.
    pub fn counts(&self) -> String {
        match self.counts {
            (added, Some(removed)) => format!("+{added} −{removed}"),
            (added, None) => format!("+{added} −?"),
        }
    }
}

/// What the action alone tells.
fn counts(action: &FileAction) -> (usize, Option<usize>) {
    let lines = |text: &FileText| text.text().lines().count();
    let removed = match action.mode {
        Some(UpdateMode::Append | UpdateMode::Insert) => Some(0),
        Some(UpdateMode::Replace) => Some(action.old_content.as_ref().map_or(0, lines)),
        None | Some(UpdateMode::Overwrite) => None,
    };
    (lines(&action.content), removed)
}

#[derive(Debug, Clone, Default)]
pub struct FileCards {
    cards: Vec<FileCard>,
    /// For the ids of those that came without.
    named: u32,
}

impl FileCards {
    /// All but the dismissed, in the order in which they came.
    pub fn cards(&self) -> impl DoubleEndedIterator<Item = &FileCard> {
        self.cards.iter().filter(|card| card.state != FileState::Dismissed)
    }

    /// Those that can be opened.
    pub fn open(&self) -> impl DoubleEndedIterator<Item = &FileCard> {
        self.cards.iter().filter(|card| card.is_open())
    }

    pub fn get(&self, id: &str) -> Option<&FileCard> {
        self.cards.iter().find(|card| card.id == id)
    }

    /// The user opens it; from now on it is frozen.
    pub fn begin(&mut self, id: &str) -> Option<FileAction> {
        let card = self.get_mut(id).filter(|card| card.is_open())?;
        card.state = FileState::Open;
        Some(card.action.clone())
    }

    /// The file was read.
    pub fn count(&mut self, id: &str, added: usize, removed: usize) {
        if let Some(card) = self.get_mut(id) {
            card.counts = (added, Some(removed));
        }
    }

    /// It is open no longer: put away, written, or why not.
    pub fn end(&mut self, id: &str, state: FileState) {
        if let Some(card) = self.get_mut(id).filter(|card| card.state == FileState::Open) {
            card.state = state;
        }
    }

    pub fn dismiss(&mut self, id: &str) {
        if let Some(card) = self.get_mut(id) {
            card.state = FileState::Dismissed;
        }
    }

    /// What a reply clears, then what it brings. The values are sentences for the user.
    /// `sender` is the agent that it is of, where it is not Linus's; nobody's cards are touched by another.
    pub(super) fn apply(
        &mut self,
        sender: Option<&str>,
        clear: Option<&ClearSuggestions>,
        new: Vec<FileAction>,
    ) -> Vec<String> {
        if let Some(clear) = clear {
            let is_its = |card: &FileCard| card.sender.as_deref() == sender;
            let goes = |card: &FileCard| is_its(card) && (clear.all || clear.ids.contains(&card.id));
            self.cards.retain(|card| card.state == FileState::Open || !goes(card));
        }
        new.into_iter().filter_map(|action| self.put(sender, action).err()).collect()
    }

    fn put(&mut self, sender: Option<&str>, mut action: FileAction) -> Result<(), String> {
        let texts = [Some(&action.content), action.old_content.as_ref(), action.anchor.as_ref()];
        if texts.into_iter().flatten().map(|text| text.bytes()).sum::<usize>() > TEXT_LIMIT {
            return Err(format!(
                "A file action was left out: it has more than {} MiB of text.",
                TEXT_LIMIT >> 20
            ));
        }
        let given = action.id.take().filter(|id| !id.is_empty() && id.len() <= ID_LIMIT);
        let id = given.unwrap_or_else(|| {
            self.named += 1;
            format!("file_{}", self.named)
        });
        let counts = counts(&action);
        let sender = sender.map(str::to_owned);
        let card = FileCard { id, sender, action, state: FileState::Proposed, counts };
        if let Some(same) = self.get_mut(&card.id) {
            if same.sender != card.sender {
                return Err(format!("A file action was left out: {} is another's.", card.id));
            }
            if same.state == FileState::Open {
                return Err(format!("A new version of {} was left out: the old one is open.", card.id));
            }
            *same = card;
            return Ok(());
        }
        if self.cards.len() >= CARDS_LIMIT {
            let Some(at) = self.cards.iter().position(|card| !card.is_open()) else {
                return Err(format!("A file action was left out: there are {CARDS_LIMIT} already."));
            };
            self.cards.remove(at);
        }
        self.cards.push(card);
        Ok(())
    }

    fn get_mut(&mut self, id: &str) -> Option<&mut FileCard> {
        self.cards.iter_mut().find(|card| card.id == id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn action(id: Option<&str>, content: &str) -> FileAction {
        let mut action = json!({"action": "write_file", "path": "/a", "content": content});
        if let Some(id) = id {
            action["id"] = id.into();
        }
        FileAction::read(&action).expect("an action")
    }

    fn all() -> ClearSuggestions {
        ClearSuggestions { ids: Vec::new(), all: true }
    }

    #[test]
    fn a_card_that_is_open_is_neither_replaced_nor_cleared() {
        let mut cards = FileCards::default();
        assert!(cards.apply(None, None, vec![action(Some("f"), "one"), action(None, "x")]).is_empty());
        assert_eq!(cards.begin("f").map(|a| a.content.text()).as_deref(), Some("one"));
        let complaints = cards.apply(None, Some(&all()), vec![action(Some("f"), "two")]);
        assert_eq!(complaints.len(), 1, "{complaints:?}");
        assert_eq!(cards.cards().map(|c| c.action.content.text()).collect::<Vec<_>>(), ["one"]);
        cards.end("f", FileState::Proposed);
        assert!(cards.apply(None, None, vec![action(Some("f"), "two")]).is_empty());
        assert_eq!(cards.get("f").map(|c| c.action.content.text()).as_deref(), Some("two"));
        cards.end("f", FileState::Written);
        assert_eq!(cards.get("f").map(|c| &c.state), Some(&FileState::Proposed), "only what was open ends");
    }

    #[test]
    fn there_are_so_many_and_no_larger() {
        let mut cards = FileCards::default();
        let complaints = cards.apply(None, None, (0..CARDS_LIMIT + 2).map(|_| action(None, "x")).collect());
        assert_eq!((cards.cards().count(), complaints.len()), (CARDS_LIMIT, 2));
        cards.dismiss("file_1");
        assert!(cards.apply(None, None, vec![action(None, "x")]).is_empty());
        assert_eq!(cards.apply(None, None, vec![action(None, &"x".repeat(TEXT_LIMIT + 1))]).len(), 1);
    }

    #[test]
    fn the_counts_are_what_is_known() {
        let update = json!({"action": "update_file", "path": "/a", "mode": "replace", "oldContent": "a\nb", "content": "c"});
        let mut cards = FileCards::default();
        cards.apply(None, None, vec![FileAction::read(&update).expect("an update"), action(None, "x\ny\n")]);
        assert_eq!(cards.cards().map(FileCard::counts).collect::<Vec<_>>(), ["+1 −2", "+2 −?"]);
        cards.count("file_2", 2, 7);
        assert_eq!(cards.get("file_2").map(FileCard::counts).as_deref(), Some("+2 −7"));
    }
}
