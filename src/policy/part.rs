//! What one layer says, typed, with the place of everything.

use serde_json::{Map, Number};

use super::check::Checker;
use super::field::{DOCUMENT, Shape};
use super::findings::Findings;
use super::source::{Place, Source};
use super::syntax::{Property, Value};
use super::{Layer, Options, names, rule};
use crate::json;
use crate::named::Named;
use crate::rules::model::{List, Mode, NameSpec, Origin, RuleSpec, Shell, SubjectKind};
use crate::tier::Tier;

/// A value and where it stands.
pub(super) struct Said<T> {
    pub value: T,
    pub place: Place,
}

/// What is declared about a tool.
#[derive(Clone)]
pub(super) enum Trait {
    ReadOnly(bool),
    AlwaysAsk(bool),
    RequiresUserInteraction(bool),
    Idempotent(bool),
    Shell(Shell),
    Subjects(Named<SubjectKind>),
    InputSchema(serde_json::Value),
}

/// One layer's words; what was malformed is absent.
#[derive(Default)]
pub(super) struct Part {
    document: String,
    layer: u32,
    pub restrict: bool,
    pub mode: Option<Said<Mode>>,
    pub default_tier: Option<Said<Tier>>,
    pub tiers: Vec<(String, Said<Tier>)>,
    pub allowed: Vec<NameSpec>,
    pub disallowed: Vec<NameSpec>,
    pub rules: Vec<RuleSpec>,
    pub tools: Vec<(String, Said<Vec<Said<Trait>>>)>,
    pub families: Vec<(String, Said<Vec<String>>)>,
    pub arguments_bytes: Option<Said<usize>>,
    pub command_bytes: Option<Said<usize>>,
}

/// Reads one layer and reports what is wrong with it.
pub(super) fn read(index: u32, layer: &Layer, options: &Options, findings: &mut Findings) -> Part {
    let mut part = Part {
        document: layer.name.clone(),
        layer: index,
        restrict: layer.restrict,
        ..Part::default()
    };
    let source = Source::new(index, layer);
    let root = match source.parse() {
        Ok(root) => root,
        Err((at, finding)) => {
            findings.error(&source.origin(at), finding);
            return part;
        }
    };
    let mut checker = Checker {
        source: &source,
        findings,
        hosted: options.tools.is_some(),
    };
    checker.value(&root, &Shape::Object(DOCUMENT), "document");
    let Value::Object(object) = &root else {
        return part;
    };
    for property in &object.properties {
        part.take(&mut checker, options, property);
    }
    part
}

impl Part {
    pub fn origin(&self, place: Place) -> Origin {
        place.origin(&self.document, self.layer)
    }

    fn take(&mut self, checker: &mut Checker, options: &Options, property: &Property) {
        let value = &property.value;
        let place = checker.source.place(property.start);
        match property.name.as_str() {
            "mode" => self.mode = word(value).and_then(Mode::from_word).map(|value| Said { value, place }),
            "defaultTier" => {
                self.default_tier = word(value).and_then(Tier::from_word).map(|value| Said { value, place })
            }
            "tiers" => {
                for property in value.properties() {
                    let (name, value, place) = entry(checker, property);
                    if let Some(value) = word(value).and_then(Tier::from_word) {
                        self.tiers.push((names::key(name), Said { value, place }));
                    }
                }
            }
            "allowedTools" => self.allowed = specs(checker, value, false),
            "disallowedTools" => self.disallowed = specs(checker, value, true),
            "tools" => {
                for property in value.properties() {
                    let (name, value, place) = entry(checker, property);
                    let value = traits(checker, value);
                    self.tools.push((names::key(name), Said { value, place }));
                }
            }
            "families" => {
                for property in value.properties() {
                    let (name, value, place) = entry(checker, property);
                    let value = value.elements().iter().filter_map(word).map(str::to_owned).collect();
                    self.families.push((name.to_owned(), Said { value, place }));
                }
            }
            "limits" => {
                for property in value.properties() {
                    let (name, value, place) = entry(checker, property);
                    let limit = value.as_number().and_then(bytes);
                    let said = limit.map(|value| Said { value, place });
                    match name {
                        "argumentsBytes" => self.arguments_bytes = said,
                        "commandBytes" => self.command_bytes = said,
                        _ => {}
                    }
                }
            }
            name => {
                if let Some(list) = List::ALL.into_iter().find(|list| list.word() == name) {
                    self.list(checker, options, list, value);
                }
            }
        }
    }

