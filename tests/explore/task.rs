//! One call at an instance, and how far it has come.

use super::engine::{Commands, Text};

/// Each instance's run, each one's reader, the two answers of the person, and the host's cancel of the session.
pub const TASKS: usize = 7;
pub const RUNS: [usize; 2] = [0, 1];
pub const ANSWERS: [usize; 2] = [4, 5];
pub const CANCEL: usize = 6;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    Run,
    Reader,
    Answer,
    Cancel,
}

pub fn role(task: usize) -> Role {
    match task {
        0 | 1 => Role::Run,
        2 | 3 => Role::Reader,
        4 | 5 => Role::Answer,
        _ => Role::Cancel,
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Task {
    /// The instance it is at.
    pub house: u8,
    pub at: At,
    pub flight: Flight,
    /// Commands of its saved change that it has not run yet.
    pub due: Commands,
    pub seated: bool,
    /// The run that the record names, not one that shares its outcome.
    pub own: bool,
    /// More than a lease has passed since it sent its claim.
    pub late: bool,
    /// At a decision: this instance knows that the owner is alive. At the policy: the person said no. At a claim: it is on
    /// its way, a stop comes too late.
    pub marked: bool,
}

impl Task {
    /// At its beginning.
    pub fn new(house: u8, at: At) -> Self {
        let due = Commands::default();
        Self {
            house,
            at,
            flight: Flight::None,
            due,
            seated: false,
            own: false,
            late: false,
            marked: false,
        }
    }
}

/// One change between its load and its save.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Flight {
    None,
    /// What would be saved.
    Loaded {
        to: Text,
        commands: Commands,
    },
    /// Another writer was first, and the call does what it must not.
    Lost,
}

/// What a task does next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum At {
    Off,
    /// The person or the host has not sent it.
    Unsent,
    Request,
    /// Reads until there is something to do.
    Wait,
    Adopt,
    Stopped,
    End,
    Decide,
    Answered,
    /// Asks the policy again, or knows the person's no.
    Judge,
    Refuse,
    Claim,
    HandOver,
    /// Compares its clock with the moment the claim was sent.
    Check,
    RenewFirst,
    Start,
    /// The tool runs, or has run.
    Finish,
    Lose,
}
