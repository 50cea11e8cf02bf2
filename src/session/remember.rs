//! Where the panel was and how large: a small file in the state folder, read when a session starts and written at its
//! end. What the configuration says comes before it.

use crate::private;
use crate::ui::{Choice, Position};
use std::io;
use std::path::{Path, PathBuf};

/// A larger file is not ours.
const MAX_BYTES: u64 = 4096;

/// What the user has chosen by keys or the mouse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Remembered {
    pub(super) position: Option<Position>,
    pub(super) width: Option<u16>,
    pub(super) height: Option<u16>,
}

impl Remembered {
    /// What an earlier session left; nothing if there is no such file, or none that can be read.
    pub(super) fn of_user() -> Self {
        file().map(|path| Self::read(&path)).unwrap_or_default()
    }

    fn read(path: &Path) -> Self {
        let Ok(Some(bytes)) = private::read(path, MAX_BYTES) else { return Self::default() };
        let mut known = Self::default();
        for line in String::from_utf8_lossy(&bytes).lines() {
            match line.split_once(' ') {
                Some(("position", name)) => known.position = position(name),
                Some(("width", number)) => known.width = number.parse().ok(),
                Some(("height", number)) => known.height = number.parse().ok(),
                _ => {}
            }
        }
        known
    }

    pub(super) fn of(choice: Choice) -> Self {
        Self { position: Some(choice.position), width: choice.width, height: choice.height }
    }

    /// The same with what has changed from one to the other: what the configuration says is not kept.
    pub(super) fn with_changes(self, from: Self, to: Self) -> Self {
        Self {
            position: if from.position == to.position { self.position } else { to.position },
            width: if from.width == to.width { self.width } else { to.width },
            height: if from.height == to.height { self.height } else { to.height },
        }
    }

    /// Keeps it for the sessions to come.
    pub(super) fn keep(&self) -> io::Result<()> {
        file().map_or(Ok(()), |path| self.write(&path))
    }

    fn write(&self, path: &Path) -> io::Result<()> {
        if let Some(folder) = path.parent() {
            private::folder(folder)?;
        }
        let name = self.position.map(|position| format!("position {}\n", name(position)));
        let width = self.width.map(|width| format!("width {width}\n"));
        let height = self.height.map(|height| format!("height {height}\n"));
        let text: String = [name, width, height].into_iter().flatten().collect();
        private::replace(path, text.as_bytes())
    }
}

fn file() -> Option<PathBuf> {
    private::state_folder().map(|folder| folder.join("panel"))
}

fn name(position: Position) -> &'static str {
    match position {
        Position::Right => "right",
        Position::Left => "left",
        Position::Bottom => "bottom",
    }
}

fn position(known: &str) -> Option<Position> {
    [Position::Right, Position::Left, Position::Bottom].into_iter().find(|position| name(*position) == known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_chosen_is_there_again_and_what_is_odd_is_not() {
        let dir = nix::unistd::mkdtemp(&std::env::temp_dir().join("aissh-panel.XXXXXX")).expect("a folder");
        let path = dir.join("state/panel");
        assert_eq!(Remembered::read(&path), Remembered::default());
        let known = Remembered { position: Some(Position::Left), width: Some(50), height: None };
        known.write(&path).expect("write");
        assert_eq!(Remembered::read(&path), known);
        std::fs::write(&path, "position above\nwidth -3\nheight 12\nx\n").expect("write");
        assert_eq!(Remembered::read(&path), Remembered { height: Some(12), ..Remembered::default() });
        std::fs::remove_dir_all(dir).expect("clean up");
    }
}
