//! A command without what can be changed and leaves it the same: blanks, quotes, the order of flags. To tell a repeat
//! from something new; never to decide what a command does.

/// A command for comparing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Normal {
    /// Simple commands and what stands between them.
    parts: Vec<Vec<String>>,
}

impl Normal {
    pub(super) fn of(command: &str) -> Self {
        let mut parts = vec![Vec::new()];
        for word in words(command) {
            let is_operator = word.quoted.is_none() && word.text.chars().all(|c| OPERATORS.contains(c));
            if is_operator {
                parts.push(vec![word.text]);
                parts.push(Vec::new());
            } else if let Some(part) = parts.last_mut() {
                part.push(word.text);
            }
        }
        parts.retain(|part| !part.is_empty());
        Self { parts: parts.into_iter().map(simple).collect() }
    }

    /// The same with `0` for every number: the step of a loop that only counts.
    pub(super) fn shape(&self) -> String {
        let mut shape = String::new();
        let all = self.parts.iter().map(|part| part.join(" ")).collect::<Vec<_>>().join("\n");
        for c in all.chars() {
            match c {
                '0'..='9' if shape.ends_with('0') => {}
                '0'..='9' => shape.push('0'),
                c => shape.push(c),
            }
        }
        shape
    }
}

const OPERATORS: &str = "|&;<>()\n";

/// A word as a shell would see it, without its quotes.
struct Word {
    text: String,
    /// Something of it was quoted.
    quoted: Option<char>,
}

/// Command name without its path, then flags one by one and sorted, each once, then the other words sorted. So
/// `diff a b` and `diff b a` count as one: telling more apart would let more loops through.
fn simple(words: Vec<String>) -> Vec<String> {
    let mut words = words.into_iter();
    let Some(name) = words.next() else { return Vec::new() };
    let name = name.rsplit('/').next().filter(|n| !n.is_empty()).unwrap_or(&name).to_owned();
    let (flags, mut others): (Vec<String>, Vec<String>) =
        words.partition(|w| w.len() > 1 && w.starts_with('-'));
    let mut flags: Vec<String> = flags.iter().flat_map(|flag| letters(flag)).collect();
    flags.sort();
    flags.dedup();
    others.sort();
    [vec![name], flags, others].concat()
}

/// `-la` is `-a -l`; a long option and a number stay whole.
fn letters(flag: &str) -> Vec<String> {
    let cluster = flag.strip_prefix('-').filter(|rest| rest.chars().all(|c| c.is_ascii_alphabetic()));
    match cluster {
        Some(rest) => rest.chars().map(|c| format!("-{c}")).collect(),
        None => vec![flag.to_owned()],
    }
}

fn words(command: &str) -> Vec<Word> {
    let mut out: Vec<Word> = Vec::new();
    let mut word: Option<Word> = None;
    let mut quote = None;
    let mut chars = command.trim().chars().peekable();
    let end = |word: &mut Option<Word>, out: &mut Vec<Word>| out.extend(word.take());
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(q), c) if c == q => quote = None,
            (Some('"') | None, '\\') => push(&mut word, chars.next().unwrap_or('\\'), Some('\\')),
            (Some(q), c) => push(&mut word, c, Some(q)),
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert(Word { text: String::new(), quoted: None }).quoted = Some(c);
            }
            (None, '#') if word.is_none() => while chars.next_if(|c| *c != '\n').is_some() {},
            (None, c) if OPERATORS.contains(c) => {
                end(&mut word, &mut out);
                let mut text = c.to_string();
                while let Some(more) = chars.next_if_eq(&c) {
                    text.push(more);
                }
                out.push(Word { text, quoted: None });
            }
            (None, c) if c.is_whitespace() => end(&mut word, &mut out),
            (None, c) => push(&mut word, c, None),
        }
    }
    end(&mut word, &mut out);
    // What only ends a line is no part of it.
    while out.last().is_some_and(|w| w.quoted.is_none() && matches!(w.text.as_str(), ";" | "\n")) {
        out.pop();
    }
    out
}

fn push(word: &mut Option<Word>, c: char, quoted: Option<char>) {
    let word = word.get_or_insert(Word { text: String::new(), quoted: None });
    word.text.push(c);
    word.quoted = quoted.or(word.quoted);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_quotes_flag_order_paths_and_comments_make_no_other_command() {
        let same: &[&[&str]] = &[
            &[
                "df -h /var",
                "df  -h   /var ",
                "df /var -h",
                "df -h '/var'",
                "/bin/df -h \"/var\"",
                "d''f -h /v\\ar",
            ],
            &[
                "ls -la /x",
                "ls -al /x",
                "ls -l -a /x",
                "ls -a /x -l",
                "ls -lal /x",
                "ls -la /x # again",
                "ls -la /x;",
            ],
            &["ps aux | sort -rn -k3", "ps  aux|sort -nr -k3", "ps 'aux' | sort -k3 -rn"],
            &["du --max-depth=1 -h /", "du -h --max-depth=1 /"],
        ];
        for group in same {
            for other in *group {
                assert_eq!(Normal::of(other), Normal::of(group[0]), "{other}");
            }
        }
    }

    #[test]
    fn other_words_make_another_command() {
        let different = [
            "df -h /var",
            "df -h /srv",
            "df -i /var",
            "ls /var",
            "ls '/var /srv'",
            "ls /var /srv",
            "ls /var | wc",
            "ls /var; wc",
            "ls '|' wc",
            "head -n 5 f",
            "head -n 6 f",
            "",
            "tail -5 f",
        ];
        for (at, one) in different.iter().enumerate() {
            for other in &different[at + 1..] {
                assert_ne!(Normal::of(one), Normal::of(other), "{one} / {other}");
            }
        }
    }

    #[test]
    fn the_shape_leaves_numbers_out() {
        assert_eq!(Normal::of("head -n 5 a1").shape(), Normal::of("head -n 17 a2").shape());
        assert_ne!(Normal::of("head -n 5 a").shape(), Normal::of("head -n 5 b").shape());
    }

    #[test]
    fn random_texts_never_panic() {
        let mut seed = 9_u64;
        let alphabet = "ab '\"\\|;&<>()#-/0\n\u{e9}$`";
        let chars: Vec<char> = alphabet.chars().collect();
        for _ in 0..20_000 {
            let text: String = (0..12)
                .map(|_| {
                    seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    chars[(seed >> 33) as usize % chars.len()]
                })
                .collect();
            let normal = Normal::of(&text);
            assert_eq!(normal, Normal::of(&format!("  {text} ")), "{text:?}");
        }
    }
}
