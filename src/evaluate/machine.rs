use crate::arguments::Arguments;
use crate::basis::Basis;
use crate::call::{ToolCall, digest};
use crate::error::Error;
use crate::rules::Policy;
use crate::text::Refusal;
use crate::tier::Tier;
use crate::verdict::Verdict;

use super::grants::{Taken, find, grant_paths, look_up, use_next};
use super::rules;
use super::state::{Said, Setup, Stage, State};
use super::step::{Answer, Outcome, Step, StepResult};
use super::suggest::suggest;

/// Starts to judge a call. When nothing has to be asked it settles at once.
///
/// # Errors
/// `internal` only; a call that is wrong is a deny, not an error.
pub fn begin(policy: &Policy, setup: Setup, call: ToolCall) -> Result<(State, Step), Error> {
    let mut state = State::new(policy, setup, call);
    if state.setup.unknown_tool {
        state.note("tool", "unknown");
        let refusal = Refusal::Unavailable {
            tool_name: state.call.tool_name.clone(),
            detail: "there is no tool of this name".into(),
        };
        return Ok(deny(state, Basis::Tier, String::new(), Some(refusal)));
    }
    let limit = policy
        .arguments_bytes
        .unwrap_or(usize::MAX)
        .min(state.setup.arguments_bytes);
    match Arguments::read(&state.call.arguments, limit) {
        Err(detail) => {
            state.note("arguments", "invalid");
            return Ok(deny(
                state,
                Basis::InvalidArguments,
                String::new(),
                Some(Refusal::InvalidArguments { detail }),
            ));
        }
        Ok(arguments) => {
            state.digest = digest(state.call.server.as_deref(), &state.call.tool_name, &arguments)?;
            state.call.arguments = arguments.text().to_owned();
        }
    }
    if state.setup.validate {
        state.stage = Stage::Validate;
        let (step_id, call) = (state.step_id, state.call.clone());
        return Ok((state, Step::Validate { step_id, call }));
    }
    Ok(tier(policy, state))
}

fn tier(policy: &Policy, mut state: State) -> (State, Step) {
    if !state.setup.tier_function {
        return after_tier(policy, state);
    }
    state.stage = Stage::Tier;
    let (step_id, call) = (state.step_id, state.call.clone());
    (state, Step::ConsultTier { step_id, call })
}

/// Arguments that nobody could check are refused like those that do not fit.
fn validated(policy: &Policy, mut state: State, misfit: Option<(&str, String)>) -> (State, Step) {
    let Some((said, detail)) = misfit else {
        state.note("schema", "fits");
        return tier(policy, state);
    };
    state.note("schema", said);
    let refusal = Refusal::InvalidArguments { detail };
    deny(state, Basis::InvalidArguments, String::new(), Some(refusal))
}

/// Goes on with the host's answer to the outstanding step.
///
/// # Errors
/// `conflict` for a late, repeated or wrong answer, `bad_request` for one of the wrong kind or another version.
pub fn resume(policy: &Policy, mut state: State, result: StepResult) -> Result<(State, Step), Error> {
    state.check(result.step_id)?;
    let stage = std::mem::replace(&mut state.stage, Stage::Settled);
    state.step_id += 1;
    match (stage, result.answer) {
        (Stage::Validate, Answer::Validated { detail }) => {
            let misfit = detail.filter(|detail| !detail.is_empty());
            Ok(validated(policy, state, misfit.map(|detail| ("does not fit", detail))))
        }
        (Stage::Validate, Answer::Failed) => {
            let detail = "they could not be checked against the tool's schema".to_owned();
            Ok(validated(policy, state, Some(("failed", detail))))
        }
        (Stage::Tier, Answer::Tier { tier: None }) => {
            state.note("tier", "none");
            Ok(after_tier(policy, state))
        }
        (Stage::Tier, Answer::Tier { tier: Some(word) }) => Ok(tier_said(policy, state, Tier::from_word(&word))),
        (Stage::Tier, Answer::Failed) => Ok(tier_said(policy, state, None)),
        (Stage::RealPath { asked }, answer @ (Answer::RealPaths { .. } | Answer::Failed)) => {
            rules::resolved(&mut state, asked, answer);
            Ok(rules::judge(policy, state))
        }
        (Stage::Preapprove, answer @ (Answer::Preapproved { .. } | Answer::Failed)) => {
            rules::preapproved(&mut state, answer);
            Ok(rules::judge(policy, state))
        }
        (Stage::SessionGrants, answer @ (Answer::Grants { .. } | Answer::Failed)) => {
            rules::session_granted(policy, &mut state, answer);
            Ok(rules::judge(policy, state))
        }
        (Stage::Source { position, index }, Answer::Verdict { verdict, reason }) => Ok(source_said(
            policy,
            state,
            (position, index),
            Verdict::from_word(&verdict),
            reason,
        )),
        (Stage::Source { position, index }, Answer::Failed) => {
            Ok(source_said(policy, state, (position, index), None, None))
        }
        (Stage::Grants, answer @ (Answer::Grants { .. } | Answer::Failed)) => Ok(find(policy, state, answer)),
        (Stage::GrantPaths { grants, asked }, answer @ (Answer::RealPaths { .. } | Answer::Failed)) => {
            Ok(grant_paths(policy, state, grants, (asked, answer)))
        }
        (Stage::Use { pool, taken, grant }, Answer::Consumed { taken: true }) => {
            Ok(use_next(policy, state, pool, Taken::Took { taken, grant }))
        }
        (Stage::Use { pool, taken, grant }, Answer::Consumed { taken: false } | Answer::Failed) => {
            Ok(use_next(policy, state, pool, Taken::Missed { taken, grant }))
        }
        (stage, answer) => Err(Error::BadRequest(format!(
            "the step `{}` can't be answered by `{}`",
            stage.word(),
            answer.word()
        ))),
    }
}

