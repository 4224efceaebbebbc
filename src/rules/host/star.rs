//! A text with wildcards: read and compared as rule contents are, but that a final ` *` means a blank.

use crate::rules::pattern::{Shape, segments};

/// Literal runs with any run between them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Stars {
    /// Never empty; one segment is an exact text.
    segments: Vec<String>,
}

impl Stars {
    /// Reads `*` as any run; of the backslashes directly before one, pairs are literal and an odd one makes the star literal.
    pub fn parse(text: &str) -> Self {
        Self {
            segments: segments(text),
        }
    }

    /// There is no wildcard.
    pub fn is_exact(&self) -> bool {
        self.segments.len() == 1
    }

    /// The literal runs, in order.
    pub fn segments(&self) -> &[String] {
        &self.segments
    }

    /// The whole text matches.
    pub fn matches(&self, text: &str) -> bool {
        Shape::of(&self.segments).is_some_and(|shape| shape.matches(text))
    }
}
