//! One walk over a value by its shape in the table.

use super::field::{Field, Naming, Shape};
use super::findings::{Finding, Findings, tick};
use super::near::{looks, nearest, skeleton};
use super::source::Source;
use super::syntax::{Object, Property, Value};
use super::{names, part};
use crate::named::Names;

/// Reports what is wrong in a value.
pub(super) struct Checker<'a> {
    pub source: &'a Source<'a>,
    pub findings: &'a mut Findings,
    /// Every tool of the host is known, so a letter that only looks right is found by its tool.
    pub hosted: bool,
}

impl Checker<'_> {
    pub fn error(&mut self, at: usize, finding: Finding) {
        self.findings.error(&self.source.origin(at), finding);
    }

    /// Checks one value; `name` is what messages call it. Rules are left to `super::rule`.
    pub fn value(&mut self, value: &Value, shape: &Shape, name: &str) -> bool {
        match (shape, value) {
            (Shape::Text | Shape::Example, Value::StringLit(_))
            | (Shape::Flag | Shape::FlagOr(_), Value::BooleanLit(_)) => true,
            (Shape::Rule, _) => true,
            (Shape::Name(naming), Value::StringLit(text)) => self.name(&text.value, *naming, value.start()),
            (Shape::Word(words) | Shape::FlagOr(words), Value::StringLit(text)) => {
                words.contains(&text.value.as_str()) || {
                    let message = format!("`{name}` is {}, must be {}", tick(&text.value), wanted(shape));
                    let near = nearest(&text.value, &mut words.iter().copied());
                    self.error(value.start(), Finding::new("unknown-word", message).hint(near));
                    false
                }
            }
            (Shape::Version, Value::NumberLit(number)) if number.value == "1" => true,
            (Shape::Version, _) => {
                let message = "`version` must be the number 1, the only version there is".to_owned();
                self.error(value.start(), Finding::new("bad-version", message));
                false
            }
            (Shape::Bytes(most), Value::NumberLit(number)) => {
                part::bytes(number.value).is_some_and(|bytes| bytes <= *most) || {
                    let message = format!("`{name}` is {}, must be {}", tick(number.value), wanted(shape));
                    self.error(value.start(), Finding::new("bad-limit", message));
                    false
                }
            }
            (Shape::List(shape) | Shape::Some(shape), Value::Array(list)) if !list.elements.is_empty() => {
                let mut fine = true;
                for element in &list.elements {
                    fine &= self.value(element, shape, name);
                }
                fine
            }
            (Shape::List(_), Value::Array(_)) => true,
            (Shape::Some(_), Value::Array(_)) => self.empty(value, name),
            (Shape::Map(Naming::Subject, _), Value::Object(object)) if object.properties.is_empty() => {
                self.empty(value, name)
            }
            (Shape::Map(naming, shape), Value::Object(object)) => self.map(object, *naming, shape),
            (Shape::Object(fields), Value::Object(object)) => self.object(object, fields),
            (Shape::Json | Shape::Example, Value::Object(_)) => self.json(value),
            _ => {
                let message = format!("`{name}` must be {}, found {}", wanted(shape), found(value));
                self.error(value.start(), Finding::new("wrong-type", message));
                false
            }
        }
    }

    /// Checks an object whose keys are in a table.
    pub fn object(&mut self, object: &Object, fields: &[Field]) -> bool {
        let mut fine = self.keys(object, &|name| name.to_owned());
        for property in &object.properties {
            let name = property.name.as_str();
            fine &= match fields.iter().find(|field| field.name == name) {
                Some(field) => self.value(&property.value, &field.shape, name),
                None => {
                    let known: Vec<&str> = fields.iter().map(|field| field.name).collect();
                    let near = nearest(name, &mut known.iter().copied());
                    let listed = || Some(format!("known here: {}", known.join(", ")));
                    let message = format!("{} is not a key here", tick(name));
                    let finding = Finding::new("unknown-key", message).hint(near.or_else(listed));
                    self.error(property.start, finding);
                    false
                }
            };
        }
        for field in fields.iter().filter(|field| field.required) {
            if object.get(field.name).is_none() {
                let message = format!("`{}` is missing, write it: {}", field.name, wanted(&field.shape));
                self.error(object.start, Finding::new("missing-key", message));
                fine = false;
            }
        }
        fine
    }

    fn map(&mut self, object: &Object, naming: Naming, shape: &Shape) -> bool {
        let mut fine = match naming {
            Naming::Tool => self.keys(object, &names::key),
            Naming::Rule | Naming::Server | Naming::Member | Naming::Family | Naming::Subject => {
                self.keys(object, &|name| name.to_owned())
            }
        };
        for Property { name, value, start } in &object.properties {
            let name = name.as_str();
            fine &= self.name(name, naming, *start);
            fine &= self.value(value, shape, name);
        }
        fine
    }

    /// Refuses a key that stands twice, as `say` reads it.
    fn keys(&mut self, object: &Object, say: &dyn Fn(&str) -> String) -> bool {
        let (mut seen, mut fine) = (Names::default(), true);
        for property in &object.properties {
            let name = property.name.as_str();
            if !seen.insert(say(name)) {
                let message = format!("{} stands twice in this object, keep one of them", tick(name));
                self.error(property.start, Finding::new("duplicate-key", message));
                fine = false;
            }
        }
        fine
    }

    fn name(&mut self, name: &str, naming: Naming, at: usize) -> bool {
        if let Some((fault, hint)) = names::fault(name, naming) {
            let code = if name.is_empty() { "empty-name" } else { "bad-name" };
            let finding = Finding::new(code, format!("the name {} {fault}", tick(name)));
            self.error(at, finding.hint(Some(hint.to_owned())));
            return false;
        }
        if !self.hosted {
            self.look_alike(name, at);
        }
        true
    }

    /// Warns of a letter that looks like an ASCII one between ASCII letters.
    pub fn look_alike(&mut self, name: &str, at: usize) {
        let (plain, Some(strange)) = skeleton(name) else {
            return;
        };
        if plain.is_ascii() && name.bytes().any(|byte| byte.is_ascii_alphabetic()) {
            let finding = Finding::new("look-alike", looks(name, strange)).hint(Some(plain));
            self.findings.warning(&self.source.origin(at), finding);
        }
    }

    fn empty(&mut self, value: &Value, name: &str) -> bool {
        let message = format!("{} names nothing, fill it or leave it out", tick(name));
        self.error(value.start(), Finding::new("empty", message));
        false
    }

    /// Checks free JSON; the document's depth bounds the recursion.
    fn json(&mut self, value: &Value) -> bool {
        match value {
            Value::Object(object) => {
                let mut fine = self.keys(object, &|name| name.to_owned());
                for property in &object.properties {
                    fine &= self.json(&property.value);
                }
                fine
            }
            Value::Array(list) => {
                let mut fine = true;
                for element in &list.elements {
                    fine &= self.json(element);
                }
                fine
            }
            Value::NumberLit(text) => {
                part::number(text.value).is_some() || {
                    let message = format!("{} is not a number that a double carries", tick(text.value));
                    self.error(value.start(), Finding::new("bad-number", message));
                    false
                }
            }
            Value::StringLit(_) | Value::BooleanLit(_) | Value::NullKeyword(_) => true,
        }
    }
}

/// What a shape takes, for messages.
pub(super) fn wanted(shape: &Shape) -> String {
    match shape {
        Shape::Version => "the number 1".into(),
        Shape::Text => "a string".into(),
        Shape::Name(_) => "a name".into(),
        Shape::Word(words) => format!("one of `{}`", words.join("`, `")),
        Shape::Flag => "true or false".into(),
        Shape::FlagOr(words) => format!("true, false or one of `{}`", words.join("`, `")),
        Shape::Bytes(most) => format!("a whole number of bytes from 1 to {most}"),
        Shape::List(_) | Shape::Some(_) => "a list".into(),
        Shape::Map(..) | Shape::Object(_) | Shape::Json => "an object".into(),
        Shape::Rule => "a rule: a string or an object".into(),
        Shape::Example => "a command line or an object with arguments".into(),
    }
}

/// What a value is, for messages.
pub(super) fn found(value: &Value) -> &'static str {
    match value {
        Value::StringLit(_) => "a string",
        Value::NumberLit(_) => "a number",
        Value::BooleanLit(_) => "a boolean",
        Value::Object(_) => "an object",
        Value::Array(_) => "a list",
        Value::NullKeyword(_) => "null",
    }
}
