//! The answers, from what the watcher has.

use serde_json::{Value, json};
use std::time::{Duration, Instant};

use super::super::{Process, Sample, Watcher};
use super::{Field, MOST, Request, ToolError};

/// What a tool answers.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    pub value: Value,
    /// What is to be put before the user; nothing was done.
    pub card: Option<Proposal>,
}

/// A command for a card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    pub command: String,
    pub description: String,
}

/// How the session reads the host, for `plugin_status`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SideChannel {
    /// `off`, `asking`, `on` or `paused`.
    pub state: &'static str,
    /// `shared` or `login`.
    pub way: Option<&'static str>,
    /// Why it is not on, or what went wrong last.
    pub reason: Option<String>,
}

impl From<Value> for Outcome {
    fn from(value: Value) -> Self {
        Self { value, card: None }
    }
}

impl Request {
    /// Answers; what it needs has been read.
    pub fn answer(
        &self,
        watcher: &mut Watcher,
        channel: &SideChannel,
        now: Instant,
    ) -> Result<Outcome, ToolError> {
        let ms = |at: Instant| now.saturating_duration_since(at).as_millis() as u64;
        Ok(match self {
            Self::SystemSummary => {
                let (sample, at) = watcher.summary().ok_or_else(nothing)?;
                summary(sample, ms(at)).into()
            }
            Self::Top { count, filter } => {
                let found = found(watcher, |process| {
                    let is_it =
                        |pattern: &regex::Regex| matches(process, pattern, &[Field::Name, Field::Command]);
                    filter.as_ref().is_none_or(is_it)
                })?;
                list(found, *count, watcher, now).into()
            }
            Self::Search { pattern, fields } => {
                let found = found(watcher, |process| matches(process, pattern, fields))?;
                list(found, MOST as usize, watcher, now).into()
            }
            Self::Info { pid } => info(watcher, *pid)?.into(),
            Self::Kill { pid } => kill(find(watcher, *pid)?)?,
            Self::SetThresholds(thresholds) => {
                watcher.settings.thresholds = *thresholds;
                thresholds_of(watcher).into()
            }
            Self::GetThresholds => thresholds_of(watcher).into(),
            Self::SetInterval(interval) => {
                watcher.settings.interval = *interval;
                config_of(watcher).into()
            }
            Self::GetConfig => config_of(watcher).into(),
            Self::ProcessAlerts => {
                let (limits, total) = (watcher.settings.thresholds, total_kib(watcher));
                let is_above = |process: &Process| {
                    let of_memory = memory_percent(process, total).unwrap_or(0.0);
                    process.cpu.unwrap_or(0.0) >= f64::from(limits.cpu)
                        || of_memory >= f64::from(limits.memory)
                };
                list(found(watcher, is_above)?, MOST as usize, watcher, now).into()
            }
            Self::AlertsStatus => {
                let alerts: Vec<Value> = watcher
                    .alerts()
                    .map(|alert| {
                        json!({"subject": alert.subject.to_string(), "percent": tenth(alert.percent),
                            "threshold": alert.threshold, "for_ms": ms(alert.since)})
                    })
                    .collect();
                json!({"watching": channel.state == "on", "alerts": alerts, "raised": watcher.counts().0})
                    .into()
            }
            Self::PluginStatus => {
                let last = watcher.summary().map(|(_, at)| ms(at));
                json!({"state": channel.state, "way": channel.way, "reason": channel.reason,
                    "probes": watcher.counts().1, "last_probe_age_ms": last,
                    "interval_ms": watcher.settings.interval.as_millis() as u64})
                .into()
            }
        })
    }

    /// Whether what is known is young enough.
    pub fn is_met(&self, watcher: &Watcher, within: Duration, now: Instant) -> bool {
        let at = match self.needs() {
            None => return true,
            Some(super::Extent::Summary) => watcher.summary().map(|(_, at)| at),
            Some(super::Extent::Processes) => watcher.processes().map(|(_, at)| at),
        };
        at.is_some_and(|at| now.saturating_duration_since(at) < within)
    }
}

fn nothing() -> ToolError {
    ToolError::failed("the host has said nothing of it")
}

fn tenth(number: f64) -> f64 {
    (number * 10.0).round() / 10.0
}

fn summary(sample: &Sample, age_ms: u64) -> Value {
    let memory = sample.memory.map(|memory| {
        json!({"total_kib": memory.total_kib, "available_kib": memory.available_kib,
            "used_percent": tenth(memory.percent()), "swap_total_kib": memory.swap_total_kib,
            "swap_used_percent": tenth(memory.swap_percent())})
    });
    let disks = sample.disks.iter().map(|disk| {
        json!({"mount": disk.mount, "device": disk.device, "size_kib": disk.size_kib, "used_kib": disk.used_kib,
            "available_kib": disk.available_kib, "used_percent": disk.percent,
            "inodes_used_percent": disk.inodes_percent})
    });
    json!({"host": sample.host, "system": sample.system, "uptime_s": sample.uptime_s, "cpus": sample.cpus,
        "load": sample.load, "cpu_percent": sample.cpu.map(tenth), "memory": memory,
        "disks": disks.collect::<Vec<_>>(), "processes": sample.process_count, "age_ms": age_ms})
}

