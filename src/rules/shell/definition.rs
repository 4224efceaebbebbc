//! Functions and coprocesses.

use super::cursor::{Reader, is_name_byte};
use super::directories::Place;
use super::sink::Read;
use super::token::is_name;

impl Reader<'_> {
    /// `coproc [NAME] command`.
    pub fn coprocess(&mut self) -> Read<()> {
        let start = self.at;
        self.skip(6);
        self.blanks()?;
        let before = self.flow.clone();
        if let Some(name) = self.coprocess_name()? {
            self.loop_variable(name, start);
        } else if self.substitutions > 0 && !self.at_compound() {
            return self.stop("bash runs another program for a simple `coproc` in a substitution");
        } else if !self.at_compound() {
            self.check_coprocess()?;
        }
        self.command()?;
        self.flow = before;
        let here = self.flow.here.clone();
        self.flow.stay(here);
        self.closed = false;
        Ok(())
    }

    /// A name, when a compound command follows it.
    fn coprocess_name(&mut self) -> Read<Option<String>> {
        let start = self.at;
        if self.at_compound() || !self.keyword().is_empty() {
            return Ok(None);
        }
        let mut name = String::new();
        while is_name_byte(self.peek()) {
            name.push(char::from(self.byte(0)));
            self.step();
            self.spend()?;
        }
        let after = self.peek();
        self.blanks()?;
        if is_name(&name) && matches!(after, b' ' | b'\t' | b'(') && self.at_compound() {
            return Ok(Some(name));
        }
        self.at = start;
        Ok(None)
    }

    /// bash reads the word after a simple `coproc`'s first one as if a command began there.
    fn check_coprocess(&mut self) -> Read<()> {
        let odd = !self.keyword().is_empty()
            || self.past_word(|reader| {
                let mut odd = !reader.keyword().is_empty();
                while is_name_byte(reader.peek()) {
                    reader.spend()?;
                    reader.step();
                }
                odd |= reader.peek() == b'[';
                Ok(odd)
            })?;
        if odd {
            return self.stop("`coproc` has a reserved word after its command");
        }
        Ok(())
    }

    /// Asks about what follows the word that stands here; nothing is taken.
    fn past_word(&mut self, ask: impl FnOnce(&mut Self) -> Read<bool>) -> Read<bool> {
        if !self.at_word() {
            return Ok(false);
        }
        let start = self.at;
        let mark = self.sink.mark();
        let taint = self.taint.clone();
        self.word()?;
        self.blanks()?;
        let answer = ask(self);
        self.sink.roll_back(mark);
        self.taint = taint;
        self.at = start;
        answer
    }

    /// Whether `NAME (` stands here.
    pub fn at_definition(&mut self) -> Read<bool> {
        self.past_word(|reader| Ok(reader.peek() == b'(' && !reader.ended()))
    }

    /// `function NAME command`.
    pub fn function_keyword(&mut self) -> Read<()> {
        self.skip(8);
        self.blanks()?;
        if !self.at_word() {
            return self.stop("a function has no name");
        }
        let name = self.word()?;
        let Some(name) = name.text().map(str::to_owned) else {
            return self.stop("a function's name is an expansion");
        };
        self.blanks()?;
        if self.peek() == b'(' && self.look(1) != b'(' {
            self.skip(1);
            self.blanks()?;
            if self.peek() != b')' {
                return self.stop("a function has something between its brackets");
            }
            self.skip(1);
        }
        self.function_body(&name)
    }

    /// The body runs when the function is called, from anywhere.
    pub fn function_body(&mut self, name: &str) -> Read<()> {
        self.newlines()?;
        if !self.at_compound() {
            return self.stop("a function has no body");
        }
        self.sink.functions = true;
        self.sink.anywhere |= matches!(name, "cd" | "pushd" | "popd" | "builtin" | "command");
        let before = self.flow.clone();
        self.flow.stay(Place::anywhere());
        self.flow.moved = false;
        self.command()?;
        self.sink.anywhere |= self.flow.moved;
        self.flow = before;
        let here = self.flow.here.clone();
        self.flow.stay(here);
        self.closed = false;
        Ok(())
    }
}
