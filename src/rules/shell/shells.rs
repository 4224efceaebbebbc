//! `sh -c` and its like.

use super::model::Role;
use super::plan::Plan;
use super::sink::Hidden;
use super::token::Token;

const FLAGS: &str = "abefghiklmnprstuvxyBCDEGHLPTXZ";
const LONG: [&str; 9] = [
    "--debugger",
    "--login",
    "--noediting",
    "--noprofile",
    "--norc",
    "--posix",
    "--restricted",
    "--verbose",
    "--no-rcs",
];

/// What a shell runs.
pub(super) fn plan(name: &str, words: &[Token]) -> Plan {
    let mut plan = Plan::plain();
    let mut code = false;
    let mut index = 1;
    while let Some(word) = words.get(index) {
        let Some(text) = word.text() else {
            if code && !word.splits {
                break;
            }
            plan.doubt(
                ["an expansion stands among the options of `", name, "`"].concat(),
                Hidden::Yes,
            );
            return plan;
        };
        match text {
            "--" | "-" => {
                index += 1;
                break;
            }
            "--help" | "--version" => return plan,
            "--rcfile" | "--init-file" => index += 1,
            _ if LONG.contains(&text) => {}
            _ if text.len() > 1 && text.starts_with(['-', '+']) => {
                let letters = text.get(1..).unwrap_or_default();
                code |= letters.contains('c') && text.starts_with('-') && !text.starts_with("--");
                index += letters.matches(['o', 'O']).count();
                if letters
                    .chars()
                    .any(|letter| !FLAGS.contains(letter) && !matches!(letter, 'c' | 'o' | 'O'))
                {
                    plan.doubt(["unknown option `", text, "` of `", name, "`"].concat(), Hidden::No);
                }
            }
            _ => break,
        }
        index += 1;
    }
    match words.get(index) {
        Some(text) if code => {
            plan.role = Role::Through;
            plan.code(std::slice::from_ref(text), |inner| inner);
        }
        Some(_) => plan.doubt("it runs a script file", Hidden::No),
        None => plan.doubt("it reads its commands from elsewhere", Hidden::No),
    }
    plan
}
