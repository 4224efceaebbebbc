//! The rule chain: allow, ask or deny from data, for one call.
//!
//! [`Policy`] is a document compiled; [`decide`] walks the rows of [`chain`]. Below it, [`subject`] reads what of a call
//! is compared, [`restrict`] looks for what forbids or asks, [`permit`] for what lets run.

pub mod answers;
pub mod chain;
pub mod command_form;
pub mod compiled;
pub mod decide;
pub mod decision;
pub mod host;
pub mod index;
pub mod model;
pub mod path;
pub mod pattern;
pub mod permit;
pub mod programs;
pub mod restrict;
mod rough;
pub mod ruleset;
pub mod selector;
pub mod shell;
pub mod spelling;
pub mod subject;
pub mod suggest;

pub use compiled::{Declared, Policy};
pub use decide::decide;
pub use decision::{Cited, Decision, Facts, Hook, Judged, Progress, Seen, SessionAllow, Sessions, Stage};
pub use model::{Behavior, Book, Diagnostic, Environment, Mode, Severity};
pub use selector::ToolName;
pub use subject::RealPaths;
pub use suggest::{Offer, suggest};
