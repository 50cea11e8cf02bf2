use super::*;

use Program::{Aissh, OpenSsh, Unknown};

/// A machine: paths, the file that each leads to, and what that is.
const FILES: &[(&str, u64, Program)] = &[
    ("/usr/bin/ssh", 1, OpenSsh),
    ("/opt/aissh/aissh", 7, Aissh),
    ("/opt/links/ssh", 7, Aissh),
    ("/opt/copy/ssh", 8, Aissh),
    ("/opt/shim/ssh", 9, Unknown),
    ("/opt/shim2/ssh", 10, Unknown),
    ("/opt/new/ssh", 2, OpenSsh),
    ("/work/ssh", 3, OpenSsh),
    ("/work/bin/ssh", 4, OpenSsh),
    ("/usr/bin/myssh", 5, OpenSsh),
];

impl Files for &[(&str, u64, Program)] {
    fn runnable(&self, path: &Path) -> Option<Identity> {
        let (_, ino, _) = self.iter().find(|(name, ..)| Path::new(name) == path)?;
        Some(file(*ino))
    }

    fn program(&self, path: &Path) -> Program {
        self.iter().find(|(name, ..)| Path::new(name) == path).unwrap().2
    }
}

fn file(ino: u64) -> Identity {
    Identity { dev: 1, ino }
}

fn search(wanted: Option<&str>, path: Option<&str>, trail: &Trail) -> Result<Found, FindError> {
    let search = Search {
        wanted: wanted.map(OsStr::new),
        path: path.map(OsStr::new),
        cwd: Path::new("/work"),
        me: Some(file(7)),
        trail,
    };
    search.run(&FILES)
}

fn find_in(wanted: Option<&str>, path: Option<&str>) -> Result<String, FindError> {
    search(wanted, path, &Trail::default()).map(|found| found.path.to_str().unwrap().to_owned())
}

#[test]
fn the_first_ssh_in_path_that_is_not_this_binary_is_taken() {
    let cases = [
        (Some("/usr/bin:/opt/new"), Ok("/usr/bin/ssh")),
        (Some("/opt/new:/usr/bin"), Ok("/opt/new/ssh")),
        (Some("/nowhere:/usr/bin"), Ok("/usr/bin/ssh")),
        // A link to aissh that is called ssh is stepped over.
        (Some("/opt/links:/usr/bin"), Ok("/usr/bin/ssh")),
        (Some("/opt/links"), Err(FindError::NotInPath)),
        // And a copy of it.
        (Some("/opt/copy:/usr/bin"), Ok("/usr/bin/ssh")),
        (Some("/opt/copy:/opt/links"), Err(FindError::NotInPath)),
        // A script may be the user's way to ssh.
        (Some("/opt/shim:/usr/bin"), Ok("/opt/shim/ssh")),
        (Some("/nowhere"), Err(FindError::NotInPath)),
        (Some("bin:/usr/bin"), Ok("/work/bin/ssh")),
        (Some(":/usr/bin"), Ok("/work/ssh")),
        (Some(""), Ok("/work/ssh")),
        (None, Ok("/usr/bin/ssh")),
    ];
    for (path, want) in cases {
        assert_eq!(find_in(None, path), want.map(String::from), "{path:?}");
        assert_eq!(find_in(Some(""), path), find_in(None, path), "{path:?}");
    }
}

#[test]
fn the_environment_names_a_path_or_a_program() {
    let path = Some("/opt/links:/usr/bin");
    let cases = [
        ("/opt/new/ssh", Ok("/opt/new/ssh")),
        ("bin/ssh", Ok("/work/bin/ssh")),
        ("myssh", Ok("/usr/bin/myssh")),
        ("ssh", Ok("/usr/bin/ssh")),
        ("/nowhere/ssh", Err(FindError::NotExecutable("/nowhere/ssh".into()))),
        ("nothing", Err(FindError::NotExecutable("nothing".into()))),
        ("/opt/links/ssh", Err(FindError::Itself("/opt/links/ssh".into()))),
        ("/opt/copy/ssh", Err(FindError::Itself("/opt/copy/ssh".into()))),
    ];
    for (wanted, want) in cases {
        assert_eq!(find_in(Some(wanted), path), want.map(String::from), "{wanted}");
    }
}

