//! Reads a wrapper's options up to the command behind them.

use super::model::{Assignment, Piece, Word};
use super::sink::{Doubt, Hidden};
use super::table::Wrapper;
use super::token::Token;

/// Where a command may begin after something that is not known.
const GUESSES: usize = 3;

/// An option, its value, the index of its word and that of the word after it.
pub(super) struct Seen<'w> {
    pub name: &'w str,
    pub value: Option<Token>,
    pub at: usize,
    pub next: usize,
}

/// What stands before the command.
#[derive(Default)]
pub(super) struct Scan<'w> {
    pub options: Vec<Seen<'w>>,
    pub assignments: Vec<Assignment>,
    operands: usize,
    /// The command's words.
    pub rest: &'w [Token],
    pub doubt: Option<Doubt>,
    /// Indexes at which a command may begin, when there is a doubt.
    pub guesses: Vec<usize>,
}

impl Scan<'_> {
    /// Whether one of these options is there.
    pub fn has(&self, names: &[&str]) -> bool {
        self.options.iter().any(|seen| names.contains(&seen.name))
    }

    /// The last value of one of these options.
    pub fn value(&self, names: &[&str]) -> Option<&Token> {
        let mut seen = self.options.iter().rev().filter(|seen| names.contains(&seen.name));
        seen.find_map(|seen| seen.value.as_ref())
    }

    fn trouble(&mut self, words: &[Token], at: usize, why: String, hidden: Hidden) {
        self.doubt = Some(Doubt::new(why, hidden));
        let begins = |(_, word): &(usize, &Token)| word.text().is_some_and(|text| !text.starts_with('-'));
        let later = words.iter().enumerate().skip(at + 1).filter(begins);
        self.guesses = later.take(GUESSES).map(|(index, _)| index).collect();
    }
}

/// Reads `words` as the wrapper does.
pub(super) fn scan<'w>(name: &str, wrapper: &Wrapper, words: &'w [Token]) -> Scan<'w> {
    let mut scan = Scan::default();
    let mut options = true;
    let mut index = 1;
    while let Some(word) = words.get(index) {
        if let Some(assignment) = assignment(word).filter(|_| wrapper.assigns) {
            scan.assignments.push(assignment);
            index += 1;
            continue;
        }
        let wanted = wrapper.permutes || scan.operands < wrapper.operands;
        let Some(text) = word.text() else {
            let head = word.head();
            if wanted && !word.splits && !head.is_empty() && !head.starts_with('-') {
                scan.operands += 1;
                index += 1;
                continue;
            }
            // After all operands it is the program.
            if !wanted && wrapper.operands == scan.operands && wrapper.operands > 0 {
                break;
            }
            let why = ["an expansion stands before the command of `", name, "`"].concat();
            scan.trouble(words, index, why, Hidden::Yes);
            return scan;
        };
        if options && text == "--" {
            options = false;
            index += 1;
            continue;
        }
        let late = scan.operands == 0 || wrapper.late || wrapper.permutes;
        if options && late && text == "-" && (wrapper.assigns || wrapper.permutes) {
            index += 1;
            continue;
        }
        if options && late && text.len() > 1 && text.starts_with('-') {
            match option(wrapper, words, index, text, &mut scan) {
                Some(next) => index = next,
                None => {
                    let why = ["unknown option `", text, "` of `", name, "`"].concat();
                    scan.trouble(words, index, why, Hidden::No);
                    return scan;
                }
            }
            continue;
        }
        if !wanted {
            break;
        }
        scan.operands += 1;
        index += 1;
    }
    scan.rest = words.get(index..).unwrap_or_default();
    scan
}

/// `NAME=value` as one word.
fn assignment(word: &Token) -> Option<Assignment> {
    let (name, first) = word.head().split_once('=')?;
    // Any name will do for `env`.
    if word.splits || name.is_empty() || name.starts_with('-') {
        return None;
    }
    let first = (!first.is_empty()).then(|| Piece::Literal(first.to_owned()));
    let rest = word.word.pieces.iter().skip(1).cloned();
    let value = Word {
        pieces: first.into_iter().chain(rest).collect(),
        quoted: true,
    };
    Some(Assignment {
        name: name.to_owned(),
        value,
    })
}

/// Reads the option at `index`; the index after it, none when it is not known.
fn option<'w>(
    wrapper: &Wrapper,
    words: &'w [Token],
    index: usize,
    text: &'w str,
    scan: &mut Scan<'w>,
) -> Option<usize> {
    let following = || words.get(index + 1).filter(|token| !token.splits).cloned();
    if let Some(long) = text.strip_prefix("--") {
        let (name, value) = match long.split_once('=') {
            Some((name, value)) => (name, Some(Token::literal(value))),
            None => (long, None),
        };
        let mut known = wrapper.long.split(' ');
        let known = known.find(|known| known.trim_end_matches(['=', '?']) == name)?;
        let needs = known.ends_with('=') && value.is_none();
        let next = index + if needs { 2 } else { 1 };
        let value = if needs { Some(following()?) } else { value };
        scan.options.push(Seen {
            name,
            value,
            at: index,
            next,
        });
        return Some(next);
    }
    let cluster = text.get(1..)?;
    for (at, _) in cluster.char_indices() {
        let letter = cluster.get(at..)?.get(..1)?;
        let known = wrapper.short.find(letter).filter(|_| letter != ":")?;
        let attached = cluster.get(at + 1..).unwrap_or_default();
        let kind = wrapper.short.get(known + 1..).unwrap_or_default();
        let optional = kind.starts_with("::");
        if !kind.starts_with(':') {
            let next = index + 1;
            scan.options.push(Seen {
                name: letter,
                value: None,
                at: index,
                next,
            });
            continue;
        }
        let needs = attached.is_empty() && !optional;
        let next = index + if needs { 2 } else { 1 };
        let value = if needs {
            Some(following()?)
        } else {
            Some(Token::literal(attached))
        };
        scan.options.push(Seen {
            name: letter,
            value,
            at: index,
            next,
        });
        return Some(next);
    }
    Some(index + 1)
}
