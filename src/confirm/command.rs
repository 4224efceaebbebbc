use serde::Serialize;

use crate::basis::Basis;

use super::record::Record;

/// What the writer whose save succeeded has to do, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Command {
    /// Tell people: the record's payload, as it is now.
    Emit,
    /// Run the tool with the effective arguments. Only this one must not be repeated; the fence guards it.
    Execute {
        /// To be named in `finish`.
        fence: u32,
    },
    /// Fire the one permission event of this call.
    Terminal {
        /// Why it ended.
        basis: Basis,
    },
    /// Tell the caller that the same answer was recorded before.
    Replayed,
}

/// What an event makes of a record.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Reduced {
    /// The record to save; absent: nothing changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record: Option<Record>,
    /// What to do after the save.
    pub commands: Vec<Command>,
}
