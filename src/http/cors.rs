//! Which pages elsewhere may read our answers: the CORS protocol, as the Fetch standard has it.
//!
//! Answers to visitors only. A preflight is an OPTIONS request, and those go to the origin, which alone knows what it
//! allows; so do the headers of what the origin answers.

use crate::http::{Call, Reply};

/// The same answer, readable by the page that asked if its origin is listed. Names that origin, never `*`: without its
/// cookie a visitor would draw anew with every look, and browsers send cookies only to who names the origin. With any
/// list at all the answer depends on who asked, and says so to everybody.
#[must_use]
pub fn readable(reply: Reply, call: &Call, listed: &[String]) -> Reply {
    if listed.is_empty() {
        return reply;
    }
    let reply = varying(reply);
    let asking = call.header("origin");
    let Some(origin) = listed.iter().find(|origin| **origin == asking) else {
        return reply;
    };
    reply
        .with("access-control-allow-origin", origin)
        .with("access-control-allow-credentials", "true")
        .with("access-control-expose-headers", "Retry-After")
}

fn varying(mut reply: Reply) -> Reply {
    let vary = reply.headers.iter_mut().find(|(name, _)| *name == "vary");
    match vary {
        Some((_, value)) => value.push_str(", Origin"),
        None => return reply.with("vary", "Origin"),
    }
    reply
}

#[cfg(test)]
mod tests {
    use super::*;

    const LISTED: &str = "https://app.shop.example";

    fn asked_from(origin: &str, listed: &[String]) -> Vec<(&'static str, String)> {
        let call = Call {
            headers: vec![("origin", origin.as_bytes().to_vec())],
            ..Call::default()
        };
        readable(Reply::default(), &call, listed).headers
    }

    #[test]
    fn a_listed_origin_is_named_and_every_answer_says_that_it_depends_on_the_origin() {
        let vary = ("vary", "Origin".to_owned());
        let named = [
            vary.clone(),
            ("access-control-allow-origin", LISTED.to_owned()),
            ("access-control-allow-credentials", "true".to_owned()),
            ("access-control-expose-headers", "Retry-After".to_owned()),
        ];
        let listed = ["http://localhost:5173".to_owned(), LISTED.to_owned()];
        assert_eq!(asked_from(LISTED, &listed), named);
        assert_eq!(asked_from("https://evil.example", &listed), [vary]);
        assert_eq!(asked_from(LISTED, &[]), []);
    }

    #[test]
    fn origin_joins_what_the_answer_depends_on_already() {
        let reply = Reply::default().with("vary", "Accept");
        let reply = readable(reply, &Call::default(), &[LISTED.to_owned()]);
        assert_eq!(reply.headers, [("vary", "Accept, Origin".to_owned())]);
    }
}
