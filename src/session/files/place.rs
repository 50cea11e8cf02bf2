//! Is the shell that the user sees the login, as which and where files would be changed? Everything that the remote tells
//! of itself can be a lie: it forbids, or makes the user look twice, and permits nothing.

use crate::copilot::Place as Spot;

/// Who and where the shell is that the user sees, beside whom and where files would be changed.
pub(in crate::session) enum Place {
    Same,
    /// It cannot be told, or not with certainty; why.
    Unsure(String),
    /// It is another; what is shown there.
    Other(String),
}

/// `first` is what was at the first prompt; where names are known, they decide, and nothing else.
pub(in crate::session) fn compare(
    first: Option<&Spot>,
    now: &Spot,
    login_user: Option<&str>,
    is_busy: bool,
) -> Place {
    let name = |spot: &Spot| spot.name().unwrap_or_else(|| "not known".to_owned());
    if now.user.is_some() && login_user.is_some() && now.user.as_deref() != login_user {
        return Place::Other(name(now));
    }
    let is_named = |spot: &Spot| spot.user.is_some() && spot.host.is_some();
    let Some(first) = first else {
        return Place::Unsure(format!("The shell of the login was not seen; this one is {}.", name(now)));
    };
    let (mut had, mut has) = (first.clone(), now.clone());
    if is_named(first) && is_named(now) {
        (had.prompt, has.prompt, has.dialect) = (None, None, had.dialect);
    }
    let as_there = Spot { shell: had.shell, trusted: had.trusted, program: had.program, ..has.clone() };
    if let Some(what) = had.change_to(&as_there) {
        return Place::Other(what);
    }
    if let Some(what) = had.change_to(&has) {
        return Place::Unsure(format!("It may be another place than the login: {what}."));
    }
    if is_busy {
        return Place::Unsure("Something runs in the terminal, perhaps another shell.".to_owned());
    }
    if is_named(now) {
        return Place::Same;
    }
    Place::Unsure(
        "The shell does not tell who and where it is. It may be another place than the login.".to_owned(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spot(user: &str, host: &str, prompt: &str) -> Spot {
        let some = |text: &str| Some(text.to_owned()).filter(|t| !t.is_empty());
        Spot { user: some(user), host: some(host), prompt: some(prompt), ..Spot::default() }
    }

    fn place(first: Option<&Spot>, now: &Spot, busy: bool) -> &'static str {
        match compare(first, now, Some("joe"), busy) {
            Place::Same => "same",
            Place::Unsure(_) => "unsure",
            Place::Other(_) => "other",
        }
    }

    #[test]
    fn only_a_shell_that_is_the_logins_is_taken_for_it() {
        let login = spot("joe", "web1", "joe@web1:~$ ");
        assert_eq!(place(Some(&login), &login, false), "same");
        assert_eq!(
            place(Some(&login), &spot("joe", "web1", "web1 joe> "), false),
            "same",
            "another prompt, the same names"
        );
        let others = [
            spot("root", "web1", "#"),
            spot("joe", "db1", "$"),
            spot("", "db1", "$"),
            spot("", "", "/ # "),
            spot("", "", ""),
        ];
        for other in &others {
            assert_eq!(
                (place(Some(&login), other, false), place(Some(&login), other, true)),
                ("other", "other"),
                "{other:?}"
            );
        }
        assert_eq!(place(Some(&login), &login, true), "unsure");
        assert_eq!(place(Some(&login), &Spot { shell: 1, ..login.clone() }, false), "unsure");
        assert_eq!(place(Some(&login), &Spot { program: true, ..login.clone() }, false), "unsure");
    }

    #[test]
    fn what_is_not_told_is_never_taken_for_the_login() {
        let nameless = spot("", "", "% ");
        assert_eq!(place(Some(&nameless), &nameless, false), "unsure");
        assert_eq!(place(Some(&nameless), &spot("", "", "# "), false), "other");
        assert_eq!(place(None, &spot("joe", "web1", "joe@web1:~$ "), false), "unsure");
        // A profile that goes on as root: the login is joe all the same.
        let root = spot("root", "web1", "root@web1:~# ");
        assert_eq!(place(Some(&root), &root, false), "other");
    }
}
