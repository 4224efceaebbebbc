//! Lists, `&&` and `||`, pipelines.

use super::cursor::Reader;
use super::sink::Read;

impl Reader<'_> {
    /// Commands up to the end, a `)`, a `;;` or one of these reserved words, which is not taken; how many there were.
    pub fn list(&mut self, ends: &[&str]) -> Read<usize> {
        self.nested(|reader| reader.list_inside(ends))
    }

    /// A list that must not be empty.
    pub fn body(&mut self, ends: &[&str]) -> Read<()> {
        if self.list(ends)? == 0 {
            return self.stop("a list of commands is empty");
        }
        Ok(())
    }

    fn list_inside(&mut self, ends: &[&str]) -> Read<usize> {
        let mut count = 0;
        // Only another command makes it certain that both ends of the last one lead on.
        let mut ended = false;
        loop {
            self.newlines()?;
            if self.ended() || self.peek() == b')' || self.at_clause_end() || self.at_any(ends) {
                return Ok(count);
            }
            if std::mem::take(&mut ended) {
                self.flow.settle();
            }
            let before = self.flow.clone();
            self.and_or()?;
            count += 1;
            self.blanks()?;
            match self.peek() {
                b';' if self.at_clause_end() => return Ok(count),
                b';' => {
                    self.skip(1);
                    ended = true;
                }
                b'&' => {
                    self.skip(1);
                    let here = before.here.clone();
                    self.flow = before;
                    self.flow.stay(here);
                }
                b'\n' => ended = true,
                b')' => return Ok(count),
                _ if self.ended() || (self.closed && self.at_any(ends)) => return Ok(count),
                _ => return self.stop("a command is followed by something unexpected"),
            }
        }
    }

    fn at_any(&mut self, words: &[&str]) -> bool {
        !words.is_empty() && words.contains(&self.keyword())
    }

    /// At `;;`, `;&` or `;;&`.
    pub fn at_clause_end(&mut self) -> bool {
        self.peek() == b';' && matches!(self.look(1), b';' | b'&')
    }

    fn and_or(&mut self) -> Read<()> {
        self.pipeline()?;
        loop {
            self.blanks()?;
            match (self.peek(), self.look(1)) {
                (b'&', b'&') => {
                    self.skip(2);
                    self.newlines()?;
                    let failed = self.flow.failed.clone();
                    self.pipeline()?;
                    self.flow.failed = failed.union(&self.flow.failed);
                }
                (b'|', b'|') => {
                    self.skip(2);
                    self.newlines()?;
                    let failed = self.flow.failed.clone();
                    let done = std::mem::replace(&mut self.flow.here, failed);
                    self.pipeline()?;
                    self.flow.here = done.union(&self.flow.here);
                }
                _ => return Ok(()),
            }
        }
    }

    fn pipeline(&mut self) -> Read<()> {
        let mut negated = false;
        let mut prefixed = false;
        loop {
            self.blanks()?;
            match self.keyword() {
                "!" => {
                    self.skip(1);
                    negated = !negated;
                }
                "time" => self.time_options()?,
                _ => break,
            }
            prefixed = true;
        }
        if prefixed && (self.ended() || matches!(self.peek(), b'\n' | b';')) && !self.at_clause_end() {
            let here = self.flow.here.clone();
            self.flow.stay(here);
            return Ok(());
        }
        self.members()?;
        if negated {
            std::mem::swap(&mut self.flow.here, &mut self.flow.failed);
        }
        Ok(())
    }

    fn time_options(&mut self) -> Read<()> {
        self.skip(4);
        self.blanks()?;
        if self.at_plain("-p") {
            self.skip(2);
            self.blanks()?;
        }
        if self.at_plain("--") {
            self.skip(2);
        }
        self.blanks()?;
        if self.substitutions > 0 && (!self.keyword().is_empty() || self.at_definition()?) {
            return self.stop("in a substitution bash wants a simple command after `time`");
        }
        Ok(())
    }

    fn members(&mut self) -> Read<()> {
        let before = self.flow.clone();
        let mut piped = false;
        let mut firsts = Vec::new();
        loop {
            let mark = self.sink.mark();
            self.command()?;
            self.blanks()?;
            let goes_on = self.peek() == b'|' && self.look(1) != b'|';
            if goes_on || piped {
                firsts.extend(self.sink.first_since(mark));
                // Each member of a pipe is a shell of its own.
                self.flow = before.clone();
                self.flow.stay(before.here.clone());
            }
            if !goes_on {
                self.sink.push_pipeline(firsts);
                return Ok(());
            }
            piped = true;
            self.closed = false;
            self.skip(1);
            if self.peek() == b'&' {
                self.skip(1);
            }
            self.blanks()?;
            let same_line = self.peek() != b'\n';
            self.newlines()?;
            // After a newline `time` is a reserved word again.
            let keyword = self.keyword();
            if keyword == "!" || (keyword == "time" && !same_line) {
                return self.stop("`!` or `time` stands inside a pipe");
            }
        }
    }
}
