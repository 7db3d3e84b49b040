//! The line in figures, and the words beside them.

use serde_json::Value;

use super::events::shuts;
use super::hour::{Bar, Hour};
use super::trend::Trend;
use super::verdict::Rush;
use super::words::{moment, moment_to_the_minute, number, people, per_minute, span_words};
use super::{BoardSeen, Configured};
use crate::http::object::object;
use crate::queue::{
    Absent, AbsentVisitors, Board, Bound, Enforcement, Explained, Groups, Histogram, Now, Sessions,
};
use crate::queue::{Lane, LaneState, PanelSnapshot, Verdict};
use crate::ticket::{Ticket, TicketStage};

/// The numbers of the line.
pub(super) fn line(board: &Board, now_ms: u64) -> Value {
    let last = board.waiting().checked_sub(1);
    object!({
        "cursor": number(board.cursor().0),
        "length": number(board.length()),
        "waiting": number(board.waiting()),
        "credit": number(board.credit),
        "credit_people": people(board.credit),
        "waiting_people": people(board.waiting()),
        "wait": wait(board, last, now_ms).unwrap_or_else(|_| "\u{2013}".to_owned()),
        "wait_first": wait(board, last.map(|_| 0), now_ms)
            .map_or_else(str::to_owned, |first| format!("first: {first}")),
    })
}

/// What an operator decides by.
pub(super) fn decisive(hour: &Hour, trend: Option<Trend>, rush: Option<&Rush>) -> Value {
    let (last, five) = (hour.flow(1, 0), hour.flow(5, 0));
    let whole = hour.bars.split_last();
    let peak = whole.and_then(|(_, bars)| bars.iter().map(|bar| bar.arrived).max());
    let now = hour.bars.last();
    let peak = number(peak.unwrap_or(0));
    // The verdict and the forecasts look at those of them since something was changed.
    let mean = |people| {
        let known = (five.minutes > 0).then(|| per_minute(people, five.minutes));
        known.unwrap_or_else(|| "\u{2013}".to_owned())
    };
    let mean_of = match five.minutes {
        0 => String::new(),
        minutes => format!("mean of {minutes} min \u{b7} "),
    };
    let until_now = |bar: fn(&Bar) -> u64| number(now.map_or(0, bar));
    let (arriving, arriving_more) = if let Some(rush) = rush {
        (number(rush.a_minute()), rush.beside())
    } else {
        let (last, now) = (number(last.arrived), until_now(|bar| bar.arrived));
        let more = format!("{mean_of}last minute {last}, this one {now} \u{b7} peak {peak}");
        (mean(five.arrived), more)
    };
    object!({
        // Before a rush it grew by what says nothing now.
        "slope": trend.filter(|_| rush.is_none()).and_then(Trend::slope),
        "arriving": arriving,
        "arriving_more": arriving_more,
        "admitted": mean(five.admitted),
        "mean": mean_of,
        "admitted_last": number(last.admitted),
        "admitted_now": until_now(|bar| bar.admitted),
    })
}

/// How long the visitor with this many ahead waits, or why there is no figure of that.
fn wait(board: &Board, ahead: Option<u64>, now_ms: u64) -> Result<String, &'static str> {
    let ahead = ahead.ok_or("no visitor waits")?;
    if !board.mode().lets_in() {
        return Err("until entry goes on");
    }
    let wait = board.estimated_wait(ahead, now_ms).ok_or("unknown")?;
    Ok(span_words(wait))
}

