//! `[[host]]` sections: what some hosts have of their own.
//!
//! As in ssh_config(5), for each key the first section that fits the host and has it wins; what no section has is the
//! file's general setting.

use serde::Deserialize;
use std::ops::Range;
use toml::Spanned;

use super::health::HostHealth;
use super::values::patterns;
use super::{Config, HealthConfig, LinusConfig, Share};
use crate::copilot::policy::StartMode;
use crate::linus::{Origin, Updates};
use crate::ssh::Patterns;

/// One section.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HostConfig {
    /// Patterns that the host must fit, by the name it was given or the one that ssh resolved it to.
    #[serde(rename = "match", deserialize_with = "patterns")]
    patterns: Patterns,
    #[serde(default)]
    linus: HostLinus,
    #[serde(default)]
    policy: HostPolicy,
    #[serde(default)]
    integration: HostIntegration,
    #[serde(default)]
    agents: HostAgents,
    #[serde(default)]
    health: HostHealth,
}

/// What of `[linus]` a host may have of its own.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct HostLinus {
    url: Option<Spanned<String>>,
    client_cert: Option<Spanned<String>>,
    client_key: Option<Spanned<String>>,
    token_env: Option<Spanned<String>>,
    token_command: Option<Spanned<Vec<String>>>,
    token_keyring: Option<Spanned<String>>,
    updates: Option<Updates>,
    watch: Option<bool>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct HostPolicy {
    mode: Option<StartMode>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct HostAgents {
    share: Option<Share>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct HostIntegration {
    offer: Option<bool>,
}

/// Keys that are about the address of the same section, and about no other.
pub(super) const OF_THE_URL: [&str; 5] = [
    "linus.client_cert",
    "linus.client_key",
    "linus.token_env",
    "linus.token_command",
    "linus.token_keyring",
];

impl HostConfig {
    /// A credential in a section that names no Linus to show it to: its place and its key.
    pub(super) fn token_without_url(&self) -> Option<(Range<usize>, &'static str)> {
        let linus = &self.linus;
        if linus.url.is_some() {
            return None;
        }
        let places = [
            linus.client_cert.as_ref().map(Spanned::span),
            linus.client_key.as_ref().map(Spanned::span),
            linus.token_env.as_ref().map(Spanned::span),
            linus.token_command.as_ref().map(Spanned::span),
            linus.token_keyring.as_ref().map(Spanned::span),
        ];
        places.into_iter().zip(OF_THE_URL).find_map(|(place, key)| Some((place?, key)))
    }
}

impl Config {
    /// `linus.updates` for the host of these names.
    pub fn updates(&self, names: &[&str]) -> Updates {
        self.of_host(names, |host| host.linus.updates).unwrap_or(self.linus.updates)
    }

    /// `linus.watch` for the host of these names.
    pub fn watch(&self, names: &[&str]) -> bool {
        self.of_host(names, |host| host.linus.watch).unwrap_or(self.linus.watch)
    }

    /// The mode that a session on the host with these names begins in.
    pub fn start_mode(&self, names: &[&str]) -> StartMode {
        self.of_host(names, |host| host.policy.mode).unwrap_or(self.policy.mode)
    }

    /// Whether agents see a session on the host with these names.
    pub fn share(&self, names: &[&str]) -> Share {
        self.of_host(names, |host| host.agents.share).unwrap_or(self.agents.share)
    }

    /// Whether a session on the host with these names says that there is a shell integration.
    pub fn offers_integration(&self, names: &[&str]) -> bool {
        self.of_host(names, |host| host.integration.offer).unwrap_or(self.integration.offer)
    }

    /// `[health]` for the host of these names.
    pub fn health_of(&self, names: &[&str]) -> HealthConfig {
        let usual = &self.health;
        HealthConfig {
            watch: self.of_host(names, |host| host.health.watch).unwrap_or(usual.watch),
            interval: self.of_host(names, |host| host.health.interval).unwrap_or(usual.interval),
            cpu: self.of_host(names, |host| host.health.cpu).unwrap_or(usual.cpu),
            mem: self.of_host(names, |host| host.health.mem).unwrap_or(usual.mem),
            disk: self.of_host(names, |host| host.health.disk).unwrap_or(usual.disk),
        }
    }

    /// With the Linus that the command line names (`flag`), else that of the host that was given by this name. He is shown
    /// nothing that is meant for another: the general token and certificate are left out.
    #[must_use]
    pub fn with_linus_of(&self, flag: Option<&str>, given: Option<&str>) -> Self {
        if let Some(url) = flag {
            let configured = self.linus.url.as_ref().map(|url| Origin::of(url.get_ref()));
            let is_another = configured.is_some_and(|configured| configured != Origin::of(url));
            return if is_another { self.with_credentials_of(&HostLinus::default()) } else { self.clone() };
        }
        let Some(own) = given
            .and_then(|given| self.of_host(&[given], |host| host.linus.url.as_ref().and(Some(&host.linus))))
        else {
            return self.clone();
        };
        let mut this = self.with_credentials_of(own);
        (this.linus.url, this.linus.command) = (own.url.clone(), None);
        this
    }

    fn with_credentials_of(&self, own: &HostLinus) -> Self {
        let linus = LinusConfig {
            client_cert: own.client_cert.clone(),
            client_key: own.client_key.clone(),
            token_env: own.token_env.clone(),
            token_command: own.token_command.clone(),
            token_keyring: own.token_keyring.clone(),
            ..self.linus.clone()
        };
        Self { linus, ..self.clone() }
    }

    /// The same with everything else that the host of these names has of its own.
    pub(super) fn for_host(&self, given: Option<&str>, names: &[&str]) -> Self {
        let mut this = self.with_linus_of(None, given);
        this.linus.updates = self.updates(names);
        this.linus.watch = self.watch(names);
        this.policy.mode = self.start_mode(names);
        this.integration.offer = self.offers_integration(names);
        this.agents.share = self.share(names);
        this.health = self.health_of(names);
        this
    }

    /// What the first section says that fits the host and says anything.
    fn of_host<'a, T>(&'a self, names: &[&str], get: impl Fn(&'a HostConfig) -> Option<T>) -> Option<T> {
        self.hosts.iter().filter(|host| host.patterns.fit(names)).find_map(get)
    }

    /// The section that `path` is taken from for this host, by its number: for a credential, that of the address.
    pub(super) fn section_of(&self, path: &str, given: Option<&str>, names: &[&str]) -> Option<usize> {
        let is_of_url = path == "linus.url" || OF_THE_URL.contains(&path);
        let (path, names) = if is_of_url { ("linus.url", given.as_slice()) } else { (path, names) };
        let sections = self.hosts.iter().enumerate().filter(|(_, host)| host.patterns.fit(names));
        let mut numbers = sections.map(|(number, _)| number);
        numbers.find(|&number| self.written.line_in_host(number, path).is_some())
    }
}
