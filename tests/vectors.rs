//! Runs every golden table. The same file natively, in wasm under Node and in wasm in a browser.
#![expect(clippy::panic, reason = "a test fails by it")]

#[cfg(target_family = "wasm")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use ackgate::confirm::{
    Event, Moment, Record, Repeat, Resumption, ResumptionEvent, Stored, reduce_resumption, survey, view,
};
use ackgate::evaluate::{Answer, State};
use ackgate::explain::{Question, ask};
use ackgate::grant::Scope;
use ackgate::payload::{EVENT_NAME, PATH_LIVE, PATH_RECOVERY, STATE_KEY, Status};
use ackgate::policy::{Layer, Loaded, Options, counts, digest, document, lint, load};
use ackgate::rules::{Diagnostic, Environment, Policy, Severity};
use ackgate::text::Refusal;
use ackgate::{Basis, Error, Setup, Step, StepResult, Tier, ToolCall, Verdict, begin, reduce, resume};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

mod support;
use support::reads_back;

const FILES: [(&str, &str); 21] = [
    ("table", include_str!("vectors/table.json")),
    ("sources", include_str!("vectors/sources.json")),
    ("tiers", include_str!("vectors/tiers.json")),
    ("grants", include_str!("vectors/grants.json")),
    ("arguments", include_str!("vectors/arguments.json")),
    ("schema", include_str!("vectors/schema.json")),
    ("protocol", include_str!("vectors/protocol.json")),
    ("digest", include_str!("vectors/digest.json")),
    ("confirm", include_str!("vectors/confirm.json")),
    ("resumption", include_str!("vectors/resumption.json")),
    ("survey", include_str!("vectors/survey.json")),
    ("view", include_str!("vectors/view.json")),
    ("text", include_str!("vectors/text.json")),
    ("words", include_str!("vectors/words.json")),
    ("policy", include_str!("vectors/policy.json")),
    ("chain", include_str!("vectors/chain.json")),
    ("matching", include_str!("vectors/matching.json")),
    ("commands", include_str!("vectors/commands.json")),
    ("places", include_str!("vectors/places.json")),
    ("explain", include_str!("vectors/explain.json")),
    ("gate-rules", include_str!("vectors/gate-rules.json")),
];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    #[serde(rename = "about")]
    _about: String,
    kind: String,
    cases: Vec<Value>,
}

type Outcome = Result<(), String>;

#[test]
fn vectors() {
    let (mut ran, mut failures) = (0, Vec::new());
    for (file, text) in FILES {
        let table: Table = serde_json::from_str(text).unwrap_or_else(|error| panic!("{file}: {error}"));
        assert!(!table.cases.is_empty(), "{file} has no cases");
        for case in table.cases {
            ran += 1;
            let name = case["name"].as_str().unwrap_or("?").to_owned();
            if let Err(failure) = run(&table.kind, case) {
                failures.push(format!("{file}: {name}\n    {failure}"));
            }
        }
    }
    print(&format!("vectors: {ran}"));
    assert!(
        failures.is_empty(),
        "{} of {ran} vectors failed\n{}",
        failures.len(),
        failures.join("\n")
    );
}

#[cfg(target_family = "wasm")]
fn print(line: &str) {
    wasm_bindgen_test::console_log!("{line}");
}

#[cfg(not(target_family = "wasm"))]
fn print(line: &str) {
    println!("{line}");
}

