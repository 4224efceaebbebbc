use crate::basis::Basis;
use crate::json;

use super::record::Record;
use super::tombstone::Tombstone;

/// What the writer whose save succeeded has to do, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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

json::written!(Command by "type" {
    Emit,
    Execute { fence },
    Terminal { basis },
    Replayed,
});

/// What an event makes of a record.
#[derive(Debug, Clone, PartialEq)]
pub struct Reduced {
    /// The record to save; absent: nothing changed.
    pub record: Option<Record>,
    /// What to save instead.
    pub tombstone: Option<Tombstone>,
    /// What to do after the save.
    pub commands: Vec<Command>,
}

json::written!(Reduced {
    record or nothing,
    tombstone or nothing,
    commands,
});
