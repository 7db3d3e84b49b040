//! `now-serving`: the program of operators.

use std::process::ExitCode;

/// The simulator's scripts are made of small allocations, for which musl's own allocator is slow.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    cli::run()
}
