//! Reads what a Rust source file of this crate imports from the crate's other files.
//!
//! A reader of tokens, not a compiler: it knows comments, strings, `use` trees, inline modules and paths that
//! start at `crate`, `super`, `self` or a child module. Test code (`#[cfg(test)]`) is left out: the rules are
//! about the program.

use std::collections::BTreeSet;

/// A path from the crate's root, without `crate`: `crate::shell::State` is `["shell", "State"]`.
pub(crate) type Path = Vec<String>;

/// What one file says.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Source {
    /// Every path into the crate that the file names.
    pub(crate) imports: BTreeSet<Path>,
    /// Names that `use` brings in, and where they are from: others may import them from here, children even if
    /// the `use` is private.
    pub(crate) exports: Vec<(String, Path)>,
}

/// Reads the file of module `module`; `children` are its child modules that are files of their own.
pub(crate) fn read(text: &str, module: &[String], children: &[String]) -> Source {
    let tokens = drop_tests(&tokens(text));
    let mut reader = Reader { tokens: &tokens, at: 0, module, children, source: Source::default() };
    reader.run();
    reader.source
}

/// Identifiers and single punctuation characters; `::` is one token. Comments and literals are gone.
fn tokens(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    let at = |i: usize| chars.get(i).copied().unwrap_or('\0');
    let mut tokens = Vec::new();
    let mut i = 0;
    while i < chars.len() {
        let c = chars[i];
        if c == '/' && at(i + 1) == '/' {
            i = find(&chars, i, &['\n']);
        } else if c == '/' && at(i + 1) == '*' {
            i = skip_block_comment(&chars, i);
        } else if c == '"' {
            i = skip_string(&chars, i);
        } else if c == '\'' {
            i = skip_char_or_lifetime(&chars, i);
        } else if c == '_' || c.is_alphanumeric() {
            let end = (i..).find(|&j| at(j) != '_' && !at(j).is_alphanumeric()).unwrap_or(chars.len());
            let word: String = chars[i..end].iter().collect();
            i = match raw_string_end(&chars, &word, end) {
                Some(end) => end,
                None => {
                    tokens.push(word);
                    end
                }
            };
        } else {
            let double = c == ':' && at(i + 1) == ':';
            if !c.is_whitespace() {
                tokens.push(if double { "::".to_owned() } else { c.to_string() });
            }
            i += if double { 2 } else { 1 };
        }
    }
    tokens
}

fn find(chars: &[char], from: usize, wanted: &[char]) -> usize {
    let found = chars.get(from..).and_then(|rest| rest.windows(wanted.len()).position(|part| part == wanted));
    found.map_or(chars.len(), |offset| from + offset)
}

fn skip_block_comment(chars: &[char], start: usize) -> usize {
    let mut depth = 0;
    let mut i = start;
    while i < chars.len() {
        match (chars[i], chars.get(i + 1)) {
            ('/', Some('*')) => (depth, i) = (depth + 1, i + 2),
            ('*', Some('/')) if depth == 1 => return i + 2,
            ('*', Some('/')) => (depth, i) = (depth - 1, i + 2),
            _ => i += 1,
        }
    }
    i
}

fn skip_string(chars: &[char], start: usize) -> usize {
    let mut i = start + 1;
    while i < chars.len() {
        match chars[i] {
            '\\' => i += 2,
            '"' => return i + 1,
            _ => i += 1,
        }
    }
    i
}

fn skip_char_or_lifetime(chars: &[char], start: usize) -> usize {
    match (chars.get(start + 1), chars.get(start + 2)) {
        (Some('\\'), _) => find(chars, start + 3, &['\'']) + 1,
        (Some(_), Some('\'')) => start + 3,
        _ => start + 1,
    }
}

/// Where the raw string ends whose prefix is `word`, if it is one.
fn raw_string_end(chars: &[char], word: &str, after: usize) -> Option<usize> {
    if !matches!(word, "r" | "br" | "cr") {
        return None;
    }
    let hashes = chars.get(after..)?.iter().take_while(|&&c| c == '#').count();
    if chars.get(after + hashes) != Some(&'"') {
        return None;
    }
    let mut close = vec!['"'];
    close.extend(std::iter::repeat_n('#', hashes));
    Some(find(chars, after + hashes + 1, &close) + close.len())
}

/// Leaves out each item after `#[cfg(test)]`, to the end of its block or its semicolon.
fn drop_tests(tokens: &[String]) -> Vec<String> {
    const MARK: [&str; 7] = ["#", "[", "cfg", "(", "test", ")", "]"];
    let mut kept = Vec::new();
    let mut i = 0;
    while i < tokens.len() {
        let marked = tokens.get(i..i + MARK.len()).is_some_and(|part| part == MARK);
        if marked {
            i = end_of_item(tokens, i + MARK.len());
        } else {
            kept.push(tokens[i].clone());
            i += 1;
        }
    }
    kept
}

