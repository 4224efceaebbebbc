use crate::error::Error;
use crate::json;
use crate::payload::Status;

use super::record::{Decision, Execution, Record, Stage, VERSION};

/// What is kept of a confirmation that is over and was delivered, as long as its session: its id is never given again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tombstone {
    /// The confirmation's id.
    pub confirmation_id: String,
    /// How it ended.
    pub status: Status,
    /// The call's digest.
    pub arguments_digest: String,
    /// When it was over, in milliseconds since the epoch.
    pub settled_at: Option<u64>,
}

json::object!(open Tombstone {
    confirmation_id,
    status,
    arguments_digest,
    settled_at or nothing,
});

/// The tombstone of a record.
///
/// # Errors
/// `conflict` for one that is open or was not delivered.
pub(super) fn tombstone(record: Record) -> Result<Tombstone, Error> {
    if !record.expendable() {
        return Err(Error::Conflict(format!(
            "the confirmation `{}` is still needed",
            record.confirmation_id
        )));
    }
    Ok(Tombstone {
        confirmation_id: record.confirmation_id,
        status: record.status,
        arguments_digest: record.arguments_digest,
        settled_at: record.settled_at,
    })
}

/// A tombstone answers like the record it was, as far as it knows.
impl From<Tombstone> for Record {
    fn from(tombstone: Tombstone) -> Self {
        let decision = match tombstone.status {
            Status::Approved => Some(Decision::Approved),
            Status::Denied => Some(Decision::Denied),
            Status::Pending | Status::Canceled | Status::Expired | Status::Superseded => None,
        };
        Self {
            version: VERSION,
            confirmation_id: tombstone.confirmation_id,
            tool_call_id: String::new(),
            tool_name: String::new(),
            server: None,
            arguments: "{}".into(),
            session_id: String::new(),
            user_id: String::new(),
            status: tombstone.status,
            decided_by: None,
            created_at: 0,
            arguments_digest: tombstone.arguments_digest,
            forced: false,
            reason: None,
            suggestions: Vec::new(),
            expires_at: None,
            asked_by: None,
            settled_at: tombstone.settled_at,
            edited_arguments: None,
            effective_digest: None,
            editable: false,
            run_id: None,
            parents: Vec::new(),
            refused_before: 0,
            stage: Stage::Settled,
            decision,
            remembered: None,
            note: None,
            execution: Execution::None,
            owner: None,
            fence: 0,
            parked: false,
            idempotent: false,
            recovered: false,
            delivered: true,
            result: None,
            unknown: serde_json::Map::new(),
        }
    }
}
