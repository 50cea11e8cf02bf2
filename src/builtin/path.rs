//! Paths of the remote as text.

/// `name` seen from `directory`; `None` where that cannot be told.
pub(crate) fn absolute(name: &str, directory: Option<&str>) -> Option<String> {
    let path = if name.starts_with('/') {
        name.to_owned()
    } else {
        let directory = directory.filter(|d| d.starts_with('/'))?;
        let name = name.strip_prefix("./").unwrap_or(name);
        let directory = directory.trim_end_matches('/');
        if name == "." { format!("{directory}/") } else { format!("{directory}/{name}") }
    };
    if path.split('/').any(|part| part == "..") {
        return None;
    }
    let trimmed = path.trim_end_matches('/');
    Some(if trimmed.is_empty() { "/".into() } else { trimmed.into() })
}

/// Whether `path` is `directory` or lies below it.
pub(crate) fn is_under(path: &str, directory: &str) -> bool {
    let directory = directory.trim_end_matches('/');
    path.strip_prefix(directory).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

pub(crate) fn parent(path: &str) -> Option<&str> {
    match path.rfind('/')? {
        0 if path.len() > 1 => Some("/"),
        0 => None,
        at => path.get(..at),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn containment_goes_by_whole_names() {
        assert!(is_under("/var/log", "/var") && is_under("/var", "/var") && is_under("/x", "/"));
        assert!(!is_under("/variable", "/var") && !is_under("/", "/var"));
        assert_eq!((parent("/var/log"), parent("/var"), parent("/")), (Some("/var"), Some("/"), None));
    }

    #[test]
    fn relative_names_need_an_absolute_start_and_never_climb() {
        assert_eq!(absolute("log/", Some("/var/")).as_deref(), Some("/var/log"));
        assert_eq!(absolute(".", Some("/")).as_deref(), Some("/"));
        assert_eq!(absolute("log", None), None);
        assert_eq!(absolute("/var/../etc", None), None);
    }
}
