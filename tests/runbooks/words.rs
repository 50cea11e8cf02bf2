//! What people write and pipe in, and what they are told: plain wordings, small talk, single listings.

use super::story::{Story, fixture, said};
use aissh::builtin::Builtin;
use aissh::linus::contract::{ChatContext, Envelope, Request, StepStatus};

/// One question outside of a session, as `aissh --ask` puts it.
fn ask(question: &str, piped: &str) -> Envelope {
    Builtin::new().handle(&Request::Chat {
        session_id: "ask".into(),
        message: question.into(),
        context: ChatContext {
            ssh_host: String::new(),
            ssh_user: String::new(),
            connected: false,
            terminal_tail: piped.into(),
            cwd: None,
            last_command: None,
            last_exit_code: None,
        },
    })
}

fn commands(envelope: &Envelope) -> Vec<String> {
    let cards = envelope.suggested_commands.iter().flat_map(|s| &s.commands);
    cards.map(|c| c.command.clone()).collect()
}

const USR: &str = "4.9G\t/usr\n3.9G\t/usr/lib\n524M\t/usr/share\n412M\t/usr/bin\n60M\t/usr/sbin\n";

#[test]
fn plain_wordings_of_a_full_disk_are_understood() {
    for (question, command) in [
        ("var is full", "df -h /var"),
        ("/var is full", "df -h /var"),
        ("my /var is almost full", "df -h /var"),
        ("warum ist /var voll", "df -h /var"),
        ("warum ist /var schon wieder voll?", "df -h /var"),
        ("/var läuft voll", "df -h /var"),
        ("läuft voll", "df -h"),
        ("läuft schon wieder voll", "df -h"),
        ("die Platte ist voll", "df -h"),
        ("kein Platz mehr", "df -h"),
        ("disk", "df -h"),
        ("Disk?", "df -h"),
        ("disk usage", "df -h"),
        ("check disk space", "df -h"),
        ("free space", "df -h"),
        ("disk 100%", "df -h"),
        ("the disk is at 97%", "df -h"),
        ("full", "df -h"),
        ("it's full", "df -h"),
        ("no space", "df -h"),
        ("No space left on device", "df -h"),
        ("what's using all the space", "df -h"),
        ("where did all my space go", "df -h"),
        ("root filesystem 100%", "df -h /"),
        ("root partition is full", "df -h /"),
        ("how full is /", "df -h /"),
        ("how full is /home?", "df -h /home"),
        ("/dev/sda1 is 98% used, why", "df -h /dev/sda1"),
        ("what is eating /usr", "df -h /usr"),
        ("tmp 100%", "df -h /tmp"),
        ("/boot: 100%", "df -h /boot"),
        ("disk usage of /srv", "df -h /srv"),
        ("what is big in /opt", "df -h /opt"),
    ] {
        let mut story = Story::new("root");
        let answer = story.chat(question);
        assert_eq!(story.commands(), [command], "{question}: {answer}");
        assert!(answer.starts_with(&format!("Next: {command} (cmd_001).")), "{question}: {answer}");
    }
}

#[test]
fn other_subjects_are_not_taken_for_full_disks() {
    for question in [
        "how do I exit vim",
        "how do I tune postgres?",
        "what is the full path of nginx",
        "the full command to restart /etc/init.d/foo",
        "memory usage on /srv/app",
        "cpu at 100% on this disk server",
        "why does ssh to root fail",
        "how do I mount /dev/sdb1",
        "ls: cannot access /var/tmp/x",
        "swap space",
        "write a full backup to /mnt",
    ] {
        let mut story = Story::new("root");
        let answer = story.chat(question);
        let is_about_disks = |c: &&str| c.contains("df ") || c.contains("du -");
        assert!(!story.commands().iter().any(is_about_disks), "{question}: {answer}");
    }
}

#[test]
fn small_talk_gets_a_short_answer_and_claims_nothing() {
    let mut story = Story::new("root");
    story.tail = fixture("df-all");
    let hello = story.chat("hello");
    assert!(hello.contains("runbooks, no model") && hello.contains("Try: \"/var is full\"."), "{hello}");
    assert_eq!(story.chat("thanks!"), "You're welcome.");
    assert_eq!(story.chat("ok"), "Fine.");
    assert!(story.chat("who are you?").contains("full disks"));
    assert!(story.cards.is_empty() && story.steps.is_empty());
    story.chat("/var is full");
    assert!(story.chat("ok").starts_with("Fine.\nNext: du -xh --max-depth=1 /var"), "the plan goes on");
}

#[test]
fn an_unknown_question_is_told_what_is_on_the_screen_and_what_stands() {
    let mut story = Story::new("root");
    story.tail = format!("$ df -h\n{}$ ", fixture("df-all"));
    let answer = story.chat("how do I exit vim");
    assert!(answer.contains("What I do see on the screen: /var is 100 % full"), "{answer}");
    assert!(
        story
            .chat("is something wrong?")
            .starts_with("You did not ask about it, but the screen says:\n/var is")
    );
    assert!(story.chat("how do I exit vim").contains("still stands.\nNext: du "));
}

