//! The one error type of the core.

use std::fmt;

/// What a pure function refuses, with the stable code hosts switch on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Error {
    /// The input is not what the function takes; the text names the thing.
    BadRequest(String),
    /// A stored record can't be read; it is never overwritten.
    StateCorrupt(String),
    /// The confirmation was decided or ended before, with another outcome.
    AlreadySettled(String),
    /// The event does not fit the record's present stage.
    Conflict(String),
    /// Another instance holds the record.
    TakenOver(String),
    /// A fault of this crate.
    Internal(String),
}

impl Error {
    /// The stable code, a word of the wire contract.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::BadRequest(_) => "bad_request",
            Self::StateCorrupt(_) => "state_corrupt",
            Self::AlreadySettled(_) => "already_settled",
            Self::Conflict(_) => "conflict",
            Self::TakenOver(_) => "taken_over",
            Self::Internal(_) => "internal",
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BadRequest(text)
            | Self::StateCorrupt(text)
            | Self::AlreadySettled(text)
            | Self::Conflict(text)
            | Self::TakenOver(text)
            | Self::Internal(text) => f.write_str(text),
        }
    }
}

impl std::error::Error for Error {}
