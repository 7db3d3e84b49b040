//! For which names the origin answers, asked at its own address: a platform and a CDN find a site by `Host`.

use super::{Answer, Ask, Finding, Probe, unasked};

pub(super) const CHECK: &str = "the host of the origin";

/// No origin knows it: the domain is nobody's (RFC 2606).
const MADE_UP: &str = "now-serving-probe.invalid";

/// What an origin answers to a name that is none of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Refusal {
    /// 421: the server has no site of that name on this connection.
    Misdirected,
    /// 404: the platform has none.
    NotFound,
    /// The name leads to the room again.
    Loop,
    /// No success, which may be of the name or of the page: a CDN answers 403 or 500, a shop leads to its own name.
    Unclear(u16),
}

impl Refusal {
    fn of(answer: &Answer) -> Option<Self> {
        let says_loop = || answer.body.to_ascii_lowercase().contains("loop");
        match answer.status {
            _ if answer.is_of_the_room() => Some(Self::Loop),
            421 => Some(Self::Misdirected),
            404 => Some(Self::NotFound),
            508 => Some(Self::Loop),
            500.. if says_loop() => Some(Self::Loop),
            200..=299 => None,
            status => Some(Self::Unclear(status)),
        }
    }

    fn word(self) -> String {
        match self {
            Self::Misdirected => "421".to_owned(),
            Self::NotFound => "404".to_owned(),
            Self::Loop => "in a loop".to_owned(),
            Self::Unclear(status) => status.to_string(),
        }
    }

    fn means(self) -> &'static str {
        match self {
            Self::Misdirected | Self::NotFound | Self::Unclear(_) => {
                "the origin finds a site by its `Host` and has none of this name, so visitors inside get that answer."
            }
            Self::Loop => {
                "the origin asks the room again for this name, so visitors inside get an error once one of them ends it."
            }
        }
    }
}

/// Once for a name that no origin knows; where that is refused, for the one that the origin gets.
pub(super) fn check(probe: &Probe<'_>) -> Finding {
    let Some(origin) = &probe.origin else {
        return Finding::unseen(CHECK, "no origin was named.")
            .mend("name its address with --origin, such as https://origin.shop.example.");
    };
    let ask = |host: &str| origin.ask(&Ask::quiet("/").with("host", host));
    let host = probe.expected_host();
    let asked = ask(MADE_UP).and_then(|made_up| match Refusal::of(&made_up) {
        None => Ok(by_any_name(&made_up)),
        Some(refusal) => Ok(by_host(refusal, host, &ask(host)?)),
    });
    asked.unwrap_or_else(|error| unasked(CHECK, &error))
}

fn by_any_name(answer: &Answer) -> Finding {
    let seen = format!(
        "{MADE_UP}, a name that it cannot know, is answered {}: the origin does not go by `Host`.",
        answer.status
    );
    Finding::fine(CHECK, seen)
}

fn by_host(of_made_up: Refusal, host: &str, own: &Answer) -> Finding {
    let made_up = format!(
        "{MADE_UP}, a name that it cannot know, is answered {}",
        of_made_up.word()
    );
    let of_own = Refusal::of(own);
    if let Some(Refusal::Unclear(status)) = of_own
        && of_own == Some(of_made_up)
    {
        let seen = format!("{made_up}, and {host} {status} as well, which may be of the page.");
        return Finding::unseen(CHECK, seen)
            .mend("open the address of the origin by both names, and compare the pages.");
    }
    // Another answer than to a name that it cannot know is of a name that it knows.
    let known = of_own.filter(|refusal| !matches!(refusal, Refusal::Unclear(_)));
    let Some(refusal) = known else {
        let seen = format!(
            "{made_up}, and {host} {}: the origin knows this name.",
            own.status
        );
        return Finding::fine(CHECK, seen)
            .means("it goes by `Host`. Ask again once visitors come by another name.");
    };
    Finding::differs(CHECK, format!("{made_up}, and {host} {}.", refusal.word()))
        .means(refusal.means())
        .mend("set `origin_host` to a name that the origin knows (docs/how-to/use-an-origin-that-goes-by-host.md), or have it know this one; then name it here with --origin-host.")
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

    use super::*;
    use crate::probe::report::Verdict;

    fn answer(status: u16, body: &str, headers: &[(&'static str, &str)]) -> Answer {
        let mut answer = Answer {
            status,
            body: body.to_owned(),
            ..Answer::default()
        };
        for (name, value) in headers {
            answer.headers.insert(*name, value.parse().unwrap());
        }
        answer
    }

    #[test]
    fn an_answer_tells_whether_the_origin_knows_the_name() {
        let room = [
            ("x-robots-tag", "noindex"),
            ("cache-control", "private, no-store"),
        ];
        for (answer, refusal) in [
            (answer(200, "a loop of wool", &[]), None),
            (answer(301, "", &[]), Some(Refusal::Unclear(301))),
            (answer(403, "", &[]), Some(Refusal::Unclear(403))),
            (answer(503, "busy", &[]), Some(Refusal::Unclear(503))),
            (answer(404, "no such app", &[]), Some(Refusal::NotFound)),
            (answer(421, "", &[]), Some(Refusal::Misdirected)),
            (answer(508, "", &[]), Some(Refusal::Loop)),
            (answer(503, "Loop detected", &[]), Some(Refusal::Loop)),
            (answer(403, "", &room), Some(Refusal::Loop)),
        ] {
            assert_eq!(Refusal::of(&answer), refusal, "{answer:?}");
        }
    }

    #[test]
    fn only_a_name_that_the_origin_does_not_know_differs() {
        let own = |status| by_host(Refusal::NotFound, "shop.example", &answer(status, "", &[]));
        assert_eq!(own(200).verdict, Verdict::Fine);
        for status in [301, 401, 503] {
            assert_eq!(own(status).verdict, Verdict::Fine, "{status}");
        }
        let found = own(421);
        assert_eq!(found.verdict, Verdict::Differs);
        assert!(found.seen.contains("shop.example 421"), "{found:?}");
        // As a CDN answers any name that it does not know, or a shop its first page.
        for status in [301, 403, 500] {
            let alike = answer(status, "", &[]);
            let found = by_host(Refusal::Unclear(status), "shop.example", &alike);
            assert_eq!(found.verdict, Verdict::Unseen, "{status}");
        }
    }
}
