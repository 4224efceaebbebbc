use std::io::{self, Write};

use serde::Serialize;
use serde_json::Serializer;
use serde_json::ser::Formatter;

use super::fault::Fault;

/// Compact, and a double reads as ECMAScript prints it.
struct Ecma;

impl Formatter for Ecma {
    fn write_f64<W: Write + ?Sized>(&mut self, writer: &mut W, value: f64) -> io::Result<()> {
        writer.write_all(ryu_js::Buffer::new().format_finite(value).as_bytes())
    }
}

pub(super) fn write<T: Serialize + ?Sized>(value: &T) -> Result<String, Fault> {
    let mut text = Vec::new();
    value.serialize(&mut Serializer::with_formatter(&mut text, Ecma))?;
    String::from_utf8(text).map_err(|_| Fault("the text written is not UTF-8".into()))
}

/// Appends a text with its quotes.
pub(super) fn string(text: &str, out: &mut Vec<u8>) -> Result<(), Fault> {
    Ok(text.serialize(&mut Serializer::with_formatter(out, Ecma))?)
}

/// Appends a finite number.
pub(super) fn double(number: f64, out: &mut Vec<u8>) {
    out.extend_from_slice(ryu_js::Buffer::new().format_finite(number).as_bytes());
}
