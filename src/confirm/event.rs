use serde::{Deserialize, Serialize};

use crate::call::ToolCall;
use crate::grant::Scope;
use crate::payload::Suggestion;

use super::record::{Decision, Execution};

/// When an event happens, and how old the stored record is by the store's clock. Milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Moment {
    /// Since the epoch.
    pub now_ms: u64,
    /// Since the record's last write.
    pub age_ms: u64,
    /// An owner whose record is older no longer counts as alive.
    pub lease_ms: u64,
}

/// What opens a confirmation.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[allow(missing_docs, reason = "the fields are those of the record, which explains them")]
pub struct Request {
    pub confirmation_id: String,
    pub call: ToolCall,
    pub digest: String,
    pub user_id: String,
    pub forced: bool,
    pub reason: String,
    #[serde(default)]
    pub expires_at: Option<u64>,
    #[serde(default)]
    pub asked_by: Option<String>,
    #[serde(default)]
    pub run_id: Option<String>,
    #[serde(default)]
    pub parents: Vec<String>,
    #[serde(default)]
    pub refused_before: u32,
    /// Absent: nobody waits, the confirmation is parked.
    #[serde(default)]
    pub owner: Option<String>,
    #[serde(default)]
    pub idempotent: bool,
    /// What may be remembered with an approval.
    #[serde(default)]
    pub suggestions: Vec<Suggestion>,
}

/// How a confirmation ends without a person's decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ending {
    /// The run was stopped.
    Canceled,
    /// Nobody answered in time.
    Expired,
    /// A newer message came.
    Superseded,
}

/// What happens to a confirmation. `owner` is the instance that acts, `result` a tool message as JSON text.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(
    tag = "type",
    rename_all = "camelCase",
    rename_all_fields = "camelCase",
    deny_unknown_fields
)]
#[allow(missing_docs, reason = "the fields are those of the record, which explains them")]
pub enum Event {
    /// A call needs a person.
    Request(Box<Request>),
    /// A person answers.
    Decide {
        decision: Decision,
        decided_by: String,
        #[serde(default)]
        remember: Option<Scope>,
        #[serde(default)]
        note: Option<String>,
    },
    /// An instance is about to run the approved tool; `recovery`: no run waits for it.
    Claim { owner: String, recovery: bool },
    /// An instance hands the approval to its caller, who runs the tool.
    HandOver { owner: String },
    /// An instance ends a decided confirmation without running the tool: the person's no, or the policy's.
    Refuse {
        owner: String,
        recovery: bool,
        result: String,
    },
    /// The tool has run.
    Finish {
        owner: String,
        fence: u32,
        execution: Execution,
        result: String,
    },
    /// The caller of an approval reports what happened.
    Report { owner: String, result: String },
    /// The instance that ran the tool is gone; `recovery`: no run waits for it.
    Lose { recovery: bool, result: String },
    /// It ends without a decision. `owner` is given by the run that waits.
    End {
        ending: Ending,
        #[serde(default)]
        owner: Option<String>,
        result: String,
    },
    /// The owner is still there.
    Renew { owner: String, fence: u32 },
    /// An instance begins to wait for it.
    Adopt { owner: String },
    /// The owner stops waiting, the question stays open.
    Release { owner: String },
    /// The thread has got the result.
    Deliver,
}
