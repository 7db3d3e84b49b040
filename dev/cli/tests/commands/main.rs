//! The commands of developers and of operators, as programs that are started.

mod crates;
mod database;
mod docs;
mod download;
mod fastly_commands;
mod machine;
mod pictures;
mod probe;
mod publish;
mod real;
mod release;
mod serve;
mod tls;

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Fastly's CLI builds into `bin` and `pkg` of the checkout, which two builds at once would break.
fn checkout() -> MutexGuard<'static, ()> {
    static CHECKOUT: Mutex<()> = Mutex::new(());
    CHECKOUT.lock().unwrap_or_else(PoisonError::into_inner)
}
