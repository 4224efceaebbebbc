use serde_json::{Map, Number, Value};

use super::fault::Fault;
use super::scan::{NO_VALUE, Scanned, Scanner, Wrong};

/// Objects and arrays may be nested so deep.
pub(crate) const MAX_DEPTH: usize = 128;

/// Reads a text that is one JSON value, and refuses a key that appears twice and too deep a nesting.
///
/// # Errors
/// What is wrong, with the line and the column.
pub(crate) fn parse(text: &str) -> Result<Value, Fault> {
    let mut strict = Strict {
        scanner: Scanner::new(text),
        why: None,
    };
    let read = strict.value(0).and_then(|value| match strict.scanner.token() {
        None => Ok(value),
        Some(_) => strict.scanner.unexpected("trailing characters", NO_VALUE),
    });
    read.map_err(|wrong| {
        let before = text.as_bytes().get(..wrong.at).unwrap_or_default();
        let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
        let column = before.iter().rev().take_while(|byte| **byte != b'\n').count();
        let why = strict.why.unwrap_or_else(|| wrong.why.to_owned());
        Fault(format!("{why} at line {line} column {column}"))
    })
}

struct Strict<'a> {
    scanner: Scanner<'a>,
    /// What is wrong, where it takes more than a fixed sentence.
    why: Option<String>,
}

impl Strict<'_> {
    fn value(&mut self, depth: usize) -> Result<Value, Wrong> {
        let scanner = &mut self.scanner;
        Ok(match scanner.token() {
            Some(b'n') => scanner.word("null").map(|()| Value::Null)?,
            Some(b't') => scanner.word("true").map(|()| Value::Bool(true))?,
            Some(b'f') => scanner.word("false").map(|()| Value::Bool(false))?,
            Some(b'"') => Value::String(scanner.string()?),
            Some(b'-' | b'0'..=b'9') => match scanner.number()? {
                Scanned::Whole(number) => Value::Number(number.into()),
                Scanned::Negative(number) => Value::Number(number.into()),
                Scanned::Real(number) => Number::from_f64(number).map_or(Value::Null, Value::Number),
            },
            Some(b'[') => self.list(depth + 1)?,
            Some(b'{') => self.object(depth + 1)?,
            _ => return scanner.unexpected("expected value", NO_VALUE),
        })
    }

    fn list(&mut self, depth: usize) -> Result<Value, Wrong> {
        self.scanner.at += 1;
        if depth > MAX_DEPTH {
            return self.too_deep(b']');
        }
        let mut list = Vec::new();
        loop {
            match self.scanner.token() {
                Some(b']') => break,
                Some(b',') if !list.is_empty() => {
                    self.scanner.at += 1;
                    if self.scanner.token().is_none_or(|byte| byte == b']') {
                        return self.scanner.unexpected("trailing comma", NO_VALUE);
                    }
                }
                Some(_) if list.is_empty() => {}
                _ => {
                    return self
                        .scanner
                        .unexpected("expected `,` or `]`", "EOF while parsing a list");
                }
            }
            list.push(self.value(depth)?);
        }
        self.scanner.at += 1;
        Ok(Value::Array(list))
    }

    fn object(&mut self, depth: usize) -> Result<Value, Wrong> {
        self.scanner.at += 1;
        if depth > MAX_DEPTH {
            return self.too_deep(b'}');
        }
        let mut map = Map::new();
        loop {
            match self.scanner.token() {
                Some(b'}') => break,
                Some(b',') if !map.is_empty() => {
                    self.scanner.at += 1;
                    match self.scanner.token() {
                        Some(b'"') => {}
                        Some(b'}') => return self.scanner.unexpected("trailing comma", NO_VALUE),
                        _ => return self.scanner.unexpected("key must be a string", NO_VALUE),
                    }
                }
                Some(b'"') if map.is_empty() => {}
                Some(_) if map.is_empty() => return self.scanner.unexpected("key must be a string", NO_VALUE),
                _ => {
                    return self
                        .scanner
                        .unexpected("expected `,` or `}`", "EOF while parsing an object");
                }
            }
            let key = self.scanner.string()?;
            if self.scanner.token() != Some(b':') {
                return self.scanner.unexpected("expected `:`", "EOF while parsing an object");
            }
            self.scanner.at += 1;
            let value = self.value(depth)?;
            if map.contains_key(&key) {
                self.why = Some(format!("the key `{key}` appears twice"));
                return self.behind(b'}');
            }
            map.insert(key, value);
        }
        self.scanner.at += 1;
        Ok(Value::Object(map))
    }

    #[cold]
    fn too_deep(&mut self, close: u8) -> Result<Value, Wrong> {
        self.why = Some(format!("nested deeper than {MAX_DEPTH} levels"));
        self.behind(close)
    }

    /// A fault of a whole list or object, told where it ends if it ends here.
    fn behind(&mut self, close: u8) -> Result<Value, Wrong> {
        self.scanner.token();
        self.scanner.takes(close);
        if close == b']' && self.scanner.takes(b',') {
            self.scanner.token();
        }
        self.scanner.wrong("")
    }
}
