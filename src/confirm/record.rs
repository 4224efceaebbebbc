use serde_json::{Map, Value};

use super::tombstone::Tombstone;
use crate::error::Error;
use crate::grant::Scope;
use crate::json::{self, Raw};
use crate::payload::{Payload, Status, Suggestion};

/// The version of a stored record; a newer one is not touched.
pub const VERSION: u32 = 1;

/// An idempotent tool is run again so often when its outcome is unknown.
const RUNS_AGAIN: u32 = 2;

/// How far a confirmation has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Nobody has answered.
    Pending,
    /// A person has answered, nothing has been done about it.
    Decided,
    /// One instance has claimed it and runs the tool.
    Executing,
    /// Over.
    Settled,
}

json::words!(Stage {
    Pending = "pending",
    Decided = "decided",
    Executing = "executing",
    Settled = "settled",
});

/// How it was answered, whatever became of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// A person said yes.
    Approved,
    /// A person said no.
    Denied,
    /// A person left it without saying either.
    Abandoned,
    /// An approval of another call that a person wants remembered covers this one too.
    Granted,
}

json::words!(Decision {
    Approved = "approved",
    Denied = "denied",
    Abandoned = "abandoned",
    Granted = "granted",
});

impl Decision {
    /// The call may run.
    #[must_use]
    pub fn is_yes(self) -> bool {
        matches!(self, Self::Approved | Self::Granted)
    }
}

/// What is known of the tool's run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Execution {
    /// It did not run.
    None,
    /// It ran.
    Ran,
    /// It ran and failed.
    Failed,
    /// It was started; whether it finished is not known. It is never run again.
    Unknown,
    /// The caller of `authorize` runs it; nobody else ever does.
    Caller,
}

json::words!(Execution {
    None = "none",
    Ran = "ran",
    Failed = "failed",
    Unknown = "unknown",
    Caller = "caller",
});

/// A grant as the person wants it saved with an approval.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remembered {
    /// Which of the suggestions it comes from.
    pub index: u32,
    /// How far it reaches.
    pub scope: Scope,
    /// A rule content; empty: every call of the tool, unless there is a digest.
    pub content: String,
    /// Exactly this call.
    pub arguments_digest: Option<String>,
    /// When it ends.
    pub expires_at: Option<u64>,
    /// How many calls it answers.
    pub uses_left: Option<u64>,
}

json::object!(open Remembered {
    index,
    scope,
    content,
    arguments_digest or nothing,
    expires_at or nothing,
    uses_left or nothing,
});

/// One confirmation as it is stored. Times are milliseconds since the epoch.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// The version of this form.
    pub version: u32,
    /// Given once in a session.
    pub confirmation_id: String,
    /// The model's id for the call.
    pub tool_call_id: String,
    /// The tool.
    pub tool_name: String,
    /// Its MCP server.
    pub server: Option<String>,
    /// The arguments' text that was judged and shown.
    pub arguments: String,
    /// The session.
    pub session_id: String,
    /// The session's user.
    pub user_id: String,
    /// Where it stands for people.
    pub status: Status,
    /// Who decided.
    pub decided_by: Option<String>,
    /// When it was opened.
    pub created_at: u64,
    /// The call's digest.
    pub arguments_digest: String,
    /// A source insists on a person.
    pub forced: bool,
    /// Why a person is asked.
    pub reason: Option<String>,
    /// What may be remembered with an approval.
    pub suggestions: Vec<Suggestion>,
    /// Nobody can decide from then on.
    pub expires_at: Option<u64>,
    /// The user on whose behalf the call was made, when it is not the session's.
    pub asked_by: Option<String>,
    /// When it was over.
    pub settled_at: Option<u64>,
    /// The arguments' text as a person edited it.
    pub edited_arguments: Option<String>,
    /// The digest of the call with them.
    pub effective_digest: Option<String>,
    /// A person may edit the arguments.
    pub editable: bool,
    /// The run that asked.
    pub run_id: Option<String>,
    /// The sub-agents between the run and the call, outermost first.
    pub parents: Vec<String>,
    /// How often the same call was refused earlier in the run.
    pub refused_before: u32,

    /// How far it has come.
    pub stage: Stage,
    /// How it was answered.
    pub decision: Option<Decision>,
    /// The grant the person wants saved.
    pub remembered: Option<Remembered>,
    /// What the person wrote to the model with a denial.
    pub note: Option<String>,
    /// What is known of the tool's run.
    pub execution: Execution,
    /// The instance whose run waits, or that runs the tool; absent: nobody.
    pub owner: Option<String>,
    /// Grows with every claim; 0 before the first.
    pub fence: u32,
    /// No run waits by design; whoever asks again picks the answer up.
    pub parked: bool,
    /// The tool may run again when its outcome is unknown.
    pub idempotent: bool,
    /// Carried out without its run, which has to be resumed with the result.
    pub recovered: bool,
    /// The thread has the result.
    pub delivered: bool,
    /// The tool message: what the tool returned, or the refusal, as JSON text.
    pub result: Option<String>,

    /// Fields of a later version; they survive a rewrite.
    pub unknown: Map<String, Value>,
}

