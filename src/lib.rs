//! `ackgate` decides whether an AI agent's tool call runs, asks a person or is refused.
//!
//! The core decides, the host acts: everything here is a pure function over plain data. No clock, no randomness,
//! no I/O; time and fresh ids are arguments.
//!
//! The house, from the top: [`evaluate`] judges one call step by step, asking its host for tiers, policy sources and
//! grants; [`confirm`] keeps the record of one confirmation; below them stand the words: [`call`], [`arguments`],
//! [`basis`], [`tier`], [`verdict`], [`grant`], [`payload`], [`text`], [`error`]. The feature `wasm` adds the JavaScript boundary.
//! [`manual`] explains the pipeline and the decisions behind it.
#![doc = include_str!("../README.md")]
#![cfg_attr(not(feature = "wasm"), forbid(unsafe_code))]

pub mod arguments;
pub mod basis;
pub mod call;
pub mod confirm;
pub mod error;
pub mod evaluate;
pub mod explain;
pub mod grant;
mod json;
pub mod manual;
mod named;
pub mod payload;
pub mod policy;
pub mod rules;
mod sort;
pub mod text;
pub mod tier;
pub mod verdict;
#[cfg(feature = "wasm")]
mod wasm;

pub use basis::Basis;
pub use call::ToolCall;
pub use confirm::reduce;
pub use error::Error;
pub use evaluate::{Setup, Step, StepResult, begin, resume};
pub use named::Named;
pub use tier::Tier;
pub use verdict::Verdict;
