//! Reports of users of similar tools, with the right answer: no bypass of theirs works here, no needless question either.
#![cfg(not(target_family = "wasm"))]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test fails by it"
)]

use std::collections::BTreeMap;

use ackgate::explain::{Answer, Question, Want, ask};
use ackgate::policy::{Layer, Options, load};
use ackgate::rules::{Environment, Policy, Severity};
use ackgate::{Setup, Step, StepResult, Tier, ToolCall, begin, resume};
use serde_json::{Value, json};

const CASES: &str = include_str!("cases/rules.jsonl");

/// Where the specification decides otherwise: the case, the call's position, what is answered, and the sentence.
const OTHERWISE: [(&str, usize, &str, &str); 10] = [
    (
        "A1-037",
        3,
        "deny",
        "section 6: wrappers with literal arguments (`eval`) are looked through for deny and ask always",
    ),
    (
        "A1-047",
        1,
        "deny",
        "deny looks past options between program and subcommand; the case itself calls this ideal",
    ),
    ("A1-047", 2, "deny", "the same"),
    ("A1-047", 3, "deny", "the same"),
    (
        "A1-049",
        0,
        "ask",
        "section 5: `*` inside a prefix is literal; `git -C * log *` says it",
    ),
    ("A1-049", 1, "ask", "section 5: the same"),
    (
        "A1-065",
        1,
        "allow",
        "section 7: from /home/u/work this is lexically /home/home/u/.ssh/id_a, which no rule but `**` names",
    ),
    (
        "A1-074",
        1,
        "ask",
        "section 3: a rule for `Edit` also covers `Write`, one direction; the rest is what `families` are for",
    ),
    ("A1-074", 2, "ask", "section 3: the same"),
    (
        "A1-091",
        1,
        "ask",
        "section 10: between layers deny, ask and disallowedTools add up; a child agent's host passes on what it inherits",
    ),
];

#[test]
fn every_report() {
    let (mut calls, mut wanted, mut allowed, mut listed) = (0, 0, 0, 0);
    let mut failures = Vec::new();
    for line in CASES.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let id = case["id"].as_str().unwrap();
        let policy = match policy(&case["input"]) {
            Ok(policy) => policy,
            Err(why) => {
                // A malformed deny refuses the document, which is as good as the answers.
                let malformed = case["tag"] == "rule-malformed" && why.contains("rm -rf /");
                if !malformed {
                    failures.push(format!("{id}: {why}"));
                }
                calls += case["input"]["calls"].as_array().unwrap().len();
                continue;
            }
        };
        let saved = after(&policy, &case["input"]["config"]);
        for (index, call) in case["input"]["calls"].as_array().unwrap().iter().enumerate() {
            calls += 1;
            let want = call["want"].as_str().unwrap();
            let got = answer(&policy, &case["input"]["config"], call, &saved);
            wanted += usize::from(want == "allow");
            allowed += usize::from(want == "allow" && got == "allow");
            let otherwise = OTHERWISE.iter().find(|(other, at, ..)| *other == id && *at == index);
            let right = otherwise.map_or(want, |(_, _, answer, _)| answer);
            listed += usize::from(otherwise.is_some());
            let forbidden = call["must_not"]
                .as_array()
                .unwrap()
                .iter()
                .any(|word| word == got.as_str());
            if got != right || (forbidden && otherwise.is_none()) {
                failures.push(format!("{id} call {index}: {call}: {got}, not {right}"));
            }
        }
    }
    println!(
        "reports: {calls} calls, {allowed} of {wanted} wanted allows, {listed} decided otherwise by the specification"
    );
    assert_eq!(calls, 188);
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

