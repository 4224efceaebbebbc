//! What more than one test file asks.

use ackgate::policy::{Layer, Options, document, load};
use ackgate::rules::{Book, Severity};

/// A merged document, read again, is the same book, and refuses nothing.
pub fn reads_back(book: &Book) -> Result<(), String> {
    let layer = Layer {
        text: document(book).to_string(),
        ..Layer::default()
    };
    let again = load(&[layer], &Options::default());
    if let Some(error) = again.diagnostics.iter().find(|found| found.severity == Severity::Error) {
        return Err(format!("what was written does not load: {}", error.message));
    }
    let (before, after) = (placeless(book), placeless(&again.book));
    if before == after {
        return Ok(());
    }
    Err(format!("written and read again: {after:?} instead of {before:?}"))
}

/// The book without origins, and in one order where order means nothing.
fn placeless(book: &Book) -> Book {
    let mut book = book.clone();
    for rule in &mut book.rules {
        rule.origin = Default::default();
        rule.examples.sort_by_key(|example| !example.matches);
        for example in &mut rule.examples {
            example.origin = Default::default();
        }
    }
    book.rules.sort_by_key(|rule| rule.list);
    for spec in book.allowed_tools.iter_mut().chain(&mut book.disallowed_tools) {
        spec.origin = Default::default();
    }
    for specs in [&mut book.allowed_tools, &mut book.disallowed_tools] {
        specs.sort_by(|a, b| (&a.tool, &a.server).cmp(&(&b.tool, &b.server)));
    }
    book
}
