//! The chain alone: a decision, why, what would change it.

mod check;
mod words;

pub use check::{Answer, Explanation, Offered, Preview, Question, RuleDecision, Want, ask};
pub use words::{human, log, model, reason};
