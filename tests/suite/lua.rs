//! The script of the store, read by a linter: a name that is never used, a global that is written by mistake.

use std::io::Write;
use std::process::{Command, Stdio};

use crate::pure::conventions::root;

/// What luacheck finds in this script, and whether it is content with it.
fn checked(script: &str) -> (bool, String) {
    let mut luacheck = Command::new("luacheck")
        .args(["--no-color", "-"])
        .current_dir(root())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = luacheck.stdin.take().unwrap();
    input.write_all(script.as_bytes()).unwrap();
    drop(input);
    let output = luacheck.wait_with_output().unwrap();
    let found = String::from_utf8(output.stdout).unwrap();
    (output.status.success(), found)
}

#[test]
fn the_script_as_the_store_gets_it_is_clean() {
    let (is_clean, found) = checked(now_serving::store::script());
    assert!(is_clean, "{found}");
}

#[test]
fn a_global_and_a_name_that_is_never_used_are_found() {
    let (is_clean, found) = checked("length = 1\nlocal function draw() end\n");
    assert!(!is_clean);
    for name in ["length", "draw"] {
        assert!(found.contains(name), "{found}");
    }
}
