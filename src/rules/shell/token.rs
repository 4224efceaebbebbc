//! A word while it is read.

use super::model::{Piece, Word};

/// A word, and whether it may become several or none.
#[derive(Debug, Clone, Default)]
pub(super) struct Token {
    pub word: Word,
    /// An unquoted expansion, a glob or a brace expansion: any number of words.
    pub splits: bool,
}

impl Token {
    pub fn literal(text: &str) -> Self {
        let word = Word {
            pieces: vec![Piece::Literal(text.to_owned())],
            quoted: false,
        };
        Self { word, splits: false }
    }

    /// The text, when nothing in it is open.
    pub fn text(&self) -> Option<&str> {
        literal(&self.word)
    }

    /// Some literal in it would run something if it were evaluated.
    pub fn has_code(&self) -> bool {
        self.word.pieces.iter().any(|piece| match piece {
            Piece::Literal(text) => text.contains(['$', '`']),
            Piece::Glob(_) | Piece::Open(_) => false,
        })
    }

    /// What is surely at the beginning.
    pub fn head(&self) -> &str {
        match self.word.pieces.first() {
            Some(Piece::Literal(text)) => text,
            Some(Piece::Glob(_) | Piece::Open(_)) | None => "",
        }
    }
}

/// A word's text, when nothing in it is open.
pub(super) fn literal(word: &Word) -> Option<&str> {
    match word.pieces.as_slice() {
        [] => Some(""),
        [Piece::Literal(text)] => Some(text),
        _ => None,
    }
}

/// The last part of a program's path.
pub(super) fn base_name(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

/// Whether it can be a variable's name.
pub(super) fn is_name(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && text.bytes().next().is_some_and(|first| !first.is_ascii_digit())
}

#[derive(Debug)]
struct Brace {
    pieces: usize,
    /// Bytes of the literal before it, when that is the last piece.
    literal: usize,
    from: usize,
    parts: bool,
}

/// Collects the pieces of one word.
#[derive(Debug, Default)]
pub(super) struct Builder {
    pieces: Vec<Piece>,
    text: Vec<u8>,
    braces: Vec<Brace>,
    brackets: Vec<usize>,
    assigns: bool,
    pub quoted: bool,
    pub splits: bool,
}

impl Builder {
    pub fn push(&mut self, byte: u8) {
        self.text.push(byte);
    }

    pub fn extend(&mut self, bytes: &[u8]) {
        self.text.extend_from_slice(bytes);
    }

    /// Nothing was read yet.
    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty() && self.text.is_empty() && !self.quoted
    }

    /// `=`: the first one may make it an assignment.
    pub fn equals(&mut self) {
        if self.pieces.is_empty() && !self.quoted && !self.text.contains(&b'=') {
            self.assigns = std::str::from_utf8(&self.text).is_ok_and(is_name);
        }
    }

    /// `NAME=…` so far, ending in `=` or `:`: a `~` may be expanded after it.
    pub fn takes_tilde(&self) -> bool {
        self.assigns && matches!(self.text.last(), Some(b'=' | b':'))
    }

    fn flush(&mut self) {
        if self.text.is_empty() {
            return;
        }
        match String::from_utf8(std::mem::take(&mut self.text)) {
            Ok(text) => match self.pieces.last_mut() {
                Some(Piece::Literal(before)) => before.push_str(&text),
                Some(Piece::Glob(_) | Piece::Open(_)) | None => self.pieces.push(Piece::Literal(text)),
            },
            // `$'\xff'`: no text of a rule is equal to it.
            Err(error) => {
                let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
                self.pieces.push(Piece::Open(text));
            }
        }
    }

    /// What becomes something else at run time.
    pub fn open(&mut self, raw: &[u8]) {
        self.flush();
        self.pieces.push(Piece::Open(String::from_utf8_lossy(raw).into_owned()));
    }

    /// `*` or `?`.
    pub fn glob(&mut self, byte: u8) {
        self.flush();
        self.splits = true;
        let character = char::from(byte);
        let last = self.pieces.len().saturating_sub(1);
        match self.pieces.last_mut() {
            Some(Piece::Glob(text)) if self.brackets.last() != Some(&last) => text.push(character),
            _ => self.pieces.push(Piece::Glob(character.into())),
        }
    }

    /// `[`: a glob if a `]` follows.
    pub fn bracket(&mut self) {
        self.flush();
        self.brackets.push(self.pieces.len());
        self.pieces.push(Piece::Glob("[".to_owned()));
    }

    /// `]`.
    pub fn close_bracket(&mut self) {
        self.splits |= !self.brackets.is_empty();
        self.brackets.clear();
        self.text.push(b']');
    }

    /// `{` at `from`.
    pub fn brace(&mut self, from: usize) {
        self.flush();
        let literal = match self.pieces.last() {
            Some(Piece::Literal(text)) => text.len(),
            Some(Piece::Glob(_) | Piece::Open(_)) | None => 0,
        };
        self.braces.push(Brace {
            pieces: self.pieces.len(),
            literal,
            from,
            parts: false,
        });
        self.text.push(b'{');
    }

    /// `,` or `..`: what separates the parts of a brace expansion.
    pub fn part(&mut self) {
        if let Some(brace) = self.braces.last_mut() {
            brace.parts = true;
        }
    }

    /// `}` at `at`.
    pub fn close_brace(&mut self, at: usize, source: &[u8]) {
        self.text.push(b'}');
        if let Some(brace) = self.braces.pop()
            && brace.parts
        {
            self.collapse(&brace, source.get(brace.from..at.saturating_add(1)));
        }
    }

    fn collapse(&mut self, brace: &Brace, raw: Option<&[u8]>) {
        self.text.clear();
        self.pieces.truncate(brace.pieces);
        if let Some(Piece::Literal(text)) = self.pieces.last_mut() {
            text.truncate(brace.literal);
        }
        while self.brackets.pop_if(|piece| *piece >= brace.pieces).is_some() {}
        self.splits = true;
        self.open(raw.unwrap_or_default());
    }

    /// The word, read up to `end` of `source`.
    pub fn finish(mut self, end: usize, source: &[u8]) -> Token {
        // A brace that is never closed is not expanded; one with parts is not worth that trust.
        if let Some(open) = self.braces.iter().position(|brace| brace.parts) {
            let brace = self.braces.swap_remove(open);
            self.collapse(&brace, source.get(brace.from..end));
        }
        self.flush();
        if !self.brackets.is_empty() {
            self.pieces = without_brackets(self.pieces, &self.brackets);
        }
        Token {
            word: Word {
                pieces: self.pieces,
                quoted: self.quoted,
            },
            splits: self.splits,
        }
    }
}

/// Makes the brackets that were never closed literal.
fn without_brackets(pieces: Vec<Piece>, brackets: &[usize]) -> Vec<Piece> {
    let mut open = brackets.iter().peekable();
    let mut whole: Vec<Piece> = Vec::with_capacity(pieces.len());
    for (index, piece) in pieces.into_iter().enumerate() {
        let piece = match piece {
            Piece::Glob(text) if open.next_if_eq(&&index).is_some() => Piece::Literal(text),
            other @ (Piece::Literal(_) | Piece::Glob(_) | Piece::Open(_)) => other,
        };
        match (whole.last_mut(), piece) {
            (Some(Piece::Literal(before)), Piece::Literal(text)) => before.push_str(&text),
            (_, piece) => whole.push(piece),
        }
    }
    whole
}
