//! Prompts and what is none, as text.

use super::*;

fn knows(prompt: &str, kind: Kind) -> Prompts {
    let mut prompts = Prompts::default();
    prompts.learn(prompt, kind, 0);
    prompts
}

#[test]
fn a_prompt_is_known_again_when_only_path_number_or_git_state_changed() {
    for (known, again) in [
        ("joe@web1:~$ ", "joe@web1:/tmp/a b$ "),
        ("[joe@web1 ~]$ ", "[joe@web1 src]$ "),
        ("12:00:01 ❯ ", "12:00:09 ❯ "),
        ("~/a main ❯ ", "/srv dev* ❯ "),
        ("joe@web1 ~> ", "joe@web1 ~/x (main)> "),
        ("➜  src ", "➜  src git:(main) ✗ "),
    ] {
        assert_eq!(knows(known, Kind::Paste).matched(again, Kind::Paste, 0), Some(0), "{again}");
    }
}

#[test]
fn other_prompts_are_not_taken_for_it() {
    for (known, other) in [
        ("joe@web1:~$ ", ">>> "),
        ("joe@web1:~$ ", "> "),
        ("joe@web1:~$ ", "shop=# "),
        ("joe@web1 ~> ", "> "),
        ("web1> ", "mysql> "),
        ("$ ", "dquote> "),
    ] {
        assert_eq!(knows(known, Kind::Paste).matched(other, Kind::Paste, 0), None, "{other}");
    }
    assert_eq!(
        knows("$ ", Kind::Paste).matched("$ ", Kind::Text, 0),
        None,
        "its line editor would have told"
    );
}

#[test]
fn a_prompt_after_output_without_newline_is_found() {
    assert_eq!(knows("$ ", Kind::Text).matched("abc$ ", Kind::Text, 0), Some(3));
    assert_eq!(knows("> ", Kind::Text).matched("abc> ", Kind::Text, 0), None);
}

#[test]
fn forms_are_told_from_progress_and_other_programs() {
    for yes in ["$ ", "# ", "web1% ", "Router#", "joe@web1:~$ ", "[joe@web1 ~]# ", "joe@web1:~> "] {
        assert!(is_form(yes), "{yes}");
    }
    for no in ["", "45%", "####", "shop=# ", "> ", ">>> ", "$   ", "Continue? ", "%", "#"] {
        assert!(!is_form(no), "{no}");
    }
    for yes in ["> ", "dquote> ", "for dquote> ", "joe@web1 ~ dquote> "] {
        assert!(is_continuation(yes), "{yes}");
    }
    for no in ["mysql> ", ">>> ", "$ ", ""] {
        assert!(!is_continuation(no), "{no}");
    }
}

#[test]
fn places_are_read_only_from_the_default_prompts() {
    let debian = place("(jail)joe@web1:~/src$ ").unwrap();
    assert_eq!((debian.user.as_deref(), debian.cwd.as_deref()), (Some("joe"), Some("~/src")));
    let rhel = place("[joe@web1 src]$ ").unwrap();
    assert_eq!((rhel.host.as_deref(), rhel.cwd), (Some("web1"), None));
    for who in ["joe@web1 ~> ", "┌─[joe@web1]─[~]", "joe@web1:~ (main *)$ ", "joe@web1 src % "] {
        let place = place(who).unwrap();
        assert_eq!(
            (place.user.as_deref(), place.host.as_deref(), place.cwd),
            (Some("joe"), Some("web1"), None)
        );
    }
    for none in ["$ ", "a:b$ ", "x joe@web1:~$ ", "[x]$ ", "(|joe@prod:x) $ ", "joe@web1@x$ "] {
        assert_eq!(place(none), None, "{none}");
    }
    for torn in ["joe@web", "[joe@web", "┌─[joe@web"] {
        assert_eq!(place(torn), None, "{torn}: the rest of the name may come");
    }
    assert!(place("joe@web1\n").is_some(), "the line has ended");
}

#[test]
fn a_prompt_whose_blank_has_not_come_yet_is_remembered_with_it() {
    let mut prompts = knows("$ ", Kind::Text);
    prompts.learn("$", Kind::Text, 0);
    assert_eq!(prompts.matched("abc$ ", Kind::Text, 0), Some(3));
}

#[test]
fn half_of_a_prompt_is_doubted_where_another_is_known() {
    assert!(!Prompts::default().doubts("[joe:/"), "the first may be anything");
    let prompts = knows("[joe:/tmp] $ ", Kind::Paste);
    assert!(prompts.doubts("[joe:/us"));
    for whole in ["[joe:/usr] 130 $ ", "web1# ", "~ ❯ "] {
        assert!(!prompts.doubts(whole), "{whole}");
    }
}

#[test]
fn the_line_above_belongs_to_the_prompt_if_it_is_there_nearly_every_time() {
    let mut prompts = knows("❯ ", Kind::Paste);
    let mut above = |text, first| prompts.line_above("❯ ", Some(text), first);
    assert!(!above("/tmp at 12:00", true), "one prompt shows no habit");
    assert!(above("/srv/x at 12:01", false));
    assert!(!above("hi", false));
    assert!(!above("/tmp at 12:02", false), "doubtful after a miss");
    assert!(above("/tmp at 12:03", false));
    let mut prompts = knows("$ ", Kind::Text);
    assert!(!prompts.line_above("$ ", Some("welcome"), true));
    for same in ["hi", "hi", "hi"] {
        assert!(!prompts.line_above("$ ", Some(same), false), "equal outputs are no prompt");
    }
}

#[test]
fn input_is_found_behind_a_prompt_whose_path_changed() {
    let prompts = knows("joe@web1:~$ ", Kind::Paste);
    assert_eq!(prompts.prefix_of("joe@web1:/tmp$ echo $x"), Some("joe@web1:/tmp$ "));
    assert_eq!(prompts.prefix_of("joe@web1:~$"), Some("joe@web1:~$"));
    for none in ["joe@web2:~$ ls", "echo joe@web1:~$ ls", "joe@web1:~$x", ""] {
        assert_eq!(prompts.prefix_of(none), None, "{none}");
    }
}

#[test]
fn a_prompt_of_more_lines_is_known_by_their_number() {
    let mut prompts = Prompts::default();
    prompts.learn("❯ ", Kind::Paste, 2);
    assert_eq!(prompts.matched("✗ 1 ", Kind::Paste, 2), Some(0));
    assert_eq!(prompts.matched("∙ ", Kind::Paste, 0), None, "its continuation prompt");
    assert_eq!(prompts.matched(">>> ", Kind::Paste, 0), None);
}

#[test]
fn a_prompt_is_alike_itself_elsewhere_and_unlike_another_users() {
    for (a, b) in [
        ("user@host:~$ ", "user@host:/var/log$ "),
        ("root@host:~ (main)# ", "root@host:~# "),
        ("➜  src git:(main) ✗ ", "➜  ~ "),
        ("[root@web ~]# ", "[root@web log]# "),
        ("$ ", "$ "),
    ] {
        assert!(is_alike(a, b), "{a} {b}");
    }
    for (a, b) in [
        ("user@host:~$ ", "root@host:~# "),
        ("user@host:~$ ", "user@other:~$ "),
        ("user@host:~$ ", "user@host:~# "),
        ("$ ", "# "),
        ("(jail)root@host:/# ", "root@host:/# "),
        ("user@host:~$ ", "$ "),
        ("➜  ~ ", "host:~$ "),
    ] {
        assert!(!is_alike(a, b), "{a} {b}");
    }
}
