//! The rule's side of a comparison of paths: absolute, but with nothing else changed.

use super::super::model::{Environment, Platform};
use super::parts::{self, Anchor, Parts};
use super::windows;

/// A rule content for paths in the spelling of [`super::Clean::text`]: `~` expanded, a relative one joined to the working directory.
///
/// A content that begins with a wildcard stays as it is, and so does what the environment does not know. `//`, `.` and `..`
/// inside are kept: such a rule matches nothing. Windows: a backslash separates, but an odd one before `*` escapes it.
#[must_use]
pub fn pattern(content: &str, environment: &Environment) -> String {
    match environment.platform {
        Platform::Posix => joined(content, environment),
        Platform::Windows => {
            let unified = unified(content);
            match rooted(&unified, environment) {
                Some(rooted) => rooted,
                None => joined(&unified, environment),
            }
        }
    }
}

/// A star behind a backslash that was meant to separate: it stands for itself, and no Windows name has one.
#[must_use]
pub fn escapes_star(content: &str) -> bool {
    let (mut run, mut inside) = (0_usize, false);
    for letter in content.chars() {
        if letter == '*' && inside && run % 2 == 1 {
            return true;
        }
        run = if letter == '\\' { run.saturating_add(1) } else { 0 };
        // What stands before the backslashes: a name, and not the blank of a command.
        inside = if run > 0 { inside } else { !letter.is_ascii_whitespace() };
    }
    false
}

/// Expands `~` and puts a relative content below the working directory.
fn joined(content: &str, environment: &Environment) -> String {
    if let Some(below) = parts::below_home(content, Platform::Posix) {
        // A home that can't be read is as good as none.
        let home = parts::home(environment).ok().filter(|home| home.anchor == Anchor::Full);
        return match (below, home) {
            (Ok(rest), Some(home)) => below_directory(home, rest.trim_start_matches('/')),
            _ => content.to_owned(),
        };
    }
    if content.is_empty() || content.starts_with(['/', '*']) {
        return content.to_owned();
    }
    let Some(mut base) = parts::cwd(environment).ok().filter(|base| base.anchor == Anchor::Full) else {
        return content.to_owned();
    };
    let mut rest = content;
    loop {
        let (name, after) = rest.split_once('/').unwrap_or((rest, ""));
        match name {
            "." => {}
            ".." => base.names.push(name.to_owned()),
            _ => break,
        }
        rest = after.trim_start_matches('/');
    }
    below_directory(base, rest)
}

/// `rest` below a directory whose own text is literal.
fn below_directory(base: Parts, rest: &str) -> String {
    let Ok(clean) = base.clean() else {
        return rest.to_owned();
    };
    let base = escaped(&clean.text);
    if rest.is_empty() {
        return base;
    }
    [base.trim_end_matches('/'), "/", rest].concat()
}

/// The text as a pattern that means exactly it: stars escaped, and the backslashes directly before one.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut run = 0_usize;
    for letter in text.chars() {
        if letter == '*' {
            out.extend(std::iter::repeat_n('\\', run.saturating_add(1)));
        }
        run = if letter == '\\' { run.saturating_add(1) } else { 0 };
        out.push(letter);
    }
    out
}

/// Every run of backslashes as one slash; at the beginning two are kept, and before `*` an odd one is its escape.
fn unified(content: &str) -> String {
    let mut out = String::with_capacity(content.len());
    let mut rest = content;
    while let Some((before, after)) = rest.split_once('\\') {
        out.push_str(before);
        let tail = after.trim_start_matches('\\');
        let run = after.len().saturating_sub(tail.len()).saturating_add(1);
        let escapes = tail.starts_with('*') && run % 2 == 1;
        let separators = if tail.starts_with('*') { run / 2 } else { run };
        let kept = if out.is_empty() {
            separators.min(2)
        } else {
            separators.min(1)
        };
        out.extend(std::iter::repeat_n('/', kept));
        if escapes {
            out.push('\\');
        }
        rest = tail;
    }
    out.push_str(rest);
    out
}

/// A Windows content that says its own root, in the one spelling for it; `None` for any other.
fn rooted(content: &str, environment: &Environment) -> Option<String> {
    let verbatim = content.strip_prefix("//?/").or_else(|| content.strip_prefix("//./"));
    if let Some(share) = verbatim.and_then(windows::unc) {
        return Some(network(share));
    }
    let content = verbatim.unwrap_or(content);
    if let Some((root, rest)) = windows::drive(content) {
        return Some([root.as_str(), rest].concat());
    }
    if let Some(share) = content.strip_prefix("//") {
        return Some(network(share));
    }
    let below = content.strip_prefix('/')?;
    let base = parts::cwd(environment).ok().filter(|base| base.anchor == Anchor::Full);
    Some(match base {
        Some(base) => [escaped(&base.root).as_str(), "/", below].concat(),
        None => content.to_owned(),
    })
}

/// `//server/share/…` with the first two names in lower case.
fn network(share: &str) -> String {
    let end = share.match_indices('/').nth(1).map_or(share.len(), |(at, _)| at);
    let (names, rest) = share.split_at(end);
    ["//", &names.to_ascii_lowercase(), rest].concat()
}
