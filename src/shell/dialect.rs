//! Which command language the remote speaks.

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
    Junos,
    Vrp,
    RouterOs,
    PanOs,
    FortiOs,
}

impl Dialect {
    /// A network device: no shell, no files, no exit statuses.
    pub fn is_device(self) -> bool {
        matches!(
            self,
            Self::IosLike
                | Self::Ios
                | Self::NxOs
                | Self::Eos
                | Self::Vtysh
                | Self::Junos
                | Self::Vrp
                | Self::RouterOs
                | Self::PanOs
                | Self::FortiOs
        )
    }

    /// Takes what POSIX sh takes.
    pub fn is_posix(self) -> bool {
        matches!(self, Self::Posix | Self::Bash | Self::Zsh | Self::Ksh | Self::Dash | Self::Ash)
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
            Self::Junos => "Junos",
            Self::Vrp => "VRP",
            Self::RouterOs => "RouterOS",
            Self::PanOs => "PAN-OS",
            Self::FortiOs => "FortiOS",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_is_no_posix_shell_and_unknown_is_neither() {
        for dialect in [Dialect::Unknown, Dialect::Fish, Dialect::PowerShell, Dialect::Tcsh] {
            assert!(!dialect.is_posix() && !dialect.is_device(), "{dialect:?}");
        }
        assert!(Dialect::Ash.is_posix() && !Dialect::Ash.is_device());
        assert!(Dialect::IosLike.is_device() && !Dialect::Vtysh.is_posix());
        assert_eq!(Dialect::Unknown.name(), None);
    }
}
