//! Words in quotes for shells. What a text must not hold, and where it stands, is the caller's to know.

/// Between single quotes of a POSIX shell: a quote ends them, stands for itself, and begins them again.
pub(crate) fn within_posix(text: &str) -> String {
    text.replace('\'', r"'\''")
}

/// Between single quotes of fish, which has two escapes there.
pub(crate) fn within_fish(text: &str) -> String {
    text.replace('\\', r"\\").replace('\'', r"\'")
}

/// One word of a POSIX shell (sh, bash, dash, ksh, zsh, busybox).
pub(crate) fn posix(text: &str) -> String {
    format!("'{}'", within_posix(text))
}

/// One word of fish.
pub(crate) fn fish(text: &str) -> String {
    format!("'{}'", within_fish(text))
}

/// Whether a text means itself in every shell, with no quotes around it.
pub(crate) fn is_plain(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || "_-./:@%+,=".contains(c))
}
