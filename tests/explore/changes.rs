//! The changes that a call makes: which event it sends, and where it goes on after the save or without one.

use super::driver::{Driver, Went};
use super::engine::{Act, Said};
use super::scenario::Fault;
use super::task::{At, Flight, Role, role};
use super::world::World;

impl Driver<'_> {
    /// The next step of the change that the call makes here.
    pub fn write(&mut self, world: &mut World, task: usize) -> &'static str {
        let loads = world.tasks[task].flight == Flight::None;
        let (act, alive) = self.act(world, task);
        world.task(task).marked |= world.tasks[task].at == At::Claim;
        let went = self.change(world, task, act, alive);
        if let (At::Decide, Flight::Loaded { .. }) = (world.tasks[task].at, world.tasks[task].flight)
            && self.fault(Fault::AnswerFirst)
        {
            world.ledger.told = Some(self.scenario.answer(task));
        }
        let name = super::names::of(world.tasks[task].at, loads);
        if !matches!(went, Went::On) {
            world.task(task).marked = false;
        }
        match went {
            Went::On => {}
            Went::Saved => self.saved(world, task),
            Went::Ended(said) => self.unsaved(world, task, said),
        }
        name
    }

    fn act(&self, world: &World, task: usize) -> (Act, bool) {
        let now = world.tasks[task];
        let house = world.houses[usize::from(now.house)];
        let (owner, recovery) = (house.id, role(task) != Role::Run);
        let act = match now.at {
            At::Request => Act::Request { owner },
            At::Adopt => Act::Adopt { owner },
            At::End => Act::End {
                owner: (role(task) == Role::Run).then_some(owner),
            },
            At::Decide => Act::Decide {
                yes: self.scenario.answer(task),
            },
            At::Refuse => Act::Refuse { owner, recovery },
            At::Claim => Act::Claim { owner, recovery },
            At::HandOver => Act::HandOver { owner },
            At::RenewFirst => Act::Renew {
                owner,
                fence: house.fence,
            },
            At::Finish => self.finish(
                world,
                Act::Finish {
                    owner,
                    fence: house.fence,
                },
            ),
            At::Lose => Act::Lose { recovery },
            At::Off | At::Unsent | At::Wait | At::Stopped | At::Answered | At::Judge | At::Check | At::Start => {
                unreachable!("{now:?} writes nothing")
            }
        };
        (act, now.at == At::Decide && now.marked)
    }

    fn finish(&self, world: &World, act: Act) -> Act {
        let stored = world.record.map(|text| self.engine.facts(text));
        match stored {
            Some(facts) if self.fault(Fault::AnyFence) => Act::Finish {
                owner: facts.owner.unwrap_or_default(),
                fence: facts.fence,
            },
            Some(_) | None => act,
        }
    }

    fn saved(&mut self, world: &mut World, task: usize) {
        let run = role(task) == Role::Run;
        match world.tasks[task].at {
            At::Adopt | At::Refuse if run => {
                world.task(task).own = true;
                world.task(task).at = At::Wait;
            }
            At::Claim => {
                let text = world.record.unwrap();
                world.house(task).fence = self.engine.facts(text).fence;
                let started = self.fault(Fault::CommandsFirst);
                world.task(task).at = if started { At::Finish } else { At::Check };
            }
            At::Decide => world.task(task).at = At::Answered,
            At::RenewFirst => world.task(task).at = At::Start,
            At::End if run => world.task(task).at = At::Stopped,
            At::End | At::HandOver => world.over(task),
            At::Finish if run => world.over(task),
            At::Refuse | At::Finish | At::Lose => {
                world.leave(task);
                world.task(task).at = At::Wait;
            }
            _ => world.task(task).at = At::Wait,
        }
    }

    fn unsaved(&mut self, world: &mut World, task: usize, said: Said) {
        match world.tasks[task].at {
            At::Decide if said == Said::Replayed => world.task(task).at = At::Answered,
            At::End if role(task) == Role::Run => world.task(task).at = At::Stopped,
            At::Adopt => {
                world.leave(task);
                world.task(task).at = At::Wait;
            }
            // What throws ends the call.
            At::Decide | At::End | At::RenewFirst | At::Finish | At::Request => world.over(task),
            _ => self.step_back(world, task),
        }
    }
}
