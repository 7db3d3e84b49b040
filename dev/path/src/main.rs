//! The functions of the library that one request enters, as JSON, for `cargo dev path`.
//!
//! Compiled with the coverage of `dev/cli/src/path.rs`. Without it nothing is recorded, and the lists are empty.

mod entered;
mod requests;

use std::process::ExitCode;

fn main() -> ExitCode {
    match requests::all() {
        Ok(requests) => {
            println!("{}", serde_json::Value::from(requests));
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
