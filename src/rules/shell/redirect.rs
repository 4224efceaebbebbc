//! Redirects.

use super::cursor::{Reader, is_name_byte};
use super::directories::Place;
use super::model::Piece;
use super::sink::{Hidden, Read};
use super::token::Token;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Redirect {
    Read,
    Write,
    /// `<&`.
    Copy,
    /// `>&`: a descriptor, or a file.
    Join,
    Here,
    /// `<<-`.
    Tabs,
}

impl Reader<'_> {
    /// Takes one redirect, if one stands here; `place` is where its target starts.
    pub fn redirect(&mut self, place: &Place) -> Read<bool> {
        let start = self.at;
        if !self.descriptor()? {
            self.at = start;
            return Ok(false);
        }
        let named = self.at != start;
        let Some((kind, length)) = self.operator(named) else {
            self.at = start;
            return Ok(false);
        };
        self.skip(length);
        while matches!(self.peek(), b' ' | b'\t') {
            self.spend()?;
            self.step();
        }
        if matches!(kind, Redirect::Join | Redirect::Copy) && self.peek() == b'-' {
            self.skip(1);
            return Ok(true);
        }
        match kind {
            Redirect::Here => self.here_delimiter(false)?,
            Redirect::Tabs => self.here_delimiter(true)?,
            Redirect::Read | Redirect::Copy | Redirect::Write | Redirect::Join => {
                if !self.at_word() || self.peek() == b'#' {
                    return self.stop("a redirect has no target");
                }
                let from = self.at;
                let mut target = self.target()?;
                if kind == Redirect::Join {
                    self.expand_twice(&mut target, from);
                }
                let writes = match kind {
                    Redirect::Write => true,
                    Redirect::Join => !is_descriptor(&target),
                    Redirect::Read | Redirect::Copy | Redirect::Here | Redirect::Tabs => false,
                };
                if writes && !is_harmless(&target) {
                    let span = self.span(start);
                    self.sink.push_write(target.word, place.list(), span);
                }
            }
        }
        Ok(true)
    }

    /// bash expands the target of `>&` once more, whatever was quoted in it.
    fn expand_twice(&mut self, target: &mut Token, start: usize) {
        let plain = |text: &str| !text.contains(['$', '`', '~', '*', '?', '[', '{', '\\', '\'', '"']);
        if target.text().is_some_and(plain) {
            return;
        }
        self.taint("the target of `>&` is expanded twice", Hidden::IfCode);
        let written = String::from_utf8_lossy(self.written(start)).into_owned();
        target.word.pieces = vec![Piece::Open(written)];
    }

    /// The word after the operator, which must not belong to another redirect: `> 2>f`.
    pub fn target(&mut self) -> Read<Token> {
        let start = self.at;
        let token = self.word()?;
        if matches!(self.peek(), b'<' | b'>') {
            let end = std::mem::replace(&mut self.at, start);
            if self.descriptor()? && self.at == end {
                return self.stop("a redirect stands where a target is expected");
            }
            self.at = end;
        }
        Ok(token)
    }

    /// Digits or `{name}` before the operator; false when a brace begins something else.
    fn descriptor(&mut self) -> Read<bool> {
        if self.peek() == b'{' {
            let start = self.at;
            self.step();
            while is_name_byte(self.peek()) {
                self.spend()?;
                self.step();
            }
            if self.at == start + 1 || self.peek() != b'}' {
                return Ok(false);
            }
            self.step();
        } else {
            while self.peek().is_ascii_digit() {
                self.spend()?;
                self.step();
            }
        }
        Ok(true)
    }

    fn operator(&mut self, named: bool) -> Option<(Redirect, usize)> {
        let next = (self.peek(), self.look(1), self.look(2));
        Some(match next {
            (b'<' | b'>', b'(', _) if !named => return None,
            (b'<', b'<', b'<') => (Redirect::Read, 3),
            (b'<', b'<', b'-') => (Redirect::Tabs, 3),
            (b'<', b'<', _) => (Redirect::Here, 2),
            (b'<', b'&', _) => (Redirect::Copy, 2),
            (b'<' | b'>', b'>', _) | (b'>', b'|', _) => (Redirect::Write, 2),
            (b'<', _, _) => (Redirect::Read, 1),
            (b'>', b'&', _) => (Redirect::Join, 2),
            (b'>', _, _) => (Redirect::Write, 1),
            (b'&', b'>', b'>') if !named => (Redirect::Write, 3),
            (b'&', b'>', _) if !named => (Redirect::Write, 2),
            _ => return None,
        })
    }
}

/// `2`, `-` or `2-`: a descriptor.
fn is_descriptor(target: &Token) -> bool {
    target.text().is_some_and(|text| {
        let digits = text.strip_suffix('-').unwrap_or(text);
        !text.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    })
}

pub(super) fn is_harmless(target: &Token) -> bool {
    matches!(target.text(), Some("/dev/null" | "/dev/stdout" | "/dev/stderr"))
}
