use super::*;

const A: &str = "0f1e2d3c-4b5a-4978-8695-a4b3c2d1e0f0";
const B: &str = "1f1e2d3c-4b5a-4978-8695-a4b3c2d1e0f0";

struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Self {
        Self(nix::unistd::mkdtemp(&std::env::temp_dir().join("aissh-run.XXXXXX")).expect("make a folder"))
    }

    fn folder(&self) -> Folder {
        Folder::at(self.0.join("aissh")).expect("a folder")
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn mode(path: &Path) -> u32 {
    fs::symlink_metadata(path).expect("it exists").mode() & 0o777
}

fn aliases(folder: &Folder) -> Vec<String> {
    folder.live().expect("listed").into_iter().map(|entry| entry.alias).collect()
}

#[test]
fn sessions_are_private_named_and_gone_when_they_end() {
    let scratch = Scratch::new();
    let folder = scratch.folder();
    let one = folder.register(A, "web.example.org").expect("registered");
    let two = folder.register(B, "web").expect("registered");
    assert_eq!(aliases(&folder), ["web-1", "web-2"]);
    assert_eq!((mode(folder.path()), mode(&folder.file(A, "sock"))), (0o700, 0o600));
    let stream = folder.connect(B).expect("connected");
    assert_eq!(peer(&stream).expect("known").uid, Uid::effective().as_raw());
    drop(one);
    let gone =
        Gone { id: B.into(), alias: "web-2".into(), ssh_host: "h".into(), user: "u".into(), exit_code: 3 };
    two.end(&gone);
    assert_eq!((aliases(&folder).len(), folder.gone()), (0, vec![gone]));
    assert!(folder.connect(A).is_err() && folder.connect("../../etc").is_err());
}

#[test]
fn an_alias_is_one_sessions_and_stays_one_when_it_is_renamed() {
    let scratch = Scratch::new();
    let folder = scratch.folder();
    let mut one = folder.register(A, "web").expect("registered");
    let mut two = folder.register(B, "db").expect("registered");
    assert_eq!(two.rename("web-1"), Err("another session is called web-1".to_owned()));
    two.rename("main").expect("free");
    one.rename("web-1").expect("its own");
    assert!(one.rename("a\nb").is_err());
    assert_eq!(aliases(&folder), ["main", "web-1"]);
}

#[test]
fn what_a_dead_session_left_is_swept_and_what_lives_is_not() {
    let scratch = Scratch::new();
    let folder = scratch.folder();
    let live = folder.register(A, "web").expect("registered");
    // As a killed process leaves them: nobody holds the lock.
    fs::write(folder.file(B, "lock"), "web-2").expect("written");
    drop(UnixListener::bind(folder.file(B, "sock")).expect("bound"));
    assert_eq!(aliases(&folder), ["web-1"]);
    assert!(!folder.file(B, "sock").exists() && !folder.file(B, "lock").exists());
    assert!(folder.file(A, "sock").exists());
    drop(live);
}

#[test]
fn many_that_begin_at_once_have_names_of_their_own() {
    let scratch = Scratch::new();
    let folder = scratch.folder();
    let begun: Vec<Registration> = std::thread::scope(|scope| {
        let begin = |n: u32| {
            let folder = folder.clone();
            move || {
                folder.register(&format!("{n:08x}-4b5a-4978-8695-a4b3c2d1e0f0"), "web").expect("registered")
            }
        };
        let threads: Vec<_> = (0..16).map(|n| scope.spawn(begin(n))).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    });
    let mut names: Vec<&str> = begun.iter().map(|registration| registration.alias.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!((names.len(), folder.live().expect("listed").len()), (16, 16));
}

#[test]
fn links_others_files_and_stolen_paths_are_refused() {
    let scratch = Scratch::new();
    let (real, link) = (scratch.0.join("real"), scratch.0.join("link"));
    fs::create_dir(&real).expect("made");
    std::os::unix::fs::symlink(&real, &link).expect("linked");
    assert!(Folder::at(link).is_err(), "a link is no folder");
    let folder = scratch.folder();
    let begun = folder.register(A, "web").expect("registered");
    let elsewhere = scratch.0.join("elsewhere.sock");
    let _thief = UnixListener::bind(&elsewhere).expect("bound");
    fs::remove_file(folder.file(A, "sock")).expect("stolen");
    std::os::unix::fs::symlink(&elsewhere, folder.file(A, "sock")).expect("linked");
    let error = folder.connect(A).expect_err("a link").to_string();
    assert!(error.contains("no socket of this user's"), "{error}");
    drop(begun);
    assert!(elsewhere.exists(), "only the link went");
    if Uid::effective().is_root() {
        let _live = folder.register(B, "web").expect("registered");
        std::os::unix::fs::lchown(folder.file(B, "sock"), Some(65534), None).expect("given away");
        assert!(folder.connect(B).is_err(), "another's socket");
    }
}
