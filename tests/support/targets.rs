//! What is fuzzed: plain functions of any bytes, which must end, and must hold what they say.
#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::panic,
    reason = "each user takes what it needs, and fails by it"
)]

use ackgate::explain::{Answer, Question, RuleDecision, ask};
use ackgate::policy::{Layer, Options, document as write, load, open};
use ackgate::rules::shell::{Limits, analyse};
use ackgate::rules::{Behavior, Environment, Policy, Severity, pattern, spelling};

/// A policy document: what loads is written and read as the same, and judges without an error.
pub fn document(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let layer = |text: String| Layer {
        name: "fuzz".into(),
        text,
        restrict: false,
        positions: true,
    };
    let loaded = load(&[layer(text.to_owned())], &Options::default());
    if loaded.diagnostics.iter().any(|found| found.severity == Severity::Error) {
        return;
    }
    let written = write(&loaded.book).to_string();
    let again = load(&[layer(written.clone())], &Options::default());
    assert!(
        again.diagnostics.iter().all(|found| found.severity != Severity::Error),
        "{written}"
    );
    assert_eq!(write(&again.book).to_string(), written);
    let (opened, _) = open(&[layer(written)], &Options::default(), &Environment::default()).unwrap();
    if let Some((policy, _)) = opened {
        judge(&policy, "Bash", "git status; rm -rf / > x");
    }
}

/// A rule as it is written: what is read is written the same; an exact content matches its text and nothing longer.
pub fn content(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    if let Ok(spelled) = spelling::parse(text) {
        let content = spelled.content.as_deref().unwrap_or("");
        let written = spelling::write(&spelled.tool, spelled.server.as_deref(), content);
        assert_eq!(spelling::parse(&written), Ok(spelled), "{written}");
    }
    if let Some(exact) = pattern::exact(text) {
        let parsed = pattern::parse(&exact).unwrap();
        assert!(parsed.matches(text, pattern::Blanks::Any), "{exact}");
        assert!(!parsed.matches(&format!("{text}x"), pattern::Blanks::Any), "{exact}");
    }
    if let Ok(parsed) = pattern::parse(text) {
        let _ = parsed.matches("git status -s /repo/src https://docs.test/", pattern::Blanks::Any);
    }
}

/// A command: reading is bounded, and a program that is denied is denied wherever the text stands beside it.
pub fn command(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let limits = Limits::default();
    let analysis = analyse(text, &limits);
    let bound = 2 * limits.fuel * u64::try_from(text.len().min(limits.bytes)).unwrap() + 20_000;
    assert!(
        analysis.steps <= bound,
        "{} steps for {} bytes",
        analysis.steps,
        text.len()
    );
    for command in &analysis.commands {
        assert!(command.span.start <= command.span.end && command.span.end <= text.len());
    }
    let policy = policy(r#"{"version":1,"deny":["Bash(rm:*)"],"allow":["Bash(ls:*)","Bash(echo:*)"]}"#);
    judge(&policy, "Bash", text);
    let behind = judge(&policy, "Bash", &format!("rm x; {text}"));
    assert_ne!(behind.behavior, Behavior::Allow);
}

fn policy(text: &str) -> Policy {
    let layer = Layer {
        text: text.into(),
        ..Layer::default()
    };
    open(&[layer], &Options::default(), &Environment::default())
        .unwrap()
        .0
        .unwrap()
        .0
}

fn judge(policy: &Policy, tool: &str, command: &str) -> RuleDecision {
    let question = Question {
        tool_name: tool.into(),
        command: Some(command.to_owned()),
        ..Question::default()
    };
    let answer = ask(policy, &question, &mut 0).unwrap();
    let Answer::Decision { decision } = answer else {
        panic!("{answer:?}");
    };
    decision
}
