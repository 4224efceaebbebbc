//! `env -S`: text that `env` splits into words itself.

use super::model::{Piece, Word};
use super::options::scan;
use super::table::Wrapper;
use super::token::Token;

/// `env -S` in a text that `env -S` gave, and so on, at most.
const MOST: usize = 4;

/// The words of `env` with every `-S` split, none when there is no `-S`; and whether something was not told apart.
pub(super) fn expand(wrapper: &Wrapper, words: &[Token]) -> (Option<Vec<Token>>, bool) {
    let mut current: Option<Vec<Token>> = None;
    let mut lost = false;
    for _ in 0..MOST {
        let now = current.as_deref().unwrap_or(words);
        let found = scan("env", wrapper, now);
        let option = found
            .options
            .iter()
            .find(|seen| matches!(seen.name, "S" | "split-string"));
        let Some(option) = option else {
            return (current, lost);
        };
        let Some(text) = option.value.as_ref().and_then(Token::text) else {
            return (current, true);
        };
        let (split, clean) = split(text);
        lost |= !clean;
        let mut next: Vec<Token> = now.iter().take(option.at).cloned().collect();
        next.extend(split);
        next.extend(now.iter().skip(option.next).cloned());
        current = Some(next);
    }
    (current, true)
}

/// The words of the text; false when an escape or a variable stands in it.
fn split(text: &str) -> (Vec<Token>, bool) {
    let mut words: Vec<Token> = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut clean = true;
    for character in text.chars() {
        match (quote, character) {
            (_, '\\' | '$') => {
                clean = false;
                word.get_or_insert_default().push(character);
            }
            (Some(open), _) if open == character => quote = None,
            (None, '\'' | '"') => {
                quote = Some(character);
                word.get_or_insert_default();
            }
            (None, ' ' | '\t' | '\n' | '\r' | '\u{b}' | '\u{c}') => words.extend(word.take().map(token)),
            (None, '#') if word.is_none() => {
                clean = false;
                word = Some("#".to_owned());
            }
            (Some(_) | None, _) => word.get_or_insert_default().push(character),
        }
    }
    words.extend(word.take().map(token));
    (words, clean && quote.is_none())
}

fn token(text: String) -> Token {
    let piece = if text.contains('$') {
        Piece::Open(text)
    } else {
        Piece::Literal(text)
    };
    Token {
        word: Word {
            pieces: vec![piece],
            quoted: true,
        },
        splits: false,
    }
}
