//! A book as one document again.

use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use crate::error::Error;
use crate::json;
use crate::named::Names;
use crate::rules::model::{Book, ContentKind, List, NameSpec, RuleSpec, Shell, Traits};
use crate::rules::spelling;

/// An object that leaves out what says nothing.
#[derive(Default)]
struct Out(Map<String, Value>);

impl Out {
    fn put(&mut self, key: &str, value: Value) {
        let empty = match &value {
            Value::Null => true,
            Value::Array(list) => list.is_empty(),
            Value::Object(map) => map.is_empty(),
            Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
        };
        if !empty {
            self.0.insert(key.to_owned(), value);
        }
    }

    fn word(&mut self, key: &str, word: Option<&str>) {
        self.put(key, word.map_or(Value::Null, text));
    }

    fn flag(&mut self, key: &str, flag: Option<bool>) {
        self.put(key, flag.map_or(Value::Null, Value::Bool));
    }

    fn done(self) -> Value {
        Value::Object(self.0)
    }
}

fn text(text: &str) -> Value {
    Value::String(text.to_owned())
}

/// The merged policy as one document; reading it gives an equal book, but for origins.
#[must_use]
pub fn document(book: &Book) -> Value {
    let mut root = Out::default();
    root.put("version", Value::from(1));
    root.word("mode", book.mode.map(|mode| mode.word()));
    root.word("defaultTier", book.default_tier.map(|tier| tier.word()));
    let mut tiers = Out::default();
    for (name, tier) in book.tiers.iter() {
        tiers.word(name, Some(tier.word()));
    }
    root.put("tiers", tiers.done());
    root.put("allowedTools", names(&book.allowed_tools));
    root.put("disallowedTools", names(&book.disallowed_tools));
    for list in List::ALL {
        let rules = book.rules.iter().filter(|rule| rule.list == list);
        root.put(list.word(), Value::Array(rules.map(rule).collect()));
    }
    let mut tools = Out::default();
    for (name, said) in book.tools.iter() {
        // A tool of which nothing is said is still named.
        tools.0.insert(name.clone(), traits(said));
    }
    root.put("tools", tools.done());
    let mut families = Out::default();
    for (name, members) in book.families.iter() {
        families.put(name, Value::Array(members.iter().map(|member| text(member)).collect()));
    }
    root.put("families", families.done());
    let mut limits = Out::default();
    limits.put("argumentsBytes", Value::from(book.arguments_bytes));
    limits.put("commandBytes", Value::from(book.command_bytes));
    root.put("limits", limits.done());
    root.done()
}

fn names(specs: &[NameSpec]) -> Value {
    // A forbidden `a/b` is two specs, and one name again.
    let mut twins = Names::default();
    for spec in specs
        .iter()
        .filter(|spec| spec.server.is_none() && spec.tool.contains('/'))
    {
        twins.insert(spec.tool.clone());
    }
    let mut written = Vec::new();
    for spec in specs {
        match &spec.server {
            None => written.push(text(&spec.tool)),
            Some(server) if twins.contains(&format!("{server}/{}", spec.tool)) => {}
            Some(server) => written.push(Value::String(spelling::write(&spec.tool, Some(server), ""))),
        }
    }
    Value::Array(written)
}

fn rule(rule: &RuleSpec) -> Value {
    let bare = rule.kind.is_none() && rule.reason.is_none() && rule.alternative.is_none() && rule.examples.is_empty();
    let reads_back = spelling::parse(&rule.written).is_ok_and(|spelled| {
        spelled.tool == rule.tool
            && spelled.server == rule.server
            && spelled.content.as_deref().unwrap_or_default() == rule.content
    });
    if bare && reads_back {
        return text(&rule.written);
    }
    let mut out = Out::default();
    out.word("tool", Some(&rule.tool));
    out.word("server", rule.server.as_deref());
    out.word(
        "content",
        Some(rule.content.as_str()).filter(|content| !content.is_empty()),
    );
    out.word("kind", rule.kind.map(ContentKind::word));
    out.word("reason", rule.reason.as_deref());
    out.word("alternative", rule.alternative.as_deref());
    for (key, matches) in [("match", true), ("notMatch", false)] {
        let examples = rule.examples.iter().filter(|example| example.matches == matches);
        out.put(
            key,
            Value::Array(examples.map(|example| example.input.clone()).collect()),
        );
    }
    out.done()
}

fn traits(said: &Traits) -> Value {
    let mut out = Out::default();
    out.flag("readOnly", said.read_only);
    out.flag("alwaysAsk", Some(true).filter(|_| said.always_ask));
    out.flag(
        "requiresUserInteraction",
        Some(true).filter(|_| said.requires_user_interaction),
    );
    out.flag("idempotent", said.idempotent);
    match said.shell {
        None => {}
        Some(Shell::None) => out.flag("shell", Some(false)),
        Some(Shell::Posix) => out.flag("shell", Some(true)),
        Some(Shell::Powershell) => out.word("shell", Some("powershell")),
        Some(Shell::Cmd) => out.word("shell", Some("cmd")),
    }
    let mut subjects = Out::default();
    for (name, kind) in said.subjects.iter() {
        subjects.word(name, Some(kind.word()));
    }
    out.put("subjects", subjects.done());
    if let Some(schema) = &said.input_schema {
        // An empty one is said too.
        out.0.insert("inputSchema".to_owned(), schema.clone());
    }
    out.done()
}

/// Lower-case hex SHA-256 of the RFC 8785 form of [`document`]; it differs where the policy says something else.
///
/// # Errors
/// `internal` when the document can't be written in canonical form, which a checked one always can.
pub fn digest(book: &Book) -> Result<String, Error> {
    let canonical = json::canonical(&document(book))
        .map_err(|error| Error::Internal(format!("the policy can't be written in canonical form: {error}")))?;
    Ok(Sha256::digest(canonical)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect())
}
