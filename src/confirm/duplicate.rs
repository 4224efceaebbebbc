use crate::error::Error;
use crate::json;

use super::event::Moment;
use super::record::{Decision, Execution, Record, Stage};
use super::reduce::unowned;

/// A call with a tool-call id that has a record already.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repeat {
    /// Its tool.
    pub tool_name: String,
    /// Its digest.
    pub digest: String,
    /// The run it comes from.
    pub run_id: Option<String>,
}

json::object!(closed Repeat {
    tool_name,
    digest,
    run_id,
});

/// What becomes of it. None of these passes without a person's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Duplicate {
    /// Wait for the owner's outcome and share it.
    Join,
    /// Nobody waits for the open question: wait for it.
    Adopt,
    /// Answered, and nobody has acted on it: carry it out.
    PickUp,
    /// Over, and the run has not got the result: give it.
    Replay,
    /// The instance that ran the tool is gone: settle it as lost, then look again.
    Lost,
    /// The approval was handed to a caller: refuse.
    Refuse,
    /// Another call: a new confirmation with a fresh id.
    Fresh,
}

json::words!(Duplicate {
    Join = "join",
    Adopt = "adopt",
    PickUp = "pickUp",
    Replay = "replay",
    Lost = "lost",
    Refuse = "refuse",
    Fresh = "fresh",
});

/// Judges a repeated tool-call id against one record.
#[must_use]
pub fn duplicate(record: &Record, repeat: &Repeat, moment: Moment) -> Duplicate {
    if record.tool_name != repeat.tool_name || record.arguments_digest != repeat.digest {
        return Duplicate::Fresh;
    }
    let nobody = unowned(record, moment);
    match record.stage {
        Stage::Pending if nobody => Duplicate::Adopt,
        Stage::Decided if nobody => Duplicate::PickUp,
        Stage::Executing if nobody && record.runs_again() => Duplicate::PickUp,
        Stage::Executing if nobody => Duplicate::Lost,
        Stage::Pending | Stage::Decided | Stage::Executing => Duplicate::Join,
        Stage::Settled if record.execution == Execution::Caller => Duplicate::Refuse,
        Stage::Settled if !record.delivered && record.run_id == repeat.run_id => Duplicate::Replay,
        Stage::Settled => Duplicate::Fresh,
    }
}

/// What a session's records mean for a call that needs a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Survey {
    /// How many confirmations are open.
    pub open: usize,
    /// How often this call was refused by a person earlier in the run.
    pub refused_before: u32,
    /// A record of this tool-call id that answers the call.
    pub found: Option<Found>,
    /// The tool-call id can't serve as confirmation id: it was given before.
    pub taken: bool,
}

json::written!(Survey {
    open,
    refused_before,
    found or nothing,
    taken,
});

/// A record that answers a repeated call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Its id.
    pub confirmation_id: String,
    /// What becomes of the call.
    pub duplicate: Duplicate,
}

json::written!(Found {
    confirmation_id,
    duplicate,
});

/// One stored record with its age by the store's clock in milliseconds.
#[derive(Debug, Clone, PartialEq)]
pub struct Stored {
    /// The confirmation id it is stored under.
    pub confirmation_id: String,
    /// Its text.
    pub record: String,
    /// Since its last write.
    pub age_ms: u64,
}

json::object!(closed Stored {
    confirmation_id,
    record,
    age_ms,
});

/// Looks through a session's records for a call that needs a person.
///
/// # Errors
/// `state_corrupt` when the record of this very id can't be read: it is neither answered from nor overwritten.
pub fn survey(records: &[Stored], tool_call_id: &str, repeat: &Repeat, moment: Moment) -> Result<Survey, Error> {
    let mut survey = Survey {
        open: 0,
        refused_before: 0,
        found: None,
        taken: false,
    };
    for stored in records {
        survey.taken |= stored.confirmation_id == tool_call_id;
        let record = match Record::read(&stored.record) {
            Ok(record) => record,
            Err(error) if stored.confirmation_id == tool_call_id => return Err(error),
            // An unreadable record may be an open one: it counts as such and answers nothing.
            Err(_) => {
                survey.open += 1;
                continue;
            }
        };
        survey.open += usize::from(record.stage != Stage::Settled);
        survey.refused_before += u32::from(refused(&record, repeat));
        let found = duplicate(
            &record,
            repeat,
            Moment {
                age_ms: stored.age_ms,
                ..moment
            },
        );
        if record.tool_call_id == tool_call_id && found != Duplicate::Fresh {
            survey.found = Some(Found {
                confirmation_id: record.confirmation_id,
                duplicate: found,
            });
        }
    }
    Ok(survey)
}

fn refused(record: &Record, repeat: &Repeat) -> bool {
    record.tool_name == repeat.tool_name
        && record.arguments_digest == repeat.digest
        && record.run_id == repeat.run_id
        && record.decision == Some(Decision::Denied)
}