#[test]
fn a_piped_du_listing_is_answered_from_itself() {
    let shuffled: String = USR.lines().rev().map(|l| format!("{l}\n")).collect();
    for question in [
        "what is eating /usr",
        "what takes the space",
        "why is /usr full",
        "explain this",
        "which is the biggest",
        "disk usage",
    ] {
        for listing in [USR, &shuffled] {
            let envelope = ask(question, listing);
            let answer = said(&envelope);
            assert!(
                answer.contains("/usr/lib holds 3.9G of 4.9G.\n    3.9G  /usr/lib"),
                "{question}: {answer}"
            );
            assert!(
                answer.contains("Next: sudo du -xh --max-depth=1 /usr/lib | sor… (cmd_001)."),
                "{question}: {answer}"
            );
            assert_eq!(commands(&envelope), ["sudo du -xh --max-depth=1 /usr/lib | sort -rh | head -20"]);
        }
    }
    let answer = said(&ask("how do I exit vim", USR));
    assert!(answer.starts_with("That question I don't know. What was piped in says:\n/usr/lib"), "{answer}");
}

#[test]
fn a_piped_du_listing_may_have_any_form() {
    let holds = |listing: &str, wanted: &str| {
        let answer = said(&ask("what takes the space", listing));
        assert!(answer.contains(wanted) && answer.contains("Next: "), "{answer}");
    };
    holds("4900000\t/usr\n3900000\t/usr/lib\n", "/usr/lib holds 3.7G of 4.7G.");
    holds("900M\t/usr/share\n3.9G\t/usr/lib\n", "/usr/lib holds 3.9G.");
    holds("4.9G\t/usr\n", "/usr holds 4.9G.");
    holds("1.0G\t./lib\n3.0G\t./log\n4.0G\t.\n", "./log holds 3G of 4G.");
    holds(&fixture("du-rel"), "./log holds 542M.");
    holds(&fixture("du-ah"), "The largest file in /var/log/nginx is /var/log/nginx/error.log: 219M.");
    // A deep listing without -a: what looks like a file's name may be a directory's.
    let deep =
        "4.9G\t/usr\n3.9G\t/usr/lib\n2.9G\t/usr/lib/python3.11\n2.8G\t/usr/lib/python3.11/site-packages\n";
    holds(deep, "/usr/lib/python3.11/site-packages holds 2.8G of 4.9G.");
    let spread = "4.0G\t/srv\n1.4G\t/srv/a\n1.3G\t/srv/b\n1.3G\t/srv/c\n";
    holds(spread, "No single directory of /srv dominates; the largest is /srv/a with 1.4G.");
    assert!(said(&ask("why is /home full", USR)).contains("This listing is of /usr, not of /home."));
    // The listing of a parent is one of the directory too.
    assert!(said(&ask("what is eating /usr/lib", USR)).contains("/usr/lib holds 3.9G"));
}

#[test]
fn piped_inodes_are_told_with_their_numbers_and_then_df_is_asked_for() {
    let envelope = ask("why is /var full", &fixture("df-i"));
    let answer = said(&envelope);
    assert!(answer.contains("Inodes are not short on /var: 6 % used, 46272 of 49152 free."), "{answer}");
    assert!(answer.contains("Next: df -h /var (cmd_001)."), "{answer}");
    let whole = "Filesystem Inodes IUsed IFree IUse% Mounted on\n/dev/vda 1000000 400000 600000 40% /\n\
                 tmpfs 500000 1 499999 1% /run\ndevtmpfs 500000 300 499700 1% /dev\n";
    for (question, next) in [("why is /var full", "df -h /var"), ("disk full", "df -h")] {
        let answer = said(&ask(question, whole));
        assert!(answer.contains("Inodes are not short on /: 40 % used, 600000 of 1000000 free."), "{answer}");
        assert!(answer.contains(&format!("Next: {next} (cmd_001).")), "{answer}");
    }
    let answer = said(&ask("why is /srv full", &fixture("ino-df-i")));
    assert!(answer.contains("/srv has no room for more files: 1024 of 1024 inodes"), "{answer}");
    assert!(answer.contains("Next: sudo find /srv "), "{answer}");
}

#[test]
fn in_a_session_a_listing_without_df_goes_on_to_df_before_anything_is_removed() {
    let mut story = Story::new("root");
    story.tail = format!("root@web:~# du -xh --max-depth=1 /var\n{}root@web:~# ", fixture("du-var"));
    let answer = story.chat("what is eating /var");
    assert!(answer.contains("/var/log holds 542M of 664M."), "{answer}");
    story.run("du -xh --max-depth=1 /var/log ", &fixture("du-log"), Some(0));
    story.run("du -xh --max-depth=1 /var/log/nginx ", &fixture("du-nginx"), Some(0));
    story.run("find /var/log/nginx", &fixture("find-ls-nginx"), Some(0));
    assert_eq!(story.commands(), ["df -h /var"]);
    assert_eq!(story.status("See how full its filesystem"), StepStatus::Current);
    let answer = story.run("df -h /var", &fixture("df-h"), Some(0));
    assert!(answer.contains("/var is 100 % full"), "{answer}");
    story.card("truncate -s 0 -- /var/log/nginx/error.log");
}