json::object!(open(unknown) Record {
    version,
    confirmation_id,
    tool_call_id,
    tool_name,
    server or nothing,
    arguments,
    session_id,
    user_id,
    status,
    decided_by or nothing,
    created_at,
    arguments_digest,
    forced,
    reason or nothing,
    suggestions or nothing = Vec::new(),
    expires_at or nothing,
    asked_by or nothing,
    settled_at or nothing,
    edited_arguments or nothing,
    effective_digest or nothing,
    editable = false,
    run_id or nothing,
    parents or nothing = Vec::new(),
    refused_before = 0,
    stage,
    decision or nothing,
    remembered or nothing,
    note or nothing,
    execution,
    owner or nothing,
    fence,
    parked,
    idempotent = false,
    recovered = false,
    delivered,
    result or nothing,
});

impl Record {
    /// Reads a stored record.
    ///
    /// # Errors
    /// `state_corrupt` for text that is no record, or one of a newer version.
    pub fn read(text: &str) -> Result<Self, Error> {
        let read = json::parse(text).and_then(|value| {
            // INVARIANT: whatever has a stage is no tombstone, so that no damaged record is taken for one.
            if value.get("stage").is_some() {
                json::from(value)
            } else {
                json::from::<Tombstone>(value).map(Self::from)
            }
        });
        let record =
            read.map_err(|error| Error::StateCorrupt(format!("a stored confirmation can't be read: {error}")))?;
        if record.version > VERSION {
            return Err(Error::StateCorrupt(format!(
                "the stored confirmation `{}` has version {}, this package reads up to {VERSION}",
                record.confirmation_id, record.version
            )));
        }
        Ok(record)
    }

    /// Its deadline is over at that time, in milliseconds since the epoch.
    #[must_use]
    pub fn past_deadline(&self, now_ms: u64) -> bool {
        self.expires_at.is_some_and(|at| at <= now_ms)
    }

    /// Nobody needs it any more but for its id: it is over, and its thread has the result or its caller has.
    #[must_use]
    pub fn expendable(&self) -> bool {
        self.stage == Stage::Settled && (self.delivered || self.execution == Execution::Caller)
    }

    /// The arguments that may run.
    #[must_use]
    pub fn effective_arguments(&self) -> &str {
        self.edited_arguments.as_deref().unwrap_or(&self.arguments)
    }

    /// The tool may be run once more when the instance that ran it is gone: only an idempotent one, twice at most.
    #[must_use]
    pub fn runs_again(&self) -> bool {
        self.stage == Stage::Executing && self.idempotent && self.fence <= RUNS_AGAIN
    }

    /// What is sent about it.
    #[must_use]
    pub fn payload(&self) -> Payload<'_> {
        Payload {
            confirmation_id: &self.confirmation_id,
            tool_call_id: &self.tool_call_id,
            tool_name: &self.tool_name,
            server: self.server.as_deref(),
            arguments: Raw::of(&self.arguments),
            session_id: &self.session_id,
            user_id: &self.user_id,
            status: self.status,
            decided_by: self.decided_by.as_deref(),
            created_at: self.created_at,
            arguments_digest: &self.arguments_digest,
            forced: self.forced,
            reason: self.reason.as_deref(),
            suggestions: &self.suggestions,
            expires_at: self.expires_at,
            asked_by: self.asked_by.as_deref(),
            settled_at: self.settled_at,
            edited_arguments: self.edited_arguments.as_deref().and_then(Raw::of),
            editable: self.editable,
            run_id: self.run_id.as_deref(),
            parents: &self.parents,
            refused_before: self.refused_before,
        }
    }
}
