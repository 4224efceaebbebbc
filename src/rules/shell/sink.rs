//! What the readers of one text and of its payloads record together.

use super::model::{Analysis, Command, Directories, Piece, Span, Unknown, Unread, Word, Write};
use crate::sort;

/// Why reading stopped.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stop {
    pub why: &'static str,
    pub at: usize,
    /// A bound was met, or so: another way of reading must not be tried.
    pub bound: bool,
}

/// A result of reading.
pub(super) type Read<T> = Result<T, Stop>;

/// When an unknown is `hidden`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hidden {
    No,
    Yes,
    /// When some literal of the text would be code if it were evaluated.
    IfCode,
    /// As before, and none at all unless the text has arrays.
    IfArray,
}

impl Hidden {
    fn rank(self) -> u8 {
        match self {
            Self::IfArray => 0,
            Self::No => 1,
            Self::IfCode => 2,
            Self::Yes => 3,
        }
    }
}

/// A reason why it can't be told what runs.
#[derive(Debug, Clone)]
pub(super) struct Doubt {
    pub why: String,
    pub hidden: Hidden,
}

impl Doubt {
    pub fn new(why: impl Into<String>, hidden: Hidden) -> Self {
        let why = why.into();
        Self { why, hidden }
    }

    /// The one that says more.
    pub fn worse(first: Option<Self>, second: Option<Self>) -> Option<Self> {
        match (first, second) {
            (Some(first), Some(second)) if second.hidden.rank() > first.hidden.rank() => Some(second),
            (Some(first), _) => Some(first),
            (None, second) => second,
        }
    }
}

#[derive(Debug)]
struct Entry {
    ticket: u64,
    command: Command,
    hidden: Hidden,
}

/// Where to go back to when a reading was wrong.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mark {
    entries: usize,
    pipelines: usize,
    writes: usize,
    depth: u32,
}

/// The record, and what is left of the bounds.
#[derive(Debug)]
pub(super) struct Sink {
    entries: Vec<Entry>,
    pipelines: Vec<Vec<u64>>,
    writes: Vec<Write>,
    tickets: u64,
    used: u64,
    most: u64,
    depth: u32,
    deepest: u32,
    /// Some literal would run something if it were evaluated.
    pub code: bool,
    /// Some variable is an array.
    pub arrays: bool,
    /// `HOME` changes: a leading `~` is not the one the host knows.
    pub home: bool,
    /// What `cd` does can't be told.
    pub anywhere: bool,
    /// Functions are defined: even `exit` may be one.
    pub functions: bool,
}

impl Sink {
    pub fn new(most: u64, deepest: u32) -> Self {
        Self {
            entries: Vec::new(),
            pipelines: Vec::new(),
            writes: Vec::new(),
            tickets: 0,
            used: 0,
            most,
            depth: 0,
            deepest,
            code: false,
            arrays: false,
            home: false,
            anywhere: false,
            functions: false,
        }
    }

    /// Takes steps; an error when too few are left.
    pub fn spend(&mut self, steps: usize, at: usize) -> Read<()> {
        self.used = self.used.saturating_add(steps as u64);
        if self.used > self.most {
            self.used = self.most;
            let why = "it takes too many steps to read";
            return Err(Stop { why, at, bound: true });
        }
        Ok(())
    }

    pub fn exhausted(&self) -> bool {
        self.used >= self.most
    }

    pub fn enter(&mut self, at: usize) -> Read<()> {
        if self.depth >= self.deepest {
            let why = "it is nested too deep";
            return Err(Stop { why, at, bound: true });
        }
        self.depth += 1;
        Ok(())
    }

    pub fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    pub fn mark(&self) -> Mark {
        Mark {
            entries: self.entries.len(),
            pipelines: self.pipelines.len(),
            writes: self.writes.len(),
            depth: self.depth,
        }
    }

    pub fn roll_back(&mut self, mark: Mark) {
        self.entries.truncate(mark.entries);
        self.pipelines.truncate(mark.pipelines);
        self.writes.truncate(mark.writes);
        self.depth = mark.depth;
    }

