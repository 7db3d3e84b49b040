//! Addresses in what visitors read: where its links lead, and where a visitor goes on from there.
//!
//! Invariant: an address that a stranger may have written leads to this site or nowhere.

use crate::config::{Belongs, Room};
use crate::http::Call;
use crate::request::Request;

/// The page's own address as a link. One that begins with two slashes would lead to another site.
pub(crate) fn here(call: &Call) -> String {
    let target = call.target();
    if target.starts_with("//") {
        format!("/.{target}")
    } else {
        target
    }
}

/// Where a page without scripts goes to find out whether its ticket was kept.
pub(super) fn cookies(room: &Room, to: &str, number: u8) -> String {
    url(room, "cookies", &[("try", &number.to_string()), ("to", to)])
}

/// Where a page goes to begin or stop refreshing by itself.
pub(super) fn updates(room: &Room, to: &str, every: &str) -> String {
    url(room, "updates", &[("every", every), ("to", to)])
}

/// Where a page leads a visitor who has one, where some are taken.
pub(super) fn invitation(request: &Request<'_>) -> Option<String> {
    let are_taken = request.room.invitations.are_taken();
    are_taken.then(|| url(request.room, "invitation", &[("to", &here(request.call))]))
}

/// The site's start page, where this room is not in front of it.
pub(super) fn start_page(request: &Request<'_>) -> Option<String> {
    let call = Call {
        method: "GET".to_owned(),
        path: "/".to_owned(),
        query: None,
        ..request.call.clone()
    };
    let place = request.config.place_of(&call);
    let is_elsewhere =
        matches!(place.belongs, Belongs::PastRoom(_)) || place.room.name != request.room.name;
    is_elsewhere.then_some(call.path)
}

fn url(room: &Room, route: &str, pairs: &[(&str, &str)]) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    for (name, value) in pairs {
        query.append_pair(name, value);
    }
    let query = query.finish();
    format!("{}/{route}?{query}", room.routes)
}

/// Back to where the visitor came from: a path of this site and nothing else, whatever a stranger's link says.
pub(super) fn destination(call: &Call) -> Option<String> {
    call.parameter("to").filter(|to| sound_destination(to))
}

pub(super) fn sound_destination(to: &str) -> bool {
    // Browsers read a backslash as a slash, and two of them as the beginning of a host.
    let is_here = to.starts_with('/') && !to.starts_with("//") && !to.starts_with("/\\");
    let sound = to.bytes().all(|byte| byte.is_ascii_graphic());
    is_here && sound
}
