//! The policy document: its vectors, its JSON Schema, and what holds for any document.

#[cfg(target_family = "wasm")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use ackgate::policy::{Layer, Loaded, Options, counts, digest, document, lint, load};
use ackgate::rules::model::{Book, Environment, Severity};
use serde_json::{Map, Value, json};

mod support;
use support::reads_back;

const VECTORS: &str = include_str!("vectors/policy.json");

/// Every code a diagnostic can have, but for those of bounds; the vectors show each.
const CODES: [&str; 33] = [
    "allows-everything",
    "bad-content",
    "bad-limit",
    "bad-name",
    "bad-number",
    "bad-rule",
    "bad-version",
    "conflict",
    "dead-rule",
    "dead-tier",
    "duplicate-key",
    "duplicate-rule",
    "empty",
    "empty-name",
    "exact-name",
    "ignored-untrusted",
    "look-alike",
    "missing-key",
    "open-program",
    "path-not-clean",
    "path-prefix",
    "path-relative",
    "runs-anything",
    "shadowed-allow",
    "slash-name",
    "syntax",
    "too-deep",
    "unknown-family",
    "unknown-key",
    "unknown-tool",
    "unknown-word",
    "wide-url",
    "wrong-type",
];

#[test]
fn the_vectors_show_every_code() {
    for code in CODES {
        assert!(
            VECTORS.contains(&format!("\"code\": \"{code}\"")),
            "no vector shows {code}"
        );
    }
}

fn text(text: impl Into<String>) -> Layer {
    Layer {
        text: text.into(),
        positions: true,
        ..Layer::default()
    }
}

fn codes(layer: Layer) -> Vec<String> {
    let found = load(&[layer], &Options::default()).diagnostics;
    found.into_iter().map(|diagnostic| diagnostic.code).collect()
}

#[test]
fn a_text_over_the_limit_is_refused() {
    let padding = " ".repeat((1 << 20) - 12);
    assert_eq!(codes(text(format!("{{\"version\":1}}{padding}"))), ["too-large"]);
    let padding = &padding[1..];
    assert_eq!(codes(text(format!("{{\"version\":1}}{padding}"))), [""; 0]);
}

