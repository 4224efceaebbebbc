//! Reads bytes, blanks, comments and reserved words.

use super::directories::Flow;
use super::here::Here;
use super::model::{Assignment, Command, Span};
use super::sink::{Doubt, Hidden, Read, Sink, Stop};

const KEYWORDS: [&str; 22] = [
    "!", "[[", "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for", "function", "if", "in", "select",
    "then", "time", "until", "while", "{", "}", "]]",
];

/// A byte that ends a word.
pub(super) fn is_meta(byte: u8) -> bool {
    matches!(
        byte,
        b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'<' | b'>' | b'(' | b')'
    )
}

/// A byte of a variable's name.
pub(super) fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Reads one text: the whole, or a payload, a here-document, what stands between back-ticks.
pub(super) struct Reader<'r> {
    /// INVARIANT: has no NUL, so that 0 stands for the end.
    pub text: &'r [u8],
    pub at: usize,
    pub sink: &'r mut Sink,
    /// Assignments that a wrapper around this text makes.
    pub inherited: &'r [Assignment],
    /// Where everything of this text stands, when it is not the whole.
    pub base: Option<Span>,
    /// Substitutions around the current place.
    pub substitutions: u32,
    /// Here-documents whose bodies follow the line.
    pub heres: Vec<Here>,
    pub flow: Flow,
    /// A doubt about a word of the current command.
    pub taint: Option<Doubt>,
    /// The last command ended with a reserved word or a bracket: another reserved word may follow.
    pub closed: bool,
}