    fn list(&mut self, checker: &mut Checker, options: &Options, list: List, value: &Value) {
        for entry in value.elements() {
            let mark = checker.findings.mark();
            match rule::read(checker, list, entry) {
                Some(rule) => self.rules.push(rule),
                None if list == List::Allow && !options.strict => checker.findings.demote(mark),
                None => {}
            }
        }
    }
}

fn word<'a>(value: &'a Value) -> Option<&'a str> {
    value.as_text().map(|text| text.value.as_str())
}

fn entry<'b>(checker: &Checker, property: &'b Property) -> (&'b str, &'b Value<'b>, Place) {
    let place = checker.source.place(property.start);
    (property.name.as_str(), &property.value, place)
}

/// The entries of a name set; a forbidden `a/b` is the tool `b` of the server `a`, and also a tool that is called so.
fn specs(checker: &Checker, value: &Value, both: bool) -> Vec<NameSpec> {
    let mut specs = Vec::new();
    for element in value.elements() {
        let Some(name) = word(element) else {
            continue;
        };
        let origin = checker.source.origin(element.start());
        let (server, tool) = names::split(name);
        if both && server.is_some() && !name.starts_with("mcp__") {
            specs.push(NameSpec {
                tool: name.to_owned(),
                server: None,
                origin: origin.clone(),
            });
        }
        specs.push(NameSpec { tool, server, origin });
    }
    specs
}

fn traits(checker: &Checker, value: &Value) -> Vec<Said<Trait>> {
    let mut traits = Vec::new();
    for property in value.properties() {
        let (name, value, place) = entry(checker, property);
        let flag = value.as_flag();
        let read = match name {
            "readOnly" => flag.map(Trait::ReadOnly),
            "alwaysAsk" => flag.map(Trait::AlwaysAsk),
            "requiresUserInteraction" => flag.map(Trait::RequiresUserInteraction),
            "idempotent" => flag.map(Trait::Idempotent),
            "shell" => shell(value).map(Trait::Shell),
            "subjects" => Some(Trait::Subjects(subjects(value))),
            "inputSchema" => Some(Trait::InputSchema(json(value))),
            _ => None,
        };
        traits.extend(read.map(|value| Said { value, place }));
    }
    traits
}

fn shell(value: &Value) -> Option<Shell> {
    match value.as_flag() {
        Some(true) => Some(Shell::Posix),
        Some(false) => Some(Shell::None),
        None => match word(value)? {
            "powershell" => Some(Shell::Powershell),
            "cmd" => Some(Shell::Cmd),
            _ => None,
        },
    }
}

fn subjects(value: &Value) -> Named<SubjectKind> {
    let mut subjects = Named::new();
    for property in value.properties() {
        let kind = SubjectKind::ALL
            .into_iter()
            .find(|kind| word(&property.value) == Some(kind.word()));
        if let Some(kind) = kind {
            subjects.insert(property.name.as_str().to_owned(), kind);
        }
    }
    subjects
}

/// A whole number from 1, written in digits alone.
pub(super) fn bytes(text: &str) -> Option<usize> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|bytes| digits && *bytes > 0)
}

/// A number that every reader reads the same.
pub(super) fn number(text: &str) -> Option<Number> {
    const EXACT: u64 = 1 << 53;
    let serde_json::Value::Number(number) = json::parse(text).ok()? else {
        return None;
    };
    let whole = number.as_u64().or_else(|| number.as_i64().map(i64::unsigned_abs));
    let carried = match whole {
        Some(whole) => whole <= EXACT,
        None => number.as_f64().is_some_and(f64::is_finite),
    };
    carried.then_some(number)
}

/// Any JSON; the document's depth bounds the recursion.
pub(super) fn json(value: &Value) -> serde_json::Value {
    match value {
        Value::StringLit(text) => serde_json::Value::String(text.value.clone()),
        Value::NumberLit(text) => number(text.value).map_or(serde_json::Value::Null, serde_json::Value::Number),
        Value::BooleanLit(flag) => serde_json::Value::Bool(flag.value),
        Value::NullKeyword(_) => serde_json::Value::Null,
        Value::Array(list) => serde_json::Value::Array(list.elements.iter().map(json).collect()),
        Value::Object(object) => {
            let mut map = Map::new();
            for property in &object.properties {
                map.insert(property.name.as_str().to_owned(), json(&property.value));
            }
            serde_json::Value::Object(map)
        }
    }
}
