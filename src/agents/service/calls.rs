//! The tools' actions, each as a request to a session.

use std::time::Duration;

use serde_json::{Map, Value, json};

use super::arguments::{number, optional_text, text, word};
use super::name_of;
use super::tools::{COPILOT_ACTIONS, FORMATS, SESSION_ACTIONS};
use super::{Call, Client, Found, PROMPT, Sessions, find, sessions};
use crate::agents::client::PATIENT;
use crate::agents::protocol::{Ask, Refused, Until, WAIT_LIMIT_MS, Why};
use crate::agents::runtime::Gone;

/// A wait takes so long if nothing is said.
const WAIT_MS: u64 = 60_000;
/// And the answer some time to come.
const MARGIN: Duration = Duration::from_secs(5);

type Arguments = Map<String, Value>;

impl Sessions {
    pub(super) fn session(&self, arguments: &Arguments, call: &Call<'_>) -> Result<Value, String> {
        let agent = name_of(call);
        let action = word(arguments, "action", &SESSION_ACTIONS)?;
        if action == "list" {
            return Ok(json!({"sessions": sessions(self.folder()?, &agent)?}));
        }
        let name = text(arguments, "session_id")?;
        let ask = match action {
            "output" => output(arguments)?,
            "wait" => wait(arguments)?,
            _ => Ask::Rename { alias: text(arguments, "alias")?.to_owned() },
        };
        match find(self.folder()?, name, &agent)? {
            Found::Gone(gone) => of_gone(&gone, &ask),
            Found::Live(entry) => self.ask(&entry.id, &agent, ask, call),
        }
    }

    pub(super) fn copilot(&self, arguments: &Arguments, call: &Call<'_>) -> Result<Value, String> {
        let agent = name_of(call);
        let action = word(arguments, "action", &COPILOT_ACTIONS)?;
        let name = text(arguments, "session_id")?;
        let blocks = blocks(action, arguments)?;
        match find(self.folder()?, name, &agent)? {
            Found::Gone(gone) => Err(format!("the session {} has ended", gone.alias)),
            Found::Live(entry) => {
                self.ask(&entry.id, &agent, Ask::Copilot { action: action.to_owned(), blocks }, call)
            }
        }
    }

    /// A tool of the host's facts: of the session that is named, or of the only one that is shared.
    pub(super) fn host(&self, tool: &str, arguments: &Arguments, call: &Call<'_>) -> Result<Value, Refused> {
        let bad = |why: String| Refused::new(Why::Bad, why);
        let failed = |why: String| Refused::new(Why::Failed, why);
        let agent = name_of(call);
        let folder = self.folder().map_err(failed)?;
        let mut arguments = arguments.clone();
        let named = optional_text(&arguments, "session_id").map_err(bad)?.map(str::to_owned);
        arguments.remove("session_id");
        let id = match named {
            Some(name) => match find(folder, &name, &agent).map_err(bad)? {
                Found::Live(entry) => entry.id,
                Found::Gone(gone) => return Err(failed(format!("the session {} has ended", gone.alias))),
            },
            None => {
                let all = sessions(folder, &agent).map_err(failed)?;
                let shared: Vec<&Value> = all.iter().filter(|about| about["shared"] == true).collect();
                match shared.as_slice() {
                    [one] => one["id"].as_str().unwrap_or_default().to_owned(),
                    _ => return Err(bad(format!("session_id: missing, and {} are shared", shared.len()))),
                }
            }
        };
        let mut client = Client::connect(folder, &id, &agent)?;
        client.ask_until(Ask::Host { tool: tool.to_owned(), arguments }, PATIENT, call.cancel)
    }