impl Reader<'_> {
    pub fn stop<T>(&self, why: &'static str) -> Read<T> {
        Err(Stop {
            why,
            at: self.at,
            bound: false,
        })
    }

    /// The same, where reading it in another way must not be tried.
    pub fn halt<T>(&self, why: &'static str) -> Read<T> {
        Err(Stop {
            why,
            at: self.at,
            bound: true,
        })
    }

    /// The byte that many after the current one; 0 past the end.
    pub fn byte(&self, ahead: usize) -> u8 {
        self.text.get(self.at.saturating_add(ahead)).copied().unwrap_or(0)
    }

    pub fn ended(&self) -> bool {
        self.at >= self.text.len()
    }

    pub fn spend(&mut self) -> Read<()> {
        self.sink.spend(1, self.at)
    }

    /// Runs `read` one level deeper.
    pub fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        self.sink.enter(self.at)?;
        let result = read(self);
        self.sink.leave();
        result
    }

    /// The current byte, after joining lines.
    pub fn peek(&mut self) -> u8 {
        while self.byte(0) == b'\\' && self.byte(1) == b'\n' {
            self.at += 2;
        }
        self.byte(0)
    }

    /// The byte `count` after the current one, lines joined.
    pub fn look(&mut self, count: usize) -> u8 {
        self.peek();
        let mut ahead = 0;
        for _ in 0..count {
            ahead += 1;
            while self.byte(ahead) == b'\\' && self.byte(ahead + 1) == b'\n' {
                ahead += 2;
            }
        }
        self.byte(ahead)
    }

    /// Skips that many bytes, joining lines.
    pub fn skip(&mut self, count: usize) {
        for _ in 0..count {
            self.peek();
            self.step();
        }
    }

    /// Skips one byte as it stands.
    pub fn step(&mut self) {
        self.at = self.at.saturating_add(1).min(self.text.len());
    }

    /// Skips blanks and a comment.
    pub fn blanks(&mut self) -> Read<()> {
        loop {
            self.spend()?;
            match self.peek() {
                b' ' | b'\t' => self.step(),
                b'#' => {
                    while !self.ended() && self.byte(0) != b'\n' {
                        self.step();
                        self.spend()?;
                    }
                    return Ok(());
                }
                _ => return Ok(()),
            }
        }
    }

    /// Skips blanks, comments and newlines, with the here-documents after them.
    pub fn newlines(&mut self) -> Read<()> {
        loop {
            self.blanks()?;
            if self.peek() != b'\n' {
                return Ok(());
            }
            self.newline()?;
        }
    }

    /// Takes a newline and the here-documents that begin after it.
    pub fn newline(&mut self) -> Read<()> {
        self.step();
        self.here_documents()
    }

    /// Whether a word starts here.
    pub fn at_word(&mut self) -> bool {
        let byte = self.peek();
        !self.ended() && (!is_meta(byte) || (matches!(byte, b'<' | b'>') && self.look(1) == b'('))
    }

    /// Whether exactly this unquoted word stands here.
    pub fn at_plain(&mut self, word: &str) -> bool {
        self.peek();
        let mut ahead = 0;
        for expected in word.bytes() {
            while self.byte(ahead) == b'\\' && self.byte(ahead + 1) == b'\n' {
                ahead += 2;
            }
            if self.byte(ahead) != expected {
                return false;
            }
            ahead += 1;
        }
        while self.byte(ahead) == b'\\' && self.byte(ahead + 1) == b'\n' {
            ahead += 2;
        }
        let after = self.byte(ahead);
        // `<(` belongs to the word.
        let goes_on = matches!(after, b'<' | b'>') && self.byte(ahead + 1) == b'(';
        after == 0 || (is_meta(after) && !goes_on)
    }

    /// The reserved word that stands here; empty for none.
    pub fn keyword(&mut self) -> &'static str {
        let first = self.peek();
        let like = |word: &&&str| word.bytes().next() == Some(first);
        let word = KEYWORDS.iter().filter(like).find(|word| self.at_plain(word));
        word.copied().unwrap_or_default()
    }

    /// Takes this reserved word, newlines before it.
    pub fn expect(&mut self, word: &'static str) -> Read<()> {
        self.newlines()?;
        if !self.at_plain(word) {
            return self.stop("a compound command is not complete");
        }
        self.skip(word.len());
        Ok(())
    }

    /// From `start` to here, or where the text around stands.
    pub fn span(&self, start: usize) -> Span {
        self.base.unwrap_or(Span { start, end: self.at })
    }

    /// What is written from `start` to here.
    pub fn written(&self, start: usize) -> &[u8] {
        self.text.get(start..self.at).unwrap_or_default()
    }

    pub fn taint(&mut self, why: &str, hidden: Hidden) {
        self.taint = Doubt::worse(self.taint.take(), Some(Doubt::new(why, hidden)));
    }

    /// Puts a doubt about what is no simple command on an entry of its own.
    pub fn flush_taint(&mut self, start: usize) {
        if let Some(doubt) = self.taint.take() {
            let ticket = self.sink.ticket();
            let command = self.wordless(Vec::new(), self.span(start));
            self.sink.push(ticket, command, Some(doubt));
        }
    }

    /// A command that only assigns.
    pub fn wordless(&self, assignments: Vec<Assignment>, span: Span) -> Command {
        Command {
            words: Vec::new(),
            assignments,
            role: super::model::Role::Plain,
            unknown: None,
            directories: self.flow.here.list(),
            span,
        }
    }

    /// Reads another text at this place, in this shell: what it changes stays.
    pub fn inside<T>(&mut self, text: &[u8], base: Span, read: impl FnOnce(&mut Reader) -> Read<T>) -> Read<T> {
        self.inside_with(text, self.inherited, base, read)
    }

    /// The same, with these assignments around it.
    pub fn inside_with<T>(
        &mut self,
        text: &[u8],
        inherited: &[Assignment],
        base: Span,
        read: impl FnOnce(&mut Reader) -> Read<T>,
    ) -> Read<T> {
        let at = self.at;
        self.sink.enter(at)?;
        let mut reader = Reader {
            text,
            at: 0,
            sink: &mut *self.sink,
            inherited,
            base: Some(self.base.unwrap_or(base)),
            substitutions: self.substitutions,
            heres: Vec::new(),
            flow: self.flow.clone(),
            taint: self.taint.take(),
            closed: false,
        };
        let result = read(&mut reader);
        let flow = reader.flow;
        let taint = reader.taint;
        self.sink.leave();
        self.flow = flow;
        self.taint = taint;
        result.map_err(|stop| Stop { at, ..stop })
    }
}
