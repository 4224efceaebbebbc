//! The policy document: reading, checking, merging, writing, linting.
//!
//! A document is JSON with comments. [`load`] reads every layer, reports what is wrong where it stands, and merges
//! them into one [`Book`]; [`document`] writes a book as one document again, [`digest`] names it, [`lint`] tells what
//! is valid and still not what its author meant.

mod check;
mod field;
mod findings;
mod hosted;
mod lint;
mod merge;
mod names;
mod near;
mod open;
mod part;
mod restrict;
mod rule;
#[cfg(not(target_family = "wasm"))]
mod schema;
mod source;
mod syntax;
mod write;

use crate::json;
use crate::rules::model::{Book, Diagnostic, List, Severity};

pub use lint::lint;
pub use open::{Opened, Summary, open, review};
#[cfg(not(target_family = "wasm"))]
pub use schema::schema;
pub use write::{digest, document};

/// One document and what may be believed of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Layer {
    /// Its name in diagnostics and origins; may be empty.
    pub name: String,
    /// JSON with `//` and `/* */` comments.
    pub text: String,
    /// It may only make the policy stricter; the rest of it is reported and ignored.
    pub restrict: bool,
    /// Lines and columns mean something to its author; false for an object that the host wrote as text.
    pub positions: bool,
}

json::object!(closed Layer {
    name = String::new(),
    text,
    restrict = false,
    positions = true,
});

/// How layers are read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// False: a malformed allow rule is a warning and dropped.
    pub strict: bool,
    /// Every tool the host has; a server's as `mcp__server__tool` or `server/tool`. Absent: not known.
    pub tools: Option<Vec<String>>,
}

json::object!(closed Options {
    strict = true,
    tools,
});

impl Default for Options {
    fn default() -> Self {
        Self {
            strict: true,
            tools: None,
        }
    }
}

/// What was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Loaded {
    /// The merged policy; not to be used when a diagnostic is an error.
    pub book: Book,
    /// In the order of the layers, lines and columns.
    pub diagnostics: Vec<Diagnostic>,
}

/// How much a policy says.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Deny rules.
    pub deny: usize,
    /// Ask rules.
    pub ask: usize,
    /// Allow rules.
    pub allow: usize,
    /// Tools with a tier.
    pub tiers: usize,
}

json::written!(Counts {
    deny,
    ask,
    allow,
    tiers,
});

/// Reads, checks and merges layers, the most trusted first.
#[must_use]
pub fn load(layers: &[Layer], options: &Options) -> Loaded {
    let mut findings = findings::Findings::default();
    let mut parts = Vec::new();
    for (index, layer) in (0..).zip(layers) {
        parts.push(part::read(index, layer, options, &mut findings));
    }
    let merged = merge::merge(parts, options, &mut findings);
    if let Some(tools) = &options.tools {
        hosted::check(&merged.book, &merged.keys, tools, Severity::Error, &mut findings);
    }
    Loaded {
        book: merged.book,
        diagnostics: findings.sorted(),
    }
}

/// Counts the rules and tiers of a book.
#[must_use]
pub fn counts(book: &Book) -> Counts {
    let rules = |list: List| book.rules.iter().filter(|rule| rule.list == list).count();
    Counts {
        deny: rules(List::Deny),
        ask: rules(List::Ask),
        allow: rules(List::Allow),
        tiers: book.tiers.len(),
    }
}
