//! From layers to a policy that judges.

use crate::error::Error;
use crate::json;
use crate::rules::{Diagnostic, Environment, Policy, Severity};
use crate::tier::Tier;

use super::{Counts, Layer, Options, counts, digest, lint, load};

/// What is known of a policy that loaded.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// Lower-case hex SHA-256 of the merged document.
    pub digest: String,
    /// How many rules and tiers it has.
    pub counts: Counts,
    /// A rule or a name set is in it.
    pub has_rules: bool,
    /// The tier of tools it does not list.
    pub default_tier: Option<Tier>,
}

json::written!(Summary {
    digest,
    counts,
    has_rules,
    default_tier or nothing,
});

/// The policy with its summary, and what was found.
pub type Opened = (Option<(Policy, Summary)>, Vec<Diagnostic>);

/// Loads, merges and compiles layers. The policy is absent when a diagnostic is an error.
///
/// # Errors
/// `internal` only: what is wrong with the layers is a diagnostic.
pub fn open(layers: &[Layer], options: &Options, environment: &Environment) -> Result<Opened, Error> {
    let loaded = load(layers, options);
    let mut diagnostics = loaded.diagnostics;
    if refuses(&diagnostics) {
        return Ok((None, diagnostics));
    }
    let (digest, counts) = (digest(&loaded.book)?, counts(&loaded.book));
    match Policy::compile(loaded.book, environment) {
        Ok(policy) => {
            let (has_rules, default_tier) = (policy.has_rules(), policy.default_tier());
            let summary = Summary {
                digest,
                counts,
                has_rules,
                default_tier,
            };
            Ok((Some((policy, summary)), diagnostics))
        }
        Err(found) => {
            diagnostics.extend(found);
            Ok((None, diagnostics))
        }
    }
}

/// Everything there is to say about layers: what loading finds, and what is likely not meant.
#[must_use]
pub fn review(layers: &[Layer], options: &Options, environment: &Environment) -> Vec<Diagnostic> {
    let loaded = load(layers, options);
    let mut diagnostics = loaded.diagnostics;
    if !refuses(&diagnostics) {
        diagnostics.extend(lint(&loaded.book, environment, options.tools.as_deref()));
        diagnostics.extend(Policy::compile(loaded.book, environment).err().into_iter().flatten());
    }
    diagnostics
}

fn refuses(diagnostics: &[Diagnostic]) -> bool {
    diagnostics
        .iter()
        .any(|diagnostic| diagnostic.severity == Severity::Error)
}
