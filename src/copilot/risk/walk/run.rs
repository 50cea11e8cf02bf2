//! What is wrapped in a command: another command, a line for a shell, a program in a small language.

use super::super::args::Args;
use super::super::shell::{Tongue, UNKNOWN, Word};
use super::super::verdict::{Class, Finding};
use super::super::{Syntax, device};
use super::{Place, Walker, code};
use crate::linus::contract::Risk;

/// The methods that a rule's `run` can name.
#[cfg(test)]
pub(in super::super) const METHODS: &[&str] = &[
    "argv",
    "first",
    "assigned",
    "xargs",
    "line",
    "option",
    "stdin",
    "find",
    "after",
    "sed",
    "awk",
    "sql",
    "code",
    "assignments",
    "alias",
    "remote",
    "docker",
    "leaves",
    "script",
    "tail",
    "router",
    "device",
];

impl Walker {
    pub(super) fn run(
        &mut self,
        method: &str,
        argument: &str,
        name: &str,
        args: &Args<'_>,
        place: Place<'_>,
    ) {
        let nth = || argument.parse::<usize>().unwrap_or_default();
        match method {
            "argv" => self.words(operands_from(args, nth()), place),
            "first" => operands_from(args, 0).iter().take(1).for_each(|word| self.inner_line(&word.text)),
            "assigned" => self.assigned(operands_from(args, nth()), place),
            "xargs" => {
                self.command(operands_from(args, nth()), Place { more_words: true, piped: false, ..place })
            }
            "line" => self.joined(operands_from(args, nth())),
            "remote" => self.remote(operands_from(args, nth())),
            "option" => args.values(argument).for_each(|line| self.line_of(line, args)),
            "tail" => args.values(argument).for_each(|value| self.inner_line(tail(value))),
            "leaves" => self.input_leaves(name, place),
            "script" => self.script_file(args),
            "router" => args.values(argument).for_each(|line| self.on_device(line, Syntax::Frr)),
            "device" => {
                let words: Vec<&str> = args.all.iter().map(|word| word.text.as_str()).collect();
                self.on_device(&format!("{name} {}", words.join(" ")), Syntax::Ios);
            }
            "stdin" => self.standard_input(name, place),
            "find" => self.find(args, place),
            "after" => self.after_dashes(args, nth(), place),
            "docker" => self.command(args.all.get(first_after(args, nth())..).unwrap_or_default(), place),
            "sed" => self.sed(args),
            "awk" => self.awk(args),
            "sql" => self.sql(argument, name, args, place),
            "code" => args.values(argument).for_each(|text| self.code(name, text, args)),
            "assignments" => self.assignments(args),
            "alias" => self.aliases(args),
            _ => self.unknown(format!("{name}: not known here")),
        }
    }

    /// A command's words, or `-c LINE` as `flock FILE -c LINE` has it.
    fn words(&mut self, words: &[Word], place: Place<'_>) {
        match words {
            [option, line] if option.text == "-c" => self.inner_line(&line.text),
            _ => self.command(words, place),
        }
    }

    /// `sudo A=b command`, `env -u X A=b command`.
    fn assigned(&mut self, words: &[Word], place: Place<'_>) {
        let is_assignment = |word: &&Word| word.text.split_once('=').is_some_and(|(name, _)| is_name(name));
        let count = words.iter().take_while(is_assignment).count();
        self.assignment_words(&words[..count]);
        self.command(&words[count..], place);
    }

    fn assignment_words(&mut self, words: &[Word]) {
        for word in words {
            if let Some((name, value)) = word.text.split_once('=') {
                let value = Word { text: value.to_owned(), ..word.clone() };
                self.assignment(name, &value);
            }
        }
    }

    /// The words of `export`, `declare` and the like.
    fn assignments(&mut self, args: &Args<'_>) {
        let words: Vec<Word> = args.operands.iter().map(|word| (*word).clone()).collect();
        self.assignment_words(&words);
    }

    /// An alias is judged as if it were used at once.
    fn aliases(&mut self, args: &Args<'_>) {
        for word in &args.operands {
            if let Some((_, line)) = word.text.split_once('=') {
                self.inner_line(line);
            }
        }
    }

    /// A line in an option's value; what a command prints in it is a program that nobody has read.
    fn line_of(&mut self, line: &str, args: &Args<'_>) {
        if line.contains(UNKNOWN) && args.all.iter().any(|word| word.substituted) {
            self.runs_output();
        }
        self.inner_line(line);
    }

    fn runs_output(&mut self) {
        self.found(Finding::new(Class::Unknown, "runs what another command prints").at(Risk::High));
    }

    fn script_file(&mut self, args: &Args<'_>) {
        if args.operands.first().is_some_and(|word| word.substituted) {
            self.runs_output();
        }
    }

    /// What is given to it goes over the network.
    fn input_leaves(&mut self, name: &str, place: Place<'_>) {
        // `echo | openssl s_client` only ends its input.
        let nothing = place.echoed.is_some_and(|text| text.trim().is_empty());
        if place.piped && !nothing || place.from_file || place.here.is_some() {
            let reason = format!("{name}: what it is given leaves the machine");
            self.found(Finding::new(Class::Egress, reason).at(Risk::High));
        }
    }

    fn on_device(&mut self, line: &str, syntax: Syntax) {
        self.findings.extend(device::findings(line, syntax));
    }

    fn code(&mut self, name: &str, text: &str, args: &Args<'_>) {
        if text.contains(UNKNOWN) && args.all.iter().any(|word| word.substituted) {
            self.runs_output();
        }
        let found = code::program(name, text);
        let runs = found.iter().any(|f| f.classes.has(Class::Unknown) && f.level == Risk::High);
        self.findings.extend(found);
        if runs {
            self.strings(text);
        }
    }

