//! Ten typical calls and what is said of them: the rule as written, where it stands, what it saw, what would allow it.
#![cfg(not(target_family = "wasm"))]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test fails by it"
)]

use serde_json::Value;

const TABLE: &str = include_str!("vectors/explain.json");

fn text<'a>(value: &'a Value, path: &str) -> &'a str {
    value.pointer(path).and_then(Value::as_str).unwrap_or_default()
}

/// Rules in back-ticks: `Tool(content)`, or a tool's name alone where it is the whole rule.
fn rules_named(sentence: &str, rules: &[String]) -> usize {
    rules
        .iter()
        .filter(|rule| sentence.contains(&format!("`{rule}`")))
        .count()
}

/// The document's rules as they are written, with their lines.
fn written(document: &str) -> Vec<(String, usize)> {
    let rule = |(index, line): (usize, &str)| {
        let line = line
            .trim()
            .trim_start_matches("\"deny\": [")
            .trim_start_matches("\"ask\": [")
            .trim_start_matches("\"allow\": [");
        let text = line.trim().trim_end_matches([',', ']']);
        let spelled = text
            .strip_prefix('"')
            .and_then(|text| text.strip_suffix('"'))
            .map(str::to_owned);
        let object = || {
            let entry: Value = serde_json::from_str(text).ok()?;
            Some(format!("{}({})", entry["tool"].as_str()?, entry["content"].as_str()?))
        };
        Some((spelled.or_else(object)?, index + 1))
    };
    document.lines().enumerate().filter_map(rule).collect()
}

#[test]
fn ten_typical_calls() {
    let table: Value = serde_json::from_str(TABLE).unwrap();
    let cases = table["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 10);
    for case in cases {
        let name = text(case, "/name");
        let said = &case["expect"]["explanation"];
        let (human, model) = (text(said, "/human"), text(said, "/model"));
        println!(
            "{name}\n  person: {human}\n  model:  {model}\n  log:    {}",
            said["log"]
        );
        for stage in said["stages"].as_array().unwrap() {
            println!("  stage:  {stage}");
        }
        let rules = written(text(case, "/policy"));
        assert!(rules.len() >= 8, "{name}: the policy has {rules:?}");
        let names: Vec<String> = rules.iter().map(|(rule, _)| rule.clone()).collect();
        assert!(rules_named(model, &names) <= 1, "{name}: {model}");
        if let Some(rule) = said["log"]["rule"].as_str() {
            let line = rules.iter().find(|(written, _)| written == rule).map(|(_, line)| *line);
            assert_eq!(
                said["log"]["line"].as_u64(),
                line.map(|line| u64::try_from(line).unwrap()),
                "{name}: {rule}"
            );
            assert_eq!(text(said, "/log/document"), "policy.json", "{name}");
            assert!(
                human.contains(&format!("`{rule}` (policy.json:{})", line.unwrap())),
                "{name}: {human}"
            );
        }
        let behavior = text(said, "/decision/behavior");
        match behavior {
            // What it saw, and what would allow it.
            "ask" => assert!(
                human.contains("lets it run") || human.contains("would let it run") || human.contains("lets it go on"),
                "{name}: {human}"
            ),
            "deny" | "allow" => assert!(human.contains('`'), "{name}: {human}"),
            other => panic!("{name}: {other}"),
        }
        let part = text(case, "/part");
        assert!(
            human.contains(part) || said["stages"].to_string().contains(part),
            "{name}: nothing says `{part}`"
        );
    }
}
