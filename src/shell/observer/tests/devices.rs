//! Network devices and PowerShell, as streams. Written from public documentation and transcripts: none of these could
//! be had to record. What FRR's CLIs really send is in `recorded.rs`.

use super::cases::{BASH, bash, records, run};
use super::*;
use crate::shell::{Clue, Dialect};

/// A command, what comes back, and the prompt after it. `PAGE` in the output stands for a pager's line, answered by
/// a blank and erased.
type Step = (&'static str, &'static str, &'static str);

const PAGE: char = '\u{c}';

struct Device {
    dialect: (Dialect, Clue),
    login: &'static str,
    prompt: &'static str,
    pager: &'static str,
    steps: &'static [Step],
}

const DEVICES: [Device; 9] = [
    Device {
        dialect: (Dialect::Ios, Clue::Message),
        login: "\r\nUnauthorized access prohibited\r\n\r\n",
        prompt: "Router>",
        pager: " --More-- ",
        steps: &[
            ("enable", "", "Router#"),
            (
                "show version",
                "Cisco IOS Software, C2900 Software (C2900-UNIVERSALK9-M), Version 15.6(3)M2\r\na\r\n\x0cb\r\n",
                "Router#",
            ),
            (
                "configure terminal",
                "Enter configuration commands, one per line.  End with CNTL/Z.\r\n",
                "Router(config)#",
            ),
            ("interface g0/0", "", "Router(config-if)#"),
            (
                "shutdwon",
                "         ^\r\n% Invalid input detected at '^' marker.\r\n\r\n",
                "Router(config-if)#",
            ),
            ("end", "", "Router#"),
        ],
    },
    Device {
        dialect: (Dialect::NxOs, Clue::Message),
        login: "\r\n",
        prompt: "n9k# ",
        pager: "--More--",
        steps: &[
            ("conf t", "Enter configuration commands, one per line. End with CNTL/Z.\r\n", "n9k(config)# "),
            ("int ethernet1/10", "", "n9k(config-if)# "),
            (
                "ip address 10.0.50.3/24",
                "                        ^\r\n% Invalid command at '^' marker.\r\n",
                "n9k(config-if)# ",
            ),
        ],
    },
    Device {
        dialect: (Dialect::Eos, Clue::Message),
        login: "Last login: Thu Jun  3 12:06:25 2021 from 10.73.1.3\r\n",
        prompt: "leaf1>",
        pager: " --More-- ",
        steps: &[("en", "", "leaf1#"), ("show bogus", "% Invalid input (at token 1: 'bogus')\r\n", "leaf1#")],
    },
    Device {
        dialect: (Dialect::Junos, Clue::Banner),
        login: "Last login: Sat Mar 30 13:44:53 2019 from 100.123.35.0\r\n--- JUNOS 17.4R1-S2.2 Kernel 64-bit  JNPR-11.0-20180127.fdc8dfc_buil\r\n",
        prompt: "jcluser@vMX1> ",
        pager: "---(more)---",
        steps: &[
            ("show configuration", "a;\r\n\x0cb;\r\n\r\n", "jcluser@vMX1> "),
            ("edit", "Entering configuration mode\r\n\r\n[edit]\r\n", "jcluser@vMX1# "),
            ("set system services telnet", "\r\n[edit]\r\n", "jcluser@vMX1# "),
            ("commit and-quit", "commit complete\r\nExiting configuration mode\r\n\r\n", "jcluser@vMX1> "),
        ],
    },
    Device {
        dialect: (Dialect::Vrp, Clue::Banner),
        login: "Info: The max number of VTY users is 10, and the number\r\n      of current VTY users on line is 1.\r\n",
        prompt: "<HUAWEI>",
        pager: "  ---- More ----",
        steps: &[
            ("display interface", "a\r\n\x0cb\r\n", "<HUAWEI>"),
            ("system-view", "Enter system view, return user view with Ctrl+Z.\r\n", "[HUAWEI]"),
            ("interface GigabitEthernet0/0/1", "", "[HUAWEI-GigabitEthernet0/0/1]"),
            ("quit", "", "[HUAWEI]"),
        ],
    },
    Device {
        dialect: (Dialect::RouterOs, Clue::Mode),
        login: "  MikroTik RouterOS 7.11 (c) 1999-2023       https://www.mikrotik.com/\r\n\r\nPress F1 for help\r\n\r\n",
        prompt: "[admin@MikroTik] > ",
        pager: "-- [Q quit|D dump|down]",
        steps: &[
            (
                "/ip address print",
                "Columns: ADDRESS, INTERFACE\r\n\x0c 0 10.0.0.1/24 ether1\r\n",
                "[admin@MikroTik] > ",
            ),
            ("/ip/address", "", "[admin@MikroTik] /ip/address> "),
            ("..", "", "[admin@MikroTik] /ip> "),
        ],
    },
    Device {
        dialect: (Dialect::PanOs, Clue::Banner),
        login: "Last login: Mon Jan 12 11:33:37 2026 from 192.168.30.81\r\n\r\nNumber of failed attempts since last successful login: 0\r\n\r\n",
        prompt: "admin@PA-VM> ",
        pager: "lines 1-23 ",
        steps: &[
            ("show system info", "hostname: PA-VM\r\n\x0cip-address: 10.0.0.254\r\n", "admin@PA-VM> "),
            ("configure", "Entering configuration mode\r\n[edit]\r\n", "admin@PA-VM# "),
            ("exit", "Exiting configuration mode\r\n", "admin@PA-VM> "),
        ],
    },
    Device {
        dialect: (Dialect::FortiOs, Clue::Mode),
        login: "",
        prompt: "FortiGate-VM64 # ",
        pager: "--More-- ",
        steps: &[
            ("show", "a\r\n\x0cb\r\n", "FortiGate-VM64 # "),
            ("config system global", "", "FortiGate-VM64 (global) # "),
            ("end", "", "FortiGate-VM64 # "),
        ],
    },
    Device {
        dialect: (Dialect::PowerShell, Clue::Prompt),
        login: "Windows PowerShell\r\nCopyright (C) Microsoft Corporation. All rights reserved.\r\n\r\n",
        prompt: "PS C:\\Users\\joe> ",
        pager: "",
        steps: &[("ls", "a\r\n", "PS C:\\Users\\joe> "), ("hostname", "web1\r\n", "PS C:\\Users\\joe> ")],
    },
];

/// Types a command and lets the device answer; its pager waits, and goes on.
fn answer(rig: &mut Rig, pager: &str, (command, output, prompt): Step) {
    rig.keys(command);
    rig.feed(command);
    rig.input(Input::Enter);
    rig.feed("\r\n");
    let mut pages = output.split(PAGE).peekable();
    while let Some(page) = pages.next() {
        rig.feed(page);
        if pages.peek().is_some() {
            rig.feed(pager);
            rig.settle();
            assert_eq!(rig.state(), State::Waiting, "{pager}");
            rig.keys(" ");
            rig.feed(format!("\r{}\r", " ".repeat(pager.len())));
        }
    }
    rig.feed(prompt);
    rig.settle();
}

#[test]
fn devices_are_recognised_followed_and_their_commands_told() {
    for device in DEVICES {
        let mut rig = Rig::new();
        rig.feed(device.login);
        rig.feed(device.prompt);
        rig.settle();
        for step in device.steps {
            answer(&mut rig, device.pager, *step);
            let at = format!("{} after {}", step.2, step.0);
            assert_eq!(rig.state(), State::AtPrompt, "{at}");
            let told: Vec<_> = rig
                .take()
                .into_iter()
                .filter_map(|e| if let ShellEvent::Command(record) = e { Some(record) } else { None })
                .collect();
            assert_eq!(told.len(), 1, "{at}: {told:?}");
            assert_eq!((told[0].command.as_deref(), told[0].exit), (Some(step.0), None), "{at}");
            assert!(!told[0].output.contains("ore--"), "{at}: {told:?}");
        }
        let facts = rig.observer.facts();
        assert_eq!((facts.dialect, facts.dialect_from), (device.dialect.0, Some(device.dialect.1)));
        assert_eq!((facts.last_exit, facts.cwd.as_deref()), (None, None), "{:?}", device.dialect);
    }
}

#[test]
fn a_device_below_a_shell_is_known_by_its_greeting_and_lost_with_it() {
    let mut rig = bash();
    assert_eq!(rig.observer.facts().dialect, Dialect::Posix);
    run(&mut rig, "telnet r1");
    assert_eq!(rig.observer.facts().dialect, Dialect::Unknown, "something else may read the next line");
    rig.feed("Trying 10.0.0.1...\r\n\r\nHello, this is FRRouting (version 8.4.4).\r\n\r\nPassword: ");
    assert_eq!(rig.state(), State::Secret);
    rig.keys("hunter2\r");
    rig.feed("\r\nr1> ");
    rig.settle();
    assert_eq!((rig.state(), rig.observer.facts().dialect), (State::AtPrompt, Dialect::Vtysh));
    rig.keys("exit\r");
    rig.feed("exit\r\nConnection closed by foreign host.\r\n");
    rig.feed(BASH);
    rig.settle();
    assert_eq!((rig.state(), rig.observer.facts().dialect), (State::AtPrompt, Dialect::Posix));
}

#[test]
fn a_devices_prompt_is_no_program_and_is_followed_into_its_modes() {
    let mut rig = Rig::new();
    rig.feed("\r\nRouter>");
    rig.settle();
    assert_eq!(rig.state(), State::Unknown);
    rig.keys("en\r");
    rig.feed("en\r\nPassword: ");
    assert_eq!(rig.state(), State::Secret);
    rig.keys("hunter2\r");
    rig.feed("\r\nRouter#");
    rig.settle();
    assert_eq!(rig.state(), State::AtPrompt);
    let mut run = |command: &str, output: &str, prompt: &str| {
        rig.keys(&format!("{command}\r"));
        rig.feed(format!("{command}\r\n{output}{prompt}"));
        rig.settle();
        records(rig.take()).pop().map(|r| (r.command.unwrap_or_default(), r.output, r.exit))
    };
    let note = "Enter configuration commands, one per line.  End with CNTL/Z.";
    let told = run("conf t", &format!("{note}\r\n"), "Router(config)#");
    assert_eq!(told, Some(("conf t".into(), note.into(), None)));
    let told = run("int g0/0", "", "Router(config-if)#");
    assert_eq!(told, Some(("int g0/0".into(), String::new(), None)));
    let refused = "      ^\r\n% Invalid input detected at '^' marker.\r\n\r\n";
    run("foo", refused, "Router(config-if)#");
    run("end", "", "Router#");
    let told = run("show clock", "*00:01:02.003 UTC Mon Mar 1 1993\r\n", "Router#");
    assert_eq!(told.map(|t| t.0), Some("show clock".into()));
    assert_eq!(rig.observer.facts().dialect, Dialect::IosLike);
}
