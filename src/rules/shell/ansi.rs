//! `$'…'`.

use super::cursor::Reader;
use super::sink::Read;
use super::token::Builder;

impl Reader<'_> {
    /// After `$'`; `start` is where the `$` stands.
    pub fn ansi_quoted(&mut self, word: &mut Builder, start: usize) -> Read<()> {
        let mut bytes = Vec::new();
        // Told by no table here: what it becomes is open.
        let mut open = false;
        loop {
            self.spend()?;
            if self.ended() {
                return self.stop("a single quote is not closed");
            }
            let byte = self.byte(0);
            self.step();
            match byte {
                b'\'' => break,
                b'\\' if self.ended() => return self.stop("a single quote is not closed"),
                b'\\' => open |= !self.escape(&mut bytes),
                _ => bytes.push(byte),
            }
        }
        if open {
            word.open(self.written(start));
            return Ok(());
        }
        // A NUL ends the string in bash.
        let text = bytes.split(|byte| *byte == 0).next();
        word.extend(text.unwrap_or_default());
        Ok(())
    }

    /// After a backslash; false when it is not told here what it becomes.
    fn escape(&mut self, bytes: &mut Vec<u8>) -> bool {
        let letter = self.byte(0);
        self.step();
        match letter {
            b'n' => bytes.push(b'\n'),
            b't' => bytes.push(b'\t'),
            b'r' => bytes.push(b'\r'),
            b'a' => bytes.push(7),
            b'b' => bytes.push(8),
            b'v' => bytes.push(11),
            b'f' => bytes.push(12),
            b'e' | b'E' => bytes.push(27),
            b'\\' | b'\'' | b'"' | b'?' => bytes.push(letter),
            b'0'..=b'7' => {
                self.at = self.at.saturating_sub(1);
                let (value, _) = self.digits(8, 3);
                bytes.extend(value.to_le_bytes().first());
            }
            b'x' | b'u' | b'U' => return self.hexadecimal(letter, bytes),
            b'c' => return false,
            _ => bytes.extend([b'\\', letter]),
        }
        true
    }

    /// `\xHH`, `\uHHHH` or `\UHHHHHHHH`.
    fn hexadecimal(&mut self, letter: u8, bytes: &mut Vec<u8>) -> bool {
        if letter == b'x' && self.byte(0) == b'{' {
            return false;
        }
        let most = match letter {
            b'x' => 2,
            b'u' => 4,
            _ => 8,
        };
        let (value, count) = self.digits(16, most);
        if count == 0 {
            bytes.extend([b'\\', letter]);
        } else if letter == b'x' {
            bytes.extend(value.to_le_bytes().first());
        } else {
            let Some(character) = char::from_u32(value) else {
                return false;
            };
            bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        }
        true
    }

    /// Up to `most` digits: their value, and how many there are.
    fn digits(&mut self, radix: u32, most: u32) -> (u32, u32) {
        let mut value = 0_u32;
        for count in 0..most {
            let Some(digit) = char::from(self.byte(0)).to_digit(radix) else {
                return (value, count);
            };
            value = value.wrapping_mul(radix).wrapping_add(digit);
            self.step();
        }
        (value, most)
    }
}
