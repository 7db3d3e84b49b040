//! Methods that the platform could act on itself.

use super::{Answer, Ask, Finding, Probe, unasked};

pub(super) const PURGE: &str = "PURGE";
pub(super) const TRACE: &str = "TRACE";

pub(super) fn check(probe: &Probe<'_>) -> Vec<Finding> {
    [(PURGE, PURGED), (TRACE, ECHOED)]
        .map(|(method, wrong)| {
            let ask = Ask::quiet(&probe.options.open_path).method(method);
            match probe.ask(&ask) {
                Ok(answer) => judge(method, wrong, &answer),
                Err(error) => unasked(method, &error),
            }
        })
        .into()
}

/// What it means, and what mends it.
type Wrong = (&'static str, &'static str);

const PURGED: Wrong = (
    "the platform takes PURGE from strangers: they can empty the cache of `cache_paths`. No place in the line is lost.",
    "ask Fastly's support to demand authentication for purges in the account, and until then keep `cache_paths` empty.",
);
const ECHOED: Wrong = (
    "TRACE shows a script what it may not read, such as cookies.",
    "look for what answers in front of the service, and report it: the service itself answers 405.",
);

fn judge(method: &'static str, (means, mend): Wrong, answer: &Answer) -> Finding {
    match answer.status {
        400.. if answer.is_of_the_room() => Finding::fine(
            method,
            format!(
                "answered {} by the service, on a path that skips the room.",
                answer.status
            ),
        ),
        400 | 401 | 403 | 405 | 501 => Finding::fine(
            method,
            format!(
                "answered {} by the platform, before the service.",
                answer.status
            ),
        ),
        status => Finding::differs(method, format!("answered {status}, not 405."))
            .means(means)
            .mend(mend),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probe::report::Verdict;

    #[test]
    fn what_is_not_refused_differs() {
        let told = |status| {
            let answer = Answer {
                status,
                ..Answer::default()
            };
            judge(PURGE, PURGED, &answer).verdict
        };
        assert_eq!([405, 401, 501].map(told), [Verdict::Fine; 3]);
        assert_eq!([200, 302, 500, 502].map(told), [Verdict::Differs; 4]);
    }
}
