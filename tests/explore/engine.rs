//! The real reducer over stored texts: each text that comes up gets a number, so a state of the world stays small.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use ackgate::confirm::{Command, Decision, Execution, Moment, Record, Stage};
use ackgate::payload::Status;
use ackgate::{Error, reduce};

use super::events::event;

const LEASE: u64 = 1000;

/// The number of a stored text.
pub type Text = u16;
/// An instance by its number; a restarted one has a new number.
pub type Who = u8;

/// What a driver asks the reducer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Act {
    Request { owner: Who },
    Decide { yes: bool },
    Claim { owner: Who, recovery: bool },
    HandOver { owner: Who },
    Refuse { owner: Who, recovery: bool },
    Finish { owner: Who, fence: u8 },
    Lose { recovery: bool },
    End { owner: Option<Who> },
    Renew { owner: Who, fence: u8 },
    Adopt { owner: Who },
}

/// The commands of one change.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Commands {
    pub emit: bool,
    pub execute: bool,
    pub terminal: bool,
}

impl Commands {
    pub fn any(self) -> bool {
        self.emit || self.execute || self.terminal
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Said {
    Saves(Text, Commands),
    Nothing,
    Replayed,
    /// Another writer was first: the driver reads again.
    Refused,
    /// Another answer was recorded.
    AlreadySettled,
}

/// What drivers and laws read of a record.
#[derive(Debug, Clone, Copy)]
pub struct Facts {
    pub stage: Stage,
    pub status: Status,
    pub decision: Option<Decision>,
    pub execution: Execution,
    pub owner: Option<Who>,
    pub fence: u8,
    pub idempotent: bool,
    runs_again: bool,
}

impl Facts {
    pub fn open(&self) -> bool {
        self.stage != Stage::Settled
    }

    pub fn pending(&self) -> bool {
        self.stage == Stage::Pending
    }

    pub fn approved(&self) -> bool {
        self.decision == Some(Decision::Approved)
    }

    /// The tool may be run once more, nobody that counts as alive runs it.
    pub fn runs_again(&self, lapsed: bool) -> bool {
        self.runs_again && (self.owner.is_none() || lapsed)
    }
}

pub struct Engine {
    idempotent: bool,
    facts: Vec<Facts>,
    texts: Vec<String>,
    numbers: BTreeMap<String, Text>,
    known: HashMap<(Option<Text>, Act, bool), Said>,
}

impl Engine {
    pub fn new(idempotent: bool) -> Self {
        Self {
            idempotent,
            facts: Vec::new(),
            texts: Vec::new(),
            numbers: BTreeMap::new(),
            known: HashMap::new(),
        }
    }

    pub fn facts(&self, text: Text) -> Facts {
        self.facts[usize::from(text)]
    }

    /// The different records that have come up.
    pub fn records(&self) -> BTreeSet<String> {
        self.texts.iter().cloned().collect()
    }

    /// Pure, so each question is put to the reducer once.
    pub fn reduce(&mut self, stored: Option<Text>, act: Act, lapsed: bool) -> Said {
        if let Some(said) = self.known.get(&(stored, act, lapsed)) {
            return *said;
        }
        let said = self.ask(stored, act, lapsed);
        self.known.insert((stored, act, lapsed), said);
        said
    }

    fn ask(&mut self, stored: Option<Text>, act: Act, lapsed: bool) -> Said {
        let record = stored.map(|text| Record::read(&self.texts[usize::from(text)]).unwrap());
        let age_ms = if lapsed { LEASE + 1 } else { 0 };
        let moment = Moment {
            now_ms: 1,
            age_ms,
            lease_ms: LEASE,
        };
        let reduced = match reduce(record, event(act, self.idempotent), moment) {
            Ok(reduced) => reduced,
            Err(Error::Conflict(_) | Error::TakenOver(_)) => return Said::Refused,
            Err(Error::AlreadySettled(_)) => return Said::AlreadySettled,
            Err(error) => panic!("{act:?} is an event that no driver sends: {error}"),
        };
        let mut commands = Commands::default();
        for command in reduced.commands {
            match command {
                Command::Emit => commands.emit = true,
                Command::Execute { .. } => commands.execute = true,
                Command::Terminal { .. } => commands.terminal = true,
                Command::Replayed => return Said::Replayed,
            }
        }
        reduced
            .record
            .map_or(Said::Nothing, |record| Said::Saves(self.number(&record), commands))
    }

    fn number(&mut self, record: &Record) -> Text {
        let text = serde_json::to_string(record).unwrap();
        if let Some(number) = self.numbers.get(&text) {
            return *number;
        }
        let number = Text::try_from(self.texts.len()).unwrap();
        self.facts.push(Facts {
            stage: record.stage,
            status: record.status,
            decision: record.decision,
            execution: record.execution,
            owner: record.owner.as_ref().map(|owner| owner.parse().unwrap()),
            fence: u8::try_from(record.fence).unwrap(),
            idempotent: record.idempotent,
            runs_again: record.runs_again(),
        });
        self.texts.push(text.clone());
        self.numbers.insert(text, number);
        number
    }
}
