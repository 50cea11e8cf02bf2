//! The protocol revisions that aissh speaks, and the two eras that they fall into.
//!
//! HTTP+SSE (2024-11-05) is deprecated and not spoken.

/// Dated names, as on the wire, oldest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Revision {
    V2025_03_26,
    V2025_06_18,
    V2025_11_25,
    V2026_07_28,
}

/// How a client and a server get to know each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Era {
    /// `initialize`, a session, server requests on the stream, resumable streams.
    Legacy,
    /// Every request stands alone and carries its own `_meta`.
    Modern,
}

impl Revision {
    /// The only revision of the modern era.
    pub const MODERN: Self = Self::V2026_07_28;
    /// What `initialize` asks for.
    pub const LATEST_LEGACY: Self = Self::V2025_11_25;

    const ALL: [Self; 4] = [Self::V2025_03_26, Self::V2025_06_18, Self::V2025_11_25, Self::V2026_07_28];

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|r| r.as_str() == name)
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Self::V2025_03_26 => "2025-03-26",
            Self::V2025_06_18 => "2025-06-18",
            Self::V2025_11_25 => "2025-11-25",
            Self::V2026_07_28 => "2026-07-28",
        }
    }

    pub fn era(self) -> Era {
        if self < Self::V2026_07_28 { Era::Legacy } else { Era::Modern }
    }

    /// Whether requests name the revision in `MCP-Protocol-Version`; 2025-03-26 does not define the header.
    pub fn has_version_header(self) -> bool {
        self > Self::V2025_03_26
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_revision_reads_back_and_2026_is_the_modern_one() {
        for revision in Revision::ALL {
            assert_eq!(Revision::parse(revision.as_str()), Some(revision));
            assert_eq!(revision.era() == Era::Modern, revision == Revision::MODERN);
        }
        assert_eq!(Revision::parse("2024-11-05"), None);
        assert_eq!(Revision::LATEST_LEGACY.era(), Era::Legacy);
        assert!(!Revision::V2025_03_26.has_version_header() && Revision::V2025_06_18.has_version_header());
    }
}