#[test]
fn the_card_of_the_current_step_is_always_the_first() {
    let mut story = Story::new("root");
    story.chat("/var is full");
    story.run("df -h /var", &fixture("df-h"), Some(0));
    for (start, output) in [
        ("du -xh --max-depth=1 /var ", "du-var"),
        ("du -xh --max-depth=1 /var/log ", "du-log"),
        ("du -xh --max-depth=1 /var/log/nginx ", "du-nginx"),
        ("find /var/log/nginx ", "find-ls-nginx"),
        ("journalctl --disk-usage", "journal"),
        ("du -xh --max-depth=2 /var/cache ", "du-apt"),
        ("lsof ", "lsof"),
    ] {
        // In the order of the panel, which appends what it does not have.
        assert!(story.panel[0].starts_with(start), "{start}: {:#?}", story.panel);
        let answer = story.run(start, &fixture(output), Some(0));
        let first: String = story.panel[0].chars().take(20).collect();
        assert!(answer.contains(&format!("Next: {first}")), "{answer}: {:?}", story.panel);
    }
}

#[test]
fn what_was_done_is_noticed_in_one_line() {
    let mut story = Story::new("root");
    story.investigate();
    for start in ["journalctl --disk-usage", "du -xh --max-depth=2 /var/cache", "lsof"] {
        let name = if start == "lsof" {
            "lsof"
        } else if start.starts_with('d') {
            "du-apt"
        } else {
            "journal"
        };
        story.run(start, &fixture(name), Some(0));
    }
    let next = |story: &Story| format!("Next: df -h /var ({}).", story.card("df -h /var").id);
    for (start, exit, said) in [
        ("apt-get clean", Some(0), "Done."),
        ("rm -- /var/log/nginx/access.log.1.gz", None, "It ended; I saw no error."),
        ("truncate -s 0 -- /var/log/nginx/error.log", Some(0), "Done."),
    ] {
        let answer = story.run(start, "", exit);
        assert_eq!(answer, format!("{said} {}", next(&story)));
    }
    // A listing that was read and tells nothing new.
    let answer = story.typed("du -xh --max-depth=1 /var/lib", "52M\t/var/lib\n12M\t/var/lib/dpkg\n", Some(0));
    assert_eq!(answer, format!("Read. {}", next(&story)));
    assert_eq!(story.typed("uptime", "up 3 days\n", Some(0)), "");
}

#[test]
fn after_a_change_its_effect_comes_first_and_after_the_look_the_rest() {
    let mut story = Story::new("root");
    story.investigate();
    assert!(story.panel[0].starts_with("journalctl"), "{:?}", story.panel);
    let answer = story.run("truncate -s 0 -- /var/log/nginx/error.log", "", Some(0));
    assert!(answer.starts_with("Done. Next: df -h /var ("), "{answer}");
    assert_eq!(story.status("Free space safely"), StepStatus::Current);
    assert_eq!(story.status("Ask journald"), StepStatus::Pending);
    // It had no effect: another look is not what is next.
    let answer = story.run("df -h /var", &fixture("df-h"), Some(0));
    assert!(answer.starts_with("Read. Next: journalctl --disk-usage ("), "{answer}");
    assert_eq!(story.status("Ask journald"), StepStatus::Current);
}

#[test]
fn an_edited_or_equivalent_remedy_is_not_offered_again_unless_it_failed() {
    let tail = "tail -n 20 -- /var/log/nginx/error.log";
    let edited = format!("{tail} | cut -c1-50");
    let mut story = Story::new("root");
    story.investigate();
    let card = story.card(tail);
    story.report(&edited, Some(card), "", Some(1));
    let card = story.card(tail);
    let answer = story.report(&edited, Some(card), "2026 upstream timed out\n", Some(0));
    assert!(answer.starts_with("Done. Next: "), "{answer}");
    assert!(!story.commands().contains(&tail), "{:?}", story.commands());

    let mut story = Story::new("root");
    story.investigate();
    story.typed("sudo tail -50 /var/log/nginx/error.log", "2026 upstream timed out\n", Some(0));
    assert!(!story.commands().contains(&tail), "{:?}", story.commands());
    // Whoever removed something by hand is shown what it brought.
    story.typed("truncate -s0 /var/log/nginx/error.log", "", Some(0));
    assert_eq!(
        story.commands().iter().filter(|c| c.contains("error.log")).count(),
        0,
        "{:?}",
        story.commands()
    );
    story.card("df -h /var");
}
