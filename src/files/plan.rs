//! The first step: what would change. Reads only.

use std::time::{Duration, Instant};

use super::place::{Place, find};
use super::{Diff, Doing, Existing, Plan, Progress, SIZE_LIMIT, Stop, change, paths, read_text, too_big};
use crate::linus::contract::{FileAction, Risk, UpdateMode};
use crate::linus::redact::places;
use crate::ssh::sftp::Sftp;

/// How long the shortest diff is looked for; after that, one that is right.
const DIFF_WITHIN: Duration = Duration::from_secs(1);
/// Set-user-ID and set-group-ID.
const SET_ID: u32 = 0o6000;

/// Reads the file that an action is about, and says what the action would do to it.
pub fn plan(sftp: &mut Sftp, action: &FileAction, progress: &mut dyn FnMut(Progress)) -> Result<Plan, Stop> {
    has_no_placeholder(action)?;
    let place = find(sftp, &action.path)?;
    let before = read(sftp, &place, progress)?;
    let text = before.as_ref().map(|before| before.text.as_str());
    let changed = change::apply(action, text).map_err(|why| Stop::new(format!("{} {why}", place.path)))?;
    if text == Some(changed.after.as_str()) {
        return Err(Stop::new(format!("{} is like that already: there is nothing to change.", place.path)));
    }
    if changed.after.len() > SIZE_LIMIT {
        return Err(too_big(&place.path));
    }
    let diff = Diff::new(text.unwrap_or_default(), &changed.after, Instant::now() + DIFF_WITHIN);
    let overwrites = before.is_some() && matches!(action.mode, None | Some(UpdateMode::Overwrite));
    let (level, reason) = judge(&action.path, &place.path, overwrites);
    let mut notes = place.notes.clone();
    notes.extend(changed.notes.iter().map(|&note| note.to_owned()));
    let mut plan = Plan {
        asked: action.path.clone(),
        path: place.path.clone(),
        mode: action.mode,
        diff,
        notes,
        warnings: Vec::new(),
        level,
        reason: reason.to_owned(),
        before,
        after: changed.after,
    };
    plan.note_what_stays(sftp, &place);
    if plan.diff.left_out > 0 {
        plan.raise("The diff is too long to be shown whole.");
    }
    Ok(plan)
}

/// A placeholder stands for a secret that Linus was not shown. In a file it would be that text, or the secret where it
/// does not belong.
fn has_no_placeholder(action: &FileAction) -> Result<(), Stop> {
    let texts = [Some(&action.content), action.old_content.as_ref(), action.anchor.as_ref()];
    let found = texts.into_iter().flatten().find_map(|text| places(&text.text()).into_iter().next());
    match found {
        None => Ok(()),
        Some(place) => Err(Stop::new(format!(
            "It has {} in it, which stands for a secret that Linus was not shown. Change this file by hand.",
            place.placeholder
        ))),
    }
}

fn read(
    sftp: &mut Sftp,
    place: &Place,
    progress: &mut dyn FnMut(Progress),
) -> Result<Option<Existing>, Stop> {
    let Some(attrs) = place.attrs else { return Ok(None) };
    let size = attrs.size.and_then(|size| usize::try_from(size).ok());
    if size.is_some_and(|size| size > SIZE_LIMIT) {
        return Err(too_big(&place.path));
    }
    let text = read_text(sftp, &place.path, Doing::Reading, size, progress)?;
    Ok(Some(Existing { attrs, text }))
}

/// Both names of a file count.
fn judge(asked: &str, path: &str, overwrites: bool) -> (Risk, &'static str) {
    let (one, other) = (paths::judge(path, overwrites), paths::judge(asked, overwrites));
    if other.0 > one.0 { other } else { one }
}

impl Plan {
    fn note_what_stays(&mut self, sftp: &mut Sftp, place: &Place) {
        let Some(attrs) = place.attrs else {
            let mode =
                if paths::is_private(&place.path) { "mode 600" } else { "the mode that the server gives" };
            return self.notes.push(format!("A new file, with {mode}."));
        };
        let of = |id: Option<u32>| id.map_or_else(|| "?".to_owned(), |id| id.to_string());
        let mode = attrs.mode().unwrap_or_default();
        self.notes.push(format!(
            "Kept: mode {mode:o}, owner {}:{}. Not kept, if it has any: ACLs and extended attributes.",
            of(attrs.uid),
            of(attrs.gid)
        ));
        if mode & SET_ID != 0 {
            self.raise("It runs with its owner's or its group's rights (set-ID).");
        }
        // A listing that cannot be had costs the warning and nothing else; the writing will say what is wrong.
        if let Ok(Some(links @ 2..)) = sftp.links(&place.directory, &place.name) {
            self.warnings.push(format!(
                "It has {links} names (hard links). Only this one gets the new content; the others keep the old."
            ));
        }
    }
}
