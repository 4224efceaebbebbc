//! What must hold in every state.

use ackgate::confirm::{Decision, Execution, Stage};
use ackgate::payload::Status;

use super::engine::{Engine, Facts};
use super::world::{Ledger, World};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Law {
    /// The tool starts at most once, an idempotent one three times, and never without a recorded yes.
    Starts,
    /// One terminal: the decision or the call's event.
    Terminal,
    /// What a person was told is recorded stays recorded, and an answer ends in one of the ways it may.
    Decision,
    /// An open record can be settled, by drivers and time alone once a person has answered.
    Settles,
    /// A late finish changes nothing; one pending and one settled event.
    Writes,
}

pub const LAWS: [Law; 5] = [Law::Starts, Law::Terminal, Law::Decision, Law::Settles, Law::Writes];

/// The laws that a state breaks by itself.
pub fn broken(engine: &Engine, world: &World) -> impl Iterator<Item = Law> {
    let facts = world.record.map(|text| engine.facts(text));
    let ledger = &world.ledger;
    let checks = [
        (Law::Starts, starts(facts, ledger)),
        (Law::Terminal, terminal(facts, ledger)),
        (Law::Decision, decision(facts, world)),
        (Law::Writes, writes(facts, ledger)),
    ];
    checks.into_iter().filter(|(_, holds)| !holds).map(|(law, _)| law)
}

fn starts(facts: Option<Facts>, ledger: &Ledger) -> bool {
    let most = if facts.is_some_and(|facts| facts.idempotent) {
        3
    } else {
        1
    };
    ledger.starts <= most && !ledger.unapproved
}

fn terminal(facts: Option<Facts>, ledger: &Ledger) -> bool {
    let decided = u8::from(facts.is_some_and(|facts| facts.decision.is_some()));
    let settled = facts.is_some_and(|facts| !facts.open());
    let said = ledger.terminals + decided;
    ledger.fired + decided <= 1 && said <= 1 && (!settled || said == 1)
}

fn decision(facts: Option<Facts>, world: &World) -> bool {
    let decision = facts.and_then(|facts| facts.decision);
    let yes = decision.map(|decision| decision == Decision::Approved);
    if world.ledger.told.is_some() && world.ledger.told != yes {
        return false;
    }
    facts.is_none_or(|facts| facts.stage != Stage::Settled || decision.is_none() || ends_well(&facts, world))
}

fn ends_well(facts: &Facts, world: &World) -> bool {
    let approved = facts.approved();
    match (facts.status, facts.execution) {
        (Status::Approved, Execution::Ran) => approved && world.ledger.starts > 0,
        (Status::Approved, Execution::Unknown | Execution::Caller) => approved,
        (Status::Denied, Execution::None) => (!approved || world.policy_denies) && world.ledger.starts == 0,
        (Status::Canceled, Execution::None) => world.ledger.canceled && world.ledger.starts == 0,
        (_, _) => false,
    }
}

fn writes(facts: Option<Facts>, ledger: &Ledger) -> bool {
    let Some(facts) = facts else { return ledger.emitted <= 1 };
    let told = ledger.pending == 1 && ledger.settled <= 1 && ledger.emitted <= 2;
    told && !ledger.overwritten && (facts.open() || ledger.settled == 1)
}
