//! What each call of an instance does next: a run, a reader, a person's answer, a cancel of the session.

use ackgate::confirm::{Decision, Stage};

use super::driver::{Driver, Step};
use super::scenario::Fault;
use super::task::{At, Role, role};
use super::world::World;

impl Driver<'_> {
    /// The next steps of one call.
    pub fn advance(&mut self, before: &World, task: usize, steps: &mut Vec<Step>) {
        let mut world = *before;
        let now = world.tasks[task];
        let push = |steps: &mut Vec<Step>, what, world| Self::push(steps, now.house, what, world);
        if now.due.any() {
            self.run_commands(&mut world, task);
            return push(steps, "runs the commands", world);
        }
        match now.at {
            At::Off | At::Unsent => {}
            At::Wait | At::Stopped => {
                if self.look(&mut world, task) {
                    push(steps, "reads", world);
                }
            }
            At::Answered => {
                world.ledger.told = Some(self.scenario.answer(task));
                // Carrying the answer out is what the reader of this instance does in the same way.
                world.over(task);
                push(steps, "tells the person that the answer is recorded", world);
            }
            At::Judge => {
                self.judge(&mut world, task);
                push(steps, "asks the policy again", world);
            }
            // Renewing while it is young would be one more renewal.
            At::Check => {
                world.task(task).late = false;
                world.task(task).at = if now.late { At::RenewFirst } else { At::Start };
                push(steps, "compares its clock", world);
            }
            At::Start => {
                self.start(&mut world);
                world.task(task).at = At::Finish;
                push(steps, "starts the tool", world);
            }
            At::Claim if !now.marked && self.stopped(&world, task) => {
                self.step_back(&mut world, task);
                push(steps, "does not claim for a stopped run", world);
            }
            At::Request
            | At::Adopt
            | At::End
            | At::Decide
            | At::Refuse
            | At::Claim
            | At::HandOver
            | At::RenewFirst
            | At::Finish
            | At::Lose => {
                let what = self.write(&mut world, task);
                push(steps, what, world);
            }
        }
    }

    fn stopped(&self, world: &World, task: usize) -> bool {
        role(task) == Role::Run && world.houses[usize::from(world.tasks[task].house)].stopped
    }

    /// One read; false: there is nothing to do, it reads again later.
    fn look(&mut self, world: &mut World, task: usize) -> bool {
        let Some(text) = world.record else { return false };
        let facts = self.engine.facts(text);
        let now = world.tasks[task];
        let house = usize::from(now.house);
        let live = self.live(world, house);
        let mine = facts.owner == Some(world.houses[house].id);
        let again = facts.runs_again(world.lapsed);
        match role(task) {
            Role::Cancel => world.over(task),
            Role::Run if now.at == At::Wait && self.stopped(world, task) => world.task(task).at = At::Stopped,
            Role::Run if now.at == At::Stopped && !now.seated => world.over(task),
            // Another instance took it over, or it is over.
            Role::Run if (now.own && !mine) || !facts.open() => world.over(task),
            Role::Run if now.at == At::Stopped => world.task(task).at = At::End,
            Role::Run if now.seated && (facts.stage == Stage::Decided || again) => self.carry_out(world, task),
            Role::Run if now.seated || live => return false,
            Role::Run if facts.stage == Stage::Executing && !again => world.task(task).at = At::Lose,
            Role::Run => {
                world.take(task);
                if facts.pending() {
                    world.task(task).at = At::Adopt;
                } else {
                    self.carry_out(world, task);
                }
            }
            Role::Answer => return false,
            Role::Reader if !facts.open() || facts.pending() => return false,
            Role::Reader if live => return false,
            Role::Reader if self.fault(Fault::NobodyCarriesOn) => return false,
            Role::Reader => {
                world.take(task);
                if facts.stage == Stage::Executing && !again {
                    world.task(task).at = At::Lose;
                } else {
                    self.carry_out(world, task);
                }
            }
        }
        true
    }

    fn carry_out(&self, world: &mut World, task: usize) {
        let denied = world
            .record
            .is_some_and(|text| self.engine.facts(text).decision == Some(Decision::Denied));
        world.task(task).at = At::Judge;
        world.task(task).marked = denied;
        // Nobody sees when it asks, unless the answer may change.
        if !self.scenario.policy && !self.scenario.stop {
            self.judge(world, task);
        }
    }

    fn judge(&self, world: &mut World, task: usize) {
        let no = std::mem::take(&mut world.task(task).marked);
        let at = if self.stopped(world, task) {
            At::Wait
        } else if no || world.policy_denies {
            At::Refuse
        } else if self.scenario.hand_over && role(task) == Role::Run {
            At::HandOver
        } else if self.fault(Fault::NoClaim) {
            At::Start
        } else {
            At::Claim
        };
        world.task(task).at = at;
    }

    /// Another writer was first: the call reads again.
    pub fn step_back(&self, world: &mut World, task: usize) {
        if role(task) != Role::Run || !world.tasks[task].own {
            world.leave(task);
        }
        world.task(task).at = At::Wait;
    }
}
