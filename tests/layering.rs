//! The dependency rule, and a few facts about the tree that no compiler checks.
#![cfg(not(target_family = "wasm"))]

use std::fs;
use std::path::Path;

const VOCABULARY: [&str; 12] = [
    "arguments",
    "basis",
    "call",
    "error",
    "grant",
    "json",
    "named",
    "payload",
    "sort",
    "text",
    "tier",
    "verdict",
];
const ENGINES: [&str; 6] = ["confirm", "evaluate", "explain", "interact", "policy", "rules"];

const FORBIDDEN: [&str; 14] = [
    "wasm_bindgen",
    "js_sys",
    "web_sys",
    "getrandom",
    "std::time",
    "SystemTime",
    "Instant",
    "print!",
    "println!",
    "eprint!",
    "eprintln!",
    "dbg!",
    "thread_local!",
    "static mut",
];

#[derive(Clone, Copy, PartialEq)]
enum Layer {
    Vocabulary,
    Engine,
    Manual,
    Root,
    Wasm,
}

fn layer_of(module: &str) -> Option<Layer> {
    match module {
        "lib" => Some(Layer::Root),
        "manual" => Some(Layer::Manual),
        "wasm" => Some(Layer::Wasm),
        _ if VOCABULARY.contains(&module) => Some(Layer::Vocabulary),
        _ if ENGINES.contains(&module) => Some(Layer::Engine),
        _ => None,
    }
}

fn may_import(from: Layer, to: Layer) -> bool {
    match from {
        Layer::Root | Layer::Wasm => true,
        Layer::Engine => matches!(to, Layer::Vocabulary | Layer::Engine),
        Layer::Vocabulary => to == Layer::Vocabulary,
        Layer::Manual => false,
    }
}

/// What a file of `src` does that its layer may not; `path` is relative to `src`.
fn violations(path: &str, text: &str) -> Vec<String> {
    let segments: Vec<&str> = path
        .trim_end_matches(".rs")
        .split('/')
        .filter(|segment| *segment != "mod")
        .collect();
    let module = segments.first().copied().unwrap_or_default();
    let Some(layer) = layer_of(module) else {
        return vec![format!("{path}: `{module}` is in no layer, add it here")];
    };
    let code = without_comments(text);
    let mut found = Vec::new();
    if layer != Layer::Wasm {
        for word in FORBIDDEN {
            if has_word(&code, word) {
                found.push(format!("{path}: `{word}` belongs to the host or src/wasm"));
            }
        }
    }
    for target in imports(&code, segments.len()) {
        let allowed = layer_of(&target).is_none_or(|to| may_import(layer, to));
        if target != module && !allowed {
            found.push(format!("{path}: `{module}` may not import `{target}`"));
        }
    }
    found
}

