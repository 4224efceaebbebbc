//! Which of a person's saved contents answer a call.

use super::compiled::Policy;
use super::decision::{Judged, SessionAllow};
use super::permit::cover;
use super::subject::{Reader, RealPaths};

/// The positions of the contents that together let the call run, by the rule of an allow list; `None` when they don't.
#[must_use]
pub fn answered_by(
    policy: &Policy,
    judged: Judged<'_>,
    real: Option<&RealPaths>,
    saved: &[SessionAllow],
) -> Option<Vec<usize>> {
    let set = policy.session_set(saved);
    let groups = set.groups(judged.name);
    let position = |rule: u32| usize::try_from(rule).ok();
    if let Some(any) = set.any(&groups) {
        return Some(position(any).into_iter().collect());
    }
    let reader = Reader {
        environment: &policy.environment,
        real,
        limits: &policy.limits,
    };
    let subjects = reader.subjects(judged.input, &policy.traits(judged.name));
    let found = cover(&set, &groups, &subjects, &mut 0);
    let mut used: Vec<usize> = found
        .parts
        .iter()
        .filter_map(|part| part.rule)
        .filter_map(position)
        .collect();
    used.sort_unstable();
    used.dedup();
    found.allows.then_some(used)
}

/// The paths that the host's resolver must be asked for before contents are compared.
#[must_use]
pub fn paths_to_resolve(policy: &Policy, judged: Judged<'_>) -> Vec<String> {
    let reader = Reader {
        environment: &policy.environment,
        real: None,
        limits: &policy.limits,
    };
    reader.unresolved(&reader.subjects(judged.input, &policy.traits(judged.name)))
}
