//! A decision of the chain, in words: for the person, for the model, for the log.

use serde_json::{Map, Value};

use crate::rules::chain::Row;
use crate::rules::{Behavior, Cited, Decision, Offer, Seen, ToolName};

/// More parts of a call than these are only counted.
const PARTS: usize = 8;
/// A longer part is cut, in characters.
const LETTERS: usize = 240;

/// Why, in one sentence for the person.
#[must_use]
pub fn reason(name: &ToolName, decision: &Decision) -> String {
    let tool = name.key();
    let said = match (&decision.rule, decision.row) {
        _ if decision.unread.is_some() => {
            let why = decision.unread.as_deref().unwrap_or_default();
            format!("`{tool}` needs a person: {why}, and a rule could be about it")
        }
        (Some(rule), Row::Disallowed) => format!("`disallowedTools` has {}", place(rule)),
        (Some(rule), Row::BreakGlass) => format!("`allowedTools` has {}", place(rule)),
        (Some(rule), _) => {
            let verb = match decision.behavior {
                Behavior::Deny => "forbids",
                Behavior::Ask => "wants a person for",
                Behavior::Allow => "allows",
            };
            let others = others(decision, rule);
            format!("{} {verb} {}{others}", place(rule), part(&rule.saw))
        }
        (None, Row::UserInteraction) => format!("`{tool}` is a question to the person"),
        (None, Row::AlwaysAsk) => format!("`{tool}` always asks a person"),
        (None, Row::ReadOnlyBlock) => format!("mode `read_only` forbids `{tool}`, which is not declared `readOnly`"),
        (None, Row::ReadOnlyPass) => format!("mode `read_only` lets `{tool}` run, which is declared `readOnly`"),
        (None, Row::Yolo) => "mode `yolo` skips the question".to_owned(),
        (None, Row::Preapprove) => format!("the host approved it beforehand (`{}`)", decision.rule_id),
        (None, Row::ReadOnlyTool) => format!("`{tool}` is declared `readOnly`"),
        (None, Row::SessionAllow) => format!("the session allows `{tool}`"),
        (None, Row::Default | Row::Disallowed | Row::Deny | Row::BreakGlass | Row::Ask | Row::Allow) => {
            format!("`{tool}` needs a person: {}", missing(&decision.seen))
        }
    };
    match decision.rule.as_ref().and_then(|rule| rule.reason.as_deref()) {
        Some(reason) => format!("{said}: {reason}"),
        None => said,
    }
}

/// The same with what would change it.
#[must_use]
pub fn human(name: &ToolName, decision: &Decision, offers: &[Offer]) -> String {
    let advice = match decision.behavior {
        Behavior::Allow => None,
        Behavior::Deny => {
            let instead = decision.rule.as_ref().and_then(|rule| rule.alternative.as_ref());
            instead.map(|instead| format!("Instead: {instead}"))
        }
        Behavior::Ask => Some(way_out(name, decision, offers)),
    };
    let reason = reason(name, decision);
    advice.map_or_else(|| format!("{reason}."), |advice| format!("{reason}. {advice}."))
}

fn way_out(name: &ToolName, decision: &Decision, offers: &[Offer]) -> String {
    match decision.row {
        Row::UserInteraction => "Only the person's answer lets it go on".into(),
        Row::Ask => "Only the person's approval lets it run, as long as that rule stands".into(),
        Row::AlwaysAsk if decision.unread.is_none() => "An allow of the session lets it run".into(),
        Row::Disallowed
        | Row::Deny
        | Row::BreakGlass
        | Row::SessionAllow
        | Row::ReadOnlyBlock
        | Row::Yolo
        | Row::ReadOnlyPass
        | Row::Allow
        | Row::Preapprove
        | Row::ReadOnlyTool
        | Row::AlwaysAsk
        | Row::Default => {
            let needed = needed(decision, offers);
            let rules: Vec<String> = needed
                .iter()
                .map(|offer| format!("`{}`", written(name, offer)))
                .collect();
            match rules.as_slice() {
                [] => "Only an approval of exactly this call lets it run".into(),
                [rule] => format!("The allow rule {rule} would let it run"),
                rules => format!("The allow rules {} would let it run", listed(rules.iter().cloned())),
            }
        }
    }
}

fn written(name: &ToolName, offer: &Offer) -> String {
    crate::rules::spelling::write(&name.tool, name.server.as_deref(), &offer.content)
}

/// Of what may be saved, the widest for a single part, and every part of a compound that nothing covers yet.
fn needed<'a>(decision: &Decision, offers: &'a [Offer]) -> Vec<&'a Offer> {
    let open = decision.seen.iter().filter(|part| part.rule.is_none()).count();
    if decision.unread.is_some() || offers.len() <= 1 {
        return offers.first().into_iter().collect();
    }
    if decision.seen.len() < 2 {
        return offers.last().into_iter().collect();
    }
    let covered = decision.seen.len() == offers.len() && open > 0;
    let parts = offers.iter().zip(&decision.seen);
    if covered {
        return parts
            .filter(|(_, part)| part.rule.is_none())
            .map(|(offer, _)| offer)
            .collect();
    }
    offers.iter().collect()
}