fn without_comments(text: &str) -> String {
    let line = |line: &str| match line.split_once("//") {
        Some((code, _)) if !code.ends_with(':') => code.to_owned(),
        _ => line.to_owned(),
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

fn has_word(code: &str, word: &str) -> bool {
    code.match_indices(word).any(|(start, _)| {
        let (before, after) = (&code[..start], &code[start + word.len()..]);
        !before.ends_with(is_word) && !after.starts_with(is_word)
    })
}

/// The names that a file `depth` modules down takes from the crate's root.
fn imports(code: &str, depth: usize) -> Vec<String> {
    let parents = "super::".repeat(depth);
    ["crate::", parents.as_str()]
        .iter()
        .flat_map(|root| {
            code.match_indices(root)
                .filter(|(start, _)| !code[..*start].ends_with(is_word))
                .flat_map(|(start, _)| names(&code[start + root.len()..]))
                .collect::<Vec<_>>()
        })
        .collect()
}

/// The first name of a path, or of each path in a `{…}` group.
fn names(rest: &str) -> Vec<String> {
    let Some(group) = rest.strip_prefix('{') else {
        return vec![rest.chars().take_while(|c| is_word(*c)).collect()];
    };
    let mut depth = 0;
    let mut top = String::new();
    for character in group.chars() {
        match character {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            _ if depth == 0 => top.push(character),
            _ => {}
        }
    }
    top.split(',')
        .map(|path| path.trim().chars().take_while(|c| is_word(*c)).collect())
        .collect()
}

/// Every file under `folder` with this extension: its path relative to it, and its text.
fn files(folder: &Path, extension: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(current) = folders.pop() {
        let Ok(entries) = fs::read_dir(&current) else {
            continue;
        };
        for path in entries.flatten().map(|entry| entry.path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|found| found == extension) {
                let relative = path.strip_prefix(folder).unwrap_or(&path);
                let name = relative.to_string_lossy().replace('\\', "/");
                found.push((name, fs::read_to_string(&path).unwrap_or_default()));
            }
        }
    }
    found.sort();
    found
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn every_file_keeps_to_its_layer() {
    let sources = files(&root().join("src"), "rs");
    assert!(!sources.is_empty());
    let found: Vec<String> = sources.iter().flat_map(|(path, text)| violations(path, text)).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn the_checker_sees_each_kind_of_violation() {
    let planted = [
        ("call.rs", "use crate::evaluate::begin;"),
        ("tier.rs", "use crate::{call::ToolCall, rules};"),
        ("text.rs", "use crate::{call::{A, B}, confirm::Record};"),
        ("error.rs", "use super::policy::Policy;"),
        ("rules/chain.rs", "use super::super::wasm::export;"),
        ("confirm/mod.rs", "fn f() { crate::wasm::now() }"),
        ("manual/pipeline.rs", "use crate::call::ToolCall;"),
        ("surprise.rs", ""),
        ("rules/mod.rs", "use wasm_bindgen::prelude::*;"),
        ("grant.rs", "let id = getrandom::u64();"),
        ("evaluate/step.rs", "use std::time::Duration;"),
        ("evaluate/step.rs", "fn f(now: Instant) {}"),
        ("lib.rs", "static mut COUNT: u32 = 0;"),
        ("explain.rs", "println!(\"x\"); // why"),
        ("payload.rs", "thread_local! { static A: u8 = 0; }"),
    ];
    for (path, text) in planted {
        assert_eq!(violations(path, text).len(), 1, "{path}: {text}");
    }
}

#[test]
fn the_checker_lets_the_rest_pass() {
    let fine = [
        ("call.rs", "use crate::{error::AckError, tier::Tier};"),
        ("call.rs", "mod tests { use super::{ToolCall, digest}; }"),
        ("rules/chain.rs", "use super::subject; use crate::policy;"),
        ("rules/shell.rs", "/// println!(\"{}\", crate::wasm::x());"),
        ("explain.rs", "let reinstantiate = Instantly;"),
        ("lib.rs", "pub mod wasm; pub use crate::policy::Policy;"),
        ("wasm/mod.rs", "use wasm_bindgen::prelude::*;"),
        ("wasm/mod.rs", "use crate::{evaluate, call};"),
    ];
    for (path, text) in fine {
        assert_eq!(violations(path, text), [""; 0], "{path}: {text}");
    }
}

#[test]
fn the_wasm_boundary_stays_thin() {
    let lines: usize = files(&root().join("src/wasm"), "rs")
        .iter()
        .map(|(_, text)| text.lines().take_while(|line| *line != "#[cfg(test)]").count())
        .sum();
    assert!(lines < 300, "src/wasm has {lines} lines");
}

#[test]
fn every_table_is_run() {
    let tables = files(&root().join("tests/vectors"), "json");
    let runner = fs::read_to_string(root().join("tests/vectors.rs")).unwrap_or_default();
    assert!(!tables.is_empty(), "tests/vectors has no table");
    for (name, _) in tables {
        assert!(runner.contains(&name), "tests/vectors.rs never names {name}");
    }
}
