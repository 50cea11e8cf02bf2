//! Runbooks of the built-in Linus, driven by the contract's messages as a real session sends them, with output
//! recorded from real tools (`tests/fixtures/builtin/README.md`).

mod answers;
mod cases;
mod speed;
mod story;
mod watch;
mod words;

use aissh::linus::contract::{Risk, StepStatus};
use std::process::Command;
use story::{Story, fixture, said};

#[test]
fn var_is_full_from_the_question_to_freed_space() {
    let mut story = Story::new("root");
    let answer = story.chat("hey linus, /var is full what's eating the space");
    assert!(answer.contains("runbooks, no model"), "{answer}");
    assert_eq!(story.commands(), ["df -h /var"]);
    assert_eq!(story.status("See how full"), StepStatus::Current);

    let answer = story.run("df -h /var", &fixture("df-h"), Some(0));
    assert!(answer.contains("/var is 100 % full: 724M of 739M used"), "{answer}");
    assert!(answer.contains("    /dev/loop0  739M  724M  0 100% /var"), "cites its line: {answer}");
    assert_eq!(story.commands(), ["du -xh --max-depth=1 /var | sort -rh | head -20"], "no sudo for root");
    assert_eq!(story.status("See how full"), StepStatus::Done);

    let answer = story.run("du ", &fixture("du-var"), Some(0));
    assert!(answer.contains("/var/log holds 542M of 664M."), "{answer}");
    assert_eq!(story.status("Find which directory"), StepStatus::Done);
    assert_eq!(story.status("Follow it down to /var/log"), StepStatus::Current);
    // The journal and the caches may be asked at once; 60M are in no file that du can see.
    assert!(answer.contains("60M are in no file"), "{answer}");
    for start in [
        "du -xh --max-depth=1 /var/log ",
        "journalctl --disk-usage",
        "du -xh --max-depth=2 /var/cache",
        "lsof ",
    ] {
        story.card(start);
    }

    let answer = story.run("du -xh --max-depth=1 /var/log |", &fixture("du-log"), Some(0));
    assert!(answer.contains("/var/log/nginx holds 431M of 664M."), "{answer}");
    story.run("du -xh --max-depth=1 /var/log/nginx |", &fixture("du-nginx"), Some(0));
    assert_eq!(story.status("List the largest files in /var/log/nginx"), StepStatus::Current);

    let answer = story.run("find /var/log/nginx -xdev -type f -size +3M", &fixture("find-ls-nginx"), Some(0));
    assert!(answer.contains("/var/log/nginx/error.log: 219M"), "{answer}");
    let answer = story.run("journalctl", &fixture("journal"), Some(0));
    assert!(answer.contains("journald keeps 71.1M."), "{answer}");
    let answer = story.run("lsof -nP +aL1 /var", &fixture("lsof"), Some(0));
    assert!(
        answer.contains("/var/log/app-debug.log is deleted, but python3 (pid 12628) holds it open: 60M"),
        "{answer}"
    );
    assert_eq!(story.status("Free space safely"), StepStatus::Pending);
    let answer = story.run("du -xh --max-depth=2 /var/cache", &fixture("du-apt"), Some(0));
    assert!(answer.contains("Downloaded packages take 71M."), "{answer}");

    assert_eq!(story.status("Free space safely"), StepStatus::Current);
    let vacuum = story.card("journalctl --vacuum-size=17M");
    assert_eq!(vacuum.risk, Risk::Medium);
    assert!(
        vacuum.description.contains("Frees about 53.3M.") && vacuum.description.contains("df -h /var"),
        "{vacuum:?}"
    );
    let truncate = story.card("truncate -s 0 -- /var/log/nginx/error.log");
    assert_eq!(truncate.risk, Risk::High);
    assert!(truncate.description.contains("The data is gone. Frees about 219M. Undo: none"), "{truncate:?}");
    story.card("apt-get clean");
    story.card("rm -- /var/log/nginx/access.log.1.gz");
    let remedies = story.cards.iter().filter(|c| !c.command.starts_with("df "));
    let risks: Vec<Risk> = remedies.map(|c| c.risk).collect();
    assert!(risks.is_sorted_by_key(|r| *r), "the safest first: {risks:?}");

    // A remedy alone ticks nothing.
    story.run("truncate -s 0 -- /var/log/nginx/error.log", "", Some(0));
    assert_eq!(story.status("Free space safely"), StepStatus::Current);
    assert!(!story.commands().contains(&"truncate -s 0 -- /var/log/nginx/error.log"), "it was done");
    story.run("journalctl --vacuum-size=17M", &fixture("vacuum"), Some(0));
    assert!(!story.commands().iter().any(|c| c.contains("vacuum")));
    let answer = story.run("df -h /var", &fixture("df-after"), Some(0));
    assert!(answer.contains("Freed about 275M: /var is at 66 % now (100 % before)."), "{answer}");
    assert!(story.steps.iter().all(|s| s.status == StepStatus::Done), "{:#?}", story.steps);
    assert!(story.cards.is_empty(), "{:?}", story.cards);
    assert_eq!(story.typed("df -h", &fixture("df-all"), Some(0)), "", "the plan is over");
}

