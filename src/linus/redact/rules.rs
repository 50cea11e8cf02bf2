//! The rules as data: reads `rules.txt`.
//!
//! | line | means |
//! |---|---|
//! | `token CLASS PATTERN` | a token that is known by its form (`pattern.rs`); behind `^` is the secret |
//! | `name CLASS any\|random NAME…` | names whose value is a secret; `*x`: that end in x, `x`: whose last part is x |
//! | `ending PART…` | last parts of a name that change nothing |
//! | `unless NAME…` | names that only look like one, without their punctuation |
//! | `value WORD…` | values that are no secret |
//! | `word CLASS WORD…` | words whose value follows after a blank; `+` is a blank |
//! | `phrase CLASS WORD…` | words of any language whose value follows after `:` or `=` |
//! | `likely CLASS WORD…` | the same in sentences; the value has a letter and a digit |
//! | `noun CLASS WORD…` | words for a secret in sentences (`sentence.rs`) |
//! | `coded CLASS WORD…` | words with a digit for the encoding between them and the value |
//! | `arg CLASS STYLE FLAG PROGRAM…` | an option of programs; STYLE as in [`Style`], `operandN`, `slashedN`; `+` is a blank in PROGRAM |
//! | `piped CLASS whole\|user WORDS` | a program that reads the secret from a pipe |

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind, StartKind};

use super::Class;
use super::name::Name;
use super::pattern::Pattern;

pub(super) static RULES: LazyLock<Rules> = LazyLock::new(|| Rules::read(include_str!("rules.txt")));

/// How sure a name's value has to look like a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wants {
    /// Any that is not known to be none.
    Any,
    Random,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    Next,
    Attached,
    User,
    Percent,
    Operand(usize),
    /// The same where options begin with `/`: the word is no word of a language.
    Slashed(usize),
    /// `user/password@service`.
    Slash,
    /// The next word that does not say how the value is written.
    Keyword,
}

#[derive(Debug)]
pub(super) struct Arg {
    pub(super) class: Class,
    pub(super) style: Style,
    pub(super) flag: &'static str,
}

/// What an anchor in the text may be the beginning of.
#[derive(Debug, Clone, Copy)]
pub(super) enum Lead {
    Token(usize),
    Name,
    Word(Class),
    Coded(Class),
    Likely(Class),
    Phrase(Class),
    Noun(Class),
    /// The program's options, by number.
    Program(usize),
    Piped(Class, bool),
    Url,
    /// `user:password@tcp(`.
    Dsn,
    Block,
    KeyEnd,
    Header,
    Kind,
    Sealed,
    Login(Login),
}

/// Which words of a login (`login.rs`).
#[derive(Debug, Clone, Copy)]
pub(super) enum Login {
    Basic,
    Plain,
    Asked,
    Imap,
    Pass,
    Redis,
    Access,
}

/// Parts of names: where one of them stands, a name is looked at.
const STEMS: [&str; 18] = [
    "sig", "pass", "pwd", "pw", "psk", "secret", "token", "key", "cred", "auth", "cookie", "session", "jwt",
    "bearer", "kennwort", "salt", "hmac", "totp",
];
/// The beginnings of what is not in the table: its grammar is code.
const FIXED: [(&str, Lead); 20] = [
    ("@tcp(", Lead::Dsn),
    ("@unix(", Lead::Dsn),
    ("-----END ", Lead::KeyEnd),
    ("://", Lead::Url),
    ("-----BEGIN ", Lead::Block),
    ("---- BEGIN SSH2 ENCRYPTED PRIVATE KEY", Lead::Block),
    ("PuTTY-User-Key-File-", Lead::Block),
    ("bearer ", Lead::Header),
    ("authorization", Lead::Header),
    ("cookie:", Lead::Header),
    ("kind", Lead::Kind),
    ("encrypteddata:", Lead::Sealed),
    ("basic ", Lead::Login(Login::Basic)),
    ("auth plain", Lead::Login(Login::Plain)),
    ("authenticate plain", Lead::Login(Login::Plain)),
    ("ugfzc3dvcmq6", Lead::Login(Login::Asked)),
    (" login ", Lead::Login(Login::Imap)),
    ("pass ", Lead::Login(Login::Pass)),
    ("> auth ", Lead::Login(Login::Redis)),
    (" on >", Lead::Login(Login::Access)),
];

