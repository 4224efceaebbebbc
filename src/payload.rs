//! What is sent about a confirmation. Only add, never rename or remove.

use crate::grant::Scope;
use crate::json::{self, Raw};

/// The AG-UI custom event's default name.
pub const EVENT_NAME: &str = "tool_confirmation";
/// The key of the folded table in hosts whose session store is a map.
pub const STATE_KEY: &str = "__pending_tool_confirmation__";
/// The decision woke a waiting run.
pub const PATH_LIVE: &str = "live";
/// The decision was carried out by the gateway.
pub const PATH_RECOVERY: &str = "recovery";

/// Where a confirmation stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// Nobody has answered yet.
    Pending,
    /// A person said yes.
    Approved,
    /// A person said no, or the policy did after their yes.
    Denied,
    /// The run was stopped.
    Canceled,
    /// Nobody answered in time.
    Expired,
    /// A newer message came.
    Superseded,
}

json::words!(Status {
    Pending = "pending",
    Approved = "approved",
    Denied = "denied",
    Canceled = "canceled",
    Expired = "expired",
    Superseded = "superseded",
});

impl Status {
    /// Every status.
    pub const ALL: [Self; 6] = [
        Self::Pending,
        Self::Approved,
        Self::Denied,
        Self::Canceled,
        Self::Expired,
        Self::Superseded,
    ];
}

/// A grant the person may save with an approval.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suggestion {
    /// A rule content; empty is every call of the tool.
    pub content: String,
    /// Exactly this call.
    pub arguments_digest: Option<String>,
    /// The sentence shown.
    pub text: String,
    /// The scope offered first.
    pub scope_hint: Scope,
}

json::object!(open Suggestion {
    content,
    arguments_digest or nothing,
    text,
    scope_hint,
});

/// One confirmation as it is sent and listed. Times are milliseconds since the epoch.
#[derive(Debug)]
#[allow(missing_docs, reason = "the fields are those of the record, which explains them")]
pub struct Payload<'a> {
    pub confirmation_id: &'a str,
    pub tool_call_id: &'a str,
    pub tool_name: &'a str,
    pub server: Option<&'a str>,
    pub arguments: Option<Raw<'a>>,
    pub session_id: &'a str,
    pub user_id: &'a str,
    pub status: Status,
    pub decided_by: Option<&'a str>,
    pub created_at: u64,
    pub arguments_digest: &'a str,
    pub forced: bool,
    pub reason: Option<&'a str>,
    pub suggestions: &'a [Suggestion],
    pub expires_at: Option<u64>,
    pub asked_by: Option<&'a str>,
    pub settled_at: Option<u64>,
    pub edited_arguments: Option<Raw<'a>>,
    pub editable: bool,
    pub run_id: Option<&'a str>,
    pub parents: &'a [String],
    pub refused_before: u32,
}

json::written!(Payload<'a> {
    confirmation_id,
    tool_call_id,
    tool_name,
    server or nothing,
    arguments or nothing,
    session_id,
    user_id,
    status,
    decided_by or nothing,
    created_at,
    arguments_digest,
    forced,
    reason or nothing,
    suggestions or nothing,
    expires_at or nothing,
    asked_by or nothing,
    settled_at or nothing,
    edited_arguments or nothing,
    editable or nothing,
    run_id or nothing,
    parents or nothing,
    refused_before or nothing,
});
