//! Which shell has the prompt: a number for each that may have begun over another.
//!
//! Told from the commands that open shells. Whether one has opened is not always seen (`su` that failed, and one whose
//! prompt looks as the old one did, look the same): then it is taken for another. That can hold a send back, no more.

use super::super::beliefs::is_interactive;
use super::super::prompt::Prompts;

/// Shells under the present one that are remembered.
const MAX_NESTED: usize = 16;

#[derive(Debug, Default)]
pub(super) struct Lineage {
    here: u32,
    last: u32,
    /// The prompts under which another shell began, and whose they are.
    outer: Vec<(String, u32)>,
    /// The prompt at which a command was accepted that may open a shell, until the next prompt.
    opening: Option<String>,
}

impl Lineage {
    pub(super) fn here(&self) -> u32 {
        self.here
    }

    /// A command was accepted at this prompt.
    pub(super) fn accept(&mut self, prompt: &str, command: Option<&str>) {
        self.opening = command.is_some_and(is_interactive).then(|| prompt.to_owned());
    }

    /// A prompt waits, after a command that leaves a shell or after another.
    pub(super) fn prompt(&mut self, prompt: &str, leaving: bool) {
        match self.opening.take() {
            Some(outer) => self.open(&outer),
            None if leaving => self.leave(prompt),
            None => {}
        }
    }

    fn open(&mut self, prompt: &str) {
        if self.outer.len() == MAX_NESTED {
            self.outer.remove(0);
        }
        self.outer.push((prompt.to_owned(), self.here));
        self.last = self.last.wrapping_add(1);
        self.here = self.last;
    }

    /// Back to the shell whose prompt this is.
    fn leave(&mut self, prompt: &str) {
        let at = self.outer.iter().rposition(|(outer, _)| Prompts::same_shape(outer, prompt));
        if let Some((_, shell)) = at.and_then(|at| self.outer.drain(at..).next()) {
            self.here = shell;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shell_from_before_comes_back_and_the_one_that_was_left_does_not() {
        let mut lineage = Lineage::default();
        lineage.accept("user@host:~$ ", Some("sudo -i"));
        lineage.prompt("root@host:~# ", false);
        lineage.accept("root@host:~# ", Some("ls"));
        lineage.prompt("root@host:~# ", false);
        assert_eq!(lineage.here(), 1);
        lineage.accept("root@host:~# ", Some("su - amy"));
        lineage.prompt("amy@host:~$ ", false);
        assert_eq!(lineage.here(), 2);
        lineage.prompt("user@host:/var$ ", true);
        assert_eq!(lineage.here(), 0, "both were left");
        lineage.accept("user@host:~$ ", Some("bash"));
        lineage.prompt("user@host:~$ ", false);
        assert_eq!(lineage.here(), 3);
        lineage.prompt("other:~$ ", true);
        assert_eq!(lineage.here(), 3, "no such prompt was seen before");
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let mut lineage = Lineage::default();
        for _ in 0..1000 {
            lineage.open("$ ");
        }
        assert_eq!(lineage.outer.len(), MAX_NESTED);
    }
}
