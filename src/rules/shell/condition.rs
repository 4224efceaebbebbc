//! `[[ … ]]`.

use super::cursor::Reader;
use super::sink::{Hidden, Read};
use super::token::Token;

const UNARY: &str = "abcdefghknoprstuvwxzGLNORS";
const NUMERIC: [&str; 6] = ["-eq", "-ne", "-lt", "-le", "-gt", "-ge"];
const BINARY: [&str; 7] = ["=", "==", "!=", "=~", "-nt", "-ot", "-ef"];

impl Reader<'_> {
    /// After `[[`: the expression and `]]`.
    pub fn condition(&mut self) -> Read<()> {
        self.alternatives()?;
        self.newlines()?;
        if !self.at_plain("]]") {
            return self.stop("`[[` is not closed");
        }
        self.skip(2);
        let here = self.flow.here.clone();
        self.flow.stay(here);
        Ok(())
    }

    fn alternatives(&mut self) -> Read<()> {
        self.nested(|reader| {
            loop {
                reader.test()?;
                reader.newlines()?;
                match (reader.peek(), reader.look(1)) {
                    (b'&', b'&') | (b'|', b'|') => reader.skip(2),
                    _ => return Ok(()),
                }
            }
        })
    }

    fn test(&mut self) -> Read<()> {
        self.newlines()?;
        while self.at_plain("!") {
            self.skip(1);
            self.newlines()?;
        }
        if self.peek() == b'(' && !self.ended() {
            self.skip(1);
            self.alternatives()?;
            self.newlines()?;
            if self.peek() != b')' {
                return self.stop("a bracket in `[[` is not closed");
            }
            self.skip(1);
            return Ok(());
        }
        let first = self.operand()?;
        let operator = first.text().filter(|_| !first.word.quoted).unwrap_or_default();
        if let Some(letter) = operator.strip_prefix('-')
            && letter.len() == 1
            && UNARY.contains(letter)
        {
            let names = matches!(letter, "v" | "R");
            let operand = self.operand()?;
            if names && operand.text().is_none_or(|text| text.contains('[')) {
                self.taint("`[[ -v` evaluates a subscript", Hidden::IfCode);
            }
            return Ok(());
        }
        self.second(&first)
    }

    /// Maybe a binary operator and its second operand.
    fn second(&mut self, first: &Token) -> Read<()> {
        self.blanks()?;
        if matches!(self.peek(), b'<' | b'>') && self.look(1) != b'(' {
            self.skip(1);
            self.operand()?;
            return Ok(());
        }
        if self.peek() == b'\n' {
            return self.stop("`[[` has a newline where an operator is expected");
        }
        if !self.at_operand() {
            return Ok(());
        }
        let operator = self.word()?;
        let text = operator
            .text()
            .filter(|_| !operator.word.quoted)
            .unwrap_or_default()
            .to_owned();
        if NUMERIC.contains(&text.as_str()) {
            let second = self.operand()?;
            if !(is_number(first) && is_number(&second)) {
                self.taint_arithmetic();
            }
            return Ok(());
        }
        if !BINARY.contains(&text.as_str()) {
            return self.stop("`[[` has an operator that is not known");
        }
        if text == "=~" {
            return self.expression();
        }
        self.operand()?;
        Ok(())
    }

    fn at_operand(&mut self) -> bool {
        self.at_word() && !self.at_plain("]]")
    }

    fn operand(&mut self) -> Read<Token> {
        self.blanks()?;
        if !self.at_operand() {
            return self.stop("`[[` has no operand");
        }
        self.word()
    }

    /// A regular expression: words with brackets and bars between them.
    fn expression(&mut self) -> Read<()> {
        self.blanks()?;
        let mut open = 0_u32;
        let start = self.at;
        loop {
            self.spend()?;
            match self.peek() {
                _ if self.ended() => break,
                b'(' => {
                    open += 1;
                    self.skip(1);
                }
                b')' if open > 0 => {
                    open -= 1;
                    self.skip(1);
                }
                b'|' if open > 0 || self.look(1) != b'|' => self.skip(1),
                b' ' | b'\t' if open > 0 => self.skip(1),
                _ if self.at_word() => {
                    self.word()?;
                }
                _ => break,
            }
        }
        if open > 0 || self.at == start {
            return self.stop("`=~` has no regular expression");
        }
        Ok(())
    }
}

fn is_number(token: &Token) -> bool {
    token.text().is_some_and(|text| {
        let digits = text.strip_prefix('-').unwrap_or(text);
        digits.bytes().all(|byte| byte.is_ascii_digit())
    })
}
