//! Here-documents.

use super::cursor::Reader;
use super::directories::Place;
use super::sink::Read;
use super::token::Builder;

/// A here-document whose body is still to come.
#[derive(Debug, Clone)]
pub(super) struct Here {
    delimiter: String,
    quoted: bool,
    tabs: bool,
    place: Place,
}

impl Reader<'_> {
    /// After `<<` or `<<-`: the delimiter.
    pub fn here_delimiter(&mut self, tabs: bool) -> Read<()> {
        if !self.at_word() || self.peek() == b'#' {
            return self.stop("a here-document has no delimiter");
        }
        let mark = self.sink.mark();
        let token = self.target()?;
        // `$` has no meaning in a delimiter: what stands there is not worth telling apart.
        let Some(delimiter) = token.text().map(str::to_owned) else {
            self.sink.roll_back(mark);
            return self.stop("an expansion stands in a here-document's delimiter");
        };
        if delimiter.contains('\n') {
            return self.stop("a here-document's delimiter has a newline");
        }
        self.heres.push(Here {
            delimiter,
            quoted: token.word.quoted,
            tabs,
            place: self.flow.here.clone(),
        });
        Ok(())
    }

    /// The bodies of all pending here-documents.
    pub fn here_documents(&mut self) -> Read<()> {
        for here in std::mem::take(&mut self.heres) {
            self.here_document(&here)?;
        }
        Ok(())
    }

    fn here_document(&mut self, here: &Here) -> Read<()> {
        let start = self.at;
        let mut body = Vec::new();
        loop {
            if self.ended() {
                if self.substitutions > 0 || self.base.is_some() {
                    return self.stop("a here-document is not ended");
                }
                break;
            }
            let line = self.here_line(here)?;
            let bare = line.strip_suffix(b"\n").unwrap_or(&line);
            if bare == here.delimiter.as_bytes() {
                break;
            }
            let after = bare.strip_prefix(here.delimiter.as_bytes());
            if self.substitutions > 0 && after.is_some_and(|rest| rest.first() == Some(&b')')) {
                return self.stop("a here-document is ended by a bracket");
            }
            body.extend_from_slice(&line);
        }
        self.sink.code |= body.iter().any(|byte| matches!(byte, b'$' | b'`'));
        if here.quoted {
            return Ok(());
        }
        let flow = self.flow.clone();
        self.flow.stay(here.place.clone());
        let span = self.span(start);
        let taint = self.taint.take();
        self.inside(&body, span, |reader| {
            reader.quoted_text(None, &mut Builder::default())?;
            reader.flush_taint(0);
            Ok(())
        })?;
        self.taint = taint;
        self.flow = flow;
        Ok(())
    }

    /// One line with its newline; lines that end in a backslash are joined unless the delimiter was quoted.
    fn here_line(&mut self, here: &Here) -> Read<Vec<u8>> {
        let mut line = Vec::new();
        while !self.ended() {
            self.spend()?;
            let byte = self.byte(0);
            if byte == b'\\' && !here.quoted {
                let next = self.byte(1);
                self.step();
                self.step();
                if next != b'\n' {
                    line.push(byte);
                    line.extend((next != 0).then_some(next));
                }
                continue;
            }
            self.step();
            line.push(byte);
            if byte == b'\n' {
                break;
            }
        }
        // Tabs go after lines are joined.
        let tabs = line.iter().take_while(|byte| here.tabs && **byte == b'\t').count();
        line.drain(..tabs);
        Ok(line)
    }
}
