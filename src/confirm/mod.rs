//! A confirmation's life: `reduce(record, event) -> (record, commands)`, pure.
//!
//! One record per confirmation, stored on its own with its own version. Every change is load, reduce, save if the
//! version is still the one that was loaded; only the writer whose save succeeded runs the commands.

mod command;
mod decide;
mod duplicate;
mod event;
mod record;
mod reduce;
mod resumption;
mod tombstone;
mod view;

pub use command::{Command, Reduced};
pub use duplicate::{Duplicate, Found, Repeat, Stored, Survey, duplicate, survey};
pub use event::{Answer, Edited, Ending, Event, Moment, Offer, Request};
pub use record::{Decision, Execution, Record, Remembered, Stage};
pub use reduce::reduce;
pub use resumption::{Resumption, ResumptionEvent, reduce_resumption};
pub use tombstone::Tombstone;
pub use view::{View, view};
