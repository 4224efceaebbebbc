//! The JavaScript boundary, the only place that knows it. Every export takes JSON text and gives JSON text:
//! `{"ok": …}` or `{"error": {"code", "message"}}`. No JS value crosses. Only compiled policies are kept, by number.

mod policies;

use wasm_bindgen::prelude::wasm_bindgen;

use crate::basis::Basis;
use crate::confirm::{self, Record, Stored};
use crate::error::Error;
use crate::evaluate::{self, State, Step};
use crate::explain;
use crate::json;
use crate::policy::{self, Layer, Loaded, Options, Summary};
use crate::rules::Diagnostic;
use crate::text::Refusal;

/// Compiles a policy from its layers and keeps it. A refused one is `{"ok": {"diagnostics"}}` without a `number`.
#[wasm_bindgen]
#[must_use]
pub fn compile(layers: &str, options: &str, environment: &str) -> String {
    answer(|| {
        let (layers, options) = given(layers, options)?;
        let (opened, diagnostics) = policy::open(&layers, &options, &read("environment", environment)?)?;
        let (policy, summary) = opened.unzip();
        let number = policy.map(policies::keep).transpose()?;
        write(&Compiled {
            number,
            summary,
            diagnostics,
        })
    })
}

/// Forgets a compiled policy.
#[wasm_bindgen]
pub fn forget(number: u32) {
    policies::forget(number);
}

/// Asks a compiled policy one question.
#[wasm_bindgen]
#[must_use]
pub fn ask(policy: u32, question: &str) -> String {
    trap(question);
    answer(|| {
        let (policy, question) = (policies::policy(policy)?, read("question", question)?);
        write(&explain::ask(&policy, &question, &mut 0)?)
    })
}

/// What loading finds in layers, and what is likely not meant.
#[wasm_bindgen]
#[must_use]
pub fn lint(layers: &str, options: &str, environment: &str) -> String {
    answer(|| {
        let (layers, options) = given(layers, options)?;
        let diagnostics = policy::review(&layers, &options, &read("environment", environment)?);
        write(&Compiled {
            number: None,
            summary: None,
            diagnostics,
        })
    })
}

/// Merges layers into one document.
#[wasm_bindgen]
#[must_use]
pub fn merge(layers: &str, options: &str) -> String {
    answer(|| {
        let (layers, options) = given(layers, options)?;
        let Loaded { book, diagnostics } = policy::load(&layers, &options);
        write(&Merged {
            document: policy::document(&book),
            diagnostics,
        })
    })
}

fn given(layers: &str, options: &str) -> Result<(Vec<Layer>, Options), Error> {
    Ok((read("layers", layers)?, read("options", options)?))
}

/// Starts to judge a call by a compiled policy; 0: by none.
#[wasm_bindgen]
#[must_use]
pub fn begin(policy: u32, setup: &str, call: &str) -> String {
    trap(call);
    answer(|| {
        let policy = policies::policy(policy)?;
        stepped(evaluate::begin(&policy, read("setup", setup)?, read("call", call)?)?)
    })
}

/// Goes on with the answer to the outstanding step.
#[wasm_bindgen]
#[must_use]
pub fn resume(policy: u32, state: &str, result: &str) -> String {
    answer(|| {
        let policy = policies::policy(policy)?;
        let (state, answer) = (read("state", state)?, read("answer", result)?);
        stepped(evaluate::resume(&policy, state, answer)?)
    })
}

/// Applies one event to one stored record.
#[wasm_bindgen]
#[must_use]
pub fn reduce(record: Option<String>, event: &str, moment: &str) -> String {
    answer(|| {
        let record = record.as_deref().map(Record::read).transpose()?;
        let (event, moment) = (read("event", event)?, read("moment", moment)?);
        write(&confirm::reduce(record, event, moment)?)
    })
}