/// A failed or unknown opinion of the tier function is `confirm`, never what the table says.
fn tier_said(policy: &Policy, mut state: State, tier: Option<Tier>) -> (State, Step) {
    state.note("tier", tier.map_or("failed", Tier::word));
    state.tier = tier.unwrap_or(Tier::Confirm);
    after_tier(policy, state)
}

fn after_tier(policy: &Policy, state: State) -> (State, Step) {
    if state.tier == Tier::Deny {
        return deny(state, Basis::Tier, String::new(), None);
    }
    rules::judge(policy, state)
}

/// Named sources come before anonymous ones, each group in the order of registration.
pub(super) fn next_source(policy: &Policy, mut state: State, position: usize) -> (State, Step) {
    let sources = state.setup.sources.iter().enumerate();
    let (named, anonymous): (Vec<_>, Vec<_>) = sources.partition(|(_, name)| !name.is_empty());
    let Some(index) = named.iter().chain(&anonymous).nth(position).map(|(index, _)| *index) else {
        return combine(policy, state);
    };
    state.stage = Stage::Source { position, index };
    let (step_id, call) = (state.step_id, state.call.clone());
    (state, Step::ConsultPolicy { step_id, index, call })
}

fn source_said(
    policy: &Policy,
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
    hear(&mut state, verdict, name, reason);
    // The first deny ends the chain: nobody after it can be heard, so nobody is asked.
    if verdict == Verdict::Deny {
        return combine(policy, state);
    }
    next_source(policy, state, position + 1)
}

pub(super) fn hear(state: &mut State, verdict: Verdict, source: String, reason: Option<String>) {
    if verdict.outranks(state.said.verdict) {
        state.said = Said {
            verdict,
            source,
            reason,
        };
    }
}

/// The table of the tiers and the reduced verdict; deny tiers never come here.
pub(super) fn combine(policy: &Policy, state: State) -> (State, Step) {
    match (state.tier, state.said.verdict) {
        (Tier::Allow | Tier::Confirm | Tier::Deny, Verdict::Deny) => {
            let source = state.said.source.clone();
            deny(state, Basis::Verdict, source, None)
        }
        (Tier::Allow | Tier::Confirm | Tier::Deny, Verdict::Confirm) => ask_a_person(policy, state, true),
        (Tier::Allow, Verdict::Allow | Verdict::Abstain) => allow(state, Basis::Tier, String::new(), None),
        (Tier::Confirm | Tier::Deny, Verdict::Allow) => {
            let source = state.said.source.clone();
            allow(state, Basis::Endorsement, source, None)
        }
        (Tier::Confirm | Tier::Deny, Verdict::Abstain) => look_up(policy, state),
    }
}

pub(super) fn allow(state: State, basis: Basis, source: String, grant_id: Option<String>) -> (State, Step) {
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

pub(super) fn deny(state: State, basis: Basis, source: String, refusal: Option<Refusal>) -> (State, Step) {
    let (reason, tool_name) = (state.said.reason.clone(), state.call.tool_name.clone());
    let refusal = refusal.unwrap_or(Refusal::TierDisabled {
        tool_name,
        rule: None,
        alternative: None,
    });
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

pub(super) fn ask_a_person(policy: &Policy, state: State, forced: bool) -> (State, Step) {
    if !state.setup.interactive {
        return deny(state, Basis::NoHuman, String::new(), Some(Refusal::NoHuman));
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
        (false, _) => match &state.heard.reason {
            Some(reason) => reason.clone(),
            None => format!("`{tool}` needs a person's approval"),
        },
    };
    let offered = !forced && state.setup.grants.is_some();
    let suggestions = if offered { suggest(policy, &state) } else { Vec::new() };
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
