//! What the user's own prompts show: the last status and the whole directory, each believed only where it was seen to
//! follow what is known.
//!
//! A number that was the status of a command whose status something else proved (127 for one that is not there) is a
//! status; a path that was the directory of a `cd` is a directory. Nothing is guessed from how a prompt looks.

/// Places of numbers and forms of lines that are remembered.
const MAX_KNOWN: usize = 16;
/// A shell's status: a byte, or 256 and a signal (ksh93).
const MAX_STATUS: i32 = 256 + 64;

/// One place in the prompt where a number stood: what is before it and after it.
#[derive(Debug)]
struct Slot {
    place: (String, String),
    last: i32,
    /// It once did not go up by one: it is no history number.
    varies: bool,
    /// It was a status that was known otherwise, and it was not.
    proven: bool,
    refuted: bool,
}

/// Numbers in prompts that may be the last status.
#[derive(Debug, Default)]
pub(crate) struct Statuses {
    slots: Vec<Slot>,
    prompts: u64,
}

impl Statuses {
    /// Reads the prompt after a command, whose status may be known by other means.
    pub(crate) fn read(&mut self, prompt: &str, proof: Option<i32>) -> Option<i32> {
        let numbers = numbers(prompt);
        for slot in &mut self.slots {
            let shown = numbers.iter().find(|(place, _)| *place == slot.place).map(|(_, number)| *number);
            slot.varies |= shown.is_none_or(|number| number != slot.last + 1);
            slot.last = shown.unwrap_or(slot.last);
            if proof.is_some() {
                slot.proven |= shown == proof;
                slot.refuted |= shown != proof;
            }
        }
        for (place, number) in &numbers {
            if self.slots.len() < MAX_KNOWN && !self.slots.iter().any(|s| s.place == *place) {
                let (proven, refuted) = (proof == Some(*number), proof.is_some_and(|p| p != *number));
                // It stands here for the first time, but prompts without it came before.
                let varies = self.prompts > 0;
                self.slots.push(Slot { place: place.clone(), last: *number, varies, proven, refuted });
            }
        }
        self.prompts += 1;
        let is_status = |s: &Slot| s.varies && s.proven && !s.refuted;
        let is_known = |place| self.slots.iter().any(|s| s.place == place && is_status(s));
        let shown = numbers.into_iter().find(|(place, _)| is_known(place.clone()));
        shown.map(|(_, number)| number).filter(|n| (0..=MAX_STATUS).contains(n))
    }
}

/// Numbers that stand alone, each with the sign or word before and after it; a directory's sign is any directory's.
fn numbers(prompt: &str) -> Vec<((String, String), i32)> {
    let mut found = Vec::new();
    let mut rest = 0;
    while let Some(at) =
        prompt.get(rest..).and_then(|t| t.find(|c: char| c.is_ascii_digit())).map(|at| rest + at)
    {
        let tail = prompt.get(at..).unwrap_or_default();
        let digits = tail.find(|c: char| !c.is_ascii_digit()).unwrap_or(tail.len());
        rest = at + digits;
        let (before, after) = (prompt.get(..at).unwrap_or_default(), tail.get(digits..).unwrap_or_default());
        let part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || ".:,-_/@".contains(c));
        if part(before.chars().next_back()) || part(after.chars().next()) {
            continue;
        }
        let near = |c: Option<char>| c.map_or(String::new(), |c| if c == '/' { '~' } else { c }.to_string());
        let place = (
            near(before.trim_end_matches(' ').chars().next_back()),
            near(after.trim_start_matches(' ').chars().next()),
        );
        found.extend(tail.get(..digits).and_then(|n| n.parse().ok()).map(|number| (place, number)));
    }
    found
}

/// Forms of the line in a prompt that shows the directory, and whether it shows all of it.
#[derive(Debug, Default)]
pub(crate) struct Directories {
    forms: Vec<(String, bool)>,
    last: String,
}

impl Directories {
    /// Learns from the prompt after this command.
    pub(crate) fn learn(&mut self, prompt: &str, command: Option<&str>) {
        let Some((form, shown)) = path_line(prompt) else { return };
        let stayed = std::mem::replace(&mut self.last, shown.to_owned()) == shown;
        let Some(target) = command.and_then(whole_target).filter(|target| !stayed || *target == shown) else {
            return;
        };
        let whole = shown == target;
        if let Some((_, all)) = self.forms.iter_mut().find(|(known, _)| *known == form) {
            *all &= whole;
        } else if self.forms.len() < MAX_KNOWN {
            self.forms.push((form, whole));
        }
    }

    /// The directory that the prompt shows, where such prompts are known to show all of it.
    pub(crate) fn read(&self, prompt: &str) -> Option<String> {
        let (form, shown) = path_line(prompt)?;
        self.forms.contains(&(form, true)).then(|| shown.to_owned())
    }
}

