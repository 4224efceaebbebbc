//! Whether one content or tool matches everything another one does. Only a sure yes is a yes.

use super::Entry;
use crate::policy::hosted::star;
use crate::rules::model::{Book, ContentKind, List, RuleSpec};
use crate::rules::pattern::{Blanks, Content, Wild};

/// Stands for any run: no literal of a pattern has it, so only a star can take it.
const ANY: char = '\u{e000}';

/// Whether every call that `narrow` matches is matched by `wide` too; no when the fuel is used up.
pub(super) fn rule(book: &Book, wide: &Entry, narrow: &Entry, fuel: &mut u32) -> bool {
    spend(fuel, 1);
    if !tool(book, wide.rule, narrow.rule, fuel) {
        return false;
    }
    spend(fuel, (wide.rule.content.len() + narrow.rule.content.len()) / 16);
    *fuel > 0 && content(wide, narrow)
}

fn spend(fuel: &mut u32, steps: usize) {
    *fuel = fuel.saturating_sub(u32::try_from(steps).unwrap_or(u32::MAX));
}

/// Whether every tool of `narrow` is one of `wide`, which denies or asks.
fn tool(book: &Book, wide: &RuleSpec, narrow: &RuleSpec, fuel: &mut u32) -> bool {
    let server = match (&wide.server, &narrow.server) {
        (None, _) => wide.list != List::Allow,
        (Some(wide), Some(narrow)) => name(wide, narrow),
        (Some(_), None) => false,
    };
    if !server || wide.tool == narrow.tool {
        return server;
    }
    let Some(members) = narrow.tool.strip_prefix('@').map(|family| book.families.get(family)) else {
        return one(book, &wide.tool, &narrow.tool, fuel);
    };
    // A member may name a server of its own, which is not compared.
    members.is_some_and(|members| {
        let mut each = members.iter();
        !members.is_empty() && each.all(|member| !member.contains("__") && one(book, &wide.tool, member, fuel))
    })
}

fn one(book: &Book, wide: &str, narrow: &str, fuel: &mut u32) -> bool {
    let Some(family) = wide.strip_prefix('@') else {
        spend(fuel, if wide.contains('*') { 8 } else { 0 });
        return name(wide, narrow);
    };
    book.families.get(family).is_some_and(|members| {
        spend(fuel, members.len());
        *fuel > 0
            && members
                .iter()
                .any(|member| !member.contains("__") && name(member, narrow))
    })
}

fn name(wide: &str, narrow: &str) -> bool {
    wide == narrow
        || star(wide, &narrow.replace('*', ANY.encode_utf8(&mut [0; 4])))
        || (wide == "Edit" && narrow == "Write")
}

fn content(wide: &Entry, narrow: &Entry) -> bool {
    if wide.content == Content::Any {
        return true;
    }
    if wide.kind != narrow.kind {
        return false;
    }
    if wide.rule.content == narrow.rule.content {
        return true;
    }
    match wide.kind {
        ContentKind::Url => domain(&wide.content, &narrow.content),
        // Quoting makes words that a comparison of the texts can't see.
        ContentKind::Text if quotes(&wide.rule.content) || quotes(&narrow.rule.content) => false,
        ContentKind::Text | ContentKind::Path => texts(&wide.content, &narrow.content),
    }
}

fn quotes(content: &str) -> bool {
    content.contains(['"', '\'', '\\', ANY])
}

fn domain(wide: &Content, narrow: &Content) -> bool {
    let (Content::Domain { host, subdomains: true }, Content::Domain { host: inner, .. }) = (wide, narrow) else {
        return false;
    };
    inner
        .strip_suffix(host.as_str())
        .is_some_and(|rest| rest.ends_with('.'))
}

fn texts(wide: &Content, narrow: &Content) -> bool {
    let examples = match narrow {
        Content::Exact(text) => vec![text.clone()],
        Content::Prefix(text) => [" ", "\t", "\n", "\r"]
            .iter()
            .map(|blank| format!("{text}{blank}{ANY}"))
            .chain([text.clone()])
            .collect(),
        Content::Wild(wild) => wilds(wild),
        Content::Any | Content::Domain { .. } => return false,
    };
    examples.iter().all(|example| wide.matches(example, Blanks::Any))
}

/// A wildcard's text with its stars as [`ANY`], and what it also matches when its last word is a star.
fn wilds(wild: &Wild) -> Vec<String> {
    let text = wild.segments().join(ANY.encode_utf8(&mut [0; 4]));
    let short = text
        .strip_suffix(ANY)
        .and_then(|rest| rest.strip_suffix(' '))
        .map(str::to_owned);
    std::iter::once(text).chain(short).collect()
}
