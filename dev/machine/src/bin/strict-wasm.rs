//! Builds the Wasm with limits: a stage of `cargo dev test`, so that no test that measures runs beside it.

use std::process::ExitCode;

fn main() -> ExitCode {
    match machine::strict::build_strict_wasm() {
        Ok(wasm) => {
            println!("{}", wasm.display());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