/// How long visitors waited who went in within the last hour, beside what they had been told at the draw.
pub(super) fn waits(snapshot: &PanelSnapshot, now_ms: u64) -> Option<String> {
    let (came, counts) = snapshot.history.last_hour(now_ms / 60_000);
    let lanes = counts.waits.iter().filter_map(|(lane, waits)| {
        let both = |of: &Histogram| Some((of.percentile(50)?, of.percentile(95)?));
        let (half, most) = both(&waits.waited)?;
        let told = both(&waits.told).map_or_else(
            || "No time was told them".to_owned(),
            |(half, most)| {
                format!(
                    "They were told {} and {}",
                    span_words(half),
                    span_words(most)
                )
            },
        );
        let (half, most) = (span_words(half), span_words(most));
        let of = if lane == Lane::Main.full_name() {
            String::new()
        } else {
            format!(" in {lane}")
        };
        Some(format!(
            "Half{of} waited about {half} or less, 95 of 100 about {most} or less. {told}."
        ))
    });
    let stayed = counts.half_stayed(came);
    let stayed = stayed.map(|minutes| format!("Half of the visits last {minutes} min or longer."));
    let told: Vec<String> = lanes.chain(stayed).collect();
    (!told.is_empty()).then(|| told.join(" "))
}

/// How many of the called visitors come.
pub(super) fn came(setting: AbsentVisitors, absent: Absent) -> Value {
    let share = absent.share.filter(|_| setting != AbsentVisitors::Off);
    let share = share.map(|absent| 1000_u64.saturating_sub(absent).saturating_add(5) / 10);
    let more = match setting {
        AbsentVisitors::Off => "not measured".to_owned(),
        _ if share.is_none() => "not known yet".to_owned(),
        _ => format!("{} called may still come", number(absent.may_come)),
    };
    object!({
        "share": share.map_or_else(|| "\u{2013}".to_owned(), |share| format!("{share} %")),
        "more": more,
    })
}

/// Who is inside, where a cap holds.
pub(super) fn inside(sessions: Option<&Sessions>) -> String {
    let Some(sessions) = sessions else {
        return "no cap".to_owned();
    };
    let (inside, most) = (number(sessions.inside()), number(sessions.total_active));
    let called = number(sessions.promised);
    let elsewhere = match sessions.elsewhere {
        0 => String::new(),
        many => format!(", and {} in rooms with the same cap", number(many)),
    };
    let observed = match sessions.enforcement {
        Enforcement::Observe => " The cap only observes.",
        Enforcement::On => "",
    };
    format!("{inside} of {most}, and {called} called{elsewhere}.{observed}")
}

/// How many visitors may still be called by the stock, and who reported it.
pub(super) fn stock(snapshot: &PanelSnapshot, now_ms: u64) -> Option<String> {
    let left = snapshot.board.live.stock?;
    let set = snapshot.stock.as_ref();
    let by = set.map(|set| {
        let at = moment(set.at_ms, now_ms).text;
        format!(", by the report of {} at {at}", set.who())
    });
    let left = match left {
        0 => "sold out: no visitor is called".to_owned(),
        many => format!("{} may still be called", people(many)),
    };
    Some(format!("{left}{}.", by.unwrap_or_default()))
}

/// Why the cap lets no visitor in, until when, and what helps at once.
pub(super) fn recount(limits: &Explained, now_ms: u64) -> Option<String> {
    let until = moment_to_the_minute(limits.recount_ms?, now_ms).text;
    Some(format!(
        "The store lost its data, so it is not known who is inside. Until {until} the cap lets no visitor in, and permits are kept as credit. A cap of 0 lets visitors in by the pace at once, without counting those inside."
    ))
}

/// Who came by an invitation, where any is taken.
pub(super) fn invited(snapshot: &PanelSnapshot, rule: &Configured<'_>) -> Option<String> {
    let invited = snapshot.invited;
    let (this_minute, most) = (number(invited.this_minute), number(rule.invited_per_minute));
    let straight = (rule.invited_per_minute > 0).then(|| {
        format!(
            "{} went straight in, {this_minute} of {most} in this minute.",
            number(invited.all)
        )
    });
    let groups = rule.groups.list.iter().map(|group| {
        let lane = snapshot.board.lane(Lane::Named(group.name));
        told_of(group.name.as_str(), &lane)
    });
    let told: Vec<String> = straight.into_iter().chain(groups).collect();
    (!told.is_empty()).then(|| told.join(" "))
}

fn told_of(name: &str, of: &LaneState) -> String {
    format!(
        "{name}: {} waiting, now serving {} of {}.",
        number(of.waiting()),
        number(of.cursor().0),
        number(of.length())
    )
}

