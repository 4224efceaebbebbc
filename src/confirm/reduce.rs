use crate::basis::Basis;
use crate::error::Error;
use crate::payload::Status;

use super::command::{Command, Reduced};
use super::decide::{decide, pass};
use super::event::{Ending, Event, Moment, Request};
use super::record::{Decision, Execution, Record, Stage, VERSION};
use super::tombstone::tombstone;

/// Applies one event to one record.
///
/// # Errors
/// `already_settled` when another answer was recorded, `taken_over` when another instance holds the record,
/// `conflict` when the event does not fit the stage, `bad_request` when there is no record.
pub fn reduce(record: Option<Record>, event: Event, moment: Moment) -> Result<Reduced, Error> {
    let Some(mut record) = record else {
        let Event::Request(request) = event else {
            return Err(Error::BadRequest("there is no such confirmation".into()));
        };
        return Ok(open(*request, moment));
    };
    let commands = match event {
        Event::Request(_) => {
            return Err(Error::Conflict(format!(
                "the confirmation `{}` exists",
                record.confirmation_id
            )));
        }
        Event::Decide(answer) => {
            if let Some(replayed) = decide(&mut record, *answer, moment)? {
                return Ok(replayed);
            }
            Vec::new()
        }
        Event::Claim { owner, recovery } => {
            let again = record.runs_again() && lapsed(&record, moment);
            if again {
                record.stage = Stage::Decided;
            }
            take(&mut record, owner, moment)?;
            approved(&record)?;
            record.recovered = recovery;
            record.stage = Stage::Executing;
            record.fence += 1;
            let execute = Command::Execute { fence: record.fence };
            // People were told by the first claim.
            let told = if again { Vec::new() } else { over(&record, Basis::Grant) };
            told.into_iter().chain([execute]).collect()
        }
        Event::HandOver { owner } => {
            take(&mut record, owner, moment)?;
            approved(&record)?;
            record.execution = Execution::Caller;
            settle(&mut record, moment);
            over(&record, Basis::Grant)
        }
        Event::Refuse {
            owner,
            recovery,
            result,
        } => {
            // Whoever may claim it again may refuse it instead: it was started, and people were told by the first claim.
            let started = record.runs_again() && lapsed(&record, moment);
            if started {
                record.stage = Stage::Decided;
            }
            take(&mut record, owner, moment)?;
            record.recovered = recovery;
            record.result = Some(result);
            settle(&mut record, moment);
            if started {
                record.execution = Execution::Unknown;
                Vec::new()
            } else {
                if record.decision != Some(Decision::Abandoned) {
                    record.status = Status::Denied;
                }
                over(&record, Basis::Verdict)
            }
        }
        Event::Finish {
            owner,
            fence,
            execution,
            result,
        } => {
            // INVARIANT: only the claim that is current may finish; a late one can't overwrite what was settled since.
            if record.stage != Stage::Executing || record.fence != fence || record.owner.as_deref() != Some(&owner) {
                return Err(taken_over(&record));
            }
            record.execution = execution;
            record.result = Some(result);
            settle(&mut record, moment);
            Vec::new()
        }
        Event::Report { owner, result } => {
            let handed_over = record.execution == Execution::Caller && record.owner.as_deref() == Some(&owner);
            if !handed_over || record.result.is_some() {
                return Err(Error::Conflict(format!(
                    "the confirmation `{}` takes no report",
                    record.confirmation_id
                )));
            }
            record.result = Some(result);
            Vec::new()
        }
        Event::Lose { recovery, result } => {
            if record.stage != Stage::Executing || !lapsed(&record, moment) {
                return Err(Error::Conflict(format!(
                    "the confirmation `{}` is not lost",
                    record.confirmation_id
                )));
            }
            record.execution = Execution::Unknown;
            record.recovered = recovery;
            record.result = Some(result);
            settle(&mut record, moment);
            Vec::new()
        }
        Event::End { ending, owner, result } => {
            if owner.is_some() && owner != record.owner {
                return Err(taken_over(&record));
            }
            if !may_end(&record, ending, owner.is_some(), moment) {
                return Ok(Reduced {
                    record: None,
                    tombstone: None,
                    commands: Vec::new(),
                });
            }
            let (status, basis) = match ending {
                Ending::Canceled => (Status::Canceled, Basis::Canceled),
                Ending::Expired => (Status::Expired, Basis::Expired),
                Ending::Superseded => (Status::Superseded, Basis::Superseded),
            };
            record.status = status;
            record.result = Some(result);
            settle(&mut record, moment);
            over(&record, basis)
        }
        Event::Renew { owner, fence } => {
            if record.stage == Stage::Settled || record.fence != fence || record.owner.as_deref() != Some(&owner) {
                return Err(taken_over(&record));
            }
            Vec::new()
        }
        Event::Adopt { owner } => {
            if record.stage != Stage::Pending || (record.owner.as_deref() != Some(&owner) && !unowned(&record, moment))
            {
                return Err(taken_over(&record));
            }
            record.owner = Some(owner);
            record.parked = false;
            Vec::new()
        }
        Event::Release { owner } => {
            if record.owner.as_deref() != Some(&owner) || !matches!(record.stage, Stage::Pending | Stage::Decided) {
                return Ok(Reduced {
                    record: None,
                    tombstone: None,
                    commands: Vec::new(),
                });
            }
            record.owner = None;
            Vec::new()
        }
        Event::Park { owner } => {
            if record.owner.as_deref() != Some(&owner) && !unowned(&record, moment) {
                return Err(taken_over(&record));
            }
            if record.stage != Stage::Pending {
                return Err(Error::Conflict(format!(
                    "the confirmation `{}` is not open",
                    record.confirmation_id
                )));
            }
            record.owner = None;
            record.parked = true;
            Vec::new()
        }
        Event::Pass => {
            pass(&mut record, moment)?;
            Vec::new()
        }
        Event::Deliver => {
            if record.stage != Stage::Settled {
                return Err(Error::Conflict(format!(
                    "the confirmation `{}` has no result yet",
                    record.confirmation_id
                )));
            }
            record.delivered = true;
            Vec::new()
        }
        Event::Shrink => {
            return Ok(Reduced {
                record: None,
                tombstone: Some(tombstone(record)?),
                commands: Vec::new(),
            });
        }
    };
    Ok(Reduced {
        record: Some(record),
        tombstone: None,
        commands,
    })
}