#[test]
fn a_script_that_led_back_here_is_stepped_over_and_ssh_hears_nothing_of_it() {
    let path = Some("/opt/shim:/opt/shim2:/usr/bin");
    let mut trail = Trail::default();
    for (name, next) in [("/opt/shim/ssh", vec![file(9)]), ("/opt/shim2/ssh", vec![file(9), file(10)])] {
        let found = search(None, path, &trail).unwrap();
        assert_eq!((found.path.to_str().unwrap(), &found.trail.tried), (name, &next));
        trail = found.trail;
    }
    let found = search(None, path, &trail).unwrap();
    assert_eq!((found.path.to_str().unwrap(), found.trail), ("/usr/bin/ssh", Trail::default()));
    assert_eq!(search(None, Some("/opt/shim:/opt/shim2"), &trail), Err(FindError::NotInPath));
    let itself = FindError::Itself("/opt/shim/ssh".into());
    assert_eq!(search(Some("/opt/shim/ssh"), path, &trail), Err(itself));
}

#[test]
fn links_of_either_kind_have_the_identity_of_their_file() {
    let dir = std::env::temp_dir().join(format!("aissh-find-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).unwrap();
    let me = std::env::current_exe().unwrap();
    let real = Machine.runnable(&me).unwrap();
    std::os::unix::fs::symlink(&me, dir.join("soft")).unwrap();
    assert_eq!(Machine.runnable(&dir.join("soft")), Some(real));
    // Only where the temporary directory is on the same file system.
    if std::fs::hard_link(&me, dir.join("hard")).is_ok() {
        assert_eq!(Machine.runnable(&dir.join("hard")), Some(real));
    }
    std::fs::write(dir.join("plain"), "").unwrap();
    assert_eq!(Machine.runnable(&dir.join("absent")), None);
    assert_eq!(Machine.runnable(&dir), None, "a directory");
    assert_eq!(Machine.runnable(Path::new("/etc/passwd")), None, "no execute bit");
    std::fs::remove_dir_all(&dir).unwrap();
}

#[test]
fn a_large_program_that_may_yet_turn_out_to_be_aissh_is_not_taken_for_openssh() {
    let path = std::env::temp_dir().join(format!("aissh-find-large-{}", std::process::id()));
    let look = |text: &[u8], size| {
        std::fs::write(&path, text).unwrap();
        let file = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
        file.set_len(size).unwrap();
        Machine.program(&path)
    };
    assert_eq!(look(b"OpenSSH_9", READ_LIMIT - 1), OpenSsh);
    assert_eq!(look(b"OpenSSH_9", READ_LIMIT), Unknown);
    assert_eq!(look(b"OpenSSH_9 AISSH_SSH", READ_LIMIT + 1), Aissh);
    std::fs::remove_file(&path).unwrap();
    assert_eq!(Machine.program(&path), Unknown, "cannot be read");
}

/// Not a test of its own: a failed exec leaves SIGPIPE at its default in its process, which kills other tests there.
#[test]
#[ignore = "changes its process"]
fn fail_to_become_ssh() {
    assert_eq!(exec(Path::new("/nonexistent/ssh"), &[]).kind(), io::ErrorKind::NotFound);
}

/// Runs a test in a process of its own.
fn apart(name: &str) -> std::process::Output {
    let name = format!("ssh::find::tests::{name}");
    let args = ["--ignored", "--exact", "--nocapture", &name];
    Command::new(std::env::current_exe().unwrap()).args(args).output().unwrap()
}

#[test]
fn failing_to_become_ssh_returns_the_error() {
    let output = apart("fail_to_become_ssh");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

/// Not a test of its own: the body of a process that the next test starts.
#[test]
#[ignore = "becomes another program"]
fn become_a_shell() {
    panic!("{}", exec(Path::new("/bin/sh"), &["-c".into(), "echo; echo \"name=$0 $1\"".into()]));
}

#[test]
fn the_program_gets_its_absolute_path_as_its_name() {
    let output = apart("become_a_shell");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("\nname=/bin/sh \n"), "{text}");
}

#[test]
fn the_message_says_what_to_do() {
    assert_eq!(FindError::NotInPath.to_string(), "no ssh found in PATH (set AISSH_SSH to its path)");
}
