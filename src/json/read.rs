use serde_json::Value;

use super::fault::Faults;

/// What can be read from a value.
pub(crate) trait Read: Sized {
    /// Reads it from a value, or from the absence of one. Notes a fault and gives anything of the type where that fails.
    fn read(value: Option<Value>, faults: &mut Faults) -> Self;
}

impl Read for String {
    fn read(value: Option<Value>, faults: &mut Faults) -> Self {
        match value {
            Some(Value::String(text)) => text,
            other => {
                faults.wrong("a string", other.as_ref());
                Self::new()
            }
        }
    }
}

impl Faults {
    /// The position of the word that `value` is among those of a field; the first one's after a fault.
    pub(crate) fn word(&mut self, value: Option<Value>, words: &[&str]) -> usize {
        let word = String::read(value, self);
        words.iter().position(|known| *known == word).unwrap_or_else(|| {
            self.unknown_word(&word);
            0
        })
    }
}

impl Read for bool {
    fn read(value: Option<Value>, faults: &mut Faults) -> Self {
        value.as_ref().and_then(Value::as_bool).unwrap_or_else(|| {
            faults.wrong("true or false", value.as_ref());
            false
        })
    }
}

impl Read for u64 {
    fn read(value: Option<Value>, faults: &mut Faults) -> Self {
        value.as_ref().and_then(Value::as_u64).unwrap_or_else(|| {
            faults.wrong("a whole number from 0 on", value.as_ref());
            0
        })
    }
}

/// A whole number that may be too big for the type.
macro_rules! narrow {
    ($($type:ty),*) => {
        $(impl Read for $type {
            fn read(value: Option<Value>, faults: &mut Faults) -> Self {
                Self::try_from(u64::read(value, faults)).unwrap_or_else(|_| {
                    faults.too_big();
                    0
                })
            }
        })*
    };
}

narrow!(u32, usize);

impl Read for Value {
    fn read(value: Option<Value>, faults: &mut Faults) -> Self {
        value.unwrap_or_else(|| {
            faults.wrong("a value", None);
            Self::Null
        })
    }
}

impl<T: Read> Read for Vec<T> {
    fn read(value: Option<Value>, faults: &mut Faults) -> Self {
        match value {
            Some(Value::Array(items)) => items.into_iter().map(|item| T::read(Some(item), faults)).collect(),
            other => {
                faults.wrong("an array", other.as_ref());
                Self::new()
            }
        }
    }
}

impl<T: Read> Read for Option<T> {
    fn read(value: Option<Value>, faults: &mut Faults) -> Self {
        match value {
            None | Some(Value::Null) => None,
            value => Some(T::read(value, faults)),
        }
    }
}

impl<T: Read> Read for Box<T> {
    fn read(value: Option<Value>, faults: &mut Faults) -> Self {
        Self::new(T::read(value, faults))
    }
}
