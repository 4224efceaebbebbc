use crate::error::Error;
use crate::payload::{Status, Suggestion};

use super::command::{Command, Reduced};
use super::event::{Answer, Edited, Moment, Offer};
use super::record::{Decision, Record, Remembered, Stage};
use super::reduce::lapsed;

/// A person's answer: the first one stands, and nothing of it is taken where a part of it does not fit.
pub(super) fn decide(record: &mut Record, answer: Answer, moment: Moment) -> Result<Option<Reduced>, Error> {
    if answer
        .expected_digest
        .as_ref()
        .is_some_and(|digest| *digest != record.arguments_digest)
    {
        return Err(Error::Conflict(format!(
            "the call of `{}` is another one than the one that was shown: show it again",
            record.confirmation_id
        )));
    }
    if record.stage != Stage::Pending {
        return repeated(record, &answer).map(Some);
    }
    if record.past_deadline(moment.now_ms) {
        return Err(Error::AlreadySettled(format!(
            "the confirmation `{}` has expired",
            record.confirmation_id
        )));
    }
    check_edit(record, &answer)?;
    let (status, remembered) = match answer.decision {
        Decision::Approved => (Status::Approved, remembered(record, &answer)?),
        Decision::Denied => (Status::Denied, None),
        Decision::Abandoned => (Status::Canceled, None),
        Decision::Granted => return Err(Error::BadRequest("a grant is nobody's answer".into())),
    };
    answered(record, answer.decision, status, moment);
    record.decided_by = Some(answer.decided_by);
    record.remembered = remembered;
    if let Some(Edited { arguments, digest }) = answer.edited {
        record.edited_arguments = Some(arguments);
        record.effective_digest = Some(digest);
    }
    if answer.decision == Decision::Denied {
        record.note = answer.note;
    }
    Ok(None)
}

/// Answers an open question by a grant that came since. What a source insists on a person for is not.
pub(super) fn pass(record: &mut Record, moment: Moment) -> Result<(), Error> {
    if record.stage != Stage::Pending || record.forced || record.past_deadline(moment.now_ms) {
        return Err(Error::Conflict(format!(
            "the confirmation `{}` can't be answered by a grant",
            record.confirmation_id
        )));
    }
    answered(record, Decision::Granted, Status::Approved, moment);
    Ok(())
}

fn answered(record: &mut Record, decision: Decision, status: Status, moment: Moment) {
    // The answer makes the record young again: an owner that no longer counts as alive must not come back by it.
    if lapsed(record, moment) {
        record.owner = None;
    }
    record.stage = Stage::Decided;
    record.decision = Some(decision);
    record.status = status;
}

/// The same answer again is told so, another one is refused.
fn repeated(record: &Record, answer: &Answer) -> Result<Reduced, Error> {
    let edited = answer.edited.as_ref().map(|edited| &edited.digest);
    let same = record.decision == Some(answer.decision)
        || (record.decision == Some(Decision::Granted) && answer.decision == Decision::Approved);
    if same && record.effective_digest.as_ref() == edited {
        return Ok(Reduced {
            record: None,
            tombstone: None,
            commands: vec![Command::Replayed],
        });
    }
    Err(Error::AlreadySettled(format!(
        "the confirmation `{}` was settled before",
        record.confirmation_id
    )))
}

fn check_edit(record: &Record, answer: &Answer) -> Result<(), Error> {
    if answer.edited.is_none() {
        return Ok(());
    }
    let reason = match answer.decision {
        Decision::Denied | Decision::Abandoned | Decision::Granted => "only an approval takes `editedArguments`",
        Decision::Approved if !record.editable => "the arguments of this call can't be edited",
        Decision::Approved => return Ok(()),
    };
    Err(Error::BadRequest(reason.into()))
}

/// What is to be saved: the offer that was chosen, else the first one. With edited arguments exactly the edited call.
fn remembered(record: &Record, answer: &Answer) -> Result<Option<Remembered>, Error> {
    let index = match &answer.grant {
        Some(offer) => Some(chosen(record, offer)?),
        None if answer.remember.is_none() || record.suggestions.is_empty() => None,
        None => Some(0),
    };
    let Some((index, suggestion)) = index.and_then(|index| Some((index, record.suggestions.get(index)?))) else {
        return Ok(None);
    };
    let scope = answer.remember.unwrap_or(suggestion.scope_hint);
    let mut remembered = Remembered {
        index: u32::try_from(index).unwrap_or(u32::MAX),
        scope,
        content: suggestion.content.clone(),
        arguments_digest: suggestion.arguments_digest.clone(),
        expires_at: answer.grant.as_ref().and_then(|offer| offer.expires_at),
        uses_left: answer.grant.as_ref().and_then(|offer| offer.uses_left),
    };
    if let Some(edited) = &answer.edited {
        if answer.grant.is_some() && suggestion.arguments_digest.is_none() {
            let text = "with edited arguments only a grant for exactly the edited call can be saved";
            return Err(Error::BadRequest(text.into()));
        }
        remembered.content = String::new();
        remembered.arguments_digest = Some(edited.digest.clone());
    }
    Ok(Some(remembered))
}

fn chosen(record: &Record, offer: &Offer) -> Result<usize, Error> {
    if offer.uses_left == Some(0) {
        return Err(Error::BadRequest("`grant.usesLeft` must be 1 or more".into()));
    }
    let content = offer.content.as_deref().unwrap_or_default();
    let same = |suggestion: &Suggestion| {
        suggestion.content == content && suggestion.arguments_digest == offer.arguments_digest
    };
    record.suggestions.iter().position(same).ok_or_else(|| {
        let text = "the `grant` was not offered with this confirmation: send one of its `suggestions`";
        Error::BadRequest(text.into())
    })
}
