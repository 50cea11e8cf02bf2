//! Configuration files by chance: what aissh decides for a host of theirs, and what ssh then does.

use std::ffi::OsString;
use std::fs;
use std::path::Path;

use aissh::ssh::{ConfigSays, Facts, Invocation, Places, Plan, Reason, RequestTty, decide};

use crate::fuzz::{Case, Random};
use crate::lines::{expect, same};
use crate::oracle::{Oracle, Wish};
use crate::terminal;

/// HOME and what a Match runs; the file that says that it was run.
const HOME: &str = "@HOME@";
const RAN: &str = "ran";

/// Files, below HOME. The first is given by `-F`, the others have to be included.
const NAMES: &[&str] = &[
    "config",
    ".ssh/config.d/10-a.conf",
    ".ssh/config.d/b",
    ".ssh/config.d/.hidden",
    ".ssh/with blank/c",
    ".ssh/rel",
    ".ssh/%d",
    ".ssh/${CARGO_PKG_NAME}",
    ".ssh/aissh",
    "other/[x]",
    "other/deep/er/y",
    // A directory where a file may be expected.
    ".ssh/config.d/dir/z",
];

const INCLUDES: &[&str] = &[
    "config.d/*",
    "config.d/*.conf",
    "config.d/[0-9]*",
    "config.d/?",
    "config.d/.h*",
    "config.d",
    "con*.d/b absent",
    "\"with blank/*\"",
    "with\\ blank/c",
    "'with blank/c'",
    "rel",
    "./rel",
    "~/.ssh/rel",
    "\"~/.ssh/rel\"",
    "@HOME@/.ssh/rel",
    "~no-such-user/rel",
    "~root/no-such-file",
    "${CARGO_PKG_NAME}",
    "./${CARGO_PKG_NAME}",
    "${NO_SUCH_VARIABLE}/rel",
    "%d",
    "%d/.ssh/rel",
    "%%d",
    "@HOME@/other/\\[x\\]",
    "@HOME@/other/[[]x]",
    "@HOME@/other/*/*/y",
    "@HOME@//other/deep/../deep/er/y",
    "absent",
    "@HOME@/config",
    "rel # absent",
    "rel\\",
    "\"rel",
    "",
];

const HOSTS: &[&str] =
    &["*", "a", "a b", "!a *", "?", "\"a\"", "b*", "a,b", "\"a b\"", "* # RequestTTY no", "!*", "exec"];

const MATCHES: &[&str] = &[
    "all",
    "host a",
    "host=a",
    "!host a",
    "host a,b",
    "originalhost \"a\"",
    "user nobody",
    "user exec",
    "localuser root",
    "final",
    "canonical",
    "host a final",
    "all # exec true",
    "exec \"@RUN@\"",
    "EXEC '@RUN@'",
    "exec=\"@RUN@\"",
    "!exec \"@RUN@\"",
    "host a exec \"@RUN@\"",
    "host=a exec=@TOUCH@",
    "host \"a\"exec @TOUCH@",
    "user nobody=exec @TOUCH@",
    "!user nobody=exec @TOUCH@",
    "e\"xec\" @TOUCH@",
    "\\\"exec @TOUCH@",
    "host \"a exec @TOUCH@",
    "",
];

/// What decides about the terminal, and what does not.
const SETTINGS: &[(&str, &[&str])] = &[
    ("requesttty", &["no", "yes", "auto", "force", "\"no\"", "'yes'", "no # x", "maybe"]),
    ("sessiontype", &["none", "default", "subsystem"]),
    ("stdinnull", &["yes", "no"]),
    ("forkafterauthentication", &["yes", "no"]),
    ("remotecommand", &["top", "none", "\"a b\" # c"]),
    ("user", &["requesttty", "\"RequestTTY no\"", "u"]),
    ("port", &["22"]),
    ("setenv", &["RequestTTY=no", "\"A=RemoteCommand x\""]),
    ("escapechar", &["none"]),
    ("ignoreunknown", &["nosuch*"]),
    ("nosuchoption", &["RequestTTY no"]),
];

const BEFORE: &[&str] = &["", "", "", " ", "\t", " \t ", "=", "# ", "#"];
const BETWEEN: &[&str] = &[" ", " ", "  ", "\t", "=", " = ", "= ", "\t=\t", "==", " =="];
const AFTER: &[&str] = &["", "", "", " ", "\t", "\r", " \r", "\u{c}", "\0", "\0x", " # x", " \\"];

