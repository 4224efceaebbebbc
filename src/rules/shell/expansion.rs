//! What starts with `$`, and back-ticks.

use super::arithmetic::{Numbers, is_balanced};
use super::builtin::SETS;
use super::cursor::{Reader, is_name_byte};
use super::model::Assignment;
use super::sink::{Hidden, Read};
use super::token::Builder;

impl Reader<'_> {
    /// At `$`; `quoted` inside double quotes and the like.
    pub fn dollar(&mut self, word: &mut Builder, quoted: bool) -> Read<()> {
        let start = self.at;
        let mut splits = !quoted;
        match self.look(1) {
            b'(' => self.dollar_bracket()?,
            b'{' => {
                self.skip(2);
                splits |= self.parameter(quoted)?;
            }
            b'[' => {
                self.skip(2);
                if !self.arithmetic(b']')? {
                    return self.stop("`$[` is not closed");
                }
            }
            b'\'' if !quoted => {
                self.skip(2);
                word.quoted = true;
                return self.ansi_quoted(word, start);
            }
            b'"' if !quoted => {
                self.skip(2);
                word.quoted = true;
                return self.quoted_text(Some(b'"'), word);
            }
            b'A'..=b'Z' | b'a'..=b'z' | b'_' => {
                self.skip(1);
                while is_name_byte(self.peek()) {
                    self.spend()?;
                    self.step();
                }
            }
            special @ (b'0'..=b'9' | b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!') => {
                self.skip(2);
                // Looking for the end of quotes bash takes the second `$` for the beginning of something.
                if special == b'$' && quoted && matches!(self.peek(), b'{' | b'(' | b'[' | b'\'' | b'"') {
                    return self.halt("a bracket or a quote stands after `$$`");
                }
                splits = match special {
                    b'@' => true,
                    b'#' | b'?' | b'$' | b'!' => false,
                    _ => splits,
                };
            }
            _ => {
                self.skip(1);
                word.push(b'$');
                return Ok(());
            }
        }
        word.splits |= splits;
        word.open(self.written(start));
        Ok(())
    }

    /// At `$(`: arithmetic, or commands.
    fn dollar_bracket(&mut self) -> Read<()> {
        let start = self.at;
        let doubled = self.look(2) == b'(';
        if doubled && self.try_arithmetic(3)? {
            return Ok(());
        }
        self.skip(2);
        self.substitution(b')')?;
        if doubled {
            self.check_doubled(start)?;
        }
        Ok(())
    }

    /// bash looks for the end of a `((` that is no arithmetic without its grammar.
    pub fn check_doubled(&self, start: usize) -> Read<()> {
        let written = self.written(start);
        let odd = |two: &[u8]| matches!(two, b"<<" | b";;" | [_, b'#' | b'\n']);
        if written.windows(2).any(odd) || written.windows(4).any(|four| four == b"case") {
            return self.halt("`((` is neither plain arithmetic nor a plain subshell");
        }
        Ok(())
    }

    /// After `$(`, `<(`, `>(` or `${ `: commands, in a shell of their own, up to the closing bracket.
    pub fn substitution(&mut self, close: u8) -> Read<()> {
        let flow = self.flow.clone();
        let heres = std::mem::take(&mut self.heres);
        let taint = self.taint.take();
        self.substitutions += 1;
        let start = self.flow.here.clone();
        self.flow.stay(start);
        let result = self.substituted(close);
        self.substitutions -= 1;
        self.flow = flow;
        self.taint = taint;
        self.heres = heres;
        result
    }

    /// At `<(` or `>(`.
    pub fn process_substitution(&mut self) -> Read<()> {
        let start = self.at;
        let doubled = self.look(2) == b'(';
        self.skip(2);
        self.substitution(b')')?;
        if doubled {
            self.check_doubled(start)?;
        }
        Ok(())
    }

    fn substituted(&mut self, close: u8) -> Read<()> {
        self.list(if close == b'}' { &["}"] } else { &[] })?;
        self.newlines()?;
        if !self.heres.is_empty() {
            return self.stop("a here-document is not ended inside a substitution");
        }
        if self.peek() != close || self.ended() {
            return self.stop("a substitution is not closed");
        }
        self.skip(1);
        Ok(())
    }

    /// At a back-tick: the text between two of them, without one level of backslashes, is commands.
    pub fn backticks(&mut self, word: &mut Builder, quoted: bool) -> Read<()> {
        let start = self.at;
        self.step();
        let mut text = Vec::new();
        loop {
            self.spend()?;
            if self.ended() {
                return self.stop("a back-tick is not closed");
            }
            let byte = self.byte(0);
            self.step();
            match byte {
                b'`' => break,
                b'\\' => {
                    let next = self.byte(0);
                    let escapes = matches!(next, b'`' | b'\\' | b'$') || (quoted && next == b'"');
                    if !escapes {
                        text.push(b'\\');
                    }
                    if next != 0 {
                        text.push(next);
                        self.step();
                    }
                }
                _ => text.push(byte),
            }
        }
        let span = self.span(start);
        let flow = self.flow.clone();
        let taint = self.taint.take();
        self.inside(&text, span, |reader| reader.whole())?;
        self.flow = flow;
        self.taint = taint;
        word.splits |= !quoted;
        word.open(self.written(start));
        Ok(())
    }

    /// Commands up to the end of the text.
    pub fn whole(&mut self) -> Read<()> {
        self.list(&[])?;
        if !self.ended() {
            return self.stop("something unexpected stands between commands");
        }
        self.here_documents()
    }

    /// After `${`: whether it gives several words even in quotes.
    fn parameter(&mut self, quoted: bool) -> Read<bool> {
        self.nested(|reader| reader.parameter_inside(quoted))
    }

    fn parameter_inside(&mut self, quoted: bool) -> Read<bool> {
        if matches!(self.peek(), b' ' | b'\t' | b'\n' | b'|') {
            self.function_substitution(quoted)?;
            return Ok(false);
        }
        let indirect = self.peek() == b'!' && self.look(1) != b'}';
        let marked = indirect || (self.peek() == b'#' && self.look(1) != b'}');
        if marked {
            self.skip(1);
        }
        let mut list = false;
        let from = self.at;
        if is_name_byte(self.peek()) {
            while is_name_byte(self.peek()) {
                self.spend()?;
                self.step();
            }
        } else if matches!(self.peek(), b'@' | b'*' | b'#' | b'?' | b'-' | b'!')
            || (self.peek() == b'$' && matches!(self.look(1), b'}' | b':' | b'-' | b'=' | b'+' | b'?'))
        {
            list = self.peek() == b'@';
            self.skip(1);
        } else if !marked {
            return self.halt("only zsh reads what stands after `${`");
        }
        let named = from..self.at;
        let keys = self.subscript(&mut list)?;
        if self.peek() == b'=' || (self.peek() == b':' && self.look(1) == b'=') {
            let name = String::from_utf8_lossy(self.text.get(named).unwrap_or_default());
            self.assigned(&name, None);
            if !Assignment::is_own(&name) {
                self.taint(SETS, Hidden::No);
            }
        }
        let names = matches!(self.peek(), b'@' | b'*') && self.look(1) == b'}';
        if indirect && !names && !(keys && self.peek() == b'}') {
            self.taint("`${!` evaluates what its variable holds", Hidden::IfCode);
        }
        list |= indirect && self.peek() == b'@';
        self.operation(quoted)?;
        Ok(list)
    }

    /// `${ …; }`: commands since bash 5.3, before that any text up to the brace. Both must end at one place.
    fn function_substitution(&mut self, quoted: bool) -> Read<()> {
        let start = self.at;
        let mark = self.sink.mark();
        let taint = self.taint.clone();
        self.operation(quoted)?;
        let end = self.at;
        self.sink.roll_back(mark);
        self.taint = taint;
        self.at = start;
        self.skip(1);
        self.substitution(b'}')?;
        if self.at != end {
            return self.halt("`${ ` ends elsewhere in older shells");
        }
        Ok(())
    }

    /// `[…]` in `${…}`: whether it stands for all elements.
    fn subscript(&mut self, list: &mut bool) -> Read<bool> {
        if self.peek() != b'[' {
            return Ok(false);
        }
        self.step();
        let start = self.at;
        if !self.arithmetic(b']')? {
            return self.stop("a subscript is not closed");
        }
        let written = self.written(start);
        let opened = written.windows(2).filter(|two| two == b"${").count();
        let braces = written.iter().filter(|byte| **byte == b'{').count();
        if opened != braces || !is_balanced(written, b'{', b'}') {
            return self.halt("a brace stands in a subscript");
        }
        let all = matches!(self.written(start), b"@]" | b"*]");
        *list |= self.written(start) == b"@]";
        Ok(all)
    }

    /// The rest of `${…}`.
    fn operation(&mut self, quoted: bool) -> Read<()> {
        let operator = self.peek();
        let after = self.look(1);
        if operator == b'@' && after == b'P' {
            self.taint("`@P` evaluates what its variable holds", Hidden::IfCode);
        }
        let offset = operator == b':' && !matches!(after, b'-' | b'=' | b'+' | b'?');
        let mut numbers = Numbers::default();
        let single = !quoted || matches!(operator, b'#' | b'%' | b'/' | b'^' | b',');
        // In double quotes they are ordinary, but bash looks for the end as if they were none: both must agree.
        let mut inside = false;
        loop {
            self.spend()?;
            let byte = self.peek();
            if self.ended() {
                return self.stop("`${` is not closed");
            }
            let from = self.at;
            match byte {
                b'}' if inside => return self.halt("a single quote stands in `${` in double quotes"),
                b'}' => {
                    self.step();
                    break;
                }
                b'\\' => self.skip_escaped(),
                b'\'' if single => {
                    self.step();
                    self.skip_single()?;
                }
                b'"' => {
                    self.step();
                    self.skip_double()?;
                }
                b'$' => self.dollar(&mut Builder::default(), quoted)?,
                b'`' => self.backticks(&mut Builder::default(), quoted)?,
                b'<' | b'>' if self.look(1) == b'(' => self.process_substitution()?,
                _ => {
                    inside ^= byte == b'\'';
                    numbers.feed(byte);
                    self.step();
                    continue;
                }
            }
            if inside && self.written(from).contains(&b'\'') {
                return self.halt("a single quote stands in `${` in double quotes");
            }
            numbers.other = true;
        }
        if offset && numbers.other {
            self.taint_arithmetic();
        }
        Ok(())
    }
}
