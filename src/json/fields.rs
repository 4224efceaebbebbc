use serde_json::{Map, Value};

use super::fault::Faults;
use super::read::Read;

/// The fields of an object that is being read. Names are given as Rust writes them and looked up in camelCase.
pub(crate) struct Fields<'a> {
    left: Vec<(String, Value)>,
    faults: &'a mut Faults,
}

impl<'a> Fields<'a> {
    /// The fields of `value`; a fault and none where it is no object.
    pub(crate) fn of(value: Option<Value>, faults: &'a mut Faults) -> Self {
        let left = match value {
            Some(Value::Object(fields)) => fields.into_iter().collect(),
            other => {
                faults.wrong("an object", other.as_ref());
                Vec::new()
            }
        };
        Self { left, faults }
    }

    /// One field, by its type: an `Option` may be absent.
    pub(crate) fn take<T: Read>(&mut self, name: &str) -> T {
        let value = self.remove(name);
        T::read(value, self.faults)
    }

    /// One field, or `default` where it is absent.
    pub(crate) fn take_or<T: Read>(&mut self, name: &str, default: T) -> T {
        match self.remove(name) {
            None => default,
            value => T::read(value, self.faults),
        }
    }

    fn remove(&mut self, name: &str) -> Option<Value> {
        self.faults.field.clear();
        camel_case(name, &mut self.faults.field);
        let at = self.left.iter().position(|(known, _)| *known == self.faults.field)?;
        Some(self.left.remove(at).1)
    }

    /// The word in the field `name`, which says what the others are. `None` and a fault where it is none of `known`.
    pub(crate) fn variant(&mut self, name: &str, known: &[&'static str]) -> Option<&'static str> {
        let word: String = self.take(name);
        let found = known.iter().find(|known| {
            let mut known_word = String::new();
            camel_case(known, &mut known_word);
            known_word == word
        });
        if found.is_none() {
            self.faults.unknown_word(&word);
        }
        found.copied()
    }

    /// The object without what was taken, as the source of one value.
    pub(crate) fn whole<T: Read>(mut self) -> T {
        T::read(Some(Value::Object(self.rest())), self.faults)
    }

    /// What was not taken.
    pub(crate) fn rest(&mut self) -> Map<String, Value> {
        let mut rest = Map::new();
        for (name, value) in self.left.drain(..) {
            rest.insert(name, value);
        }
        rest
    }

    /// Ends the reading of an object that may have fields of a later version.
    pub(crate) fn open(self) {}

    /// Ends the reading of an object that may have no other field.
    pub(crate) fn closed(self) {
        if let Some(name) = self.left.first().map(|(name, _)| name) {
            self.faults.unknown_field(name);
        }
    }
}

/// Appends `tool_name` and `ToolName` as `toolName`.
pub(super) fn camel_case(name: &str, out: &mut String) {
    let (mut first, mut upper) = (true, false);
    for character in name.chars() {
        match character {
            '_' => upper = true,
            _ if std::mem::take(&mut first) => out.push(character.to_ascii_lowercase()),
            _ if std::mem::take(&mut upper) => out.push(character.to_ascii_uppercase()),
            _ => out.push(character),
        }
    }
}
