use serde_json::Value;

use super::fault::Fault;
use super::strict::MAX_DEPTH;
use super::writer::{double, string};
use crate::sort;

/// Appends the RFC 8785 form of `value`, which lies `depth` arrays and objects deep.
pub(super) fn canonical(value: &Value, depth: usize, out: &mut String) -> Result<(), Fault> {
    // INVARIANT: the recursion ends here whoever built the value. The outermost array is the caller's own.
    if depth > MAX_DEPTH + 1 {
        return Err(Fault(format!("nested deeper than {MAX_DEPTH} levels")));
    }
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        // Every number is the double that ECMAScript reads.
        Value::Number(number) => double(number.as_f64().unwrap_or_default(), out),
        Value::String(text) => string(text, out),
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                separate(index, out);
                canonical(item, depth + 1, out)?;
            }
            out.push(']');
        }
        Value::Object(fields) => {
            let mut sorted: Vec<_> = fields.iter().collect();
            sort::by(&mut sorted, |(a, _), (b, _)| a.encode_utf16().cmp(b.encode_utf16()));
            out.push('{');
            for (index, (name, field)) in sorted.into_iter().enumerate() {
                separate(index, out);
                string(name, out);
                out.push(':');
                canonical(field, depth + 1, out)?;
            }
            out.push('}');
        }
    }
    Ok(())
}

fn separate(index: usize, out: &mut String) {
    if index > 0 {
        out.push(',');
    }
}
