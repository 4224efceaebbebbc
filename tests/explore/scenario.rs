//! What may happen in one exploration, and the mistakes that a driver could make.

use super::task::{ANSWERS, At, CANCEL, RUNS, Task};
use super::world::World;

/// A mistake of the driver, never of the library.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The tool runs without a claim.
    NoClaim,
    /// A save does not look whether somebody wrote since the load.
    BlindSave,
    /// The commands run before the save.
    CommandsFirst,
    /// Who lost the save fires the call's event too.
    LoserFires,
    /// The person is told before the answer is saved.
    AnswerFirst,
    /// Nobody takes over what a dead instance left.
    NobodyCarriesOn,
    /// A finish names whatever claim is stored.
    AnyFence,
}

#[derive(Debug, Clone, Copy)]
pub struct Scenario {
    pub name: &'static str,
    pub idempotent: bool,
    /// What the person answers, in any order of arrival.
    pub answers: [Option<bool>; 2],
    pub crash: bool,
    /// The first run may be stopped, or the session canceled.
    pub stop: bool,
    /// The policy may begin to deny.
    pub policy: bool,
    /// The same call comes again at the second instance.
    pub repeat: bool,
    /// The first run hands the approval to its caller.
    pub hand_over: bool,
    /// Also the orders of steps that have nothing to do with each other.
    pub every_order: bool,
    pub fault: Option<Fault>,
}

impl Scenario {
    /// A person says yes twice, one instance may crash.
    pub const fn named(name: &'static str) -> Self {
        Self {
            name,
            idempotent: false,
            answers: [Some(true), Some(true)],
            crash: true,
            stop: false,
            policy: false,
            repeat: false,
            hand_over: false,
            every_order: false,
            fault: None,
        }
    }

    pub const fn with(self, fault: Fault) -> Self {
        Self {
            fault: Some(fault),
            ..self
        }
    }

    pub fn first(&self) -> World {
        let mut world = World::first();
        world.left.crash = self.crash;
        world.left.stop = self.stop;
        world.left.policy = self.policy;
        for (task, answer) in ANSWERS.into_iter().zip(self.answers) {
            if answer.is_some() {
                world.tasks[task] = Task::new(0, At::Unsent);
            }
        }
        if self.stop {
            world.tasks[CANCEL] = Task::new(0, At::Unsent);
        }
        if self.repeat {
            world.tasks[RUNS[1]] = Task::new(1, At::Wait);
        }
        world
    }

    pub fn answer(&self, task: usize) -> bool {
        let [first, second] = self.answers;
        (if task == ANSWERS[0] { first } else { second }).unwrap_or_default()
    }
}