    /// Forgets everything after a failed reading and allows `more` steps.
    pub fn restart(&mut self, more: u64) {
        self.entries.clear();
        self.pipelines.clear();
        self.writes.clear();
        self.depth = 0;
        self.most = self.used.saturating_add(more);
    }

    /// A place in the order of commands.
    pub fn ticket(&mut self) -> u64 {
        self.tickets += 1;
        self.tickets
    }

    pub fn push(&mut self, ticket: u64, mut command: Command, doubt: Option<Doubt>) {
        let hidden = doubt.as_ref().map_or(Hidden::No, |doubt| doubt.hidden);
        command.unknown = doubt.map(|doubt| Unknown {
            why: doubt.why,
            hidden: doubt.hidden == Hidden::Yes,
        });
        self.entries.push(Entry {
            ticket,
            command,
            hidden,
        });
    }

    pub fn push_write(&mut self, target: Word, directories: Directories, span: Span) {
        self.writes.push(Write {
            target,
            directories,
            span,
        });
    }

    /// Commands that were recorded after the mark.
    pub fn since(&self, mark: Mark) -> usize {
        self.entries.len().saturating_sub(mark.entries)
    }

    /// The first command in the text that was recorded after the mark.
    pub fn first_since(&self, mark: Mark) -> Option<u64> {
        let recorded = self.entries.iter().skip(mark.entries);
        recorded.map(|entry| entry.ticket).min()
    }

    pub fn push_pipeline(&mut self, tickets: Vec<u64>) {
        if tickets.len() > 1 {
            self.pipelines.push(tickets);
        }
    }

    /// What was recorded after the mark may run anywhere: a loop comes back with another directory.
    pub fn scatter(&mut self, mark: Mark) {
        for entry in self.entries.iter_mut().skip(mark.entries) {
            entry.command.directories = None;
        }
        for write in self.writes.iter_mut().skip(mark.writes) {
            write.directories = None;
        }
    }

    pub fn finish(mut self, unread: Option<Unread>) -> Analysis {
        sort::by(&mut self.entries, |a, b| a.ticket.cmp(&b.ticket));
        let index = |ticket: &u64| self.entries.binary_search_by_key(ticket, |entry| entry.ticket).ok();
        let pipelines = self
            .pipelines
            .iter()
            .map(|tickets| tickets.iter().filter_map(index).collect())
            .collect();
        let (code, arrays, home, anywhere) = (self.code, self.arrays, self.home, self.anywhere);
        let settle = |directories: &mut Directories| {
            let at_home = |list: &Vec<String>| list.iter().any(|directory| directory.starts_with('~'));
            if anywhere || (home && directories.as_ref().is_some_and(at_home)) {
                *directories = None;
            }
        };
        let mut commands = Vec::with_capacity(self.entries.len());
        for entry in self.entries {
            let mut command = entry.command;
            settle(&mut command.directories);
            match (entry.hidden, command.unknown.as_mut()) {
                (Hidden::IfArray, _) if !arrays => command.unknown = None,
                (Hidden::IfCode | Hidden::IfArray, Some(unknown)) => unknown.hidden = code,
                (Hidden::No | Hidden::Yes | Hidden::IfCode | Hidden::IfArray, _) => {}
            }
            if home {
                command.words.iter_mut().for_each(open_home);
                command
                    .assignments
                    .iter_mut()
                    .for_each(|assignment| open_home(&mut assignment.value));
            }
            commands.push(command);
        }
        for write in &mut self.writes {
            settle(&mut write.directories);
            if home {
                open_home(&mut write.target);
            }
        }
        Analysis {
            commands,
            pipelines,
            writes: self.writes,
            unread,
            steps: self.used,
        }
    }
}

/// A leading `~` becomes open: the text sets `HOME`.
fn open_home(word: &mut Word) {
    if word.quoted {
        return;
    }
    if let Some(Piece::Literal(text)) = word.pieces.first()
        && text.starts_with('~')
    {
        let text = text.clone();
        if let Some(first) = word.pieces.first_mut() {
            *first = Piece::Open(text);
        }
    }
}
