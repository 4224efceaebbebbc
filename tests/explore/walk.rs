//! The breadth-first walk: every state once, the shortest way to each, and the way back from what is settled.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use super::driver::{By, Driver, Step};
use super::engine::Engine;
use super::key::Key;
use super::laws::{LAWS, Law, broken};
use super::scenario::Scenario;

/// No exploration may come near it.
const BOUND: usize = 1_500_000;

/// How a state was reached first.
#[derive(Clone, Copy)]
struct Arrival {
    from: u32,
    depth: u16,
    house: u8,
    what: &'static str,
}

pub struct Walk {
    pub states: usize,
    pub transitions: usize,
    pub depth: u16,
    pub records: BTreeSet<String>,
    /// The shortest way to a state that breaks the law.
    pub broken: BTreeMap<Law, Vec<String>>,
}

/// Explores all of it, or until `sought` is broken. A state that breaks a law is not left.
pub fn walk(scenario: &Scenario, sought: Option<Law>) -> Walk {
    let mut engine = Engine::new(scenario.idempotent);
    let mut driver = Driver {
        engine: &mut engine,
        scenario,
    };
    let first = scenario.first();
    let mut numbers = HashMap::from([(Key::of(&first), 0_u32)]);
    let mut queue = VecDeque::from([first]);
    let mut arrivals = vec![Arrival {
        from: 0,
        depth: 0,
        house: 0,
        what: "",
    }];
    let mut over = vec![true];
    let mut back: Vec<(u32, u32)> = Vec::new();
    let mut found: BTreeMap<Law, u32> = BTreeMap::new();
    let (mut transitions, mut number, mut steps) = (0, 0_u32, Vec::new());
    while let Some(world) = queue.pop_front() {
        let mut sound = true;
        for law in broken(driver.engine, &world) {
            sound = false;
            found.entry(law).or_insert(number);
        }
        if sought.is_some_and(|law| found.contains_key(&law)) {
            break;
        }
        if sound {
            driver.steps(&world, &mut steps);
        }
        let pending = world.record.is_some_and(|text| driver.engine.facts(text).pending());
        for Step {
            by,
            house,
            what,
            world: next,
        } in steps.drain(..)
        {
            transitions += 1;
            let fresh = u32::try_from(arrivals.len()).unwrap();
            let to = *numbers.entry(Key::of(&next)).or_insert(fresh);
            if to == fresh {
                let depth = arrivals[number as usize].depth + 1;
                arrivals.push(Arrival {
                    from: number,
                    depth,
                    house,
                    what,
                });
                over.push(next.record.is_none_or(|text| !driver.engine.facts(text).open()));
                queue.push_back(next);
            }
            if by == By::Driver || by == By::Time || (by == By::Person && pending) {
                back.push((to, number));
            }
        }
        number += 1;
        assert!(arrivals.len() < BOUND, "{}: more than {BOUND} states", scenario.name);
    }
    if found.is_empty()
        && let Some(stuck) = stuck(back, over)
    {
        found.insert(Law::Settles, stuck);
    }
    let way = |(law, number): (&Law, &u32)| (*law, way_to(&arrivals, *number));
    Walk {
        states: arrivals.len(),
        transitions,
        depth: arrivals.last().map_or(0, |arrival| arrival.depth),
        records: driver.engine.records(),
        broken: found.iter().map(way).collect(),
    }
}

/// The first state from which none is reached whose record is settled.
fn stuck(mut back: Vec<(u32, u32)>, mut over: Vec<bool>) -> Option<u32> {
    back.sort_unstable();
    let mut queue: Vec<u32> = (0_u32..)
        .zip(&over)
        .filter(|(_, over)| **over)
        .map(|(number, _)| number)
        .collect();
    while let Some(to) = queue.pop() {
        let start = back.partition_point(|(end, _)| *end < to);
        for (_, from) in back[start..].iter().take_while(|(end, _)| *end == to) {
            if !std::mem::replace(&mut over[*from as usize], true) {
                queue.push(*from);
            }
        }
    }
    over.iter()
        .position(|over| !over)
        .map(|number| u32::try_from(number).unwrap())
}

fn way_to(arrivals: &[Arrival], mut number: u32) -> Vec<String> {
    let mut way = Vec::new();
    while number != 0 {
        let Arrival { from, house, what, .. } = arrivals[number as usize];
        way.push(format!("{} {what}", if house == 0 { "A" } else { "B" }));
        number = from;
    }
    way.reverse();
    way
}

/// Explores all of it: nothing may be broken.
pub fn holds(scenario: &Scenario) -> Walk {
    let walk = walk(scenario, None);
    let held: Vec<Law> = LAWS.into_iter().filter(|law| !walk.broken.contains_key(law)).collect();
    println!(
        "{}: {} states, {} transitions, depth {}, {} records; held: {held:?}",
        scenario.name,
        walk.states,
        walk.transitions,
        walk.depth,
        walk.records.len()
    );
    for (law, way) in &walk.broken {
        println!("{law:?} is broken after {} steps:\n  {}", way.len(), way.join("\n  "));
    }
    assert!(
        walk.broken.is_empty(),
        "{}: {:?} broken",
        scenario.name,
        walk.broken.keys()
    );
    walk
}

/// Explores until the law is broken, which it must be.
pub fn breaks(scenario: &Scenario, law: Law) {
    let walk = walk(scenario, Some(law));
    let broken: Vec<Law> = walk.broken.keys().copied().collect();
    let way = walk.broken.get(&law);
    let way = way.unwrap_or_else(|| panic!("{}: {law:?} holds, broken: {broken:?}", scenario.name));
    println!(
        "{}: {law:?} is broken after {} steps, {} states\n  {}",
        scenario.name,
        way.len(),
        walk.states,
        way.join("\n  ")
    );
}
