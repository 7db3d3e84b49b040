//! The settings that guides show, by the rules of the service.

use cli::check::verdict;
use harness::sandbox_dir::Settings;

use super::page::{documents, guides, text};

/// What a page sets on a command line, each as a document of its own.
fn set(page: &str) -> Vec<String> {
    let page = text(page);
    let pairs = page.split("--set '").skip(1);
    let pairs = pairs.map(|rest| rest.split('\'').next().unwrap().split_once('=').unwrap());
    let documents = pairs.map(|(name, value)| serde_json::json!({ name: value }).to_string());
    documents.collect()
}

#[test]
fn the_settings_that_a_guide_shows_are_sound() {
    let mut many = 0;
    for page in guides()
        .into_iter()
        .chain(["settings", "conditions"].map(|page| format!("docs/reference/{page}.md")))
    {
        for document in [documents(&page), set(&page)].concat() {
            let verdict = verdict(&page, &document, Settings::new());
            assert!(verdict.is_sound, "{:?}: {document}", verdict.lines);
            many += 1;
        }
    }
    assert!(many > 6, "{many}");
}