#[test]
fn a_user_who_is_not_root_gets_sudo_and_one_without_sudo_does_not() {
    let mut story = Story::new("ada");
    story.chat("/var is full");
    story.run("df -h /var", &fixture("df-h"), Some(0));
    assert_eq!(story.commands(), ["sudo du -xh --max-depth=1 /var | sort -rh | head -20"]);
    let answer = story.run("sudo du", "ada is not in the sudoers file.\n", Some(1));
    assert!(answer.contains("sudo does not work here"), "{answer}");
    assert_eq!(story.commands(), ["du -xh --max-depth=1 /var | sort -rh | head -20"]);
    let answer = story.run("du", &fixture("du-denied"), Some(0));
    assert!(answer.contains("could not be read, so the sums are too small"), "{answer}");
    assert!(!answer.contains("in no file"), "a difference that permissions explain is no finding: {answer}");
}

#[test]
fn evidence_counts_in_any_order_and_by_any_command() {
    let mut story = Story::new("root");
    story.chat("/var is full");
    // The largest files first, by hand, then the journal, then one deep du, df last.
    story.typed("ls -lbS --time-style=long-iso /var/log/nginx", &fixture("find-ls-nginx"), Some(0));
    story.typed("journalctl --disk-usage", &fixture("journal"), None);
    story.typed("du -ah /var | sort -rh | head -20", &fixture("du-ah"), None);
    assert_eq!(story.status("See how full"), StepStatus::Current);
    let answer = story.typed(
        "df -h | grep var",
        &fixture("df-h").lines().nth(1).map(|l| format!("{l}\n")).unwrap_or_default(),
        Some(0),
    );
    for step in
        ["See how full", "Find which", "Follow it down to /var/log/nginx", "List the largest", "Ask journald"]
    {
        assert_eq!(story.status(step), StepStatus::Done, "{step}: {:#?}", story.steps);
    }
    assert!(answer.contains("/var/log/nginx holds 431M") && answer.contains("error.log: 219M"), "{answer}");
}

#[test]
fn a_raw_list_leads_to_a_look_before_anything_is_removed() {
    let mut story = Story::new("root");
    story.chat("/var is full");
    story.run("df -h /var", &fixture("df-h"), Some(0));
    story.typed("du -ah /var | sort -rh | head -20", &fixture("du-ah"), Some(0));
    story.typed("lsof -nP +aL1 /var", &fixture("lsof"), Some(0));
    story.typed("journalctl --disk-usage", &fixture("journal"), Some(0));
    let look = story.card("ls -ldb -- /var/log/nginx/error.log");
    assert_eq!(look.risk, Risk::Low);
    assert!(
        !story
            .commands()
            .iter()
            .any(|c| c.starts_with("rm") || c.contains("error.log") && c.starts_with("truncate"))
    );
    story.run(
        "ls -ldb -- /var/log/nginx/error.log",
        "-rw-r--r-- 1 root root 229412864 Nov 30 00:32 /var/log/nginx/error.log\n",
        Some(0),
    );
    story.card("truncate -s 0 -- /var/log/nginx/error.log");
}

