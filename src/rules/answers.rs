//! Which of a person's saved contents answer a call.

use super::compiled::Policy;
use super::decision::{Judged, SessionAllow};
use super::model::{List, Origin, RuleSpec};
use super::permit::cover;
use super::ruleset::RuleSet;
use super::selector::Side;
use super::spelling;
use super::subject::RealPaths;
use crate::sort;

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
    let subjects = policy.subjects(judged, real);
    let found = cover(&set, &groups, &subjects, &mut 0);
    let mut used: Vec<usize> = found
        .parts
        .iter()
        .filter_map(|part| part.rule)
        .filter_map(position)
        .collect();
    sort::set(&mut used);
    found.allows.then_some(used)
}

/// The paths that the host's resolver must be asked for before contents are compared.
#[must_use]
pub fn paths_to_resolve(policy: &Policy, judged: Judged<'_>) -> Vec<String> {
    policy.reader(None).unresolved(&policy.subjects(judged, None))
}

impl Policy {
    /// The session's allows, compiled; one that can't be read matches nothing.
    pub(super) fn session_set(&self, allows: &[SessionAllow]) -> RuleSet {
        let rule = |allow: &SessionAllow| {
            let (server, tool) = spelling::name(&allow.tool);
            RuleSpec {
                list: List::Allow,
                written: spelling::write(&tool, server.as_deref(), &allow.content),
                tool,
                server,
                content: allow.content.clone(),
                kind: None,
                reason: None,
                alternative: None,
                examples: Vec::new(),
                origin: Origin::default(),
            }
        };
        RuleSet::compile(
            Side::Permit,
            allows.iter().map(rule).collect(),
            &self.families,
            &self.environment,
        )
        .0
    }
}
