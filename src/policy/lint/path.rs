//! Path contents that never match, or not what they seem to.

use super::Entry;
use crate::policy::findings::{Finding, Findings, tick};
use crate::rules::model::{ContentKind, Environment, Platform};
use crate::rules::pattern::Content;

pub(super) fn check(entry: &Entry, environment: &Environment, findings: &mut Findings) {
    if entry.kind != ContentKind::Path {
        return;
    }
    let origin = &entry.rule.origin;
    let content = entry.rule.content.as_str();
    if let Content::Prefix(prefix) = &entry.content {
        let message = format!("{} covers no subtree, `:*` is for words of a command", tick(content));
        let hint = Some(format!("write `{}/*`", prefix.trim_end_matches('/')));
        findings.warning(origin, Finding::new("path-prefix", message).hint(hint));
        return;
    }
    if let Some(what) = dirty(content, environment.platform) {
        let message = format!(
            "{} has {what} and never matches: paths are cleaned, rules are not",
            tick(content)
        );
        findings.warning(origin, Finding::new("path-not-clean", message));
    }
    let home = content == "~" || content.starts_with("~/");
    if home && environment.home.is_none() {
        let message = format!("{} needs the home directory, which is not known here", tick(content));
        findings.warning(
            origin,
            Finding::new("path-relative", message).hint(Some("give `home`".into())),
        );
    } else if !home && !absolute(content) && environment.cwd.is_none() {
        let message = format!(
            "{} is relative to a working directory that is not known here",
            tick(content)
        );
        let hint = Some("give `cwd`, or write an absolute path".to_owned());
        findings.warning(origin, Finding::new("path-relative", message).hint(hint));
    }
}

/// Absolute, open at the start, or somebody's home.
fn absolute(content: &str) -> bool {
    content.starts_with(['/', '~', '*', '\\']) || content.as_bytes().get(1) == Some(&b':')
}

/// What no clean path has.
fn dirty(content: &str, platform: Platform) -> Option<&'static str> {
    let windows = platform == Platform::Windows;
    let text = if windows {
        content.replace("\\*", "*").replace('\\', "/")
    } else {
        content.to_owned()
    };
    let mut rest = text.as_str();
    if windows && rest.starts_with("//") {
        rest = rest.get(1..).unwrap_or_default();
    }
    // The rule side is joined to the working directory, so dots may begin it.
    if !rest.starts_with("./..") {
        rest = rest.strip_prefix("./").unwrap_or(rest);
    }
    while let Some(up) = rest.strip_prefix("../") {
        rest = up;
    }
    if rest.contains("//") {
        Some("`//`")
    } else if rest.contains("/./") || rest.ends_with("/.") {
        Some("`/.`")
    } else if rest.contains("/../") || rest.ends_with("/..") {
        Some("`/..`")
    } else if rest.len() > 1 && rest.ends_with('/') {
        Some("a slash at its end")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clean_is_what_a_subject_can_be() {
        for content in [
            "/", "/a", "/a/*", "*/b", "./a", "../a", "../../a", "~/a", "/a/..b", "/a/.b", "/a.", "~", "/*/",
        ] {
            let clean = dirty(content, Platform::Posix).is_none();
            assert_eq!(clean, content != "/*/", "{content}");
        }
        for content in [
            "//a",
            "/a//b",
            "/a/./b",
            "/a/../b",
            "/a/",
            "/a/..",
            "/a/.",
            "./../a/",
            "/a/*/../b",
        ] {
            assert!(dirty(content, Platform::Posix).is_some(), "{content}");
        }
        assert_eq!(dirty(r"\\server\share\*", Platform::Windows), None);
        assert_eq!(dirty(r"C:\a\*", Platform::Windows), None);
        assert!(dirty(r"C:\a\..\b", Platform::Windows).is_some());
    }
}