fn end_of_item(tokens: &[String], from: usize) -> usize {
    let mut depth = 0;
    for (i, token) in tokens.iter().enumerate().skip(from) {
        match token.as_str() {
            "{" | "(" | "[" => depth += 1,
            ")" | "]" => depth -= 1,
            "}" => {
                depth -= 1;
                if depth == 0 {
                    return i + 1;
                }
            }
            ";" if depth == 0 => return i + 1,
            _ => {}
        }
    }
    tokens.len()
}

struct Reader<'a> {
    tokens: &'a [String],
    at: usize,
    module: &'a [String],
    children: &'a [String],
    source: Source,
}

impl Reader<'_> {
    fn run(&mut self) {
        // Inline modules that are open here, and the brace depth at which each was opened.
        let mut inline: Vec<(usize, String)> = Vec::new();
        let mut depth = 0;
        while self.at < self.tokens.len() {
            match self.peek(0) {
                "{" => depth += 1,
                "}" => {
                    depth -= 1;
                    inline.retain(|&(opened, _)| opened < depth + 1);
                }
                "mod" if self.peek(2) == "{" => inline.push((depth + 1, self.peek(1).to_owned())),
                "use" => {
                    let here = self.here(&inline);
                    self.at += 1;
                    self.read_tree(&here, &Vec::new(), true);
                    continue;
                }
                _ if self.starts_path() => {
                    let here = self.here(&inline);
                    self.read_path(&here);
                    continue;
                }
                _ => {}
            }
            self.at += 1;
        }
    }

    fn peek(&self, ahead: usize) -> &str {
        self.tokens.get(self.at + ahead).map_or("", String::as_str)
    }

    fn here(&self, inline: &[(usize, String)]) -> Path {
        self.module.iter().chain(inline.iter().map(|(_, name)| name)).cloned().collect()
    }

    fn starts_path(&self) -> bool {
        let first = self.peek(0);
        let after_path =
            self.at > 0 && matches!(self.tokens[self.at - 1].as_str(), "::" | "." | "mod" | "fn");
        let ours = matches!(first, "crate" | "super" | "self") || self.children.iter().any(|c| c == first);
        !after_path && ours && self.peek(1) == "::"
    }

    fn read_path(&mut self, here: &[String]) {
        let mut path = vec![self.peek(0).to_owned()];
        self.at += 1;
        while self.peek(0) == "::" && is_name(self.peek(1)) {
            path.push(self.peek(1).to_owned());
            self.at += 2;
        }
        self.keep(here, &path, None);
    }

    /// One `use` tree after `prefix`, to its `;`, `,` or `}`.
    fn read_tree(&mut self, here: &[String], prefix: &Path, first: bool) {
        let mut path = prefix.clone();
        loop {
            let token = self.peek(0).to_owned();
            match token.as_str() {
                "::" => self.at += 1,
                "{" => {
                    self.at += 1;
                    while !matches!(self.peek(0), "}" | "") {
                        self.read_tree(here, &path, false);
                        if self.peek(0) == "," {
                            self.at += 1;
                        }
                    }
                    self.at += 1;
                    break;
                }
                "as" => {
                    let name = self.peek(1).to_owned();
                    self.at += 2;
                    self.keep(here, &path, Some(name.as_str()));
                    break;
                }
                ";" | "," | "}" | "" => {
                    let name = path.last().cloned().unwrap_or_default();
                    self.keep(here, &path, Some(name.as_str()));
                    break;
                }
                // `use a::{self}` is `a` itself.
                "self" if !path.is_empty() => self.at += 1,
                _ => {
                    path.push(token);
                    self.at += 1;
                }
            }
        }
        if first && self.peek(0) == ";" {
            self.at += 1;
        }
    }

    /// Records a path as written, if it leads into this crate.
    fn keep(&mut self, here: &[String], path: &[String], export: Option<&str>) {
        let Some(absolute) = self.resolve(here, path) else { return };
        if let Some(name) = export {
            self.source.exports.push((name.to_owned(), absolute.clone()));
        }
        self.source.imports.insert(absolute);
    }

    fn resolve(&self, here: &[String], path: &[String]) -> Option<Path> {
        let first = path.first()?.as_str();
        let mut base = match first {
            "crate" => Vec::new(),
            "self" | "super" => here.to_vec(),
            child if self.children.iter().any(|c| c == child) && here == self.module => here.to_vec(),
            _ => return None,
        };
        for step in path {
            match step.as_str() {
                "crate" | "self" => {}
                "super" => drop(base.pop()),
                name => base.push(name.to_owned()),
            }
        }
        Some(base)
    }
}

fn is_name(token: &str) -> bool {
    token.starts_with(|c: char| c == '_' || c.is_alphabetic())
}
