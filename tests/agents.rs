//! Live sessions as other agents see them: real sessions to a real sshd, and the service that `--mcp` carries.
#![allow(clippy::unwrap_used)]

mod support;

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::sync::Mutex;
use std::sync::mpsc::channel;

use aissh::agents::runtime::Folder;
use aissh::agents::service_in;
use aissh::linus::Canceller;
use aissh::linus::contract::Request;
use aissh::linus::service::{Call, Change, Service};
use nix::sys::signal::Signal;
use serde_json::{Value, json};
use support::DEADLINE;
use support::aissh::{PREFIX, PROGRAM, Run};
use support::lab::Lab;
use support::linus::Linus;
use support::terminal::{Size, Terminal};

fn folder(lab: &Lab) -> Folder {
    Folder::at(lab.client_home().join("aissh")).unwrap()
}

fn call(service: &impl Service, tool: &str, arguments: &Value) -> Result<Value, String> {
    let (cancel, arguments) = (Canceller::new(), arguments.as_object().unwrap().clone());
    let mut call = Call { principal: "", client: "tester", cancel: &cancel, on_progress: &mut |_| () };
    let result = service.call(tool, &arguments, &mut call).map_err(|e| e.message)?;
    match result["isError"] == true {
        true => Err(result["content"][0]["text"].as_str().unwrap().to_owned()),
        false => Ok(result["structuredContent"].clone()),
    }
}

/// The sessions, once they are as wanted; woken by what changes.
fn listed(service: &impl Service, wanted: impl Fn(&[Value]) -> bool) -> Vec<Value> {
    let (change_tx, changes) = channel();
    let change_tx = Mutex::new(change_tx);
    let sink = move |change: Change| drop(change_tx.lock().unwrap().send(change));
    let _watching = service.watch(Box::new(sink)).unwrap();
    loop {
        let all = call(service, "session", &json!({"action": "list"})).unwrap();
        let all = all["sessions"].as_array().unwrap().clone();
        if wanted(&all) {
            return all;
        }
        changes.recv_timeout(DEADLINE).expect("the sessions change");
    }
}

/// The user shares the session on its page.
fn share(terminal: &Terminal) {
    terminal.send(format!("{PREFIX}A"));
    terminal.wait_text("Other agents");
    terminal.send("s");
    terminal.wait_text("and shared.");
    terminal.send("\x1b");
    terminal.wait_for(|screen| !screen.contents().contains("Other agents"), "the page's end");
    terminal.send(format!("{PREFIX}a"));
    terminal.wait_for(|screen| !screen.contents().contains("Suggested Commands"), "the panel's end");
}

