//! A document's text: its bounds, its syntax, and where a byte stands.

use super::Layer;
use super::findings::Finding;
use super::syntax::{self, Value};
use crate::rules::model::Origin;

/// A document may have so many bytes.
const MAX_BYTES: usize = 1 << 20;
/// Objects and arrays may be nested so deep.
const MAX_DEPTH: usize = 64;
/// Bytes between two marks.
const STRIDE: usize = 256;

/// A line and a column; 0 where they mean nothing.
#[derive(Clone, Copy, Default)]
pub(super) struct Place {
    line: u32,
    column: u32,
}

impl Place {
    pub fn origin(self, document: &str, layer: u32) -> Origin {
        Origin {
            document: document.to_owned(),
            line: self.line,
            column: self.column,
            layer,
        }
    }
}

/// A document and where its lines are.
pub(super) struct Source<'a> {
    pub text: &'a str,
    name: &'a str,
    layer: u32,
    positions: bool,
    /// The position at every STRIDE bytes, so that finding one takes constant time on lines of any length.
    marks: Vec<Mark>,
}

#[derive(Clone, Copy)]
struct Mark {
    at: usize,
    line: u32,
    column: u32,
}

impl Mark {
    fn step(&mut self, character: char) {
        self.at += character.len_utf8();
        if character == '\n' {
            self.line += 1;
            self.column = 1;
        } else {
            self.column += 1;
        }
    }
}

const START: Mark = Mark {
    at: 0,
    line: 1,
    column: 1,
};

impl<'a> Source<'a> {
    pub fn new(index: u32, layer: &'a Layer) -> Self {
        let text = layer.text.strip_prefix('\u{feff}').unwrap_or(&layer.text);
        let (mut marks, mut mark) = (vec![START], START);
        if layer.positions && text.len() <= MAX_BYTES {
            for character in text.chars() {
                mark.step(character);
                if mark.at / STRIDE >= marks.len() {
                    marks.push(mark);
                }
            }
        }
        Self {
            text,
            name: &layer.name,
            layer: index,
            positions: layer.positions,
            marks,
        }
    }

    /// Where a byte of the text stands.
    pub fn place(&self, at: usize) -> Place {
        if !self.positions {
            return Place::default();
        }
        // INVARIANT: a mark is the first character at or after its stride, so it is not after a character of that stride.
        let mut mark = self
            .marks
            .get(at / STRIDE)
            .or(self.marks.last())
            .copied()
            .unwrap_or(START);
        for character in self.text.get(mark.at..).unwrap_or_default().chars() {
            if mark.at >= at {
                break;
            }
            mark.step(character);
        }
        Place {
            line: mark.line,
            column: mark.column,
        }
    }

    /// The same, with the document's name.
    pub fn origin(&self, at: usize) -> Origin {
        self.place(at).origin(self.name, self.layer)
    }

    /// The document's value.
    ///
    /// # Errors
    /// The first byte that is not JSON with comments, or where a bound is passed.
    pub fn parse(&self) -> Result<Value<'a>, (usize, Finding)> {
        if self.text.len() > MAX_BYTES {
            let message = format!(
                "the document has {} bytes, more than the limit of {MAX_BYTES}",
                self.text.len()
            );
            return Err((0, Finding::new("too-large", message)));
        }
        bounds(self.text)?;
        syntax::parse(self.text).map_err(|wrong| (wrong.at, malformed(wrong.why)))
    }
}

fn malformed(what: &str) -> Finding {
    Finding::new("syntax", format!("the document is not JSON with comments: {what}"))
}

/// Refuses nesting that is too deep before anything recurses, and characters that JSON has not and the parser takes.
fn bounds(text: &str) -> Result<(), (usize, Finding)> {
    let (mut depth, mut bytes) = (0, text.bytes().enumerate().peekable());
    let stray = |at| {
        Err((
            at,
            malformed("a character that must be escaped or left out stands here"),
        ))
    };
    while let Some((at, byte)) = bytes.next() {
        let next = bytes.peek().map(|(_, byte)| *byte);
        match byte {
            b'"' => {
                while let Some((at, byte)) = bytes.next() {
                    match byte {
                        b'"' => break,
                        b'\\' => drop(bytes.next()),
                        0..=31 => return stray(at),
                        _ => {}
                    }
                }
            }
            b'/' if next == Some(b'/') => while bytes.next_if(|(_, byte)| !matches!(byte, b'\n' | b'\r')).is_some() {},
            b'/' if next == Some(b'*') => {
                bytes.next();
                let mut star = false;
                for (_, byte) in bytes.by_ref() {
                    if star && byte == b'/' {
                        break;
                    }
                    star = byte == b'*';
                }
            }
            b'{' | b'[' => {
                depth += 1;
                if depth > MAX_DEPTH {
                    let message = format!("the document is nested over {MAX_DEPTH} levels");
                    return Err((at, Finding::new("too-deep", message)));
                }
            }
            b'}' | b']' => depth = depth.saturating_sub(1),
            b' ' | b'\t' | b'\n' | b'\r' | 33..=126 => {}
            _ => return stray(at),
        }
    }
    Ok(())
}
