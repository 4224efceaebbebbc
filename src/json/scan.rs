use super::decimal;

/// What a number's text says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Scanned {
    /// A whole number that is not negative.
    Whole(u64),
    /// A negative whole number.
    Negative(i64),
    /// Any other.
    Real(f64),
}

/// What is wrong with a text, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Wrong {
    pub why: &'static str,
    pub at: usize,
}

impl Wrong {
    /// A number is too big for a double.
    pub fn is_range(self) -> bool {
        self.why == OUT_OF_RANGE
    }

    /// A string has no end.
    pub fn is_end(self) -> bool {
        self.why == NO_STRING_END
    }
}

pub(crate) const NO_VALUE: &str = "EOF while parsing a value";
const NO_STRING_END: &str = "EOF while parsing a string";
const BAD_NUMBER: &str = "invalid number";
const BAD_ESCAPE: &str = "invalid escape";
const LONE: &str = "lone leading surrogate in hex escape";
const OUT_OF_RANGE: &str = "number out of range";
const NO_PAIR: &str = "unexpected end of hex escape";

/// Reads the tokens of a JSON text. Positions are bytes, and those of faults are behind what can't stand there.
#[derive(Debug, Clone)]
pub(crate) struct Scanner<'a> {
    text: &'a str,
    pub at: usize,
}

