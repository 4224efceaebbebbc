//! One state of two instances, the store between them, and the people around them.

use super::engine::{Text, Who};
use super::task::{At, Flight, Role, TASKS, Task, role};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct World {
    pub record: Option<Text>,
    /// The record's owner has not written for longer than a lease.
    pub lapsed: bool,
    pub houses: [House; 2],
    pub tasks: [Task; TASKS],
    pub policy_denies: bool,
    pub left: Left,
    pub ledger: Ledger,
}

/// One instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct House {
    pub id: Who,
    /// One of its calls has the seat at the record: it is renewed.
    pub held: bool,
    /// The fence of the claim that this call has made.
    pub fence: u8,
    pub renewal: Flight,
    /// Its run was stopped.
    pub stopped: bool,
}

/// What may still happen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Left {
    pub crash: bool,
    pub stop: bool,
    pub policy: bool,
}

/// What has happened, as far as the laws ask for it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Ledger {
    /// How often the tool was started.
    pub starts: u8,
    /// What the saved changes' commands say: pending and settled events, and the call's own.
    pub pending: u8,
    pub settled: u8,
    pub terminals: u8,
    /// What was done of it.
    pub emitted: u8,
    pub fired: u8,
    /// The answer that the person was told is recorded.
    pub told: Option<bool>,
    /// The run or the session was stopped by somebody.
    pub canceled: bool,
    /// A tool was started without a recorded yes.
    pub unapproved: bool,
    /// A finish was written that was not the current claim's, or what was settled was written again.
    pub overwritten: bool,
}

impl World {
    /// A call at the first instance that is about to ask.
    pub fn first() -> Self {
        let house = |id| House {
            id,
            held: false,
            fence: 0,
            renewal: Flight::None,
            stopped: false,
        };
        let mut world = Self {
            record: None,
            lapsed: false,
            houses: [house(0), house(1)],
            tasks: [
                Task::new(0, At::Request),
                Task::new(1, At::Off),
                Task::new(0, At::Wait),
                Task::new(1, At::Wait),
                Task::new(0, At::Off),
                Task::new(0, At::Off),
                Task::new(0, At::Off),
            ],
            policy_denies: false,
            left: Left {
                crash: true,
                stop: false,
                policy: false,
            },
            ledger: Ledger::default(),
        };
        world.take(0);
        world.tasks[0].own = true;
        world
    }

    pub fn task(&mut self, task: usize) -> &mut Task {
        &mut self.tasks[task]
    }

    pub fn house(&mut self, task: usize) -> &mut House {
        &mut self.houses[usize::from(self.tasks[task].house)]
    }

    pub fn take(&mut self, task: usize) {
        self.house(task).held = true;
        self.task(task).seated = true;
    }

    pub fn leave(&mut self, task: usize) {
        if self.tasks[task].seated {
            self.house(task).held = false;
            self.house(task).fence = 0;
        }
        self.task(task).seated = false;
    }

    /// The task is over; a reader may begin again.
    pub fn over(&mut self, task: usize) {
        self.leave(task);
        let (house, at) = match role(task) {
            Role::Run => (self.tasks[task].house, At::Off),
            Role::Reader => (self.tasks[task].house, At::Wait),
            Role::Answer | Role::Cancel => (0, At::Off),
        };
        let due = self.tasks[task].due;
        *self.task(task) = Task {
            due,
            ..Task::new(house, at)
        };
    }

    /// What was loaded before this write meets a conflict at its save, and is loaded again: nobody sees the conflict,
    /// so the change is back at its load at once, unless the loser does something about it.
    pub fn conflicts(&mut self, loser_fires: bool) {
        for task in &mut self.tasks {
            if let Flight::Loaded { commands, .. } = task.flight {
                let terminal = loser_fires && commands.terminal;
                task.flight = if terminal { Flight::Lost } else { Flight::None };
            }
        }
    }
}
