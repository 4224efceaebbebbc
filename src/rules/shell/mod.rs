//! What a command line can run: a bounded analyser that fails closed.
//!
//! A reader walks through the text once, by the grammar of POSIX sh and bash, and records every simple command that can run.
//! Behind a wrapper (`env`, `sudo`, `sh -c`) it looks with the tables of options. Whatever it can't tell becomes an
//! [`Unknown`] of one command or an [`Unread`] of the whole text; neither is ever allowed.

mod ansi;
mod arithmetic;
mod builtin;
mod compound;
mod condition;
mod cursor;
mod definition;
mod directories;
mod expansion;
mod find;
mod here;
mod list;
mod model;
mod moves;
mod options;
mod plan;
mod redirect;
mod run;
mod salvage;
mod shells;
mod simple;
mod sink;
mod split_string;
mod table;
mod token;
mod word;

pub use model::{Analysis, Assignment, Command, Directories, Piece, Role, Span, Unknown, Unread, Word, Write};

use cursor::Reader;
use directories::{Flow, Place};
use sink::Sink;

/// Steps for a text of any length.
const BASE: u64 = 4096;

/// How much of a text is read, and how hard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The longest text, in bytes; of a longer one only so much is cut.
    pub bytes: usize,
    /// The deepest nesting, in parts of the grammar: about four for each `$(`.
    pub depth: u32,
    /// Steps per byte of the text, for reading and again for cutting.
    pub fuel: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            bytes: 65_536,
            depth: 80,
            fuel: 64,
        }
    }
}

impl Limits {
    /// The most steps that a text of so many bytes can take.
    #[must_use]
    pub fn most(&self, bytes: usize) -> u64 {
        self.half(bytes).saturating_mul(2)
    }

    fn half(&self, bytes: usize) -> u64 {
        let bytes = bytes.min(self.bytes) as u64;
        bytes.saturating_mul(self.fuel).saturating_add(BASE)
    }
}

/// Reads a command line; never fails, never panics, takes at most [`Limits::most`] steps.
#[must_use]
pub fn analyse(text: &str, limits: &Limits) -> Analysis {
    let most = limits.half(text.len());
    let mut sink = Sink::new(most, limits.depth);
    let bytes = text.as_bytes().get(..limits.bytes).unwrap_or(text.as_bytes());
    let unread = if bytes.len() < text.len() {
        Some(Unread {
            why: "it is too long".to_owned(),
            at: bytes.len(),
        })
    } else if let Some(at) = bytes.iter().position(|byte| *byte == 0) {
        let why = "it has a NUL".to_owned();
        Some(Unread { why, at })
    } else {
        reader(bytes, &mut sink).whole().err().map(|stop| Unread {
            why: stop.why.to_owned(),
            at: stop.at,
        })
    };
    if unread.is_some() {
        sink.restart(most);
        let lines: Vec<u8> = bytes
            .iter()
            .map(|byte| if *byte == 0 { b'\n' } else { *byte })
            .collect();
        reader(&lines, &mut sink).salvage();
    }
    sink.finish(unread)
}

fn reader<'r>(text: &'r [u8], sink: &'r mut Sink) -> Reader<'r> {
    Reader {
        text,
        at: 0,
        sink,
        inherited: &[],
        base: None,
        substitutions: 0,
        heres: Vec::new(),
        flow: Flow::at(Place::start()),
        taint: None,
        closed: false,
    }
}
