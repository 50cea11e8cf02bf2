//! What people write to Linus, as far as it means something without a runbook: the place it is about, a greeting,
//! a question that names no subject.

use regex::Regex;
use std::sync::LazyLock;

/// A longer message is more than a greeting or "what now?".
const MAX_SHORT: usize = 120;

/// The path that a question is about: the first absolute one, else a mount point by its bare name.
pub(crate) fn path_in(question: &str) -> Option<String> {
    static PATH: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r#"(?:^|[\s"'`(])(/(?:[\w.@+-]+(?:/[\w.@+-]+)*/?)?)"#).ok());
    let Some(found) = PATH.as_ref()?.captures(question) else { return bare_mount(question) };
    let path = found.get(1)?.as_str().trim_end_matches(['.', '/']);
    let path = if path.is_empty() { "/" } else { path };
    (path.len() < 1024 && !path.split('/').any(|p| p == "..")).then(|| path.into())
}

/// `var is full`, `root filesystem 100%`, `what is eating home`: a name counts as a place only where the words
/// around it say so, since "boot" and "root" and "home" mean other things as well.
fn bare_mount(question: &str) -> Option<String> {
    const NAME: &str = r"(?P<name>(?:var|home|tmp|usr|opt|srv|boot|root|rootfs)(?:/[\w.@+-]+)*)";
    static PATTERNS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
        const NOUN: &str =
            r"(?:file ?system|fs|partition|volume|disk|drive|mount|directory|folder|dir|dateisystem|platte)";
        const VERB: &str = r"(?:is|ist|are|at|has|hat|got|gets|getting|went|seems|looks|running|runs|läuft|wird|fast|zu|bald|almost|nearly|too|completely|now)";
        const FULL: &str = r"(?:full|voll|\d+ ?%|fill\w*|out of|usage|space|belegt|no space)";
        [
            // The name, and then what is said of it.
            format!(r"(?:^|[^\w/.-]){NAME}/?(?: {NOUN})?:?(?: {VERB})* {FULL}"),
            format!(r"(?:^|[^\w/.-]){NAME} (?:file ?system|fs|partition|volume|dateisystem)\b"),
            // What is said, and then the name.
            format!(r"\b(?:full|voll|space|usage|platz|belegt)(?: (?:is|ist|on|in|of|auf|for|left))* {NAME}/?(?:[^\w/.-]|$)"),
            format!(r"\b(?:eat\w*|fill\w*|frisst|füllt|taking|using up)(?: up)?(?: the| my| our)? {NAME}/?(?:[^\w/.-]|$)"),
        ]
        .iter()
        .filter_map(|p| Regex::new(p).ok())
        .collect()
    });
    let question = question.to_lowercase();
    let found = PATTERNS.iter().find_map(|p| p.captures(&question))?.name("name")?.as_str();
    if matches!(found, "root" | "rootfs") {
        return Some("/".into());
    }
    (found.len() < 1024 && !found.split('/').any(|p| p == "..")).then(|| format!("/{found}"))
}

/// "What now?", "is something wrong?", "explain this": questions that name no subject.
pub(crate) fn is_vague(message: &str) -> bool {
    const WORDS: [&str; 22] = [
        "next",
        "continue",
        "go on",
        "now what",
        "what now",
        "and now",
        "wrong",
        "what is this",
        "what's this",
        "help",
        "problem",
        "happen",
        "look",
        "status",
        "explain",
        "biggest",
        "largest",
        "summar",
        "this mean",
        "that mean",
        "was ist das",
        "was nun",
    ];
    let message = message.to_lowercase();
    message.len() < MAX_SHORT && (WORDS.iter().any(|w| message.contains(w)) || message.trim() == "?")
}

/// The user's word that a command printed nothing.
pub(crate) fn says_nothing(message: &str) -> bool {
    let word = message.trim().trim_end_matches(['.', '!']).to_lowercase();
    matches!(word.as_str(), "nothing" | "no output" | "none" | "empty" | "nothing came")
}

/// What needs an answer but is no question about the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Talk {
    Hello,
    Thanks,
    Fine,
    /// Who are you, what can you do.
    Who,
}