fn run(kind: &str, case: Value) -> Outcome {
    match kind {
        "evaluate" => evaluate_case(parse(case)?),
        "protocol" => protocol_case(parse(case)?),
        "digest" => digest_case(parse(case)?),
        "confirm" => confirm_case(parse(case)?),
        "resumption" => resumption_case(parse(case)?),
        "survey" => survey_case(parse(case)?),
        "view" => view_case(parse(case)?),
        "text" => text_case(parse(case)?),
        "words" => words_case(parse(case)?),
        "policy" => policy_case(&parse(case)?),
        "rules" => rules_case(parse(case)?),
        other => Err(format!("no such kind: {other}")),
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EvaluateCase {
    #[serde(rename = "name")]
    _name: String,
    #[serde(default)]
    policy: Option<Value>,
    setup: Setup,
    call: ToolCall,
    answers: Vec<Answer>,
    trace: Value,
    expect: Value,
}

fn evaluate_case(case: EvaluateCase) -> Outcome {
    let mut answers = case.answers.into_iter();
    let policy = compiled(case.policy.into_iter().collect(), Environment::default())?;
    let (mut state, mut step) = begin(&policy, case.setup, case.call).map_err(|error| error.to_string())?;
    let outcome = loop {
        let step_id = match step {
            Step::Settled { outcome } => break outcome,
            Step::Validate { step_id, .. }
            | Step::ConsultTier { step_id, .. }
            | Step::RealPath { step_id, .. }
            | Step::Preapprove { step_id, .. }
            | Step::ConsultPolicy { step_id, .. }
            | Step::LookupGrant { step_id, .. }
            | Step::ConsumeGrant { step_id, .. } => step_id,
        };
        let answer = answers.next().ok_or_else(|| format!("no answer left for {step:?}"))?;
        // Between two steps the state is what a host keeps: text.
        let kept: State = parse(json(&state))?;
        (state, step) = resume(&policy, kept, StepResult { step_id, answer }).map_err(|error| error.to_string())?;
    };
    if answers.next().is_some() {
        return Err("an answer was not asked for".into());
    }
    equal("trace", &json(&state.trace()), &case.trace)?;
    contains("outcome", &json(&outcome), &case.expect)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct ProtocolCase {
    #[serde(rename = "name")]
    _name: String,
    setup: Value,
    call: ToolCall,
    steps: Vec<Value>,
    expect_error: String,
}

fn protocol_case(case: ProtocolCase) -> Outcome {
    let policy = compiled(Vec::new(), Environment::default())?;
    let mut result = read::<Setup>(case.setup)
        .and_then(|setup| begin(&policy, setup, case.call))
        .map(|(state, _)| state);
    for (index, step) in case.steps.iter().enumerate() {
        let state = result.map_err(|error| format!("step {index} was not reached: {error}"))?;
        result = read::<StepResult>(step.clone())
            .and_then(|answer| resume(&policy, state, answer))
            .map(|(state, _)| state);
    }
    fails(result.map(|_| ()), &case.expect_error)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct RulesCase {
    #[serde(rename = "name")]
    _name: String,
    policy: Value,
    /// For a reader: the part of the call that the sentences name.
    #[serde(rename = "part", default)]
    _part: Option<String>,
    #[serde(default)]
    environment: Environment,
    question: Value,
    #[serde(default)]
    expect: Value,
    #[serde(default)]
    expect_error: Option<String>,
}

fn rules_case(case: RulesCase) -> Outcome {
    let policy = compiled(vec![case.policy], case.environment)?;
    let mut question = case.question;
    if let Some(fields) = question.as_object_mut() {
        let input = fields.remove("input").unwrap_or_default();
        let (name, text) = match input.as_str() {
            Some(command) => ("command", command.to_owned()),
            None => ("arguments", input.to_string()),
        };
        fields.insert(name.into(), text.into());
    }
    let answer = read::<Question>(question).and_then(|question| ask(&policy, &question, &mut 0));
    if let Some(code) = case.expect_error {
        return fails(answer, &code);
    }
    contains(
        "answer",
        &json(&answer.map_err(|error| error.to_string())?),
        &case.expect,
    )
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PolicyCase {
    #[serde(rename = "name")]
    _name: String,
    layers: Vec<Layer>,
    #[serde(default)]
    options: Options,
    #[serde(default)]
    environment: Environment,
    expect: PolicyExpected,
}

/// What is named must be exactly so; `lint` is what the linter says of a book that loaded; without it the book is
/// compiled too.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PolicyExpected {
    diagnostics: Vec<Value>,
    lint: Option<Vec<Value>>,
    counts: Option<Value>,
    document: Option<Value>,
    digest: Option<String>,
}

fn policy_case(case: &PolicyCase) -> Outcome {
    let Loaded { book, mut diagnostics } = load(&case.layers, &case.options);
    let refused = diagnostics.iter().any(|found| found.severity == Severity::Error);
    if !refused && case.expect.lint.is_none() {
        let compiled = Policy::compile(book.clone(), &case.environment);
        diagnostics.extend(compiled.err().into_iter().flatten());
    }
    same_findings("diagnostics", &diagnostics, &case.expect.diagnostics)?;
    if let Some(expected) = &case.expect.lint {
        let found = lint(&book, &case.environment, case.options.tools.as_deref());
        same_findings("lint", &found, expected)?;
    }
    if let Some(expected) = &case.expect.counts {
        equal("counts", &json(&counts(&book)), expected)?;
    }
    if let Some(expected) = &case.expect.document {
        equal("document", &document(&book), expected)?;
        reads_back(&book)?;
    }
    if let Some(expected) = &case.expect.digest {
        let found = digest(&book).map_err(|error| error.to_string())?;
        equal("digest", &json(&found), &Value::from(expected.clone()))?;
    }
    Ok(())
}

/// Each expected finding names the fields it is about; an absent line, column or hint must be absent.
fn same_findings(what: &str, found: &[Diagnostic], expected: &[Value]) -> Outcome {
    let found: Vec<Value> = found.iter().map(json).collect();
    let fits = |found: &Value, expected: &Value| {
        let named = expected
            .as_object()
            .is_some_and(|fields| fields.iter().all(|(key, value)| found[key] == *value));
        let placed = ["line", "column"].iter().all(|key| found.get(key) == expected.get(key));
        named && placed
    };
    let fit = found.len() == expected.len()
        && found
            .iter()
            .zip(expected)
            .all(|(found, expected)| fits(found, expected));
    if fit {
        return Ok(());
    }
    Err(format!("{what}: {} instead of {}", json(&found), json(&expected)))
}

fn compiled(documents: Vec<Value>, environment: Environment) -> Result<Policy, String> {
    let layer = |document: Value| Layer {
        name: "policy.json".into(),
        text: document.as_str().map_or_else(|| document.to_string(), str::to_owned),
        restrict: false,
        positions: true,
    };
    let layers: Vec<Layer> = documents.into_iter().map(layer).collect();
    let loaded = load(&layers, &Options::default());
    if !loaded.diagnostics.is_empty() {
        return Err(json(&loaded.diagnostics).to_string());
    }
    Policy::compile(loaded.book, &environment).map_err(|found| json(&found).to_string())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct DigestCase {
    #[serde(rename = "name")]
    _name: String,
    tool_name: String,
    #[serde(default)]
    server: Option<String>,
    arguments: String,
    digest: String,
}

fn digest_case(case: DigestCase) -> Outcome {
    let arguments = ackgate::arguments::Arguments::read(&case.arguments, 1 << 20)?;
    let digest = ackgate::call::digest(case.server.as_deref(), &case.tool_name, &arguments);
    equal(
        "digest",
        &Value::from(digest.map_err(|error| error.to_string())?),
        &Value::from(case.digest),
    )
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReducerCase {
    #[serde(rename = "name")]
    _name: String,
    #[serde(default)]
    record: Option<Value>,
    events: Vec<ReducerEvent>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct ReducerEvent {
    event: Value,
    moment: Moment,
    #[serde(default)]
    expect: Option<Expected>,
    #[serde(default)]
    expect_error: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    #[serde(default)]
    commands: Value,
    #[serde(default)]
    record: Option<Value>,
    #[serde(default)]
    unchanged: bool,
    #[serde(default)]
    tombstone: Option<Value>,
}

fn confirm_case(case: ReducerCase) -> Outcome {
    let mut stored = case.record.map(|record| record.to_string());
    for (
        index,
        ReducerEvent {
            event,
            moment,
            expect,
            expect_error,
        },
    ) in case.events.into_iter().enumerate()
    {
        let at = |failure: String| format!("event {index}: {failure}");
        let record = stored.as_deref().map(Record::read).transpose();
        let result = record.and_then(|record| reduce(record, read::<Event>(event)?, moment));
        if let Some(code) = expect_error {
            fails(result, &code).map_err(at)?;
            continue;
        }
        let reduced = result.map_err(|error| at(error.to_string()))?;
        let expect = expect.ok_or_else(|| at("nothing is expected".into()))?;
        equal("commands", &json(&reduced.commands), &expect.commands).map_err(at)?;
        equal(
            "unchanged",
            &Value::from(reduced.record.is_none() && reduced.tombstone.is_none()),
            &Value::from(expect.unchanged),
        )
        .map_err(at)?;
        if let Some(tombstone) = &reduced.tombstone {
            equal("tombstone", &json(tombstone), &expect.tombstone.unwrap_or(Value::Null)).map_err(at)?;
            stored = Some(json(tombstone).to_string());
        }
        if let Some(record) = &reduced.record {
            contains("record", &json(record), &expect.record.unwrap_or(Value::Null)).map_err(at)?;
            stored = Some(json(record).to_string());
        }
    }
    Ok(())
}

fn resumption_case(case: ReducerCase) -> Outcome {
    let mut stored: Option<Resumption> = None;
    for (
        index,
        ReducerEvent {
            event,
            moment,
            expect,
            expect_error,
        },
    ) in case.events.into_iter().enumerate()
    {
        let at = |failure: String| format!("event {index}: {failure}");
        let result = read::<ResumptionEvent>(event).and_then(|event| reduce_resumption(stored.clone(), event, moment));
        if let Some(code) = expect_error {
            fails(result, &code).map_err(at)?;
            continue;
        }
        let record = result.map_err(|error| at(error.to_string()))?;
        let expected = expect.and_then(|expect| expect.record).unwrap_or(Value::Null);
        contains("record", &json(&record), &expected).map_err(at)?;
        stored = Some(record);
    }
    Ok(())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct SurveyCase {
    #[serde(rename = "name")]
    _name: String,
    records: Vec<StoredCase>,
    tool_call_id: String,
    repeat: Repeat,
    moment: Moment,
    #[serde(default)]
    expect: Value,
    #[serde(default)]
    expect_error: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct StoredCase {
    confirmation_id: String,
    age_ms: u64,
    record: Value,
}

fn survey_case(case: SurveyCase) -> Outcome {
    let stored: Vec<Stored> = case
        .records
        .into_iter()
        .map(
            |StoredCase {
                 confirmation_id,
                 age_ms,
                 record,
             }| {
                let record = record.as_str().map_or_else(|| record.to_string(), str::to_owned);
                Stored {
                    confirmation_id,
                    record,
                    age_ms,
                }
            },
        )
        .collect();
    let result = survey(&stored, &case.tool_call_id, &case.repeat, case.moment);
    if let Some(code) = case.expect_error {
        return fails(result, &code);
    }
    contains(
        "survey",
        &json(&result.map_err(|error| error.to_string())?),
        &case.expect,
    )
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ViewCase {
    #[serde(rename = "name")]
    _name: String,
    record: Value,
    app: String,
    moment: Moment,
    expect: Value,
}

fn view_case(case: ViewCase) -> Outcome {
    let record = Record::read(&case.record.to_string()).map_err(|error| error.to_string())?;
    // Through text: a payload carries raw JSON.
    let seen = serde_json::to_string(&view(&record, &case.app, case.moment)).map_err(|error| error.to_string())?;
    contains(
        "view",
        &parse(serde_json::from_str(&seen).map_err(|error| error.to_string())?)?,
        &case.expect,
    )
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TextCase {
    #[serde(rename = "name")]
    _name: String,
    refusal: Refusal,
    text: String,
    basis: Value,
}

fn text_case(case: TextCase) -> Outcome {
    equal("text", &Value::from(case.refusal.text()), &Value::from(case.text))?;
    equal("basis", &json(&case.refusal.basis()), &case.basis)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WordsCase {
    name: String,
    words: Value,
}

fn words_case(case: WordsCase) -> Outcome {
    let words = match case.name.as_str() {
        "tier" => json(&Tier::ALL),
        "verdict" => json(&Verdict::ALL),
        "scope" => json(&Scope::ALL),
        "status" => json(&Status::ALL),
        "basis" => json(&Basis::ALL),
        "constant" => json(&[EVENT_NAME, STATE_KEY, PATH_LIVE, PATH_RECOVERY]),
        other => return Err(format!("no such enumeration: {other}")),
    };
    equal("words", &words, &case.words)
}

fn parse<T: DeserializeOwned>(value: Value) -> Result<T, String> {
    serde_json::from_value(value).map_err(|error| format!("the case can't be read: {error}"))
}

/// As the boundary reads what comes from outside.
fn read<T: DeserializeOwned>(value: Value) -> Result<T, Error> {
    serde_json::from_value(value).map_err(|error| Error::BadRequest(error.to_string()))
}

fn json<T: Serialize + ?Sized>(value: &T) -> Value {
    serde_json::to_value(value).unwrap_or_else(|error| panic!("can't be written: {error}"))
}

fn equal(what: &str, got: &Value, want: &Value) -> Outcome {
    if got == want {
        Ok(())
    } else {
        Err(format!("{what}\n      got  {got}\n      want {want}"))
    }
}

/// Every field that `want` names is in `got`, in exactly that form; a field wanted as null is absent or null.
fn contains(what: &str, got: &Value, want: &Value) -> Outcome {
    let Some(fields) = want.as_object().filter(|fields| !fields.is_empty()) else {
        return Err(format!("{what}: nothing is expected of it"));
    };
    for (name, wanted) in fields {
        let found = got.get(name).unwrap_or(&Value::Null);
        match wanted {
            Value::Object(fields) if found.is_object() && !fields.is_empty() => {
                contains(&format!("{what}.{name}"), found, wanted)?
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) | Value::Object(_) => {
                equal(&format!("{what}.{name}"), found, wanted)?
            }
        }
    }
    Ok(())
}

fn fails<T>(result: Result<T, Error>, code: &str) -> Outcome {
    match result {
        Ok(_) => Err(format!("it passed, it should fail with {code}")),
        Err(error) => {
            equal("error", &Value::from(error.code()), &Value::from(code)).map_err(|text| format!("{text}: {error}"))
        }
    }
}
