//! Simple commands and assignments.

use super::builtin;
use super::cursor::{Reader, is_meta, is_name_byte};
use super::model::{Assignment, Piece, Word};
use super::run::Job;
use super::sink::{Hidden, Read};
use super::token::Token;

/// Builtins whose operands may be array assignments.
const DECLARES: [&str; 8] = [
    "alias", "declare", "eval", "export", "let", "local", "readonly", "typeset",
];

/// An assignment as it was read.
struct Assigned {
    assignment: Assignment,
    /// `NAME=`, `NAME+=`, `NAME[…]=`.
    target: String,
    plain: bool,
    splits: bool,
}

impl Assigned {
    /// As an operand of `export` and its like.
    fn into_token(self) -> Token {
        let target = match self.plain {
            true => Piece::Literal(self.target),
            false => Piece::Open(self.target),
        };
        let mut pieces = vec![target];
        for piece in self.assignment.value.pieces {
            match (pieces.last_mut(), piece) {
                (Some(Piece::Literal(before)), Piece::Literal(text)) => before.push_str(&text),
                (_, piece) => pieces.push(piece),
            }
        }
        let quoted = self.assignment.value.quoted;
        Token {
            word: Word { pieces, quoted },
            splits: self.splits,
        }
    }
}

impl Reader<'_> {
    /// A simple command, or a function's definition.
    pub fn simple(&mut self) -> Read<()> {
        let start = self.at;
        let ticket = self.sink.ticket();
        let place = self.flow.here.clone();
        let mut words: Vec<Token> = Vec::new();
        let mut assignments = Vec::new();
        let mut redirected = false;
        let mut declares = false;
        loop {
            self.blanks()?;
            if self.redirect(&place)? {
                redirected = true;
                continue;
            }
            if !self.at_word() {
                break;
            }
            if (words.is_empty() || declares)
                && let Some(assigned) = self.assignment(declares)?
            {
                if declares {
                    words.push(assigned.into_token());
                } else {
                    assignments.push(assigned.assignment);
                }
                continue;
            }
            let token = self.word()?;
            if words.is_empty() {
                declares = token.text().is_some_and(|text| DECLARES.contains(&text));
            }
            words.push(token);
        }
        if self.peek() == b'(' && !self.ended() {
            return match words.as_slice() {
                [name] if assignments.is_empty() && !redirected => {
                    let name = name.clone();
                    self.function(&name)
                }
                _ => self.stop("a bracket stands after a word"),
            };
        }
        let here = self.flow.here.clone();
        self.flow.stay(here);
        if words.is_empty() && assignments.is_empty() {
            if !redirected {
                return self.stop("a command is expected");
            }
            self.flush_taint(start);
            return Ok(());
        }
        for assignment in &assignments {
            self.assigned(&assignment.name, Some(&assignment.value));
        }
        let doubt = self.taint.take();
        self.run(Job {
            ticket,
            words,
            assignments,
            span: self.span(start),
            doubt,
            redirected,
        })
    }

    fn function(&mut self, name: &Token) -> Read<()> {
        let Some(text) = name.text().filter(|_| !name.word.quoted) else {
            return self.stop("a function's name is quoted or an expansion");
        };
        self.skip(1);
        self.blanks()?;
        if self.peek() != b')' {
            return self.stop("a bracket stands after a word");
        }
        self.skip(1);
        self.function_body(text)
    }

    /// What setting a variable changes for the rest of the text.
    pub fn assigned(&mut self, name: &str, value: Option<&Word>) {
        match name {
            "HOME" => self.sink.home = true,
            "CDPATH" => self.sink.anywhere = true,
            "BASH_CMDS" | "BASH_ALIASES" => self.taint("a name stands for another program", Hidden::Yes),
            _ if builtin::is_integer(name) && !value.is_some_and(builtin::is_number) => self.taint_arithmetic(),
            "PS4" if value.is_none_or(|value| super::token::literal(value) != Some("")) => {
                self.taint("`PS4` is evaluated when commands are traced", Hidden::IfCode);
            }
            _ => {}
        }
    }

    /// `NAME=…`, `NAME+=…` or `NAME[…]=…`, if one stands here.
    fn assignment(&mut self, operand: bool) -> Read<Option<Assigned>> {
        let start = self.at;
        let mut name = String::new();
        while is_name_byte(self.peek()) && !(name.is_empty() && self.byte(0).is_ascii_digit()) {
            name.push(char::from(self.byte(0)));
            self.step();
            self.spend()?;
        }
        if name.is_empty() {
            self.at = start;
            return Ok(None);
        }
        let subscripted = self.peek() == b'[';
        // As an operand it is a word like others.
        if subscripted && operand {
            self.at = start;
            return Ok(None);
        }
        if subscripted && !self.subscript_before_equals()? {
            self.plain_subscript()?;
            self.at = start;
            return Ok(None);
        }
        let adds = self.peek() == b'+' && self.look(1) == b'=';
        if !adds && self.peek() != b'=' {
            self.at = start;
            return Ok(None);
        }
        self.skip(if adds { 2 } else { 1 });
        let target = String::from_utf8_lossy(self.written(start)).into_owned();
        let value = self.assigned_value()?;
        let splits = value.splits;
        let mut value = value.word;
        self.sink.arrays |= subscripted;
        if adds || subscripted {
            value.pieces = vec![Piece::Open(String::from_utf8_lossy(self.written(start)).into_owned())];
        }
        Ok(Some(Assigned {
            assignment: Assignment { name, value },
            target,
            plain: !subscripted,
            splits,
        }))
    }

    /// A `[` after a name where an assignment may stand takes everything up to the `]` into the word.
    pub fn plain_subscript(&mut self) -> Read<()> {
        let mut depth = 0_u32;
        loop {
            self.spend()?;
            match self.peek() {
                byte if self.ended() || is_meta(byte) => return self.stop("a subscript is not closed"),
                b'[' => depth += 1,
                b']' => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 {
                return Ok(());
            }
            self.step();
        }
    }

    /// A subscript that an `=` or `+=` follows; otherwise nothing is kept of it.
    pub fn subscript_before_equals(&mut self) -> Read<bool> {
        let start = self.at;
        let mark = self.sink.mark();
        let taint = self.taint.clone();
        self.step();
        let read = self.arithmetic(b']');
        if let Err(stop) = read
            && stop.bound
        {
            return Err(stop);
        }
        if matches!(read, Ok(true)) && (self.peek() == b'=' || (self.peek() == b'+' && self.look(1) == b'=')) {
            return Ok(true);
        }
        self.sink.roll_back(mark);
        self.taint = taint;
        self.at = start;
        Ok(false)
    }

    fn assigned_value(&mut self) -> Read<Token> {
        if self.peek() != b'(' || self.ended() {
            return if self.at_word() {
                self.word()
            } else {
                Ok(Token::default())
            };
        }
        let start = self.at;
        self.sink.arrays = true;
        self.skip(1);
        loop {
            self.newlines()?;
            if self.peek() == b')' {
                self.skip(1);
                break;
            }
            if self.peek() == b'[' && !self.subscript_before_equals()? {
                let start = self.at;
                self.plain_subscript()?;
                self.at = start;
            }
            if !self.at_word() {
                return self.stop("an array is not closed");
            }
            self.word()?;
        }
        if self.at_word() {
            return self.stop("something stands after an array");
        }
        let written = String::from_utf8_lossy(self.written(start)).into_owned();
        Ok(Token {
            word: Word {
                pieces: vec![Piece::Open(written)],
                quoted: false,
            },
            splits: false,
        })
    }
}