    fn ask(&self, id: &str, agent: &str, ask: Ask, call: &Call<'_>) -> Result<Value, String> {
        let patience = match &ask {
            Ask::Wait { timeout_ms, .. } => Duration::from_millis(*timeout_ms) + MARGIN,
            Ask::Copilot { .. } => PATIENT,
            _ => PROMPT,
        };
        let waits = matches!(ask, Ask::Wait { .. });
        let again = ask.clone();
        let mut client = Client::connect(self.folder()?, id, agent).map_err(|refused| refused.message)?;
        client.ask_until(ask, patience, call.cancel).or_else(|refused| {
            // It ended while it was waited for, and left word.
            let gone = self.folder()?.gone().into_iter().find(|gone| gone.id == id);
            match gone.filter(|_| waits && refused.kind == Why::Gone) {
                Some(gone) => of_gone(&gone, &again),
                None => Err(refused.message),
            }
        })
    }
}

fn output(arguments: &Arguments) -> Result<Ask, String> {
    let raw = match optional_text(arguments, "format")? {
        None => false,
        Some(_) => word(arguments, "format", &FORMATS)? == "raw",
    };
    Ok(Ask::Output {
        raw,
        since_cursor: number(arguments, "since_cursor")?,
        from_line: number(arguments, "from_line")?,
        limit: number(arguments, "limit")?,
    })
}

fn wait(arguments: &Arguments) -> Result<Ask, String> {
    let until = word(arguments, "until", &Until::NAMES)?;
    Ok(Ask::Wait {
        until: Until::named(until).ok_or("until: unknown")?,
        timeout_ms: number(arguments, "timeout_ms")?.unwrap_or(WAIT_MS).min(WAIT_LIMIT_MS),
        pattern: optional_text(arguments, "pattern")?.map(str::to_owned),
        since_cursor: number(arguments, "since_cursor")?,
        since_commands: number(arguments, "since_commands")?,
    })
}

/// What is left to say of a session that has ended.
fn of_gone(gone: &Gone, ask: &Ask) -> Result<Value, String> {
    let ended = json!({"id": gone.id, "alias": gone.alias, "state": "exited", "exit_code": gone.exit_code});
    match ask {
        Ask::Wait { until, .. } => {
            let mut value = ended;
            value["met"] = json!(*until == Until::Exited);
            value["timed_out"] = json!(false);
            Ok(value)
        }
        Ask::Output { .. } => {
            let mut value = ended;
            value["text"] = json!("");
            value["has_more"] = json!(false);
            Ok(value)
        }
        _ => Err(format!("the session {} has ended with status {}", gone.alias, gone.exit_code)),
    }
}

/// An action's arguments as the contract's block.
fn blocks(action: &str, arguments: &Arguments) -> Result<Arguments, String> {
    let given = |name: &str| arguments.get(name).cloned().unwrap_or_default();
    let list = |name: &str| match arguments.get(name) {
        Some(Value::Array(list)) if !list.is_empty() => Ok(Value::Array(list.clone())),
        Some(Value::Array(_)) => Err(format!("{name}: empty")),
        Some(_) => Err(format!("{name}: not a list")),
        None => Err(format!("{name}: missing")),
    };
    let (name, block) = match action {
        "say" => ("chat_response", json!({"message": text(arguments, "message")?})),
        "intent" => {
            let summary = text(arguments, "summary")?;
            let block =
                json!({"summary": summary, "confidence": given("confidence"), "steps": given("steps")});
            ("intent_update", block)
        }
        "suggest" => ("suggested_commands", json!({"commands": objects(list("commands")?)})),
        "clear" => {
            let all = arguments.get("all").is_some_and(|all| all == true);
            let ids = if all { json!([]) } else { list("ids")? };
            ("clear_suggestions", json!({"ids": ids, "all": all}))
        }
        _ => ("file_actions", json!({"actions": list("actions")?})),
    };
    Ok(Arguments::from_iter([(name.to_owned(), block)]))
}

/// A command may be a text alone.
fn objects(commands: Value) -> Value {
    let Value::Array(commands) = commands else { return commands };
    let object = |command| match command {
        Value::String(command) => json!({"command": command}),
        other => other,
    };
    commands.into_iter().map(object).collect()
}