#[test]
fn what_is_on_the_screen_already_is_not_asked_again() {
    let mut story = Story::new("root");
    story.tail = format!(
        "root@web:~# df -h\n{}root@web:~# du -xh --max-depth=1 /var\n{}root@web:~# ",
        fixture("df-all"),
        fixture("du-var")
    );
    let answer = story.chat("hey linus, /var is full what's eating the space");
    assert!(answer.contains("/var is 100 % full") && answer.contains("/var/log holds 542M"), "{answer}");
    story.card("du -xh --max-depth=1 /var/log ");
    // No mount point named: the fullest one is meant.
    let mut story = Story::new("root");
    story.tail = format!("$ df -h\n{}$ ", fixture("df-hT"));
    assert!(story.chat("the disk is full!").contains("/var is 100 % full"));
}

#[test]
fn the_contracts_example_works_on_a_path_that_is_no_mount_point() {
    let mut story = Story::new("root");
    story.tail = "root@prod-web-03:~# df -h\nFilesystem      Size  Used Avail Use% Mounted on\n\
                  /dev/sda1        45G   42G  1.2G  98% /\nroot@prod-web-03:~# _"
        .into();
    let answer = story.chat("hey linus, /var is full what's eating the space");
    assert!(answer.contains("/ is 98 % full: 42G of 45G used, 1.2G free."), "{answer}");
    assert!(answer.contains("/var is not a filesystem of its own: it is part of /."), "{answer}");
    let answer =
        story.run("du -xh --max-depth=1 /var", "2.1G\t/var\n1.2G\t/var/lib\n400M\t/var/log\n", Some(0));
    assert!(answer.contains("Only 2.1G of the 42G used on / is below /var"), "{answer}");
    story.card("du -xh --max-depth=1 / ");
}

#[test]
fn commands_between_change_nothing_and_stale_cards_are_cleared() {
    let mut story = Story::new("root");
    story.chat("/var is full");
    let before = story.cards.clone();
    assert_eq!(
        story.typed("uptime", " 00:31:05 up 20 min,  0 user,  load average: 0.03, 0.07, 0.06\n", Some(0)),
        ""
    );
    assert_eq!(story.cards, before);
    assert!(story.update("Nov 30 some log line\n").is_empty());
    // By hand instead of by the card: the card goes.
    story.typed("df -h", &fixture("df-all"), None);
    assert!(!story.commands().contains(&"df -h /var"), "{:?}", story.commands());
    assert!(story.update(&fixture("df-all")).is_empty(), "the same again is no news");
}

#[test]
fn misleading_text_ticks_nothing() {
    let mut story = Story::new("root");
    story.chat("/var is full");
    for (command, output) in [
        ("tail /var/log/app.log", "WARN /dev/sdb1 20G 19G 1G 98% /var\nusage 98% /var\n".to_owned()),
        ("cat /tmp/df.txt", fixture("df-h")),
        (
            "awk '{print $7}' access.log | sort | uniq -c | sort -rn",
            "   1532 /index.html\n    900 /var/log\n".into(),
        ),
        ("wc -l /var/log/*", "  100 /var/log/syslog\n  900 /var/log/auth.log\n 1000 total\n".into()),
        ("ps aux", "root 1 0.0 98% /var\n".into()),
    ] {
        story.typed(command, &output, Some(0));
        assert_eq!(story.status("See how full"), StepStatus::Current, "{command}");
        assert_eq!(story.commands(), ["df -h /var"], "{command}");
    }
}

