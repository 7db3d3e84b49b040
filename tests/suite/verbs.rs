//! The operators' verbs, for tests of all of them: what follows from their table, so that a new verb is in each.

use std::sync::LazyLock;

use now_serving::config::Role;
use now_serving::operator::login::Audience;
use now_serving::operator::verbs::VERBS;

use crate::house::{Ask, House};

/// The routes of the verbs that a token of this role opens.
pub(crate) fn open_to(role: Role) -> Vec<&'static str> {
    let open = VERBS
        .iter()
        .filter(|verb| verb.needs.0 == Audience::Api && role.may(verb.needs.1));
    open.map(|verb| verb.route).collect()
}

/// The routes of all verbs that tokens open, each with the JSON that the service shows to a sender of something else.
pub(crate) static EXAMPLES: LazyLock<Vec<(&'static str, String)>> = LazyLock::new(|| {
    let house = House::native();
    let routes = open_to(Role::All);
    let example = |route| {
        let refused = house.ask(&Ask::json_to(route, "[]"));
        assert_eq!(refused.status, 400, "{refused:?}");
        let refused = refused.json();
        let detail = refused["detail"].as_str().unwrap();
        let detail = detail.strip_suffix("; nothing moved").unwrap();
        let (_, example) = detail.split_once("accepted is such as ").unwrap();
        (route, example.to_owned())
    };
    routes.into_iter().map(example).collect()
});
