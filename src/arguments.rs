//! What may be called a tool's arguments: one JSON object that says the same to every reader.

use serde_json::Value;

use crate::json;

/// Objects and arrays may be nested so deep.
pub const MAX_DEPTH: usize = json::MAX_DEPTH;
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
        let value = json::parse(text).map_err(|error| syntax(&error.to_string()))?;
        if !value.is_object() {
            return Err(format!(
                "the arguments are {}, they must be one JSON object",
                json::kind(&value)
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
    let Some(double) = json::double(number) else {
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
