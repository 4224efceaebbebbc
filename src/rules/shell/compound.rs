//! Compound commands.

use super::cursor::Reader;
use super::directories::Place;
use super::model::{Assignment, Piece, Word};
use super::sink::{Hidden, Read};
use super::token::is_name;

const COMPOUND: [&str; 8] = ["{", "if", "while", "until", "for", "case", "select", "[["];

impl Reader<'_> {
    /// One command, simple or compound, with its redirects.
    pub fn command(&mut self) -> Read<()> {
        self.nested(Self::command_inside)
    }

    fn command_inside(&mut self) -> Read<()> {
        self.closed = false;
        self.blanks()?;
        self.spend()?;
        let start = self.at;
        let place = self.flow.here.clone();
        let mut closes = true;
        if self.peek() == b'(' && !self.ended() {
            closes = self.parenthesis()?;
        } else {
            match self.keyword() {
                "{" => {
                    self.skip(1);
                    self.body(&["}"])?;
                    self.expect("}")?;
                }
                "if" => self.if_command()?,
                "while" | "until" => self.while_command()?,
                "for" | "select" => self.for_command()?,
                "case" => self.case_command()?,
                "[[" => {
                    self.skip(2);
                    self.condition()?;
                    closes = false;
                }
                "coproc" => return self.coprocess(),
                "function" => return self.function_keyword(),
                "then" | "else" | "elif" | "fi" | "do" | "done" | "esac" | "in" | "}" | "]]" | "!" => {
                    return self.stop("a reserved word stands where a command is expected");
                }
                _ => return self.simple(),
            }
        }
        self.flush_taint(start);
        let mut redirected = false;
        loop {
            self.blanks()?;
            if !self.redirect(&place)? {
                break;
            }
            redirected = true;
        }
        self.flush_taint(start);
        self.closed = closes && !redirected;
        Ok(())
    }

    /// `(…)` or `((…))`; whether a reserved word may follow.
    fn parenthesis(&mut self) -> Read<bool> {
        let start = self.at;
        let doubled = self.look(1) == b'(';
        if doubled && self.try_arithmetic(2)? {
            let here = self.flow.here.clone();
            self.flow.stay(here);
            return Ok(false);
        }
        self.skip(1);
        let before = self.flow.clone();
        self.body(&[])?;
        if self.peek() != b')' {
            return self.stop("a bracket is not closed");
        }
        self.skip(1);
        if doubled {
            self.check_doubled(start)?;
        }
        self.flow = before;
        let here = self.flow.here.clone();
        self.flow.stay(here);
        Ok(true)
    }

    fn if_command(&mut self) -> Read<()> {
        let before = self.flow.here.clone();
        let moved = std::mem::take(&mut self.flow.moved);
        self.skip(2);
        loop {
            self.body(&["then"])?;
            let otherwise = self.flow.failed.clone();
            self.expect("then")?;
            self.body(&["elif", "else", "fi"])?;
            self.flow.stay(otherwise);
            self.newlines()?;
            match self.keyword() {
                "elif" => self.skip(4),
                "else" => {
                    self.skip(4);
                    self.body(&["fi"])?;
                    break;
                }
                _ => break,
            }
        }
        self.expect("fi")?;
        self.rejoin(before, moved);
        Ok(())
    }

    /// After branches: nothing moved, or anywhere.
    fn rejoin(&mut self, before: Place, moved: bool) {
        let place = if self.flow.moved { Place::anywhere() } else { before };
        self.flow.stay(place);
        self.flow.moved |= moved;
    }

    /// Reads what may run several times.
    fn repeated(&mut self, read: impl FnOnce(&mut Self) -> Read<()>) -> Read<()> {
        let before = self.flow.here.clone();
        let moved = std::mem::take(&mut self.flow.moved);
        let mark = self.sink.mark();
        read(self)?;
        if self.flow.moved {
            self.sink.scatter(mark);
        }
        self.rejoin(before, moved);
        Ok(())
    }

    fn while_command(&mut self) -> Read<()> {
        self.skip(5);
        self.repeated(|reader| {
            reader.body(&["do"])?;
            reader.expect("do")?;
            reader.body(&["done"])?;
            reader.expect("done")
        })
    }

    fn for_command(&mut self) -> Read<()> {
        let start = self.at;
        let counts = self.keyword() == "for";
        self.skip(if counts { 3 } else { 6 });
        self.blanks()?;
        if counts && self.peek() == b'(' && self.look(1) == b'(' {
            self.skip(2);
            if self.arithmetic_parts(b')')? != Some(3) {
                return self.stop("`for ((` needs three expressions");
            }
            self.flush_taint(start);
            self.blanks()?;
            if self.peek() == b';' {
                self.skip(1);
            }
        } else {
            self.loop_words(start)?;
        }
        self.repeated(|reader| {
            reader.newlines()?;
            if reader.keyword() == "{" {
                reader.skip(1);
                reader.body(&["}"])?;
                return reader.expect("}");
            }
            reader.expect("do")?;
            reader.body(&["done"])?;
            reader.expect("done")
        })
    }

    fn loop_words(&mut self, start: usize) -> Read<()> {
        if !self.at_word() {
            return self.stop("a loop has no variable");
        }
        let variable = self.word()?;
        let name = variable.text().unwrap_or_default().to_owned();
        if !is_name(&name) || variable.word.quoted {
            return self.stop("a loop's variable is no name");
        }
        self.blanks()?;
        if self.peek() == b';' {
            self.skip(1);
            self.loop_variable(name, start);
            return Ok(());
        }
        self.newlines()?;
        if self.keyword() == "in" {
            self.skip(2);
            loop {
                self.blanks()?;
                if !self.at_word() {
                    break;
                }
                self.word()?;
            }
            match self.peek() {
                b';' if !self.at_clause_end() => self.skip(1),
                b'\n' => {}
                _ => return self.stop("a loop's words are not ended"),
            }
        }
        self.loop_variable(name, start);
        self.flush_taint(start);
        Ok(())
    }

    /// A loop sets its variable; programs are configured by upper-case names.
    pub fn loop_variable(&mut self, name: String, start: usize) {
        self.assigned(&name, None);
        if name.bytes().any(|byte| byte.is_ascii_lowercase()) && !name.ends_with("_proxy") {
            return;
        }
        let value = Word {
            pieces: vec![Piece::Open(String::new())],
            quoted: false,
        };
        let ticket = self.sink.ticket();
        let command = self.wordless(vec![Assignment { name, value }], self.span(start));
        let doubt = self.taint.take();
        self.sink.push(ticket, command, doubt);
    }

    fn case_command(&mut self) -> Read<()> {
        let start = self.at;
        let before = self.flow.here.clone();
        let moved = std::mem::take(&mut self.flow.moved);
        self.skip(4);
        self.blanks()?;
        if !self.at_word() {
            return self.stop("`case` has no word");
        }
        self.word()?;
        self.expect("in")?;
        loop {
            self.newlines()?;
            if self.keyword() == "esac" {
                self.skip(4);
                break;
            }
            self.case_pattern()?;
            self.flush_taint(start);
            let place = if self.flow.moved {
                Place::anywhere()
            } else {
                before.clone()
            };
            self.flow.stay(place);
            self.list(&["esac"])?;
            self.newlines()?;
            if self.at_clause_end() {
                let doubled = self.look(1) == b';';
                self.skip(2);
                if doubled && self.peek() == b'&' {
                    self.skip(1);
                }
            } else if self.keyword() != "esac" {
                return self.stop("`case` is not complete");
            }
        }
        self.flush_taint(start);
        self.rejoin(before, moved);
        Ok(())
    }

    fn case_pattern(&mut self) -> Read<()> {
        if self.peek() == b'(' && !self.ended() {
            self.skip(1);
        }
        loop {
            self.blanks()?;
            if !self.at_word() {
                return self.stop("`case` has no pattern");
            }
            self.word()?;
            self.blanks()?;
            match self.peek() {
                b'|' => self.skip(1),
                b')' => {
                    self.skip(1);
                    return Ok(());
                }
                _ => return self.stop("a pattern of `case` is not closed"),
            }
        }
    }

    /// Whether a compound command starts here.
    pub fn at_compound(&mut self) -> bool {
        (self.peek() == b'(' && !self.ended()) || COMPOUND.contains(&self.keyword())
    }

    /// Marks that a test evaluates its operands.
    pub fn taint_arithmetic(&mut self) {
        self.taint("arithmetic evaluates what its variables hold", Hidden::IfCode);
    }
}
