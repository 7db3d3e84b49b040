//! What CHANGELOG.md says of a version, by Keep a Changelog: `## 0.1.0 - 2026-11-23`, below `## Unreleased`.

/// What is no version yet.
const UNRELEASED: &str = "Unreleased";

/// The notes of a version, which is the newest.
///
/// # Errors
/// When there are none, when another version is newer, or when changes still stand under Unreleased.
pub(super) fn of(changelog: &str, version: &str) -> Result<String, String> {
    let sections = sections(changelog);
    let waiting = sections.iter().find(|(name, _)| *name == UNRELEASED);
    if waiting.is_some_and(|(_, text)| text.contains("\n- ")) {
        return Err(format!(
            "CHANGELOG.md has changes under Unreleased, which belong to {version}: see docs/deep/release.md."
        ));
    }
    let newest = sections.iter().find(|(name, _)| *name != UNRELEASED);
    match newest {
        Some((name, text)) if *name == version => told(version, text),
        Some((name, _)) => Err(format!(
            "The newest version in CHANGELOG.md is {name}, and in Cargo.toml it is {version}."
        )),
        None => Err(format!(
            "CHANGELOG.md has no section of the version {version}."
        )),
    }
}

/// What would be the notes.
///
/// # Errors
/// When there are none.
pub(super) fn unreleased(changelog: &str) -> Result<String, String> {
    let sections = sections(changelog);
    let (name, text) = sections.first().ok_or("CHANGELOG.md has no section.")?;
    told(name, text)
}

fn told(name: &str, text: &str) -> Result<String, String> {
    match text.trim() {
        "" => Err(format!("CHANGELOG.md says nothing of {name}.")),
        text => Ok(format!("{text}\n")),
    }
}

/// The sections with the names of their versions, the newest first.
fn sections(changelog: &str) -> Vec<(&str, &str)> {
    let sections = changelog.split("\n## ").skip(1);
    let named = sections.map(|section| {
        let (title, text) = section.split_at(section.find('\n').unwrap_or(section.len()));
        let name = title.split([' ', ']']).next().unwrap_or_default();
        (name.trim_start_matches('['), text)
    });
    named.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHANGES: &str = "# Changes\n\n## Unreleased\n\n## [0.2.0] - 2026-11-23\n\n### Added\n\n- Two.\n\n## 0.1.0\n\n- One.\n";

    #[test]
    fn the_notes_are_the_section_of_the_newest_version() {
        assert_eq!(of(CHANGES, "0.2.0"), Ok("### Added\n\n- Two.\n".to_owned()));
        let plain = CHANGES
            .replace("## Unreleased\n\n", "")
            .replace("[0.2.0]", "0.2.0");
        assert_eq!(of(&plain, "0.2.0"), of(CHANGES, "0.2.0"));
    }

    #[test]
    fn a_version_that_is_not_the_newest_or_has_no_section_is_refused() {
        let wrong = |changes: &str, version: &str| of(changes, version).err().unwrap_or_default();
        assert!(wrong(CHANGES, "0.1.0").contains("The newest version in CHANGELOG.md is 0.2.0"));
        assert!(wrong(CHANGES, "0.3.0").contains("0.2.0, and in Cargo.toml it is 0.3.0"));
        assert!(
            wrong("# Changes\n\n## Unreleased\n", "0.1.0")
                .contains("no section of the version 0.1.0")
        );
        assert!(
            wrong("# Changes\n\n## 0.1.0\n\n## 0.0.1\n\n- Zero.\n", "0.1.0")
                .contains("says nothing of 0.1.0")
        );
        let late = CHANGES.replace("## Unreleased\n", "## Unreleased\n\n- Three.\n");
        assert!(wrong(&late, "0.2.0").contains("under Unreleased"));
    }

    #[test]
    fn a_draft_has_the_notes_of_what_is_unreleased() {
        let changes = "# Changes\n\n## Unreleased\n\n- Three.\n\n## 0.2.0\n";
        assert_eq!(unreleased(changes), Ok("- Three.\n".to_owned()));
        assert!(unreleased("# Changes\n").is_err());
    }
}
