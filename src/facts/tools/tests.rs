use super::*;
use crate::facts::{Sample, Watcher};
use serde_json::json;
use std::time::Instant;

fn watcher(now: Instant) -> Watcher {
    let answer = |rest: &str| {
        format!(
            "\nB system\nweb1\nLinux\nB memory\nMemTotal: 1000 kB\nMemAvailable: 500 kB\nB count\n4\n{rest}\nB end\n"
        )
    };
    let processes = "B processes\nPID PPID USER STAT %CPU RSS COMMAND\n1 0 root S 0.0 100 /sbin/init\n\
        20 1 root S 95.0 10 /usr/sbin/nginx -g x\n21 20 www R 1.0 20 nginx: worker\n30 1 joe S 1.0 950 java -jar Shop.jar";
    let disks =
        "B disks\nFilesystem 1024-blocks Used Available Capacity Mounted on\n/dev/a 100 97 3 97% /var";
    let mut watcher = Watcher::default();
    for rest in [processes, disks] {
        watcher.note(Sample::read(answer(rest).as_bytes(), "B").unwrap(), now);
    }
    watcher
}

fn call_on(watcher: &mut Watcher, name: &str, arguments: &Value) -> Result<Outcome, ToolError> {
    let arguments = arguments.as_object().cloned().unwrap_or_default();
    let on = SideChannel { state: "on", way: Some("shared"), reason: None };
    Request::read(name, &arguments)?.answer(watcher, &on, Instant::now())
}

fn call(name: &str, arguments: &Value) -> Result<Value, (i64, String)> {
    let outcome = call_on(&mut watcher(Instant::now()), name, arguments);
    outcome.map(|outcome| outcome.value).map_err(|e| (e.code, e.message))
}

fn pids(value: &Value) -> Vec<u64> {
    value["processes"].as_array().unwrap().iter().map(|p| p["pid"].as_u64().unwrap()).collect()
}

#[test]
fn every_tool_answers_and_the_list_is_small() {
    let arguments = json!({"process_info": {"pid": 20}, "process_kill": {"pid": 20}, "config_set": {"interval_ms": 5000},
        "processes_search": {"pattern": "x"}, "threshold_set": {"cpu": 1, "mem": 100, "disk": 50}});
    for tool in TOOLS {
        let answer = call(tool.name, arguments.get(tool.name).unwrap_or(&json!({})));
        assert!(answer.as_ref().is_ok_and(Value::is_object), "{}: {answer:?}", tool.name);
        assert!(is_tool(tool.name) && tool.description.len() < 100, "{}", tool.name);
    }
    let list: Vec<Value> = TOOLS
        .iter()
        .map(|t| json!({"name": t.name, "description": t.description, "inputSchema": t.schema()}))
        .collect();
    let bytes = json!(list).to_string().len();
    println!("tools/list of the host's facts: {} tools, {bytes} bytes", TOOLS.len());
    assert!(TOOLS.len() == 12 && bytes < 4096, "{bytes}");
}

