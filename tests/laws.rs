//! Laws of the rule chain, on generated policies and calls.
#![cfg(not(target_family = "wasm"))]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test fails by it"
)]

use ackgate::explain::{Answer, Offered, Question, RuleDecision, Want, ask};
use ackgate::policy::{Layer, Options, load};
use ackgate::rules::{Behavior, Environment, Policy, SessionAllow};
use proptest::prelude::*;
use serde_json::{Value, json};

fn policy(deny: &[String], asks: &[String], allow: &[String]) -> Policy {
    let rule = |content: &String| json!({"tool": "Bash", "content": content});
    let list = |contents: &[String]| contents.iter().map(rule).collect::<Vec<Value>>();
    let text = json!({"version": 1, "deny": list(deny), "ask": list(asks), "allow": list(allow)}).to_string();
    let layer = Layer {
        name: "law".into(),
        text,
        restrict: false,
        positions: true,
    };
    let loaded = load(&[layer], &Options::default());
    assert!(loaded.diagnostics.is_empty(), "{:?}", loaded.diagnostics);
    Policy::compile(loaded.book, &Environment::default()).unwrap()
}

fn question(command: &str, mode: Option<&str>, saved: &[SessionAllow]) -> Question {
    Question {
        tool_name: "Bash".into(),
        command: Some(command.to_owned()),
        mode: mode.map(str::to_owned),
        session_allows: saved.to_vec(),
        ..Question::default()
    }
}

fn judge(policy: &Policy, command: &str, mode: Option<&str>, saved: &[SessionAllow]) -> RuleDecision {
    let answer = ask(policy, &question(command, mode, saved), &mut 0).unwrap();
    let Answer::Decision { decision } = answer else {
        panic!("{answer:?}");
    };
    decision
}

fn suggestions(policy: &Policy, command: &str) -> Vec<Offered> {
    let question = Question {
        want: Want::Suggestions,
        ..question(command, None, &[])
    };
    let answer = ask(policy, &question, &mut 0).unwrap();
    let Answer::Suggestions { suggestions } = answer else {
        panic!("{answer:?}");
    };
    suggestions
}

fn word() -> impl Strategy<Value = String> {
    let words = [
        "-r",
        "x",
        "./a",
        "$X",
        "\"a b\"",
        "'c d'",
        "*.txt",
        "$(date)",
        "\"$(ls x)\"",
        "`id`",
        "~/z",
        "a\\ b",
        "--flag=1",
        "",
        "\"\"",
        "{a,b}",
    ];
    prop::sample::select(words.to_vec()).prop_map(str::to_owned)
}

fn simple() -> impl Strategy<Value = String> {
    let programs = [
        "ls",
        "git status",
        "git -C x log",
        "rm",
        "/bin/rm",
        "curl",
        "echo",
        "timeout 5 ls",
        "sudo rm",
        "sh -c 'rm x'",
        "env A=1 ls",
        "A=1 ls",
        "LANG=C ls",
        "npm run test",
        "find . -exec rm {} +",
        "xargs rm",
        "cat < in",
        "ls > out",
    ];
    (
        prop::sample::select(programs.to_vec()),
        prop::collection::vec(word(), 0..3),
    )
        .prop_map(|(program, words)| {
            std::iter::once(program.to_owned())
                .chain(words)
                .collect::<Vec<_>>()
                .join(" ")
        })
}

fn joined() -> impl Strategy<Value = (Vec<String>, String)> {
    let operators = [" && ", "; ", " | ", " || ", " & ", "\n", "|&"];
    prop::collection::vec((simple(), prop::sample::select(operators.to_vec())), 1..4).prop_map(|parts| {
        let last = parts.len() - 1;
        let join = parts
            .iter()
            .enumerate()
            .map(|(index, (text, operator))| format!("{text}{}", if index == last { "" } else { operator }));
        (parts.iter().map(|(text, _)| text.clone()).collect(), join.collect())
    })
}

fn contents() -> impl Strategy<Value = Vec<String>> {
    let contents = [
        "ls:*",
        "git status:*",
        "git *",
        "rm:*",
        "rm x",
        "curl * | sh",
        "echo:*",
        "timeout:*",
        "sudo:*",
        "*",
        "npm run test*",
        "find:*",
        "xargs:*",
        "cat:*",
        "sh:*",
        "env:*",
        "A=1 ls:*",
        "date",
        "id",
    ];
    prop::collection::vec(prop::sample::select(contents.to_vec()).prop_map(str::to_owned), 0..6)
}

