//! `find … -exec` and `fd … -x`.

use super::model::{Piece, Role};
use super::plan::{Inner, Plan};
use super::sink::Hidden;
use super::token::Token;

/// What `find`, or `fd`, runs on what it finds.
pub(super) fn plan(words: &[Token], fd: bool) -> Plan {
    let mut plan = Plan::plain();
    let mut index = 1;
    while let Some(word) = words.get(index) {
        index += 1;
        let Some(text) = word.text() else {
            if word.splits {
                plan.doubt("an expansion may add `-exec`", Hidden::Yes);
            }
            continue;
        };
        let runs: &[&str] = match fd {
            true => &["-x", "-X", "--exec", "--exec-batch"],
            false => &["-exec", "-execdir", "-ok", "-okdir"],
        };
        if !runs.contains(&text) {
            let cluster = text.starts_with('-') && !text.starts_with("--") && text.contains(['x', 'X']);
            if fd && (cluster || text.starts_with("--exec")) {
                plan.doubt(["unknown option `", text, "` of `fd`"].concat(), Hidden::No);
                plan.inner.push(Inner::words(words.get(index..).unwrap_or_default()));
            }
            continue;
        }
        let rest = words.get(index..).unwrap_or_default();
        let length = command_length(rest);
        if length == rest.len() && !fd {
            plan.doubt(["`", text, "` has no end"].concat(), Hidden::No);
        }
        let command: Vec<Token> = rest.iter().take(length).map(with_places).collect();
        if !command.is_empty() {
            plan.role = Role::Both;
            let mut inner = Inner::words(&command);
            if matches!(text, "-execdir" | "-okdir") {
                inner.place = Some(super::directories::Place::anywhere());
            }
            plan.inner.push(inner);
        }
        index += length;
    }
    plan
}

/// Words up to `;`, or to a `+` after `{}`.
fn command_length(words: &[Token]) -> usize {
    let mut last = "";
    for (index, word) in words.iter().enumerate() {
        let text = word.text().unwrap_or_default();
        if text == ";" || (text == "+" && last == "{}") {
            return index;
        }
        last = text;
    }
    words.len()
}

/// `{}` stands for a path that is found.
fn with_places(token: &Token) -> Token {
    let Some(text) = token.text().filter(|text| text.contains('{') && text.contains('}')) else {
        return token.clone();
    };
    let mut open = token.clone();
    open.word.pieces = vec![Piece::Open(text.to_owned())];
    open
}
