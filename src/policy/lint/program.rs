//! Programs for which an open allow is an allow for anything.

use super::Entry;
use crate::policy::findings::{Finding, Findings, tick};
use crate::rules::model::ContentKind;
use crate::rules::pattern::Content;

/// When an allow that begins with the program is too wide.
#[derive(Clone, Copy, PartialEq)]
enum When {
    /// Until an operand is fixed: the script, the package, the subcommand.
    NoOperand,
    /// Whenever anything is open.
    Always,
}

/// What such an allow lets happen.
#[derive(Clone, Copy)]
enum Reach {
    Code,
    Programs,
    Fetch,
}

use Reach::{Code, Fetch, Programs};
use When::{Always, NoOperand};

/// Programs, their subcommand (empty: none), when they are too wide, and why. A program's version number is left out.
const TABLE: &[(&str, &str, When, Reach)] = &[
    ("python", "", NoOperand, Code),
    ("pypy", "", NoOperand, Code),
    ("node", "", NoOperand, Code),
    ("deno", "", NoOperand, Code),
    ("bun", "", NoOperand, Code),
    ("perl", "", NoOperand, Code),
    ("ruby", "", NoOperand, Code),
    ("php", "", NoOperand, Code),
    ("lua", "", NoOperand, Code),
    ("awk", "", Always, Code),
    ("gawk", "", Always, Code),
    ("mawk", "", Always, Code),
    ("nawk", "", Always, Code),
    ("sed", "", Always, Code),
    ("git", "", NoOperand, Programs),
    ("tar", "", Always, Programs),
    ("npx", "", NoOperand, Code),
    ("bunx", "", NoOperand, Code),
    ("uvx", "", NoOperand, Code),
    ("npm", "exec", NoOperand, Code),
    ("npm", "x", NoOperand, Code),
    ("pnpm", "dlx", NoOperand, Code),
    ("pnpm", "exec", NoOperand, Programs),
    ("yarn", "dlx", NoOperand, Code),
    ("pipx", "run", NoOperand, Code),
    ("uv", "run", NoOperand, Programs),
    ("make", "", Always, Programs),
    ("just", "", NoOperand, Programs),
    ("ssh", "", Always, Programs),
    ("find", "", Always, Programs),
    ("xargs", "", Always, Programs),
    ("env", "", Always, Programs),
    ("sudo", "", Always, Programs),
    ("doas", "", Always, Programs),
    ("bash", "", NoOperand, Code),
    ("sh", "", NoOperand, Code),
    ("dash", "", NoOperand, Code),
    ("zsh", "", NoOperand, Code),
    ("fish", "", NoOperand, Code),
    ("ksh", "", NoOperand, Code),
    ("eval", "", Always, Code),
    ("docker", "run", Always, Programs),
    ("docker", "exec", Always, Programs),
    ("podman", "run", Always, Programs),
    ("podman", "exec", Always, Programs),
    ("kubectl", "exec", Always, Programs),
    ("go", "run", NoOperand, Code),
    ("cargo", "run", Always, Code),
    ("vim", "", Always, Programs),
    ("vi", "", Always, Programs),
    ("less", "", Always, Programs),
    ("man", "", Always, Programs),
    ("rsync", "", Always, Programs),
    ("curl", "", Always, Fetch),
    ("wget", "", Always, Fetch),
];

/// Whether it warned.
pub(super) fn check(entry: &Entry, findings: &mut Findings) -> bool {
    if entry.kind != ContentKind::Text {
        return false;
    }
    let (fixed, partial) = match &entry.content {
        Content::Prefix(prefix) => (prefix.as_str(), false),
        Content::Wild(wild) => {
            let first = wild.segments().first().map(String::as_str).unwrap_or_default();
            (first, !first.is_empty() && !first.ends_with([' ', '\t', '\n', '\r']))
        }
        Content::Any | Content::Exact(_) | Content::Domain { .. } => return false,
    };
    let Some((program, reach)) = wide(fixed, partial) else {
        return false;
    };
    let what = match reach {
        Code => "any code run",
        Programs => "any other program run",
        Fetch => "anything be fetched or sent",
    };
    let message = format!("an allow for {} lets {what}: {program}", tick(&entry.rule.content));
    let hint = Some("allow the exact commands, or fix what comes after the program".to_owned());
    findings.warning(&entry.rule.origin, Finding::new("runs-anything", message).hint(hint));
    true
}

/// The program and what it lets happen, when the words that are fixed leave that open; `partial`: the last word goes on.
fn wide(fixed: &str, partial: bool) -> Option<(String, Reach)> {
    let words: Vec<&str> = fixed
        .split_ascii_whitespace()
        .skip_while(|word| assigns(word))
        .collect();
    let written = *words.first()?;
    let name = written.rsplit(['/', '\\']).next().unwrap_or(written);
    let name = name.strip_suffix(".exe").unwrap_or(name);
    let name = name.trim_end_matches(|character: char| character.is_ascii_digit() || character == '.');
    let operands: Vec<&str> = words
        .iter()
        .skip(1)
        .filter(|word| !word.starts_with('-'))
        .copied()
        .collect();
    // The last word can become any that begins so.
    let is = |word: &str, known: &str| word == known || (partial && known.starts_with(word));
    let found = TABLE.iter().find(|(program, subcommand, when, _)| {
        *program == name
            && match (*subcommand, operands.as_slice()) {
                (_, []) => true,
                ("", _) => *when == Always,
                (subcommand, [first]) => is(first, subcommand),
                (subcommand, [first, ..]) => *first == subcommand && *when == Always,
            }
    })?;
    let why = match found {
        (program, "", ..) => (*program).to_owned(),
        (program, subcommand, ..) => format!("{program} {subcommand}"),
    };
    Some((format!("`{why}`"), found.3))
}

/// `NAME=value` before the program.
fn assigns(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.bytes().all(|byte| byte == b'_' || byte.is_ascii_alphanumeric())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_a_program_that_runs_anything() {
        for fixed in [
            "python",
            "python3.11 -c",
            "/usr/bin/node -e",
            "FOO=1 perl",
            "find /src -name ",
            "git -c",
            "git",
            "npm exec",
            "npm",
            "docker run alpine",
            "sudo systemctl status",
            "bash -c",
            "curl https://docs.test/",
            "awk -f x.awk",
            "C:\\tools\\python.exe",
            "cargo run --",
            "make",
        ] {
            assert!(wide(fixed, false).is_some(), "{fixed}");
        }
        for fixed in [
            "python manage.py test",
            "node server.js",
            "git status",
            "npm test",
            "npm exec eslint",
            "docker ps",
            "ls",
            "bash build.sh",
            "go test",
            "",
            "pythonic",
            "kubectl get pods",
            "cargo test",
            "FOO=1",
        ] {
            assert!(wide(fixed, false).is_none(), "{fixed}");
        }
        for fixed in ["python", "npm ex", "npm", "python -"] {
            assert!(wide(fixed, true).is_some(), "{fixed}");
        }
        for fixed in ["git st", "git status -", "npm t", "python man", "pyth", "3"] {
            assert!(wide(fixed, true).is_none(), "{fixed}");
        }
    }
}