fn policy(input: &Value) -> Result<Policy, String> {
    let rules = &input["rules"];
    let documents = match rules["layers"].as_array() {
        Some(layers) => layers.clone(),
        None => vec![rules.clone()],
    };
    let layer = |document: Value| {
        let list = |name: &str| document.get(name).cloned().unwrap_or(json!([]));
        let text = json!({"version": 1, "deny": list("deny"), "ask": list("ask"), "allow": list("allow")});
        Layer {
            name: document["name"].as_str().unwrap_or("case").into(),
            text: text.to_string(),
            restrict: false,
            positions: true,
        }
    };
    let layers: Vec<Layer> = documents.into_iter().map(layer).collect();
    // A malformed allow is reported and matches nothing.
    let loaded = load(
        &layers,
        &Options {
            strict: false,
            ..Options::default()
        },
    );
    let errors: Vec<String> = loaded
        .diagnostics
        .iter()
        .filter(|found| found.severity == Severity::Error)
        .map(|found| found.message.clone())
        .collect();
    if !errors.is_empty() {
        return Err(errors.join("; "));
    }
    let config = &input["config"];
    let environment = Environment {
        cwd: config["cwd"].as_str().map(str::to_owned),
        home: config["home"].as_str().map(str::to_owned),
        platform: serde_json::from_value(json!(if config["platform"] == "win32" {
            "windows"
        } else {
            "posix"
        }))
        .unwrap(),
    };
    Policy::compile(loaded.book, &environment).map_err(|found| format!("{found:?}"))
}

fn question(config: &Value, tool: &str, args: &Value, saved: &[Value]) -> Question {
    let identity = args.get("_identity");
    let name = identity.map_or(tool, |identity| identity["tool"].as_str().unwrap());
    let mut question: Question = serde_json::from_value(json!({
        "toolName": name, "arguments": args.to_string(), "sessionAllows": saved, "realPath": config.get("realpath").is_some(),
    }))
    .unwrap();
    question.server = identity.map(|identity| identity["server"].as_str().unwrap().to_owned());
    question
}

fn decide(policy: &Policy, config: &Value, mut question: Question) -> Answer {
    let answer = ask(policy, &question, &mut 0).unwrap();
    let Answer::RealPath { paths } = answer else {
        return answer;
    };
    question.real = Some(
        paths
            .into_iter()
            .map(|path| (path.clone(), real(&config["realpath"], &path)))
            .collect(),
    );
    ask(policy, &question, &mut 0).unwrap()
}

fn answer(policy: &Policy, config: &Value, call: &Value, saved: &[Value]) -> String {
    let question = question(config, call["tool"].as_str().unwrap(), &call["args"], saved);
    if config.get("policies").is_some() {
        return through_the_gate(policy, config, &question);
    }
    let answer = decide(policy, config, question);
    let Answer::Decision { decision } = answer else {
        panic!("{answer:?}");
    };
    decision.behavior.word().to_owned()
}

/// A report about other sources too: the whole evaluation.
fn through_the_gate(policy: &Policy, config: &Value, question: &Question) -> String {
    let sources = config["policies"].as_array().unwrap();
    let mut setup = Setup::new(Tier::Confirm);
    setup.sources = sources
        .iter()
        .map(|source| source["name"].as_str().unwrap().to_owned())
        .collect();
    setup.tiers = serde_json::from_value(config.get("tiers").cloned().unwrap_or(json!({}))).unwrap();
    let call = ToolCall {
        session_id: "s".into(),
        tool_call_id: "c".into(),
        tool_name: question.tool_name.clone(),
        server: None,
        arguments: question.arguments.clone().unwrap(),
    };
    let (mut state, mut step) = begin(policy, setup, call).unwrap();
    loop {
        let (step_id, index) = match step {
            Step::Settled { outcome } => {
                let outcome = serde_json::to_value(outcome).unwrap();
                return outcome["disposition"].as_str().unwrap().replace("confirm", "ask");
            }
            Step::ConsultPolicy { step_id, index, .. } => (step_id, index),
            step @ (Step::Validate { .. }
            | Step::ConsultTier { .. }
            | Step::RealPath { .. }
            | Step::Preapprove { .. }
            | Step::LookupGrant { .. }
            | Step::ConsumeGrant { .. }) => panic!("{step:?}"),
        };
        let answer = json!({"type": "verdict", "verdict": sources[index]["verdict"]});
        let result = StepResult {
            step_id,
            answer: serde_json::from_value(answer).unwrap(),
        };
        (state, step) = resume(policy, state, result).unwrap();
    }
}

