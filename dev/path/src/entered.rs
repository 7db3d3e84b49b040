//! The functions that are entered while something runs, in the order of their first entry.
//!
//! The compiler adds a call of [`__sanitizer_cov_trace_pc_guard`] to the beginning of each function, and gives each a guard: a number
//! that is set while the function was not entered yet. What that call runs has guards too, so nothing is recorded meanwhile.

use std::backtrace::Backtrace;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use serde_json::{Value, json};

/// The first guard, and the end of them. Written once, before `main`.
static mut GUARDS: [*mut u32; 2] = [std::ptr::null_mut(); 2];

/// Whether entries are recorded. An atomic would be read by a function, which has a guard.
static mut IS_ON: bool = false;

/// The stacks at the first entries.
static STACKS: Mutex<Vec<Backtrace>> = Mutex::new(Vec::new());

/// Hears of all guards before the program begins.
///
/// # Safety
/// Called by the instrumentation alone, with the bounds of its own section.
#[expect(unsafe_code, reason = "the instrumentation calls it by this name")]
#[unsafe(no_mangle)]
unsafe extern "C" fn __sanitizer_cov_trace_pc_guard_init(first: *mut u32, end: *mut u32) {
    // SAFETY: no other thread runs before `main`.
    unsafe { GUARDS = [first, end] }
}

/// Hears of each entry of a function.
///
/// # Safety
/// Called by the instrumentation alone, with a guard of its own section; the program has one thread.
#[expect(unsafe_code, reason = "the instrumentation calls it by this name")]
#[unsafe(no_mangle)]
unsafe extern "C" fn __sanitizer_cov_trace_pc_guard(guard: *mut u32) {
    // SAFETY: the guard is the function's own, and there is one thread.
    unsafe {
        if !IS_ON || *guard == 0 {
            return;
        }
        *guard = 0;
        IS_ON = false;
    }
    stacks().push(Backtrace::force_capture());
    // SAFETY: there is one thread.
    unsafe { IS_ON = true }
}

fn stacks() -> std::sync::MutexGuard<'static, Vec<Backtrace>> {
    STACKS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs the work. What it gives, and the functions of the library that it entered.
pub(crate) fn entered_by<T>(work: impl FnOnce() -> T) -> (T, Vec<Value>) {
    set_guards();
    switch(true);
    let done = work();
    switch(false);
    let stacks = std::mem::take(&mut *stacks());
    (done, stacks.iter().filter_map(entry).collect())
}

#[expect(unsafe_code, reason = "the guards belong to the instrumentation")]
fn set_guards() {
    // SAFETY: the guards are the words of one section, and there is one thread.
    unsafe {
        let [mut guard, end] = GUARDS;
        while guard < end {
            *guard = 1;
            guard = guard.add(1);
        }
    }
}

#[expect(
    unsafe_code,
    reason = "an atomic would be read by a function, which has a guard"
)]
fn switch(is_on: bool) {
    // SAFETY: there is one thread.
    unsafe { IS_ON = is_on }
}

/// A frame of a stack: a function, and where its source is.
struct Frame<'a> {
    function: &'a str,
    /// Below `src/`, if it is the library's.
    file: Option<&'a str>,
    line: u32,
}

/// The function that was entered, if it is the library's, and the file of the library from which it was called.
fn entry(stack: &Backtrace) -> Option<Value> {
    entry_of(&format!("{stack:?}"), &sources()?)
}

/// Where the sources of the library are.
fn sources() -> Option<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2)?;
    Some(root.join("src/").to_str()?.to_owned())
}

/// The same of a stack in its debug format: `[{ fn: "name", file: "path", line: 7 }, …]`, the innermost frame first.
fn entry_of(stack: &str, sources: &str) -> Option<Value> {
    let mut frames = stack
        .split("{ fn: \"")
        .skip(1)
        .filter_map(|shown| frame(shown, sources))
        .skip_while(|frame| frame.function != "__sanitizer_cov_trace_pc_guard");
    let entered = frames.nth(1)?;
    let from = frames.find_map(|frame| frame.file);
    Some(json!({
        "function": entered.function,
        "file": entered.file?,
        "line": entered.line,
        "from": from,
    }))
}

/// A frame without its beginning. Paths in the folder in which the program runs are shown without that folder.
fn frame<'a>(shown: &'a str, sources: &str) -> Option<Frame<'a>> {
    let (function, rest) = shown.split_once('"')?;
    let quoted = |rest: &'a str| rest.split_once("file: \"")?.1.split_once('"');
    let (path, rest) = quoted(rest).unwrap_or_default();
    let line = rest.trim_start_matches(", line: ").split(' ').next()?;
    Some(Frame {
        function,
        file: path
            .strip_prefix("./src/")
            .or_else(|| path.strip_prefix(sources)),
        line: line.trim_end_matches(',').parse().unwrap_or_default(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const STACK: &str = r#"Backtrace [{ fn: "path::entered::record", file: "./dev/path/src/entered.rs", line: 40 }, { fn: "__sanitizer_cov_trace_pc_guard", file: "./dev/path/src/entered.rs", line: 47 }, { fn: "now_serving::service::handle", file: "./src/service.rs", line: 64 }, { fn: "call_once", file: "/rustc/1/library/core/src/ops/function.rs", line: 250 }, { fn: "now_serving::request::Request::new", file: "/a/src/request.rs", line: 39 }, { fn: "main" }]"#;

    #[test]
    fn a_function_of_the_library_is_found_behind_the_instrumentation_with_the_file_that_calls_it() {
        let expected = json!({
            "function": "now_serving::service::handle",
            "file": "service.rs",
            "line": 64,
            "from": "request.rs",
        });
        assert_eq!(entry_of(STACK, "/a/src/"), Some(expected));
    }

    #[test]
    fn a_function_of_another_crate_is_none_of_ours() {
        let other = STACK.replace("./src/service.rs", "./dev/audit/src/lib.rs");
        assert_eq!(entry_of(&other, "/a/src/"), None);
    }
}
