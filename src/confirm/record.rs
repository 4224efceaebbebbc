use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::error::Error;
use crate::grant::Scope;
use crate::payload::{Payload, Status, Suggestion};

/// The version of a stored record; a newer one is not touched.
pub const VERSION: u32 = 1;

/// How far a confirmation has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
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

/// What the person said, whatever became of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    /// Yes.
    Approved,
    /// No.
    Denied,
}

/// What is known of the tool's run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
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

/// One confirmation as it is stored. Times are milliseconds since the epoch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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
    #[serde(default, skip_serializing_if = "Option::is_none")]
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
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided_by: Option<String>,
    /// When it was opened.
    pub created_at: u64,
    /// The call's digest.
    pub arguments_digest: String,
    /// A source insists on a person.
    pub forced: bool,
    /// Why a person is asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What may be remembered with an approval.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suggestions: Vec<Suggestion>,
    /// Nobody can decide from then on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<u64>,
    /// The user on whose behalf the call was made, when it is not the session's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked_by: Option<String>,
    /// When it was over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settled_at: Option<u64>,
    /// The arguments' text as a person edited it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edited_arguments: Option<String>,
    /// The run that asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    /// The sub-agents between the run and the call, outermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parents: Vec<String>,
    /// How often the same call was refused earlier in the run.
    #[serde(default)]
    pub refused_before: u32,

    /// How far it has come.
    pub stage: Stage,
    /// What the person said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<Decision>,
    /// The scope the person wants it remembered in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remember: Option<Scope>,
    /// What the person wrote to the model with a denial.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// What is known of the tool's run.
    pub execution: Execution,
    /// The instance whose run waits, or that runs the tool; absent: nobody.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// Grows with every claim; 0 before the first.
    pub fence: u32,
    /// No run waits by design; whoever asks again picks the answer up.
    pub parked: bool,
    /// The tool may run again when its outcome is unknown.
    #[serde(default)]
    pub idempotent: bool,
    /// Carried out without its run, which has to be resumed with the result.
    #[serde(default)]
    pub recovered: bool,
    /// The thread has the result.
    pub delivered: bool,
    /// The tool message: what the tool returned, or the refusal, as JSON text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,

    /// Fields of a later version; they survive a rewrite.
    #[serde(flatten)]
    pub unknown: Map<String, Value>,
}

impl Record {
    /// Reads a stored record.
    ///
    /// # Errors
    /// `state_corrupt` for text that is no record, or one of a newer version.
    pub fn read(text: &str) -> Result<Self, Error> {
        let record: Self = serde_json::from_str(text)
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
            run_id: self.run_id.as_deref(),
            parents: &self.parents,
            refused_before: self.refused_before,
        }
    }
}

fn raw(text: &str) -> Option<&RawValue> {
    serde_json::from_str(text).ok()
}