#[test]
fn of_many_findings_the_rest_is_counted() {
    let rules = vec!["7"; 203].join(",");
    let found = load(
        &[text(format!(r#"{{"version":1,"deny":[{rules}]}}"#))],
        &Options::default(),
    )
    .diagnostics;
    assert_eq!(found.len(), 201);
    let last = found.last().unwrap();
    assert_eq!((last.code.as_str(), last.severity), ("too-many", Severity::Error));
    assert!(last.message.starts_with("3 more"), "{}", last.message);
}

#[test]
fn an_error_among_uncounted_warnings_still_refuses() {
    let names = vec![r#""B\u0430sh""#; 250].join(",");
    let of = |rest: &str| {
        load(
            &[text(format!(r#"{{"version":1,"deny":[{names}]{rest}}}"#))],
            &Options::default(),
        )
    };
    let severity = |loaded: Loaded| {
        loaded
            .diagnostics
            .last()
            .map(|found| (found.code.clone(), found.severity))
    };
    assert_eq!(severity(of("")), Some(("too-many".into(), Severity::Warning)));
    assert_eq!(
        severity(of(r#","ask":[7]"#)),
        Some(("too-many".into(), Severity::Error))
    );
}

#[test]
fn comparing_rules_ends() {
    let rules = |letter: char, count: usize| -> Vec<String> {
        (0..count).map(|index| format!(r#""A({letter}{index}:*)""#)).collect()
    };
    let found = |letter: char, count: usize| {
        let (deny, allow) = (rules('w', count).join(","), rules(letter, count).join(","));
        let loaded = load(
            &[text(format!(r#"{{"version":1,"deny":[{deny}],"allow":[{allow}]}}"#))],
            &Options::default(),
        );
        let found = lint(&loaded.book, &Environment::default(), None);
        found.into_iter().map(|found| found.code).collect::<Vec<_>>()
    };
    assert_eq!(found('w', 150), ["dead-rule"; 150]);
    assert_eq!(found('x', 150), [""; 0]);
    assert_eq!(found('x', 2500), ["lint-incomplete"]);
}

#[cfg(not(target_family = "wasm"))]
mod native {
    use super::*;
    use ackgate::policy::schema;
    use proptest::prelude::*;

    const SCHEMA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/pkg-template/policy.schema.json");

    #[test]
    fn the_committed_schema_is_the_table() {
        let fresh = format!("{}\n", serde_json::to_string_pretty(&schema()).unwrap());
        if std::env::var_os("ACKGATE_WRITE_SCHEMA").is_some() {
            std::fs::write(SCHEMA, &fresh).unwrap();
        }
        let committed = std::fs::read_to_string(SCHEMA).unwrap_or_default();
        assert!(
            committed == fresh,
            "pkg-template/policy.schema.json is not what the table says: renew it with ACKGATE_WRITE_SCHEMA=1 cargo test --test policy"
        );
    }

    /// Every place of the text the same, one character at a time and in one go.
    #[test]
    fn positions_hold_on_lines_of_any_length() {
        let long = "ä".repeat(3000);
        let layer = text(format!(
            "{{\"version\":1, \"deny\":[\"{long}\",\n\"x\", 7,\"{long}(\", 8]}}"
        ));
        let found = load(&[layer], &Options::default()).diagnostics;
        let places: Vec<_> = found
            .iter()
            .map(|found| (found.line.unwrap(), found.column.unwrap()))
            .collect();
        assert_eq!(places, [(1, 23), (2, 6), (2, 8 + 3001), (2, 13 + 3000)]);
    }

    /// A line of a megabyte is read in one pass, not once for each rule.
    #[test]
    fn a_long_line_takes_no_longer_than_many_lines() {
        let rules = vec![r#""Bash(ls)""#; 90_000].join(",");
        let loaded = load(
            &[text(format!(r#"{{"version":1,"deny":[{rules}]}}"#))],
            &Options::default(),
        );
        assert_eq!(counts(&loaded.book).deny, 90_000);
    }

    const PIECES: [&str; 40] = [
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"",
        "\\",
        "/*",
        "*/",
        "//",
        "\n",
        "\"version\"",
        "1",
        "\"deny\"",
        "\"allow\"",
        "\"tools\"",
        "\"tiers\"",
        "\"families\"",
        "\"limits\"",
        "\"Bash(ls:*)\"",
        "\"@f\"",
        "\"f\"",
        "\"tool\"",
        "\"content\"",
        "\"match\"",
        "true",
        "null",
        "-0",
        "1e9",
        "\\u00e9",
        "\\ud800",
        "é",
        "😀",
        "\u{feff}",
        "\0",
        "\"mcp__a__b\"",
        "\"a/b\"",
        "\"domain:\"",
        "'",
    ];

    fn pieces() -> impl Strategy<Value = String> {
        proptest::collection::vec(proptest::sample::select(&PIECES[..]), 0..24).prop_map(|pieces| pieces.concat())
    }

    fn rule() -> impl Strategy<Value = Value> {
        let tool = proptest::sample::select(&["Bash", "mcp__n__read", "@f", "no*", "a/b", "mcp__x__*"][..]);
        let content = "[a-z/~*:\\\\() \"']{0,8}";
        let reason = proptest::option::of("[a-zé]{1,4}");
        (tool, content, reason, any::<bool>(), any::<bool>()).prop_map(|(tool, content, reason, example, kind)| {
            let mut rule = Map::from_iter([("tool".to_owned(), json!(tool)), ("content".to_owned(), json!(content))]);
            if let Some(reason) = reason {
                rule.insert("reason".into(), json!(reason));
            }
            if example {
                rule.insert("match".into(), json!(["ls", { "command": content }]));
                rule.insert("notMatch".into(), json!([{ "n": [1, 0.5, null, true] }]));
            }
            if kind {
                rule.insert("kind".into(), json!("text"));
            }
            Value::Object(rule)
        })
    }

    fn sources() -> impl Strategy<Value = Value> {
        let rules = || proptest::collection::vec(rule(), 0..4);
        let names = || proptest::collection::vec("[a-c]{1,2}(/[a-c])?|mcp__[a-c]__[a-c]", 0..4);
        let tier = || proptest::sample::select(&["allow", "confirm", "deny"][..]);
        let mode = proptest::sample::select(&["default", "yolo", "read_only"][..]);
        let tiers = proptest::collection::btree_map("[a-c](/[a-c])?", tier(), 0..4);
        let traits = (
            any::<bool>(),
            any::<bool>(),
            proptest::sample::select(&["cmd", "powershell"][..]),
            1..99_u32,
        );
        ((mode, tier(), tiers), (names(), names()), (rules(), rules(), rules()), traits).prop_map(
            |((mode, tier, tiers), (allowed, disallowed), (deny, ask, allow), (read, asks, shell, limit))| {
                json!({
                    "version": 1, "mode": mode, "defaultTier": tier, "tiers": tiers, "allowedTools": allowed,
                    "disallowedTools": disallowed, "deny": deny, "ask": ask, "allow": allow,
                    "tools": { "t": { "readOnly": read, "alwaysAsk": asks, "shell": shell, "subjects": { "x": "url" } } },
                    "families": { "f": ["Edit", "a"] }, "limits": { "commandBytes": limit },
                })
            },
        )
    }

    fn errors(loaded: &Loaded) -> usize {
        loaded
            .diagnostics
            .iter()
            .filter(|found| found.severity == Severity::Error)
            .count()
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused_with_a_place(garbled in pieces(), restrict in any::<bool>(), strict in any::<bool>()) {
            let options = Options { strict, tools: Some(vec!["Bash".into()]) };
            for whole in [garbled.clone(), format!("{{\"version\":1,\"deny\":[{garbled}]}}"), format!("{{\"version\":1,{garbled}}}")] {
                let loaded = load(&[Layer { restrict, ..text(whole) }], &options);
                for found in &loaded.diagnostics {
                    prop_assert!(found.line.is_some() && found.column.is_some(), "{found:?}");
                }
                let _ = lint(&loaded.book, &Environment::default(), None);
                if errors(&loaded) == 0 {
                    prop_assert_eq!(reads_back(&loaded.book), Ok(()));
                }
            }
        }

        /// Whatever it says, a restrict layer adds no allow, and takes back no word of a trusted one.
        #[test]
        fn a_restrict_layer_only_makes_stricter(ours in sources(), theirs in sources()) {
            let layer = |document: &Value, restrict| Layer { restrict, ..text(document.to_string()) };
            let options = Options { strict: false, tools: None };
            let alone = load(&[layer(&ours, false)], &options);
            let both = load(&[layer(&ours, false), layer(&theirs, true)], &options);
            prop_assume!(errors(&both) == 0);
            let (alone, both) = (alone.book, both.book);
            let of = |book: &Book, allow| -> Vec<_> {
                let rules = book.rules.iter().filter(|rule| (rule.list == ackgate::rules::model::List::Allow) == allow);
                rules.cloned().collect()
            };
            prop_assert_eq!(of(&alone, true), of(&both, true));
            prop_assert!(of(&alone, false).iter().all(|rule| both.rules.contains(rule)));
            prop_assert_eq!(&alone.allowed_tools, &both.allowed_tools);
            prop_assert!(alone.disallowed_tools.iter().all(|name| both.disallowed_tools.contains(name)));
            prop_assert!(both.mode >= alone.mode && both.default_tier >= alone.default_tier);
            let ground = alone.default_tier.unwrap();
            for (name, tier) in both.tiers.iter() {
                prop_assert!(tier >= alone.tiers.get(name).unwrap_or(&ground));
            }
            prop_assert!(alone.tiers.keys().all(|name| both.tiers.contains_key(name)));
            prop_assert!(both.command_bytes <= alone.command_bytes);
            prop_assert_eq!(&alone.families, &both.families);
            let (before, after) = (alone.tools.get("t").unwrap(), both.tools.get("t").unwrap());
            prop_assert!(after.read_only <= before.read_only && after.always_ask >= before.always_ask);
            prop_assert_eq!((&before.shell, &before.subjects), (&after.shell, &after.subjects));
        }

        #[test]
        fn a_merged_document_reads_back(documents in proptest::collection::vec(sources(), 1..3)) {
            let layers: Vec<Layer> = documents.iter().map(|document| text(document.to_string())).collect();
            let options = Options { strict: false, tools: None };
            let loaded = load(&layers, &options);
            prop_assume!(errors(&loaded) == 0);
            prop_assert_eq!(reads_back(&loaded.book), Ok(()));
            let again = load(&[text(document(&loaded.book).to_string())], &Options::default());
            prop_assert_eq!(digest(&loaded.book), digest(&again.book));
        }
    }
}