fn mode() -> impl Strategy<Value = Option<&'static str>> {
    prop::sample::select(vec![None, Some("yolo"), Some("read_only"), Some("default")])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_compound_is_allowed_only_where_each_part_is((parts, text) in joined(), allow in contents()) {
        let policy = policy(&[], &[], &allow);
        // An exact content equal to the whole text is an authorisation of its own.
        prop_assume!(!allow.contains(&text));
        if judge(&policy, &text, None, &[]).behavior == Behavior::Allow {
            for part in parts {
                prop_assert_eq!(judge(&policy, &part, None, &[]).behavior, Behavior::Allow, "{} of {}", part, text);
            }
        }
    }

    #[test]
    fn one_more_deny_never_allows((_, text) in joined(), deny in contents(), more in contents(), asks in contents(), allow in contents(), mode in mode()) {
        let before = judge(&policy(&deny, &asks, &allow), &text, mode, &[]).behavior;
        let all: Vec<String> = deny.iter().chain(&more).cloned().collect();
        let after = judge(&policy(&all, &asks, &allow), &text, mode, &[]).behavior;
        prop_assert!(after != Behavior::Allow || before == Behavior::Allow);
        prop_assert!(before != Behavior::Deny || after == Behavior::Deny);
    }

    #[test]
    fn one_more_ask_never_allows((_, text) in joined(), deny in contents(), more in contents(), allow in contents(), mode in mode()) {
        let before = judge(&policy(&deny, &[], &allow), &text, mode, &[]).behavior;
        let after = judge(&policy(&deny, &more, &allow), &text, mode, &[]).behavior;
        prop_assert!(after != Behavior::Allow || before == Behavior::Allow);
    }

    #[test]
    fn what_is_suggested_and_saved_allows((_, text) in joined(), deny in contents()) {
        let policy = policy(&deny, &[], &[]);
        let offered = suggestions(&policy, &text);
        let saved: Vec<SessionAllow> =
            offered.iter().map(|offer| SessionAllow { tool: "Bash".into(), content: offer.content.clone() }).collect();
        if judge(&policy, &text, None, &[]).behavior == Behavior::Ask {
            prop_assert!(!offered.is_empty(), "nothing is suggested for {}", text);
            prop_assert_eq!(judge(&policy, &text, None, &saved).behavior, Behavior::Allow, "{:?} for {}", offered, text);
        } else {
            prop_assert!(offered.is_empty() || deny.is_empty());
        }
    }

    #[test]
    fn a_suggestion_covers_no_more_than_it_says((_, text) in joined(), (_, other) in joined()) {
        let policy = policy(&[], &[], &[]);
        for offer in suggestions(&policy, &text) {
            let saved = [SessionAllow { tool: "Bash".into(), content: offer.content.clone() }];
            let covers = judge(&policy, &other, None, &saved).behavior == Behavior::Allow;
            if covers && offer.text.starts_with("exactly") {
                // The same words, however they are quoted and set apart.
                let words = |text: &str| {
                    let bare = text.replace(['"', '\'', '\\'], "");
                    bare.split_whitespace().collect::<Vec<_>>().join(" ")
                };
                let said = offer.text.trim_start_matches("exactly `").trim_end_matches('`');
                prop_assert!(words(&other).contains(&words(said)) , "{} covers {}", offer.text, other);
            }
            for program in ["sh", "sudo", "env", "timeout", "xargs", "find", "curl"] {
                let bare = [format!("{program}:*"), format!("{program} *")].contains(&offer.content);
                prop_assert!(!bare, "{}", offer.content);
            }
        }
    }

    #[test]
    fn quoting_a_program_never_escapes_a_deny(at in 0..2_usize, style in 0..4_usize, before in simple()) {
        let name = "rm";
        let (head, tail) = name.split_at(at);
        let quoted = match style {
            0 => format!("{head}\"{tail}\""),
            1 => format!("{head}'{tail}'"),
            2 => format!("{head}\\{tail}"),
            _ => format!("{head}$'{tail}'"),
        };
        let policy = policy(&["rm:*".into()], &[], &["*".into()]);
        let text = format!("{before} ; {quoted} -r x");
        prop_assert_eq!(judge(&policy, &text, Some("yolo"), &[]).behavior, Behavior::Deny, "{}", text);
    }
}
