//! Builtins that evaluate their operands, or change how the rest of the text is read.

use super::model::{Assignment, Piece, Word};
use super::sink::{Doubt, Hidden};
use super::token::{Token, literal};

/// Why what follows may mean something else.
pub(super) const SETS: &str = "it sets a variable that other programs may go by";

/// What a builtin does beside running.
#[derive(Debug, Default)]
pub(super) struct Effects {
    pub doubt: Option<Doubt>,
    /// Text that runs later.
    pub code: Vec<String>,
    /// It sets `HOME`.
    pub home: bool,
    /// It sets `CDPATH`.
    pub anywhere: bool,
    /// It makes arrays.
    pub arrays: bool,
}

impl Effects {
    /// These words are names that are set; a rule for the builtin says nothing of what they change.
    fn sets<'w>(&mut self, words: impl IntoIterator<Item = &'w Token>) {
        for word in words {
            let name = word.head().split('[').next().unwrap_or_default();
            if word.text().is_some() && !Assignment::is_own(name) {
                self.doubt(SETS, Hidden::No);
            }
            self.names([word]);
        }
    }

    fn doubt(&mut self, why: &str, hidden: Hidden) {
        self.doubt = Doubt::worse(self.doubt.take(), Some(Doubt::new(why, hidden)));
    }

    /// These words are names that are set or looked up; a subscript in one is evaluated.
    fn names<'w>(&mut self, words: impl IntoIterator<Item = &'w Token>) {
        for word in words {
            let head = word.head();
            let name = head.split('=').next().unwrap_or_default();
            match name.trim_end_matches('+') {
                "HOME" => self.home = true,
                "CDPATH" => self.anywhere = true,
                "BASH_CMDS" | "BASH_ALIASES" => self.doubt("a name stands for another program", Hidden::Yes),
                name if is_integer(name) && !word.text().is_some_and(|text| is_digits(text.split_once('='))) => {
                    self.doubt("arithmetic evaluates what its variables hold", Hidden::IfCode);
                }
                "PS4" => self.doubt("`PS4` is evaluated when commands are traced", Hidden::IfCode),
                _ => {}
            }
            let open = word.text().is_none() && !head.contains('=');
            if open || !is_plain_subscript(name) {
                self.doubt(
                    "a variable's name may have a subscript, which is evaluated",
                    Hidden::IfCode,
                );
            }
        }
    }
}

/// A variable of the shell that evaluates what it is set to.
pub(super) fn is_integer(name: &str) -> bool {
    matches!(name, "HISTCMD" | "OPTIND" | "RANDOM" | "SRANDOM")
}

/// Digits only.
pub(super) fn is_number(word: &Word) -> bool {
    literal(word).is_some_and(|text| text.bytes().all(|byte| byte.is_ascii_digit()))
}

fn is_digits(assignment: Option<(&str, &str)>) -> bool {
    assignment.is_some_and(|(_, value)| value.bytes().all(|byte| byte.is_ascii_digit()))
}

/// `NAME=(…)` with the bracket quoted, or a value that is made at run time: an array's value is read again.
fn is_read_again(word: &Token) -> bool {
    let Some((_, value)) = word.head().split_once('=') else {
        return false;
    };
    match word.word.pieces.get(1) {
        _ if value.starts_with('(') => true,
        Some(Piece::Open(text)) => !value.is_empty() || word.word.quoted || !text.starts_with('('),
        Some(Piece::Literal(_) | Piece::Glob(_)) | None => false,
    }
}

/// No subscript, or one that is a number, `@` or `*`.
fn is_plain_subscript(name: &str) -> bool {
    let Some((_, subscript)) = name.split_once('[') else {
        return true;
    };
    let subscript = subscript.strip_suffix(']').unwrap_or(subscript);
    matches!(subscript, "@" | "*") || subscript.bytes().all(|byte| byte.is_ascii_digit())
}

/// Options and the words after them.
struct Walk<'w> {
    options: Vec<(char, Option<Token>)>,
    rest: &'w [Token],
}

impl Walk<'_> {
    fn has(&self, letters: &[char]) -> bool {
        self.options.iter().any(|(letter, _)| letters.contains(letter))
    }

    fn values(&self, wanted: char) -> impl Iterator<Item = &Token> {
        let wanted = self.options.iter().filter(move |(letter, _)| *letter == wanted);
        wanted.filter_map(|(_, value)| value.as_ref())
    }
}

/// Reads options as builtins do; `values` are the letters that take one.
fn walk<'w>(words: &'w [Token], values: &str) -> Walk<'w> {
    let mut options = Vec::new();
    let mut index = 1;
    while let Some(text) = words.get(index).and_then(Token::text) {
        if text.len() < 2 || !text.starts_with(['-', '+']) {
            break;
        }
        index += 1;
        if text == "--" {
            break;
        }
        let mut letters = text.chars();
        letters.next();
        while let Some(letter) = letters.next() {
            if !values.contains(letter) {
                options.push((letter, None));
                continue;
            }
            let attached = letters.as_str();
            if attached.is_empty() {
                options.push((letter, words.get(index).cloned()));
                index += 1;
            } else {
                options.push((letter, Some(Token::literal(attached))));
            }
            break;
        }
    }
    let rest = words.get(index..).unwrap_or_default();
    Walk { options, rest }
}