/// True when nobody that counts as alive holds the record.
pub(super) fn unowned(record: &Record, moment: Moment) -> bool {
    record.owner.is_none() || lapsed(record, moment)
}

pub(super) fn lapsed(record: &Record, moment: Moment) -> bool {
    record.owner.is_some() && moment.age_ms > moment.lease_ms
}

fn open(request: Request, moment: Moment) -> Reduced {
    let call = request.call;
    let record = Record {
        version: VERSION,
        confirmation_id: request.confirmation_id,
        tool_call_id: call.tool_call_id,
        tool_name: call.tool_name,
        server: call.server,
        arguments: call.arguments,
        session_id: call.session_id,
        user_id: request.user_id,
        status: Status::Pending,
        decided_by: None,
        created_at: moment.now_ms,
        arguments_digest: request.digest,
        forced: request.forced,
        reason: Some(request.reason),
        suggestions: request.suggestions,
        expires_at: request.expires_at,
        asked_by: request.asked_by,
        settled_at: None,
        edited_arguments: None,
        effective_digest: None,
        editable: request.editable,
        run_id: request.run_id,
        parents: request.parents,
        refused_before: request.refused_before,
        stage: Stage::Pending,
        decision: None,
        remembered: None,
        note: None,
        execution: Execution::None,
        parked: request.owner.is_none(),
        owner: request.owner,
        fence: 0,
        idempotent: request.idempotent,
        recovered: false,
        delivered: false,
        result: None,
        unknown: serde_json::Map::new(),
    };
    Reduced {
        record: Some(record),
        tombstone: None,
        commands: vec![Command::Emit],
    }
}

/// INVARIANT: of all who want to act on a decision one takes it: its owner while that counts as alive, else the first.
fn take(record: &mut Record, owner: String, moment: Moment) -> Result<(), Error> {
    if record.stage != Stage::Decided {
        return Err(Error::Conflict(format!(
            "the confirmation `{}` is not waiting to be carried out",
            record.confirmation_id
        )));
    }
    if record.owner.as_deref() != Some(&owner) && !unowned(record, moment) {
        return Err(taken_over(record));
    }
    record.owner = Some(owner);
    Ok(())
}

fn approved(record: &Record) -> Result<(), Error> {
    if record.decision.is_some_and(Decision::is_yes) {
        return Ok(());
    }
    Err(Error::Conflict(format!(
        "the confirmation `{}` was not approved",
        record.confirmation_id
    )))
}

/// The run that waits may end its own question as expired before the stored deadline, when the run itself timed out.
fn may_end(record: &Record, ending: Ending, by_owner: bool, moment: Moment) -> bool {
    match (record.stage, ending) {
        (Stage::Pending, Ending::Expired) => by_owner || record.past_deadline(moment.now_ms),
        (Stage::Pending, Ending::Canceled | Ending::Superseded) | (Stage::Decided, Ending::Canceled) => true,
        (Stage::Decided, Ending::Expired | Ending::Superseded)
        | (Stage::Executing | Stage::Settled, Ending::Canceled | Ending::Expired | Ending::Superseded) => false,
    }
}

/// Tells people how it ended, and fires the call's one event where nobody answered: a person's decision that was recorded
/// is the call's one terminal, even when the run stops before the claim.
fn over(record: &Record, basis: Basis) -> Vec<Command> {
    let alone = matches!(record.decision, None | Some(Decision::Granted));
    let terminal = if alone { Some(Command::Terminal { basis }) } else { None };
    [Command::Emit].into_iter().chain(terminal).collect()
}

fn settle(record: &mut Record, moment: Moment) {
    record.stage = Stage::Settled;
    record.settled_at = Some(moment.now_ms);
}

fn taken_over(record: &Record) -> Error {
    Error::TakenOver(format!(
        "another instance carries on with the confirmation `{}`",
        record.confirmation_id
    ))
}
