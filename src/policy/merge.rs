//! Many layers, one book.

use super::Options;
use super::findings::{Finding, Findings, tick};
use super::names::pair;
use super::near::nearest;
use super::part::{Part, Said, Trait};
use super::restrict::{self, Ground};
use crate::named::Names;
use crate::rules::model::{Book, List, NameSpec, Origin, RuleSpec, Severity, Traits};
use crate::tier::Tier;

/// A book, and where it names a tool as a key.
#[derive(Default)]
pub(super) struct Merged {
    pub book: Book,
    pub keys: Vec<(String, Origin)>,
}

/// Merges the trusted layers, then what the others may add to them.
pub(super) fn merge(mut parts: Vec<Part>, options: &Options, findings: &mut Findings) -> Merged {
    let mut merged = Merged::default();
    for part in &mut parts {
        merged.lists(part, findings);
    }
    for part in parts.iter_mut().filter(|part| !part.restrict) {
        merged.trusted(part, findings);
    }
    let ground = Ground::of(&merged.book);
    let mut raised = Vec::new();
    for part in parts.iter_mut().filter(|part| part.restrict) {
        restrict::words(&mut merged, part, &ground, &mut raised, findings);
    }
    for (name, tier, origin) in raised {
        merged.tier(name, tier, origin);
    }
    let book = &mut merged.book;
    names(&mut book.allowed_tools);
    names(&mut book.disallowed_tools);
    for members in book.families.values_mut() {
        let mut seen = Names::default();
        members.retain(|member| seen.insert(member.clone()));
    }
    families(book, options, findings);
    merged
}

impl Merged {
    /// Adds up what is listed, in the order of the layers.
    fn lists(&mut self, part: &mut Part, findings: &mut Findings) {
        let book = &mut self.book;
        book.disallowed_tools.append(&mut part.disallowed);
        if part.restrict {
            restrict::lists(book, part, findings);
        } else {
            book.rules.append(&mut part.rules);
            book.allowed_tools.append(&mut part.allowed);
        }
    }

    /// The stricter of two tiers of a tool.
    fn tier(&mut self, name: String, tier: Tier, origin: Origin) {
        self.keys.push((name.clone(), origin));
        let known = self.book.tiers.get(&name).copied().unwrap_or(tier);
        self.book.tiers.insert(name, tier.max(known));
    }

    fn trusted(&mut self, part: &mut Part, findings: &mut Findings) {
        for (name, said) in std::mem::take(&mut part.tiers) {
            self.tier(name, said.value, part.origin(said.place));
        }
        let book = &mut self.book;
        stricter(&mut book.mode, &part.mode);
        stricter(&mut book.default_tier, &part.default_tier);
        lower(&mut book.arguments_bytes, &part.arguments_bytes);
        lower(&mut book.command_bytes, &part.command_bytes);
        for (name, said) in &mut part.families {
            book.families
                .change(name.clone(), |family| family.append(&mut said.value));
        }
        for (name, said) in std::mem::take(&mut part.tools) {
            book.tools.change(name.clone(), |traits| {
                for said in said.value {
                    if let Some(key) = declare(traits, said.value) {
                        let message = format!(
                            "an earlier layer says another `{key}` of {}, this one holds",
                            tick(&name)
                        );
                        findings.warning(&part.origin(said.place), Finding::new("conflict", message));
                    }
                }
            });
            self.keys.push((name, part.origin(said.place)));
        }
    }
}

/// Leaves out what was named before.
fn names(specs: &mut Vec<NameSpec>) {
    let mut seen = Names::default();
    specs.retain(|spec| seen.insert(pair(&spec.tool, spec.server.as_deref())));
}

fn stricter<T: Copy + Ord>(into: &mut Option<T>, said: &Option<Said<T>>) {
    *into = (*into).max(said.as_ref().map(|said| said.value));
}

pub(super) fn lower(into: &mut Option<usize>, said: &Option<Said<usize>>) {
    if let Some(said) = said {
        *into = Some(into.unwrap_or(usize::MAX).min(said.value));
    }
}

pub(super) fn key(said: &Trait) -> &'static str {
    match said {
        Trait::ReadOnly(_) => "readOnly",
        Trait::AlwaysAsk(_) => "alwaysAsk",
        Trait::RequiresUserInteraction(_) => "requiresUserInteraction",
        Trait::Idempotent(_) => "idempotent",
        Trait::Shell(_) => "shell",
        Trait::Subjects(_) => "subjects",
        Trait::InputSchema(_) => "inputSchema",
    }
}

/// Adds a trait; the key, when something else was said before and is lost.
pub(super) fn declare(traits: &mut Traits, said: Trait) -> Option<&'static str> {
    let key = key(&said);
    let lost = match said {
        Trait::ReadOnly(yes) => holds(&mut traits.read_only, yes),
        Trait::Idempotent(yes) => holds(&mut traits.idempotent, yes),
        Trait::AlwaysAsk(yes) => {
            traits.always_ask |= yes;
            false
        }
        Trait::RequiresUserInteraction(yes) => {
            traits.requires_user_interaction |= yes;
            false
        }
        Trait::Shell(shell) => traits.shell.replace(shell).is_some_and(|before| before != shell),
        Trait::Subjects(subjects) => {
            let lost = !traits.subjects.is_empty() && traits.subjects != subjects;
            traits.subjects = subjects;
            lost
        }
        Trait::InputSchema(schema) => {
            let lost = traits.input_schema.as_ref().is_some_and(|before| *before != schema);
            traits.input_schema = Some(schema);
            lost
        }
    };
    lost.then_some(key)
}

/// True only while every layer that speaks says so.
fn holds(known: &mut Option<bool>, yes: bool) -> bool {
    *known = Some(yes && known.unwrap_or(true));
    false
}

/// Refuses rules for families that nobody declares.
fn families(book: &mut Book, options: &Options, findings: &mut Findings) {
    let families = &book.families;
    book.rules.retain(|rule: &RuleSpec| {
        let Some(name) = rule.tool.strip_prefix('@').filter(|name| !families.contains_key(name)) else {
            return true;
        };
        let near = nearest(name, &mut families.keys().map(String::as_str));
        let message = format!("no trusted layer declares the family {}", tick(name));
        let hint = near.map_or_else(
            || "declare it under `families`, without the `@`".to_owned(),
            |near| format!("@{near}"),
        );
        let finding = Finding::new("unknown-family", message).hint(Some(hint));
        let drops = rule.list == List::Allow && !options.strict;
        let severity = if drops { Severity::Warning } else { Severity::Error };
        findings.add(severity, &rule.origin, finding);
        !drops
    });
}
