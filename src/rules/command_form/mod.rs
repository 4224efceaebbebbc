//! How a simple command and a rule's content for commands become texts that can be compared.
//!
//! Words are joined by one space. Inside a word the separators, what is only known at run time and the empty word have
//! characters of their own, so that two different commands never read the same.

use super::pattern::{Content, Wild};
use super::shell::{Assignment, Command, Piece, Word};

const OPEN: char = '\u{5}';
const GLOB: char = '\u{6}';
const ESCAPE: char = '\u{7}';
// INVARIANT: none of the letters `A` to `G`, which an escaped control character has.
const EMPTY: char = '0';
const PROGRAM: char = '=';

const MAX_FORMS: usize = 64;
const MAX_TAILS: usize = 16;

/// The same content for encoded commands: split into words, without quotes; `None` for a domain and for no word at all.
#[must_use]
pub fn pattern(content: &Content) -> Option<Content> {
    let single = |text: &str| segments(&[text.to_owned()]).pop().filter(|text| !text.is_empty());
    match content {
        Content::Any => Some(Content::Any),
        Content::Exact(text) => single(text).map(Content::Exact),
        Content::Prefix(text) => single(text).map(Content::Prefix),
        Content::Wild(wild) => Wild::new(segments(wild.segments())).map(Content::Wild),
        Content::Domain { .. } => None,
    }
}

/// The forms that let a command run: as it is written, and without its assignments where all of them are harmless.
#[must_use]
pub fn allow_forms(command: &Command) -> Vec<String> {
    let mut words: Vec<String> = command
        .words
        .iter()
        .map(|word| encode(word, Globs::Marked, Opens::Marked))
        .collect();
    if let Some(program) = words.first_mut().filter(|program| is_assignment(program)) {
        // `"A=b" c` runs a program of that name: no rule for the assignment covers it.
        program.insert(0, PROGRAM);
        program.insert(0, ESCAPE);
    }
    let words = words.join(" ");
    if command.assignments.is_empty() {
        return vec![words];
    }
    let assigned = |assignment| assigned(assignment, Globs::Marked, Opens::Marked);
    let mut all: Vec<String> = command.assignments.iter().map(assigned).collect();
    if command.words.is_empty() {
        return vec![all.join(" ")];
    }
    all.push(words.clone());
    let mut forms = vec![all.join(" ")];
    if command.assignments.iter().all(is_harmless) {
        forms.push(words);
    }
    forms
}

/// Every form that deny and ask look at, without duplicates, at most 64: with and without the assignments, by the written
/// and the base name of the program, with expansions as written, and without the options before a subcommand.
#[must_use]
pub fn deny_forms(command: &Command) -> Vec<String> {
    let mut forms = Forms(Vec::new());
    for opens in [Opens::Marked, Opens::Written] {
        let words: Vec<String> = command
            .words
            .iter()
            .map(|word| encode(word, Globs::Written, opens))
            .collect();
        let assigned = |assignment| assigned(assignment, Globs::Written, opens);
        let assignments: Vec<String> = command.assignments.iter().map(assigned).collect();
        let assignments: Vec<&str> = assignments.iter().map(String::as_str).collect();
        let Some((program, arguments)) = words.split_first() else {
            forms.add(&[&assignments]);
            continue;
        };
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let tails = match opens {
            Opens::Marked => tails(&arguments).0,
            Opens::Written => Vec::new(),
        };
        for name in names(program) {
            forms.add(&[&assignments, &[name], &arguments]);
            forms.add(&[&[name], &arguments]);
            for tail in tails.iter().filter_map(|start| arguments.get(*start..)) {
                forms.add(&[&[name], tail]);
            }
        }
    }
    forms.0
}

/// More options stand before what may be the subcommand than [`deny_forms`] has forms for: what is denied can't be told.
#[must_use]
pub fn hides_subcommand(command: &Command) -> bool {
    let arguments = command
        .words
        .iter()
        .skip(1)
        .map(|word| encode(word, Globs::Written, Opens::Marked));
    let arguments: Vec<String> = arguments.collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    tails(&arguments).1
}

#[derive(Clone, Copy)]
enum Globs {
    Marked,
    Written,
}

#[derive(Clone, Copy)]
enum Opens {
    Marked,
    Written,
}

struct Forms(Vec<String>);

impl Forms {
    fn add(&mut self, runs: &[&[&str]]) {
        if self.0.len() < MAX_FORMS {
            let form = runs.concat().join(" ");
            if !self.0.contains(&form) {
                self.0.push(form);
            }
        }
    }
}

/// The program's written name, its base name, and its base name if `\` separates.
fn names(program: &str) -> Vec<&str> {
    let mut names = vec![program];
    for separators in [&['/'][..], &['/', '\\']] {
        let base = program.rsplit(separators).next().unwrap_or(program);
        if !base.is_empty() && !names.contains(&base) {
            names.push(base);
        }
    }
    names
}

/// Where a subcommand may start when the options before it, each with or without a value, are skipped;
/// and whether some such places were left out.
fn tails(arguments: &[&str]) -> (Vec<usize>, bool) {
    let mut starts = Vec::new();
    let (mut reached, mut is_value) = (true, false);
    for (at, word) in arguments.iter().enumerate() {
        let dashed = word.starts_with('-');
        if reached && at > 0 && !dashed {
            starts.push(at);
        }
        let option = reached && (dashed || word.starts_with(OPEN));
        reached = option || (is_value && !dashed);
        is_value = option;
        if !reached {
            break;
        }
    }
    let excess = starts.len().saturating_sub(MAX_TAILS);
    if excess > 0 {
        // Padding stands before or after the subcommand: keep both ends.
        starts.drain(MAX_TAILS / 2..MAX_TAILS / 2 + excess);
    }
    (starts, excess > 0)
}

