use crate::call::ToolCall;
use crate::grant::Scope;
use crate::json;
use crate::payload::Suggestion;

use super::record::{Decision, Execution};

/// When an event happens, and how old the stored record is by the store's clock. Milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moment {
    /// Since the epoch.
    pub now_ms: u64,
    /// Since the record's last write.
    pub age_ms: u64,
    /// An owner whose record is older no longer counts as alive.
    pub lease_ms: u64,
}

json::object!(closed Moment {
    now_ms,
    age_ms,
    lease_ms,
});

/// What opens a confirmation.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs, reason = "the fields are those of the record, which explains them")]
pub struct Request {
    pub confirmation_id: String,
    pub call: ToolCall,
    pub digest: String,
    pub user_id: String,
    pub forced: bool,
    pub reason: String,
    pub expires_at: Option<u64>,
    pub asked_by: Option<String>,
    pub run_id: Option<String>,
    pub parents: Vec<String>,
    pub refused_before: u32,
    /// Absent: nobody waits, the confirmation is parked.
    pub owner: Option<String>,
    pub idempotent: bool,
    pub editable: bool,
    /// What may be remembered with an approval.
    pub suggestions: Vec<Suggestion>,
}

json::object!(closed Request {
    confirmation_id,
    call,
    digest,
    user_id,
    forced,
    reason,
    expires_at,
    asked_by,
    run_id,
    parents = Vec::new(),
    refused_before = 0,
    owner,
    idempotent = false,
    editable = false,
    suggestions = Vec::new(),
});

/// A person's answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// Yes, no, or neither.
    pub decision: Decision,
    /// Who answers.
    pub decided_by: String,
    /// The scope to remember a yes in.
    pub remember: Option<Scope>,
    /// What the person wrote to the model with a denial.
    pub note: Option<String>,
    /// The digest of the call that the person was shown.
    pub expected_digest: Option<String>,
    /// The arguments that shall run instead.
    pub edited: Option<Edited>,
    /// Which of the suggestions to remember; absent: the first one.
    pub grant: Option<Offer>,
}

json::object!(closed Answer {
    decision,
    decided_by,
    remember,
    note,
    expected_digest,
    edited,
    grant,
});

/// A call's arguments as a person edited them: their text, and the digest of the call with them.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs, reason = "said above")]
pub struct Edited {
    pub arguments: String,
    pub digest: String,
}

json::object!(closed Edited {
    arguments,
    digest,
});

/// One of the suggestions, by its content and digest, and what limits the grant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    /// A rule content; absent or empty: every call of the tool.
    pub content: Option<String>,
    /// Exactly this call.
    pub arguments_digest: Option<String>,
    /// The grant ends then, in milliseconds since the epoch.
    pub expires_at: Option<u64>,
    /// The grant answers so many calls.
    pub uses_left: Option<u64>,
}

json::object!(closed Offer {
    content,
    arguments_digest,
    expires_at,
    uses_left,
});

/// How a confirmation ends without a person's decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// The run was stopped.
    Canceled,
    /// Nobody answered in time.
    Expired,
    /// A newer message came.
    Superseded,
}

json::words!(Ending {
    Canceled = "canceled",
    Expired = "expired",
    Superseded = "superseded",
});

/// What happens to a confirmation. `owner` is the instance that acts, `result` a tool message as JSON text.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs, reason = "the fields are those of the record, which explains them")]
pub enum Event {
    /// A call needs a person.
    Request(Box<Request>),
    /// A person answers.
    Decide(Box<Answer>),
    /// An instance is about to run the approved tool; `recovery`: no run waits for it.
    Claim { owner: String, recovery: bool },
    /// An instance hands the approval to its caller, who runs the tool.
    HandOver { owner: String },
    /// An instance ends a decided confirmation without running the tool: the person's no, or the policy's. Where the
    /// tool could be claimed again, it is settled as lost.
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
        owner: Option<String>,
        result: String,
    },
    /// The owner is still there.
    Renew { owner: String, fence: u32 },
    /// An instance begins to wait for it.
    Adopt { owner: String },
    /// The owner stops waiting, the question stays open.
    Release { owner: String },
    /// The run ends with the question open, for whoever asks again or answers.
    Park { owner: String },
    /// A grant that came since covers the call.
    Pass,
    /// The thread has got the result.
    Deliver,
    /// It is older, or more than are kept.
    Shrink,
}

json::variants!(closed Event by "type" {
    Request(request),
    Decide(answer),
    Claim { owner, recovery },
    HandOver { owner },
    Refuse { owner, recovery, result },
    Finish { owner, fence, execution, result },
    Report { owner, result },
    Lose { recovery, result },
    End { ending, owner, result },
    Renew { owner, fence },
    Adopt { owner },
    Release { owner },
    Park { owner },
    Pass,
    Deliver,
    Shrink,
} else Self::Deliver);
