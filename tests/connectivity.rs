//! The connectivity guard on a real remote: a session that cuts its own link off, and the timed undo that brings it back.
//! Client and server have a network namespace each, with a cable between them.
#![allow(clippy::unwrap_used)]

mod support;

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;

use support::aissh::{PREFIX, Run, chat, open_panel};
use support::envelopes::{card, suggests, to_chats};
use support::lab::Lab;
use support::linus::Linus;
use support::namespace::Namespace;
use support::terminal::{Size, Terminal};
use support::told::{told, wait_connected};
use support::zebra::Zebra;

const SERVER: &str = "10.77.0.2";

/// The user's side and the server's, with `up0` as the server's end of the cable.
fn cable() -> Option<(Namespace, Namespace)> {
    let (near, far) = (Namespace::new()?, Namespace::new()?);
    let far_id = far.pid();
    let made = near.ip(&format!("link add up1 type veth peer name up0 netns {far_id}"))
        && near.ip("addr add 10.77.0.1/24 dev up1")
        && near.ip("link set up1 up")
        && far.ip(&format!("addr add {SERVER}/24 dev up0"))
        && far.ip("link set up0 up")
        && far.ip("route add default via 10.77.0.1");
    made.then_some((near, far))
}

/// The remote's means, as this test wants them: neither systemd nor at, and five minutes that pass in three seconds, or
/// in 300.
fn means(lab: &Lab, sleep: &str) {
    let bin = lab.home().join("bin");
    std::fs::create_dir(&bin).unwrap();
    let missing = "#!/bin/sh\necho not found; exit 127\n";
    for (name, script) in [("systemctl", missing), ("atq", missing), ("sleep", sleep)] {
        std::fs::write(bin.join(name), script).unwrap();
        std::fs::set_permissions(bin.join(name), Permissions::from_mode(0o755)).unwrap();
    }
}

/// A session over the cable, with Linus's one card and its timer in the panel.
fn session(lab: &Lab, near: &Namespace, linus: &Linus) -> Terminal {
    let cat = format!("exec 3<>/dev/tcp/{SERVER}/{}; cat <&3 & exec cat >&3", lab.port());
    let proxy = format!("ProxyCommand {} bash -c '{cat}'", near.enter().join(" "));
    let run = Run::aissh(lab).linus(linus).size(Size::WIDE).ssh(&["-o", &proxy, "lab"]);
    let terminal = run.at_prompt();
    wait_connected(linus);
    for (n, line) in ["PATH=$HOME/bin:$PATH", "systemctl", "atq"].into_iter().enumerate() {
        terminal.type_line(line);
        told(linus, n);
    }
    open_panel(&terminal);
    chat(&terminal, "go");
    terminal.wait_text("cmd_001");
    terminal
}

/// Sends the card with this number, with the word where one is asked for. A number that has just moved is not obeyed.
fn send(terminal: &Terminal, number: u8) {
    let edit = format!("Edit {number} ");
    loop {
        terminal.send(format!("{PREFIX}{number}"));
        let is_settled = |screen: &vt100::Screen| {
            screen.contents().contains(&edit) || screen.contents().contains("look, then")
        };
        terminal.wait_for(is_settled, "the edit line");
        if terminal.screen_text().contains(&edit) {
            break;
        }
    }
    terminal.send("\r");
    terminal.wait_for(
        |screen| !screen.contents().contains(&edit) || screen.contents().contains("yes?"),
        "the end of the edit line",
    );
    if terminal.screen_text().contains("yes?") {
        terminal.send("yes\r");
    }
}

#[test]
fn a_session_that_cuts_its_own_link_comes_back_by_the_timed_undo() {
    let Some((near, far)) = cable() else {
        println!("skipped: network namespaces need root, unshare(1) and ip(8)");
        return;
    };
    let lab = Lab::builder().inside(far.enter()).sshd_option(&format!("ListenAddress {SERVER}")).start();
    means(&lab, "#!/bin/sh\nexec /bin/sleep \"${1%00}\"\n");
    let linus = Linus::modern();
    linus.reply_with(to_chats(suggests(vec![card("cmd_001", "ip link set up0 down")])));
    let terminal = session(&lab, &near, &linus);
    terminal.wait_text("Timed undo, to be sent first");
    send(&terminal, 2);
    let armed = told(&linus, 3);
    assert!(armed.command.contains("ip link set up0 up; ip addr restore"), "{armed:?}");
    terminal.send(format!("{PREFIX}1"));
    terminal.wait_text("Its timed undo is set");
    send(&terminal, 1);
    // The very session goes on: its bytes wait for the link, or got through just before it was cut.
    let until_back = "while ! ip route | grep -q ^default; do :; done";
    terminal.send(format!("{PREFIX}\t{until_back}; ip route; ip -br addr show up0; echo al''ive\r"));
    terminal.wait_text("alive");
    terminal.wait_text("default via 10.77.0.1 dev up0");
    terminal.wait_text(&format!("{SERVER}/24"));
    let came_back = told(&linus, 4);
    assert_eq!(came_back.command, "ip link set up0 down");
}

#[test]
fn a_session_that_is_alive_after_the_change_cancels_the_undo() {
    let Some((near, far)) = cable() else {
        println!("skipped: network namespaces need root, unshare(1) and ip(8)");
        return;
    };
    let lab = Lab::builder().inside(far.enter()).sshd_option(&format!("ListenAddress {SERVER}")).start();
    means(&lab, "#!/bin/sh\nexec /bin/sleep \"$1\"\n");
    let linus = Linus::modern();
    linus.reply_with(to_chats(suggests(vec![card("cmd_001", "ip route del default")])));
    let terminal = session(&lab, &near, &linus);
    send(&terminal, 2);
    told(&linus, 3);
    send(&terminal, 1);
    told(&linus, 4);
    terminal.wait_text("The session answers after the");
    send(&terminal, 1);
    let cancelled = told(&linus, 5);
    // This session's own timer: another test's may run beside it.
    let timer = cancelled.command.strip_prefix("pkill -f ").expect("the timer is a process");
    terminal.send(format!("{PREFIX}\tpgrep -fc {timer}\r"));
    let left = told(&linus, 6);
    assert_eq!(left.output.trim(), "0", "nothing waits any more");
    terminal.type_line("ip route");
    let routes = told(&linus, 7);
    assert!(!routes.output.contains("default"), "the change stands: {routes:?}");
}

#[test]
fn a_network_cli_that_has_no_timed_undo_is_offered_none_and_no_shell_syntax() {
    let Some(zebra) = Zebra::start("hunter2") else { return };
    let lab = Lab::builder().sshd_option(&format!("ForceCommand {}", zebra.vtysh())).start();
    let linus = Linus::modern();
    linus.reply_with(to_chats(suggests(vec![card("cmd_001", "shutdown")])));
    let terminal = Run::aissh(&lab).linus(&linus).size(Size::WIDE).start();
    terminal.wait_prompt("r1#");
    wait_connected(&linus);
    for (n, line) in ["configure terminal", "interface d1"].into_iter().enumerate() {
        terminal.type_line(line);
        told(&linus, n);
    }
    open_panel(&terminal);
    terminal.wait_text("(vtysh)");
    chat(&terminal, "go");
    terminal.wait_text("vtysh has no timed undo");
    assert!(!terminal.screen_text().contains("systemd-run"), "{}", terminal.screen_text());
}