/// What earlier approvals saved: the first suggestion of each.
fn after(policy: &Policy, config: &Value) -> Vec<Value> {
    let mut saved = Vec::new();
    for decided in config["after"].as_array().into_iter().flatten() {
        let (tool, text) = decided["call"].as_str().unwrap().split_once(' ').unwrap();
        let argument = if tool == "fetch_url" { "url" } else { "command" };
        let mut question = question(config, tool, &json!({argument: text}), &[]);
        question.want = Want::Suggestions;
        let Answer::Suggestions { suggestions } = decide(policy, config, question) else {
            panic!("no suggestions for {tool} {text}");
        };
        saved.push(json!({"tool": tool, "content": suggestions[0].content}));
    }
    saved
}

/// A resolver as the case describes it: links by their path, an error by its name.
fn real(links: &Value, path: &str) -> Option<String> {
    let links: BTreeMap<String, &str> = links
        .as_object()?
        .iter()
        .map(|(link, target)| (link.to_ascii_lowercase(), target.as_str().unwrap()))
        .collect();
    let mut current = String::new();
    for part in path.split('/').filter(|part| !part.is_empty()) {
        if part == ".." {
            current.truncate(current.rfind('/').unwrap_or(0));
            continue;
        }
        if !(current.is_empty() && part.ends_with(':')) {
            current.push('/');
        }
        current.push_str(part);
        match links.get(&current.to_ascii_lowercase()) {
            Some(target) if target.starts_with("ENOENT") => {}
            Some(target) if target.contains('/') => current = (*target).to_owned(),
            Some(_) => return None,
            None => {}
        }
    }
    Some(current)
}

/// Everything that the lines of the oracle run is allowed but `rm`: an allow would cover a program no rule names.
#[test]
fn what_bash_really_started() {
    let named = [
        "ls", "echo", "cat", "export", "declare", "test", "let", "unset", "eval", "source", "bash", "sh", "exec",
        "builtin", "command", "alias", "q", "f", "true", "touch", "break", "drafts",
    ];
    let allow: Vec<Value> = named.iter().map(|name| json!(format!("Bash({name}:*)"))).collect();
    let policy = policy(&json!({"rules": {"allow": allow}})).unwrap();
    let (mut asked, mut harmless) = (Vec::new(), 0);
    for line in include_str!("shell/oracle.jsonl").lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let text = case["cmd"].as_str().unwrap();
        let mut question = question(&Value::Null, "Bash", &json!({"command": text}), &[]);
        question.want = Want::Explanation;
        let answer = ask(&policy, &question, &mut 0).unwrap();
        let Answer::Explanation { explanation } = answer else {
            panic!("{answer:?}");
        };
        let allowed = explanation.decision.behavior.word() == "allow";
        let list = |shell: &str, name: &str| case[shell][name].as_array().unwrap().clone();
        let ran = [list("bash", "ran"), list("dash", "ran")].concat();
        let writes = list("bash", "new_files").len();
        if ran.iter().any(|line| line.as_str().unwrap().starts_with("rm ")) || writes > 0 {
            assert!(!allowed, "{text:?} is allowed and runs {ran:?}");
        } else {
            harmless += 1;
            if !allowed {
                asked.push(format!("  {text:?}: {}", explanation.human));
            }
        }
    }
    println!(
        "{} of {harmless} harmless lines of the oracle ask:\n{}",
        asked.len(),
        asked.join("\n")
    );
}
