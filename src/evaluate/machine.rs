use crate::arguments::Arguments;
use crate::basis::Basis;
use crate::call::{ToolCall, digest};
use crate::error::Error;
use crate::grant::{Grant, applicable};
use crate::text::Refusal;
use crate::tier::Tier;
use crate::verdict::Verdict;

use super::state::{Said, Setup, Stage, State};
use super::step::{Answer, Outcome, Step, StepResult};
use super::suggest::suggest;

/// Starts to judge a call. When nothing has to be asked it settles at once.
///
/// # Errors
/// `internal` only; a call that is wrong is a deny, not an error.
pub fn begin(setup: Setup, call: ToolCall) -> Result<(State, Step), Error> {
    let mut state = State::new(setup, call);
    if state.setup.unknown_tool {
        state.note("tool", "unknown");
        let refusal = Refusal::Unavailable {
            tool_name: state.call.tool_name.clone(),
            detail: "there is no tool of this name".into(),
        };
        return Ok(deny(state, Basis::Tier, String::new(), refusal));
    }
    match Arguments::read(&state.call.arguments, state.setup.arguments_bytes) {
        Err(detail) => {
            state.note("arguments", "invalid");
            return Ok(deny(
                state,
                Basis::InvalidArguments,
                String::new(),
                Refusal::InvalidArguments { detail },
            ));
        }
        Ok(arguments) => {
            state.digest = digest(state.call.server.as_deref(), &state.call.tool_name, &arguments)?;
            state.call.arguments = arguments.text().to_owned();
        }
    }
    if state.setup.tier_function {
        let (step_id, call) = (state.step_id, state.call.clone());
        return Ok((state, Step::ConsultTier { step_id, call }));
    }
    Ok(after_tier(state))
}

/// Goes on with the host's answer to the outstanding step.
///
/// # Errors
/// `conflict` for a late, repeated or wrong answer, `bad_request` for one of the wrong kind or another version.
pub fn resume(mut state: State, result: StepResult) -> Result<(State, Step), Error> {
    state.check(result.step_id)?;
    let stage = std::mem::replace(&mut state.stage, Stage::Settled);
    state.step_id += 1;
    match (stage, result.answer) {
        (Stage::Tier, Answer::Tier { tier: None }) => {
            state.note("tier", "none");
            Ok(after_tier(state))
        }
        (Stage::Tier, Answer::Tier { tier: Some(word) }) => Ok(tier_said(state, Tier::from_word(&word))),
        (Stage::Tier, Answer::Failed) => Ok(tier_said(state, None)),
        (Stage::Source { position, index }, Answer::Verdict { verdict, reason }) => Ok(source_said(
            state,
            (position, index),
            Verdict::from_word(&verdict),
            reason,
        )),
        (Stage::Source { position, index }, Answer::Failed) => Ok(source_said(state, (position, index), None, None)),
        (Stage::Grants, Answer::Grants { grants }) => Ok(grants_found(state, grants)),
        (Stage::Grants, Answer::Failed) => Ok(look_up_failed(state)),
        (Stage::Use { candidates }, Answer::Consumed { taken: true }) => Ok(use_taken(state, candidates)),
        (Stage::Use { candidates }, Answer::Consumed { taken: false } | Answer::Failed) => {
            Ok(use_missed(state, candidates))
        }
        (stage, answer) => Err(Error::BadRequest(format!(
            "the step {stage:?} can't be answered by {answer:?}"
        ))),
    }
}

/// A failed or unknown opinion of the tier function is `confirm`, never what the table says.
fn tier_said(mut state: State, tier: Option<Tier>) -> (State, Step) {
    state.note("tier", tier.map_or("failed", Tier::word));
    state.tier = tier.unwrap_or(Tier::Confirm);
    after_tier(state)
}

fn after_tier(state: State) -> (State, Step) {
    if state.tier == Tier::Deny {
        let tool_name = state.call.tool_name.clone();
        return deny(state, Basis::Tier, String::new(), Refusal::TierDisabled { tool_name });
    }
    next_source(state, 0)
}

/// Named sources come before anonymous ones, each group in the order of registration.
fn next_source(mut state: State, position: usize) -> (State, Step) {
    let sources = state.setup.sources.iter().enumerate();
    let (named, anonymous): (Vec<_>, Vec<_>) = sources.partition(|(_, name)| !name.is_empty());
    let Some(index) = named.iter().chain(&anonymous).nth(position).map(|(index, _)| *index) else {
        return combine(state);
    };
    state.stage = Stage::Source { position, index };
    let (step_id, call) = (state.step_id, state.call.clone());
    (state, Step::ConsultPolicy { step_id, index, call })
}

fn source_said(
    mut state: State,
    (position, index): (usize, usize),
    verdict: Option<Verdict>,
    reason: Option<String>,
) -> (State, Step) {
    let name = state.setup.sources.get(index).cloned().unwrap_or_default();
    let shown = if name.is_empty() {
        format!("source #{index}")
    } else {
        format!("source {name}")
    };
    state.note(shown.clone(), verdict.map_or("failed", Verdict::word));
    let reason = if verdict.is_none() {
        Some(format!("the {shown} failed, so a person decides"))
    } else {
        reason
    };
    let verdict = verdict.unwrap_or(Verdict::Confirm);
    if verdict.outranks(state.said.verdict) {
        state.said = Said {
            verdict,
            source: name,
            reason,
        };
    }
    // The first deny ends the chain: nobody after it can be heard, so nobody is asked.
    if verdict == Verdict::Deny {
        return combine(state);
    }
    next_source(state, position + 1)
}

