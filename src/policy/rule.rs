//! One entry of `deny`, `ask` or `allow`.

use super::check::{Checker, found};
use super::field::{KINDS, Naming, RULE};
use super::findings::{Finding, tick};
use super::syntax::{Object, StringLit, Value};
use super::{names, part};
use crate::rules::model::{ContentKind, Example, List, RuleSpec};
use crate::rules::spelling::{Misspelled, Spelled};
use crate::rules::{pattern, spelling};

/// Reads an entry; `None` when it is malformed, which is reported.
pub(super) fn read(checker: &mut Checker, list: List, entry: &Value) -> Option<RuleSpec> {
    match entry {
        Value::StringLit(text) => string(checker, list, text),
        Value::Object(object) => record(checker, list, object),
        Value::NumberLit(_) | Value::BooleanLit(_) | Value::Array(_) | Value::NullKeyword(_) => {
            let message = format!(
                "a rule of `{}` must be a string or an object, found {}",
                list.word(),
                found(entry)
            );
            checker.error(entry.start(), Finding::new("wrong-type", message));
            None
        }
    }
}

fn string(checker: &mut Checker, list: List, text: &StringLit) -> Option<RuleSpec> {
    let written = text.value.as_str();
    let spelled = match spelling::parse(written) {
        Ok(spelled) => spelled,
        Err(fault) => return refuse(checker, "bad-rule", text, fault),
    };
    if let Some(content) = &spelled.content
        && let Err(mut fault) = pattern::parse(content)
    {
        fault.at = offset(written, content, fault.at);
        return refuse(checker, "bad-content", text, fault);
    }
    let at = text.start;
    named(checker, &spelled.tool, at)?;
    Some(spec(checker, list, spelled, written.to_owned(), at))
}

fn record(checker: &mut Checker, list: List, object: &Object) -> Option<RuleSpec> {
    if !checker.object(object, RULE) {
        return None;
    }
    let tool = object.text("tool")?;
    let mut spelled = match spelling::parse(&tool.value) {
        Ok(spelled) => spelled,
        Err(fault) => return refuse(checker, "bad-rule", tool, fault),
    };
    if spelled.content.is_some() {
        let message = format!("{} has a content, `tool` is only a name", tick(&tool.value));
        let finding = Finding::new("bad-rule", message).hint(Some("write what the brackets hold as `content`".into()));
        checker.error(tool.start, finding);
        return None;
    }
    if let Some(server) = object.text("server") {
        if spelled.server.is_some() {
            let message = format!(
                "{} names a server, and so does `server`: say it once",
                tick(&tool.value)
            );
            checker.error(server.start, Finding::new("bad-rule", message));
            return None;
        }
        spelled.server = Some(server.value.clone());
    }
    if let Some(content) = object.text("content") {
        if let Err(fault) = pattern::parse(&content.value) {
            return refuse(checker, "bad-content", content, fault);
        }
        spelled.content = Some(content.value.clone());
    }
    let content = spelled.content.as_deref().unwrap_or_default();
    let written = spelling::write(&spelled.tool, spelled.server.as_deref(), content);
    let mut rule = spec(checker, list, spelled, written, object.start);
    rule.kind = object.text("kind").and_then(|word| kind(&word.value));
    let text = |key: &str| object.text(key).map(|text| text.value.clone());
    rule.reason = text("reason");
    rule.alternative = text("alternative");
    for (key, matches) in [("match", true), ("notMatch", false)] {
        for example in object.get(key).map_or(&[][..], Value::elements) {
            rule.examples.push(Example {
                input: part::json(example),
                matches,
                origin: checker.source.origin(example.start()),
            });
        }
    }
    Some(rule)
}

fn spec(checker: &Checker, list: List, spelled: Spelled, written: String, at: usize) -> RuleSpec {
    RuleSpec {
        list,
        tool: spelled.tool,
        server: spelled.server,
        content: spelled.content.unwrap_or_default(),
        kind: None,
        reason: None,
        alternative: None,
        examples: Vec::new(),
        written,
        origin: checker.source.origin(at),
    }
}

/// Checks the name a rule is for.
fn named(checker: &mut Checker, tool: &str, at: usize) -> Option<()> {
    if let Some((fault, hint)) = names::fault(tool, Naming::Rule) {
        let finding = Finding::new("bad-rule", format!("the tool's name {} {fault}", tick(tool)));
        checker.error(at, finding.hint(Some(hint.to_owned())));
        return None;
    }
    if !checker.hosted {
        checker.look_alike(tool, at);
    }
    Some(())
}

fn refuse(checker: &mut Checker, code: &'static str, text: &StringLit, fault: Misspelled) -> Option<RuleSpec> {
    let message = format!("{}: {}", tick(&text.value), fault.message);
    checker.error(
        inside(checker, text, fault.at),
        Finding::new(code, message).hint(fault.hint),
    );
    None
}

/// Where a byte of a string's value stands: in the string when nothing before it is escaped, else the string itself.
fn inside(checker: &Checker, text: &StringLit, at: usize) -> usize {
    let start = text.start;
    let raw = checker.source.text.get(start + 1..).and_then(|rest| rest.get(..at));
    match raw {
        Some(raw) if !raw.contains('\\') && text.value.get(..at) == Some(raw) => start + 1 + at,
        _ => start,
    }
}

/// Where a byte of a content stands in the rule: in the brackets when nothing before it is escaped, else the bracket.
fn offset(written: &str, content: &str, at: usize) -> usize {
    let open = written.find('(').map_or(0, |open| open + 1);
    let same = written.get(open..).and_then(|rest| rest.get(..at)) == content.get(..at);
    if same { open + at } else { open }
}

fn kind(word: &str) -> Option<ContentKind> {
    let kinds = [ContentKind::Url, ContentKind::Path, ContentKind::Text];
    KINDS
        .iter()
        .zip(kinds)
        .find(|(known, _)| **known == word)
        .map(|(_, kind)| kind)
}
