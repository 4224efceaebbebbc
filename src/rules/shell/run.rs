//! What a simple command's words run: the command itself and everything behind a wrapper.

use super::builtin;
use super::cursor::Reader;
use super::directories::{Flow, Place};
use super::model::{Assignment, Command, Role, Span};
use super::plan::{self, Inner, Next, Plan};
use super::sink::{Doubt, Hidden, Read};
use super::token::Token;

/// A simple command whose words are read.
pub(super) struct Job {
    pub ticket: u64,
    pub words: Vec<Token>,
    pub assignments: Vec<Assignment>,
    pub span: Span,
    pub doubt: Option<Doubt>,
    /// Has redirects, which may fail before it runs.
    pub redirected: bool,
}

/// What copying them costs, in steps.
fn weight(words: &[Token], assignments: &[Assignment]) -> usize {
    let words = words.iter().map(|token| &token.word);
    let values = assignments.iter().map(|assignment| &assignment.value);
    let length = |piece: &super::model::Piece| match piece {
        super::model::Piece::Literal(text) | super::model::Piece::Glob(text) | super::model::Piece::Open(text) => {
            text.len()
        }
    };
    words
        .chain(values)
        .map(|word| 1 + word.pieces.iter().map(length).sum::<usize>() / 8)
        .sum()
}

impl Reader<'_> {
    /// Lists a command of this shell, what it runs, and what it does to the directory.
    pub fn run(&mut self, job: Job) -> Read<()> {
        self.nested(|reader| reader.run_inside(job, true))
    }

    fn run_inside(&mut self, job: Job, here: bool) -> Read<()> {
        let cost = weight(&job.words, &job.assignments).saturating_add(weight(&[], self.inherited));
        self.sink.spend(cost, self.at)?;
        let Some(program) = job.words.first() else {
            let command = self.wordless(job.assignments, job.span);
            self.sink.push(job.ticket, command, job.doubt);
            return Ok(());
        };
        let place = self.flow.here.clone();
        let mut plan = match program.text() {
            Some(name) => self.plan(name, &job, here),
            None => plan::open_program(&job.words),
        };
        plan.doubt = Doubt::worse(job.doubt.clone(), plan.doubt);
        let mark = self.sink.mark();
        let mut known = true;
        for inner in std::mem::take(&mut plan.inner) {
            if let Some(doubt) = self.inner(inner, &job)? {
                plan.doubt = Doubt::worse(plan.doubt, Some(doubt));
                known = false;
            }
        }
        let role = match plan.role {
            Role::Through if plan.doubt.is_some() => Role::Plain,
            role if known && self.sink.since(mark) > 0 => role,
            Role::Plain | Role::Through | Role::Both => Role::Plain,
        };
        let mut assignments = self.inherited.to_vec();
        assignments.extend(job.assignments);
        let command = Command {
            words: job.words.into_iter().map(|token| token.word).collect(),
            assignments,
            role,
            unknown: None,
            directories: place.list(),
            span: job.span,
        };
        self.sink.push(job.ticket, command, plan.doubt);
        Ok(())
    }

    fn plan(&mut self, name: &str, job: &Job, here: bool) -> Plan {
        if here {
            self.moves(name, job);
        }
        let base = super::token::base_name(name);
        let base = base.strip_suffix(".exe").unwrap_or(base);
        let mut plan = plan::plan(base, &job.words, &self.flow.here, here);
        let effects = builtin::effects(base, &job.words);
        plan.doubt = Doubt::worse(plan.doubt, effects.doubt);
        self.sink.home |= effects.home;
        self.sink.arrays |= effects.arrays;
        self.sink.anywhere |= effects.anywhere;
        plan.inner
            .extend(effects.code.into_iter().map(|code| Inner::text(code).elsewhere()));
        plan
    }

    /// One thing that a wrapper runs; a doubt that falls on the wrapper.
    fn inner(&mut self, inner: Inner, job: &Job) -> Read<Option<Doubt>> {
        let flow = self.flow.clone();
        if let Some(place) = inner.place {
            self.flow.stay(place);
        }
        let mut assignments = job.assignments.clone();
        assignments.extend(inner.assignments);
        let trapped = inner.trapped;
        self.flow.moved &= !trapped;
        let here = inner.here;
        let doubt = match inner.next {
            Next::Words(words) => {
                let ticket = self.sink.ticket();
                let job = Job {
                    ticket,
                    words,
                    assignments,
                    span: job.span,
                    doubt: inner.doubt,
                    redirected: job.redirected,
                };
                self.nested(|reader| reader.run_inside(job, here))?;
                None
            }
            Next::Text(text) => self.payload(&text, &assignments, job.span)?,
            Next::Torn(text) => {
                self.salvage_payload(&text, job.span)?;
                None
            }
        };
        self.sink.anywhere |= trapped && self.flow.moved;
        if !here {
            self.flow = flow;
        }
        Ok(doubt)
    }

    /// Text that a wrapper runs as commands.
    fn payload(&mut self, text: &str, assignments: &[Assignment], span: Span) -> Read<Option<Doubt>> {
        let mark = self.sink.mark();
        let mut inherited = self.inherited.to_vec();
        inherited.extend_from_slice(assignments);
        self.sink.spend(weight(&[], &inherited), self.at)?;
        let result = self.inside_with(text.as_bytes(), &inherited, span, |reader| reader.whole());
        let Err(stop) = result else {
            return Ok(None);
        };
        if self.sink.exhausted() {
            return Err(stop);
        }
        self.sink.roll_back(mark);
        self.salvage_payload(text, span)?;
        let why = ["the text it runs is not understood: ", stop.why].concat();
        Ok(Some(Doubt::new(why, Hidden::Yes)))
    }

    /// Cuts what can be cut from text that is not understood.
    fn salvage_payload(&mut self, text: &str, span: Span) -> Read<()> {
        let flow = self.flow.clone();
        self.flow = Flow::at(Place::anywhere());
        let result = self.inside(text.as_bytes(), span, |reader| {
            reader.salvage();
            Ok(())
        });
        self.flow = flow;
        // Too deep already: what stands there stays hidden behind the doubt.
        match result {
            Err(stop) if self.sink.exhausted() => Err(stop),
            Ok(()) | Err(_) => Ok(()),
        }
    }
}
