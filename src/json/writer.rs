use std::fmt::Write as _;

use serde::Serialize;
use serde_json::{Map, Value};

use super::fields::camel_case;
use crate::named::Named;

/// What can be written as JSON. Derived writing would cost the module twice the code.
pub(crate) trait Write {
    /// Writes it.
    fn write(&self, out: &mut Writer);

    /// It is absent, empty or zero, and may be left out where that says the same.
    fn is_nothing(&self) -> bool {
        false
    }
}

/// A JSON text while it is written.
#[derive(Default)]
pub(crate) struct Writer {
    text: String,
    /// The fields of the next object belong to the one that is open.
    flat: bool,
}

pub(super) fn text(value: &dyn Write) -> String {
    let mut out = Writer::default();
    value.write(&mut out);
    out.text
}

/// Lets serde write a type as this crate does.
pub(crate) fn serialize<S: serde::Serializer>(value: &dyn Write, serializer: S) -> Result<S::Ok, S::Error> {
    let value: Value = serde_json::from_str(&text(value)).map_err(serde::ser::Error::custom)?;
    value.serialize(serializer)
}

impl Writer {
    /// Opens an object; what is given back closes it.
    pub(crate) fn open(&mut self) -> bool {
        let flat = std::mem::take(&mut self.flat);
        if !flat {
            self.text.push('{');
        }
        flat
    }

    pub(crate) fn close(&mut self, flat: bool) {
        if !flat {
            self.text.push('}');
        }
    }

    /// Writes a field. Its name is given as Rust writes it.
    pub(crate) fn field(&mut self, name: &str, value: &dyn Write) {
        self.comma();
        self.text.push('"');
        camel_case(name, &mut self.text);
        self.text.push_str("\":");
        value.write(self);
    }

    /// Writes a field unless it is nothing.
    pub(crate) fn some(&mut self, name: &str, value: &dyn Write) {
        if !value.is_nothing() {
            self.field(name, value);
        }
    }

    /// Writes the variant of an enum.
    pub(crate) fn variant(&mut self, tag: &str, name: &str) {
        let mut word = String::new();
        camel_case(name, &mut word);
        self.field(tag, &word);
    }

    /// Writes the fields of another object, if it is there, into the one that is open.
    pub(crate) fn flat(&mut self, value: &dyn Write) {
        if !value.is_nothing() {
            self.flat = true;
            value.write(self);
        }
    }

    /// Separates what comes from what stands there.
    fn comma(&mut self) {
        if !self.text.ends_with(['{', '[']) {
            self.text.push(',');
        }
    }

    /// Writes a field under a name that stays as it is.
    fn entry(&mut self, name: &str, value: &dyn Write) {
        self.comma();
        string(name, &mut self.text);
        self.text.push(':');
        value.write(self);
    }

    fn item(&mut self, value: &dyn Write) {
        self.comma();
        value.write(self);
    }
}

/// Appends a text with its quotes.
pub(super) fn string(text: &str, out: &mut String) {
    out.push('"');
    let mut rest = text;
    while let Some(at) = rest.bytes().position(|byte| matches!(byte, 0..=31 | b'"' | b'\\')) {
        out.push_str(rest.get(..at).unwrap_or_default());
        rest = rest.get(at..).unwrap_or_default();
        let byte = rest.bytes().next().unwrap_or_default();
        rest = rest.get(1..).unwrap_or_default();
        out.push('\\');
        let letter = match byte {
            8 => 'b',
            b'\t' => 't',
            b'\n' => 'n',
            12 => 'f',
            b'\r' => 'r',
            b'"' | b'\\' => char::from(byte),
            _ => {
                out.push_str(if byte < 16 { "u000" } else { "u001" });
                char::from_digit(u32::from(byte & 15), 16).unwrap_or_default()
            }
        };
        out.push(letter);
    }
    out.push_str(rest);
    out.push('"');
}

/// Appends a finite number, as ECMAScript prints it.
pub(super) fn double(number: f64, out: &mut String) {
    out.push_str(ryu_js::Buffer::new().format_finite(number));
}

impl Write for str {
    fn write(&self, out: &mut Writer) {
        string(self, &mut out.text);
    }

    fn is_nothing(&self) -> bool {
        self.is_empty()
    }
}

impl Write for String {
    fn write(&self, out: &mut Writer) {
        self.as_str().write(out);
    }

    fn is_nothing(&self) -> bool {
        self.is_empty()
    }
}

impl Write for bool {
    fn write(&self, out: &mut Writer) {
        out.text.push_str(if *self { "true" } else { "false" });
    }

    fn is_nothing(&self) -> bool {
        !self
    }
}

macro_rules! whole {
    ($($type:ty),*) => {
        $(impl Write for $type {
            fn write(&self, out: &mut Writer) {
                // INVARIANT: a string takes any text.
                let _ = write!(out.text, "{self}");
            }

            fn is_nothing(&self) -> bool {
                *self == 0
            }
        })*
    };
}

whole!(u32, u64, usize);

impl<T: Write + ?Sized> Write for &T {
    fn write(&self, out: &mut Writer) {
        (**self).write(out);
    }

    fn is_nothing(&self) -> bool {
        (**self).is_nothing()
    }
}

impl<T: Write> Write for Box<T> {
    fn write(&self, out: &mut Writer) {
        (**self).write(out);
    }
}

impl<T: Write> Write for Option<T> {
    fn write(&self, out: &mut Writer) {
        match self {
            Some(value) => value.write(out),
            None => out.text.push_str("null"),
        }
    }

    fn is_nothing(&self) -> bool {
        self.is_none()
    }
}

impl<T: Write> Write for [T] {
    fn write(&self, out: &mut Writer) {
        out.text.push('[');
        for item in self {
            out.item(item);
        }
        out.text.push(']');
    }

    fn is_nothing(&self) -> bool {
        self.is_empty()
    }
}

impl<T: Write> Write for Vec<T> {
    fn write(&self, out: &mut Writer) {
        self.as_slice().write(out);
    }

    fn is_nothing(&self) -> bool {
        self.is_empty()
    }
}

impl Write for Map<String, Value> {
    fn write(&self, out: &mut Writer) {
        let flat = out.open();
        for (name, value) in self {
            out.entry(name, value);
        }
        out.close(flat);
    }
}

impl<V: Write> Write for Named<V> {
    fn write(&self, out: &mut Writer) {
        let flat = out.open();
        for (name, value) in self.iter() {
            out.entry(name, value);
        }
        out.close(flat);
    }
}

impl Write for Value {
    fn write(&self, out: &mut Writer) {
        match self {
            Self::Null => out.text.push_str("null"),
            Self::Bool(flag) => flag.write(out),
            Self::Number(number) => match (number.as_u64(), number.as_i64()) {
                (Some(number), _) => number.write(out),
                (None, Some(number)) => {
                    out.text.push('-');
                    number.unsigned_abs().write(out);
                }
                (None, None) => double(number.as_f64().unwrap_or_default(), &mut out.text),
            },
            Self::String(text) => text.write(out),
            Self::Array(items) => items.write(out),
            Self::Object(fields) => fields.write(out),
        }
    }
}

/// JSON that is written as it is.
#[derive(Debug, Clone, Copy)]
pub struct Raw<'a>(&'a str);

impl<'a> Raw<'a> {
    /// A text that is JSON; `None` when it is not.
    pub(crate) fn of(text: &'a str) -> Option<Self> {
        super::parse(text).ok().map(|_| Self(text))
    }
}

impl Write for Raw<'_> {
    fn write(&self, out: &mut Writer) {
        out.text.push_str(self.0);
    }
}
