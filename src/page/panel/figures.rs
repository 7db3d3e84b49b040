//! The line in figures, and the words beside them.

use serde_json::Value;

use super::hour::Hour;
use super::{SignSeen, moment, number, people};
use crate::http::object::object;
use crate::i18n::english;
use crate::queue::{Absent, AbsentVisitors, Bound, Enforcement, Explained, Now, Sessions, Sign};
use crate::queue::{Rate, Verdict, decide};
use crate::ticket::{Standing, Ticket};

/// The numbers of the line.
pub(super) fn line(sign: &Sign) -> Value {
    object!({
        "cursor": number(sign.cursor.0),
        "length": number(sign.length),
        "waiting": number(sign.waiting()),
        "credit": number(sign.credit),
        "credit_people": people(sign.credit),
        "waiting_people": people(sign.waiting()),
    })
}

/// How fast the line moves.
pub(super) fn flow(sign: &Sign, hour: &Hour, now_ms: u64) -> Value {
    let measured = sign.measured.and_then(|measured| measured.rate(now_ms));
    let wait = match sign.waiting() {
        0 => "nobody waits".to_owned(),
        _ if !sign.mode().lets_in() => "unknown".to_owned(),
        _ => {
            let wait = sign.wait_of_the_last(now_ms);
            wait.map_or_else(|| "unknown".to_owned(), |wait| english().wait(Some(wait)))
        }
    };
    object!({
        "one": number(hour.admitted_within(60_000)),
        "five": number(hour.admitted_within(300_000)),
        "measured": measured.map_or_else(|| "not known".to_owned(), rate_words),
        "wait": wait,
    })
}

/// How many of the called visitors do not come.
pub(super) fn absent(setting: AbsentVisitors, absent: Absent) -> String {
    match absent.share {
        _ if setting == AbsentVisitors::Off => "not measured".to_owned(),
        None => "not known yet".to_owned(),
        Some(share) => format!(
            "{} % of those called did not come. {} called may still come.",
            share.saturating_add(5) / 10,
            number(absent.may_come)
        ),
    }
}

/// Who is inside, where a cap holds.
pub(super) fn inside(sessions: Option<&Sessions>) -> String {
    let Some(sessions) = sessions else {
        return "no cap".to_owned();
    };
    let (inside, most) = (number(sessions.inside()), number(sessions.total_active));
    let promised = number(sessions.promised);
    let observed = match sessions.enforcement {
        Enforcement::Observe => " The cap only observes.",
        Enforcement::On => "",
    };
    format!("{inside} of {most}, and {promised} promised.{observed}")
}

/// What the last release was, and what bounds the line now.
pub(super) fn release(limits: &Explained, now_ms: u64) -> String {
    let now = match limits.bound_by {
        Bound::Waiting => "none, nobody waits",
        Bound::Mode => "the mode",
        Bound::Settling => "an older line may still come back",
        Bound::Pace => "the pace",
        Bound::Slots => "no slot is free",
        Bound::Recount => "it is not known who is inside",
        Bound::Origin => "the origin is sick",
    };
    let last = limits.last.map(|last| {
        let slots = last.slots.map(|slots| format!(", slots {}", number(slots)));
        let (pace, released) = (number(last.pace), number(last.released));
        let at = moment(last.at_ms, now_ms).text;
        let slots = slots.unwrap_or_default();
        format!("Pace {pace}{slots} \u{2192} {released}, {at}. ")
    });
    format!("{}Limit now: {now}.", last.unwrap_or_default())
}

/// Rates below ten are told with a decimal.
fn rate_words(rate: Rate) -> String {
    let per_minute = rate.per_minute();
    let decimals = usize::from(per_minute < 9.95);
    format!("{per_minute:.decimals$} a minute")
}

/// How old the sign is that visitors see here.
pub(super) fn copy(copy: Option<SignSeen>, now_ms: u64) -> String {
    let Some(copy) = copy else {
        return "not in use at the moment".to_owned();
    };
    let tenths = now_ms.saturating_sub(copy.read_ms) / 100;
    let old = if copy.is_old {
        ", since the store did not answer"
    } else {
        ""
    };
    format!("{}.{} s old{old}", number(tenths / 10), tenths % 10)
}

/// What this browser holds.
pub(super) fn ticket(held: &Ticket, sign: &Sign, now_ms: u64) -> String {
    let moved = match held.standing {
        Standing::Waiting(place) => sign.number(place),
        _ => None,
    };
    match (held.standing, moved) {
        (Standing::Waiting(_), Some(place)) => {
            let position = number(place.0);
            match decide(place, sign.cursor) {
                Verdict::Admit => format!("number {position}, whose turn it is"),
                Verdict::Wait { ahead } => {
                    format!("number {position}, with {} ahead", people(ahead))
                }
            }
        }
        (
            Standing::Admitted {
                position,
                born,
                epoch,
                ..
            },
            _,
        ) if !sign.has_ended(born, epoch) => {
            let named = position.map_or_else(
                || "a ticket without a number".to_owned(),
                |position| format!("number {}", number(position.0)),
            );
            format!("{named}, let in")
        }
        (Standing::Provisional { .. }, _) if held.is_inside(Now::from_ms(now_ms)) => {
            "a ticket without a number, let in for a while".to_owned()
        }
        (Standing::Provisional { .. }, _) => "a ticket without a number yet".to_owned(),
        _ => "a ticket of an earlier epoch, which has ended".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absent_visitors_are_told_in_words() {
        let told = |setting, share| {
            let may_come = 6;
            absent(setting, Absent { share, may_come })
        };
        let known = "31 % of those called did not come. 6 called may still come.";
        assert_eq!(told(AbsentVisitors::Observe, Some(305)), known);
        assert_eq!(told(AbsentVisitors::On, Some(314)), known);
        assert_eq!(told(AbsentVisitors::Observe, None), "not known yet");
        assert_eq!(told(AbsentVisitors::Off, None), "not measured");
    }
}
