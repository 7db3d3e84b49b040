//! The script of the store, read by a linter: a name that is never used, a global that is written by mistake. Each of its files is
//! clean by itself, so none uses a name of another one that it does not require.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::fed::fed;
use crate::pure::conventions::{self, root};

/// What luacheck finds in this script, and whether it is content with it.
fn checked(script: &str) -> (bool, String) {
    let mut luacheck = Command::new("luacheck");
    luacheck.args(["--no-color", "-"]).current_dir(root());
    let output = fed(&mut luacheck, script);
    let found = String::from_utf8(output.stdout).unwrap();
    (output.status.success(), found)
}

/// The text of each file of the script, by the name by which it is required; those of verbs begin with `verbs/`.
fn files() -> BTreeMap<String, String> {
    let folder = root().join("src/store/lua");
    let named = |path: PathBuf| {
        let name = path.strip_prefix(&folder).unwrap().with_extension("");
        let text = fs::read_to_string(&path).unwrap();
        (name.to_str().unwrap().to_owned(), text)
    };
    conventions::files(&folder).into_iter().map(named).collect()
}

/// The modules that a text requires, at its head or where it uses them.
fn required(text: &str) -> BTreeSet<String> {
    let calls = text.split("require('").skip(1);
    calls
        .filter_map(|call| Some(call.split_once("')")?.0.to_owned()))
        .collect()
}

/// Modules that require one another in a circle, the first again at the end; nothing where there is no circle.
fn circle(files: &BTreeMap<String, String>) -> Option<Vec<String>> {
    fn from(
        name: &str,
        path: &mut Vec<String>,
        done: &mut BTreeSet<String>,
        files: &BTreeMap<String, String>,
    ) -> bool {
        let is_on_path = path.iter().any(|on_path| on_path == name);
        path.push(name.to_owned());
        if is_on_path {
            return true;
        }
        let text = files.get(name).filter(|_| !done.contains(name));
        for next in text.map(|text| required(text)).unwrap_or_default() {
            if from(&next, path, done, files) {
                return true;
            }
        }
        path.pop();
        done.insert(name.to_owned());
        false
    }
    let (mut path, mut done) = (Vec::new(), BTreeSet::new());
    (files
        .keys()
        .any(|name| from(name, &mut path, &mut done, files)))
    .then_some(path)
}

#[test]
fn the_script_as_the_store_gets_it_is_clean() {
    let (is_clean, found) = checked(&now_serving::store::script());
    assert!(is_clean, "{found}");
}

#[test]
fn each_file_is_clean_by_itself() {
    for (name, text) in files() {
        let (is_clean, found) = checked(&text);
        assert!(is_clean, "{name}: {found}");
    }
}

#[test]
fn a_global_and_a_name_that_is_never_used_are_found() {
    let (is_clean, found) = checked("length = 1\nlocal function draw() end\n");
    assert!(!is_clean);
    for name in ["length", "draw"] {
        assert!(found.contains(name), "{found}");
    }
}

#[test]
fn a_name_of_another_file_is_found() {
    let (is_clean, found) = checked("return { most = rate.judge() }\n");
    assert!(!is_clean);
    assert!(found.contains("rate"), "{found}");
}

#[test]
fn each_file_is_in_the_script_and_each_module_is_required() {
    let (script, files) = (now_serving::store::script(), files());
    for name in files.keys() {
        let called = name.strip_prefix("verbs/").unwrap_or(name);
        assert!(script.contains(&format!("=='{called}'then")), "{name}");
        // Whatever the script calls `require`.
        let is_required = script.contains(&format!("('{name}')"));
        assert!(is_required || called != name, "{name}");
    }
    for name in files.values().flat_map(|text| required(text)) {
        assert!(files.contains_key(&name), "{name}");
    }
}

#[test]
fn no_module_requires_itself() {
    assert_eq!(circle(&files()), None);
    let [one, other] = [("rate", "live"), ("live", "rate")]
        .map(|(name, other)| (name.to_owned(), format!("return require('{other}')")));
    let path = ["live", "rate", "live"].map(str::to_owned).to_vec();
    assert_eq!(circle(&BTreeMap::from([one, other])), Some(path));
}
