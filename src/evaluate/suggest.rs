use crate::grant::Scope;
use crate::payload::Suggestion;
use crate::rules::{Policy, suggest as contents};

use super::rules::Called;
use super::state::State;

/// The argument names whose text says what a call reaches: with one of them "every call of the tool" would say too much.
const SUBJECTS: [&str; 6] = ["command", "url", "file_path", "path", "pattern", "patch_text"];

/// What may be remembered with an approval of this call, narrowest first: the whole tool, or exactly this call where it
/// has a subject, and then what contents can say.
pub(super) fn suggest(policy: &Policy, state: &State) -> Vec<Suggestion> {
    let called = Called::of(state);
    let judged = called.judged();
    let offers = contents(policy, judged);
    // In whatever form: a command that is a list or empty today may be another one tomorrow.
    let has_subject = SUBJECTS.iter().any(|name| judged.input.get(name).is_some())
        || !offers.iter().any(|offer| offer.content.is_empty());
    let exactly = Suggestion {
        content: String::new(),
        arguments_digest: Some(state.digest.clone()),
        text: format!("exactly this call of `{}`", state.call.tool_name),
        scope_hint: Scope::Session,
    };
    let offered = offers
        .into_iter()
        .filter(|offer| !has_subject || !(offer.whole || offer.content.is_empty()));
    let offered = offered.map(|offer| Suggestion {
        content: offer.content,
        arguments_digest: None,
        text: offer.text,
        scope_hint: Scope::Session,
    });
    has_subject.then_some(exactly).into_iter().chain(offered).collect()
}
