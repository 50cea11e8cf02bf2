//! The service against a real hub on a real socket; the main loop's part is played here.

use std::io::{BufRead, BufReader, Write};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use super::*;
use crate::agents::hub::{Act, CardNote, Ended, Hub, Seen, Setup, Update};
use crate::linus::Canceller;
use crate::linus::redact::Options;
use crate::shell::State;

const ID: &str = "0f1e2d3c-4b5a-4978-8695-a4b3c2d1e0f0";
const DEADLINE: Duration = Duration::from_secs(60);
const TOKEN: &str = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";

/// One session, without its terminal.
struct Rig {
    dir: std::path::PathBuf,
    folder: Folder,
    hub: Option<Hub>,
    acts: Receiver<Act>,
    service: Box<dyn Service>,
}

impl Rig {
    fn new() -> Self {
        let template = std::env::temp_dir().join("aissh-hub.XXXXXX");
        let dir = nix::unistd::mkdtemp(&template).expect("make a folder");
        let folder = Folder::at(dir.join("aissh")).expect("a folder");
        let (act_tx, acts): (Sender<Act>, _) = channel();
        let of_hub = folder.clone();
        let setup = Setup {
            id: ID.into(),
            host: "web.example.org".into(),
            ssh_host: "root@web.example.org".into(),
            user: "root".into(),
            redact: Options::default(),
            on_start: || (),
            folder: Box::new(move || Ok(of_hub)),
        };
        let hub = Hub::start(setup, move |act| drop(act_tx.send(act))).expect("a hub");
        let service: Box<dyn Service> = Box::new(service_in(folder.clone()));
        let rig = Self { dir, folder, hub: Some(hub), acts, service };
        rig.act(|act| matches!(act, Act::Alias(alias) if alias == "web-1").then_some(()));
        rig
    }

    fn shared() -> Self {
        let rig = Self::new();
        rig.tell(Update::Share { on: true, shown: String::new() });
        rig
    }

    fn tell(&self, update: Update) {
        self.hub.as_ref().expect("it lives").tell(update);
    }

    fn print(&self, text: &str) {
        self.hub.as_ref().expect("it lives").output(Some(text.as_bytes()), Instant::now());
    }

    /// The next thing of this kind that the main loop is told.
    fn act<T>(&self, wanted: impl Fn(&Act) -> Option<T>) -> T {
        loop {
            let act = self.acts.recv_timeout(DEADLINE).expect("an act");
            if let Some(found) = wanted(&act) {
                return found;
            }
        }
    }

    /// The call's structured result, or its error's text.
    #[allow(clippy::needless_pass_by_value, reason = "json! makes values")]
    fn call(&self, tool: &str, arguments: Value) -> Result<Value, String> {
        call(&*self.service, tool, &arguments, &Canceller::new())
    }

    fn output(&self, mut arguments: Value) -> Result<Value, String> {
        arguments["action"] = json!("output");
        arguments["session_id"] = json!("web-1");
        self.call("session", arguments)
    }

    fn wait(&self, until: &str, mut arguments: Value) -> Result<Value, String> {
        arguments["action"] = json!("wait");
        arguments["session_id"] = json!("web-1");
        arguments["until"] = json!(until);
        self.call("session", arguments)
    }
}

impl Drop for Rig {
    fn drop(&mut self) {
        if let Some(hub) = self.hub.take() {
            hub.end(0);
        }
        let _ = std::fs::remove_dir_all(&self.dir);
    }
}

fn call(service: &dyn Service, tool: &str, arguments: &Value, cancel: &Canceller) -> Result<Value, String> {
    let arguments = arguments.as_object().expect("an object").clone();
    let mut call = Call { principal: "", client: "tester", cancel, on_progress: &mut |_| () };
    let result = service.call(tool, &arguments, &mut call).map_err(|e| e.message)?;
    match result["isError"] == true {
        true => Err(result["content"][0]["text"].as_str().unwrap_or_default().to_owned()),
        false => Ok(result["structuredContent"].clone()),
    }
}

