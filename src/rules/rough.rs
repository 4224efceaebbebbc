//! `PowerShell` and cmd: no grammar, so never understood. What could be a command is cut out for what forbids or asks.

use super::model::Shell;
use super::shell::{Analysis, Command, Piece, Role, Span, Unread, Word};

/// Names of one built-in `PowerShell` command.
const ALIASES: [&[&str]; 26] = [
    &["clear-content", "clc"],
    &["clear-item", "cli"],
    &["copy-item", "copy", "cp", "cpi"],
    &["foreach-object", "%", "foreach"],
    &["get-childitem", "dir", "gci", "ls"],
    &["get-content", "cat", "gc", "type"],
    &["get-process", "gps", "ps"],
    &["invoke-command", "icm"],
    &["invoke-expression", "iex"],
    &["invoke-item", "ii"],
    &["invoke-restmethod", "irm"],
    &["invoke-webrequest", "curl", "iwr", "wget"],
    &["move-item", "mi", "move", "mv"],
    &["new-item", "ni"],
    &["new-psdrive", "mount", "ndr"],
    &["remove-item", "del", "erase", "rd", "ri", "rm", "rmdir"],
    &["rename-item", "ren", "rni"],
    &["select-string", "sls"],
    &["set-content", "sc"],
    &["set-item", "si"],
    &["set-location", "cd", "chdir", "sl"],
    &["start-job", "sajb"],
    &["start-process", "saps", "start"],
    &["stop-process", "kill", "spps"],
    &["where-object", "?", "where"],
    &["write-output", "echo", "write"],
];

const EXTENSIONS: [&str; 4] = [".exe", ".cmd", ".bat", ".com"];

/// Cuts at operators and brackets, quotes removed; only the first `limit` bytes are looked at.
#[must_use]
pub fn analyse(text: &str, shell: Shell, limit: usize) -> Analysis {
    let end = (0..=limit.min(text.len()))
        .rev()
        .find(|end| text.is_char_boundary(*end))
        .unwrap_or(0);
    let seen = text.get(..end).unwrap_or("");
    let mut commands = Vec::new();
    cut(seen, shell, &mut commands);
    // A `$(…)` runs inside double quotes too.
    for (at, opened) in seen.match_indices("$(").take(64) {
        cut(seen.get(at + opened.len()..).unwrap_or(""), shell, &mut commands);
    }
    let named: Vec<Vec<String>> = commands.iter().flat_map(|words| renamed(words, shell)).collect();
    let command = |words: Vec<String>| Command {
        words: words.into_iter().map(word).collect(),
        assignments: Vec::new(),
        role: Role::Plain,
        unknown: None,
        directories: None,
        span: Span { start: 0, end },
    };
    let why = match shell {
        Shell::Cmd => "cmd has no grammar here",
        Shell::Powershell | Shell::Posix | Shell::None => "PowerShell has no grammar here",
    };
    Analysis {
        commands: named.into_iter().map(command).collect(),
        unread: Some(Unread { why: why.into(), at: 0 }),
        steps: u64::try_from(end).unwrap_or(u64::MAX),
        ..Analysis::default()
    }
}

fn word(text: String) -> Word {
    Word {
        pieces: vec![Piece::Literal(text)],
        quoted: false,
    }
}

fn cut(text: &str, shell: Shell, commands: &mut Vec<Vec<String>>) {
    let escape = if shell == Shell::Cmd { '^' } else { '`' };
    let (mut words, mut current, mut quote) = (Vec::new(), String::new(), None);
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match (quote, character) {
            (_, c) if c == escape && quote != Some('\'') => current.extend(characters.next()),
            (Some(open), c) if c == open => quote = None,
            (Some(_), c) => current.push(c),
            (None, '"') => quote = Some('"'),
            (None, '\'') if shell != Shell::Cmd => quote = Some('\''),
            (None, ' ' | '\t') => push(&mut words, &mut current),
            (None, ';' | '|' | '&' | '\n' | '\r' | '(' | ')' | '{' | '}') => {
                push(&mut words, &mut current);
                end(&mut words, commands);
            }
            (None, c) => current.push(c),
        }
    }
    push(&mut words, &mut current);
    end(&mut words, commands);
}

fn push(words: &mut Vec<String>, current: &mut String) {
    let word = std::mem::take(current);
    // The call and the dot operator, cmd's echo-off mark.
    if !(word.is_empty() || words.is_empty() && matches!(word.as_str(), "." | "@")) {
        words.push(word);
    }
}

fn end(words: &mut Vec<String>, commands: &mut Vec<Vec<String>>) {
    if !words.is_empty() {
        commands.push(std::mem::take(words));
    }
}

/// The command under every name of its program.
fn renamed(words: &[String], shell: Shell) -> Vec<Vec<String>> {
    let mut named = vec![words.to_vec()];
    let Some((program, rest)) = words.split_first() else {
        return named;
    };
    let lower = program.to_ascii_lowercase();
    let bare = EXTENSIONS
        .iter()
        .find_map(|extension| lower.strip_suffix(extension))
        .unwrap_or(&lower);
    let others = ALIASES
        .iter()
        .filter(|names| shell == Shell::Powershell && names.contains(&bare));
    let names = others
        .flat_map(|names| names.iter().copied())
        .chain([bare])
        .filter(|name| *name != lower);
    named.extend(names.map(|name| std::iter::once(name.to_owned()).chain(rest.iter().cloned()).collect()));
    named
}