/// The directory of a plain `cd` that a prompt which shortens could not show whole: two parts, the first longer than
/// a letter.
fn whole_target(command: &str) -> Option<&str> {
    let path = command.strip_prefix("cd ")?.trim();
    let path = path.strip_suffix('/').unwrap_or(path);
    let plain = path.chars().all(|c| c.is_alphanumeric() || matches!(c, '/' | '~' | '-' | '_' | '.'));
    let mut parts = path.strip_prefix("~/").or_else(|| path.strip_prefix('/'))?.split('/');
    let (first, second) = (parts.next()?, parts.next()?);
    (plain && first.len() > 1 && !second.is_empty() && !path.contains("..")).then_some(path)
}

/// The first line with a path: the line without it, and the path.
fn path_line(prompt: &str) -> Option<(String, &str)> {
    prompt.split_inclusive('\n').find_map(|line| {
        let begins = |(at, _): &(usize, &str)| {
            let before = line.get(..*at).and_then(|t| t.chars().next_back());
            before.is_none_or(|c| matches!(c, ' ' | ':' | '[' | '(') || !c.is_ascii() && !c.is_alphanumeric())
        };
        let (at, _) = line.match_indices(['/', '~']).find(begins)?;
        let (before, tail) = line.split_at_checked(at)?;
        let ends =
            |c: char| c.is_whitespace() || "$#%>:])|\"'".contains(c) || !c.is_ascii() && !c.is_alphanumeric();
        let (path, after) = tail.split_at_checked(tail.find(ends).unwrap_or(tail.len()))?;
        // At the very end, the rest of it may come after a pause.
        let cut = path.contains("..") || after.starts_with('…') || after.is_empty();
        let form: String = [before, "~", after].concat().chars().filter(|c| !c.is_ascii_digit()).collect();
        (!cut).then(|| (form.split_whitespace().collect::<Vec<_>>().join(" "), path))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_a_status_once_it_was_seen_to_follow_one() {
        let mut statuses = Statuses::default();
        assert_eq!(statuses.read("[0] ~$ ", None), None, "nothing proves it yet");
        assert_eq!(statuses.read("[127] ~$ ", Some(127)), Some(127));
        assert_eq!(statuses.read("[2] ~$ ", None), Some(2));
        assert_eq!(statuses.read("[0] /srv$ ", None), Some(0));
        assert_eq!(statuses.read("~$ ", None), None, "not shown, not known");
        assert_eq!(statuses.read("[2] ~$ ", Some(127)), None, "it is something else after all");
        assert_eq!(statuses.read("[2] ~$ ", None), None);
    }

    #[test]
    fn a_number_that_counts_or_is_part_of_something_is_no_status() {
        let mut statuses = Statuses::default();
        for (prompt, proof) in
            [("!125 $ ", None), ("!126 $ ", None), ("!127 $ ", Some(127)), ("!128 $ ", None)]
        {
            assert_eq!(statuses.read(prompt, proof), None, "{prompt}");
        }
        for prompt in ["web127 $ ", "12:127 $ ", "/127/x $ ", "1.127 $ ", "127.0.0.1 $ "] {
            assert_eq!(statuses.read(prompt, Some(127)), None, "{prompt}");
        }
    }

    #[test]
    fn a_status_that_shows_only_on_failure_is_read_when_it_shows() {
        let mut statuses = Statuses::default();
        assert_eq!(statuses.read("~ 12:00:01 ❯ ", None), None);
        assert_eq!(statuses.read("127 ↵ ~ 12:00:02 ❯ ", Some(127)), Some(127));
        assert_eq!(statuses.read("~ 12:00:03 ❯ ", None), None);
        assert_eq!(statuses.read("1 ↵ ~ 12:00:04 ❯ ", None), Some(1));
    }

    #[test]
    fn a_directory_is_believed_where_a_cd_was_shown_whole() {
        let mut directories = Directories::default();
        directories.learn("joe@web1 /tmp> ", Some("cd /tmp"));
        assert_eq!(directories.read("joe@web1 /u/share> "), None, "one part proves nothing");
        directories.learn("joe@web1 /usr/share> ", Some("cd /usr/share/"));
        assert_eq!(directories.read("joe@web1 ~/x> ").as_deref(), Some("~/x"));
        assert_eq!(directories.read("joe@web1 ~/a b> "), None, "another form: perhaps a blank in the name");
        directories.learn("joe@web1 /u/local> ", Some("cd /usr/local"));
        assert_eq!(directories.read("joe@web1 ~/x> "), None, "it shortens");
        let mut torn = Directories::default();
        torn.learn("/usr/share\n$ ", Some("cd /usr/share"));
        assert_eq!(torn.read("/usr/sh"), None, "the rest of it may come");
        assert_eq!(torn.read("/srv\n$ ").as_deref(), Some("/srv"));
        let mut lines = Directories::default();
        lines.learn("┌─[joe@web1]─[/usr/share]\n└──╼ $ ", Some("cd /usr/share"));
        assert_eq!(lines.read("┌─[joe@web1]─[/srv]\n└──╼ $ ").as_deref(), Some("/srv"));
        assert_eq!(lines.read("┌─[joe@web1]─[/srv/…/x]\n└──╼ $ "), None);
    }
}