#[test]
fn what_the_tools_cost_is_bounded() {
    let tools = json!({"tools": tools::all()});
    for tool in tools["tools"].as_array().expect("a list") {
        let description = tool["description"].as_str().expect("a text");
        assert!(description.len() <= 2048, "{}: {}", tool["name"], description.len());
    }
    let bytes =
        |from: usize| json!({"tools": &tools["tools"].as_array().expect("a list")[from..]}).to_string().len();
    let (all, of_host) = (bytes(0), bytes(2));
    assert!(all - of_host <= 4096 && all <= 10_240, "tools/list has {all} bytes, {of_host} of the host's");
    println!("tools/list: {all} bytes, {of_host} of them the host's tools");
}

#[test]
fn before_it_is_shared_a_session_tells_only_what_it_is() {
    let rig = Rig::new();
    rig.tell(Update::Command(Ended { command: Some("secret-command".into()), exit: Some(3) }));
    rig.print("secret-output\n");
    let listed = rig.call("session", json!({"action": "list"})).expect("listed");
    let one = &listed["sessions"][0];
    let of = |key: &str| one[key].clone();
    assert_eq!(
        (of("id"), of("alias"), of("ssh_host")),
        (json!(ID), json!("web-1"), json!("root@web.example.org"))
    );
    assert_eq!((of("user"), of("shared"), of("pending_cards")), (json!("root"), json!(false), json!(0)));
    assert!(!listed.to_string().contains("secret-"), "{listed}");
    for refused in [
        rig.output(json!({})),
        rig.wait("output_matches", json!({"pattern": "x"})),
        rig.call("session", json!({"action": "rename", "session_id": ID, "alias": "x"})),
        rig.call("copilot", json!({"action": "say", "session_id": "web-1", "message": "hi"})),
    ] {
        assert!(refused.as_ref().is_err_and(|why| why.contains("has not shared web-1")), "{refused:?}");
    }
    // What was printed before is nobody's when it is shared.
    rig.tell(Update::Share { on: true, shown: "$ \n".into() });
    assert_eq!(rig.output(json!({})).expect("shared")["text"], "$\n");
}

#[test]
fn a_session_is_known_by_three_names_and_one_answer_tells_of_none() {
    let rig = Rig::shared();
    rig.print("hello\n");
    for name in [ID, "web-1", "root@web.example.org"] {
        let page = rig.call("session", json!({"action": "output", "session_id": name})).expect("a page");
        assert_eq!(page["text"], "hello\n", "{name}");
    }
    for (tool, action) in
        [("session", "output"), ("session", "rename"), ("copilot", "say"), ("session", "wait")]
    {
        let arguments =
            json!({"action": action, "session_id": "web-9", "alias": "x", "message": "x", "until": "idle"});
        let why = rig.call(tool, arguments).expect_err("there is none");
        assert_eq!(why, "unknown session \"web-9\"", "{tool} {action}");
    }
    let renamed = rig.call("session", json!({"action": "rename", "session_id": "web-1", "alias": "main"}));
    assert_eq!(renamed.expect("renamed")["alias"], "main");
    assert!(rig.call("session", json!({"action": "output", "session_id": "main"})).is_ok());
    let bad = rig.call("session", json!({"action": "rename", "session_id": "main", "alias": "a\nb"}));
    assert!(bad.is_err_and(|why| why.starts_with("alias: ")));
}

#[test]
fn output_has_no_secrets_and_none_is_told_while_one_is_entered() {
    let rig = Rig::shared();
    // A row as wide as the widest could go on in the next one: not here.
    rig.print(&format!("{}\r\n", "x".repeat(70)));
    rig.print(&format!("export GH_TOKEN={TOKEN}\r\n\x1b[1mbold\x1b[m\r\n$ "));
    let page = rig.output(json!({"from_line": 1, "limit": 10})).expect("a page");
    assert_eq!(page["text"], "export GH_TOKEN=‹github-token-1›\nbold\n");
    assert_eq!(
        (&page["current_line"], &page["has_more"], &page["next_cursor"]),
        (&json!("$"), &json!(false), &Value::Null)
    );
    let raw = rig.output(json!({"format": "raw", "from_line": 0})).expect("a page");
    assert!(raw["text"].as_str().is_some_and(|text| text.contains("\x1b[1mbold") && !text.contains(TOKEN)));
    rig.tell(Update::Learn("hunter2hunter2".into(), "filled-in"));
    rig.print("hunter2hunter2\n");
    let since = rig.output(json!({"since_cursor": page["cursor"]})).expect("a page");
    assert!(!since.to_string().contains("hunter2"), "{since}");
    rig.tell(Update::Seen(Seen { state: State::Secret, ..Seen::default() }));
    assert!(rig.output(json!({})).is_err_and(|why| why.contains("secret")));
}

