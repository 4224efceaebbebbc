//! A document against the tools the host has.

use super::findings::{Finding, Findings, tick};
use super::names;
use super::near::{looks, nearest, skeleton};
use crate::named::Names;
use crate::rules::model::{Book, List, Origin, RuleSpec, Severity};
use crate::rules::spelling;

/// The host's tools.
pub(super) struct Hosted<'a> {
    written: &'a [String],
    /// Tool and server as [`names::pair`] joins them.
    tools: Names,
    /// The tools of servers, by their name alone.
    served: Names,
    /// Patterns that cover one, and those that cover none.
    known: [Names; 2],
}

impl<'a> Hosted<'a> {
    pub fn new(written: &'a [String]) -> Self {
        let (mut tools, mut served) = (Names::default(), Names::default());
        for name in written {
            let (server, tool) = names::split(name);
            tools.insert(names::pair(&tool, server.as_deref()));
            if server.is_some() {
                served.insert(tool);
            }
        }
        Self {
            written,
            tools,
            served,
            known: [Names::default(), Names::default()],
        }
    }

    /// Whether a rule's name covers a tool; `any`: a name without a server is that name on every server.
    fn covers(&mut self, tool: &str, server: Option<&str>, any: bool) -> bool {
        if !tool.contains('*') && !server.is_some_and(|server| server.contains('*')) {
            return self.exact(tool, server, any) || (tool == "Edit" && self.exact("Write", server, any));
        }
        let mut key = names::pair(tool, server);
        key.push(if any { '+' } else { '-' });
        let [some, none] = &mut self.known;
        if some.contains(&key) || none.contains(&key) {
            return some.contains(&key);
        }
        let covers = self.tools.iter().any(|known| {
            let (name, on) = known.split_once('\0').unwrap_or((known, ""));
            star(tool, name)
                && match server {
                    Some(server) => !on.is_empty() && star(server, on),
                    None => any || on.is_empty(),
                }
        });
        if covers {
            some.insert(key)
        } else {
            none.insert(key)
        };
        covers
    }

    /// As [`Self::covers`] for an entry of a name set or a key, which know no star and no special case.
    fn exact(&self, tool: &str, server: Option<&str>, any: bool) -> bool {
        let name = names::pair(tool, server);
        self.tools.contains(&name) || (any && server.is_none() && self.served.contains(tool))
    }

    /// Whether a rule covers a tool.
    fn rule(&mut self, book: &Book, rule: &RuleSpec) -> bool {
        let any = rule.list != List::Allow;
        let Some(family) = rule.tool.strip_prefix('@') else {
            return self.covers(&rule.tool, rule.server.as_deref(), any);
        };
        // A family nobody declares has its own diagnostic.
        book.families.get(family).is_none_or(|members| {
            members.iter().any(|member| {
                let (server, tool) = spelling::name(member);
                self.covers(&tool, server.as_deref().or(rule.server.as_deref()), any)
            })
        })
    }

    fn finding(&self, name: &str) -> Finding {
        let (plain, strange) = skeleton(name);
        let why = match strange {
            Some(strange) if plain.is_ascii() => looks(name, strange),
            _ => format!("{} names no tool of this host", tick(name)),
        };
        let near = nearest(name, &mut self.written.iter().map(String::as_str));
        Finding::new("unknown-tool", why).hint(near)
    }
}

/// Reports names that cover none of the host's tools, as grave as `severity`; `keys` are those of `tiers` and `tools`.
pub(super) fn check(
    book: &Book,
    keys: &[(String, Origin)],
    tools: &[String],
    severity: Severity,
    findings: &mut Findings,
) {
    let mut hosted = Hosted::new(tools);
    let mut report = |hosted: &Hosted, origin: &Origin, name: &str| {
        if !findings.full(origin.layer) {
            findings.add(severity, origin, hosted.finding(name));
        }
    };
    for rule in &book.rules {
        if !hosted.rule(book, rule) {
            report(&hosted, &rule.origin, &names::shown(&rule.tool, rule.server.as_deref()));
        }
    }
    for spec in &book.allowed_tools {
        if !hosted.exact(&spec.tool, spec.server.as_deref(), false) {
            report(&hosted, &spec.origin, &names::shown(&spec.tool, spec.server.as_deref()));
        }
    }
    for spec in &book.disallowed_tools {
        // A forbidden `a/b` is two specs, of which one must cover something: it is told with the one that has a server.
        let name = names::shown(&spec.tool, spec.server.as_deref());
        let covers = match &spec.server {
            Some(server) => hosted.exact(&spec.tool, Some(server), true) || hosted.exact(&name, None, true),
            None => names::split(&name).0.is_some() || hosted.exact(&name, None, true),
        };
        if !covers {
            report(&hosted, &spec.origin, &name);
        }
    }
    for (key, origin) in keys {
        let (server, tool) = names::split(key);
        if !hosted.exact(&tool, server.as_deref(), false) {
            report(&hosted, origin, key);
        }
    }
}

/// Whether a name with `*` for any run covers a name; time is bounded by the product of their lengths.
pub(super) fn star(pattern: &str, name: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else {
        return pattern == name;
    };
    let Some(mut left) = name.strip_prefix(first) else {
        return false;
    };
    let mut rest = rest;
    while let Some((middle, after)) = rest.split_once('*') {
        let Some((_, behind)) = left.split_once(middle) else {
            return false;
        };
        (left, rest) = (behind, after);
    }
    left.ends_with(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_is_any_run() {
        for (pattern, name) in [
            ("*", ""),
            ("*", "a"),
            ("notes_*", "notes_delete"),
            ("*_*", "a_b"),
            ("a*a", "aa"),
            ("**", "x"),
            ("a*b*c", "aXbYbc"),
        ] {
            assert!(star(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [
            ("a*a", "a"),
            ("notes_*", "note"),
            ("a*b", "abc"),
            ("", "a"),
            ("*_", "_a"),
        ] {
            assert!(!star(pattern, name), "{pattern} {name}");
        }
    }

    #[test]
    fn a_name_without_a_server_is_the_hosts_own_unless_it_forbids() {
        let tools = ["Write", "mcp__notes__delete", "docs/read"].map(String::from);
        let mut hosted = Hosted::new(&tools);
        for (tool, server, any, covers) in [
            ("Edit", None, false, true),
            ("delete", None, false, false),
            ("delete", None, true, true),
            ("delete", Some("notes"), false, true),
            ("*", Some("no*"), false, true),
            ("*d", None, false, false),
            ("*d", None, true, true),
            ("delete", Some("docs"), true, false),
        ] {
            assert_eq!(hosted.covers(tool, server, any), covers, "{tool} {server:?} {any}");
        }
        assert!(!hosted.exact("Edit", None, false) && hosted.exact("Write", None, false));
        assert!(hosted.exact("delete", None, true) && !hosted.exact("delete", None, false));
    }
}