/// How far the line of each region is, where a number was drawn in one.
pub(super) fn regions(board: &Board, groups: &Groups) -> Option<String> {
    let regions = board.regions(groups);
    let mut lines: Vec<String> = regions
        .map(|(name, of)| told_of(name.as_str(), of))
        .collect();
    (!lines.is_empty()).then(|| {
        lines.push(told_of("Anywhere", &board.lane(Lane::Main)));
        lines.join(" ")
    })
}

/// What the last release was, and what bounds the line now.
pub(super) fn release(snapshot: &PanelSnapshot, now_ms: u64) -> String {
    let limits = &snapshot.limits;
    let now = match limits.bound_by {
        Bound::Waiting => "none, nobody waits",
        Bound::Mode => "the mode",
        Bound::Quiet => "an older line may still come back",
        Bound::Pace => "the pace",
        Bound::Stock => "the reported stock is used up",
        Bound::Slots => "no slot is free",
        Bound::Recount => "it is not known who is inside",
        Bound::Origin => "the origin is sick",
        Bound::Event => shuts(&snapshot.board),
    };
    let last = limits.last.map(|last| {
        let slots = last
            .slots
            .map(|slots| format!(" and {} free slots", number(slots)));
        let (pace, released) = (number(last.pace), number(last.released));
        let at = moment(last.at_ms, now_ms).text;
        let slots = slots.unwrap_or_default();
        format!("{released} went in by a pace of {pace}{slots}, at {at}. ")
    });
    format!("{}Limit now: {now}.", last.unwrap_or_default())
}

/// How old the board is that visitors see here.
pub(super) fn copy(copy: Option<BoardSeen>, now_ms: u64) -> String {
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

/// Whose passwords are guessed sooner than they should be, if any are.
pub(super) fn short_passwords(names: &[&str]) -> Option<String> {
    (!names.is_empty()).then(|| format!("fewer than 12 bytes: {}", names.join(", ")))
}

/// What this browser holds.
pub(super) fn ticket(held: &Ticket, board: &Board, now_ms: u64) -> String {
    let board = board.of(held.lane);
    let moved = match held.stage {
        TicketStage::Waiting(proof) => board.number(proof.place),
        _ => None,
    };
    match (held.stage, moved) {
        (TicketStage::Waiting(_), Some(place)) => {
            let position = number(place.0);
            match board.verdict(place) {
                Verdict::Admit => format!("number {position}, whose turn it is"),
                Verdict::Wait { ahead } => {
                    format!("number {position}, with {} ahead", people(ahead))
                }
            }
        }
        (TicketStage::Admitted { position, .. }, _) if !held.is_ended_by(&board, || false) => {
            let named = position.map_or_else(
                || "a ticket without a number".to_owned(),
                |position| format!("number {}", number(position.0)),
            );
            format!("{named}, let in")
        }
        (TicketStage::Provisional { .. }, _) if held.is_inside(Now::from_ms(now_ms)) => {
            "a ticket without a number, let in for a while".to_owned()
        }
        (TicketStage::Provisional { .. }, _) => "a ticket without a number yet".to_owned(),
        _ => "a ticket that has ended".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn called_visitors_who_come_are_told_in_words() {
        let told = |setting, share| {
            let told = came(setting, Absent { share, may_come: 6 });
            let word = |name| told.get(name).and_then(Value::as_str).map(str::to_owned);
            [word("share"), word("more")].map(Option::unwrap_or_default)
        };
        let known = ["70 %", "6 called may still come"];
        assert_eq!(told(AbsentVisitors::Observe, Some(305)), known);
        assert_eq!(told(AbsentVisitors::On, Some(296)), known);
        let unknown = ["\u{2013}", "not known yet"];
        assert_eq!(told(AbsentVisitors::Observe, None), unknown);
        let unmeasured = ["\u{2013}", "not measured"];
        assert_eq!(told(AbsentVisitors::Off, Some(305)), unmeasured);
    }
}
