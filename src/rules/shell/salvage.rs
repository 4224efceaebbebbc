//! Cuts commands out of text that is not understood, so that what forbids still sees them.

use super::cursor::Reader;
use super::directories::{Flow, Place};
use super::model::{Assignment, Command, Role, Span, Word};
use super::run::Job;
use super::token::{Builder, Token, is_name};

/// Words before which no program stands.
const LEADING: [&str; 14] = [
    "!", "do", "elif", "else", "for", "function", "if", "select", "then", "time", "until", "while", "{", "}",
];

/// What the cutter is inside of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Around {
    Double,
    Bracket,
    Backtick,
}

/// What the first pass over a text cut, by where it starts: the second one does not list it again.
#[derive(Debug, Default)]
struct Known {
    commands: Vec<(usize, Vec<Word>)>,
    targets: Vec<(usize, Word)>,
}

impl Known {
    fn has_command(&self, start: usize, words: &[Token]) -> bool {
        let found = self.commands.binary_search_by_key(&start, |(start, _)| *start);
        let known = found.ok().and_then(|index| self.commands.get(index));
        known.is_some_and(|(_, known)| {
            let words = words.iter().map(|token| &token.word.pieces);
            known.iter().map(|word| &word.pieces).eq(words)
        })
    }

    fn has_target(&self, start: usize, target: &Word) -> bool {
        let found = self.targets.binary_search_by_key(&start, |(start, _)| *start);
        let known = found.ok().and_then(|index| self.targets.get(index));
        known.is_some_and(|(_, known)| known.pieces == target.pieces)
    }
}

/// A piece between two operators.
#[derive(Debug, Default)]
struct Cut {
    words: Vec<Token>,
    word: Option<Builder>,
    /// The next word is a redirect's target.
    target: bool,
    start: usize,
}

impl Cut {
    /// The word that is being cut.
    fn open(&mut self) -> &mut Builder {
        self.word.get_or_insert_default()
    }
}