pub(crate) fn talk(message: &str) -> Option<Talk> {
    const HELLO: [&str; 10] =
        ["hello", "hi", "hey", "hallo", "hiya", "howdy", "moin", "servus", "greetings", "guten"];
    const THANKS: [&str; 8] = ["thanks", "thank", "thx", "ty", "danke", "dank", "merci", "cheers"];
    const FINE: [&str; 18] = [
        "ok",
        "okay",
        "k",
        "fine",
        "good",
        "great",
        "cool",
        "nice",
        "perfect",
        "alright",
        "gut",
        "super",
        "yes",
        "no",
        "sure",
        "understood",
        "bye",
        "done",
    ];
    const FILLING: [&str; 18] = [
        "you", "a", "lot", "so", "much", "very", "linus", "there", "again", "all", "morning", "evening",
        "tag", "morgen", "abend", "schön", "vielen", "got",
    ];
    const WHO: [&str; 10] = [
        "who are you",
        "what are you",
        "what can you",
        "what do you know",
        "what do you do",
        "are you an ai",
        "are you a model",
        "how do i use you",
        "wer bist du",
        "was kannst du",
    ];
    if message.len() >= MAX_SHORT {
        return None;
    }
    let message = message.to_lowercase();
    let words: Vec<&str> = message.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).collect();
    if WHO.iter().any(|w| words.join(" ").contains(w)) {
        return Some(Talk::Who);
    }
    let has = |known: &[&str]| words.iter().any(|w| known.contains(w));
    let is_known = |w: &&str| [&HELLO[..], &THANKS, &FINE, &FILLING].iter().any(|known| known.contains(w));
    match () {
        () if !words.iter().all(is_known) => None,
        () if has(&THANKS) => Some(Talk::Thanks),
        () if has(&HELLO) || words == ["good", "morning"] || words == ["linus"] => Some(Talk::Hello),
        // "ok?" asks whether something is.
        () if has(&FINE) && !message.contains('?') => Some(Talk::Fine),
        () => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_taken_from_a_question_as_people_write_it() {
        let path = |q| path_in(q);
        assert_eq!(path("hey linus, /var is full what's eating the space").as_deref(), Some("/var"));
        assert_eq!(path("why is `/var/log` full?").as_deref(), Some("/var/log"));
        assert_eq!(path("/home/ is full.").as_deref(), Some("/home"));
        assert_eq!(path("what fills / ?").as_deref(), Some("/"));
        assert_eq!(path("is it full and/or broken, 3/4").as_deref(), None);
        assert_eq!(path("/../etc").as_deref(), None);
    }

    #[test]
    fn a_mount_point_may_stand_without_its_slash() {
        for (question, path) in [
            ("var is full", "/var"),
            ("Var läuft voll", "/var"),
            ("why is var/log almost full", "/var/log"),
            ("root filesystem 100%", "/"),
            ("the root partition is full", "/"),
            ("tmp full", "/tmp"),
            ("boot: 100%", "/boot"),
            ("how full is home?", "/home"),
            ("no space left on var", "/var"),
            ("what is eating usr", "/usr"),
            ("warum ist var voll", "/var"),
            ("disk usage of home", "/home"),
        ] {
            assert_eq!(path_in(question).as_deref(), Some(path), "{question}");
        }
        for question in [
            "what is the root cause of the full disk",
            "disk full, as root user",
            "the server does not boot, the disk is full",
            "no space",
            "export var=full",
            "a variable is full",
            "var/../etc is full",
        ] {
            assert_eq!(path_in(question), None, "{question}");
        }
    }

    #[test]
    fn small_talk_is_told_from_questions() {
        for (message, said) in [
            ("hello", Some(Talk::Hello)),
            ("Hi Linus!", Some(Talk::Hello)),
            ("good morning", Some(Talk::Hello)),
            ("thanks!", Some(Talk::Thanks)),
            ("ok, thank you so much", Some(Talk::Thanks)),
            ("ok", Some(Talk::Fine)),
            ("Okay.", Some(Talk::Fine)),
            ("ok?", None),
            ("who are you?", Some(Talk::Who)),
            ("hello, my disk is full", None),
            ("ok so what now", None),
            ("", None),
            ("?", None),
        ] {
            assert_eq!(talk(message), said, "{message}");
        }
    }
}
