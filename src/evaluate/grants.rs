//! What a person allowed beforehand, as the last step before a person is asked.

use crate::basis::Basis;
use crate::grant::{Grant, reaching};
use crate::json;
use crate::rules::answers::{answered_by, paths_to_resolve};
use crate::rules::{Judged, Policy, SessionAllow};

use super::machine::{allow, ask_a_person};
use super::rules::{Called, real_paths};
use super::state::{Stage, State};
use super::step::{Answer, Step};

pub(super) fn look_up(policy: &Policy, mut state: State) -> (State, Step) {
    if state.setup.grants.is_none() {
        return ask_a_person(policy, state, false);
    }
    state.stage = Stage::Grants;
    let (step_id, call) = (state.step_id, state.call.clone());
    (state, Step::LookupGrant { step_id, call })
}

/// `None` when the look-up failed, or a candidate can't be read.
pub(super) fn read_grants(answer: Answer) -> Option<Vec<Grant>> {
    let Answer::Grants { grants } = answer else {
        return None;
    };
    grants.into_iter().map(|grant| json::from(grant).ok()).collect()
}

pub(super) fn find(policy: &Policy, mut state: State, answer: Answer) -> (State, Step) {
    let Some(grants) = read_grants(answer) else {
        state.note("grants", "failed");
        return ask_a_person(policy, state, false);
    };
    let pool = match &state.setup.grants {
        Some(setup) => reaching(grants, &state.call, &state.digest, setup),
        None => Vec::new(),
    };
    let has_content = pool.iter().any(|grant| content(grant).is_some());
    if state.setup.real_path && state.heard.real.is_none() && has_content {
        let paths = paths_to_resolve(policy, Called::of(&state).judged());
        if !paths.is_empty() {
            state.stage = Stage::GrantPaths {
                grants: pool,
                asked: paths.clone(),
            };
            let step_id = state.step_id;
            return (state, Step::RealPath { step_id, paths });
        }
    }
    found(policy, state, pool)
}

pub(super) fn grant_paths(
    policy: &Policy,
    mut state: State,
    pool: Vec<Grant>,
    (asked, answer): (Vec<String>, Answer),
) -> (State, Step) {
    state.note("paths", if answer == Answer::Failed { "failed" } else { "resolved" });
    state.heard.real = Some(real_paths(asked, answer));
    found(policy, state, pool)
}

fn found(policy: &Policy, mut state: State, pool: Vec<Grant>) -> (State, Step) {
    let answer = answer_of(policy, &state, &pool, &[]);
    state.note("grants", if answer.is_some() { "hit" } else { "miss" });
    use_grants(policy, state, (pool, Vec::new()), answer)
}

/// How a use ended.
pub(super) enum Taken {
    /// It was there.
    Took { taken: Vec<String>, grant: String },
    /// It was not, so the grant is gone.
    Missed { taken: Vec<String>, grant: String },
}

pub(super) fn use_next(policy: &Policy, mut state: State, mut pool: Vec<Grant>, ended: Taken) -> (State, Step) {
    let taken = match ended {
        Taken::Took { mut taken, grant } => {
            state.note(format!("use of {grant}"), "taken");
            taken.push(grant);
            taken
        }
        Taken::Missed { taken, grant } => {
            state.note(format!("use of {grant}"), "missed");
            pool.retain(|candidate| candidate.id != grant);
            taken
        }
    };
    let answer = answer_of(policy, &state, &pool, &taken);
    use_grants(policy, state, (pool, taken), answer)
}

/// Uses are taken last: only what answers the call loses one.
fn use_grants(
    policy: &Policy,
    mut state: State,
    (pool, taken): (Vec<Grant>, Vec<String>),
    answer: Option<Vec<Grant>>,
) -> (State, Step) {
    let Some(answer) = answer else {
        return ask_a_person(policy, state, false);
    };
    let next = answer
        .iter()
        .find(|grant| grant.uses_left.is_some() && !taken.contains(&grant.id));
    let Some(grant) = next.cloned() else {
        let id = answer.into_iter().next().map(|grant| grant.id);
        return allow(state, Basis::Grant, String::new(), id);
    };
    state.stage = Stage::Use {
        pool,
        taken,
        grant: grant.id.clone(),
    };
    let step_id = state.step_id;
    (state, Step::ConsumeGrant { step_id, grant })
}

fn content(grant: &Grant) -> Option<&str> {
    grant.content.as_deref().filter(|content| !content.is_empty())
}

/// The first grant that answers alone; else contents that answer together, rather ones without a number of uses.
pub(super) fn answer_of(policy: &Policy, state: &State, pool: &[Grant], taken: &[String]) -> Option<Vec<Grant>> {
    if let Some(alone) = pool.iter().find(|grant| content(grant).is_none()) {
        return Some(vec![alone.clone()]);
    }
    let free = |grant: &&Grant| grant.uses_left.is_none() || taken.contains(&grant.id);
    let free: Vec<&Grant> = pool.iter().filter(free).collect();
    let all: Vec<&Grant> = pool.iter().collect();
    let called = Called::of(state);
    let covering = |grants: &[&Grant]| covering(policy, state, called.judged(), grants);
    covering(&free).or_else(|| covering(&all))
}

fn covering(policy: &Policy, state: &State, judged: Judged<'_>, grants: &[&Grant]) -> Option<Vec<Grant>> {
    if grants.is_empty() {
        return None;
    }
    let saved = grants
        .iter()
        .map(|grant| SessionAllow::of(judged.name, content(grant).unwrap_or_default()));
    let saved: Vec<SessionAllow> = saved.collect();
    let used = answered_by(policy, judged, state.heard.real.as_ref(), &saved)?;
    used.into_iter()
        .map(|index| grants.get(index).map(|grant| (*grant).clone()))
        .collect()
}
