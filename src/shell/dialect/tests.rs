//! Which evidence names which dialect, and what is too thin to name any. The devices' texts are written from public
//! documentation and transcripts; none was recorded.

use super::*;

/// Equal but for the last blank: what varies in prompts is not this test's subject.
fn same(a: &str, b: &str) -> bool {
    a.trim_end() == b.trim_end()
}

#[derive(Default)]
struct Session(Dialects);

impl Session {
    /// A login: the banner and the first prompt.
    fn login(banner: &str, prompt: &str) -> Self {
        let mut session = Self::default();
        session.0.see(&Sight { prompt, printed: banner, fresh: true, ..Sight::default() }, same);
        session
    }

    /// A command, what it printed, and the prompt after it.
    fn then(mut self, command: &str, printed: &str, prompt: &str) -> Self {
        let above = printed.lines().last().unwrap_or("");
        let sight = Sight { prompt, above, printed, command: Some(command), ..Sight::default() };
        self.0.see(&sight, same);
        self
    }

    fn now(&self) -> Option<(Dialect, Clue)> {
        self.0.now()
    }
}

#[test]
fn a_banner_counts_where_the_prompt_has_its_form() {
    for (banner, prompt, dialect) in [
        (
            "\nHello, this is FRRouting (version 8.4.4).\nCopyright 1996-2005 Kunihiro Ishiguro, et al.\n",
            "vm# ",
            Dialect::Vtysh,
        ),
        (
            "--- JUNOS 18.2R1.9 Kernel 64-bit  JNPR-11.0-20180614.6c3f819_buil",
            "jcluser@vMX-addr-0> ",
            Dialect::Junos,
        ),
        (
            "  MikroTik RouterOS 7.11 (c) 1999-2023       https://www.mikrotik.com/\n\nPress F1 for help\n",
            "[baby@MikroTik] > ",
            Dialect::RouterOs,
        ),
        (
            "Info: The max number of VTY users is 5, and the number\n      of current VTY users on line is 1.",
            "<SW-Huawei-01>",
            Dialect::Vrp,
        ),
        (
            "Number of failed attempts since last successful login: 0\n",
            "pandemo@vmseries0-vm(active)> ",
            Dialect::PanOs,
        ),
    ] {
        assert_eq!(Session::login(banner, prompt).now(), Some((dialect, Clue::Banner)), "{banner}");
        // The same words in a message of the day.
        assert!(
            Session::login(banner, "joe@web1:~$ ").now().is_some_and(|(d, _)| d == Dialect::Posix),
            "{banner}"
        );
    }
}

#[test]
fn a_prompt_of_a_devices_form_alone_is_unknown() {
    for prompt in [
        "Router>",
        "web1#",
        "web1(config)#",
        "joe@web1>",
        "joe@web1#",
        "<web1>",
        "[web1]",
        "[joe@web1] > ",
        "web1 # ",
        "# ",
        "> ",
    ] {
        assert_eq!(Session::login("Welcome\n", prompt).now(), None, "{prompt}");
        // Nor does it become one by being left and coming back.
        assert_eq!(Session::login("", prompt).then("ls", "a\nb", prompt).now(), None, "{prompt}");
    }
}

#[test]
fn a_change_of_mode_tells_the_family() {
    let ios = || Session::login("", "Router>");
    assert_eq!(ios().then("en", "Password: ", "Router#").now(), Some((Dialect::IosLike, Clue::Mode)));
    let text = "Enter configuration commands, one per line.  End with CNTL/Z.";
    let configuring = Session::login("", "R1#").then("conf t", text, "R1(config)#");
    assert_eq!(configuring.now(), Some((Dialect::IosLike, Clue::Mode)));
    let junos = Session::login("", "lab@vSRX-1> ").then(
        "configure",
        "Entering configuration mode\n\n[edit]",
        "lab@vSRX-1# ",
    );
    assert_eq!(junos.now(), Some((Dialect::JunosLike, Clue::Mode)));
    let vrp = Session::login("", "<HUAWEI>").then(
        "system-view",
        "Enter system view, return user view with Ctrl+Z.",
        "[HUAWEI]",
    );
    assert_eq!(vrp.now(), Some((Dialect::VrpLike, Clue::Mode)));
    assert_eq!(
        Session::login("", "<HUAWEI>").then("sys", "", "[~HUAWEI]").now(),
        Some((Dialect::Vrp, Clue::Mode))
    );
    let menu =
        Session::login("", "[admin@MikroTik] > ").then("/ip address", "", "[admin@MikroTik] /ip address> ");
    assert_eq!(menu.now(), Some((Dialect::RouterOs, Clue::Mode)));
    let forti = Session::login("", "FGT-01 # ").then("config system global", "", "FGT-01 (global) # ");
    assert_eq!(forti.now(), Some((Dialect::FortiOs, Clue::Mode)));
}

#[test]
fn what_a_shells_prompt_does_too_is_no_change_of_mode() {
    // A branch named config, a directory, an administrator.
    assert_eq!(Session::login("", "web1#").then("cd repo", "", "web1(config)#").now(), None);
    assert_eq!(Session::login("", "[joe@web1] > ").then("cd /ip", "", "[joe@web1] /ip> ").now(), None);
    assert_eq!(Session::login("", "joe@web1> ").then("sudo -s", "", "joe@web1# ").now(), None);
    assert_eq!(Session::login("", "web1 # ").then("cd x", "", "web1 (main) # ").now(), None);
}

