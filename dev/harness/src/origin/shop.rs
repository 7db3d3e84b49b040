//! The pages of the demo shop.

pub(super) const LOGO: &str = include_str!("logo.svg");

const SHOP: &str = include_str!("shop.html");
const NOT_FOUND: &str = include_str!("not_found.html");
const PASS: &str = "<!-- pass -->";

/// The shop, with the number the visitor was let in with.
pub(super) fn page(position: Option<u64>) -> String {
    let pass = match position {
        Some(position) => {
            format!("<b>It’s your turn.</b> You came in with number <b>{position}</b>.")
        }
        None => {
            "<b>No number.</b> You went past the line, or this is the shop without its waiting room.".to_owned()
        }
    };
    SHOP.replace(PASS, &pass)
}

/// What stands where nothing is.
pub(super) fn not_found() -> &'static str {
    NOT_FOUND
}
