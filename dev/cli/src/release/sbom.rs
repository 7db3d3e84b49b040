//! The bill of materials, as `CycloneDX` has it: what the Wasm consists of, and which part links which.

use cyclonedx_bom::models::component::Classification;
use cyclonedx_bom::models::dependency::{Dependencies, Dependency};
use cyclonedx_bom::models::hash::{Hash, HashAlgorithm, HashValue, Hashes};
use cyclonedx_bom::models::license::{LicenseChoice, Licenses};
use cyclonedx_bom::prelude::{
    Bom, Component, Components, DateTime, Metadata, Purl, SpdxExpression, SpecVersion,
    Validate as _,
};

use super::package::{Commit, sha256};
use super::parts::{self, Part, Parts};

/// The bytes of the document.
pub(super) fn of(parts: &Parts, package: &[u8], commit: &Commit) -> Result<Vec<u8>, String> {
    let mut service = component(&parts.service, Classification::Application)?;
    service.hashes = Some(sha256_of(&sha256(package)));
    let rust = rust()?;
    let rust_id = rust.bom_ref.clone().unwrap_or_default();
    let crates = parts
        .crates
        .iter()
        .map(|part| component(part, Classification::Library));
    let components: Result<Vec<Component>, String> = crates.chain([Ok(rust)]).collect();
    let linked = [&parts.service]
        .into_iter()
        .chain(&parts.crates)
        .map(|part| Dependency {
            dependency_ref: part.id(),
            // All of them need the library of Rust: it is named where the service is, and not 147 times.
            dependencies: part
                .links
                .iter()
                .cloned()
                .chain((part.id() == parts.service.id()).then(|| rust_id.clone()))
                .collect(),
        });
    let time = DateTime::try_from(commit.time.clone())
        .map_err(|error| format!("{}: {error}.", commit.time))?;
    let bom = Bom {
        // A random number would differ each time.
        serial_number: None,
        metadata: Some(Metadata {
            timestamp: Some(time),
            component: Some(service),
            ..Metadata::default()
        }),
        components: Some(Components(components?)),
        dependencies: Some(Dependencies(linked.collect())),
        spec_version: SpecVersion::V1_5,
        ..Bom::default()
    };
    let verdict = bom.validate_version(SpecVersion::V1_5);
    if verdict.has_errors() {
        return Err(format!(
            "The bill of materials is not as CycloneDX has it: {verdict:?}"
        ));
    }
    let mut bytes = Vec::new();
    bom.output_as_json_v1_5(&mut bytes)
        .map_err(|error| format!("The bill of materials: {error}."))?;
    Ok(bytes)
}

fn component(part: &Part, kind: Classification) -> Result<Component, String> {
    let mut component = Component::new(kind, &part.name, &part.version, Some(part.id()));
    component.licenses = Some(licences(&part.licence)?);
    // What has no checksum comes from no registry.
    if let Some(sum) = &part.sha256 {
        let purl = Purl::new("cargo", &part.name, &part.version);
        component.purl = Some(purl.map_err(|error| format!("{}: {error}.", part.name))?);
        component.hashes = Some(sha256_of(sum));
    }
    Ok(component)
}

fn rust() -> Result<Component, String> {
    let version = parts::rust()?;
    let id = Some(format!("rust-std@{version}"));
    let mut component = Component::new(Classification::Library, "rust-std", &version, id);
    component.licenses = Some(licences("MIT OR Apache-2.0")?);
    Ok(component)
}

fn licences(expression: &str) -> Result<Licenses, String> {
    let expression = SpdxExpression::parse_lax(expression.to_owned())
        .map_err(|error| format!("{expression}: {error}."))?;
    Ok(Licenses(vec![LicenseChoice::Expression(expression)]))
}

fn sha256_of(sum: &str) -> Hashes {
    Hashes(vec![Hash {
        alg: HashAlgorithm::SHA_256,
        content: HashValue(sum.to_owned()),
    }])
}
