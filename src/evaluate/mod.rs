//! Judges one tool call as a step machine: the core asks, the host answers, nothing is kept in between but [`State`].

mod grants;
mod machine;
mod rules;
mod state;
mod step;
mod suggest;

pub use machine::{begin, resume};
pub use state::{Setup, State, TraceEntry};
pub use step::{Answer, Outcome, Step, StepResult};
