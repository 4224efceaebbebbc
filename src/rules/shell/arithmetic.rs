//! Arithmetic: where it ends, and whether it evaluates anything but numbers.

use super::cursor::Reader;
use super::sink::Read;
use super::token::Builder;

/// Tells numbers and operators from all else. bash evaluates what a variable holds, so a name may run commands.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    inside: bool,
    pub other: bool,
}

impl Numbers {
    pub fn feed(&mut self, byte: u8) {
        self.inside = match byte {
            b'0'..=b'9' => true,
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'#' | b'@' if self.inside => true,
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => {
                self.other = true;
                true
            }
            _ => false,
        };
    }
}

/// Whether every bracket has its partner, quotes or not.
pub(super) fn is_balanced(text: &[u8], open: u8, close: u8) -> bool {
    let mut depth = 0_usize;
    for byte in text {
        if *byte == open {
            depth += 1;
        } else if *byte == close {
            let Some(less) = depth.checked_sub(1) else {
                return false;
            };
            depth = less;
        }
    }
    depth == 0
}

impl Reader<'_> {
    /// Reads arithmetic after `opening` bytes up to `))`; false and nothing done when it is none, but a subshell.
    pub fn try_arithmetic(&mut self, opening: usize) -> Read<bool> {
        let at = self.at;
        let mark = self.sink.mark();
        let taint = self.taint.clone();
        self.skip(opening);
        match self.arithmetic_parts(b')') {
            Ok(Some(_)) => return Ok(true),
            Err(stop) if stop.bound => return Err(stop),
            Ok(None) | Err(_) => {}
        }
        self.sink.roll_back(mark);
        self.taint = taint;
        self.at = at;
        Ok(false)
    }

    /// Reads arithmetic up to `close`; false when it does not end.
    pub fn arithmetic(&mut self, close: u8) -> Read<bool> {
        Ok(self.arithmetic_parts(close)?.is_some())
    }

    /// Reads arithmetic up to `]` or `))`: how many parts `;` makes of it, none when it does not end so.
    pub fn arithmetic_parts(&mut self, close: u8) -> Read<Option<u32>> {
        self.nested(|reader| reader.arithmetic_inside(close))
    }

    fn arithmetic_inside(&mut self, close: u8) -> Read<Option<u32>> {
        let open = if close == b')' { b'(' } else { b'[' };
        let start = self.at;
        let mut depth = 0_u32;
        let mut parts = 1_u32;
        let mut numbers = Numbers::default();
        loop {
            self.spend()?;
            let byte = self.peek();
            if self.ended() {
                return Ok(None);
            }
            match byte {
                b'\'' => {
                    self.step();
                    self.skip_single()?;
                }
                b'"' => {
                    self.step();
                    self.skip_double()?;
                }
                b'\\' => self.skip_escaped(),
                b'$' => self.arithmetic_dollar()?,
                b'`' => self.backticks(&mut Builder::default(), true)?,
                b'<' | b'>' if close == b']' && self.look(1) == b'(' => {
                    return self.halt("a process substitution stands in a subscript");
                }
                _ if byte == close && depth == 0 => {
                    let whole = matches!(self.written(start), b"@" | b"*");
                    let ends = close == b']' || self.byte(1) == b')';
                    if !ends && self.look(1) == b')' {
                        return self.halt("a line ends between two closing brackets");
                    }
                    if ends {
                        self.skip(if close == b']' { 1 } else { 2 });
                        if numbers.other && !whole {
                            self.taint_arithmetic();
                        }
                    }
                    return Ok(ends.then_some(parts));
                }
                _ => {
                    if byte == open {
                        depth = depth.saturating_add(1);
                    } else if byte == close {
                        depth = depth.saturating_sub(1);
                    } else if byte == b';' {
                        parts = parts.saturating_add(1);
                    }
                    numbers.feed(byte);
                    self.step();
                    continue;
                }
            }
            numbers.other = true;
        }
    }

    /// bash counts brackets inside `${…}` and `$[…]` too when it looks for the end of arithmetic.
    fn arithmetic_dollar(&mut self) -> Read<()> {
        let start = self.at;
        let counted = matches!(self.look(1), b'{' | b'[');
        self.dollar(&mut Builder::default(), true)?;
        if counted && !is_balanced(self.written(start), b'(', b')') {
            return self.halt("an expansion in arithmetic has a bracket");
        }
        Ok(())
    }
}
