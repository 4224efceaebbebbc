//! What may be called a tool's arguments: one JSON object that says the same to every reader.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// Objects and arrays may be nested so deep.
pub const MAX_DEPTH: usize = 128;
/// The default limit of the arguments' text, in bytes.
pub const DEFAULT_BYTES: usize = 1 << 20;

/// Arguments that passed every check.
#[derive(Debug, Clone, PartialEq)]
pub struct Arguments {
    text: String,
    value: Value,
}

impl Arguments {
    /// Reads the text the model wrote. Empty text is `{}`.
    ///
    /// # Errors
    /// A sentence that says what is wrong, without any argument's value: not JSON, not one object, a key twice, nested
    /// over [`MAX_DEPTH`], over `limit` bytes, an unpaired surrogate, a number a double can't carry.
    pub fn read(text: &str, limit: usize) -> Result<Self, String> {
        if text.len() > limit {
            return Err(format!(
                "the arguments have {} bytes, more than the limit of {limit}",
                text.len()
            ));
        }
        let text = if text.is_empty() { "{}" } else { text };
        let mut reader = serde_json::Deserializer::from_str(text);
        // INVARIANT: Strict counts the depth itself, so that exactly MAX_DEPTH passes; the stack stays bounded by it.
        reader.disable_recursion_limit();
        let value = Strict { depth: 0 }
            .deserialize(&mut reader)
            .and_then(|value| reader.end().map(|()| value))
            .map_err(|error| syntax(&error.to_string()))?;
        if !value.is_object() {
            return Err(format!(
                "the arguments are {}, they must be one JSON object",
                kind(&value)
            ));
        }
        check_numbers(text)?;
        Ok(Self {
            text: text.to_owned(),
            value,
        })
    }

    /// The text that was read; what was judged is what is executed.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The value it says.
    #[must_use]
    pub fn value(&self) -> &Value {
        &self.value
    }
}

const NUMBER: &str = "a number in the arguments loses its value when it is read as a double; send it as a string";

/// The parser itself refuses what is infinite as a double, with a word of its own.
fn syntax(error: &str) -> String {
    if error.starts_with("number out of range") {
        return NUMBER.into();
    }
    format!("the arguments are not acceptable JSON: {error}")
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// Every number must be the one ECMAScript prints after reading it: what a tool computes with is what was judged.
fn check_numbers(text: &str) -> Result<(), String> {
    let (mut rest, mut in_string) = (text, false);
    while let Some(byte) = rest.bytes().next() {
        let length = match (in_string, byte) {
            (true, b'\\') => 2,
            (_, b'"') => {
                in_string = !in_string;
                1
            }
            (false, b'-' | b'0'..=b'9') => {
                let end = rest
                    .find(|c: char| !matches!(c, '0'..='9' | '-' | '+' | '.' | 'e' | 'E'))
                    .unwrap_or(rest.len());
                let number = rest.get(..end).unwrap_or(rest);
                if !survives(number) {
                    return Err(NUMBER.into());
                }
                end
            }
            _ => rest.chars().next().map_or(1, char::len_utf8),
        };
        rest = rest.get(length..).unwrap_or("");
    }
    Ok(())
}

fn survives(number: &str) -> bool {
    let Ok(double) = number.parse::<f64>() else {
        return false;
    };
    if !double.is_finite() {
        return false;
    }
    let mut buffer = ryu_js::Buffer::new();
    decimal(number) == decimal(buffer.format_finite(double))
}

/// A decimal as (negative, significant digits, exponent of the last digit); zero has no digits and no sign.
fn decimal(number: &str) -> (bool, String, i64) {
    let (negative, number) = number.strip_prefix('-').map_or((false, number), |rest| (true, rest));
    let (mantissa, exponent) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let significant = digits.trim_start_matches('0').trim_end_matches('0');
    if significant.is_empty() {
        return (false, String::new(), 0);
    }
    let trailing = digits.len() - digits.trim_end_matches('0').len();
    // An exponent outside i64 belongs to a number that is zero or infinite as a double: the digits differ already.
    let exponent = exponent.parse::<i64>().unwrap_or(i64::MAX / 2);
    let scale = i64::try_from(trailing).unwrap_or(0) - i64::try_from(fraction.len()).unwrap_or(0);
    (negative, significant.to_owned(), exponent.saturating_add(scale))
}

/// Reads a JSON value and refuses a key that appears twice and too deep a nesting.
struct Strict {
    depth: usize,
}

impl Strict {
    fn deeper<E: serde::de::Error>(&self) -> Result<usize, E> {
        let depth = self.depth + 1;
        if depth > MAX_DEPTH {
            return Err(E::custom(format!("nested deeper than {MAX_DEPTH} levels")));
        }
        Ok(depth)
    }
}

impl<'de> DeserializeSeed<'de> for Strict {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value)
            .map(Value::Number)
            .ok_or_else(|| E::custom("a number out of range"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let depth = self.deeper()?;
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(Strict { depth })? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let depth = self.deeper()?;
        let mut map = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            let value = entries.next_value_seed(Strict { depth })?;
            if map.contains_key(&key) {
                return Err(A::Error::custom(format!("the key `{key}` appears twice")));
            }
            map.insert(key, value);
        }
        Ok(Value::Object(map))
    }
}