#[test]
fn waits_end_when_what_they_wait_for_comes_and_at_once_where_it_holds() {
    let rig = Rig::shared();
    let rig = Arc::new(std::sync::Mutex::new(rig));
    let service = service_in(rig.lock().expect("rig").folder.clone());
    let wait = |arguments: Value| call(&service, "session", &arguments, &Canceller::new()).expect("waited");
    let base =
        |until: &str| json!({"action": "wait", "session_id": "web-1", "until": until, "timeout_ms": 50_000});
    std::thread::scope(|scope| {
        let at_prompt = scope.spawn(|| wait(base("at_prompt")));
        let finished = scope.spawn(|| wait(base("command_finished")));
        let mut matches = base("output_matches");
        matches["pattern"] = json!("^done (\\d+)$");
        let matches = scope.spawn(move || wait(matches));
        // All three wait: only then does anything happen.
        let lock = rig.lock().expect("rig");
        let state = |state| Update::Seen(Seen { state, ..Seen::default() });
        lock.tell(state(State::Running));
        wait_for_waits(&lock);
        lock.print("working\nnot done 1 yet\ndone 42\n");
        assert_eq!(matches.join().expect("no panic")["line"], "done 42");
        lock.tell(Update::Command(Ended { command: Some("make".into()), exit: Some(2) }));
        let value = finished.join().expect("no panic");
        assert_eq!((&value["met"], &value["last_exit_code"]), (&json!(true), &json!(2)));
        lock.tell(state(State::AtPrompt));
        assert_eq!(at_prompt.join().expect("no panic")["state"], "at_prompt");
    });
    // Met already: at once, whatever the time.
    assert_eq!(wait(base("at_prompt"))["met"], true);
    let mut since = base("command_finished");
    since["since_commands"] = json!(0);
    assert_eq!(wait(since)["met"], true);
    let mut old = base("output_matches");
    (old["pattern"], old["since_cursor"]) = (json!("working"), json!(0));
    assert_eq!(wait(old)["line"], "working");
    assert_eq!(wait(base("idle"))["met"], true, "nothing is printed any more");
    let mut never = base("exited");
    never["timeout_ms"] = json!(1);
    let value = wait(never);
    assert_eq!((&value["met"], &value["timed_out"]), (&json!(false), &json!(true)));
}

/// Every agent's wait has come to the hub, which tells of each agent's last call.
fn wait_for_waits(rig: &Rig) {
    let has_three = |act: &Act| match act {
        Act::Attached(rows) => rows.iter().any(|row| row.calls >= 3).then_some(()),
        _ => None,
    };
    rig.act(has_three);
}

#[test]
fn an_exited_session_answers_waits_that_came_before_and_after_its_end() {
    let mut rig = Rig::shared();
    let service = service_in(rig.folder.clone());
    let arguments = json!({"action": "wait", "session_id": "web-1", "until": "exited", "timeout_ms": 50_000});
    let value = std::thread::scope(|scope| {
        let waits = scope.spawn(|| call(&service, "session", &arguments, &Canceller::new()));
        rig.act(|act| matches!(act, Act::Attached(rows) if !rows.is_empty()).then_some(()));
        rig.hub.take().expect("it lives").end(7);
        waits.join().expect("no panic")
    });
    let value = value.expect("waited");
    assert_eq!((&value["met"], &value["exit_code"]), (&json!(true), &json!(7)));
    let after = rig.wait("exited", json!({})).expect("it answers still");
    assert_eq!((&after["met"], &after["exit_code"]), (&json!(true), &json!(7)));
    assert_eq!(rig.wait("idle", json!({})).expect("answers")["met"], false);
    assert_eq!(rig.output(json!({})).expect("answers")["state"], "exited");
    let say = rig.call("copilot", json!({"action": "say", "session_id": "web-1", "message": "x"}));
    assert!(say.is_err_and(|why| why.contains("has ended")));
    assert_eq!(rig.call("session", json!({"action": "list"})).expect("listed")["sessions"], json!([]));
}