#[test]
fn odd_file_names_are_quoted_so_that_a_shell_sees_exactly_the_file() {
    let mut story = Story::new("root");
    story.investigate();
    let mut command = String::new();
    // The same five names as recorded, large enough to matter, one after the other.
    for line in fixture("find-odd").lines() {
        let line = line.replace("4194304", "419430400");
        command = story.card("journalctl").command;
        story.typed("ls -lb --time-style=long-iso /var/log/odd/x", &line, Some(0));
    }
    assert!(!command.is_empty());
    story.run("journalctl", &fixture("journal"), Some(0));
    story.run("lsof", &fixture("lsof"), Some(0));
    story.run("du -xh --max-depth=2 /var/cache", &fixture("du-apt"), Some(0));
    let mut names = Vec::new();
    let quoted: Vec<String> =
        story.commands().iter().filter_map(|c| c.strip_prefix("truncate -s 0 -- ")).map(Into::into).collect();
    assert!(!quoted.is_empty(), "{:#?}", story.commands());
    for word in quoted {
        let out = Command::new("sh").args(["-c", &format!("printf '%s' {word}")]).output().expect("sh");
        names.push(String::from_utf8_lossy(&out.stdout).into_owned());
    }
    let odd = ["$(touch pwned).log", "-rf.log", "it's \"here\".log", "new\nline.log", "sp ace `id`.log"];
    for name in names {
        assert!(odd.iter().any(|o| name == format!("/var/log/odd/{o}")), "{name:?}");
    }
    assert!(!std::path::Path::new("pwned").exists());
}

#[test]
fn a_failed_command_is_told_and_replaced_by_what_works() {
    let mut story = Story::new("root");
    story.chat("/var is full");
    story.run("df", &fixture("bb-df"), Some(0));
    let answer = story.run("du", &fixture("bb-du-bad"), Some(1));
    assert!(answer.contains("BusyBox") && answer.contains("du: unrecognized option"), "{answer}");
    assert_eq!(story.commands(), ["du -xk -d 1 /var | sort -rn | head -20"]);
    story.run("du", &fixture("bb-du"), Some(0));
    story.card("du -xk -d 1 /var/log ");
    story.typed(
        "du -xk -d 1 /var/log | sort -rn",
        &fixture("du-k").replace("/var/log/journal/0123456789abcdef0123456789abcdef", "/var/log/x"),
        Some(0),
    );
    let answer = story.run("lsof", &fixture("lsof-missing"), Some(127));
    assert!(answer.contains("lsof is not installed"), "{answer}");
    let answer = story.run("find /proc/", &fixture("proc-fd"), Some(1));
    assert!(answer.contains("pid 12628 holds it open"), "{answer}");
    story.typed("du -xk -d 1 /var/log/nginx", &fixture("du-nginx"), Some(0));
    story.run("find /var/log/nginx", &fixture("bb-find-bad"), Some(1));
    story.run("find /var/log/nginx -xdev -type f -size +3781k -exec ls -l", &fixture("bb-find"), Some(0));
    assert_eq!(story.status("List the largest"), StepStatus::Done);
}

#[test]
fn an_error_that_he_does_not_know_he_says() {
    let mut story = Story::new("root");
    story.chat("/var is full");
    let answer = story.run("df", "df: /var: Transport endpoint is not connected\n", Some(1));
    assert!(
        answer.contains("ended with 1: df: /var: Transport endpoint") && answer.contains("I do not know"),
        "{answer}"
    );
    story.card("df -h /var");
}

