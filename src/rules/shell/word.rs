//! Words, and text in double quotes.

use super::cursor::{Reader, is_meta};
use super::sink::Read;
use super::token::{Builder, Token};

impl Reader<'_> {
    /// The word that starts here.
    pub fn word(&mut self) -> Read<Token> {
        self.nested(Self::word_inside)
    }

    fn word_inside(&mut self) -> Read<Token> {
        let start = self.at;
        let mut word = Builder::default();
        // A leading `~` is expanded whatever is quoted after it.
        let mut home = false;
        loop {
            self.spend()?;
            let byte = self.peek();
            if self.ended() {
                break;
            }
            match byte {
                b'\'' => {
                    word.quoted = true;
                    self.step();
                    self.single_quoted(&mut word)?;
                }
                b'"' => {
                    word.quoted = true;
                    self.step();
                    self.quoted_text(Some(b'"'), &mut word)?;
                }
                b'\\' => {
                    word.quoted = true;
                    self.step();
                    if self.ended() {
                        return self.stop("it ends with a backslash");
                    }
                    word.push(self.byte(0));
                    self.step();
                }
                b'$' => self.dollar(&mut word, false)?,
                b'`' => self.backticks(&mut word, false)?,
                b'<' | b'>' if self.look(1) == b'(' => {
                    let start = self.at;
                    self.process_substitution()?;
                    word.open(self.written(start));
                }
                _ if is_meta(byte) => break,
                b'~' if word.is_empty() => home = self.tilde(&mut word)?,
                b'~' if word.takes_tilde() => {
                    self.tilde_inside(&mut word)?;
                }
                _ => {
                    self.unquoted(byte, &mut word);
                    self.step();
                }
            }
        }
        // `{name[…]}>file` sets an element: what follows would be the program.
        let written = self.written(start);
        if matches!(self.byte(0), b'<' | b'>')
            && written.starts_with(b"{")
            && written.ends_with(b"}")
            && written.contains(&b'[')
        {
            return self.stop("a redirect sets an array's element");
        }
        word.quoted &= !home;
        let token = word.finish(self.at, self.text);
        self.sink.code |= token.has_code();
        Ok(token)
    }

    fn unquoted(&mut self, byte: u8, word: &mut Builder) {
        match byte {
            b'*' | b'?' => return word.glob(byte),
            b'[' => return word.bracket(),
            b']' => return word.close_bracket(),
            b'{' => return word.brace(self.at),
            b'}' => return word.close_brace(self.at, self.text),
            b',' => word.part(),
            b'=' => word.equals(),
            b'.' if self.look(1) == b'.' => word.part(),
            _ => {}
        }
        word.push(byte);
    }

    /// A leading `~`: whether it is the home directory's, which stays literal.
    fn tilde(&mut self, word: &mut Builder) -> Read<bool> {
        let start = self.at;
        self.step();
        let after = self.peek();
        if self.ended() || after == b'/' || is_meta(after) {
            word.push(b'~');
            return Ok(true);
        }
        self.tilde_name(start, word)?;
        Ok(false)
    }

    /// `NAME=~…` and `…:~…` are expanded in some places.
    fn tilde_inside(&mut self, word: &mut Builder) -> Read<()> {
        let start = self.at;
        self.step();
        self.tilde_name(start, word)
    }

    fn tilde_name(&mut self, start: usize, word: &mut Builder) -> Read<()> {
        while self.byte(0).is_ascii_alphanumeric() || matches!(self.byte(0), b'+' | b'-' | b'_') {
            self.spend()?;
            self.step();
        }
        word.open(self.written(start));
        Ok(())
    }

    /// After `'`.
    pub fn single_quoted(&mut self, word: &mut Builder) -> Read<()> {
        loop {
            self.spend()?;
            if self.ended() {
                return self.stop("a single quote is not closed");
            }
            let byte = self.byte(0);
            self.step();
            if byte == b'\'' {
                return Ok(());
            }
            word.push(byte);
        }
    }

    /// After `'`, where the text itself is of no use but for what could be evaluated.
    pub fn skip_single(&mut self) -> Read<()> {
        let mut text = Builder::default();
        self.single_quoted(&mut text)?;
        self.sink.code |= text.finish(self.at, self.text).has_code();
        Ok(())
    }

    /// The same after `"`.
    pub fn skip_double(&mut self) -> Read<()> {
        let mut text = Builder::default();
        self.quoted_text(Some(b'"'), &mut text)?;
        self.sink.code |= text.finish(self.at, self.text).has_code();
        Ok(())
    }

    /// A backslash and the byte after it, likewise.
    pub fn skip_escaped(&mut self) {
        self.step();
        self.sink.code |= matches!(self.byte(0), b'$' | b'`');
        self.step();
    }

    /// Text in which only `$`, `` ` `` and backslashes mean something, up to `end` or the end of all.
    pub fn quoted_text(&mut self, end: Option<u8>, word: &mut Builder) -> Read<()> {
        self.nested(|reader| {
            loop {
                reader.spend()?;
                let byte = reader.peek();
                if reader.ended() {
                    return match end {
                        Some(_) => reader.stop("a double quote is not closed"),
                        None => Ok(()),
                    };
                }
                match byte {
                    _ if Some(byte) == end => {
                        reader.step();
                        return Ok(());
                    }
                    b'\\' => {
                        reader.step();
                        let next = reader.byte(0);
                        let escapes = matches!(next, b'$' | b'`' | b'\\') || (next == b'"' && end.is_some());
                        if !escapes {
                            word.push(b'\\');
                        } else {
                            word.push(next);
                            reader.step();
                        }
                    }
                    b'$' => reader.dollar(word, true)?,
                    b'`' => reader.backticks(word, end.is_some())?,
                    _ => {
                        word.push(byte);
                        reader.step();
                    }
                }
            }
        })
    }
}
