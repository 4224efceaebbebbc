//! What is valid and still not what its author meant. Static: nothing is matched against calls.

mod cover;
mod dead;
mod path;
mod program;
mod wide;

use super::findings::{Finding, Findings, tick};
use super::{hosted, names};
use crate::rules::model::{Book, ContentKind, Diagnostic, Environment, List, Origin, RuleSpec, Severity};
use crate::rules::pattern::{self, Content};

/// A rule with its content read.
struct Entry<'a> {
    rule: &'a RuleSpec,
    content: Content,
    kind: ContentKind,
}

/// Warnings about a book that loaded: rules that never fire, contents that never match, allows wider than they look.
#[must_use]
pub fn lint(book: &Book, environment: &Environment, tools: Option<&[String]>) -> Vec<Diagnostic> {
    let mut findings = Findings::default();
    let read = |rule| -> Option<Entry> {
        let rule: &RuleSpec = rule;
        let content = pattern::parse(&rule.content).ok()?;
        let kind = rule.kind.unwrap_or_else(|| match pattern::kind_of(&rule.content) {
            // A program may be written with its path.
            ContentKind::Path if wide::is_shell(rule, book) => ContentKind::Text,
            kind @ (ContentKind::Url | ContentKind::Path | ContentKind::Text) => kind,
        });
        Some(Entry { rule, content, kind })
    };
    let entries: Vec<Entry> = book.rules.iter().filter_map(read).collect();
    for entry in &entries {
        slash(&entry.rule.tool, &entry.rule.origin, &mut findings);
        path::check(entry, environment, &mut findings);
        if entry.rule.list == List::Allow && !program::check(entry, &mut findings) {
            wide::check(entry, book, &mut findings);
        }
    }
    let mut keys: Vec<(&str, &String)> = book.tiers.keys().map(|name| ("tiers", name)).collect();
    keys.extend(book.tools.keys().map(|name| ("tools", name)));
    for (key, name) in &keys {
        exact(key, name, &Origin::default(), &mut findings);
    }
    for (key, specs) in [
        ("allowedTools", &book.allowed_tools),
        ("disallowedTools", &book.disallowed_tools),
    ] {
        for spec in specs {
            let name = names::shown(&spec.tool, spec.server.as_deref());
            exact(key, &name, &spec.origin, &mut findings);
        }
    }
    dead::check(book, &entries, &mut findings);
    if let Some(tools) = tools {
        let keys: Vec<_> = keys
            .into_iter()
            .map(|(_, name)| (name.clone(), Origin::default()))
            .collect();
        hosted::check(book, &keys, tools, Severity::Warning, &mut findings);
    }
    findings.sorted()
}

/// Name sets and keys are exact names, a star in one is a letter.
fn exact(key: &str, name: &str, origin: &Origin, findings: &mut Findings) {
    if name.contains('*') {
        let message = format!(
            "{} in `{key}` is an exact name, its `*` covers no other tool",
            tick(name)
        );
        let hint = Some("list the tools, or write a rule: a rule's tool may have `*`".to_owned());
        findings.warning(origin, Finding::new("exact-name", message).hint(hint));
    }
}

/// In rules only `mcp__server__tool` says a server.
fn slash(tool: &str, origin: &Origin, findings: &mut Findings) {
    if let Some((server, name)) = tool.split_once('/')
        && !server.is_empty()
        && !name.is_empty()
    {
        let message = format!(
            "the rule is for a tool that is called {}, not for one of a server",
            tick(tool)
        );
        let hint = Some(format!("mcp__{server}__{name}"));
        findings.warning(origin, Finding::new("slash-name", message).hint(hint));
    }
}