#[test]
fn a_missing_or_wrong_argument_is_named() {
    let bad = [
        ("process_info", json!({}), "pid: is missing"),
        ("process_kill", json!({"pid": null}), "pid: is missing"),
        ("process_info", json!({"pid": "20"}), "pid: a whole number"),
        ("process_info", json!({"pid": -1}), "pid: a whole number"),
        ("process_info", json!({"pid": 4_294_967_297_u64}), "pid: a whole number"),
        ("process_info", json!({"pid": 99}), "pid: there is no process 99"),
        ("process_kill", json!({"pid": 1}), "pid: 1 is the host's first process"),
        ("processes_search", json!({}), "pattern: is missing"),
        ("processes_search", json!({"pattern": "("}), "pattern: is no regular expression"),
        ("processes_search", json!({"pattern": "(((a{99}){99}){99})"}), "pattern: is no regular expression"),
        ("processes_search", json!({"pattern": "a".repeat(201)}), "pattern: a text of 1 to 200 bytes"),
        ("processes_search", json!({"pattern": "a", "fields": "name,env"}), "fields: of name"),
        ("processes_top", json!({"count": 0}), "count: a whole number from 1 to 100"),
        ("processes_top", json!({"count": 2.5}), "count: a whole number"),
        ("processes_top", json!({"count": 101}), "count: a whole number"),
        ("threshold_set", json!({"cpu": 50, "mem": 50}), "disk: is missing"),
        ("threshold_set", json!({"cpu": 0, "mem": 50, "disk": 1}), "cpu: a whole number from 1 to 100"),
        ("config_set", json!({}), "interval_ms: is missing"),
        ("config_set", json!({"interval_ms": 1999}), "interval_ms: a whole number from 2000"),
        ("config_set", json!({"theme": "dark"}), "theme: there is no such argument"),
        ("system_summary", json!({"x": 1}), "x: there is no such argument"),
    ];
    for (name, arguments, message) in bad {
        let (code, said) = call(name, &arguments).unwrap_err();
        assert!(code == BAD_ARGUMENT && said.starts_with(message), "{name} {arguments}: {code} {said}");
    }
    assert_eq!(
        call("system_reboot", &json!({})).unwrap_err(),
        (UNKNOWN_TOOL, "unknown tool: system_reboot".into())
    );
}

#[test]
fn processes_are_listed_busiest_first_and_found_by_their_fields() {
    assert_eq!(pids(&call("processes_top", &json!({})).unwrap()), [20, 30, 21, 1]);
    let top = call("processes_top", &json!({"count": 1, "filter": "NGINX"})).unwrap();
    assert_eq!((pids(&top), &top["matched"], &top["truncated"]), (vec![20], &json!(2), &json!(true)));
    let search = |arguments: Value| pids(&call("processes_search", &arguments).unwrap());
    assert_eq!(search(json!({"pattern": "shop"})), [30]);
    assert_eq!(search(json!({"pattern": "shop", "fields": "name"})), [] as [u64; 0]);
    assert_eq!(search(json!({"pattern": "^www$", "fields": "user, pid"})), [21]);
    let info = call("process_info", &json!({"pid": 20})).unwrap();
    assert_eq!((&info["parent"]["name"], &info["children"][0]["pid"]), (&json!("init"), &json!(21)));
    assert_eq!(pids(&call("process_alerts", &json!({})).unwrap()), [20, 30]);
}

#[test]
fn kill_is_a_proposal_and_nothing_else() {
    let outcome = call_on(&mut watcher(Instant::now()), "process_kill", &json!({"pid": 30})).unwrap();
    let card = outcome.card.unwrap();
    assert_eq!(card.command, "kill 30");
    assert!(card.description.contains("java") && card.description.contains("joe"), "{}", card.description);
    assert_eq!(outcome.value["done"], json!(false));
}

#[test]
fn settings_are_kept_and_told() {
    let mut watcher = watcher(Instant::now());
    call_on(&mut watcher, "threshold_set", &json!({"cpu": 10, "mem": 20, "disk": 30})).unwrap();
    call_on(&mut watcher, "config_set", &json!({"interval_ms": 60000})).unwrap();
    let get = |watcher: &mut Watcher, name| call_on(watcher, name, &json!({})).unwrap().value;
    assert_eq!(get(&mut watcher, "threshold_get"), json!({"cpu": 10, "mem": 20, "disk": 30}));
    assert_eq!(get(&mut watcher, "config_get"), json!({"interval_ms": 60000}));
    let status = get(&mut watcher, "alerts_status");
    assert_eq!((&status["watching"], &status["alerts"][0]["subject"]), (&json!(true), &json!("disk /var")));
    assert_eq!(get(&mut watcher, "plugin_status")["state"], json!("on"));
}

#[test]
fn what_is_known_is_used_while_it_is_young() {
    let now = Instant::now();
    let watcher = watcher(now);
    let within = Duration::from_secs(2);
    let of = |name: &str| Request::read(name, &Map::new()).unwrap();
    assert!(of("system_summary").is_met(&watcher, within, now));
    assert!(!of("processes_top").is_met(&watcher, within, now + within));
    assert!(of("config_get").is_met(&Watcher::default(), within, now));
    assert_eq!(Watcher::default().summary(), None);
}
