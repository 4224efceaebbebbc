//! Why a call ended without a person's decision.

use crate::json;

/// Why a call ended without a person's decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Basis {
    /// The tool's tier.
    Tier,
    /// A source's deny.
    Verdict,
    /// A source's allow lifted a confirm tier.
    Endorsement,
    /// A grant given before.
    Grant,
    /// The same call was under way or refused before.
    Duplicate,
    /// The run was stopped.
    Canceled,
    /// The confirmation could not be stored.
    PersistFailed,
    /// Nobody answered in time.
    Expired,
    /// A newer message came.
    Superseded,
    /// There is nobody to ask.
    NoHuman,
    /// The arguments are not acceptable.
    InvalidArguments,
    /// The engine failed on this call.
    EngineFailed,
}

json::words!(Basis {
    Tier = "tier",
    Verdict = "verdict",
    Endorsement = "endorsement",
    Grant = "grant",
    Duplicate = "duplicate",
    Canceled = "canceled",
    PersistFailed = "persist-failed",
    Expired = "expired",
    Superseded = "superseded",
    NoHuman = "no-human",
    InvalidArguments = "invalid-arguments",
    EngineFailed = "engine-failed",
});

impl Basis {
    /// Every basis.
    pub const ALL: [Self; 12] = [
        Self::Tier,
        Self::Verdict,
        Self::Endorsement,
        Self::Grant,
        Self::Duplicate,
        Self::Canceled,
        Self::PersistFailed,
        Self::Expired,
        Self::Superseded,
        Self::NoHuman,
        Self::InvalidArguments,
        Self::EngineFailed,
    ];
}
