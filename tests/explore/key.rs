//! A state as a few words: equal states have equal keys, others have others. Millions are kept and compared.

use super::engine::Commands;
use super::task::{Flight, TASKS, Task};
use super::world::{House, Ledger, World};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Key([u32; TASKS + 4]);

/// Fields side by side in one word.
struct Word {
    bits: u32,
    width: u32,
}

impl Word {
    fn new() -> Self {
        Self { bits: 0, width: 0 }
    }

    /// INVARIANT: each field fits, so that no two states share a key.
    fn put(mut self, value: impl Into<u32>, width: u32) -> Self {
        let value = value.into();
        assert!(value >> width == 0 && self.width + width <= 32, "{value} does not fit");
        self.bits |= value << self.width;
        self.width += width;
        self
    }

    fn commands(
        self,
        Commands {
            emit,
            execute,
            terminal,
        }: Commands,
    ) -> Self {
        self.put(emit, 1).put(execute, 1).put(terminal, 1)
    }

    fn flight(self, flight: Flight) -> Self {
        match flight {
            Flight::None => self.put(0_u8, 2),
            Flight::Lost => self.put(1_u8, 2),
            Flight::Loaded { to, commands } => self.put(2_u8, 2).put(to, 8).commands(commands),
        }
    }
}

impl Key {
    pub fn of(world: &World) -> Self {
        let World {
            record,
            lapsed,
            houses,
            tasks,
            policy_denies,
            left,
            ledger,
        } = world;
        let mut words = [0; TASKS + 4];
        let stored = record.map_or(0, |text| u32::from(text) + 1);
        let left = Word::new().put(left.crash, 1).put(left.stop, 1).put(left.policy, 1);
        let around = left.put(*lapsed, 1).put(*policy_denies, 1).put(stored, 9);
        let rest = [around, of_ledger(ledger)]
            .into_iter()
            .chain(houses.iter().map(of_house));
        let all = tasks.iter().map(of_task).chain(rest);
        for (word, Word { bits, .. }) in words.iter_mut().zip(all) {
            *word = bits;
        }
        Self(words)
    }
}

fn of_task(task: &Task) -> Word {
    let Task {
        house,
        at,
        flight,
        due,
        seated,
        own,
        late,
        marked,
    } = *task;
    let word = Word::new()
        .put(house, 1)
        .put(at as u8, 5)
        .put(seated, 1)
        .put(own, 1)
        .put(late, 1)
        .put(marked, 1);
    word.commands(due).flight(flight)
}

fn of_house(house: &House) -> Word {
    let House {
        id,
        held,
        fence,
        renewal,
        stopped,
    } = *house;
    Word::new()
        .put(id, 2)
        .put(held, 1)
        .put(fence, 3)
        .put(stopped, 1)
        .flight(renewal)
}

fn of_ledger(ledger: &Ledger) -> Word {
    let Ledger {
        starts,
        pending,
        settled,
        terminals,
        emitted,
        fired,
        told,
        canceled,
        unapproved,
        overwritten,
    } = *ledger;
    let counts = [starts, pending, settled, terminals, emitted, fired];
    let word = counts.into_iter().fold(Word::new(), |word, count| word.put(count, 3));
    let word = word.put(told.is_some(), 1).put(told.unwrap_or_default(), 1);
    word.put(canceled, 1).put(unapproved, 1).put(overwritten, 1)
}
