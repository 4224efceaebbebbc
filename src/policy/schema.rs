//! The JSON Schema of the document, from the same table.

use serde_json::{Map, Value, json};

use super::field::{DOCUMENT, Field, Naming, RULE, Shape};

/// The JSON Schema (draft 2020-12) of a policy document. Natively only: the package carries it as a file.
#[must_use]
pub fn schema() -> Value {
    let mut root = Map::new();
    root.insert("$schema".into(), json!("https://json-schema.org/draft/2020-12/schema"));
    root.insert("$id".into(), json!("ackgate/policy.schema.json"));
    root.insert("title".into(), json!("ackgate policy"));
    root.insert(
        "description".into(),
        json!("What tools may run, what asks a person first, what never runs."),
    );
    if let Value::Object(rest) = object(DOCUMENT) {
        root.extend(rest);
    }
    let rule = json!({
        "description": "`Tool` for every call of a tool, `Tool(content)` for some of them, or the same as an object.",
        "anyOf": [{ "type": "string", "minLength": 1 }, object(RULE)],
    });
    root.insert("$defs".into(), json!({ "rule": rule }));
    Value::Object(root)
}

fn object(fields: &[Field]) -> Value {
    let properties: Map<String, Value> = fields
        .iter()
        .map(|field| {
            let mut value = shape(&field.shape);
            if let Some(map) = value.as_object_mut() {
                map.insert("description".into(), json!(field.doc));
            }
            (field.name.to_owned(), value)
        })
        .collect();
    let required: Vec<&str> = fields
        .iter()
        .filter(|field| field.required)
        .map(|field| field.name)
        .collect();
    let mut map = Map::new();
    map.insert("type".into(), json!("object"));
    map.insert("properties".into(), Value::Object(properties));
    if !required.is_empty() {
        map.insert("required".into(), json!(required));
    }
    map.insert("additionalProperties".into(), json!(false));
    Value::Object(map)
}

fn shape(said: &Shape) -> Value {
    match said {
        Shape::Version => json!({ "const": 1 }),
        Shape::Text => json!({ "type": "string" }),
        Shape::Name(naming) => name(*naming),
        Shape::Word(words) => json!({ "enum": words }),
        Shape::Flag => json!({ "type": "boolean" }),
        Shape::FlagOr(words) => json!({ "anyOf": [{ "type": "boolean" }, { "enum": words }] }),
        Shape::Bytes(most) => json!({ "type": "integer", "minimum": 1, "maximum": most }),
        Shape::List(of) => json!({ "type": "array", "items": shape(of) }),
        Shape::Some(of) => json!({ "type": "array", "items": shape(of), "minItems": 1 }),
        Shape::Map(naming, of) => {
            json!({ "type": "object", "propertyNames": name(*naming), "additionalProperties": shape(of) })
        }
        Shape::Object(fields) => object(fields),
        Shape::Rule => json!({ "$ref": "#/$defs/rule" }),
        Shape::Example => json!({ "type": ["string", "object"] }),
        Shape::Json => json!({ "type": "object" }),
    }
}

fn name(naming: Naming) -> Value {
    let mut map = json!({ "type": "string", "minLength": 1, "maxLength": 256 });
    let pattern = match naming {
        Naming::Tool | Naming::Member => Some("^[^@(][^(]*$"),
        Naming::Family => Some("^[^@]"),
        Naming::Rule | Naming::Server | Naming::Subject => None,
    };
    if let (Some(pattern), Some(map)) = (pattern, map.as_object_mut()) {
        map.insert("pattern".into(), json!(pattern));
    }
    map
}
