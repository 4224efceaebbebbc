//! Every interleaving of two instances, a store, a person and a crash, over the real reducer in a driver's order of
//! load, reduce, save and commands: a small scope, searched to its end.
#![cfg(not(target_family = "wasm"))]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::wildcard_enum_match_arm,
    reason = "a test fails by it"
)]

#[path = "explore/around.rs"]
mod around;
#[path = "explore/calls.rs"]
mod calls;
#[path = "explore/changes.rs"]
mod changes;
#[path = "explore/driver.rs"]
mod driver;
#[path = "explore/engine.rs"]
mod engine;
#[path = "explore/events.rs"]
mod events;
#[path = "explore/key.rs"]
mod key;
#[path = "explore/laws.rs"]
mod laws;
#[path = "explore/names.rs"]
mod names;
#[path = "explore/scenario.rs"]
mod scenario;
#[path = "explore/task.rs"]
mod task;
#[path = "explore/walk.rs"]
mod walk;
#[path = "explore/world.rs"]
mod world;

use laws::Law;
use scenario::{Fault, Scenario};

const ONCE: [Option<bool>; 2] = [Some(true), None];
const NO_THEN_YES: [Option<bool>; 2] = [Some(false), Some(true)];

/// Everything that may happen at once: a second call with the same id, a stop, a policy that begins to deny.
const fn busy(name: &'static str) -> Scenario {
    Scenario {
        answers: ONCE,
        repeat: true,
        stop: true,
        policy: true,
        ..Scenario::named(name)
    }
}

#[test]
fn a_repeated_yes() {
    walk::holds(&Scenario::named("a repeated yes"));
}

#[test]
fn a_repeated_yes_to_an_idempotent_tool() {
    let name = "a repeated yes to an idempotent tool";
    walk::holds(&Scenario {
        idempotent: true,
        ..Scenario::named(name)
    });
}

#[test]
fn a_no_and_a_yes() {
    walk::holds(&Scenario {
        answers: NO_THEN_YES,
        ..Scenario::named("a no and a yes")
    });
}

#[test]
fn everything_at_once() {
    walk::holds(&busy("everything at once"));
}

/// Without a stop, which ends nothing that was started.
#[test]
fn nearly_everything_at_once_with_an_idempotent_tool() {
    let scenario = busy("nearly everything at once with an idempotent tool");
    walk::holds(&Scenario {
        idempotent: true,
        stop: false,
        ..scenario
    });
}

#[test]
fn everything_at_once_with_an_approval_for_a_caller() {
    walk::holds(&Scenario {
        hand_over: true,
        ..busy("everything at once with an approval for a caller")
    });
}

#[test]
fn every_order_gives_the_same_records() {
    let some = Scenario {
        answers: ONCE,
        stop: true,
        ..Scenario::named("some orders")
    };
    let every = Scenario {
        every_order: true,
        name: "every order",
        ..some
    };
    let (some, every) = (walk::holds(&some), walk::holds(&every));
    assert!(some.states < every.states);
    assert_eq!(some.records, every.records);
}

#[test]
fn a_tool_without_a_claim() {
    let scenario = Scenario::named("a tool without a claim").with(Fault::NoClaim);
    walk::breaks(&scenario, Law::Starts);
}

#[test]
fn a_save_that_does_not_look() {
    let scenario = Scenario::named("a save that does not look").with(Fault::BlindSave);
    walk::breaks(&scenario, Law::Decision);
    walk::breaks(&scenario, Law::Starts);
    walk::breaks(&scenario, Law::Writes);
}

#[test]
fn commands_before_the_save() {
    let scenario = Scenario::named("commands before the save").with(Fault::CommandsFirst);
    walk::breaks(&scenario, Law::Starts);
    walk::breaks(&scenario, Law::Writes);
}

#[test]
fn an_event_by_the_loser() {
    let scenario = Scenario {
        stop: true,
        ..Scenario::named("an event by the loser")
    }
    .with(Fault::LoserFires);
    walk::breaks(&scenario, Law::Terminal);
}

#[test]
fn an_answer_told_before_it_is_saved() {
    let scenario = Scenario::named("an answer told before it is saved").with(Fault::AnswerFirst);
    walk::breaks(&scenario, Law::Decision);
}

#[test]
fn nobody_carries_on() {
    let scenario = Scenario::named("nobody carries on").with(Fault::NobodyCarriesOn);
    walk::breaks(&scenario, Law::Settles);
}

#[test]
fn a_finish_with_any_fence() {
    let scenario = Scenario {
        idempotent: true,
        ..Scenario::named("a finish with any fence")
    }
    .with(Fault::AnyFence);
    walk::breaks(&scenario, Law::Writes);
}
