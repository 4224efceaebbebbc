//! What is sent about a confirmation. Only add, never rename or remove.

use serde::Serialize;
use serde_json::value::RawValue;

use crate::grant::Scope;
use crate::json;

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
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Suggestion {
    /// A rule content; empty is every call of the tool.
    pub content: String,
    /// Exactly this call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arguments_digest: Option<String>,
    /// The sentence shown.
    pub text: String,
    /// The scope offered first.
    pub scope_hint: Scope,
}

json::object!(open Suggestion {
    content,
    arguments_digest,
    text,
    scope_hint,
});

/// One confirmation as it is sent and listed. Times are milliseconds since the epoch.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[allow(missing_docs, reason = "the fields are those of the record, which explains them")]
pub struct Payload<'a> {
    pub confirmation_id: &'a str,
    pub tool_call_id: &'a str,
    pub tool_name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arguments: Option<&'a RawValue>,
    pub session_id: &'a str,
    pub user_id: &'a str,
    pub status: Status,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decided_by: Option<&'a str>,
    pub created_at: u64,
    pub arguments_digest: &'a str,
    pub forced: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'a str>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub suggestions: &'a [Suggestion],
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asked_by: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settled_at: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edited_arguments: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub editable: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_id: Option<&'a str>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub parents: &'a [String],
    #[serde(skip_serializing_if = "is_zero")]
    pub refused_before: u32,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}
