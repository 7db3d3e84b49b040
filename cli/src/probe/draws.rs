//! What a draw costs in time: what the way to the store and back takes from this POP.

use std::time::Duration;

use serde_json::Value;

use super::{Answer, Ask, Finding, Probe, median, ms, unasked};

pub(super) const CHECK: &str = "draws";

/// How many numbers are drawn.
pub(super) const NUMBERS: usize = 3;

/// More than half of the time that the store has for its first byte (500 ms).
const SLOW: Duration = Duration::from_millis(250);

/// A visitor whom this run has made.
#[derive(Clone, Debug)]
pub(super) struct Visitor {
    /// The ticket, as the header `Cookie` has it.
    pub(super) cookie: String,
    /// Whether the origin answers.
    pub(super) is_inside: bool,
    /// Whether a number was drawn.
    pub(super) has_number: bool,
    /// The time of the draw beyond that of the same request without one.
    cost: Duration,
}

/// Draws, if that is allowed.
///
/// # Errors
/// When an answer does not come.
pub(super) fn visitors(probe: &Probe<'_>) -> Result<Vec<Visitor>, String> {
    let numbers = if probe.options.draw { NUMBERS } else { 0 };
    (0..numbers).map(|_| visitor(probe)).collect()
}

/// While others wait the first contact brings a ticket without a number, and the second one draws.
pub(super) fn visitor(probe: &Probe<'_>) -> Result<Visitor, String> {
    let page = Ask::get(probe.page()).with("accept", "application/json");
    let mut drawn = probe.ask(&page)?;
    let mut cookie = ticket(&drawn).unwrap_or_default();
    if is_provisional(&drawn) {
        drawn = probe.ask(&page.clone().with("cookie", cookie.as_str()))?;
        cookie = ticket(&drawn).unwrap_or(cookie);
    }
    let is_inside = !drawn.is_of_the_room();
    // What the same answer takes without a draw: the origin's page for a visitor inside, else an answer of the room.
    let plain = if is_inside {
        probe.ask(&page.with("cookie", cookie.as_str()))?
    } else {
        probe.ask(&Ask::quiet(&probe.route("healthz")))?
    };
    Ok(Visitor {
        has_number: !cookie.is_empty() && (is_inside || position(&drawn).is_some()),
        cost: drawn.took.saturating_sub(plain.took),
        is_inside: is_inside && !cookie.is_empty(),
        cookie,
    })
}

/// `name=value` of our ticket, if the answer sets one.
fn ticket(answer: &Answer) -> Option<String> {
    let cookies = answer.headers.get_all("set-cookie").iter();
    cookies
        .filter_map(|line| line.to_str().ok()?.split(';').next())
        .find(|pair| {
            let value = ["__Host-queue=", "__Secure-queue=", "queue="]
                .iter()
                .find_map(|name| pair.strip_prefix(name));
            value.is_some_and(|value| !value.is_empty())
        })
        .map(str::to_owned)
}

fn is_provisional(answer: &Answer) -> bool {
    answer.is_of_the_room() && position(answer).is_none() && ticket(answer).is_some()
}

fn position(answer: &Answer) -> Option<u64> {
    let told: Value = serde_json::from_str(&answer.body).ok()?;
    told.get("position")?.as_u64()
}

/// Words what the draws took.
pub(super) fn check(visitors: &Result<Vec<Visitor>, String>, is_allowed: bool) -> Finding {
    match visitors {
        Err(error) => unasked(CHECK, error),
        Ok(_) if !is_allowed => Finding::unseen(
            CHECK,
            "a draw takes a number of the real line, and --draw was not given.",
        )
        .mend("run it again with --draw, best before the site's visitors come."),
        Ok(visitors) => judge(visitors),
    }
}

fn judge(visitors: &[Visitor]) -> Finding {
    let numbers = visitors.iter().filter(|visitor| visitor.has_number);
    let costs: Vec<Duration> = numbers.map(|visitor| visitor.cost).collect();
    let inside = visitors.iter().filter(|visitor| visitor.is_inside).count();
    let drawn = costs.len();
    if drawn < visitors.len() {
        return Finding::differs(CHECK, format!("{drawn} of {} visitors drew a number.", visitors.len()))
            .means("the store did not answer, the room is closed, or the page skips the room or is no page.")
            .mend("`reason` and `storeError` of these requests in the log say which; docs/explanation/reliability.md, When the store does not answer.");
    }
    let cost = median(costs).unwrap_or_default();
    let seen = format!(
        "{drawn} drawn, {inside} of them let in; a draw takes {} more than the same answer without one (median).",
        ms(cost)
    );
    if cost > SLOW {
        return Finding::differs(CHECK, seen)
            .means("that is the store's answer as this POP sees it, and near its deadline of 500 ms: some draws will be held.")
            .mend("have the database in a region near the visitors, in one region only, and on a plan that bears the commands a second.");
    }
    Finding::fine(CHECK, seen)
        .means("that is what the store costs a newcomer from this POP, and what a waiting visitor never pays.")
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

    use super::*;
    use crate::probe::report::Verdict;

    fn drew(milliseconds: u64) -> Visitor {
        Visitor {
            cookie: "queue=a".to_owned(),
            is_inside: false,
            has_number: true,
            cost: Duration::from_millis(milliseconds),
        }
    }

    #[test]
    fn a_draw_near_the_deadline_or_without_a_number_differs() {
        assert_eq!(judge(&[drew(5), drew(900), drew(6)]).verdict, Verdict::Fine);
        assert_eq!(
            judge(&[drew(5), drew(400), drew(410)]).verdict,
            Verdict::Differs
        );
        let held = Visitor {
            has_number: false,
            ..drew(5)
        };
        assert_eq!(judge(&[drew(5), held]).verdict, Verdict::Differs);
    }

    #[test]
    fn a_ticket_is_found_among_the_cookies_of_the_origin() {
        for ours in ["__Host-queue=a.b.c", "__Secure-queue=a.b.c", "queue=a.b.c"] {
            let mut answer = Answer::default();
            for cookie in ["shop=1", "queue-post=b", ours] {
                let cookie = format!("{cookie}; Path=/").parse().unwrap();
                answer.headers.append("set-cookie", cookie);
            }
            assert_eq!(ticket(&answer).unwrap(), ours);
        }
    }
}
