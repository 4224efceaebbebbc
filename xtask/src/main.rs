//! wasm-bindgen's command line tools, built from the same Cargo.lock as the
//! crate, so that tool and library can never differ in version.

use std::env;
use std::ffi::OsString;

use anyhow::{Context, Result, bail};

fn main() -> Result<()> {
    let mut args = env::args_os().skip(1);
    let task = args.next().unwrap_or_default();
    let with_name = |name: &str| std::iter::once(OsString::from(name)).chain(args);
    match task.to_str() {
        Some("bindgen") => {
            wasm_bindgen_cli::wasm_bindgen::run_cli_with_args(with_name("wasm-bindgen")).context("wasm-bindgen")
        }
        Some("test-runner") => {
            wasm_bindgen_cli::wasm_bindgen_test_runner::run_cli_with_args(with_name("wasm-bindgen-test-runner"))
        }
        _ => bail!("usage: cargo xtask bindgen|test-runner ARGS"),
    }
}