impl<'a> Scanner<'a> {
    pub fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// The next byte, which stays.
    pub fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Takes the next byte.
    pub fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        Some(byte)
    }

    /// Takes the next byte if it is this one.
    pub fn takes(&mut self, byte: u8) -> bool {
        let takes = self.peek() == Some(byte);
        self.at += usize::from(takes);
        takes
    }

    /// The text from a byte to here.
    pub fn since(&self, start: usize) -> &'a str {
        self.text.get(start..self.at).unwrap_or_default()
    }

    /// The text from here.
    pub fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// The next byte that is no blank, which stays.
    pub fn token(&mut self) -> Option<u8> {
        while matches!(self.peek(), Some(b' ' | b'\n' | b'\t' | b'\r')) {
            self.at += 1;
        }
        self.peek()
    }

    /// What was taken last is wrong.
    #[cold]
    pub fn wrong<T>(&self, why: &'static str) -> Result<T, Wrong> {
        Err(Wrong { why, at: self.at })
    }

    /// What comes next is wrong, or that nothing comes, which `end` says.
    #[cold]
    pub fn unexpected<T>(&self, why: &'static str, end: &'static str) -> Result<T, Wrong> {
        match self.peek() {
            Some(_) => Err(Wrong { why, at: self.at + 1 }),
            None => self.wrong(end),
        }
    }

    /// Takes a word of which the first letter stands here.
    pub fn word(&mut self, word: &str) -> Result<(), Wrong> {
        for letter in word.bytes() {
            match self.next() {
                None => return self.wrong(NO_VALUE),
                Some(next) if next != letter => return self.wrong("expected ident"),
                Some(_) => {}
            }
        }
        Ok(())
    }

    /// Takes a string whose quote stands here.
    pub fn string(&mut self) -> Result<String, Wrong> {
        self.at += 1;
        let mut text = String::new();
        loop {
            let start = self.at;
            while !matches!(self.peek(), None | Some(b'"' | b'\\' | 0..=31)) {
                self.at += 1;
            }
            text.push_str(self.since(start));
            match self.next() {
                None => return self.wrong(NO_STRING_END),
                Some(b'"') => return Ok(text),
                Some(b'\\') => text.push(self.escape()?),
                Some(_) => return self.wrong("control character (\\u0000-\\u001F) found while parsing a string"),
            }
        }
    }

    /// Takes what follows a backslash.
    fn escape(&mut self) -> Result<char, Wrong> {
        Ok(match self.next() {
            None => return self.wrong(NO_STRING_END),
            Some(letter @ (b'"' | b'\\' | b'/')) => char::from(letter),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                let first = self.hex()?;
                let code = if (0xd800..0xdc00).contains(&first) {
                    for letter in *b"\\u" {
                        match self.next() {
                            None => return self.wrong(NO_STRING_END),
                            Some(next) if next != letter => return self.wrong(NO_PAIR),
                            Some(_) => {}
                        }
                    }
                    let second = self.hex()?;
                    if !(0xdc00..0xe000).contains(&second) {
                        return self.wrong(LONE);
                    }
                    0x1_0000 + ((first & 0x3ff) << 10) + (second & 0x3ff)
                } else {
                    first
                };
                match char::from_u32(code) {
                    Some(character) => character,
                    None => return self.wrong(LONE),
                }
            }
            Some(_) => return self.wrong(BAD_ESCAPE),
        })
    }

    fn hex(&mut self) -> Result<u32, Wrong> {
        let start = self.at;
        self.at = self.text.len().min(start + 4);
        if self.at < start + 4 {
            return self.wrong(NO_STRING_END);
        }
        let mut code = 0;
        for byte in self.text.as_bytes().get(start..self.at).unwrap_or_default() {
            match char::from(*byte).to_digit(16) {
                Some(digit) => code = code * 16 + digit,
                None => return self.wrong(BAD_ESCAPE),
            }
        }
        Ok(code)
    }

    /// Takes a number whose first character, a digit or `-`, stands here.
    pub fn number(&mut self) -> Result<Scanned, Wrong> {
        let negative = self.takes(b'-');
        let start = self.at;
        match self.next() {
            None => return self.wrong(NO_VALUE),
            Some(b'0') if self.is_digit() => return self.unexpected(BAD_NUMBER, BAD_NUMBER),
            Some(b'0'..=b'9') => self.digits(),
            Some(_) => return self.wrong(BAD_NUMBER),
        }
        let mut digits = self.since(start).to_owned();
        let mut exponent = 0_i64;
        let whole = !matches!(self.peek(), Some(b'.' | b'e' | b'E'));
        if self.takes(b'.') {
            let start = self.at;
            self.digits();
            if self.at == start {
                return self.unexpected(BAD_NUMBER, NO_VALUE);
            }
            let fraction = self.since(start);
            digits.push_str(fraction);
            exponent = -(fraction.len() as i64);
        }
        if self.takes(b'e') || self.takes(b'E') {
            exponent = exponent.saturating_add(self.exponent(&digits)?);
        }
        if whole && let Ok(whole) = digits.parse::<u64>() {
            if !negative {
                return Ok(Scanned::Whole(whole));
            }
            let below = 0_i64.checked_sub_unsigned(whole).filter(|below| *below < 0);
            if let Some(below) = below {
                return Ok(Scanned::Negative(below));
            }
        }
        let double = decimal::nearest(&digits, exponent);
        if double.is_infinite() {
            return self.wrong(OUT_OF_RANGE);
        }
        Ok(Scanned::Real(if negative { -double } else { double }))
    }

    fn is_digit(&self) -> bool {
        self.peek().is_some_and(|byte| byte.is_ascii_digit())
    }

    fn digits(&mut self) {
        while self.is_digit() {
            self.at += 1;
        }
    }

    /// Takes what follows an `e`.
    fn exponent(&mut self, digits: &str) -> Result<i64, Wrong> {
        let negative = self.takes(b'-');
        if !negative {
            self.takes(b'+');
        }
        if !self.is_digit() {
            return match self.next() {
                None => self.wrong(NO_VALUE),
                Some(_) => self.wrong(BAD_NUMBER),
            };
        }
        let mut exponent = 0_i32;
        while let Some(digit) = self.peek().filter(u8::is_ascii_digit) {
            self.at += 1;
            let longer = exponent.checked_mul(10);
            match longer.and_then(|exponent| exponent.checked_add(i32::from(digit & 15))) {
                Some(longer) => exponent = longer,
                None if negative || digits.bytes().all(|digit| digit == b'0') => {
                    self.digits();
                    return Ok(i64::MIN);
                }
                None => return self.wrong(OUT_OF_RANGE),
            }
        }
        let exponent = i64::from(exponent);
        Ok(if negative { -exponent } else { exponent })
    }
}