#[test]
fn blocks_go_to_the_main_loop_with_the_agents_name_and_every_call_is_told() {
    let rig = Rig::shared();
    let service = service_in(rig.folder.clone());
    let arguments = json!({"action": "suggest", "session_id": "web-1", "commands": ["df -h", {"command": "id", "id": "x"}]});
    let value = std::thread::scope(|scope| {
        let calling = scope.spawn(|| call(&service, "copilot", &arguments, &Canceller::new()));
        let (ticket, agent, blocks) = rig.act(|act| match act {
            Act::Call { ticket, agent, blocks } => Some((*ticket, agent.clone(), blocks.clone())),
            _ => None,
        });
        assert_eq!(agent, "tester");
        assert_eq!(
            Value::Object(blocks),
            json!({"suggested_commands": {"commands": [{"command": "df -h"}, {"command": "id", "id": "x"}]}})
        );
        rig.tell(Update::Done { ticket, result: Ok(json!({"cards": []})) });
        calling.join().expect("no panic")
    });
    assert_eq!(value, Ok(json!({"cards": []})));
    let called = rig.act(|act| match act {
        Act::Called { agent, tool, action, outcome } => Some(format!("{agent} {tool} {action} {outcome}")),
        _ => None,
    });
    assert_eq!(called, "tester copilot suggest done");
    for (arguments, names) in [
        (json!({"action": "suggest", "session_id": "web-1"}), "commands: missing"),
        (json!({"action": "say", "session_id": "web-1", "message": 7}), "message: not a text"),
        (json!({"action": "type", "session_id": "web-1"}), "action: \"type\" is none of say, intent"),
        (json!({"action": "say"}), "session_id: missing"),
    ] {
        assert!(rig.call("copilot", arguments).is_err_and(|why| why.starts_with(names)), "{names}");
    }
    let wrong = rig.call("process_info", json!({"session_id": "web-9", "pid": 1}));
    assert_eq!(wrong, Err("unknown session \"web-9\"".to_owned()));
    let unknown = rig.call("type_into_terminal", json!({}));
    assert_eq!(unknown, Err("unknown tool: type_into_terminal".to_owned()));
}

#[test]
fn who_watches_hears_of_commands_cards_and_sessions() {
    let rig = Rig::shared();
    let (change_tx, changes) = channel();
    let sink = Box::new(move |change| drop(change_tx.send(change)));
    // The channel's end behind a lock: a sink is called from any thread.
    let sink = std::sync::Mutex::new(sink);
    let watching = rig.service.watch(Box::new(move |change| (sink.lock().expect("sink"))(change)));
    assert!(watching.is_some());
    let next = || changes.recv_timeout(DEADLINE).expect("a change");
    let uri = format!("{URI}{ID}");
    rig.tell(Update::Command(Ended { command: Some("df".into()), exit: Some(0) }));
    assert_eq!(next(), Change::Resource(uri.clone()));
    let card = CardNote {
        id: "tester:cmd_1".into(),
        by: "tester".into(),
        command: "df -h /var".into(),
        state: "done",
        was_edited: true,
        exit_code: Some(0),
        risk: "low",
        reason: None,
    };
    rig.tell(Update::Cards { cards: vec![card], pending: 0 });
    assert_eq!(next(), Change::Resource(uri.clone()));
    let cancel = Canceller::new();
    let mut call = Call { principal: "", client: "tester", cancel: &cancel, on_progress: &mut |_| () };
    let read = rig.service.read(&uri, &mut call).expect("the resource");
    let text = read["contents"][0]["text"].as_str().expect("a text");
    let about: Value = serde_json::from_str(text).expect("JSON");
    assert_eq!(
        (&about["cards"][0]["command"], &about["cards"][0]["exit_code"]),
        (&json!("df -h /var"), &json!(0))
    );
    assert_eq!(rig.service.resources(&mut call)[0]["uri"], json!(uri));
    let other = "1f1e2d3c-4b5a-4978-8695-a4b3c2d1e0f0";
    let registration = rig.folder.register(other, "db").expect("another session");
    assert_eq!(next(), Change::Resources);
    drop(registration);
    assert_eq!(next(), Change::Resources);
    rig.tell(Update::Share { on: false, shown: String::new() });
    assert_eq!(next(), Change::Resources);
    assert!(rig.service.read(&uri, &mut call).is_err() && rig.service.resources(&mut call).is_empty());
    drop(watching);
}

