//! Starting a run again after a recovery, claimed like an execution: of all who want to, one does.

use crate::error::Error;
use crate::json;

use super::event::Moment;

/// One resumption as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resumption {
    /// The confirmations whose results it delivers.
    pub confirmation_ids: Vec<String>,
    /// The new run's id; the same however often it is claimed.
    pub run_id: String,
    /// Who starts it; absent: nobody.
    pub owner: Option<String>,
    /// Grows with every claim.
    pub fence: u32,
    /// The run was seen to start.
    pub delivered: bool,
}

json::object!(open Resumption {
    confirmation_ids,
    run_id,
    owner or nothing,
    fence,
    delivered,
});

/// What happens to a resumption.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ResumptionEvent {
    /// An instance is about to start the run.
    Start {
        /// The instance.
        owner: String,
        /// What it delivers, when there is no record yet.
        confirmation_ids: Vec<String>,
        /// The run's id, when there is no record yet.
        run_id: String,
    },
    /// The run was seen to start.
    Deliver {
        /// The instance.
        owner: String,
    },
    /// The instance is still starting the run.
    Renew {
        /// The instance.
        owner: String,
    },
    /// The run could not be started.
    Release {
        /// The instance.
        owner: String,
    },
}

json::variants!(closed ResumptionEvent by "type" {
    Start { owner, confirmation_ids, run_id },
    Deliver { owner },
    Renew { owner },
    Release { owner },
} else Self::Release { owner: String::new() });

/// Applies one event to one resumption.
///
/// # Errors
/// `taken_over` when another instance that counts as alive holds it or it was delivered, `bad_request` when there is none.
pub fn reduce_resumption(
    record: Option<Resumption>,
    event: ResumptionEvent,
    moment: Moment,
) -> Result<Resumption, Error> {
    match (record, event) {
        (
            None,
            ResumptionEvent::Start {
                owner,
                confirmation_ids,
                run_id,
            },
        ) => Ok(Resumption {
            confirmation_ids,
            run_id,
            owner: Some(owner),
            fence: 1,
            delivered: false,
        }),
        (None, ResumptionEvent::Deliver { .. } | ResumptionEvent::Renew { .. } | ResumptionEvent::Release { .. }) => {
            Err(Error::BadRequest("there is no such resumption".into()))
        }
        (Some(record), ResumptionEvent::Start { owner, .. }) => {
            let held = record.owner.is_some() && moment.age_ms <= moment.lease_ms;
            if record.delivered || held {
                return Err(taken_over(&record));
            }
            Ok(Resumption {
                owner: Some(owner),
                fence: record.fence + 1,
                ..record
            })
        }
        (Some(record), ResumptionEvent::Deliver { owner }) if record.owner.as_deref() == Some(&owner) => {
            Ok(Resumption {
                delivered: true,
                ..record
            })
        }
        (Some(record), ResumptionEvent::Renew { owner })
            if record.owner.as_deref() == Some(&owner) && !record.delivered =>
        {
            Ok(record)
        }
        (Some(record), ResumptionEvent::Release { owner }) if record.owner.as_deref() == Some(&owner) => {
            Ok(Resumption { owner: None, ..record })
        }
        (
            Some(record),
            ResumptionEvent::Deliver { .. } | ResumptionEvent::Renew { .. } | ResumptionEvent::Release { .. },
        ) => Err(taken_over(&record)),
    }
}

fn taken_over(record: &Resumption) -> Error {
    Error::TakenOver(format!("the run `{}` is started by another instance", record.run_id))
}