/// One sentence for the model: what is known and no more, at most one rule.
#[must_use]
pub fn model(name: &ToolName, decision: &Decision) -> String {
    let tool = name.key();
    let rule = decision.rule.as_ref().map(|rule| format!("`{}`", rule.written));
    match (decision.behavior, rule) {
        (Behavior::Allow, _) => format!("`{tool}` may run."),
        (Behavior::Deny, rule) => {
            let by = rule.map_or_else(
                || "is not permitted here".into(),
                |rule| format!("is not permitted here by {rule}"),
            );
            let instead = decision.rule.as_ref().and_then(|rule| rule.alternative.as_ref());
            let instead = instead.map_or_else(String::new, |instead| format!(" Instead: {instead}."));
            format!("`{tool}` {by}. Do not retry it or work around it.{instead}")
        }
        (Behavior::Ask, Some(rule)) => format!("`{tool}` needs a person's approval by {rule}."),
        (Behavior::Ask, None) => match decision.seen.iter().find(|part| part.rule.is_none()) {
            Some(part) => format!(
                "`{tool}` needs a person's approval: nothing allows {}.",
                quoted(&part.what)
            ),
            None => format!("`{tool}` needs a person's approval."),
        },
    }
}

/// The facts for a log; no argument is in it.
#[must_use]
pub fn log(name: &ToolName, decision: &Decision) -> Value {
    let mut log = Map::new();
    let mut put = |key: &str, value: Value| log.insert(key.to_owned(), value);
    put("tool", name.key().into());
    put("behavior", decision.behavior.word().into());
    put("ruleId", decision.rule_id.clone().into());
    if let Some(rule) = &decision.rule {
        put("rule", rule.written.clone().into());
        if let Some(document) = rule.origin.named() {
            put("document", document.into());
        }
        if let Some(line) = rule.origin.known_line() {
            put("line", line.into());
        }
    }
    put("parts", decision.seen.len().into());
    put(
        "uncovered",
        decision.seen.iter().filter(|part| part.rule.is_none()).count().into(),
    );
    Value::Object(log)
}

/// The rule with its place: `` `Bash(ls:*)` (policy.json:3) ``.
fn place(rule: &Cited) -> String {
    match (rule.origin.named(), rule.origin.known_line()) {
        (None, None) => format!("`{}`", rule.written),
        (None, Some(line)) => format!("`{}` (line {line})", rule.written),
        (Some(document), None) => format!("`{}` ({document})", rule.written),
        (Some(document), Some(line)) => format!("`{}` ({document}:{line})", rule.written),
    }
}

fn part(saw: &str) -> String {
    if saw.contains(' ') && (saw.starts_with("the ") || saw.starts_with("every ")) || saw.starts_with('`') {
        return match saw.char_indices().nth(LETTERS) {
            Some((at, _)) => format!("{}…`", saw.get(..at).unwrap_or_default()),
            None => saw.to_owned(),
        };
    }
    quoted(saw)
}

/// What the other parts are covered by.
fn others(decision: &Decision, first: &Cited) -> String {
    let rest = decision
        .seen
        .iter()
        .filter_map(|part| part.rule.as_ref())
        .filter(|rule| rule.saw != first.saw);
    let rest = listed(rest.map(|rule| format!("{} allows {}", place(rule), quoted(&rule.saw))));
    if rest.is_empty() {
        String::new()
    } else {
        format!(", {rest}")
    }
}

fn missing(seen: &[Seen]) -> String {
    if seen.is_empty() {
        return "no allow rule is for it".into();
    }
    let part = |part: &Seen| match (&part.rule, &part.why) {
        (Some(rule), _) => format!("{} covers {}", place(rule), quoted(&part.what)),
        (None, Some(why)) => format!("nothing can cover {} ({why})", quoted(&part.what)),
        (None, None) => format!("nothing covers {}", quoted(&part.what)),
    };
    if seen.len() <= PARTS {
        return listed(seen.iter().map(part));
    }
    // Of many, what is missing comes first.
    let (missing, covered): (Vec<&Seen>, Vec<&Seen>) = seen.iter().partition(|part| part.rule.is_none());
    listed(missing.into_iter().chain(covered).map(part))
}

fn listed(mut parts: impl Iterator<Item = String>) -> String {
    let first: Vec<String> = parts.by_ref().take(PARTS).collect();
    let text = first.join(", ");
    match parts.count() {
        0 => text,
        more => format!("{text}, and {more} more"),
    }
}

fn quoted(text: &str) -> String {
    match text.char_indices().nth(LETTERS) {
        Some((at, _)) => format!("`{}…`", text.get(..at).unwrap_or_default()),
        None => format!("`{text}`"),
    }
}
