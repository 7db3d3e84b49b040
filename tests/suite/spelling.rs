//! No text of this repository has a word that is known to be mistyped; `.codespellrc` has the exceptions.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::pure::conventions::root;

/// The mistyped words below this folder, and whether there are none.
fn checked(folder: &Path) -> (bool, String) {
    let output = Command::new("codespell")
        .arg("--config")
        .arg(root().join(".codespellrc"))
        .arg(".")
        .current_dir(folder)
        .output()
        .unwrap();
    let found = String::from_utf8(output.stdout).unwrap();
    (output.status.success(), found)
}

#[test]
fn no_word_is_mistyped() {
    let (is_clean, found) = checked(&root());
    assert!(is_clean, "{found}");
}

#[test]
fn a_mistyped_word_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let mistyped = ["Visitors rec", "ieve a ticket."].concat();
    fs::write(folder.path().join("text.md"), mistyped).unwrap();
    let (is_clean, found) = checked(folder.path());
    assert!(!is_clean && found.contains("receive"), "{found}");
}
