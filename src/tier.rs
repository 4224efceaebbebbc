//! A tool's baseline.

use serde::{Deserialize, Serialize};

/// What a tool may do before anybody has spoken, from lax to strict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Tier {
    /// Runs.
    Allow,
    /// Needs a person, an endorsement or a grant.
    Confirm,
    /// Never runs.
    Deny,
}

impl Tier {
    /// Every tier, in the order of strictness.
    pub const ALL: [Self; 3] = [Self::Allow, Self::Confirm, Self::Deny];

    /// The word on the wire.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Confirm => "confirm",
            Self::Deny => "deny",
        }
    }

    /// Reads a word; `None` for an unknown one.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tier| tier.word() == word)
    }
}
