use super::*;

fn findings(text: &str) -> (bool, bool, Vec<String>) {
    let found = Findings::of(text.as_bytes());
    let includes = found.includes.iter().map(|i| String::from_utf8_lossy(i).into_owned()).collect();
    (found.scan.has_tty_words, found.scan.has_match_exec, includes)
}

#[test]
fn the_five_words_count_as_keywords_only() {
    for text in [
        "RequestTTY no",
        "Host x\n\trequesttty=force\n",
        "REMOTECOMMAND tmux attach",
        "SessionType none\r\n",
        "  StdinNull = yes",
        "\"ForkAfterAuthentication\" yes",
        "User a\n\n\nRequestTTY auto",
    ] {
        assert_eq!(findings(text), (true, false, vec![]), "{text:?}");
    }
    for text in [
        "",
        "# RequestTTY no",
        "  #RequestTTY no",
        "Host RequestTTY",
        "User requesttty",
        "RequestTTYs no",
        "XRequestTTY no",
        "SetEnv A=RemoteCommand",
    ] {
        assert_eq!(findings(text), (false, false, vec![]), "{text:?}");
    }
}

#[test]
fn match_exec_is_seen_in_every_spelling() {
    for text in [
        "Match exec true",
        "match host a EXEC \"test -f x\"",
        "Match !exec false",
        "Match user u host h exec=true",
        "Match=exec true",
        "Match user root=exec true",
        "Match user \"root\"exec true",
        "Match e\"xec\" true",
        "Match final exec \"a\"",
    ] {
        assert_eq!(findings(text), (false, true, vec![]), "{text:?}");
    }
    for text in ["Match all", "Match host execute", "Match host a # exec", "Host exec", "Match user executor"]
    {
        assert_eq!(findings(text), (false, false, vec![]), "{text:?}");
    }
}

#[test]
fn includes_are_listed() {
    let text = "Include a b\ninclude \"c d\" ~/e/*.conf # f\nHost x\n  Include=/g";
    assert_eq!(findings(text).2, ["a", "b", "c d", "~/e/*.conf", "/g"]);
}

fn places() -> Places {
    Places { account_home: "/acc".into(), home: "/home/u".into(), system: vec!["/sys".into()] }
}

#[test]
fn include_paths_are_anchored_as_ssh_does() {
    let cases = [
        ("/abs/*", Some("/abs/*")),
        ("config.d/*", Some("/base/config.d/*")),
        ("~/x", Some("/home/u//x")),
        ("~no-such-user-here/x", None),
        ("~root/x", Some("/root//x")),
    ];
    for (include, want) in cases {
        let got = absolute(include.as_bytes(), Path::new("/base"), &places());
        let got = got.map(|path| String::from_utf8(path).unwrap());
        assert_eq!(got.as_deref(), want, "{include}");
    }
}

#[test]
fn tokens_and_variables_are_substituted() {
    let env = |name: &str| (name == "X").then(|| OsString::from("val"));
    let cases = [
        ("%d/.ssh/%h.conf", Some("/acc/.ssh/*.conf")),
        ("a%%b", Some("a%b")),
        ("/${X}/y", Some("/val/y")),
        ("/${UNSET}/y", None),
        ("/${open", None),
        ("/$X/y", Some("/$X/y")),
        ("%", Some("%")),
    ];
    for (include, want) in cases {
        let got = substitute(include.as_bytes(), &places(), &env);
        let got = got.map(|path| String::from_utf8(path).unwrap());
        assert_eq!(got.as_deref(), want, "{include}");
    }
}

struct Tree(PathBuf);

impl Tree {
    fn new(name: &str, files: &[(&str, &str)]) -> Self {
        let root = std::env::temp_dir().join(format!("aissh-scan-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&root);
        let tree = Self(root);
        for (path, text) in files {
            let path = tree.0.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        tree
    }

    fn scan(&self, args: &[&str]) -> (bool, bool) {
        let args: Vec<OsString> =
            args.iter().map(|arg| arg.replace("ROOT", self.0.to_str().unwrap()).into()).collect();
        let places = Places {
            account_home: self.0.join("acc"),
            home: self.0.join("home"),
            system: vec![self.0.join("sys")],
        };
        let scan = scan(&Invocation::parse(&args), &places);
        (scan.has_tty_words, scan.has_match_exec)
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn the_files_of_a_command_line_are_read() {
    let tree = Tree::new(
        "files",
        &[
            ("acc/.ssh/config", "Include extra/*.conf\nInclude ~/other"),
            ("home/.ssh/extra/1.conf", "Match exec true"),
            ("sys/ssh_config", "Include sys.d/*"),
            ("sys/sys.d/a", "StdinNull yes"),
            ("mine", "Include rel"),
            ("home/.ssh/rel", "RequestTTY no"),
            ("plain", "User x"),
            ("literal", "Include ROOT/%d ${AISSH_NO_SUCH}"),
            ("home/.ssh/${AISSH_NO_SUCH}", "StdinNull yes"),
        ],
    );
    assert_eq!(tree.scan(&["h"]), (true, true));
    assert_eq!(tree.scan(&["-F", "none", "h"]), (false, false));
    assert_eq!(tree.scan(&["-F", "NONE", "h"]), (false, false));
    assert_eq!(tree.scan(&["-FROOT/mine", "h"]), (true, false));
    assert_eq!(tree.scan(&["-F", "ROOT/plain", "h"]), (false, false));
    assert_eq!(tree.scan(&["-F", "ROOT/mine", "-F", "ROOT/plain", "h"]), (false, false));
    assert_eq!(tree.scan(&["-F", "ROOT/absent", "h"]), (false, false));
    assert_eq!(tree.scan(&["-F", "/dev/null", "h"]), (false, false));
    assert_eq!(tree.scan(&["-F", "ROOT/sys", "h"]), (false, false), "a directory");
    assert_eq!(
        tree.scan(&["-F", "ROOT/literal", "h"]),
        (true, false),
        "nothing is substituted before OpenSSH 10"
    );
}

#[test]
fn what_cannot_be_read_whole_is_assumed_to_be_anything() {
    let tree = Tree::new("odd", &[("loop", "Include ROOT/loop")]);
    let root = tree.0.to_str().unwrap();
    fs::write(tree.0.join("loop"), format!("Include {root}/loop")).unwrap();
    assert_eq!(tree.scan(&["-F", "ROOT/loop", "h"]), (true, true));
    fs::write(tree.0.join("fork"), format!("Include {root}/fork {root}/fork")).unwrap();
    assert_eq!(tree.scan(&["-F", "ROOT/fork", "h"]), (true, true));
    File::create(tree.0.join("huge")).unwrap().set_len(MAX_FILE + 1).unwrap();
    assert_eq!(tree.scan(&["-F", "ROOT/huge", "h"]), (true, true));
    nix::unistd::mkfifo(&tree.0.join("pipe"), nix::sys::stat::Mode::S_IRWXU).unwrap();
    assert_eq!(tree.scan(&["-F", "ROOT/pipe", "h"]), (true, true));
}
