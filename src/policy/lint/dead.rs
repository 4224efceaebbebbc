//! Rules that never fire, because another one always does first.

use super::{Entry, cover};
use crate::named::Names;
use crate::policy::findings::{Finding, Findings, tick};
use crate::policy::names::{pair, shown, split};
use crate::rules::model::{Book, List, NameSpec, Origin};
use crate::tier::Tier;

/// Steps that comparing rules may take.
const FUEL: u32 = 2_000_000;

pub(super) fn check(book: &Book, entries: &[Entry], findings: &mut Findings) {
    duplicates(entries, findings);
    disallowed(book, findings);
    broken(book, findings);
    shadowed(book, entries, findings);
}

fn place(origin: &Origin) -> String {
    match (origin.document.as_str(), origin.line) {
        (_, 0) => String::new(),
        ("", line) => format!(" on line {line}"),
        (document, line) => format!(" on line {line} of {document}"),
    }
}

fn duplicates(entries: &[Entry], findings: &mut Findings) {
    let mut seen = Names::default();
    for Entry { rule, kind, .. } in entries {
        let name = pair(&rule.tool, rule.server.as_deref());
        let key = format!("{}\0{name}\0{}\0{}", rule.list.word(), kind.word(), rule.content);
        if !seen.insert(key) {
            let message = format!("{} stands in `{}` already", tick(&rule.written), rule.list.word());
            findings.warning(&rule.origin, Finding::new("duplicate-rule", message));
        }
    }
}

/// A name set to look up in.
struct Tools(Names);

impl Tools {
    fn new(specs: &[NameSpec]) -> Self {
        let mut names = Names::default();
        for spec in specs {
            names.insert(pair(&spec.tool, spec.server.as_deref()));
        }
        Self(names)
    }

    /// Whether it has a tool; `any`: a name without a server is that name on every server.
    fn has(&self, tool: &str, server: Option<&str>, any: bool) -> bool {
        self.0.contains(&pair(tool, server)) || (any && self.0.contains(tool))
    }
}

fn disallowed(book: &Book, findings: &mut Findings) {
    let names = Tools::new(&book.disallowed_tools);
    for rule in book.rules.iter().filter(|rule| rule.list != List::Deny) {
        if names.has(&rule.tool, rule.server.as_deref(), true) {
            let message = format!("{} never fires: `disallowedTools` has the tool", tick(&rule.written));
            findings.warning(&rule.origin, Finding::new("dead-rule", message));
        }
    }
    for (key, tier) in book.tiers.iter() {
        let (server, tool) = split(key);
        if *tier != Tier::Deny && names.has(&tool, server.as_deref(), true) {
            let message = format!(
                "the tier of {} means nothing: `disallowedTools` has the tool",
                tick(key)
            );
            findings.warning(&Origin::default(), Finding::new("dead-tier", message));
        }
    }
}

/// Ask rules that break-glass lifts.
fn broken(book: &Book, findings: &mut Findings) {
    let names = Tools::new(&book.allowed_tools);
    for rule in book.rules.iter().filter(|rule| rule.list == List::Ask) {
        let key = shown(&rule.tool, rule.server.as_deref());
        let asks = book.tools.get(&key);
        let asks = asks.is_some_and(|said| said.always_ask || said.requires_user_interaction);
        if !asks && names.has(&rule.tool, rule.server.as_deref(), false) {
            let message = format!("{} never asks: `allowedTools` has the tool", tick(&rule.written));
            let hint = Some("take it from `allowedTools`, or write a deny rule".to_owned());
            findings.warning(&rule.origin, Finding::new("dead-rule", message).hint(hint));
        }
    }
}

fn shadowed(book: &Book, entries: &[Entry], findings: &mut Findings) {
    let of = |list| entries.iter().filter(move |entry| entry.rule.list == list);
    let mut fuel = FUEL;
    for narrow in entries.iter().filter(|entry| entry.rule.list != List::Deny) {
        let rule = narrow.rule;
        let asks = (rule.list == List::Allow).then(|| of(List::Ask)).into_iter().flatten();
        for wide in of(List::Deny).chain(asks) {
            let covers = cover::rule(book, wide, narrow, &mut fuel);
            if fuel == 0 {
                let message = "there are too many rules to compare each with each, some were not".to_owned();
                findings.warning(&rule.origin, Finding::new("lint-incomplete", message));
                return;
            }
            if !covers {
                continue;
            }
            let (code, does, hint) = match wide.rule.list {
                List::Deny => ("dead-rule", "denies", "narrow the deny rule, or leave this one out"),
                List::Ask | List::Allow => (
                    "shadowed-allow",
                    "asks about",
                    "narrow the ask rule, or leave this one out",
                ),
            };
            let message = format!(
                "{} never fires: {}{} {does} all of it, whatever the order",
                tick(&rule.written),
                tick(&wide.rule.written),
                place(&wide.rule.origin)
            );
            findings.warning(&rule.origin, Finding::new(code, message).hint(Some(hint.to_owned())));
            break;
        }
    }
}
