//! The module in `deploy/terraform` against what the service asks for, and its page and its examples against the module. The provider's own
//! `terraform validate` needs the provider; that names agree needs nothing, and is what a module loses first.

use std::collections::BTreeSet;
use std::fs;

use upstash_local::DEADLINE;

use crate::pure::conventions::{asked, files, root, text};

const MODULE: [&str; 4] = ["main.tf", "outputs.tf", "variables.tf", "versions.tf"];

/// A file of the module, with one space between two words and no comments.
fn words(file: &str) -> String {
    let text = text(&format!("deploy/terraform/{file}"));
    let code = text.lines().filter(|line| !line.trim().starts_with('#'));
    let words: Vec<&str> = code.flat_map(str::split_whitespace).collect();
    words.join(" ")
}

/// All of it.
fn example() -> String {
    MODULE.map(words).join(" ")
}

/// The names of the module's blocks of this kind, and what is in each up to the next.
fn blocks(kind: &str) -> Vec<(String, String)> {
    let example = example();
    let begin = format!("{kind} \"");
    let blocks = example.split(&begin).skip(1);
    let blocks = blocks.filter_map(|block| block.split_once("\" {"));
    blocks
        .map(|(name, block)| (name.to_owned(), block.to_owned()))
        .collect()
}

/// The names in the manifest of what is made of this kind, such as `backends`.
fn names(kind: &str) -> Vec<String> {
    let manifest = text("fastly.toml");
    let prefix = format!("[setup.{kind}.");
    let names = manifest.lines().filter_map(|line| {
        let name = line.strip_prefix(&prefix)?.strip_suffix(']')?;
        (!name.contains('.')).then(|| name.to_owned())
    });
    names.collect()
}

#[test]
fn terraform_makes_all_that_the_manifest_names() {
    let example = example();
    let backends = names("backends");
    assert!(!backends.is_empty());
    for name in &backends {
        let begin = format!("backend {{ name = \"{name}\"");
        assert_eq!(example.matches(&begin).count(), 1, "{begin}");
    }
    let made = example.matches("backend {").count();
    assert_eq!(made, backends.len(), "these and no other");
    let log = r#"dynamic "logging_https" { for_each = var.log_url == null ? [] : [var.log_url] content { name = "queue_logs" url = logging_https.value"#;
    assert_eq!(names("log_endpoints"), ["queue_logs"]);
    assert_eq!(example.matches("logging_https\" {").count(), 1);
    assert!(example.contains(log), "no log without its URL");
    for (kind, resource, name, variable) in [
        (
            "config_stores",
            "fastly_configstore",
            "config",
            "config_store_name",
        ),
        (
            "secret_stores",
            "fastly_secretstore",
            "secrets",
            "secret_store_name",
        ),
    ] {
        assert_eq!(names(kind).len(), 1, "{kind}");
        // A store of another name is another store, and the one before would be deleted with what is in it.
        let store = format!(
            "resource \"{resource}\" \"{name}\" {{ name = coalesce(var.{variable}, \"${{var.name}}-{name}\") lifecycle {{ prevent_destroy = true }} }}"
        );
        let (_, declared) = example
            .split_once(&format!("variable \"{variable}\" {{"))
            .unwrap();
        let (declared, _) = declared.split_once('}').unwrap();
        assert!(declared.contains("default = null"), "{declared}");
        let link =
            format!("resource_link {{ name = \"{name}\" resource_id = {resource}.{name}.id }}");
        for block in [store, link] {
            assert!(example.contains(&block), "{block}");
        }
    }
}

#[test]
fn terraform_knows_every_setting_and_secret() {
    let example = example();
    let (settings, secrets) = asked();
    let listed = |after: &str| {
        let (_, list) = example.split_once(after).unwrap();
        list.split_once(']').unwrap().0.to_owned()
    };
    let (known, told) = (listed("contains(["), listed("store; without the first two"));
    let (_, told) = told.split_once('[').unwrap();
    assert!(
        example.contains("settings = jsonencode(merge(var.origin_host == null ? {} : { origin_host = var.origin_host }, var.settings)) }")
    );
    for secret in &secrets {
        assert!(told.contains(&format!("\"{secret}\"")), "{secret}: {told}");
    }
    for setting in settings.iter().filter(|key| *key != "upstash_url") {
        assert!(
            known.contains(&format!("\"{setting}\"")),
            "{setting}: {known}"
        );
    }
    assert!(
        !known.contains("secret") && !known.contains("token"),
        "{known}"
    );
}

/// A host that is no domain of the service would answer nothing, and no other host has the panel then.
#[test]
fn terraform_makes_a_domain_of_the_admin_host() {
    let example = example();
    let (_, domain) = example.split_once("dynamic \"domain\" {").unwrap();
    let host =
        r#"for_each = setsubtract([lookup(var.settings, "admin_host", "none")], ["", "none"])"#;
    let (begin, rest) = domain.split_once("content {").unwrap();
    assert_eq!(begin.trim(), host);
    assert!(rest.trim().starts_with("name = domain.value }"), "{rest}");
}

#[test]
fn terraform_makes_each_further_backend_so_that_it_sees_the_visitors_host() {
    let example = example();
    let (_, backend) = example.split_once("dynamic \"backend\" {").unwrap();
    let (begin, rest) = backend.split_once("content {").unwrap();
    assert_eq!(begin.trim(), "for_each = var.backends");
    let (content, _) = rest.split_once('}').unwrap();
    let expected = "name = backend.key address = backend.value port = 443 use_ssl = true ssl_cert_hostname = backend.value ssl_sni_hostname = backend.value";
    assert_eq!(content.trim(), expected);
}

