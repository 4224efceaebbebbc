//! The kept inputs of the fuzz targets, replayed.
#![cfg(not(target_family = "wasm"))]
#![allow(clippy::unwrap_used, reason = "a test fails by it")]

#[path = "support/targets.rs"]
mod targets;

use std::fs;
use std::path::Path;

fn replay(name: &str, target: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(name);
    let mut files: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    assert!(files.len() > 20, "{name} has only {} inputs", files.len());
    for file in &files {
        target(&fs::read(file).unwrap());
    }
    println!("{name}: {} inputs replayed", files.len());
}

#[test]
fn documents() {
    replay("document", targets::document);
}

#[test]
fn contents() {
    replay("content", targets::content);
}

#[test]
fn commands() {
    replay("command", targets::command);
}
