#![no_main]

#[path = "../../tests/support/targets.rs"]
mod targets;

libfuzzer_sys::fuzz_target!(|data: &[u8]| targets::content(data));
