//! `cd` and its like.

use super::cursor::Reader;
use super::directories::Place;
use super::run::Job;

impl Reader<'_> {
    /// What a command of this shell does to the directory.
    pub fn moves(&mut self, name: &str, job: &Job) {
        match name {
            "cd" | "pushd" => {
                let place = self.destination(name, job);
                self.flow.go(place);
            }
            "popd" => self.flow.go(Place::anywhere()),
            // With more words, or a redirect that fails, it does not leave.
            "exit" if job.words.len() < 3 && !job.redirected && !self.sink.functions => {
                self.flow.stay(Place::nowhere());
            }
            _ => {}
        }
    }

    fn destination(&self, name: &str, job: &Job) -> Place {
        let mut operands = job.words.iter().skip(1).peekable();
        while operands
            .next_if(|word| matches!(word.text(), Some("-L" | "-P" | "-e" | "-@" | "-LP" | "-PL" | "-Pe")))
            .is_some()
        {}
        let ended = operands.next_if(|word| word.text() == Some("--")).is_some();
        let Some(operand) = operands.next() else {
            return match name {
                "cd" => self.flow.here.join("~"),
                _ => Place::anywhere(),
            };
        };
        let Some(text) = operand.text().filter(|_| operands.next().is_none()) else {
            return Place::anywhere();
        };
        // `-`, `-2`, `+1`: the stack, or an option.
        if text == "-" || (!ended && text.starts_with(['-', '+'])) {
            return Place::anywhere();
        }
        if text.starts_with('~') && operand.word.quoted {
            return self.flow.here.join(&["./", text].concat());
        }
        self.flow.here.join(text)
    }
}
