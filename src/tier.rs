//! A tool's baseline.

use crate::json;

/// What a tool may do before anybody has spoken, from lax to strict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tier {
    /// Runs.
    Allow,
    /// Needs a person, an endorsement or a grant.
    Confirm,
    /// Never runs.
    Deny,
}

json::words!(Tier {
    Allow = "allow",
    Confirm = "confirm",
    Deny = "deny",
});

impl Tier {
    /// Every tier, in the order of strictness.
    pub const ALL: [Self; 3] = [Self::Allow, Self::Confirm, Self::Deny];

    /// Reads a word; `None` for an unknown one.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tier| tier.word() == word)
    }
}
