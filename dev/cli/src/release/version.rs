//! The version: one number in every file that names it.

use serde::Deserialize;

#[derive(Deserialize)]
struct Versioned {
    version: Option<String>,
}

#[derive(Deserialize)]
struct Workspace {
    package: Versioned,
}

#[derive(Deserialize)]
struct Manifest {
    workspace: Workspace,
    package: Versioned,
}

/// The version that the two manifests name.
///
/// # Errors
/// When they name none, or two.
pub(super) fn of(cargo: &str, fastly: &str) -> Result<String, String> {
    let manifest: Manifest =
        toml::from_str(cargo).map_err(|error| format!("Cargo.toml: {error}"))?;
    let edge: Versioned =
        toml::from_str(fastly).map_err(|error| format!("fastly.toml: {error}"))?;
    let version = manifest
        .package
        .version
        .ok_or("Cargo.toml names no version.")?;
    let others = [
        (
            "workspace.package of Cargo.toml",
            manifest.workspace.package.version,
        ),
        ("fastly.toml", edge.version),
    ];
    for (place, other) in others {
        if other.as_ref().is_some_and(|other| *other != version) {
            let other = other.unwrap_or_default();
            return Err(format!(
                "Cargo.toml names the version {version}, and {place} names {other}."
            ));
        }
    }
    Ok(version)
}

/// Whether the tag, where there is one, is that of the version.
///
/// # Errors
/// When it is not.
pub(super) fn is_tagged(version: &str, tag: Option<&str>) -> Result<(), String> {
    match tag {
        Some(tag) if tag.strip_prefix('v') != Some(version) => Err(format!(
            "The tag of the version {version} is v{version}, not {tag}."
        )),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_the_one_that_all_files_name() {
        let cargo = |one: &str, other: &str| {
            format!("[workspace.package]\nversion = \"{one}\"\n[package]\nversion = \"{other}\"\n")
        };
        assert_eq!(
            of(&cargo("1.2.3", "1.2.3"), "name = \"a\""),
            Ok("1.2.3".to_owned())
        );
        assert_eq!(
            of(&cargo("1.2.3", "1.2.3"), "version = \"1.2.3\""),
            Ok("1.2.3".to_owned())
        );
        for (cargo, fastly, place) in [
            (
                cargo("1.2.4", "1.2.3"),
                "",
                "workspace.package of Cargo.toml names 1.2.4",
            ),
            (
                cargo("1.2.3", "1.2.3"),
                "version = \"2.0.0\"",
                "fastly.toml names 2.0.0",
            ),
        ] {
            let wrong = of(&cargo, fastly);
            assert!(
                wrong.as_ref().is_err_and(|wrong| wrong.contains(place)),
                "{wrong:?}"
            );
        }
    }

    #[test]
    fn a_tag_is_v_and_the_version() {
        assert_eq!(is_tagged("1.2.3", None), Ok(()));
        assert_eq!(is_tagged("1.2.3", Some("v1.2.3")), Ok(()));
        for tag in ["1.2.3", "v1.2.4", "v1.2.3-rc.1"] {
            assert!(
                is_tagged("1.2.3", Some(tag)).is_err_and(|wrong| wrong.contains(tag)),
                "{tag}"
            );
        }
    }
}
