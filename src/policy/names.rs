//! What may be a name, and how a name says its server.

use super::field::Naming;
use crate::rules::spelling;

/// Longer names are refused, in bytes.
const MAX: usize = 256;

/// Splits `mcp__server__tool` and `server/tool`; anything else is the name of a tool.
pub(super) fn split(name: &str) -> (Option<String>, String) {
    let (server, tool) = spelling::name(name);
    if server.is_some() {
        return (server, tool);
    }
    match name.split_once('/') {
        Some((server, tool)) if !server.is_empty() && !tool.is_empty() => (Some(server.to_owned()), tool.to_owned()),
        _ => (None, tool),
    }
}

/// The key of a tool in a book: `tool` or `server/tool`.
pub(super) fn key(name: &str) -> String {
    let (server, tool) = split(name);
    shown(&tool, server.as_deref())
}

/// One text for a tool and its server, as no two of them share it.
pub(super) fn pair(tool: &str, server: Option<&str>) -> String {
    match server {
        Some(server) => format!("{tool}\0{server}"),
        None => tool.to_owned(),
    }
}

/// `server/tool`, or the name of a tool without a server.
pub(super) fn shown(tool: &str, server: Option<&str>) -> String {
    match server {
        Some(server) => format!("{server}/{tool}"),
        None => tool.to_owned(),
    }
}

/// Why a text can't be such a name, and what to write instead.
pub(super) fn fault(name: &str, naming: Naming) -> Option<(&'static str, &'static str)> {
    if name.is_empty() {
        return Some(("is empty", "a name has at least one character"));
    }
    if name.len() > MAX {
        return Some(("is longer than 256 bytes", "write a shorter name"));
    }
    if name.trim() != name || name.chars().any(|character| character.is_ascii_control()) {
        return Some((
            "has a blank at an end or a control character",
            "names are compared exactly: leave it out",
        ));
    }
    match naming {
        Naming::Rule | Naming::Server => None,
        Naming::Family if name.starts_with('@') => Some((
            "begins with `@`",
            "only a rule writes the `@`: leave it out where the family is declared",
        )),
        Naming::Family => None,
        Naming::Subject => pointer(name),
        Naming::Member if is_family(name) => Some(("is a family in a family", "list its tools instead")),
        Naming::Tool if is_family(name) => Some((
            "is a family, which only rules may name",
            "list its tools, or write a rule for it",
        )),
        Naming::Member | Naming::Tool if name.contains('(') => Some((
            "is a rule where a tool's name must stand",
            "write the name alone, or move it to `deny`, `ask` or `allow`",
        )),
        Naming::Member | Naming::Tool => server_alone(name),
    }
}

/// `@notes/delete` is a tool of the server `@notes`.
fn is_family(name: &str) -> bool {
    name.starts_with('@') && !name.contains('/')
}

fn server_alone(name: &str) -> Option<(&'static str, &'static str)> {
    let incomplete = match spelling::name(name) {
        (Some(server), tool) => server.is_empty() || tool.is_empty(),
        (None, tool) => tool.starts_with("mcp__"),
    };
    incomplete.then_some(("names no tool of a server", "write `mcp__server__tool`"))
}

fn pointer(name: &str) -> Option<(&'static str, &'static str)> {
    let bad = name.starts_with('/') && name.split('~').skip(1).any(|rest| !rest.starts_with(['0', '1']));
    bad.then_some((
        "is not a JSON Pointer",
        "`~` is written `~0` and `/` in a key is written `~1`",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_say_its_server() {
        assert_eq!(key("mcp__notes__delete"), "notes/delete");
        assert_eq!(key("notes/delete"), "notes/delete");
        assert_eq!(key("mcp__a__b__c"), "a/b__c");
        for own in ["delete", "/delete", "delete/", "constructor", "mcp_x"] {
            assert_eq!(split(own), (None, own.to_owned()));
        }
    }

    #[test]
    fn refuses_what_no_name_is() {
        let long = "a".repeat(257);
        for name in [
            "",
            " Bash",
            "Bash\t",
            "a\0b",
            "@files",
            "Bash(ls)",
            "mcp__notes",
            "mcp__notes__",
            &long,
        ] {
            assert!(fault(name, Naming::Tool).is_some(), "{name}");
        }
        for name in [
            "Bash",
            "notes/delete",
            "mcp__notes__delete",
            "a b",
            "löschen",
            "__proto__",
        ] {
            assert_eq!(fault(name, Naming::Tool), None, "{name}");
        }
        assert!(fault("/a/~2", Naming::Subject).is_some());
        assert_eq!(fault("/a/~1b", Naming::Subject), None);
    }
}
