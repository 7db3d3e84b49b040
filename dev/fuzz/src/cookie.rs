//! A `Cookie` header. The origin never gets a cookie of ours and gets every other one; a cookie that we set is found behind whatever
//! came before it.

use now_serving::http::cookie::{self, Names, SameSite, Scope};

/// How many names of a header are compared: each is looked for in all of it.
const MOST_NAMES: usize = 16;

/// Reads a header.
pub fn target(header: &[u8]) {
    for scope in [Scope::Secure, Scope::Loopback] {
        let names = Names::of(scope);
        leaves_the_others(header, &[&names.ticket, &names.twin]);
        finds_what_was_set(header, &names);
    }
}

fn leaves_the_others(header: &[u8], ours: &[&str]) {
    let left = cookie::without(header, ours, &[]).unwrap_or_default();
    for name in ours {
        assert_eq!(cookie::values(&left, name).next(), None, "{name}");
    }
    for name in names(header).filter(|name| !ours.contains(name)) {
        let values = |header| cookie::values(header, name).collect::<Vec<_>>();
        assert_eq!(values(&left), values(header), "{name}");
    }
    for like in [&[][..], &cookie::TICKETS] {
        let left = cookie::without(header, ours, like).unwrap_or_default();
        let again = cookie::without(&left, ours, like).unwrap_or_default();
        assert_eq!(again, left, "nothing is left to be taken out");
    }
}

fn names(header: &[u8]) -> impl Iterator<Item = &str> {
    let pairs = header.split(|byte| *byte == b';').take(MOST_NAMES);
    let names = pairs.filter_map(|pair| pair.split(|byte| *byte == b'=').next());
    names.filter_map(|name| std::str::from_utf8(name.trim_ascii()).ok())
}

fn finds_what_was_set(header: &[u8], names: &Names) {
    const TOKEN: &str = "eyJ0.e30.-_";
    for (set, name) in [
        (names.set(TOKEN, 60, SameSite::Lax), &names.ticket),
        (names.set_twin(TOKEN, 60), &names.twin),
    ] {
        let (pair, _) = set.split_once(';').unwrap_or((&set, ""));
        let sent = [header, b"; ", pair.as_bytes()].concat();
        assert_eq!(cookie::values(&sent, name).last(), Some(TOKEN), "{name}");
    }
}
