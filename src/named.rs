//! Names as a set and as keys. Both stand on the tree under JSON objects, which the module has anyhow: each other
//! instance of a `BTreeMap` is 5 KB of it.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use crate::json::{Faults, Read};

/// Names in ascending order, each with a number: how many came before it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Names(Map<String, Value>);

impl Names {
    /// Adds a name; whether it is new.
    pub fn insert(&mut self, name: String) -> bool {
        let before = self.len();
        self.number(name) == before
    }

    /// The number of a name, which is added if it is new.
    pub fn number(&mut self, name: String) -> usize {
        self.get(&name).unwrap_or_else(|| {
            let number = self.0.len();
            self.0.insert(name, number.into());
            number
        })
    }

    /// The number of a name.
    pub fn get(&self, name: &str) -> Option<usize> {
        self.0.get(name).and_then(number)
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn contains(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    pub fn iter(&self) -> impl Iterator<Item = &String> {
        self.0.keys()
    }
}

fn number(value: &Value) -> Option<usize> {
    value.as_u64().and_then(|number| usize::try_from(number).ok())
}

/// Values by name, in the names' ascending order.
#[derive(Clone)]
pub struct Named<V> {
    // INVARIANT: a name's number is the position of its value.
    names: Names,
    values: Vec<V>,
}

impl<V> Named<V> {
    /// No value.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The value of a name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&V> {
        self.names.get(name).and_then(|at| self.values.get(at))
    }

    /// A value has this name.
    #[must_use]
    pub fn contains_key(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    /// Sets the value of a name.
    pub fn insert(&mut self, name: String, value: V) {
        let at = self.names.number(name);
        match self.values.get_mut(at) {
            Some(known) => *known = value,
            None => self.values.push(value),
        }
    }

    /// Changes the value of a name, or what stands in for it until it is set.
    pub fn change(&mut self, name: String, change: impl FnOnce(&mut V))
    where
        V: Default,
    {
        let at = self.names.number(name);
        if at == self.values.len() {
            self.values.push(V::default());
        }
        if let Some(value) = self.values.get_mut(at) {
            change(value);
        }
    }

    /// No value is in it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// How many values are in it.
    #[must_use]
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Every name.
    pub fn keys(&self) -> impl Iterator<Item = &String> {
        self.names.iter()
    }

    /// Every name and its value.
    pub fn iter(&self) -> impl Iterator<Item = (&String, &V)> {
        let at = |(name, at)| Some((name, self.values.get(number(at)?)?));
        self.names.0.iter().filter_map(at)
    }

    /// Every value, in no order.
    pub(crate) fn values_mut(&mut self) -> &mut [V] {
        &mut self.values
    }
}

impl<V> Default for Named<V> {
    fn default() -> Self {
        Self {
            names: Names::default(),
            values: Vec::new(),
        }
    }
}

impl<V: fmt::Debug> fmt::Debug for Named<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl<V: PartialEq> PartialEq for Named<V> {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().eq(other.iter())
    }
}

impl<V: Eq> Eq for Named<V> {}

impl<V> FromIterator<(String, V)> for Named<V> {
    fn from_iter<I: IntoIterator<Item = (String, V)>>(values: I) -> Self {
        let mut named = Self::default();
        for (name, value) in values {
            named.insert(name, value);
        }
        named
    }
}

impl<V: Serialize> Serialize for Named<V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

impl<'de, V: Deserialize<'de>> Deserialize<'de> for Named<V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let values = std::collections::BTreeMap::deserialize(deserializer)?;
        Ok(values.into_iter().collect())
    }
}

impl<V: Read> Read for Named<V> {
    fn read(value: Option<Value>, faults: &mut Faults) -> Self {
        let mut named = Self::default();
        match value {
            Some(Value::Object(fields)) => {
                for (name, value) in fields {
                    named.insert(name, V::read(Some(value), faults));
                }
            }
            other => faults.wrong("an object", other.as_ref()),
        }
        named
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_one_value() {
        let mut named = Named::new();
        for (name, value) in [("b", 1), ("a", 2), ("b", 3)] {
            named.insert(name.to_owned(), value);
        }
        named.change("c".to_owned(), |value| *value += 4);
        named.change("a".to_owned(), |value| *value += 4);
        let listed: Vec<_> = named.iter().map(|(name, value)| (name.as_str(), *value)).collect();
        assert_eq!(listed, [("a", 6), ("b", 3), ("c", 4)]);
        assert_eq!((named.get("a"), named.get("d"), named.len()), (Some(&6), None, 3));
        let again = [("c", 4), ("b", 3), ("a", 6)].map(|(name, value)| (name.to_owned(), value));
        assert_eq!(named, again.into_iter().collect());
    }

    #[test]
    fn names_are_numbered_as_they_come() {
        let mut names = Names::default();
        assert!(names.insert("b".into()) && names.insert("a".into()) && !names.insert("b".into()));
        assert_eq!((names.number("a".into()), names.number("c".into())), (1, 2));
        assert_eq!((names.get("c"), names.get("d")), (Some(2), None));
        assert!(names.iter().eq(["a", "b", "c"]));
    }
}
