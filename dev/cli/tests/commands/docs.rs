//! The docs, against the commands that they describe.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test may stop at the first surprise"
)]

mod commands;
mod page;
mod settings;

use std::process::Command;

/// `cargo dev docs` writes them again.
#[test]
fn what_the_docs_have_from_the_code_is_what_the_code_says() {
    let output = Command::new(env!("CARGO_BIN_EXE_dev"))
        .args(["docs", "--check"])
        .output()
        .unwrap();
    let said = [output.stdout, output.stderr].concat();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&said)
    );
}