#[test]
fn terraform_lets_the_origin_see_the_visitors_host_and_shows_no_secret() {
    let example = example();
    let (_, origin) = example.split_once("name = \"protected_content\"").unwrap();
    let (origin, _) = origin.split_once('}').unwrap();
    assert!(!origin.contains("override_host"), "{origin}");
    for name in ["ssl_cert_hostname", "ssl_sni_hostname"] {
        let line = format!("{name} = local.origin_name");
        assert!(origin.contains(&line), "{origin}");
    }
    assert!(example.contains("origin_name = coalesce(var.origin_host, var.origin)"));
    assert!(example.contains("header_value = var.log_authorization"));
    let (_, variable) = example
        .split_once("variable \"log_authorization\" {")
        .unwrap();
    let (variable, _) = variable.split_once('}').unwrap();
    assert!(variable.contains("sensitive = true"), "{variable}");
}

/// A site may need more time than Fastly's default.
#[test]
fn terraform_lets_the_deadlines_of_the_site_be_chosen() {
    let example = example();
    let (_, origin) = example.split_once("name = \"protected_content\"").unwrap();
    let (origin, _) = origin.split_once('}').unwrap();
    for (deadline, milliseconds) in [("first_byte", 15_000), ("between_bytes", 10_000)] {
        let line = format!("{deadline}_timeout = var.origin_{deadline}_timeout");
        assert!(origin.contains(&line), "{line}: {origin}");
        let variable = format!("variable \"origin_{deadline}_timeout\" {{");
        let (_, variable) = example.split_once(&variable).unwrap();
        let (variable, _) = variable.split_once('}').unwrap();
        let default = format!("default = {milliseconds}");
        assert!(variable.contains(&default), "{variable}");
    }
}

#[test]
fn terraform_gives_the_store_its_deadline() {
    let example = example();
    let (_, backend) = example.split_once("name = \"upstash\"").unwrap();
    let (backend, _) = backend.split_once('}').unwrap();
    let deadline = DEADLINE.as_millis();
    for (timeout, milliseconds) in [
        ("connect", 1000),
        ("first_byte", deadline),
        ("between_bytes", deadline),
    ] {
        let line = format!("{timeout}_timeout = {milliseconds}");
        assert!(backend.contains(&line), "{line}: {backend}");
    }
}

#[test]
fn the_page_of_the_module_has_every_input_and_output() {
    let page = text("deploy/terraform/README.md");
    let has = |part: &str| -> BTreeSet<String> {
        let (_, part) = page.split_once(&format!("\n## {part}\n")).unwrap();
        let rows = part.lines().skip_while(|line| !line.starts_with('|'));
        let rows = rows.take_while(|line| line.starts_with('|')).skip(2);
        let names = rows.flat_map(|row| {
            row.split(" | ")
                .next()
                .unwrap()
                .split('`')
                .skip(1)
                .step_by(2)
        });
        names.map(str::to_owned).collect()
    };
    for (part, kind) in [("Inputs", "variable"), ("Outputs", "output")] {
        let names: BTreeSet<String> = blocks(kind).into_iter().map(|(name, _)| name).collect();
        assert!(names.len() > 3, "{names:?}");
        assert_eq!(has(part), names, "{part}");
    }
}

/// With the inputs that the module has, and at least those without a default.
#[test]
fn every_example_of_terraform_calls_the_module_as_it_is() {
    let inputs = blocks("variable");
    let needed = inputs
        .iter()
        .filter(|(_, block)| !block.contains("default ="));
    let needed: Vec<&String> = needed.map(|(name, _)| name).collect();
    assert_eq!(needed, ["domain", "origin", "upstash_url"]);
    let pages = files(&root().join("deploy/terraform/examples"))
        .into_iter()
        .map(|path| fs::read_to_string(path).unwrap())
        .chain([text("deploy/terraform/README.md")]);
    let mut calls = 0;
    for page in pages {
        let Some((_, call)) = page.split_once("module \"waiting_room\" {\n") else {
            continue;
        };
        calls += 1;
        let (call, after) = call.split_once("\n}").unwrap();
        let given = call.lines().filter_map(|line| line.split_once(" = "));
        let given: BTreeSet<&str> = given.map(|(name, _)| name.trim()).collect();
        let has = |name: &str| name == "source" || inputs.iter().any(|(input, _)| input == name);
        assert!(given.iter().all(|name| has(name)), "{given:?}");
        assert!(
            needed.iter().all(|name| given.contains(name.as_str())),
            "{given:?}"
        );
        for output in after.split("module.waiting_room.").skip(1) {
            let end = output.find(|letter: char| !letter.is_ascii_lowercase() && letter != '_');
            let name = &output[..end.unwrap()];
            assert!(
                blocks("output").iter().any(|(output, _)| output == name),
                "{name}"
            );
        }
    }
    assert!(calls > 1, "an example, and the page");
}

/// A module that comes without a checkout has its package elsewhere.
#[test]
fn terraform_takes_a_package_from_elsewhere() {
    let example = example();
    assert!(example.contains(
        r#"package = coalesce(var.package_path, "${path.module}/../../pkg/now-serving.tar.gz")"#
    ));
    assert_eq!(example.matches("filename = local.package").count(), 2);
}
