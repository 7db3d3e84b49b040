//! A shop that makes invitations by hand, in five languages: the room takes each, and the key makes nothing else.

use std::path::PathBuf;
use std::process::Command;

use cli_core::secret::invite_keys;
use harness::{project, tools};
use now_serving::queue::{Invitation, LaneName, RoomName};
use now_serving::ticket::Keys;

use super::origin::{now, where_it_is};
use super::program::example;
use crate::house::SECRET;

/// What the example prints with these words behind it.
fn made(mut command: Command, words: &[&str]) -> String {
    let keys = invite_keys(SECRET).unwrap();
    command.env("QUEUE_INVITE_KEY", keys.lines().next().unwrap());
    let done = command.args(words).output().unwrap();
    assert!(done.status.success(), "{done:?}");
    String::from_utf8(done.stdout).unwrap().trim().to_owned()
}

fn read(code: &str) -> Invitation {
    let keys = Keys::new(SECRET, None);
    let read = keys.invitation(code, &RoomName::new("main"), now());
    read.unwrap_or_else(|refused| panic!("{refused:?}: {code}"))
}

/// What every example has to do.
fn holds(command: &dyn Fn() -> Command) {
    let straight = read(&made(command(), &[]));
    assert_eq!((straight.group, straight.uses), (None, 1));
    let [one, other] = [(); 2].map(|()| read(&made(command(), &["spring", "vip"])));
    assert_eq!(one.group, LaneName::read("vip"));
    assert_eq!(one.batch, "spring");
    assert_ne!(one.id, other.id);
    let refused = command().env("QUEUE_INVITE_KEY", "short").output().unwrap();
    assert!(!refused.status.success());
    let told = String::from_utf8(refused.stderr).unwrap();
    assert!(told.contains("QUEUE_INVITE_KEY"), "{told}");
}

fn run(program: PathBuf, file: &str) -> Command {
    let mut command = Command::new(program);
    command.arg(example(file));
    command
}

fn node() -> Command {
    run(tools::node().unwrap(), "invite/invite.js")
}

#[test]
fn node_makes_invitations() {
    holds(&node);
}

#[test]
fn python_makes_invitations() {
    holds(&|| run(tools::python().unwrap(), "invite/invite.py"));
}

#[test]
fn rust_makes_invitations() {
    let words = ["build", "-q", "-p", "now-serving", "--example", "invite"];
    assert!(project::cargo(&words).unwrap().status().unwrap().success());
    let target = &project::project().unwrap().target;
    holds(&|| Command::new(target.join("debug/examples/invite")));
}

#[test]
fn go_makes_invitations() {
    let Some(go) = where_it_is("go") else { return };
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("invite");
    let mut build = Command::new(go);
    build.args(["build", "-o"]).arg(&program);
    let status = build.arg(example("invite/invite.go")).status().unwrap();
    assert!(status.success());
    holds(&move || Command::new(&program));
}

#[test]
fn php_makes_invitations() {
    let Some(php) = where_it_is("php") else {
        return;
    };
    holds(&move || run(php.clone(), "invite/invite.php"));
}
