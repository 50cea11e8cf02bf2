//! What a card is bound to: who reads it there.
//!
//! A card belongs to the place that Linus was shown when he was asked for it, however late his answer comes; one that
//! came when nothing was known of the place yet, to the first that is. Looking at it or editing it does not move it:
//! only the user does, by sending it although the panel has said what changed. What is compared here comes from the
//! remote, which may lie: it can hold a send back, and it brings none about.

use crate::shell::{Dialect, Facts, State, is_alike, is_mode_of};
use crate::text::{truncate, visible};

/// Columns of a prompt that is quoted.
const PROMPT_COLUMNS: usize = 24;

/// Host, user, prompt, language and foreground of a session at one moment.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Place {
    pub user: Option<String>,
    pub host: Option<String>,
    /// The prompt's last line as it was shown.
    pub prompt: Option<String>,
    /// Which of the shells that may have begun one over the other.
    pub shell: u32,
    pub dialect: Dialect,
    /// The prompt was marked by our own integration.
    pub trusted: bool,
    /// A program read lines there, and no shell did.
    pub program: bool,
}

impl Place {
    pub fn new(facts: &Facts, state: State) -> Self {
        Self {
            user: facts.user.clone(),
            host: facts.host.clone(),
            prompt: facts.prompt.clone(),
            shell: facts.shell,
            dialect: facts.dialect,
            trusted: facts.trusted,
            program: state == State::Program,
        }
    }

    /// `user@host`, or what is known of it.
    pub fn name(&self) -> Option<String> {
        match (&self.user, &self.host) {
            (Some(user), Some(host)) => Some(format!("{user}@{host}")),
            (Some(one), None) | (None, Some(one)) => Some(one.clone()),
            (None, None) => None,
        }
    }

    /// Whether no prompt has been seen yet, so that there is nothing to compare with.
    pub(super) fn is_blank(&self) -> bool {
        self.prompt.is_none() && self.name().is_none()
    }

    /// What is another than it was when the card was bound to `self`: `was root@web-1, now postgres@web-1`.
    pub fn change_to(&self, now: &Self) -> Option<String> {
        if self.is_blank() {
            return None;
        }
        let moved = |had: &Option<String>, has: &Option<String>| had.is_some() && had != has;
        if moved(&self.user, &now.user) || moved(&self.host, &now.host) {
            let was = self.name().unwrap_or_default();
            return Some(was_and_is(&was, &now.name().unwrap_or_else(|| now.described())));
        }
        if !speaks_the_same(self.dialect, now.dialect) {
            return Some(was_and_is(name_of(self.dialect), name_of(now.dialect)));
        }
        if self.program != now.program {
            let (was, is) = if self.program { ("a program", "a shell") } else { ("a shell", "a program") };
            return Some(format!("was for {was}, now {is} reads there"));
        }
        if let (Some(had), Some(has)) = (&self.prompt, &now.prompt)
            && !is_alike(had, has)
            && !is_mode_of(had, has)
        {
            return Some(was_and_is(&quoted(had), &quoted(has)));
        }
        let may_be_another = self.shell != now.shell || self.trusted && !now.trusted;
        may_be_another.then(|| "another shell may have the prompt now".into())
    }

    fn described(&self) -> String {
        self.prompt.as_deref().map_or_else(|| "not known".into(), quoted)
    }
}

fn was_and_is(was: &str, is: &str) -> String {
    format!("was {was}, now {is}")
}

fn quoted(prompt: &str) -> String {
    format!("“{}”", truncate(&visible(prompt.trim()), PROMPT_COLUMNS))
}

fn name_of(dialect: Dialect) -> &'static str {
    dialect.name().unwrap_or("not known")
}

/// That it is known more closely now is no change.
fn speaks_the_same(had: Dialect, has: Dialect) -> bool {
    let vague = |d: Dialect| d == Dialect::Unknown || d.is_family();
    had == has
        || had == Dialect::Unknown
        || has == Dialect::Unknown
        || had.family() == has.family() && (vague(had) || vague(has))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(user: &str, host: &str, prompt: &str) -> Place {
        let some = |text: &str| Some(text.to_owned()).filter(|t| !t.is_empty());
        Place { user: some(user), host: some(host), prompt: some(prompt), ..Place::default() }
    }

    #[test]
    fn another_user_or_host_is_told_with_both_names() {
        let root = at("root", "web-1", "root@web-1:~# ");
        let change = |now: &Place| root.change_to(now);
        assert_eq!(change(&at("root", "web-1", "root@web-1:/var# ")), None);
        assert_eq!(
            change(&at("postgres", "web-1", "postgres@web-1:~$ ")).as_deref(),
            Some("was root@web-1, now postgres@web-1")
        );
        assert_eq!(
            change(&at("root", "db-1", "root@db-1:~# ")).as_deref(),
            Some("was root@web-1, now root@db-1")
        );
        assert_eq!(change(&at("", "", "# ")).as_deref(), Some("was root@web-1, now “#”"));
        assert_eq!(change(&at("", "", "")).as_deref(), Some("was root@web-1, now not known"));
    }

    #[test]
    fn a_prompt_without_names_tells_too() {
        let user = at("", "", "$ ");
        assert_eq!(user.change_to(&at("", "", "$ ")), None);
        assert_eq!(user.change_to(&at("", "", "# ")).as_deref(), Some("was “$”, now “#”"));
        assert!(user.change_to(&at("root", "db", "root@db:~# ")).is_some());
        let hidden = user.change_to(&at("", "", "\u{202e}x# ")).unwrap_or_default();
        assert!(hidden.contains("⟨U+202E⟩"), "{hidden}");
    }

    #[test]
    fn another_shell_under_the_same_prompt_and_lost_trust_are_changes() {
        let here = Place { trusted: true, ..at("a", "b", "a@b:~$ ") };
        let change = |now: Place| here.change_to(&now);
        assert_eq!(change(here.clone()), None);
        assert!(change(Place { shell: 1, ..here.clone() }).is_some());
        assert!(change(Place { trusted: false, ..here.clone() }).is_some());
        assert!(change(Place { program: true, ..here.clone() }).is_some());
    }

    #[test]
    fn what_is_known_more_closely_is_the_same_and_a_devices_mode_too() {
        let of = |dialect, prompt: &str| Place { dialect, ..at("", "", prompt) };
        let same = [
            (Dialect::Unknown, Dialect::Bash),
            (Dialect::Posix, Dialect::Bash),
            (Dialect::IosLike, Dialect::Ios),
        ];
        for (had, has) in same {
            assert_eq!(of(had, "r1#").change_to(&of(has, "r1#")), None, "{had:?} {has:?}");
        }
        assert_eq!(of(Dialect::Ios, "r1#").change_to(&of(Dialect::Ios, "r1(config)#")), None);
        assert_eq!(
            of(Dialect::Bash, "r1#").change_to(&of(Dialect::Vtysh, "r1#")).as_deref(),
            Some("was bash, now vtysh")
        );
        assert!(of(Dialect::Ios, "r1#").change_to(&of(Dialect::Ios, "r2#")).is_some());
    }

    #[test]
    fn what_came_before_any_prompt_has_nothing_to_compare_with() {
        assert_eq!(Place::default().change_to(&at("root", "web", "root@web:~# ")), None);
    }
}
