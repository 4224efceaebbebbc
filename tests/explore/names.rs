//! What the steps of a change are called in a counterexample.

use super::task::At;

pub fn of(at: At, loads: bool) -> &'static str {
    match (at, loads) {
        (At::Request, true) => "loads to ask",
        (At::Request, false) => "saves the question",
        (At::Adopt, true) => "loads to adopt",
        (At::Adopt, false) => "saves the adoption",
        (At::End, true) => "loads to cancel",
        (At::End, false) => "saves the cancel",
        (At::Decide, true) => "loads to decide",
        (At::Decide, false) => "saves the decision",
        (At::Refuse, true) => "loads to refuse",
        (At::Refuse, false) => "saves the refusal",
        (At::Claim, true) => "loads to claim",
        (At::Claim, false) => "saves the claim",
        (At::HandOver, true) => "loads to hand over",
        (At::HandOver, false) => "saves the hand-over",
        (At::RenewFirst, true) => "loads to renew before the start",
        (At::RenewFirst, false) => "saves the renewal before the start",
        (At::Finish, true) => "loads to finish",
        (At::Finish, false) => "saves the finish",
        (At::Lose, true) => "loads to settle a lost run",
        (At::Lose, false) => "saves that the run is lost",
        (_, _) => "does something else",
    }
}