/// What the builtin `name` does with these words.
pub(super) fn effects(name: &str, words: &[Token]) -> Effects {
    let mut effects = Effects::default();
    match name {
        "let" => effects.doubt("`let` evaluates arithmetic", Hidden::IfCode),
        "declare" | "typeset" | "local" | "export" | "readonly" => {
            let walk = walk(words, "");
            if walk.has(&['i', 'n']) && !matches!(name, "export" | "readonly") {
                effects.doubt("`-i` and `-n` evaluate what is assigned", Hidden::IfCode);
            }
            effects.arrays = walk.has(&['a', 'A']);
            if name != "export" && walk.rest.iter().any(is_read_again) {
                effects.doubt("an array's value is read again", Hidden::IfArray);
            }
            effects.names(walk.rest);
        }
        "read" => {
            let walk = walk(words, "adinNptu");
            effects.arrays = walk.has(&['a']);
            effects.sets(walk.rest.iter().chain(walk.values('a')));
        }
        "unset" => effects.names(walk(words, "").rest),
        "getopts" => effects.sets(words.get(2)),
        "wait" => effects.sets(walk(words, "p").values('p')),
        "printf" => {
            let walk = walk(words, "v");
            effects.sets(walk.values('v'));
            let first = walk.rest.first().filter(|_| walk.options.is_empty());
            let injects = |first: &Token| first.text().is_none() && first.head().is_empty();
            if first.is_some_and(injects) && (walk.rest.len() > 2 || walk.rest.iter().any(|word| word.splits)) {
                effects.doubt("an expansion may add `-v`", Hidden::IfCode);
            }
        }
        "mapfile" | "readarray" => {
            let walk = walk(words, "dnOsucC");
            effects.arrays = true;
            effects.sets(walk.rest);
            for code in walk.values('C') {
                effects.doubt("`-C` runs text with more words", Hidden::IfCode);
                match code.text() {
                    Some(text) => effects.code.push(text.to_owned()),
                    None => effects.doubt("the text it runs is made at run time", Hidden::Yes),
                }
            }
        }
        "test" | "[" => test(words, &mut effects),
        _ => changes(name, words, &mut effects),
    }
    effects
}

/// `test -v NAME`; an unquoted expansion may add it.
fn test(words: &[Token], effects: &mut Effects) {
    let mut previous = "";
    for word in words.iter().skip(1) {
        if matches!(previous, "-v" | "-R") {
            effects.names([word]);
        }
        if word.text().is_none() && word.splits {
            effects.doubt("an expansion may add `-v`", Hidden::IfCode);
        }
        previous = word.text().unwrap_or_default();
    }
}

/// Builtins that change what later commands mean.
fn changes(name: &str, words: &[Token], effects: &mut Effects) {
    match name {
        "source" | "." => effects.doubt("it runs a script file", Hidden::No),
        "alias" => {
            for word in walk(words, "").rest {
                match word.text().and_then(|text| text.split_once('=')) {
                    Some((_, code)) => {
                        effects.doubt("an alias may stand for any command", Hidden::No);
                        effects.code.push(code.to_owned());
                    }
                    None if word.text().is_some() => {}
                    None => effects.doubt("an alias is made at run time", Hidden::Yes),
                }
            }
        }
        "hash" => {
            let walk = walk(words, "p");
            if walk.has(&['p']) {
                effects.doubt("`hash -p` lets a name stand for another program", Hidden::Yes);
            } else if !walk.has(&['r', 'd', 'l', 't']) && !walk.rest.is_empty() {
                effects.doubt("`hash` changes which program a name stands for", Hidden::No);
            }
        }
        "enable" => effects.doubt("`enable` changes which commands are builtins", Hidden::No),
        "shopt" => effects.doubt("`shopt` changes how commands are read", Hidden::No),
        "set" => {
            let walk = walk(words, "");
            let open = walk.rest.first().is_some_and(|first| first.text().is_none());
            let ended = words.iter().any(|word| word.text() == Some("--"));
            if walk.has(&['k']) || (walk.has(&['o']) && has_text(words, "keyword")) || (open && !ended) {
                effects.doubt("`set -k` changes how commands are read", Hidden::No);
            }
        }
        "compgen" => {
            let walk = walk(words, "ACFGoPSWX");
            if walk.has(&['W', 'C', 'F']) {
                effects.doubt("`compgen` evaluates its operands", Hidden::IfCode);
            }
            effects
                .code
                .extend(walk.values('C').filter_map(Token::text).map(str::to_owned));
        }
        "complete" if walk(words, "ACFGoPSWX").has(&['C']) => {
            effects.doubt("`complete -C` runs text later", Hidden::No);
        }
        "bind" if walk(words, "fmpqrux").has(&['x']) => effects.doubt("`bind -x` runs text later", Hidden::No),
        _ => {}
    }
}

fn has_text(words: &[Token], text: &str) -> bool {
    words.iter().any(|word| word.text() == Some(text))
}
