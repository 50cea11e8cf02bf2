//! `[health]`: whether the host's health is watched, and from where on it is worth a word.

use serde::{Deserialize, Serialize};
use std::time::Duration;

use crate::facts::{Settings, Thresholds};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct HealthConfig {
    /// Whether it is turned on when a session begins. Another login is asked for first.
    pub watch: bool,
    /// Seconds between two probes.
    pub interval: Interval,
    pub cpu: Percent,
    pub mem: Percent,
    pub disk: Percent,
}

impl Default for HealthConfig {
    fn default() -> Self {
        Self { watch: false, interval: Interval(10), cpu: Percent(90), mem: Percent(90), disk: Percent(90) }
    }
}

impl HealthConfig {
    pub fn settings(&self) -> Settings {
        Settings {
            thresholds: Thresholds { cpu: self.cpu.0, memory: self.mem.0, disk: self.disk.0 },
            interval: Duration::from_secs(self.interval.0.into()),
        }
    }
}

/// What of it a host may have of its own.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct HostHealth {
    pub(super) watch: Option<bool>,
    pub(super) interval: Option<Interval>,
    pub(super) cpu: Option<Percent>,
    pub(super) mem: Option<Percent>,
    pub(super) disk: Option<Percent>,
}

/// A number of seconds from 2 to 3600.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "u16")]
pub struct Interval(u16);

impl TryFrom<u16> for Interval {
    type Error = String;

    fn try_from(seconds: u16) -> Result<Self, String> {
        if (2..=3600).contains(&seconds) {
            Ok(Self(seconds))
        } else {
            Err("from 2 to 3600 seconds".to_owned())
        }
    }
}

/// A number from 1 to 100.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "u16")]
pub struct Percent(u8);

impl TryFrom<u16> for Percent {
    type Error = String;

    fn try_from(percent: u16) -> Result<Self, String> {
        let percent = u8::try_from(percent).ok().filter(|percent| (1..=100).contains(percent));
        percent.map(Self).ok_or_else(|| "from 1 to 100 percent".to_owned())
    }
}
