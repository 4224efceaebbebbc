use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::error::Error;
use crate::grant::Scope;
use crate::json;
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

/// What the person said, whatever became of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// Yes.
    Approved,
    /// No.
    Denied,
}

json::words!(Decision {
    Approved = "approved",
    Denied = "denied",
});

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
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Remembered {
    /// Which of the suggestions it comes from.
    pub index: u32,
    /// How far it reaches.
    pub scope: Scope,
    /// A rule content; empty: every call of the tool, unless there is a digest.
    pub content: String,
    /// Exactly this call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arguments_digest: Option<String>,
    /// When it ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<u64>,
    /// How many calls it answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uses_left: Option<u64>,
}

json::object!(open Remembered {
    index,
    scope,
    content,
    arguments_digest,
    expires_at,
    uses_left,
});

/// One confirmation as it is stored. Times are milliseconds since the epoch.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
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
    #[serde(skip_serializing_if = "Option::is_none")]
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
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decided_by: Option<String>,
    /// When it was opened.
    pub created_at: u64,
    /// The call's digest.
    pub arguments_digest: String,
    /// A source insists on a person.
    pub forced: bool,
    /// Why a person is asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What may be remembered with an approval.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub suggestions: Vec<Suggestion>,
    /// Nobody can decide from then on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<u64>,
    /// The user on whose behalf the call was made, when it is not the session's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asked_by: Option<String>,
    /// When it was over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settled_at: Option<u64>,
    /// The arguments' text as a person edited it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edited_arguments: Option<String>,
    /// The digest of the call with them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effective_digest: Option<String>,
    /// A person may edit the arguments.
    pub editable: bool,
    /// The run that asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    /// The sub-agents between the run and the call, outermost first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parents: Vec<String>,
    /// How often the same call was refused earlier in the run.
    pub refused_before: u32,

    /// How far it has come.
    pub stage: Stage,
    /// What the person said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decision: Option<Decision>,
    /// The grant the person wants saved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remembered: Option<Remembered>,
    /// What the person wrote to the model with a denial.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// What is known of the tool's run.
    pub execution: Execution,
    /// The instance whose run waits, or that runs the tool; absent: nobody.
    #[serde(skip_serializing_if = "Option::is_none")]
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
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,

    /// Fields of a later version; they survive a rewrite.
    #[serde(flatten)]
    pub unknown: Map<String, Value>,
}

json::object!(open(unknown) Record {
    version,
    confirmation_id,
    tool_call_id,
    tool_name,
    server,
    arguments,
    session_id,
    user_id,
    status,
    decided_by,
    created_at,
    arguments_digest,
    forced,
    reason,
    suggestions = Vec::new(),
    expires_at,
    asked_by,
    settled_at,
    edited_arguments,
    effective_digest,
    editable = false,
    run_id,
    parents = Vec::new(),
    refused_before = 0,
    stage,
    decision,
    remembered,
    note,
    execution,
    owner,
    fence,
    parked,
    idempotent = false,
    recovered = false,
    delivered,
    result,
});

impl Record {
    /// Reads a stored record.
    ///
    /// # Errors
    /// `state_corrupt` for text that is no record, or one of a newer version.
    pub fn read(text: &str) -> Result<Self, Error> {
        let record: Self = json::read(text)
            .map_err(|error| Error::StateCorrupt(format!("a stored confirmation can't be read: {error}")))?;
        if record.version > VERSION {
            return Err(Error::StateCorrupt(format!(
                "the stored confirmation `{}` has version {}, this package reads up to {VERSION}",
                record.confirmation_id, record.version
            )));
        }
        Ok(record)
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
            arguments: raw(&self.arguments),
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
            edited_arguments: self.edited_arguments.as_deref().and_then(raw),
            editable: self.editable,
            run_id: self.run_id.as_deref(),
            parents: &self.parents,
            refused_before: self.refused_before,
        }
    }
}

fn raw(text: &str) -> Option<&RawValue> {
    serde_json::from_str(text).ok()
}