    /// The texts in a program that runs commands may be those commands. Only what is grave in them counts.
    fn strings(&mut self, program: &str) {
        let before = self.findings.len();
        for text in code::strings(program) {
            self.line(text);
        }
        let inside = self.findings.split_off(before);
        let grave = |finding: &Finding| finding.level == Risk::High && !finding.classes.has(Class::Unknown);
        self.findings.extend(inside.into_iter().filter(grave));
    }

    /// A line in a word: a shell reads it once more.
    fn inner_line(&mut self, line: &str) {
        if line.contains(UNKNOWN) {
            self.unknown("part of what runs is only known to the remote");
        }
        self.line(line);
    }

    fn joined(&mut self, words: &[Word]) {
        // ssh and parallel take a `--` here, which is theirs.
        let words = words.strip_prefix(&[Word::plain("--")]).unwrap_or(words);
        if words.iter().any(|word| word.substituted) {
            self.runs_output();
        }
        if !words.is_empty() {
            let line: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
            self.inner_line(&line.join(" "));
        }
    }

    /// A line for a shell on another machine, whose language is the common one.
    fn remote(&mut self, words: &[Word]) {
        let tongue = std::mem::replace(&mut self.tongue, Tongue::Posix);
        self.joined(words);
        self.tongue = tongue;
    }

    /// A shell without a script: it runs what it is given.
    fn standard_input(&mut self, name: &str, place: Place<'_>) {
        match place.here {
            Some(text) => {
                let text = text.text.clone();
                self.inner_line(&text);
            }
            None if place.piped => {
                let reason = format!("{name}: runs whatever comes through the pipe");
                self.found(Finding::new(Class::Unknown, reason).at(Risk::High));
                if let Some(text) = place.echoed {
                    self.inner_line(text);
                }
            }
            None => self.unknown(format!("{name}: opens another shell")),
        }
    }

    /// `-exec … ;` and its kin; the found paths are put in.
    fn find(&mut self, args: &Args<'_>, place: Place<'_>) {
        const EXEC: &[&str] = &["-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch"];
        let mut words = args.all;
        while let Some(at) = words.iter().position(|word| EXEC.contains(&word.text.as_str())) {
            let rest = &words[at + 1..];
            let end = rest.iter().position(|word| word.text == ";" || word.text == "+").unwrap_or(rest.len());
            self.command(&rest[..end], Place { piped: false, ..place });
            words = &rest[end..];
        }
    }

    /// `kubectl exec pod -- command`; without the dashes, from the nth operand on.
    fn after_dashes(&mut self, args: &Args<'_>, nth: usize, place: Place<'_>) {
        match args.all.iter().position(|word| word.text == "--") {
            Some(at) => self.command(&args.all[at + 1..], place),
            None => self.command(args.all.get(first_after(args, nth)..).unwrap_or_default(), place),
        }
    }

    fn sed(&mut self, args: &Args<'_>) {
        let scripts: Vec<String> = args.values("-e|--expression").map(str::to_owned).collect();
        let from_file = args.values("-f|--file").next().is_some();
        let first = args.operands.first().map(|word| word.text.clone());
        let scripts = if scripts.is_empty() && !from_file { first.into_iter().collect() } else { scripts };
        for script in scripts {
            for act in code::sed(&script) {
                match act {
                    code::SedAct::Found(finding) => self.found(finding),
                    code::SedAct::Writes(path) => self.writes(&path),
                    code::SedAct::Runs(line) => self.inner_line(&line),
                }
            }
        }
    }

    fn awk(&mut self, args: &Args<'_>) {
        let program = args.operands.first().map(|word| word.text.clone()).unwrap_or_default();
        let found = code::awk(&program);
        let runs = found.iter().any(|finding| finding.level == Risk::High);
        self.findings.extend(found);
        if runs {
            self.strings(&program);
        }
    }

    fn sql(&mut self, options: &str, name: &str, args: &Args<'_>, place: Place<'_>) {
        let mut texts: Vec<String> = args.values(options).map(str::to_owned).collect();
        if let Some(nth) = options.strip_prefix('#').and_then(|nth| nth.parse::<usize>().ok()) {
            texts.extend(args.operands.get(nth).map(|word| word.text.clone()));
        }
        texts.extend(place.here.map(|word| word.text.clone()));
        for text in texts.iter().map(String::as_str).chain(place.echoed) {
            self.findings.extend(code::sql(name, text));
            if let Some(line) = code::sql_escape(text) {
                self.inner_line(line);
            }
        }
        if texts.is_empty() {
            self.unknown(match place.piped {
                true => format!("{name}: runs the statements that come through the pipe"),
                false => format!("{name}: opens a database shell"),
            });
        }
    }
}

/// `core.pager=LINE`, `alias.x=!LINE`, `exec=LINE`, `:!LINE`, `LINE`.
fn tail(value: &str) -> &str {
    let is_key = |key: &str| key.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_'));
    let line = value.split_once('=').filter(|(key, _)| is_key(key)).map_or(value, |(_, line)| line);
    line.trim_start_matches([':', '!'])
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// The words from the nth operand on, where options end at the first.
fn operands_from<'a>(args: &Args<'a>, nth: usize) -> &'a [Word] {
    args.all.get(args.first_operand + nth..).unwrap_or_default()
}

/// Where the nth operand stands among all words.
fn first_after(args: &Args<'_>, nth: usize) -> usize {
    let wanted = args.operands.get(nth);
    wanted.and_then(|word| args.all.iter().position(|w| std::ptr::eq(w, *word))).unwrap_or(args.all.len())
}