#[test]
fn silence_is_evidence_only_with_an_exit_status_or_the_users_word() {
    let mut story = Story::new("root");
    story.chat("/var is full");
    story.run("df", &fixture("df-h"), Some(0));
    story.typed("du -ah /var", &fixture("du-ah"), Some(0));
    let answer = story.run("lsof", "", None);
    assert!(answer.contains("No output from `lsof -nP +aL1 /var` yet"), "{answer}");
    assert_ne!(story.status("deleted files"), StepStatus::Done);
    // It was slow: its output comes with an update.
    let update = story.update(&fixture("lsof"));
    assert!(said(&update).contains("app-debug.log is deleted"), "{update:?}");
    assert_eq!(story.status("deleted files"), StepStatus::Done);

    let mut story = Story::new("root");
    story.chat("/var is full");
    story.run("df", &fixture("df-h"), Some(0));
    story.typed("du -ah /var", &fixture("du-ah"), Some(0));
    story.run("lsof", "", None);
    assert!(story.chat("nothing").contains("No deleted file is held open."));
    assert_eq!(story.status("deleted files"), StepStatus::Done);
}

#[test]
fn inodes_can_be_what_is_full() {
    let mut story = Story::new("root");
    story.chat("no space left on device in /srv");
    let answer = story.run("df -h /srv", &fixture("ino-df-h"), Some(0));
    assert!(answer.contains("/srv is not full: 1 % used"), "{answer}");
    let answer = story.run("df -i /srv", &fixture("ino-df-i"), Some(0));
    assert!(answer.contains("/srv has no room for more files: 1024 of 1024 inodes"), "{answer}");
    let answer = story.run("find /srv -xdev -printf '%h\\n'", &fixture("ino-count"), Some(0));
    assert!(answer.contains("/srv/sessions has the most files: 1011."), "{answer}");
    assert_eq!(story.card("find /srv/sessions -xdev -type f -mtime +30 -delete").risk, Risk::High);
    story.card("find /srv/sessions -xdev -type f -mtime +30 | wc -l");
    let after = fixture("ino-df-i").replace("1024     0  100%", " 512   512   50%");
    let answer = story.run("df -i", &after, Some(0));
    assert!(answer.contains("/srv is at 50 % of its inodes now (100 % before)."), "{answer}");
    assert!(story.cards.is_empty() && story.steps.iter().all(|s| s.status == StepStatus::Done));
}

#[test]
fn what_is_not_full_is_said_with_its_number() {
    let mut story = Story::new("root");
    story.tail = format!("root@web:~# df -h /var\n{}root@web:~# ", fixture("df-after"));
    let answer = story.chat("why is /var full?");
    assert!(answer.contains("/var is not full: 66 % used, 236M free."), "{answer}");
    assert_eq!(story.commands(), ["df -i /var"]);
    let answer = story.run("df -i", &fixture("df-i"), Some(0));
    assert!(answer.contains("Nothing is full on /var now"), "{answer}");
    assert!(story.cards.is_empty());
}

#[test]
fn a_remedy_that_was_not_enough_is_told_with_its_numbers() {
    let mut story = Story::new("root");
    story.investigate();
    story.run("journalctl --disk-usage", &fixture("journal"), Some(0));
    story.run("lsof", &fixture("lsof"), Some(0));
    story.run("du -xh --max-depth=2 /var/cache", &fixture("du-apt"), Some(0));
    story.run("apt-get clean", "", Some(0));
    assert!(story.commands()[0].starts_with("journalctl") || story.commands().contains(&"df -h /var"));
    let answer = story.run(
        "df -h /var",
        "Filesystem Size Used Avail Use% Mounted on\n/dev/loop0 739M 653M 32M 96% /var\n",
        Some(0),
    );
    assert!(answer.contains("Freed about 71M, but /var is still at 96 %."), "{answer}");
    assert_eq!(story.status("Free space safely"), StepStatus::Current);
    story.card("truncate");
}

#[test]
fn a_failed_remedy_is_offered_again_and_counts_for_nothing() {
    let mut story = Story::new("root");
    story.investigate();
    story.run("journalctl --disk-usage", &fixture("journal"), Some(0));
    story.run("lsof", &fixture("lsof"), Some(0));
    story.run("du -xh --max-depth=2 /var/cache", &fixture("du-apt"), Some(0));
    let answer =
        story.run("apt-get clean", "E: Could not get lock /var/cache/apt/archives/lock\n", Some(100));
    assert!(answer.contains("ended with 100: E: Could not get lock"), "{answer}");
    story.card("apt-get clean");
}

