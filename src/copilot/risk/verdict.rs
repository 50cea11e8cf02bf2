//! What is said of a command: levels, classes, reasons.

use std::fmt;

use crate::linus::contract::Risk;

/// What a command does, as far as it matters before it is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// Shows something and changes nothing.
    ReadOnly,
    /// Gets rights, gives rights, or runs with another user's.
    Privilege,
    /// Changes what can be changed back.
    Change,
    /// Nothing here says what it does.
    Unknown,
    /// Sends data out of the machine.
    Egress,
    /// Shows or uses what must stay secret.
    Secret,
    /// May cut this very session off.
    Connectivity,
    /// Loses what cannot be had back.
    Destructive,
}

impl Class {
    pub const ALL: [Self; 8] = [
        Self::ReadOnly,
        Self::Privilege,
        Self::Change,
        Self::Unknown,
        Self::Egress,
        Self::Secret,
        Self::Connectivity,
        Self::Destructive,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::ReadOnly => "read-only",
            Self::Privilege => "privilege",
            Self::Change => "change",
            Self::Unknown => "unknown",
            Self::Egress => "egress",
            Self::Secret => "secret",
            Self::Connectivity => "connectivity",
            Self::Destructive => "destructive",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|class| class.name() == name)
    }

    /// The level of a rule that names none.
    fn usual_level(self) -> Risk {
        match self {
            Self::ReadOnly => Risk::Low,
            Self::Destructive | Self::Connectivity | Self::Secret => Risk::High,
            _ => Risk::Medium,
        }
    }

    /// No rule can go below this. Rights alone are no danger: `sudo ls` is as harmless as `ls`.
    fn least_level(self) -> Risk {
        match self {
            Self::ReadOnly | Self::Privilege => Risk::Low,
            _ => Risk::Medium,
        }
    }
}

/// A set of classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Classes(u8);

impl Classes {
    pub fn of(class: Class) -> Self {
        Self(1 << class as u8)
    }

    #[must_use]
    pub fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub fn has(self, class: Class) -> bool {
        self.0 & Self::of(class).0 != 0
    }

    /// The gravest first.
    pub fn iter(self) -> impl Iterator<Item = Class> {
        Class::ALL.into_iter().rev().filter(move |class| self.has(*class))
    }

    /// What is both read-only and something else is that something else.
    fn without_read_only(self) -> Self {
        Self(self.0 & !Self::of(Class::ReadOnly).0)
    }

    pub(super) fn usual_level(self) -> Risk {
        self.iter().map(Class::usual_level).max().unwrap_or(Risk::Medium)
    }

    pub(super) fn least_level(self) -> Risk {
        self.iter().map(Class::least_level).max().unwrap_or(Risk::Medium)
    }
}

impl fmt::Display for Classes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.iter().map(Class::name).collect();
        f.write_str(&names.join(","))
    }
}

/// One thing that was found in a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    pub level: Risk,
    pub classes: Classes,
    /// In plain words: `rm: deletes files`.
    pub reason: String,
}

impl Finding {
    pub(super) fn new(class: Class, reason: impl Into<String>) -> Self {
        let classes = Classes::of(class);
        Self { level: classes.usual_level(), classes, reason: reason.into() }
    }

    #[must_use]
    pub(super) fn at(self, level: Risk) -> Self {
        Self { level: level.max(self.classes.least_level()), ..self }
    }

    fn weight(&self) -> (Risk, u8) {
        (self.level, self.classes.0)
    }
}

/// Findings that are kept: a card shows one or two, `--risk` one.
const FINDINGS_LIMIT: usize = 8;

/// Everything that was found in a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assessment {
    pub level: Risk,
    pub classes: Classes,
    /// The worst first.
    pub findings: Vec<Finding>,
}

impl Assessment {
    pub(super) fn of(findings: Vec<Finding>) -> Self {
        let mut kept: Vec<Finding> = Vec::new();
        let mut classes = Classes::default();
        let mut level = Risk::Low;
        for mut finding in findings {
            // Reasons quote the command: what is not known of it has a mark there.
            finding.reason = finding.reason.replace(|c: char| c.is_control(), "…");
            classes = classes.with(finding.classes);
            level = level.max(finding.level);
            if !kept.contains(&finding) {
                kept.push(finding);
                // Stable: what comes first in the command stays first among equals.
                kept.sort_by_key(|f| std::cmp::Reverse(f.weight()));
                kept.truncate(FINDINGS_LIMIT);
            }
        }
        let classes = if level == Risk::Low { classes } else { classes.without_read_only() };
        Self { level, classes, findings: kept }
    }

    /// The same of a command in which something is still to be filled in: not low, whatever comes in.
    pub(in crate::copilot) fn unfilled(mut self, hole: &str) -> Self {
        if self.level == Risk::Low {
            let finding = Finding::new(Class::Unknown, format!("{hole} is to be filled in"));
            self = Self::of(self.findings.into_iter().chain([finding]).collect());
        }
        self
    }

    /// The worst reason.
    pub fn reason(&self) -> &str {
        self.findings.first().map_or("", |f| f.reason.as_str())
    }
}