fn run(lab: &Lab, args: &[&str]) -> Output {
    let mut command = Command::new(PROGRAM);
    command.args(args).env_clear().envs(lab.env()).stdin(Stdio::null());
    command.output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn an_agent_watches_suggests_and_learns_what_the_user_made_of_it() {
    let lab = Lab::builder().marks().start();
    let one = Run::aissh(&lab).size(Size::WIDE).at_prompt();
    let service = service_in(folder(&lab));
    listed(&service, |all| all.len() == 1);
    let two = Run::aissh(&lab).size(Size::WIDE).at_prompt();
    let all = listed(&service, |all| all.len() == 2);
    let aliases: Vec<&str> = all.iter().map(|one| one["alias"].as_str().unwrap()).collect();
    assert_eq!(aliases, ["lab-1", "lab-2"]);
    share(&one);
    let base = |action: &str| json!({"action": action, "session_id": "lab-1"});
    let at_prompt = json!({"action": "wait", "session_id": "lab-1", "until": "at_prompt"});
    assert_eq!(call(&service, "session", &at_prompt).unwrap()["met"], true);
    // The other one is not shared.
    let other = json!({"action": "output", "session_id": "lab-2"});
    assert!(call(&service, "session", &other).is_err_and(|why| why.contains("has not shared lab-2")));
    let mut suggest = base("suggest");
    suggest["commands"] = json!([{"command": "echo proposed", "description": "says it", "risk": "low"}]);
    let cards = call(&service, "copilot", &suggest).unwrap();
    assert_eq!(
        (&cards["cards"][0]["id"], &cards["cards"][0]["state"]),
        (&json!("tester:cmd_1"), &json!("proposed"))
    );
    one.send(format!("{PREFIX}a"));
    one.wait_text("tester: says it");
    // The user edits and sends it.
    one.send(format!("{PREFIX}1"));
    one.wait_text("Edit 1 tester:cmd_1");
    one.send(" and edited\r");
    let mut wait = base("wait");
    (wait["until"], wait["since_commands"]) = (json!("command_finished"), json!(0));
    let waited = call(&service, "session", &wait).unwrap();
    assert_eq!((&waited["met"], &waited["last_exit_code"]), (&json!(true), &json!(0)), "{waited}");
    let fate = listed(&service, |all| all[0]["cards"][0]["state"] == "done").swap_remove(0);
    let card = &fate["cards"][0];
    assert_eq!((&card["command"], &card["was_edited"]), (&json!("echo proposed and edited"), &json!(true)));
    assert_eq!((&card["exit_code"], &fate["last_command"]["exit_code"]), (&json!(0), &json!(0)));
    let mut output = base("output");
    output["from_line"] = json!(0);
    let page = call(&service, "session", &output).unwrap();
    assert!(page["text"].as_str().unwrap().contains("\nproposed and edited\n"), "{page}");
    // Nothing of it went to the other session.
    assert!(!two.screen_text().contains("proposed"));
    let read = fs::read_to_string(audit(&lab)).unwrap();
    for told in [
        r#""tool":"copilot","action":"suggest","outcome":"done""#,
        r#""by":"tester","command":"echo proposed""#,
    ] {
        assert!(read.contains(told), "{told}\n{read}");
    }
}

/// The only log of a session in which something happened.
fn audit(lab: &Lab) -> PathBuf {
    let folder = lab.client_home().join(".local/state/aissh/audit");
    let read = |path: &PathBuf| fs::read_to_string(path).unwrap_or_default();
    let mut logs = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    logs.find(|path| read(path).contains("suggest")).unwrap()
}

#[test]
fn the_user_sees_mutes_and_disconnects_agents() {
    let lab = Lab::start();
    let terminal = Run::aissh(&lab).size(Size::WIDE).at_prompt();
    let service = service_in(folder(&lab));
    listed(&service, |all| all.len() == 1);
    share(&terminal);
    let say = json!({"action": "say", "session_id": "lab-1", "message": "hello from outside"});
    call(&service, "copilot", &say).unwrap();
    terminal.send(format!("{PREFIX}A"));
    terminal.wait_text("tester: ");
    terminal.send("m");
    terminal.wait_text("tester: muted");
    let refused = call(&service, "copilot", &say);
    assert!(refused.is_err_and(|why| why.contains("muted")));
    terminal.send("m");
    terminal.wait_for(|screen| !screen.contents().contains("tester: muted"), "it may speak again");
    call(&service, "copilot", &say).unwrap();
    terminal.send("x");
    terminal.wait_text("tester: muted");
    assert!(call(&service, "session", &json!({"action": "output", "session_id": "lab-1"})).is_err());
    terminal.send("\x1b");
    terminal.wait_text("tester: hello from outside");
}

#[test]
fn sessions_are_listed_for_the_user_and_a_question_takes_them_along() {
    let lab = Lab::builder().marks().start();
    let one = Run::aissh(&lab).size(Size::WIDE).at_prompt();
    let service = service_in(folder(&lab));
    listed(&service, |all| all.len() == 1);
    let two = Run::aissh(&lab).size(Size::WIDE).at_prompt();
    listed(&service, |all| all.len() == 2);
    one.type_line("echo first-of-all GH_TOKEN=ghp_16C7e42F292c6912E7710c838347Ae178B4a");
    one.wait_prompt(lab.prompt());
    two.type_line("echo second-of-all");
    two.wait_prompt(lab.prompt());
    let at_prompt = |alias| json!({"action": "wait", "session_id": alias, "until": "at_prompt"});
    ["lab-1", "lab-2"].iter().for_each(|alias| drop(call(&service, "session", &at_prompt(*alias)).unwrap()));
    let list = text(&run(&lab, &["--sessions"]).stdout);
    assert!(list.contains("lab-1") && list.contains("lab-2") && list.contains("at_prompt"), "{list}");
    let json: Value = serde_json::from_slice(&run(&lab, &["--sessions", "--json"]).stdout).unwrap();
    assert_eq!(json["sessions"].as_array().unwrap().len(), 2);
    // Not shared, but it is the user who asks.
    let linus = Linus::modern();
    let url = linus.url();
    let asked = |args: &[&str]| {
        let before = linus.calls().len();
        let output = run(&lab, &[&["--linus-url", &url, "--ask"], args].concat());
        assert!(output.status.success(), "{}", text(&output.stderr));
        let calls = linus.wait_for(|calls| calls.len() > before, DEADLINE);
        match calls.last().unwrap().request.clone() {
            Request::Chat { context, .. } => (context, text(&output.stderr)),
            other => panic!("{other:?}"),
        }
    };
    let (context, _) = asked(&["what is on the screen", "--session", "lab-1"]);
    assert!(context.connected && context.terminal_tail.contains("first-of-all"), "{context:?}");
    assert!(!context.terminal_tail.contains("ghp_16C7") && context.last_exit_code == Some(0), "{context:?}");
    let (both, told) = asked(&["compare lab-1 with lab-2"]);
    for part in
        ["=== session lab-1, ", "first-of-all", "=== session lab-2, ", "second-of-all", "exit status 0"]
    {
        assert!(both.terminal_tail.contains(part), "{part}\n{}", both.terminal_tail);
    }
    assert!(told.contains("lab-1, lab-2"), "{told}");
    let unknown = run(&lab, &["--ask", "x", "--session", "nowhere-7"]);
    assert_eq!(unknown.status.code(), Some(65));
    assert!(text(&unknown.stderr).contains("unknown session \"nowhere-7\""), "{}", text(&unknown.stderr));
    // The page in the panel.
    one.send(format!("{PREFIX}s"));
    one.wait_text("2 live");
    one.wait_text("(this one)");
    one.wait_text("lab-2");
}

#[test]
fn a_killed_session_is_swept_and_one_that_ended_answers() {
    let lab = Lab::start();
    let (killed, ended) = (Run::aissh(&lab).at_prompt(), Run::aissh(&lab).at_prompt());
    let service = service_in(folder(&lab));
    let all = listed(&service, |all| all.len() == 2);
    killed.kill(Signal::SIGKILL);
    killed.wait_exit();
    let left = listed(&service, |all| all.len() == 1);
    let names =
        fs::read_dir(folder(&lab).path()).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap());
    let socks: Vec<String> = names.filter(|name| name.ends_with(".sock")).collect();
    assert_eq!(socks, [format!("{}.sock", left[0]["id"].as_str().unwrap())], "{all:?}");
    ended.type_line("exit 3");
    ended.wait_exit();
    let survivor = all.iter().find(|one| one["id"] == left[0]["id"]).unwrap();
    let wait = json!({"action": "wait", "session_id": survivor["id"], "until": "exited"});
    let waited = call(&service, "session", &wait).unwrap();
    assert_eq!((&waited["met"], &waited["exit_code"]), (&json!(true), &json!(3)));
}

