//! What policy sources say and how their words become one.

use crate::json;

/// One source's opinion of one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// No opinion.
    Abstain,
    /// Endorses: lifts a `confirm` tier.
    Allow,
    /// Forces a person; no grant answers it.
    Confirm,
    /// Absolute no.
    Deny,
}

json::words!(Verdict {
    Abstain = "abstain",
    Allow = "allow",
    Confirm = "confirm",
    Deny = "deny",
});

impl Verdict {
    /// Every verdict.
    pub const ALL: [Self; 4] = [Self::Abstain, Self::Allow, Self::Confirm, Self::Deny];

    /// Reads a word; `None` for an unknown one.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|verdict| verdict.word() == word)
    }

    /// The one merge rule: deny is absolute, confirm forces, allow endorses, abstain says nothing. On equal words the
    /// earlier source stays the one that is named.
    #[must_use]
    pub fn outranks(self, before: Self) -> bool {
        self.rank() > before.rank()
    }

    fn rank(self) -> u8 {
        match self {
            Self::Abstain => 0,
            Self::Allow => 1,
            Self::Confirm => 2,
            Self::Deny => 3,
        }
    }
}
