//! Allows that let far more run than they seem to.

use super::Entry;
use crate::policy::findings::{Finding, Findings, tick};
use crate::policy::names;
use crate::rules::model::{Book, ContentKind, RuleSpec, Shell};
use crate::rules::pattern::Content;

pub(super) fn check(entry: &Entry, book: &Book, findings: &mut Findings) {
    let Content::Wild(wild) = &entry.content else {
        return;
    };
    let (rule, content) = (entry.rule, entry.rule.content.as_str());
    let segments = wild.segments();
    let finding = if segments.iter().all(String::is_empty) {
        let message = format!("{} allows every call that has anything to compare", tick(&rule.written));
        let hint = format!("write `{}` if every call is meant, or say what is", rule.tool);
        Finding::new("allows-everything", message).hint(Some(hint))
    } else if let Some(hint) = wide_host(content) {
        let message = format!(
            "{} allows hosts that are not yours: its `*` can be any part of a host",
            tick(content)
        );
        Finding::new("wide-url", message).hint(Some(hint))
    } else if entry.kind == ContentKind::Text && is_shell(rule, book) && open_program(segments) {
        let message = format!(
            "{} leaves the program open: any command that ends so runs",
            tick(content)
        );
        Finding::new("open-program", message).hint(Some("begin with the program's whole name and a blank".into()))
    } else {
        return;
    };
    findings.warning(&rule.origin, finding);
}

/// What to write instead, when a star can reach into a URL's host.
fn wide_host(content: &str) -> Option<String> {
    let (scheme, rest) = content.split_once("://")?;
    let (host, closed) = rest.split_once('/').map_or((rest, false), |(host, _)| (host, true));
    let domain = host.strip_prefix("*.").unwrap_or(host);
    let sure = closed && !scheme.contains('*') && !domain.contains('*') && (domain == host || domain.contains('.'));
    if sure || !content.contains('*') {
        return None;
    }
    let name = domain.trim_matches('*').trim_matches('.');
    Some(if name.contains('.') && !name.contains('*') {
        format!("write `domain:{name}`")
    } else {
        "name the host, `domain:docs.test` or `domain:*.docs.test`".to_owned()
    })
}

/// The first word has no end before the first star.
fn open_program(segments: &[String]) -> bool {
    segments
        .first()
        .is_none_or(|first| !first.contains([' ', '\t', '\n', '\r']))
}

/// Declared as a shell, or called like one.
pub(super) fn is_shell(rule: &RuleSpec, book: &Book) -> bool {
    let name = names::shown(&rule.tool, rule.server.as_deref());
    let declared = book.tools.get(&name).and_then(|said| said.shell);
    match declared {
        Some(shell) => shell != Shell::None,
        None => ["bash", "shell", "sh", "terminal", "run_command", "execute_command"]
            .iter()
            .any(|known| known.eq_ignore_ascii_case(&rule.tool)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_in_a_host_is_wide() {
        for content in [
            "https://*",
            "http*://docs.test/*",
            "https://docs.test*",
            "https://docs.*/x",
            "https://*docs.test/*",
            "https://*.test/*",
            "*://docs.test/",
        ] {
            assert!(wide_host(content).is_some(), "{content}");
        }
        for content in [
            "https://docs.test/*",
            "https://*.docs.test/*",
            "https://docs.test",
            "git *",
        ] {
            assert_eq!(wide_host(content), None, "{content}");
        }
        assert_eq!(
            wide_host("https://docs.test*").as_deref(),
            Some("write `domain:docs.test`")
        );
    }
}
