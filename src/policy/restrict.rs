//! What a layer that is not trusted may add: only what makes the policy stricter.

use super::findings::{Finding, Findings, tick};
use super::merge::{Merged, declare, key, lower};
use super::part::{Part, Trait};
use crate::arguments;
use crate::rules::model::{Book, List, Mode, Origin};
use crate::tier::Tier;

/// A command's text may have so many bytes when no layer says it.
const COMMAND_BYTES: usize = 1 << 16;

/// What the trusted layers say; their tiers are the book's until every layer was measured against them.
pub(super) struct Ground {
    mode: Mode,
    default_tier: Tier,
    arguments_bytes: usize,
    command_bytes: usize,
}

impl Ground {
    pub fn of(book: &Book) -> Self {
        Self {
            mode: book.mode.unwrap_or_default(),
            default_tier: book.default_tier.unwrap_or(Tier::Allow),
            arguments_bytes: book.arguments_bytes.unwrap_or(arguments::DEFAULT_BYTES),
            command_bytes: book.command_bytes.unwrap_or(COMMAND_BYTES),
        }
    }
}

fn ignored(findings: &mut Findings, origin: &Origin, what: &str) {
    let message = format!("{what} is ignored: this layer may only make the policy stricter");
    let hint = Some("write it in a trusted layer".to_owned());
    findings.warning(origin, Finding::new("ignored-untrusted", message).hint(hint));
}

/// Takes the rules that forbid and ask.
pub(super) fn lists(book: &mut Book, part: &mut Part, findings: &mut Findings) {
    for rule in part.rules.drain(..) {
        match rule.list {
            List::Deny | List::Ask => book.rules.push(rule),
            List::Allow => {
                let what = format!("the allow rule {}", tick(&rule.written));
                ignored(findings, &rule.origin, &what);
            }
        }
    }
    for name in &part.allowed {
        let what = format!("{} in `allowedTools`", tick(&name.tool));
        ignored(findings, &name.origin, &what);
    }
}

/// Takes stricter words, higher tiers, which go to `raised`, lower limits and traits that ask or doubt.
pub(super) fn words(
    merged: &mut Merged,
    part: &mut Part,
    ground: &Ground,
    raised: &mut Vec<(String, Tier, Origin)>,
    findings: &mut Findings,
) {
    let book = &mut merged.book;
    let mut ignored = |place, what: &str| ignored(findings, &part.origin(place), what);
    if let Some(said) = &part.mode {
        if said.value < ground.mode {
            ignored(said.place, &format!("the laxer mode `{}`", said.value.word()));
        } else if said.value > book.mode.unwrap_or(ground.mode) {
            book.mode = Some(said.value);
        }
    }
    if let Some(said) = &part.default_tier {
        if said.value < ground.default_tier {
            ignored(said.place, &format!("the laxer default tier `{}`", said.value.word()));
        } else if said.value > book.default_tier.unwrap_or(ground.default_tier) {
            book.default_tier = Some(said.value);
        }
    }
    for (name, said) in &part.tiers {
        let floor = book.tiers.get(name).copied().unwrap_or(ground.default_tier);
        if said.value < floor {
            let what = format!("the laxer tier `{}` of {}", said.value.word(), tick(name));
            ignored(said.place, &what);
        } else if said.value > floor {
            raised.push((name.clone(), said.value, part.origin(said.place)));
        }
    }
    for (name, said) in &part.families {
        ignored(said.place, &format!("the family {}", tick(name)));
    }
    let limits = [
        (&mut book.arguments_bytes, &part.arguments_bytes, ground.arguments_bytes),
        (&mut book.command_bytes, &part.command_bytes, ground.command_bytes),
    ];
    for (limit, said, most) in limits {
        match said {
            Some(said) if said.value > most => ignored(said.place, &format!("the higher limit {}", said.value)),
            said => lower(limit, said),
        }
    }
    for (name, said) in &part.tools {
        let before = book.tools.len();
        for said in &said.value {
            if tightens(&said.value) {
                book.tools.change(name.clone(), |traits| {
                    declare(traits, said.value.clone());
                });
            } else {
                ignored(said.place, &format!("`{}` of {}", key(&said.value), tick(name)));
            }
        }
        if book.tools.len() > before {
            merged.keys.push((name.clone(), part.origin(said.place)));
        }
    }
}

fn tightens(said: &Trait) -> bool {
    match said {
        Trait::ReadOnly(yes) | Trait::Idempotent(yes) => !yes,
        Trait::AlwaysAsk(yes) | Trait::RequiresUserInteraction(yes) => *yes,
        Trait::Shell(_) | Trait::Subjects(_) | Trait::InputSchema(_) => false,
    }
}
