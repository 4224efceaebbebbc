//! The order of one change: load, reduce, save if nobody wrote since, then the commands. A step is one of these.

use ackgate::confirm::Stage;

use super::engine::{Act, Commands, Engine, Said};
use super::scenario::{Fault, Scenario};
use super::task::Flight;
use super::world::{House, Left, World};

/// Who makes a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    Driver,
    Time,
    Person,
    /// What nobody may count on: a crash, a stop, another policy.
    Chance,
}

/// A step and the world after it.
#[derive(Debug, Clone, Copy)]
pub struct Step {
    pub by: By,
    /// The instance.
    pub house: u8,
    pub what: &'static str,
    pub world: World,
}

/// How far a change has come.
pub enum Went {
    On,
    Saved,
    /// Nothing was to be saved.
    Ended(Said),
}

pub struct Driver<'a> {
    pub engine: &'a mut Engine,
    pub scenario: &'a Scenario,
}

impl Driver<'_> {
    pub fn fault(&self, fault: Fault) -> bool {
        self.scenario.fault == Some(fault)
    }

    /// The next step of a task's change. `alive`: this instance knows that the owner is.
    pub fn change(&mut self, world: &mut World, task: usize, act: Act, alive: bool) -> Went {
        match world.tasks[task].flight {
            Flight::None => match self.engine.reduce(world.record, act, world.lapsed && !alive) {
                Said::Saves(to, commands) => {
                    world.task(task).flight = Flight::Loaded { to, commands };
                    if self.fault(Fault::CommandsFirst) {
                        world.task(task).due = commands;
                    }
                    Went::On
                }
                said => Went::Ended(said),
            },
            Flight::Lost => {
                world.task(task).flight = Flight::None;
                world.ledger.fired = more(world.ledger.fired);
                Went::On
            }
            Flight::Loaded { to, commands } => {
                world.task(task).flight = Flight::None;
                self.note(world, task, act);
                self.save(world, to, commands);
                if !self.fault(Fault::CommandsFirst) {
                    world.task(task).due = commands;
                }
                Went::Saved
            }
        }
    }

    /// The renewal of an instance's seat; false: there is none. One that loses its save changes nothing, and what it has
    /// loaded is what it saves: only a save that does not look makes its load a step of its own.
    pub fn renew(&mut self, world: &mut World, house: usize) -> bool {
        let seat = world.houses[house];
        if let Flight::Loaded { to, commands } = seat.renewal {
            world.houses[house].renewal = Flight::None;
            world.ledger.overwritten |= world.record.is_some_and(|text| !self.engine.facts(text).open());
            self.save(world, to, commands);
            return true;
        }
        let act = Act::Renew {
            owner: seat.id,
            fence: seat.fence,
        };
        if !seat.held || world.record.is_none() {
            return false;
        }
        let Said::Saves(to, commands) = self.engine.reduce(world.record, act, world.lapsed) else {
            return false;
        };
        if self.fault(Fault::BlindSave) {
            world.houses[house].renewal = Flight::Loaded { to, commands };
        } else {
            self.save(world, to, commands);
        }
        true
    }

    fn save(&mut self, world: &mut World, to: u16, commands: Commands) {
        if commands.emit {
            let first = self.engine.facts(to).pending();
            let ledger = &mut world.ledger;
            let count = if first {
                &mut ledger.pending
            } else {
                &mut ledger.settled
            };
            *count = more(*count);
        }
        if commands.terminal {
            world.ledger.terminals = more(world.ledger.terminals);
        }
        world.record = Some(to);
        world.lapsed = false;
        if !self.engine.facts(to).open() {
            world.left = Left::default();
        }
        if !self.fault(Fault::BlindSave) {
            world.conflicts(self.fault(Fault::LoserFires));
        }
    }

    /// INVARIANT: what is settled stays, and only the current claim finishes.
    fn note(&self, world: &mut World, task: usize, act: Act) {
        let Some(text) = world.record else { return };
        let facts = self.engine.facts(text);
        let house = *world.house(task);
        let current = facts.owner == Some(house.id) && facts.fence == house.fence;
        let late = matches!(act, Act::Finish { .. }) && !current;
        world.ledger.overwritten |= late || !facts.open();
    }

    /// Runs what a saved change commands; the tool itself is started later.
    pub fn run_commands(&self, world: &mut World, task: usize) {
        let due = std::mem::take(&mut world.task(task).due);
        if due.emit {
            world.ledger.emitted = more(world.ledger.emitted);
        }
        if due.terminal {
            world.ledger.fired = more(world.ledger.fired);
        }
        if due.execute && self.fault(Fault::CommandsFirst) {
            self.start(world);
        }
    }

    pub fn start(&self, world: &mut World) {
        world.ledger.starts = more(world.ledger.starts);
        let approved = world.record.is_some_and(|text| self.engine.facts(text).approved());
        world.ledger.unapproved |= !approved;
    }

    /// Is somebody acting on the record, as an instance sees it?
    pub fn live(&self, world: &World, house: usize) -> bool {
        let House { id, held, .. } = world.houses[house];
        let Some(text) = world.record else { return held };
        let facts = self.engine.facts(text);
        let leased = facts.owner.is_some() && !world.lapsed;
        held || (leased && (facts.owner != Some(id) || facts.stage == Stage::Executing))
    }

    pub fn push(steps: &mut Vec<Step>, house: u8, what: &'static str, world: World) {
        steps.push(Step {
            by: By::Driver,
            house,
            what,
            world,
        });
    }
}

/// Counts up to what no law allows.
fn more(count: u8) -> u8 {
    (count + 1).min(4)
}
