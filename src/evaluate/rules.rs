//! The rule chain as the first source.

use serde_json::Value;

use crate::basis::Basis;
use crate::explain;
use crate::grant::reaching;
use crate::json;
use crate::rules::chain::Row;
use crate::rules::{
    Behavior, Decision, Facts, Hook, Judged, Mode, Policy, Progress, RealPaths, Sessions, ToolName, decide,
};
use crate::text::Refusal;
use crate::verdict::Verdict;

use super::grants::{answer_of, read_grants};
use super::machine::{deny, hear, next_source};
use super::state::{Preapproved, Stage, State};
use super::step::{Answer, Step};

/// The source's name in traces and events.
const NAME: &str = "rules";

/// The call as the rules see it.
pub(super) struct Called {
    name: ToolName,
    input: Value,
}

impl Called {
    pub(super) fn of(state: &State) -> Self {
        Self {
            name: ToolName::of(state.call.server.as_deref(), &state.call.tool_name),
            // They were read before, so this can't fail; if it did, nothing could be compared and nothing is allowed.
            input: json::parse(&state.call.arguments).unwrap_or(Value::Null),
        }
    }

    pub(super) fn judged(&self) -> Judged<'_> {
        Judged {
            name: &self.name,
            input: &self.input,
        }
    }
}

/// Without rules the chain has nothing to say, unless the host itself declares that the tool asks, or sets a mode.
fn speaks(policy: &Policy, state: &State, name: &ToolName) -> bool {
    let capability = policy.capability(name, state.setup.declared);
    policy.has_rules()
        || capability.always_ask
        || capability.requires_user_interaction
        || policy.mode(state.setup.mode) != Mode::Default
}

fn facts(state: &State) -> Facts {
    let (setup, heard) = (&state.setup, &state.heard);
    let preapproved = heard.preapproved.as_ref().map(|preapproved| preapproved.id.clone());
    Facts {
        mode: setup.mode,
        declared: setup.declared,
        preapproved: Hook::of(setup.preapprove, preapproved),
        real: Hook::of(setup.real_path, heard.real.clone()),
        sessions: Sessions::Grants(heard.session.or(setup.grants.is_none().then_some(false))),
    }
}

/// Asks the chain; goes on to the sources when it has spoken.
pub(super) fn judge(policy: &Policy, mut state: State) -> (State, Step) {
    let called = Called::of(&state);
    if !speaks(policy, &state, &called.name) {
        return next_source(policy, state, 0);
    }
    match decide(policy, called.judged(), &facts(&state), None, &mut 0) {
        Progress::RealPath(paths) => {
            state.stage = Stage::RealPath { asked: paths.clone() };
            let step_id = state.step_id;
            (state, Step::RealPath { step_id, paths })
        }
        Progress::Preapprove => {
            state.stage = Stage::Preapprove;
            let (step_id, call) = (state.step_id, state.call.clone());
            (state, Step::Preapprove { step_id, call })
        }
        Progress::SessionGrants => {
            state.stage = Stage::SessionGrants;
            let (step_id, call) = (state.step_id, state.call.clone());
            (state, Step::LookupGrant { step_id, call })
        }
        Progress::Decided(decision) => decided(policy, state, &called.name, &decision),
    }
}

/// What a source may say of a decision: only `mode.default` leaves it to the others, and what a saved grant covers.
fn verdict(decision: &Decision) -> Verdict {
    match decision.behavior {
        _ if decision.granted => Verdict::Abstain,
        Behavior::Deny => Verdict::Deny,
        Behavior::Allow => Verdict::Allow,
        Behavior::Ask if decision.row == Row::Default && decision.unread.is_none() => Verdict::Abstain,
        Behavior::Ask => Verdict::Confirm,
    }
}

fn decided(policy: &Policy, mut state: State, name: &ToolName, decision: &Decision) -> (State, Step) {
    let (verdict, reason) = (verdict(decision), explain::reason(name, decision));
    state.note(NAME, format!("{} by {}", verdict.word(), decision.rule_id));
    if verdict == Verdict::Abstain {
        state.heard.reason = Some(reason);
        return next_source(policy, state, 0);
    }
    hear(&mut state, verdict, NAME.into(), Some(reason));
    if verdict == Verdict::Deny {
        let rule = decision.rule.as_ref();
        let refusal = Refusal::TierDisabled {
            tool_name: state.call.tool_name.clone(),
            rule: rule.map(|rule| rule.written.clone()),
            alternative: rule.and_then(|rule| rule.alternative.clone()),
        };
        return deny(state, Basis::Verdict, NAME.into(), Some(refusal));
    }
    next_source(policy, state, 0)
}

/// A path without an answer counts as not resolved.
pub(super) fn resolved(state: &mut State, asked: Vec<String>, answer: Answer) {
    state.note("paths", if answer == Answer::Failed { "failed" } else { "resolved" });
    state.heard.real = Some(real_paths(asked, answer));
}

pub(super) fn real_paths(asked: Vec<String>, answer: Answer) -> RealPaths {
    let mut answers = match answer {
        Answer::RealPaths { paths } if paths.len() == asked.len() => paths.into_iter(),
        Answer::RealPaths { .. }
        | Answer::Validated { .. }
        | Answer::Tier { .. }
        | Answer::Preapproved { .. }
        | Answer::Verdict { .. }
        | Answer::Grants { .. }
        | Answer::Consumed { .. }
        | Answer::Failed => Vec::new().into_iter(),
    };
    asked.into_iter().map(|path| (path, answers.next().flatten())).collect()
}

pub(super) fn preapproved(state: &mut State, answer: Answer) {
    let id = match answer {
        Answer::Preapproved { id } => id.filter(|id| !id.is_empty()),
        Answer::Validated { .. }
        | Answer::Tier { .. }
        | Answer::RealPaths { .. }
        | Answer::Verdict { .. }
        | Answer::Grants { .. }
        | Answer::Consumed { .. }
        | Answer::Failed => None,
    };
    state.note("preapprove", id.as_deref().unwrap_or("none"));
    state.heard.preapproved = Some(Preapproved { id });
}

/// Only the session's grants lift what always asks.
pub(super) fn session_granted(policy: &Policy, state: &mut State, answer: Answer) {
    let grants = read_grants(answer).unwrap_or_default();
    let candidates = match &state.setup.grants {
        Some(setup) => reaching(grants, &state.call, &state.digest, setup),
        None => Vec::new(),
    };
    let session = candidates
        .into_iter()
        .filter(|grant| !grant.session_id.is_empty())
        .collect::<Vec<_>>();
    let hit = answer_of(policy, state, &session, &[]).is_some();
    state.note("session grants", if hit { "hit" } else { "miss" });
    state.heard.session = Some(hit);
}