fn processes(watcher: &Watcher) -> Result<&[Process], ToolError> {
    let (sample, _) = watcher.processes().ok_or_else(nothing)?;
    sample.processes.as_deref().ok_or_else(nothing)
}

/// The busiest first, then the largest.
fn found(watcher: &Watcher, is_it: impl Fn(&Process) -> bool) -> Result<Vec<&Process>, ToolError> {
    let mut found: Vec<&Process> = processes(watcher)?.iter().filter(|process| is_it(process)).collect();
    let busy = |process: &Process| process.cpu.unwrap_or(-1.0);
    found.sort_by(|a, b| busy(b).total_cmp(&busy(a)).then(b.rss_kib.cmp(&a.rss_kib)));
    Ok(found)
}

fn matches(process: &Process, pattern: &regex::Regex, fields: &[Field]) -> bool {
    fields.iter().any(|field| match field {
        Field::Name => pattern.is_match(process.name()),
        Field::Command => pattern.is_match(&process.command),
        Field::User => pattern.is_match(&process.user),
        Field::State => pattern.is_match(&process.state),
        Field::Pid => pattern.is_match(&process.pid.to_string()),
    })
}

fn total_kib(watcher: &Watcher) -> Option<u64> {
    watcher.processes()?.0.memory.map(|memory| memory.total_kib).filter(|total| *total > 0)
}

fn memory_percent(process: &Process, total: Option<u64>) -> Option<f64> {
    Some(process.rss_kib? as f64 / total? as f64 * 100.0)
}

fn one(process: &Process, total: Option<u64>) -> Value {
    json!({"pid": process.pid, "ppid": process.ppid, "name": process.name(), "user": process.user,
        "state": process.state, "cpu_percent": process.cpu, "rss_kib": process.rss_kib,
        "mem_percent": memory_percent(process, total).map(tenth), "command": process.command})
}

/// `total`: of the host; what it did not print is in no list.
fn list(found: Vec<&Process>, most: usize, watcher: &Watcher, now: Instant) -> Value {
    let (matched, total) = (found.len(), total_kib(watcher));
    let shown: Vec<Value> = found.into_iter().take(most).map(|process| one(process, total)).collect();
    let all = watcher.processes().and_then(|(sample, _)| sample.process_count);
    let age = watcher.processes().map(|(_, at)| now.saturating_duration_since(at).as_millis() as u64);
    json!({"matched": matched, "truncated": matched > shown.len(), "processes": shown,
        "total_on_host": all, "age_ms": age})
}

fn find(watcher: &Watcher, pid: u32) -> Result<&Process, ToolError> {
    let process = processes(watcher)?.iter().find(|process| process.pid == pid);
    process.ok_or_else(|| {
        ToolError::argument("pid", format!("there is no process {pid} among those that are listed"))
    })
}

fn info(watcher: &Watcher, pid: u32) -> Result<Value, ToolError> {
    let process = find(watcher, pid)?;
    let total = total_kib(watcher);
    let all = processes(watcher)?;
    let brief = |process: &Process| json!({"pid": process.pid, "name": process.name()});
    let parent = all.iter().find(|other| Some(other.pid) == process.ppid).map(brief);
    let children = all.iter().filter(|other| other.ppid == Some(pid)).take(MOST as usize).map(brief);
    let mut value = one(process, total);
    value["children"] = children.collect();
    value["parent"] = parent.unwrap_or_default();
    Ok(value)
}

fn kill(process: &Process) -> Result<Outcome, ToolError> {
    if process.pid == 1 {
        return Err(ToolError::argument("pid", "1 is the host's first process: ending it ends the host"));
    }
    let command = format!("kill {}", process.pid);
    let description = format!("Ends {} of {}: {}", process.name(), process.user, process.command);
    let value = json!({"proposed": command, "done": false,
        "note": "Shown to the user as a card. Nothing happens unless the user sends it."});
    Ok(Outcome { value, card: Some(Proposal { command, description }) })
}

fn thresholds_of(watcher: &Watcher) -> Value {
    let limits = watcher.settings.thresholds;
    json!({"cpu": limits.cpu, "mem": limits.memory, "disk": limits.disk})
}

fn config_of(watcher: &Watcher) -> Value {
    json!({"interval_ms": watcher.settings.interval.as_millis() as u64})
}