/// Applies one event to one stored resumption.
#[wasm_bindgen(js_name = reduceResumption)]
#[must_use]
pub fn reduce_resumption(record: Option<String>, event: &str, moment: &str) -> String {
    answer(|| {
        let record = record.as_deref().map(|text| read("resumption", text)).transpose()?;
        let (event, moment) = (read("event", event)?, read("moment", moment)?);
        write(&confirm::reduce_resumption(record, event, moment)?)
    })
}

/// Reads a stored record for a host.
#[wasm_bindgen]
#[must_use]
pub fn view(record: &str, app: &str, moment: &str) -> String {
    answer(|| {
        let record = Record::read(record)?;
        write(&confirm::view(&record, app, read("moment", moment)?))
    })
}

/// Looks through a session's records for a call that needs a person.
#[wasm_bindgen]
#[must_use]
pub fn survey(records: &str, tool_call_id: &str, repeat: &str, moment: &str) -> String {
    answer(|| {
        let (records, repeat): (Vec<Stored>, _) = (read("records", records)?, read("repeat", repeat)?);
        write(&confirm::survey(
            &records,
            tool_call_id,
            &repeat,
            read("moment", moment)?,
        )?)
    })
}

/// The default sentence for the model, and the basis of the event that goes with it.
#[wasm_bindgen]
#[must_use]
pub fn text(refusal: &str) -> String {
    answer(|| {
        let refusal = read::<Refusal>("refusal", refusal)?;
        write(&Told {
            text: refusal.text(),
            basis: refusal.basis(),
        })
    })
}

/// A fresh id: 128 random bits in hex. No randomness is an error, never a constant.
#[wasm_bindgen(js_name = freshId)]
#[must_use]
pub fn fresh_id() -> String {
    answer(|| {
        let mut bytes = [0_u8; 16];
        getrandom::fill(&mut bytes)
            .map_err(|error| Error::Internal(format!("no randomness for a fresh id: {error}")))?;
        write(&bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>())
    })
}

struct Compiled {
    number: Option<u32>,
    summary: Option<Summary>,
    diagnostics: Vec<Diagnostic>,
}

json::written!(Compiled { number or nothing, diagnostics } with summary);

struct Merged {
    document: serde_json::Value,
    diagnostics: Vec<Diagnostic>,
}

json::written!(Merged { document, diagnostics });

struct Told {
    text: String,
    basis: Option<Basis>,
}

json::written!(Told { text, basis });

struct Stepped<'a> {
    state: &'a State,
    trace: &'a [evaluate::TraceEntry],
    step: &'a Step,
}

json::written!(Stepped<'a> { state, trace, step });

fn stepped((state, step): (State, Step)) -> Result<String, Error> {
    write(&Stepped {
        state: &state,
        trace: state.trace(),
        step: &step,
    })
}

fn read<T: json::Read>(what: &str, text: &str) -> Result<T, Error> {
    json::read(text).map_err(|error| Error::BadRequest(format!("the {what} can't be read: {error}")))
}

fn write(value: &dyn json::Write) -> Result<String, Error> {
    Ok(json::write(value))
}

fn answer(work: impl FnOnce() -> Result<String, Error>) -> String {
    match work() {
        Ok(json) => format!(r#"{{"ok":{json}}}"#),
        Err(error) => {
            let text = json::write(&error.to_string());
            format!(r#"{{"error":{{"code":"{}","message":{text}}}}}"#, error.code())
        }
    }
}

/// With the feature `trap` a call that names it traps, so that tests see the host recover.
#[cfg(feature = "trap")]
fn trap(call: &str) {
    #[expect(clippy::panic, reason = "the feature's purpose")]
    if call.contains("provoke_a_trap") {
        panic!("provoked");
    }
}

#[cfg(not(feature = "trap"))]
fn trap(_call: &str) {}

/// Marks a build that can trap on purpose; a release must not export it.
#[cfg(feature = "trap")]
#[wasm_bindgen(js_name = trap_marker)]
#[must_use]
pub fn trap_marker() -> u32 {
    1
}