#[derive(Debug)]
pub(super) struct Rules {
    pub(super) tokens: Vec<(Class, Pattern)>,
    /// By their last byte, like the names that only look like one.
    names: HashMap<u8, Vec<(Class, Wants, &'static str)>>,
    endings: HashSet<&'static str>,
    unless: HashMap<u8, Vec<&'static str>>,
    values: HashSet<&'static str>,
    pub(super) programs: Vec<Vec<Arg>>,
    /// `None` if they could not be read: then nothing may leave.
    anchors: Option<AhoCorasick>,
    leads: Vec<Lead>,
    /// Lines that could not be read; a test wants none.
    #[cfg(test)]
    pub(super) faults: Vec<&'static str>,
}

#[derive(Default)]
struct Reading {
    tokens: Vec<(Class, Pattern)>,
    names: Vec<(Class, Wants, &'static str)>,
    lists: [HashSet<&'static str>; 3],
    programs: Vec<(&'static str, Vec<Arg>)>,
    leads: Vec<(String, Lead)>,
    faults: Vec<&'static str>,
}

impl Rules {
    fn read(text: &'static str) -> Self {
        let mut reading = Reading::default();
        for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            if reading.line(line).is_none() {
                reading.faults.push(line);
            }
        }
        reading.finish()
    }

    /// Everything in the bytes that something may begin with, in the order of where it ends. Letters count as either
    /// case. `None` if the table is broken.
    pub(super) fn leads<'b>(
        &'b self,
        bytes: &'b [u8],
    ) -> Option<impl Iterator<Item = (usize, usize, Lead)> + 'b> {
        let hits = self.anchors.as_ref()?.find_overlapping_iter(bytes);
        Some(
            hits.filter_map(|hit| Some((hit.start(), hit.end(), *self.leads.get(hit.pattern().as_usize())?))),
        )
    }

    /// The class of a name's value, and what it takes for one.
    pub(super) fn name(&self, name: &Name) -> Option<(Class, Wants)> {
        let endings = name.parts().rev().take_while(|part| self.is_ending(part)).count();
        let (fused, last) = name.without(endings)?;
        let byte = fused.as_bytes().last()?;
        let is_like = |unless: &&str| fused == *unless || unless.len() > 8 && fused.ends_with(*unless);
        if self.unless.get(byte).is_some_and(|all| all.iter().any(is_like)) {
            return None;
        }
        let fits = |name: &str| name.strip_prefix('*').map_or(last == name, |end| fused.ends_with(end));
        let all = self.names.get(byte)?;
        all.iter().find(|(_, _, name)| fits(name)).map(|(class, wants, _)| (*class, *wants))
    }

    fn is_ending(&self, part: &str) -> bool {
        part.bytes().all(|b| b.is_ascii_digit()) || self.endings.contains(part)
    }

    /// Whether a value, in lower case, is a word that is no secret.
    pub(super) fn is_value(&self, word: &str) -> bool {
        self.values.contains(word)
    }
}

impl Reading {
    fn line(&mut self, line: &'static str) -> Option<()> {
        let (kind, rest) = line.split_once(' ')?;
        let mut words = rest.split_ascii_whitespace();
        match kind {
            "ending" => self.lists[0].extend(words),
            "unless" => self.lists[1].extend(words),
            "value" => self.lists[2].extend(words),
            "token" => {
                let class = words.next()?;
                let pattern = Pattern::parse(rest.strip_prefix(class)?.trim())?;
                self.lead(pattern.anchor(), Lead::Token(self.tokens.len()));
                self.tokens.push((class, pattern));
            }
            "name" => {
                let class = words.next()?;
                let wants = if words.next()? == "any" { Wants::Any } else { Wants::Random };
                self.names.extend(words.map(|name| (class, wants, name)));
            }
            "word" | "coded" | "likely" | "phrase" | "noun" => {
                let class = words.next()?;
                let lead = match kind {
                    "word" => Lead::Word(class),
                    "coded" => Lead::Coded(class),
                    "phrase" => Lead::Phrase(class),
                    "noun" => Lead::Noun(class),
                    _ => Lead::Likely(class),
                };
                words.for_each(|word| self.lead(word.replace('+', " ").as_bytes(), lead));
            }
            "arg" => self.arg(&mut words)?,
            "piped" => {
                let class = words.next()?;
                let is_user = words.next()? == "user";
                let phrase: Vec<&str> = words.collect();
                self.lead(phrase.join(" ").as_bytes(), Lead::Piped(class, is_user));
            }
            _ => return None,
        }
        Some(())
    }

