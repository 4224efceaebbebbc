//! How the house works and why, for people who change it.

pub mod decisions;
pub mod pipeline;
