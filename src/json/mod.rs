//! JSON text to values and back, each in one place.
//!
//! All text is read by one strict parser into one [`Value`], and our types take themselves out of that with [`object!`],
//! [`variants!`] and [`words!`], which write them too; [`written!`] is for those that are only written. Derived code would cost the module ten times the code.

mod any;
mod canonical;
mod decimal;
mod fault;
mod fields;
mod macros;
mod read;
mod scan;
mod strict;
#[cfg(all(test, not(target_family = "wasm")))]
mod tests;
mod writer;

use serde_json::Value;

pub(crate) use any::any;
pub(crate) use fault::{Fault, Faults, kind};
pub(crate) use fields::Fields;
pub(crate) use macros::{deserialize, field, object, put, serialize, variant, variants, words, written};
pub(crate) use read::Read;
pub(crate) use scan::{Scanner, Wrong};
pub(crate) use strict::{MAX_DEPTH, parse};
pub use writer::Raw;
pub(crate) use writer::{Write, Writer, serialize as serialize_with};

/// Reads a type of ours.
///
/// # Errors
/// As [`parse`], and for a value that is no `T`.
#[cfg_attr(not(feature = "wasm"), allow(dead_code, reason = "only the boundary reads text"))]
pub(crate) fn read<T: Read>(text: &str) -> Result<T, Fault> {
    from(parse(text)?)
}

/// Reads a type of ours from a value.
///
/// # Errors
/// For a value that is no `T`.
pub(crate) fn from<T: Read>(value: Value) -> Result<T, Fault> {
    let mut faults = Faults::default();
    let read = T::read(Some(value), &mut faults);
    // INVARIANT: the only way out of a reading. What stands in for an unreadable part ends here.
    faults.none().map(|()| read)
}

/// Reads one number as a double, rounded as [`parse`] rounds it. `None` for what is no finite number.
pub(crate) fn double(number: &str) -> Option<f64> {
    parse(number).ok()?.as_f64()
}

/// Writes a value as text. Doubles are written as ECMAScript writes them.
#[cfg_attr(not(feature = "wasm"), allow(dead_code, reason = "only the boundary writes"))]
pub(crate) fn write(value: &dyn Write) -> String {
    writer::text(value)
}

/// Writes a value in the form of RFC 8785: without blanks, keys sorted by UTF-16, numbers as ECMAScript writes them.
///
/// # Errors
/// Nested over [`MAX_DEPTH`], which nothing is that was read here; one array or object around such a value is fine.
pub(crate) fn canonical(value: &Value) -> Result<Vec<u8>, Fault> {
    let mut text = String::new();
    canonical::canonical(value, 0, &mut text)?;
    Ok(text.into_bytes())
}