/// Files with their lines, and a command line.
#[derive(Clone, Debug)]
pub(crate) struct Configs {
    files: Vec<(&'static str, Vec<String>)>,
    args: Vec<&'static str>,
}

fn line(random: &mut Random) -> String {
    let (key, value) = match random.below(8) {
        0..=1 => ("include", random.pick(INCLUDES)),
        2 => ("host", random.pick(HOSTS)),
        3 => ("match", random.pick(MATCHES)),
        _ => {
            let (key, values) = SETTINGS[random.below(SETTINGS.len())];
            (key, random.pick(values))
        }
    };
    let key = random.odd_case(key);
    let key = match random.below(16) {
        0 => format!("\"{key}\""),
        1 => format!("{}\"{}\"", &key[..2], &key[2..]),
        2 => format!("\"{}", key),
        _ => key,
    };
    // Plain ones must be many, as one bad line is the end of all.
    let odd = random.once_in(3);
    let mut around = |list: &[&'static str]| if odd { random.pick(list) } else { list[0] };
    format!("{}{key}{}{value}{}", around(BEFORE), around(BETWEEN), around(AFTER))
}

impl Case for Configs {
    fn generate(random: &mut Random) -> Self {
        let mut files = Vec::new();
        for (at, name) in NAMES.iter().enumerate() {
            if at == 0 || random.once_in(2) {
                let lines = (0..random.below(if at == 0 { 5 } else { 3 })).map(|_| line(random)).collect();
                files.push((*name, lines));
            }
        }
        let host = random.pick(&["a", "b", "B", "c"]);
        let mut args = vec!["-F", "@HOME@/config"];
        args.extend(
            random.pick(&["", "", "-t", "-tt", "-oRequestTTY=auto", "-oUser=nobody"]).split_terminator(' '),
        );
        args.push(host);
        args.extend(random.pick(&["", "", "ls -l"]).split_terminator(' '));
        Self { files, args }
    }

    fn smaller(&self) -> Vec<Self> {
        let mut all = Vec::new();
        for (at, (_, lines)) in self.files.iter().enumerate() {
            if at > 0 {
                let mut less = self.clone();
                less.files.remove(at);
                all.push(less);
            }
            for number in 0..lines.len() {
                let mut less = self.clone();
                less.files[at].1.remove(number);
                all.push(less);
            }
        }
        for at in 2..self.args.len() {
            let mut less = self.clone();
            less.args.remove(at);
            all.push(less);
        }
        all
    }

    fn check(&self, oracle: &Oracle) -> Result<&'static str, String> {
        let home = oracle.dir();
        let ran = home.join(RAN);
        self.write(home);
        let args: Vec<OsString> = self.args.iter().map(|arg| fill(arg, home).into()).collect();
        let inv = Invocation::parse(&args);
        let places = Places { account_home: home.into(), home: home.into(), system: Vec::new() };
        let ask = || ConfigSays::ask(oracle.asked(), &args, &inv, &places);
        let plan = decide(&inv, &terminal(), ask);
        expect(!ran.exists(), "deciding ran what a Match has")?;
        let answer = oracle.resolve(&args);
        expect(
            !ran.exists() || aissh::ssh::config_scan::scan(&inv, &places).has_match_exec,
            "an unseen exec",
        )?;
        if !answer.resolved() {
            return Ok("refused by ssh");
        }
        if matches!(plan, Plan::Become(Reason::MatchExec | Reason::Command)) && inv.request_tty.is_none() {
            // With no answer of -G, or one that was not needed.
            return Ok("left to ssh");
        }
        self.check_wish(&args, plan, &Facts::parse(answer.stdout.as_bytes()), oracle)
    }
}

impl Configs {
    fn write(&self, home: &Path) {
        for name in [".ssh", "other"] {
            let _ = fs::remove_dir_all(home.join(name));
        }
        let _ = fs::remove_file(home.join(RAN));
        for (name, lines) in &self.files {
            let path = home.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, fill(&lines.join("\n"), home)).unwrap();
        }
    }

    fn check_wish(
        &self,
        args: &[OsString],
        plan: Plan,
        facts: &Facts,
        oracle: &Oracle,
    ) -> Result<&'static str, String> {
        let wish = oracle.wish(args);
        let Wish::Session { tty, subsystem, .. } = wish else {
            expect(plan != Plan::Wrap, "ssh asks for nothing")?;
            return Ok("asked for nothing");
        };
        let quiet = facts.stdin_null == Some(true);
        if plan == Plan::Wrap {
            let fork = facts.fork_after_authentication == Some(true);
            expect(
                tty && !subsystem && !fork && !quiet,
                &format!("wrapped, but ssh wants {wish:?}, {facts:?}"),
            )?;
            return Ok("wrapped");
        }
        let want = match plan {
            Plan::Become(Reason::NoTty | Reason::NoSession | Reason::Command) => false,
            Plan::Become(Reason::StdinNull) => facts.request_tty == Some(RequestTty::Force),
            Plan::Become(Reason::MatchExec) => return Ok("left to ssh"),
            // Whatever else became ssh must have had its reason.
            Plan::Become(Reason::Fork | Reason::Subsystem) => tty,
            _ => return Err(format!("{plan:?}, but ssh has an answer")),
        };
        same("a terminal", &want, &tty)?;
        Ok("not wrapped")
    }
}

fn fill(text: &str, home: &Path) -> String {
    let home = home.to_str().unwrap();
    let touch = format!("touch\\ {home}/{RAN}");
    text.replace("@RUN@", &format!("touch {home}/{RAN}")).replace("@TOUCH@", &touch).replace(HOME, home)
}