fn line(stream: &std::os::unix::net::UnixStream) -> String {
    let mut line = String::new();
    stream.set_read_timeout(Some(DEADLINE)).expect("set");
    BufReader::new(stream).read_line(&mut line).expect("read");
    line
}

#[test]
fn malformed_huge_and_dying_clients_cost_only_themselves() {
    let rig = Rig::shared();
    for bad in
        ["nonsense\n", "[]\n", "{\"v\":1}\n", "\0\0\n", "{\"v\":1,\"id\":1,\"ask\":{\"op\":\"type\"}}\n"]
    {
        let mut stream = rig.folder.connect(ID).expect("connected");
        stream.write_all(bad.as_bytes()).expect("written");
        assert!(line(&stream).contains("no request"), "{bad:?}");
        assert_eq!(line(&stream), "", "it is over");
    }
    let mut old = rig.folder.connect(ID).expect("connected");
    old.write_all(b"{\"v\":2,\"id\":1,\"agent\":\"a\",\"ask\":{\"op\":\"about\"}}\n").expect("written");
    assert!(line(&old).contains("speaks version 1"));
    let mut huge = rig.folder.connect(ID).expect("connected");
    let chunk = vec![b'x'; 64 * 1024];
    // Closed while it writes on.
    assert!((0..1000).any(|_| huge.write_all(&chunk).is_err()));
    for _ in 0..10 {
        let mut dying = rig.folder.connect(ID).expect("connected");
        let ask = format!(
            "{{\"v\":1,\"id\":1,\"agent\":\"d\",\"ask\":{{\"op\":\"wait\",\"until\":\"exited\",\"timeout_ms\":{}}}}}\n",
            290_000
        );
        dying.write_all(ask.as_bytes()).expect("written");
    }
    assert!(rig.output(json!({})).is_ok(), "others are served");
}

#[test]
fn a_thousand_waits_and_a_flood_are_bounded_and_others_are_served() {
    let rig = Rig::shared();
    let mut stream = rig.folder.connect(ID).expect("connected");
    for n in 1..=1000 {
        let ask = json!({"v": 1, "id": n, "agent": "flood", "ask": {"op": "wait", "until": "exited", "timeout_ms": 290_000}});
        stream.write_all(format!("{ask}\n").as_bytes()).expect("written");
    }
    stream.set_read_timeout(Some(DEADLINE)).expect("set");
    let refused = BufReader::new(&stream).lines().take(968).map(|line| line.expect("a line"));
    assert!(refused.into_iter().all(|line| line.contains("too many")));
    assert!(rig.output(json!({})).is_ok(), "another agent is served");
    // The user mutes it: it is refused, by whatever name it comes.
    rig.tell(Update::Mute { name: "flood".into(), on: true });
    assert!(rig.output(json!({})).is_err_and(|why| why.contains("muted")), "it is the same process");
}

#[test]
fn a_call_that_is_taken_back_ends_at_once() {
    let rig = Rig::shared();
    let cancel = Canceller::new();
    let arguments =
        json!({"action": "wait", "session_id": "web-1", "until": "exited", "timeout_ms": 290_000});
    let why = std::thread::scope(|scope| {
        let waits = scope.spawn(|| call(&*rig.service, "session", &arguments, &cancel));
        rig.act(|act| matches!(act, Act::Attached(rows) if !rows.is_empty()).then_some(()));
        cancel.cancel();
        waits.join().expect("no panic")
    });
    assert!(why.is_err(), "{why:?}");
    assert!(rig.output(json!({})).is_ok());
}