impl Reader<'_> {
    /// Lists what can be cut from the whole text.
    pub fn salvage(&mut self) {
        self.flow = Flow::at(Place::anywhere());
        let mut known = Known::default();
        let unsure = self.cut(true, &mut known);
        if unsure {
            // A quote that is never closed, or a here-document: what looks quoted may not be.
            self.cut(false, &mut known);
        }
    }

    /// One pass over the text; whether quotes can't be trusted in it.
    fn cut(&mut self, quotes: bool, known: &mut Known) -> bool {
        let mut cut = Cut::default();
        let mut around: Vec<Around> = Vec::new();
        let mut comment = false;
        // Steps count even when none are left: cutting is linear.
        let _ = self.sink.spend(self.text.len(), 0);
        let mut here = false;
        self.at = 0;
        while !self.ended() {
            let byte = self.byte(0);
            let double = around.last() == Some(&Around::Double);
            let start = self.at;
            self.step();
            comment &= byte != b'\n';
            let plain = comment || !quotes;
            match byte {
                b'\\' if plain || self.ended() => {}
                b'\\' if self.byte(0) == b'\n' => self.step(),
                b'\\' => {
                    let next = self.byte(0);
                    if double && !matches!(next, b'"' | b'\\' | b'$' | b'`') {
                        cut.open().push(b'\\');
                    }
                    cut.open().push(next);
                    cut.open().quoted = true;
                    self.step();
                }
                b'"' if plain => {}
                b'\'' if plain => {}
                b'"' => {
                    cut.open().quoted = true;
                    if double {
                        around.pop();
                    } else {
                        around.push(Around::Double);
                    }
                }
                b'\'' if !double => self.cut_single(&mut cut, &mut here),
                b'$' if self.byte(0) == b'(' => {
                    self.step();
                    self.end_cut(&mut cut, quotes, known);
                    around.push(Around::Bracket);
                }
                b'$' if self.byte(0) == b'\'' && !double && !plain => {
                    self.step();
                    cut.open().quoted = true;
                    if self.ansi_quoted(cut.open(), start).is_err() {
                        here = true;
                        self.at = start + 2;
                    }
                }
                b'$' if self.byte(0) == b'"' && !double => {}
                b'$' => self.cut_variable(&mut cut, start),
                b'`' => {
                    self.end_cut(&mut cut, quotes, known);
                    match around.iter().rposition(|around| *around == Around::Backtick) {
                        Some(open) => around.truncate(open),
                        None => around.push(Around::Backtick),
                    }
                }
                _ if double && !plain => cut.open().push(byte),
                b' ' | b'\t' => self.end_word(&mut cut, quotes, known),
                b'<' | b'>' => {
                    here |= byte == b'<' && self.byte(0) == b'<';
                    self.cut_redirect(&mut cut, byte, quotes, known);
                }
                b';' | b'&' | b'|' | b'\n' | b'(' => self.end_cut(&mut cut, quotes, known),
                b')' => {
                    self.end_cut(&mut cut, quotes, known);
                    if let Some(open) = around.iter().rposition(|around| *around == Around::Bracket) {
                        around.truncate(open);
                    }
                }
                b'#' if cut.word.is_none() => {
                    comment = true;
                    cut.open().push(byte);
                }
                b'*' | b'?' => cut.open().glob(byte),
                _ => cut.open().push(byte),
            }
        }
        self.end_cut(&mut cut, quotes, known);
        here || !around.is_empty()
    }

    /// After `'`.
    fn cut_single(&mut self, cut: &mut Cut, unsure: &mut bool) {
        cut.open().quoted = true;
        loop {
            if self.ended() {
                *unsure = true;
                return;
            }
            let byte = self.byte(0);
            self.step();
            if byte == b'\'' {
                return;
            }
            cut.open().push(byte);
        }
    }

    /// After `$`: a variable's name, or `${` without its end.
    fn cut_variable(&mut self, cut: &mut Cut, start: usize) {
        if self.byte(0) == b'{' {
            self.step();
        }
        while super::cursor::is_name_byte(self.byte(0)) {
            self.step();
        }
        cut.open().open(self.written(start));
    }

    fn cut_redirect(&mut self, cut: &mut Cut, byte: u8, first: bool, known: &mut Known) {
        // `2>` or `{name}>`: that word is no program.
        let descriptor = |word: &Token| {
            word.text().is_some_and(|text| {
                text.bytes().all(|byte| byte.is_ascii_digit()) || (text.starts_with('{') && text.ends_with('}'))
            })
        };
        let before = cut.words.len();
        self.end_word(cut, first, known);
        if cut.words.len() > before && cut.words.last().is_some_and(descriptor) {
            cut.words.pop();
        }
        while matches!(self.byte(0), b'<' | b'>' | b'&' | b'|') {
            self.step();
        }
        if self.byte(0) == b'(' {
            return;
        }
        cut.target = byte == b'>';
        while matches!(self.byte(0), b' ' | b'\t') {
            self.step();
        }
        // The word after `<` is no program: it must not hide the one after it.
        if byte == b'<' {
            cut.words.push(Token::literal("<"));
        }
    }

    fn end_word(&mut self, cut: &mut Cut, first: bool, known: &mut Known) {
        let Some(word) = cut.word.take() else {
            return;
        };
        let token = word.finish(self.at, self.text);
        if std::mem::take(&mut cut.target) {
            let start = self.at;
            if !super::redirect::is_harmless(&token) && (first || !known.has_target(start, &token.word)) {
                let span = self.span(cut.start);
                self.sink.push_write(token.word.clone(), None, span);
            }
            if first {
                known.targets.push((start, token.word));
            }
            return;
        }
        if cut
            .words
            .last()
            .is_some_and(|last| last.text() == Some("<") && !last.word.quoted)
        {
            cut.words.pop();
            return;
        }
        cut.words.push(token);
    }

    fn end_cut(&mut self, cut: &mut Cut, first: bool, known: &mut Known) {
        self.end_word(cut, first, known);
        let done = std::mem::take(cut);
        cut.start = self.at;
        let span = self.span(done.start);
        let mut words = done.words;
        let mut assignments = Vec::new();
        let mut skip = 0;
        for word in &words {
            let text = word.text().unwrap_or_default();
            if let Some((name, value)) = word.head().split_once('=')
                && is_name(name)
            {
                assignments.push(Assignment {
                    name: name.to_owned(),
                    value: Token::literal(value).word,
                });
            } else if word.word.quoted || !(LEADING.contains(&text) || text == "<") {
                break;
            }
            skip += 1;
        }
        words.drain(..skip);
        if !first && known.has_command(done.start, &words) {
            return;
        }
        if first {
            let words = words.iter().map(|token| token.word.clone()).collect();
            known.commands.push((done.start, words));
        }
        self.keep(words, assignments, span);
    }

    fn keep(&mut self, words: Vec<Token>, assignments: Vec<Assignment>, span: Span) {
        if words.is_empty() && assignments.is_empty() {
            return;
        }
        let plain: Vec<Word> = words.iter().map(|token| token.word.clone()).collect();
        let kept = assignments.clone();
        let mark = self.sink.mark();
        let ticket = self.sink.ticket();
        let job = Job {
            ticket,
            words,
            assignments,
            span,
            doubt: None,
            redirected: false,
        };
        if self.run(job).is_err() {
            // No steps are left to look behind a wrapper.
            self.sink.roll_back(mark);
            let command = Command {
                words: plain,
                assignments: kept,
                role: Role::Plain,
                unknown: None,
                directories: None,
                span,
            };
            self.sink.push(ticket, command, None);
        }
    }
}