#[test]
fn the_configuration_shares_from_the_beginning_or_never() {
    let lab = Lab::start();
    let config = lab.dir().join("aissh.toml");
    fs::write(&config, "[agents]\nshare = \"always\"\n").unwrap();
    let own = ["--config", config.to_str().unwrap()];
    let always = Run::aissh(&lab).own(&own).at_prompt();
    let service = service_in(folder(&lab));
    listed(&service, |all| all.len() == 1 && all[0]["shared"] == true);
    always.type_line("echo se''en");
    let matches = json!({"action": "wait", "session_id": "lab-1", "until": "output_matches", "pattern": "^seen$", "since_cursor": 0});
    assert_eq!(call(&service, "session", &matches).unwrap()["line"], "seen");
    always.type_line("exit");
    always.wait_exit();
    fs::write(&config, "[[host]]\nmatch = \"lab\"\nagents.share = \"never\"\n").unwrap();
    let never = Run::aissh(&lab).own(&own).size(Size::WIDE).at_prompt();
    listed(&service, |all| all.len() == 1);
    never.send(format!("{PREFIX}A"));
    never.wait_text("Other agents");
    never.send("s");
    never.wait_text("The configuration says never");
}

#[test]
fn the_dialogue_in_lines_has_the_same() {
    let lab = Lab::start();
    let terminal = Run::aissh(&lab).own(&["--plain"]).size(Size::WIDE).at_prompt();
    let service = service_in(folder(&lab));
    listed(&service, |all| all.len() == 1);
    terminal.send(format!("{PREFIX}A"));
    terminal.wait_text("This session is lab-1, and not shared.");
    terminal.send("s");
    terminal.wait_text("This session is lab-1, and shared.");
    listed(&service, |all| all[0]["shared"] == true);
}

