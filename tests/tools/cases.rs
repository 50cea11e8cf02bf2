//! Runs a case with ssh and with aissh and compares.

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::support::lab::Lab;

pub(crate) const AISSH: &str = env!("CARGO_BIN_EXE_aissh");

/// `run`'s status for a case that this machine cannot run.
const SKIPPED: i32 = 77;

/// How a tool comes to the ssh that it calls.
#[derive(Debug, Clone, Copy)]
enum Way {
    /// `ssh` in PATH; for aissh, a link of that name in the first directory.
    Path,
    /// The tool's own option.
    Option,
    /// An alias of the shell that runs it.
    Alias,
}

#[derive(PartialEq, Eq)]
struct Outcome {
    status: Option<i32>,
    stdout: String,
    stderr: String,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "status {:?}\nstdout:\n{}\nstderr:\n{}", self.status, self.stdout, self.stderr)
    }
}

/// Both ways, with ssh and with aissh.
pub(crate) fn same(case: &str) {
    compare(&Lab::start(), case, &[Way::Path, Way::Option]);
}

/// For a case in which a shell runs ssh: there it has no other name, but may be an alias.
pub(crate) fn same_in_shell(case: &str) {
    compare(&Lab::start(), case, &[Way::Path, Way::Alias]);
}

/// For a tool that has no option for it.
pub(crate) fn same_in_path(case: &str) {
    compare(&Lab::start(), case, &[Way::Path]);
}

/// For a case that has to name its ssh.
pub(crate) fn same_by_option(case: &str) {
    compare(&Lab::start(), case, &[Way::Option]);
}

/// On a server that knows a password.
pub(crate) fn same_with_account(case: &str) {
    compare(&Lab::builder().account().start(), case, &[Way::Path]);
}

fn compare(lab: &Lab, case: &str, ways: &[Way]) {
    let ssh = real_ssh();
    for &way in ways {
        let plain = run(lab, case, way, &ssh);
        if plain.status == Some(SKIPPED) {
            println!("skipped: {case} by {way:?}: {}", plain.stdout.trim_end());
            continue;
        }
        assert_eq!(plain.status, Some(0), "{case} by {way:?} with plain ssh:\n{plain}");
        let ours = run(lab, case, way, Path::new(AISSH));
        assert!(plain == ours, "{case} by {way:?}\n--- ssh ---\n{plain}\n--- aissh ---\n{ours}");
    }
}

/// The ssh that a shell would find.
pub(crate) fn real_ssh() -> PathBuf {
    let path = std::env::var_os("PATH").unwrap();
    std::env::split_paths(&path)
        .map(|dir| dir.join("ssh"))
        .find(|file| file.is_file())
        .expect("ssh is in PATH")
}

/// PATH in which `ssh` is that program: for aissh, with a directory in front.
pub(crate) fn path_with(lab: &Lab, program: &Path) -> String {
    if program == real_ssh() {
        return std::env::var("PATH").unwrap();
    }
    let bin = lab.dir().join("bin");
    // Unless it is there from the last call.
    let _ = std::fs::create_dir(&bin);
    let _ = std::os::unix::fs::symlink(program, bin.join("ssh"));
    format!("{}:{}", bin.display(), std::env::var("PATH").unwrap())
}

fn run(lab: &Lab, case: &str, way: Way, program: &Path) -> Outcome {
    let mut command = Command::new("bash");
    command.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tools/run")).arg(case);
    // Always the same directory, as tools print paths.
    command.arg(lab.dir().join("work").join(case)).env("LAB", lab.dir());
    command.env_remove("SSH").env_remove("ALIAS");
    // Set for plain ssh as well: std spawns in another way when PATH is given, which shows in the ignored signals.
    match way {
        Way::Option => command.env("SSH", program).env("PATH", std::env::var("PATH").unwrap()),
        Way::Alias => command.env("ALIAS", program).env("PATH", std::env::var("PATH").unwrap()),
        Way::Path => command.env("PATH", path_with(lab, program)),
    };
    if let Some(account) = lab.account() {
        command.env("LAB_USER", &account.user).env("LAB_PASSWORD", &account.password);
    }
    let output = command.stdin(Stdio::null()).output().unwrap();
    let text = |bytes: &[u8]| bytes.escape_ascii().to_string().replace("\\n", "\n");
    Outcome { status: output.status.code(), stdout: text(&output.stdout), stderr: text(&output.stderr) }
}
