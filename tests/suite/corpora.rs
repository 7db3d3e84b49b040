//! What was kept for the targets of `cargo dev fuzz`, through the same targets: a finding that was mended stays mended.
//!
//! `tests/corpus` has a folder for each target, and beside them shapes that have hurt somebody before, for every target.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use fuzz::TARGETS;

use crate::pure::conventions::{root, text};

/// The files of a folder by their names, or the folders of it.
fn entries(folder: &str, is_wanted: fn(&PathBuf) -> bool) -> Vec<PathBuf> {
    let entries = fs::read_dir(root().join(folder)).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let mut wanted: Vec<PathBuf> = paths.filter(is_wanted).collect();
    wanted.sort();
    wanted
}

fn names(paths: &[PathBuf]) -> BTreeSet<String> {
    let name = |path: &PathBuf| path.file_stem().unwrap().to_string_lossy().into_owned();
    paths.iter().map(name).collect()
}

/// Bytes for every target, and for every place a stranger can write to.
pub(crate) fn shapes() -> Vec<Vec<u8>> {
    let files = entries("tests/corpus", |path| path.is_file());
    assert!(files.len() >= 20, "{} shapes", files.len());
    files.iter().map(|file| fs::read(file).unwrap()).collect()
}

mod native {
    use now_serving::cache::outbox::OutboxSlot;
    use now_serving::cache::session::Session;
    use now_serving::cache::{LoginFailures, decode};

    use super::*;

    #[test]
    fn what_a_pop_keeps_is_among_the_texts() {
        let kept = |name: &str| fs::read(root().join("tests/corpus/texts").join(name)).unwrap();
        assert!(decode::<OutboxSlot>(&kept("outbox")).is_some());
        assert!(decode::<LoginFailures>(&kept("login")).is_some());
        assert!(decode::<Session>(&kept("session")).is_some());
    }

    #[test]
    fn what_was_kept_for_a_target_breaks_no_rule() {
        let shapes = shapes();
        for (name, target) in TARGETS {
            let kept = entries(&format!("tests/corpus/{name}"), |path| path.is_file());
            assert!(kept.len() >= 5, "{name} has {}", kept.len());
            for file in kept {
                // The last line before a panic names the file.
                println!("{}", file.display());
                target(&fs::read(file).unwrap());
            }
            for shape in &shapes {
                println!("{name}: {:?}", String::from_utf8_lossy(shape));
                target(shape);
            }
        }
    }
}

mod pure {
    use super::*;

    #[test]
    fn every_target_has_its_program_and_its_corpus() {
        let targets = BTreeSet::from(TARGETS.map(|(name, _)| name.to_owned()));
        let folders = entries("tests/corpus", |path| path.is_dir());
        assert_eq!(names(&folders), targets);
        let programs = entries("dev/fuzz/fuzz_targets", |path| path.is_file());
        assert_eq!(names(&programs), targets);
        let manifest = text("dev/fuzz/Cargo.toml");
        for name in &targets {
            let entry = format!("[[bin]]\nname = \"{name}\"\npath = \"fuzz_targets/{name}.rs\"\n");
            assert!(manifest.contains(&entry), "{entry}");
            let program = text(&format!("dev/fuzz/fuzz_targets/{name}.rs"));
            assert!(
                program.contains(&format!(" fuzz::{name}::target(bytes)")),
                "{program}"
            );
        }
    }

    #[test]
    fn what_is_kept_is_small() {
        for folder in entries("tests/corpus", |path| path.is_dir()) {
            let files = fs::read_dir(&folder).unwrap();
            let sizes: Vec<u64> = files
                .map(|file| file.unwrap().metadata().unwrap().len())
                .collect();
            assert!(
                sizes.len() <= 60,
                "{}: {} files",
                folder.display(),
                sizes.len()
            );
            assert!(
                sizes.iter().all(|size| *size <= 4096),
                "{}",
                folder.display()
            );
        }
    }
}