/// Only root can become another user to try.
#[test]
fn another_user_is_refused_even_where_the_files_let_him_in() {
    if !nix::unistd::geteuid().is_root() {
        return;
    }
    let lab = Lab::start();
    let terminal = Run::aissh(&lab).size(Size::WIDE).at_prompt();
    let folder = folder(&lab);
    let service = service_in(folder.clone());
    let id = listed(&service, |all| all.len() == 1)[0]["id"].as_str().unwrap().to_owned();
    let socket = folder.path().join(format!("{id}.sock"));
    let script = format!(
        "import socket\ns = socket.socket(socket.AF_UNIX)\ns.settimeout(50)\ns.connect({:?})\n\
         s.sendall(b'{{\"v\":1,\"id\":1,\"agent\":\"x\",\"ask\":{{\"op\":\"about\"}}}}\\n')\nprint('heard', s.recv(100))",
        socket.display().to_string()
    );
    let as_nobody = || {
        let mut command = Command::new("setpriv");
        command.args([
            "--reuid",
            "65534",
            "--regid",
            "65534",
            "--clear-groups",
            "/usr/bin/python3",
            "-c",
            &script,
        ]);
        command.env_clear().env("PATH", std::env::var("PATH").unwrap()).output().unwrap()
    };
    let closed = as_nobody();
    assert!(text(&closed.stderr).contains("Permission"), "{}", text(&closed.stderr));
    // Were all of it open, the session would still ask the kernel who it is.
    let open =
        |path: &std::path::Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    for path in [lab.dir(), &lab.client_home(), folder.path()] {
        open(path, 0o755);
    }
    open(&socket, 0o777);
    let refused = as_nobody();
    let heard = text(&refused.stdout);
    let gone = text(&refused.stderr);
    assert!(
        heard.contains("heard b''") || gone.contains("reset") || gone.contains("Broken"),
        "{heard}{gone}"
    );
    // This user's are served still.
    let mut stream = UnixStream::connect(&socket).unwrap();
    stream.write_all(b"{\"v\":1,\"id\":1,\"ask\":{\"op\":\"about\"}}\n").unwrap();
    let mut line = String::new();
    BufReader::new(&stream).read_line(&mut line).unwrap();
    assert!(line.contains("\"alias\":\"lab-1\""), "{line}");
    assert!(terminal.screen_text().contains(lab.prompt()));
}
