use crate::grant::{Grant, Scope};
use crate::json;
use crate::payload::Payload;

use super::event::{Ending, Moment};
use super::record::{Decision, Execution, Record, Stage};
use super::reduce::unowned;

/// A record as a host reads it at a moment.
#[derive(Debug)]
pub struct View<'a> {
    /// What is sent about it.
    pub payload: Payload<'a>,
    /// How far it has come.
    pub stage: Stage,
    /// How it was answered.
    pub decision: Option<Decision>,
    /// What the person wrote with a denial.
    pub note: Option<&'a str>,
    /// What is known of the tool's run.
    pub execution: Execution,
    /// Who holds it.
    pub owner: Option<&'a str>,
    /// Somebody that counts as alive holds it.
    pub live: bool,
    /// When its owner no longer counts as alive, in milliseconds from now, unless it renews.
    pub lapses_in_ms: Option<u64>,
    /// No run waits by design.
    pub parked: bool,
    /// The number of claims.
    pub fence: u32,
    /// The arguments' text that may run.
    pub arguments: &'a str,
    /// The tool message.
    pub result: Option<&'a str>,
    /// Carried out without its run.
    pub recovered: bool,
    /// The thread has the result.
    pub delivered: bool,
    /// A pending question past its deadline must be ended before anything else is said about it.
    pub overdue: Option<Ending>,
    /// The digest of the call with the arguments that a person edited.
    pub effective_digest: Option<&'a str>,
    /// More of it than its tombstone is stored, and nobody needs that any more.
    pub expendable: bool,
    /// Nobody that counts as alive runs the tool, and it may be run again.
    pub runs_again: bool,
    /// What to save before the approved call runs.
    pub grant: Option<Grant>,
}

json::written!(View<'a> {
    payload,
    stage,
    decision or nothing,
    note or nothing,
    execution,
    owner or nothing,
    live,
    lapses_in_ms or nothing,
    parked,
    fence,
    arguments,
    result or nothing,
    recovered,
    delivered,
    overdue or nothing,
    effective_digest or nothing,
    expendable,
    runs_again,
    grant or nothing,
});

/// Reads a record for a host. `app` goes into the grant.
#[must_use]
pub fn view<'a>(record: &'a Record, app: &str, moment: Moment) -> View<'a> {
    let overdue = record.stage == Stage::Pending && record.past_deadline(moment.now_ms);
    View {
        payload: record.payload(),
        stage: record.stage,
        decision: record.decision,
        note: record.note.as_deref(),
        execution: record.execution,
        owner: record.owner.as_deref(),
        live: !unowned(record, moment),
        lapses_in_ms: record
            .owner
            .as_ref()
            .and_then(|_| moment.lease_ms.checked_sub(moment.age_ms))
            .map(|ms| ms + 1),
        parked: record.parked,
        fence: record.fence,
        arguments: record.effective_arguments(),
        result: record.result.as_deref(),
        recovered: record.recovered,
        delivered: record.delivered,
        overdue: overdue.then_some(Ending::Expired),
        effective_digest: record.effective_digest.as_deref(),
        expendable: record.expendable() && !record.tool_call_id.is_empty(),
        runs_again: record.runs_again() && unowned(record, moment),
        grant: grant(record, app, moment.now_ms),
    }
}

fn grant(record: &Record, app: &str, now_ms: u64) -> Option<Grant> {
    let remembered = record.remembered.as_ref()?;
    Some(Grant {
        // The session makes it unique among a user's grants: confirmation ids are unique in a session only.
        id: format!("{}#{}@{}", record.confirmation_id, remembered.index, record.session_id),
        app: app.to_owned(),
        user_id: record.user_id.clone(),
        session_id: match remembered.scope {
            Scope::Session => record.session_id.clone(),
            Scope::Global => String::new(),
        },
        tool_name: record.tool_name.clone(),
        created_by: record.decided_by.clone().unwrap_or_default(),
        created_at: now_ms,
        server: record.server.clone(),
        content: Some(remembered.content.clone()).filter(|content| !content.is_empty()),
        arguments_digest: remembered.arguments_digest.clone(),
        expires_at: remembered.expires_at,
        uses_left: remembered.uses_left,
    })
}