    fn lead(&mut self, anchor: &[u8], lead: Lead) {
        self.leads.push((String::from_utf8_lossy(anchor).into_owned(), lead));
    }

    fn arg(&mut self, words: &mut std::str::SplitAsciiWhitespace<'static>) -> Option<()> {
        let class = words.next()?;
        let style = match words.next()? {
            "next" => Style::Next,
            "attached" => Style::Attached,
            "user" => Style::User,
            "percent" => Style::Percent,
            "slash" => Style::Slash,
            "keyword" => Style::Keyword,
            slashed if slashed.starts_with("slashed") => {
                Style::Slashed(slashed.strip_prefix("slashed")?.parse().ok()?)
            }
            operand => Style::Operand(operand.strip_prefix("operand")?.parse().ok()?),
        };
        let flag = words.next()?;
        for program in words {
            let arg = Arg { class, style, flag };
            match self.programs.iter_mut().find(|(name, _)| *name == program) {
                Some((_, args)) => args.push(arg),
                None => self.programs.push((program, vec![arg])),
            }
        }
        Some(())
    }

    fn finish(mut self) -> Rules {
        for (number, (program, _)) in self.programs.iter().enumerate() {
            self.leads.push((program.replace('+', " "), Lead::Program(number)));
        }
        self.leads.extend(STEMS.map(|stem| (stem.to_owned(), Lead::Name)));
        self.leads.extend(FIXED.map(|(anchor, lead)| (anchor.to_owned(), lead)));
        // The anchors are ours and few: this does not fail. If it did, nothing would leave.
        let anchors = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .match_kind(MatchKind::Standard)
            .start_kind(StartKind::Unanchored)
            .build(self.leads.iter().map(|(anchor, _)| anchor));
        let [endings, unless, values] = self.lists;
        Rules {
            tokens: self.tokens,
            names: by_last(self.names, |(_, _, name)| name),
            endings,
            unless: by_last(unless, |name| name),
            values,
            programs: self.programs.into_iter().map(|(_, args)| args).collect(),
            leads: self.leads.into_iter().map(|(_, lead)| lead).collect(),
            anchors: anchors.ok(),
            #[cfg(test)]
            faults: self.faults,
        }
    }
}

/// In their order, apart by the last byte of each one's name.
fn by_last<T>(all: impl IntoIterator<Item = T>, name: impl Fn(&T) -> &str) -> HashMap<u8, Vec<T>> {
    let mut apart: HashMap<u8, Vec<T>> = HashMap::new();
    for one in all {
        if let Some(last) = name(&one).bytes().last() {
            apart.entry(last).or_default().push(one);
        }
    }
    apart
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(name: &str) -> Option<(Class, Wants)> {
        RULES.name(&Name::new(name))
    }

    #[test]
    fn every_line_of_the_table_is_read() {
        assert_eq!(RULES.faults, Vec::<&str>::new());
        assert!(RULES.tokens.len() > 180 && RULES.programs.len() > 60);
    }

    #[test]
    fn names_are_known_by_their_end() {
        for any in [
            "password",
            "DB_PASSWORD",
            "spring.datasource.password",
            "userPass",
            "PGPASSWORD",
            "db-pass",
            "passwordHash",
            "MYSQL_PWD",
            "password2",
        ] {
            assert_eq!(name(any), Some(("password", Wants::Any)), "{any}");
        }
        assert_eq!(name("accessToken"), Some(("token", Wants::Random)));
        assert_eq!(name("AWS_SECRET_ACCESS_KEY"), Some(("api-key", Wants::Random)));
        for none in [
            "PasswordAuthentication",
            "password_file",
            "compass",
            "bypass",
            "max_tokens",
            "tokenizer",
            "csrf_token",
            "public_key",
            "keyboard",
            "PASS_MAX_DAYS",
            "monkey",
            "key",
            "secretName",
            "token_type",
        ] {
            assert_eq!(name(none), None, "{none}");
        }
    }
}
