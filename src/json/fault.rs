use std::fmt;

use serde_json::Value;

/// What is wrong with a text or a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault(pub(super) String);

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<serde_json::Error> for Fault {
    fn from(error: serde_json::Error) -> Self {
        Self(error.to_string())
    }
}

/// The first fault of a reading, which goes on with something in its place: so a type needs no code for what to do when
/// one of its fields can't be read. [`super::from`] gives nothing away that was read with a fault.
#[derive(Default)]
pub(crate) struct Faults {
    first: Option<Fault>,
    /// The field that is being read; empty outside of objects.
    pub(super) field: String,
}

impl Faults {
    pub(super) fn none(self) -> Result<(), Fault> {
        self.first.map_or(Ok(()), Err)
    }

    /// Notes that `found` is not `wanted`.
    #[cold]
    pub(crate) fn wrong(&mut self, wanted: &str, found: Option<&Value>) {
        let what = if self.field.is_empty() {
            "it".to_owned()
        } else {
            format!("`{}`", self.field)
        };
        match found {
            None => self.note(format!("{what} is missing, it must be {wanted}")),
            Some(found) => self.note(format!("{what} is {}, it must be {wanted}", kind(found))),
        }
    }

    /// Notes a word that is not one of the field's.
    #[cold]
    pub(crate) fn unknown_word(&mut self, word: &str) {
        self.note(format!("`{}` can't be `{word}`", self.field));
    }

    #[cold]
    pub(super) fn too_big(&mut self) {
        self.note(format!("`{}` is too big a number", self.field));
    }

    #[cold]
    pub(super) fn unknown_field(&mut self, name: &str) {
        self.note(format!("there is no field `{name}`"));
    }

    fn note(&mut self, text: String) {
        self.first.get_or_insert(Fault(text));
    }
}

/// A value's kind in words, with its article.
pub(crate) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}
