//! What reasoning models leave of their thoughts: `<think>` blocks, nested, not ended, or without their beginning.

/// The tags that are known, without brackets.
const TAGS: [&str; 2] = ["think", "thinking"];

/// The text without its thoughts. A block that is not ended goes to the end of the text; an end without a beginning
/// (some templates put the beginning into the prompt) takes all before it.
pub(crate) fn without_thoughts(text: &str) -> String {
    let mut said = String::new();
    let mut depth = 0_usize;
    let mut from = 0;
    for (at, _) in text.match_indices('<') {
        let Some((is_end, len)) = tag(&text[at..]) else { continue };
        if depth == 0 {
            said.push_str(&text[from..at]);
        }
        match (is_end, depth) {
            (true, 0) => said.clear(),
            (true, _) => depth -= 1,
            (false, _) => depth += 1,
        }
        from = at + len;
    }
    if depth == 0 {
        said.push_str(&text[from..]);
    }
    said.trim().to_owned()
}

/// Whether the text begins with a tag: if it ends a block, and the tag's length.
fn tag(text: &str) -> Option<(bool, usize)> {
    let inner = text.strip_prefix('<')?;
    let (is_end, name) = match inner.strip_prefix('/') {
        Some(name) => (true, name),
        None => (false, inner),
    };
    let fits = |tag: &&str| {
        let (head, rest) = (name.get(..tag.len()), name.get(tag.len()..));
        head.is_some_and(|h| h.eq_ignore_ascii_case(tag)) && rest.is_some_and(|r| r.starts_with('>'))
    };
    let tag = TAGS.into_iter().find(fits)?;
    Some((is_end, tag.len() + 2 + usize::from(is_end)))
}