fn is_assignment(word: &str) -> bool {
    let name = word.split_once('=').map_or("", |(name, _)| name);
    let name = name.strip_suffix('+').unwrap_or(name);
    let starts = name
        .bytes()
        .next()
        .is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_');
    starts && !name.contains('/')
}

fn is_harmless(assignment: &Assignment) -> bool {
    let name = assignment.name.as_str();
    let literal = assignment
        .value
        .pieces
        .iter()
        .all(|piece| matches!(piece, Piece::Literal(_)));
    let known = ["LANG", "TZ", "TERM", "NO_COLOR", "FORCE_COLOR", "COLUMNS"].contains(&name);
    literal && (known || name.starts_with("LC_"))
}

fn assigned(assignment: &Assignment, globs: Globs, opens: Opens) -> String {
    let mut text = String::new();
    assignment.name.chars().for_each(|character| push(&mut text, character));
    text.push('=');
    pieces(&mut text, &assignment.value, globs, opens);
    text
}

fn encode(word: &Word, globs: Globs, opens: Opens) -> String {
    let mut text = String::new();
    pieces(&mut text, word, globs, opens);
    if text.is_empty() {
        text.extend([ESCAPE, EMPTY]);
    }
    text
}

fn pieces(text: &mut String, word: &Word, globs: Globs, opens: Opens) {
    for piece in &word.pieces {
        match (piece, globs, opens) {
            (Piece::Glob(_), Globs::Marked, _) => text.push(GLOB),
            (Piece::Open(_), _, Opens::Marked) => text.push(OPEN),
            (Piece::Literal(written) | Piece::Glob(written) | Piece::Open(written), _, _) => {
                written.chars().for_each(|character| push(text, character));
            }
        }
    }
}

fn push(text: &mut String, character: char) {
    match character {
        ' ' => text.push('\u{1}'),
        '\t' => text.push('\u{2}'),
        '\n' => text.push('\u{3}'),
        '\r' => text.push('\u{4}'),
        '\u{1}'..='\u{7}' => {
            text.push(ESCAPE);
            text.extend(char::from_u32(u32::from(character) + 0x40));
        }
        _ => text.push(character),
    }
}

/// A character of a content, or `None` for a star.
type Mark = Option<char>;

/// Encodes the literal texts around the stars: words, without quotes if these are balanced.
fn segments(written: &[String]) -> Vec<String> {
    let mut marks: Vec<Mark> = Vec::new();
    for (at, segment) in written.iter().enumerate() {
        marks.extend((at > 0).then_some(None));
        marks.extend(segment.chars().map(Some));
    }
    unquoted(&marks, true)
        .or_else(|| unquoted(&marks, false))
        .unwrap_or_default()
}

struct Encoder {
    segments: Vec<String>,
    segment: String,
    /// A word has begun.
    inside: bool,
    /// It has something in it.
    filled: bool,
    /// Another word stands before.
    follows: bool,
    /// A line break stands between.
    broken: bool,
}

impl Encoder {
    fn start(&mut self) {
        if self.inside {
            return;
        }
        if self.follows {
            // Two lines are two commands, never one with the words of both.
            self.segment.push_str(if self.broken { " \u{3} " } else { " " });
        }
        (self.inside, self.filled, self.broken) = (true, false, false);
    }

    fn put(&mut self, mark: Mark) {
        self.start();
        self.filled = true;
        match mark {
            Some(character) => push(&mut self.segment, character),
            None => self.segments.push(std::mem::take(&mut self.segment)),
        }
    }

    fn end(&mut self, broken: bool) {
        if self.inside && !self.filled {
            self.segment.extend([ESCAPE, EMPTY]);
        }
        self.follows |= self.inside;
        self.inside = false;
        self.broken |= broken;
    }
}

/// `None` when a quote is not closed.
fn unquoted(marks: &[Mark], quotes: bool) -> Option<Vec<String>> {
    let mut encoder = Encoder {
        segments: Vec::new(),
        segment: String::new(),
        inside: false,
        filled: false,
        follows: false,
        broken: false,
    };
    let mut quote = None;
    let mut rest = marks.iter().copied().peekable();
    while let Some(mark) = rest.next() {
        match (mark, quote) {
            (Some(found @ ('\'' | '"')), None) if quotes => {
                encoder.start();
                quote = Some(found);
            }
            (Some(found), Some(open)) if found == open => quote = None,
            (Some('\\'), None | Some('"')) if quotes => match rest.peek().copied().flatten() {
                Some('\n') => {
                    rest.next();
                }
                Some(next) if quote.is_none() || "$`\"\\".contains(next) => {
                    rest.next();
                    encoder.put(Some(next));
                }
                Some(_) | None => encoder.put(mark),
            },
            (Some(' ' | '\t' | '\r'), None) => encoder.end(false),
            (Some('\n'), None) => encoder.end(true),
            (Some(_) | None, _) => encoder.put(mark),
        }
    }
    encoder.end(false);
    encoder.segments.push(encoder.segment);
    quote.is_none().then_some(encoder.segments)
}

#[cfg(test)]
mod tests;
