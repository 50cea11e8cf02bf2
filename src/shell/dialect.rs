//! Which command language the remote speaks, and what told so.

mod clues;
mod form;
mod words;

pub use clues::dialect_of;
pub(crate) use clues::{Dialects, Editor, Sight, is_greeting, is_mode_of};

/// A shell, or a network device's CLI. `Unknown` is an answer: nothing is assumed of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Dialect {
    #[default]
    Unknown,
    /// A POSIX-like shell; which one, nothing tells.
    Posix,
    Bash,
    Zsh,
    Ksh,
    Dash,
    /// busybox's.
    Ash,
    Fish,
    /// csh too.
    Tcsh,
    PowerShell,
    /// A CLI of the form of Cisco's; which one, nothing tells.
    IosLike,
    /// IOS and IOS-XE.
    Ios,
    NxOs,
    Eos,
    /// FRR's.
    Vtysh,
    /// Junos or PAN-OS.
    JunosLike,
    Junos,
    PanOs,
    /// VRP or Comware.
    VrpLike,
    Vrp,
    RouterOs,
    FortiOs,
}

/// What told the dialect, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Clue {
    /// A mark that only one shell sends, or that names it.
    Mark,
    /// The words in which it refused a command, or told its version.
    Message,
    /// What changed from one prompt to the next, or in the terminal's modes around it.
    Mode,
    /// What it printed before its first prompt.
    Banner,
    /// The prompt's own form.
    Prompt,
}

impl Dialect {
    /// A network device: no shell, no files, no exit statuses.
    pub fn is_device(self) -> bool {
        let families = [Self::IosLike, Self::JunosLike, Self::VrpLike, Self::RouterOs, Self::FortiOs];
        families.contains(&self.family())
    }

    /// What it is where nothing tells it from its relatives.
    pub(crate) fn family(self) -> Self {
        match self {
            Self::Bash | Self::Zsh | Self::Ksh | Self::Dash | Self::Ash => Self::Posix,
            Self::Ios | Self::NxOs | Self::Eos | Self::Vtysh => Self::IosLike,
            Self::Junos | Self::PanOs => Self::JunosLike,
            Self::Vrp => Self::VrpLike,
            alone => alone,
        }
    }

    pub(crate) fn is_family(self) -> bool {
        matches!(self, Self::Posix | Self::IosLike | Self::JunosLike | Self::VrpLike)
    }

    /// Takes what POSIX sh takes.
    pub fn is_posix(self) -> bool {
        self.family() == Self::Posix
    }

    /// As its users call it; `None` for `Unknown`.
    pub fn name(self) -> Option<&'static str> {
        Some(match self {
            Self::Unknown => return None,
            Self::Posix => "sh",
            Self::Bash => "bash",
            Self::Zsh => "zsh",
            Self::Ksh => "ksh",
            Self::Dash => "dash",
            Self::Ash => "ash",
            Self::Fish => "fish",
            Self::Tcsh => "tcsh",
            Self::PowerShell => "PowerShell",
            Self::IosLike => "IOS-like",
            Self::Ios => "IOS",
            Self::NxOs => "NX-OS",
            Self::Eos => "EOS",
            Self::Vtysh => "vtysh",
            Self::JunosLike => "Junos-like",
            Self::Junos => "Junos",
            Self::PanOs => "PAN-OS",
            Self::VrpLike => "VRP-like",
            Self::Vrp => "VRP",
            Self::RouterOs => "RouterOS",
            Self::FortiOs => "FortiOS",
        })
    }
}

/// Whether this is what [`Dialect::name`] calls a network device's CLI.
pub(crate) fn is_device_name(name: &str) -> bool {
    use Dialect::*;
    let all = [IosLike, Ios, NxOs, Eos, Vtysh, JunosLike, Junos, PanOs, VrpLike, Vrp, RouterOs, FortiOs];
    all.iter().any(|dialect| dialect.name() == Some(name))
}

#[cfg(test)]
mod tests;