#[test]
fn a_refusal_tells_which_of_the_family() {
    for (prompt, words, dialect) in [
        ("n3k-test# ", "            ^\n% Invalid command at '^' marker.", Dialect::NxOs),
        ("Switch#", "% Invalid input (at token 0: 'nope')", Dialect::Eos),
        ("RW-ACC-SW#", "                     ^\n% Invalid input detected at '^' marker.\n", Dialect::IosLike),
        ("edge2# ", "% Unknown command: nope", Dialect::Vtysh),
        ("lab@jsrxA-1> ", "             ^\nsyntax error, expecting <command>.", Dialect::Junos),
        ("admin@PA-VM> ", "Unknown command: nope", Dialect::PanOs),
        ("<SW1>", "            ^\nError: Unrecognized command found at '^' position.", Dialect::Vrp),
        ("[a@b] > ", "bad command name nope (line 1 column 1)", Dialect::RouterOs),
        ("FGT # ", "Unknown action 0", Dialect::FortiOs),
    ] {
        let session = Session::login("", prompt).then("nope", words, prompt);
        assert_eq!(session.now(), Some((dialect, Clue::Message)), "{words}");
        let on_a_shell = Session::login("", "joe@web1:~$ ").then("nope", words, "joe@web1:~$ ");
        assert_eq!(on_a_shell.now(), Some((Dialect::Posix, Clue::Prompt)), "{words}");
    }
}

#[test]
fn the_answer_to_show_version_names_the_device() {
    for (prompt, text, dialect) in [
        (
            "R1#",
            "Cisco IOS Software, C2900 Software (C2900-UNIVERSALK9-M), Version 15.6(3)M2\nmore",
            Dialect::Ios,
        ),
        ("R1#", "Cisco IOS XE Software, Version 17.09.04\nmore", Dialect::Ios),
        (
            "n9k# ",
            "Cisco Nexus Operating System (NX-OS) Software\nTAC support: http://www.cisco.com/tac",
            Dialect::NxOs,
        ),
        ("vm# ", "FRRouting 8.4.4 (vm) on Linux(6.18.44).\nCopyright", Dialect::Vtysh),
    ] {
        let asked = |command| Session::login("", prompt).then(command, text, prompt).now();
        assert_eq!(asked("show version"), Some((dialect, Clue::Message)));
        assert_eq!(asked("sh ver"), Some((dialect, Clue::Message)));
        assert_eq!(asked("cat version.txt"), None);
    }
}

#[test]
fn a_dialect_comes_back_with_its_prompt() {
    let at = |session: Session, command, printed, prompt| {
        let mut session = session;
        let sight = Sight { prompt, printed, command: Some(command), fresh: true, ..Sight::default() };
        session.0.see(&sight, same);
        session
    };
    let session =
        Session::login("", "joe@web1:~$ ").then("nope", "bash: nope: command not found", "joe@web1:~$ ");
    let inside = at(session, "vtysh", "\nHello, this is FRRouting (version 8.4.4).\n", "web1# ");
    assert_eq!(inside.now(), Some((Dialect::Vtysh, Clue::Banner)));
    let deeper = inside.then("conf t", "", "web1(config)# ");
    assert_eq!(deeper.now(), Some((Dialect::Vtysh, Clue::Banner)), "a mode of the same device");
    let back = at(deeper, "exit", "", "joe@web1:~$ ");
    assert_eq!(back.now(), Some((Dialect::Bash, Clue::Message)));
}

#[test]
fn marks_and_modes_name_the_shells_that_have_them() {
    let mut session = Session::login("", "~> ");
    session.0.mark(b"133;A;click_events=1");
    assert_eq!(session.now(), None, "others send that too");
    session.0.mark(b"133;C;cmdline_url=ls");
    assert_eq!(session.now(), Some((Dialect::Fish, Clue::Mark)));
    session.0.mark(b"1337;ShellIntegrationVersion=15;shell=zsh");
    assert_eq!(session.now(), Some((Dialect::Zsh, Clue::Mark)));
    for (editor, dialect) in [(Editor::AfterPrompt, Dialect::Zsh), (Editor::TitledPrompt, Dialect::Bash)] {
        let mut dialects = Dialects::default();
        dialects.see(&Sight { prompt: "joe@web1:~$ ", editor, fresh: true, ..Sight::default() }, same);
        assert_eq!(dialects.now(), Some((dialect, Clue::Mode)));
    }
}

#[test]
fn a_device_is_no_posix_shell_and_unknown_is_neither() {
    for dialect in [Dialect::Unknown, Dialect::Fish, Dialect::PowerShell, Dialect::Tcsh] {
        assert!(!dialect.is_posix() && !dialect.is_device(), "{dialect:?}");
    }
    assert!(Dialect::Ash.is_posix() && !Dialect::Ash.is_device());
    assert!(Dialect::IosLike.is_device() && !Dialect::Vtysh.is_posix());
    assert_eq!(Dialect::Unknown.name(), None);
}

#[test]
fn the_end_of_a_terminal_tells_the_device_too() {
    let vtysh = "Hello, this is FRRouting (version 8.4.4).\n\nr1# show ip route\nC>* 10.0.0.0/8\nr1# ";
    assert_eq!(dialect_of(vtysh), Dialect::Vtysh);
    assert_eq!(
        dialect_of("R1#conf t\nEnter configuration commands\nR1(config)#int lo0\nR1(config-if)#"),
        Dialect::IosLike
    );
    assert_eq!(dialect_of("sw# nope\n      ^\n% Invalid command at '^' marker.\nsw# "), Dialect::NxOs);
    assert_eq!(dialect_of("<A>sys\nEnter system view\n[~A]int ge0\n[~A-ge0]"), Dialect::Vrp);
    for none in [
        "",
        "web1# df -h\n/dev/sda1 100% /var\nweb1# ",
        "joe@web1:~$ cat log\nCisco IOS Software\njoe@web1:~$ ",
    ] {
        assert!(!dialect_of(none).is_device(), "{none}");
    }
}