#[test]
fn hostile_output_never_panics_and_never_becomes_a_wrong_command() {
    let mut story = Story::new("root");
    story.chat("/var is full");
    let evil = "Filesystem Size Used Avail Use% Mounted on\n/dev/sdb1 20G 20G 0 100% /var; reboot\n\
                20G\t/var; reboot\n19G\t/var; reboot/$(id)\n";
    story.typed("df -h; du -h", evil, Some(0));
    for card in &story.cards {
        assert!(!card.command.contains("reboot") || card.command.contains("'/var; reboot"), "{card:?}");
    }
    let text = fixture("find-odd") + &fixture("df-all") + &fixture("lsof");
    for end in (0..text.len()).filter(|i| text.is_char_boundary(*i)) {
        story.typed("x", &text[..end], None);
    }
}

#[test]
fn work_grows_with_the_text_and_not_faster() {
    // Counted in time only relative to itself, with room for a busy machine: 16 times the text may take at most
    // 100 times as long; quadratic work would take 256 times.
    let tail = |n: usize| {
        format!("{}{}\n", fixture("du-ah"), "-rw-r--r-- 1 root root 1 2026-11-30 00:32 /x/y z\n").repeat(n)
    };
    let time = |text: &str| {
        let mut story = Story::new("root");
        story.chat("/var is full");
        let start = std::time::Instant::now();
        story.update(text);
        start.elapsed()
    };
    let small = (0..3).map(|_| time(&tail(40))).min().unwrap_or_default();
    let large = time(&tail(640));
    assert!(large < small * 100, "{small:?} {large:?}");
}

#[test]
fn a_question_for_what_takes_the_space_is_followed_on_a_filesystem_that_is_not_full() {
    let mut story = Story::new("root");
    story.tail = fixture("df-after");
    let answer = story.chat("what is eating the space on /var?");
    assert!(answer.contains("/var is not full: 66 % used"), "{answer}");
    story.card("du -xh --max-depth=1 /var ");
}

#[test]
fn the_terminals_form_of_output_reads_the_same() {
    // Tabs have become blanks, colours are kept, lines end with CR LF.
    let through_terminal =
        |name: &str| fixture(name).replace('\t', "    ").replace('\n', "\u{1b}[K\u{1b}[0m\r\n");
    let mut story = Story::new("root");
    story.chat("/var is full");
    story.run("df -h", &through_terminal("df-h").replace("100%", "\u{1b}[01;31m100%\u{1b}[m"), None);
    story.run("du", &through_terminal("du-var"), None);
    story.card("du -xh --max-depth=1 /var/log ");
}

#[test]
fn on_a_network_device_no_shell_command_is_proposed() {
    let vtysh = "Hello, this is FRRouting (version 8.4.4).\n\nr1# show interface brief\nlo up\nr1#";
    let mut story = Story::new("admin");
    story.tail = vtysh.into();
    let answer = story.chat("/var is full");
    assert!(answer.contains("This is vtysh.") && answer.contains("I propose none here"), "{answer}");
    assert!(story.commands().is_empty());
    // A plan that began in the shell takes its cards back, and comes again with the shell.
    let mut story = Story::new("root");
    story.tail = "root@web1:~#".into();
    story.chat("/var is full");
    assert_eq!(story.commands(), ["df -h /var"]);
    story.tail = format!("root@web1:~# vtysh\n\n{vtysh}");
    story.chat("what now?");
    assert!(story.commands().is_empty(), "{:?}", story.commands());
    story.tail += " exit\nroot@web1:~#";
    story.chat("what now?");
    assert_eq!(story.commands(), ["df -h /var"]);
}
