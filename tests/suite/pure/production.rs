//! The pages about production.

use crate::pure::conventions::text;

#[test]
fn the_readme_leads_to_what_is_known_and_unknown() {
    assert!(text("README.md").contains("(docs/explanation/status.md)"));
}

/// What the suite's strict host assumes is asked of the first real account.
#[test]
fn what_the_strict_host_assumes_is_a_row_of_what_is_unknown() {
    const MARK: &str = "Assumed: *";
    let status = text("docs/deep/production.md");
    let unknown = status.split("## Unknown").nth(1).unwrap();
    let mut many = 0;
    for file in ["lib.rs", "http_cache.rs"] {
        let source = text(&format!("dev/strict-host/src/{file}"));
        let docs = source.lines().filter(|line| line.starts_with("//!"));
        for line in docs.filter(|line| line.to_lowercase().contains("assumed")) {
            let (_, row) = line.split_once(MARK).unwrap_or_else(|| panic!("{line}"));
            let (row, _) = row.split_once('*').unwrap();
            let (first, rest) = row.split_at(1);
            let begin = format!("\n| {}{rest}", first.to_uppercase());
            assert!(unknown.contains(&begin), "{row}");
            many += 1;
        }
    }
    assert!(many > 5, "{many}");
}
