use super::*;

/// A machine: paths, and the file that each leads to.
const FILES: &[(&str, u64)] = &[
    ("/usr/bin/ssh", 1),
    ("/opt/aissh/aissh", 7),
    ("/opt/links/ssh", 7),
    ("/opt/new/ssh", 2),
    ("/work/ssh", 3),
    ("/work/bin/ssh", 4),
    ("/usr/bin/myssh", 5),
];

fn find_in(wanted: Option<&str>, path: Option<&str>) -> Result<String, FindError> {
    let runnable = |path: &Path| {
        let (_, ino) = FILES.iter().find(|(name, _)| Path::new(name) == path)?;
        Some(Identity { dev: 1, ino: *ino })
    };
    let search = Search {
        wanted: wanted.map(OsStr::new),
        path: path.map(OsStr::new),
        cwd: Path::new("/work"),
        me: Some(Identity { dev: 1, ino: 7 }),
    };
    search.run(&runnable).map(|path| path.to_str().unwrap().to_owned())
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
    ];
    for (wanted, want) in cases {
        assert_eq!(find_in(Some(wanted), path), want.map(String::from), "{wanted}");
    }
}

#[test]
fn links_of_either_kind_have_the_identity_of_their_file() {
    let dir = std::env::temp_dir().join(format!("aissh-find-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).unwrap();
    let me = std::env::current_exe().unwrap();
    let real = runnable(&me).unwrap();
    std::os::unix::fs::symlink(&me, dir.join("soft")).unwrap();
    assert_eq!(runnable(&dir.join("soft")), Some(real));
    // Only where the temporary directory is on the same file system.
    if std::fs::hard_link(&me, dir.join("hard")).is_ok() {
        assert_eq!(runnable(&dir.join("hard")), Some(real));
    }
    std::fs::write(dir.join("plain"), "").unwrap();
    assert_eq!(runnable(&dir.join("absent")), None);
    assert_eq!(runnable(&dir), None, "a directory");
    assert_eq!(runnable(Path::new("/etc/passwd")), None, "no execute bit");
    std::fs::remove_dir_all(&dir).unwrap();
}

#[test]
fn failing_to_become_ssh_returns_the_error() {
    assert_eq!(exec(Path::new("/nonexistent/ssh"), &[]).kind(), io::ErrorKind::NotFound);
}

/// Not a test of its own: the body of a process that the next test starts.
#[test]
#[ignore = "becomes another program"]
fn become_a_shell() {
    panic!("{}", exec(Path::new("/bin/sh"), &["-c".into(), "echo; echo \"name=$0 $1\"".into()]));
}

#[test]
fn the_program_gets_its_absolute_path_as_its_name() {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "--nocapture", "ssh::find::tests::become_a_shell"])
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("\nname=/bin/sh \n"), "{text}");
}

#[test]
fn the_message_says_what_to_do() {
    assert_eq!(FindError::NotInPath.to_string(), "no ssh found in PATH (set AISSH_SSH to its path)");
}
