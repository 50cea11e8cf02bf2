//! What is kept of a host: its last facts, and what of them is above a threshold.

use std::collections::BTreeMap;
use std::fmt;
use std::time::{Duration, Instant};

use super::sample::{Counters, Sample};

/// Percent from which on something is worth a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Thresholds {
    pub cpu: u8,
    pub memory: u8,
    pub disk: u8,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settings {
    pub thresholds: Thresholds,
    /// Between two probes.
    pub interval: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Self { thresholds: Thresholds { cpu: 90, memory: 90, disk: 90 }, interval: Duration::from_secs(10) }
    }
}

/// An alert ends below this share of its threshold, so that one at the threshold is said once.
const ENDS_AT: f64 = 0.95;
/// A processor's counters that are older say nothing of now.
const COUNTERS_FOR: Duration = Duration::from_secs(300);
/// Alerts at a time: a host with more full disks has one problem.
const ALERTS: usize = 32;

/// What an alert is about.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subject {
    Cpu,
    Memory,
    Disk(String),
    Inodes(String),
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cpu => f.write_str("cpu"),
            Self::Memory => f.write_str("memory"),
            Self::Disk(mount) => write!(f, "disk {mount}"),
            Self::Inodes(mount) => write!(f, "inodes of {mount}"),
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Alert {
    pub subject: Subject,
    pub percent: f64,
    pub threshold: u8,
    pub since: Instant,
}

/// An alert that has begun or ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Crossing {
    pub alert: Alert,
    pub has_begun: bool,
}

impl fmt::Display for Crossing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Alert { subject, percent, threshold, .. } = &self.alert;
        let word = if self.has_begun { "" } else { "again below: " };
        write!(f, "{word}{subject} {percent:.0} % (threshold {threshold} %)")
    }
}

/// The facts of one host.
#[derive(Debug, Clone, Default)]
pub struct Watcher {
    pub settings: Settings,
    summary: Option<(Sample, Instant)>,
    processes: Option<(Sample, Instant)>,
    counters: Option<(Counters, Instant)>,
    alerts: BTreeMap<Subject, Alert>,
    raised: u64,
    probes: u64,
}

impl Watcher {
    pub fn new(settings: Settings) -> Self {
        Self { settings, ..Self::default() }
    }

    /// Whether the next probe has to measure the processor by itself.
    pub fn needs_pause(&self, now: Instant) -> bool {
        self.counters.is_none_or(|(_, at)| now.saturating_duration_since(at) > COUNTERS_FOR)
    }

    /// What a probe has brought; the alerts that begin and end with it.
    pub fn note(&mut self, mut sample: Sample, now: Instant) -> Vec<Crossing> {
        self.probes += 1;
        let before = self.counters.filter(|_| !self.needs_pause(now)).map(|(counters, _)| counters);
        let since = sample.counters.zip(before).and_then(|(counters, before)| counters.since(&before));
        sample.cpu = since.or(sample.cpu);
        self.counters = sample.counters.map(|counters| (counters, now)).or(self.counters);
        if sample.processes.is_some() {
            // What it says of the host is newer, but it says nothing of disks.
            self.processes = Some((sample, now));
            return Vec::new();
        }
        let crossings = self.cross(&sample, now);
        self.summary = Some((sample, now));
        crossings
    }

    fn cross(&mut self, sample: &Sample, now: Instant) -> Vec<Crossing> {
        let thresholds = self.settings.thresholds;
        let mut seen = Vec::new();
        seen.extend(sample.cpu.map(|percent| (Subject::Cpu, percent, thresholds.cpu)));
        seen.extend(sample.memory.map(|memory| (Subject::Memory, memory.percent(), thresholds.memory)));
        for disk in &sample.disks {
            seen.push((Subject::Disk(disk.mount.clone()), f64::from(disk.percent), thresholds.disk));
            let inodes = disk.inodes_percent.map(f64::from);
            seen.extend(
                inodes.map(|percent| (Subject::Inodes(disk.mount.clone()), percent, thresholds.disk)),
            );
        }
        // A disk that is not there any more has no alert.
        self.alerts.retain(|subject, _| seen.iter().any(|(known, ..)| known == subject));
        seen.into_iter().filter_map(|(subject, percent, at)| self.follow(subject, percent, at, now)).collect()
    }

    /// One number against its threshold.
    fn follow(&mut self, subject: Subject, percent: f64, threshold: u8, now: Instant) -> Option<Crossing> {
        let limit = f64::from(threshold);
        if let Some(alert) = self.alerts.get_mut(&subject) {
            (alert.percent, alert.threshold) = (percent, threshold);
            let is_over = percent < limit * ENDS_AT;
            let ended = is_over.then(|| self.alerts.remove(&subject)).flatten()?;
            return Some(Crossing { alert: ended, has_begun: false });
        }
        if percent < limit || self.alerts.len() >= ALERTS {
            return None;
        }
        self.raised += 1;
        let alert = Alert { subject: subject.clone(), percent, threshold, since: now };
        self.alerts.insert(subject, alert.clone());
        Some(Crossing { alert, has_begun: true })
    }

    /// The last summary, and when it was read.
    pub fn summary(&self) -> Option<(&Sample, Instant)> {
        self.summary.as_ref().map(|(sample, at)| (sample, *at))
    }

    /// The last processes, and when they were read.
    pub fn processes(&self) -> Option<(&Sample, Instant)> {
        self.processes.as_ref().map(|(sample, at)| (sample, *at))
    }

    pub fn alerts(&self) -> impl Iterator<Item = &Alert> {
        self.alerts.values()
    }

    /// Alerts that have begun so far, and probes that were answered.
    pub fn counts(&self) -> (u64, u64) {
        (self.raised, self.probes)
    }

    /// Nothing is watched any more: what is kept is of the past.
    pub fn forget(&mut self) {
        *self = Self { settings: self.settings, raised: self.raised, probes: self.probes, ..Self::default() };
    }

    /// Load, memory, fullest disk and how old they are, in one line.
    pub fn line(&self, now: Instant) -> Option<String> {
        let (sample, at) = self.summary()?;
        let mut parts = Vec::new();
        parts.extend(sample.load.map(|[one, ..]| format!("load {one:.2}")));
        parts.extend(sample.cpu.map(|cpu| format!("cpu {cpu:.0}%")));
        parts.extend(sample.memory.map(|memory| format!("mem {:.0}%", memory.percent())));
        parts.extend(sample.fullest().map(|disk| format!("{} {}%", disk.mount, disk.percent)));
        parts.push(age(now.saturating_duration_since(at)));
        Some(parts.join(" "))
    }
}

/// `now`, `20s`, `5m`: in steps, so that a line that shows it does not have to be drawn every second.
fn age(age: Duration) -> String {
    match age.as_secs() {
        0..10 => "now".to_owned(),
        seconds @ 10..60 => format!("{}s", seconds / 10 * 10),
        seconds => format!("{}m", seconds / 60),
    }
}

#[cfg(test)]
mod tests;