/// The table of the tiers and the reduced verdict; deny tiers never come here.
fn combine(mut state: State) -> (State, Step) {
    match (state.tier, state.said.verdict) {
        (Tier::Allow | Tier::Confirm | Tier::Deny, Verdict::Deny) => {
            let (source, tool_name) = (state.said.source.clone(), state.call.tool_name.clone());
            deny(state, Basis::Verdict, source, Refusal::TierDisabled { tool_name })
        }
        (Tier::Allow | Tier::Confirm | Tier::Deny, Verdict::Confirm) => ask_a_person(state, true),
        (Tier::Allow, Verdict::Allow | Verdict::Abstain) => allow(state, Basis::Tier, String::new(), None),
        (Tier::Confirm | Tier::Deny, Verdict::Allow) => {
            let source = state.said.source.clone();
            allow(state, Basis::Endorsement, source, None)
        }
        (Tier::Confirm | Tier::Deny, Verdict::Abstain) => {
            if state.setup.grants.is_none() {
                return ask_a_person(state, false);
            }
            state.stage = Stage::Grants;
            let (step_id, call) = (state.step_id, state.call.clone());
            (state, Step::LookupGrant { step_id, call })
        }
    }
}

fn look_up_failed(mut state: State) -> (State, Step) {
    state.note("grants", "failed");
    ask_a_person(state, false)
}

fn grants_found(mut state: State, grants: Vec<serde_json::Value>) -> (State, Step) {
    let Ok(grants) = grants
        .into_iter()
        .map(serde_json::from_value)
        .collect::<Result<Vec<Grant>, _>>()
    else {
        return look_up_failed(state);
    };
    let candidates = match &state.setup.grants {
        Some(setup) => applicable(grants, &state.call, &state.digest, setup),
        None => Vec::new(),
    };
    state.note("grants", if candidates.is_empty() { "miss" } else { "hit" });
    use_first(state, candidates)
}

/// Uses are taken last: only a grant that answers the call loses one.
fn use_first(mut state: State, candidates: Vec<Grant>) -> (State, Step) {
    let Some(grant) = candidates.first().cloned() else {
        return ask_a_person(state, false);
    };
    if grant.uses_left.is_none() {
        return allow(state, Basis::Grant, String::new(), Some(grant.id));
    }
    state.stage = Stage::Use { candidates };
    let step_id = state.step_id;
    (state, Step::ConsumeGrant { step_id, grant })
}

fn use_taken(mut state: State, candidates: Vec<Grant>) -> (State, Step) {
    let id = candidates.into_iter().next().map(|grant| grant.id).unwrap_or_default();
    state.note(format!("use of {id}"), "taken");
    allow(state, Basis::Grant, String::new(), Some(id))
}

fn use_missed(mut state: State, candidates: Vec<Grant>) -> (State, Step) {
    let mut rest = candidates.into_iter();
    let id = rest.next().map(|grant| grant.id).unwrap_or_default();
    state.note(format!("use of {id}"), "missed");
    use_first(state, rest.collect())
}

fn allow(state: State, basis: Basis, source: String, grant_id: Option<String>) -> (State, Step) {
    let (arguments, digest) = (state.call.arguments.clone(), state.digest.clone());
    settle(
        state,
        Outcome::Allow {
            basis,
            source,
            arguments,
            digest,
            grant_id,
        },
    )
}

fn deny(state: State, basis: Basis, source: String, refusal: Refusal) -> (State, Step) {
    let reason = state.said.reason.clone();
    settle(
        state,
        Outcome::Deny {
            basis,
            source,
            refusal,
            reason,
        },
    )
}

fn ask_a_person(state: State, forced: bool) -> (State, Step) {
    if !state.setup.interactive {
        return deny(state, Basis::NoHuman, String::new(), Refusal::NoHuman);
    }
    let (arguments, digest) = (state.call.arguments.clone(), state.digest.clone());
    let tool = &state.call.tool_name;
    let reason = match (forced, &state.said.reason) {
        (true, Some(reason)) => reason.clone(),
        (true, None) if state.said.source.is_empty() => {
            format!("a policy source wants a person to decide about `{tool}`")
        }
        (true, None) => format!(
            "the policy source `{}` wants a person to decide about `{tool}`",
            state.said.source
        ),
        (false, _) => format!("`{tool}` needs a person's approval"),
    };
    let offered = !forced && state.setup.grants.is_some();
    let suggestions = if offered {
        vec![suggest(&state.call, &digest)]
    } else {
        Vec::new()
    };
    settle(
        state,
        Outcome::Confirm {
            forced,
            reason,
            suggestions,
            arguments,
            digest,
        },
    )
}

fn settle(mut state: State, outcome: Outcome) -> (State, Step) {
    state.stage = Stage::Settled;
    (state, Step::Settled { outcome })
}
