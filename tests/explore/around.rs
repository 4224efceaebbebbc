//! What happens around the drivers: time, people, crashes, another policy; and all steps from one state.

use super::driver::{By, Driver, Step};
use super::scenario::Fault;
use super::task::{ANSWERS, At, CANCEL, Flight, RUNS, Role, TASKS, Task, role};
use super::world::{House, World};

const RESTARTED: u8 = 2;
const CRASH: &str = "crashes and starts again";

impl Driver<'_> {
    /// The steps that may come next, less what only changes the order of steps that have nothing to do with each other.
    pub fn steps(&mut self, world: &World, steps: &mut Vec<Step>) {
        let faulty = self.fault(Fault::CommandsFirst) || self.fault(Fault::BlindSave);
        let ordered = !faulty && !self.scenario.every_order;
        let silent = |task: &Task| task.due.any() || task.at == At::Answered;
        // Nobody else sees commands and answers: they come at once, or the instance crashes before them.
        if let Some(task) = (0..TASKS).find(|task| ordered && silent(&world.tasks[*task])) {
            self.advance(world, task, steps);
            if world.left.crash {
                let house = world.tasks[task].house;
                steps.push(Step {
                    by: By::Chance,
                    house,
                    what: CRASH,
                    world: crashed(world, house),
                });
            }
            return;
        }
        // Nobody changes what is settled: what is still under way ends one after another.
        let settled = world.record.is_some_and(|text| !self.engine.facts(text).open());
        for task in 0..TASKS {
            self.advance(world, task, steps);
            if ordered && settled && !steps.is_empty() {
                return;
            }
        }
        for house in 0..2 {
            let mut next = *world;
            if self.renew(&mut next, usize::from(house)) {
                Self::push(steps, house, "renews", next);
            }
        }
        self.time(world, steps);
        self.people(world, steps);
        self.chances(world, steps);
    }

    /// More than a lease passes without a write.
    fn time(&self, world: &World, steps: &mut Vec<Step>) {
        let Some(text) = world.record else { return };
        let mut next = *world;
        next.lapsed |= self.engine.facts(text).open();
        for task in &mut next.tasks {
            task.late |= (task.at == At::Claim && task.marked) || task.at == At::Check;
        }
        if next != *world {
            steps.push(Step {
                by: By::Time,
                house: 0,
                what: "the lease lapses",
                world: next,
            });
        }
    }

    /// An answer reaches either instance once there is a card; the second is not sent before the first.
    fn people(&self, world: &World, steps: &mut Vec<Step>) {
        if world.record.is_none() {
            return;
        }
        let [first, second] = ANSWERS;
        let next = if world.tasks[first].at == At::Unsent {
            first
        } else {
            second
        };
        if world.tasks[next].at != At::Unsent {
            return;
        }
        for house in 0..2_u8 {
            let mut after = *world;
            let alive = world.houses[usize::from(house)].held;
            after.tasks[next] = Task {
                marked: alive,
                ..Task::new(house, At::Decide)
            };
            steps.push(Step {
                by: By::Person,
                house,
                what: "gets the person's answer",
                world: after,
            });
        }
    }

    fn chances(&self, world: &World, steps: &mut Vec<Step>) {
        // After the end a crash, a stop or a policy only keeps calls from what they still do.
        if world.record.is_some_and(|text| !self.engine.facts(text).open()) {
            return;
        }
        let mut push = |house: u8, what, world| {
            steps.push(Step {
                by: By::Chance,
                house,
                what,
                world,
            })
        };
        if world.left.crash {
            for house in 0..2_u8 {
                push(house, CRASH, crashed(world, house));
            }
        }
        if world.left.policy {
            let mut after = *world;
            after.policy_denies = true;
            after.left.policy = false;
            push(0, "the policy begins to deny", after);
        }
        if !world.left.stop {
            return;
        }
        let mut after = *world;
        after.left.stop = false;
        after.ledger.canceled = true;
        after.tasks[CANCEL] = Task::new(0, At::Off);
        if world.tasks[RUNS[0]].at != At::Off {
            let mut stopped = after;
            stopped.houses[0].stopped = true;
            push(0, "its run is stopped", stopped);
        }
        // It makes no difference which instance cancels the session.
        if world.record.is_some() {
            after.tasks[CANCEL] = Task::new(1, At::End);
            push(1, "gets the cancel of the session", after);
        }
    }
}

/// Nothing of the instance is left, its successor has another id. A person who got no answer sends it again.
fn crashed(world: &World, house: u8) -> World {
    let mut after = *world;
    after.left.crash = false;
    after.houses[usize::from(house)] = House {
        id: RESTARTED,
        held: false,
        fence: 0,
        renewal: Flight::None,
        stopped: false,
    };
    for (number, task) in after.tasks.iter_mut().enumerate() {
        if task.house != house {
            continue;
        }
        let (house, at) = match (role(number), task.at) {
            (Role::Answer, At::Decide | At::Answered | At::Unsent) => (0, At::Unsent),
            (Role::Cancel, At::Unsent) => (0, At::Unsent),
            (Role::Answer | Role::Cancel, _) => (0, At::Off),
            (Role::Run, _) => (house, At::Off),
            (Role::Reader, _) => (house, At::Wait),
        };
        *task = Task::new(house, at);
    }
    after
}
