//! The pages about production.

use crate::pure::conventions::text;

#[test]
fn the_readme_leads_to_what_is_known_and_unknown() {
    assert!(text("README.md").contains("(docs/explanation/status.md)"));
}
