//! Who is inside, where a cap holds: sessions by the minute in which they end, and slots promised to called visitors.
//!
//! Releases and claims are the store's (`store/lua/sessions.lua`). Here is what the edge computes of a copy: who is inside, when a
//! session is renewed, and how many slots are free.

use super::chance::{Chance, Rule};
use super::{Now, words};
use serde::Deserialize;
use std::ops::RangeInclusive;
use std::time::Duration;

/// How many may be inside, and for how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Cap {
    /// How many sessions there may be at a time; 0 is no cap.
    pub total_active: u64,
    /// A session ends that many minutes after the last visit, or after the first one where visits renew none.
    pub session_minutes: u64,
    /// For how many seconds a slot is kept for a called visitor.
    pub claim_seconds: u64,
    /// Whether a visit makes a session longer.
    pub renewal: Renewing,
}

/// No cap, and what its other figures are unless they are set.
impl Default for Cap {
    fn default() -> Self {
        Self {
            total_active: 0,
            session_minutes: 20,
            claim_seconds: 60,
            renewal: Renewing::On,
        }
    }
}

impl Cap {
    /// What is accepted as the number of sessions; 0 is no cap.
    pub const TOTAL_ACTIVE: RangeInclusive<u64> = 0..=10_000_000;
    /// What is accepted as the length of a session, in minutes.
    pub const SESSION_MINUTES: RangeInclusive<u64> = 2..=240;
    /// What is accepted as the time for which a slot is kept, in seconds.
    pub const CLAIM_SECONDS: RangeInclusive<u64> = 10..=600;

    /// Whether there is one.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.total_active > 0
    }

    /// `total minutes seconds renewal`, as the store keeps what an operator set.
    #[must_use]
    pub fn written(&self) -> String {
        let Self {
            total_active,
            session_minutes,
            claim_seconds,
            renewal,
        } = self;
        let renewal = renewal.name();
        format!("{total_active} {session_minutes} {claim_seconds} {renewal}")
    }

    /// Reads what was written.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let words: Vec<&str> = text.split(' ').collect();
        let [total_active, session_minutes, claim_seconds, renewal] = words[..] else {
            return None;
        };
        Some(Self {
            total_active: total_active.parse().ok()?,
            session_minutes: session_minutes.parse().ok()?,
            claim_seconds: claim_seconds.parse().ok()?,
            renewal: Renewing::named(renewal)?,
        })
    }
}

impl TryFrom<String> for Cap {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::read(&text).ok_or("no cap")
    }
}

words! {
    /// Whether a rule decides, or only says what it would decide.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum Enforcement {
        /// It only says so.
        Observe = "observe",
        /// It decides.
        #[default]
        On = "on",
    }
}

words! {
    /// Whether a visit makes its session longer.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum Renewing {
        /// Each does.
        #[default]
        On = "on",
        /// A session is of fixed length.
        Off = "off",
    }
}

/// The sessions of a minute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(from = "(u64, u64)")]
pub struct Cell {
    /// The last minute of these sessions, since 1970.
    pub end: u64,
    /// How many.
    pub many: u64,
}

impl From<(u64, u64)> for Cell {
    fn from((end, many): (u64, u64)) -> Self {
        Self { end, many }
    }
}

/// What the board says of a cap.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct Sessions {
    /// How many there may be.
    pub total_active: u64,
    /// How long each is, in minutes after the last visit.
    pub minutes: u64,
    /// Whether visitors are held back for it.
    pub enforcement: Enforcement,
    /// Whether a visit makes a session longer.
    pub renewal: Renewing,
    /// The store's time in milliseconds when it said so.
    pub told_ms: u64,
    /// The minute since which a cap holds. A session that ended before has not ended for the cap.
    pub since: u64,
    /// Slots kept for called visitors who have not come.
    pub promised: u64,
    /// How many of those called may come in now.
    pub claimable: u64,
    /// About how many called visitors have not come in time, and may still come.
    pub late: u64,
    /// The sessions there are, by the minute in which they end.
    #[serde(default)]
    pub cells: Vec<Cell>,
    /// The version of the list of ended sessions; 0 while it is empty.
    pub ended: u64,
    /// Slots that other rooms have, where they share the cap.
    #[serde(default)]
    pub elsewhere: u64,
}

impl Sessions {
    /// What is accepted as the longest stay, in minutes; besides 0, for none, and never shorter than a session.
    pub const LONGEST_STAY: RangeInclusive<u64> = 2..=1440;
    /// The longest stay where the settings name none.
    pub const USUAL_STAY: u64 = 240;

    /// How many are inside.
    #[must_use]
    pub fn inside(&self) -> u64 {
        inside(&self.cells)
    }

    /// For how long the end of a session is remembered: longer than the session lasts.
    #[must_use]
    pub fn kept_for(&self) -> Duration {
        Duration::from_mins(self.minutes.saturating_add(1))
    }

    /// The same with those of rooms with the same cap, whose promised slots count as well.
    #[must_use]
    pub fn inside_all(&self) -> u64 {
        self.inside().saturating_add(self.elsewhere)
    }

    /// Free slots.
    #[must_use]
    pub fn free(&self) -> u64 {
        free_slots(self.total_active, self.inside_all(), self.promised)
    }

    /// The minute it is by the store's clock, where this was read at `read_ms` by the clock that now says `now`.
    #[must_use]
    pub fn minute(&self, read_ms: u64, now: Now) -> u64 {
        let since_ms = now.ms().saturating_sub(read_ms);
        self.told_ms.saturating_add(since_ms) / 60_000
    }

    /// Whether a called visitor asks the store for a slot now. Visitors whose slot is still kept do; of late visitors, as many
    /// as there are slots.
    #[must_use]
    pub fn is_worth_a_claim(&self, is_late: bool, chance: Chance) -> bool {
        match self.claimable {
            0 => false,
            _ if !is_late => true,
            claimable => chance.between(Rule::Claim, 1, self.late.max(1)) <= claimable,
        }
    }

    /// The last minute of the stay of a visitor who claimed at this second, or was inside when the cap came, by the longest stay in
    /// minutes. A cap that only observes ends none.
    #[must_use]
    pub fn stay_ends(&self, claimed_s: u64, longest: u64) -> Option<u64> {
        let is_bounded = longest > 0 && self.enforcement == Enforcement::On;
        let began = (claimed_s / 60).max(self.since);
        is_bounded.then(|| began.saturating_add(longest.max(self.minutes)))
    }

    /// What becomes of a session that ends with this minute, at a visit in the minute `minute`; `None` is a visitor who was let
    /// in without one. No session ends after `last`, the last minute of the stay.
    #[must_use]
    pub fn at_a_visit(&self, end: Option<u64>, minute: u64, last: Option<u64>) -> AtVisit {
        let last = last.unwrap_or(u64::MAX);
        if minute > last {
            return AtVisit::Over;
        }
        let next = minute.saturating_add(self.minutes).min(last);
        match end {
            Some(end) if end >= minute && (end >= next || self.renewal == Renewing::Off) => {
                AtVisit::Goes
            }
            Some(end) if end >= minute => AtVisit::Renewed(Renewal {
                from: end,
                to: next,
            }),
            Some(end) if end >= self.since && self.enforcement == Enforcement::On => AtVisit::Over,
            _ => AtVisit::Renewed(Renewal { from: 0, to: next }),
        }
    }
}

/// What becomes of a session at a visit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtVisit {
    /// It goes on.
    Goes,
    /// It ends later.
    Renewed(Renewal),
    /// It has ended.
    Over,
}

/// A session that ends later than before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Renewal {
    /// The minute in which it was to end; 0 where it is counted for the first time.
    pub from: u64,
    /// The minute in which it ends.
    pub to: u64,
}

impl Renewal {
    /// The same of the ticket with this id, whose holder went in by this roll in this minute, where sessions last so many minutes.
    #[must_use]
    pub fn counted(self, id: &str, of: u64, began: u64, minutes: u64) -> CountedRenewal {
        let Self { from, to } = self;
        // Minutes that are over for certain: neither the second of the first visit nor that of this one is known.
        let lasted = |end: u64| end.saturating_sub(minutes).saturating_sub(began + 1);
        CountedRenewal {
            from,
            to,
            of,
            mark: SessionMark::of(id),
            lasted: (lasted(from), lasted(to)),
        }
    }
}

/// The first six bytes of a ticket's random id, by which the store knows whose session it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SessionMark(u64);

impl SessionMark {
    /// How many hexadecimal digits it has.
    pub const DIGITS: usize = 12;

    /// The mark of a ticket. Our ids are hexadecimal; one that is not has a digest in place of its beginning.
    #[must_use]
    pub fn of(id: &str) -> Self {
        let first = id.get(..Self::DIGITS);
        let number = first.and_then(|digits| u64::from_str_radix(digits, 16).ok());
        Self(number.unwrap_or_else(|| Chance::of(id).bits(48)))
    }

    /// Its digits.
    #[must_use]
    pub fn written(self) -> String {
        format!("{:012x}", self.0)
    }
}

/// A renewal on its way to the store, where the line may have begun anew before it comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CountedRenewal {
    /// The minute in which the session was to end; 0 where it is counted for the first time.
    pub from: u64,
    /// The minute in which it ends.
    pub to: u64,
    /// The roll by which its visitor went in.
    pub of: u64,
    /// Whose session it is.
    pub mark: SessionMark,
    /// How many minutes the visit had lasted at the visit before, and has lasted at this one.
    pub lasted: (u64, u64),
}

/// What came of a called visitor's question for a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// A session that ends with this minute.
    Session(u64),
    /// No slot is free.
    Full,
    /// The number has had its session: this ticket is a copy.
    Used,
}

/// The longest that a session may last without a visit: its last minute counts whole, and one is for clocks that differ.
#[must_use]
pub fn longest_seconds(minutes: u64) -> u64 {
    minutes.saturating_add(2).saturating_mul(60)
}

/// How many sessions these are.
#[must_use]
pub fn inside(cells: &[Cell]) -> u64 {
    let many = cells.iter().map(|cell| cell.many);
    many.fold(0, u64::saturating_add)
}

/// How many more may be called: `limit − active − promised`, never below 0.
#[must_use]
pub fn free_slots(total_active: u64, inside: u64, promised: u64) -> u64 {
    total_active.saturating_sub(inside).saturating_sub(promised)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW_MS: u64 = 1_800_000_000_000;
    const MINUTE: u64 = NOW_MS / 60_000;

    fn sessions(enforcement: Enforcement) -> Sessions {
        Sessions {
            total_active: 10,
            minutes: 20,
            enforcement,
            renewal: Renewing::On,
            told_ms: NOW_MS,
            since: MINUTE - 60,
            promised: 2,
            claimable: 3,
            late: 0,
            cells: vec![
                Cell {
                    end: MINUTE,
                    many: 4,
                },
                Cell {
                    end: MINUTE + 20,
                    many: 3,
                },
            ],
            ended: 0,
            elsewhere: 0,
        }
    }

    #[test]
    fn free_slots_are_the_limit_without_the_active_visitors_and_never_below_zero() {
        assert_eq!(free_slots(200, 201, 0), 0);
        assert_eq!(free_slots(200, 148, 0), 52);
        assert_eq!(free_slots(200, 148, 52), 0);
        assert_eq!(free_slots(200, 148, 60), 0, "a cap that was lowered");
        let told = sessions(Enforcement::On);
        assert_eq!((told.inside(), told.free()), (7, 1));
    }

    #[test]
    fn figures_of_places_add_up() {
        let cell = |end: u64, many| Cell { end, many };
        let (dublin, nairobi) = (
            [cell(955, 20), cell(956, 30)],
            [cell(954, 101), cell(955, 50)],
        );
        let both = [&dublin[..], &nairobi[..]].concat();
        assert_eq!((inside(&dublin), inside(&nairobi)), (50, 151));
        assert_eq!(inside(&both), 201);
        assert_eq!(free_slots(200, inside(&both), 0), 0);
    }

    #[test]
    fn a_session_ends_its_length_after_the_last_visit() {
        let told = sessions(Enforcement::On);
        let renewed = |from, to| AtVisit::Renewed(Renewal { from, to });
        let at = |end| told.at_a_visit(Some(end), MINUTE, None);
        assert_eq!(at(MINUTE + 20), AtVisit::Goes, "once a minute");
        assert_eq!(at(MINUTE + 19), renewed(MINUTE + 19, MINUTE + 20));
        assert_eq!(at(MINUTE), renewed(MINUTE, MINUTE + 20));
        assert_eq!(at(MINUTE - 1), AtVisit::Over);
        assert_eq!(at(MINUTE + 60), AtVisit::Goes, "it was longer before");
    }

    #[test]
    fn no_session_is_made_longer_than_the_longest_stay() {
        let told = sessions(Enforcement::On);
        let last = told.stay_ends((MINUTE - 30) * 60, 40);
        assert_eq!(last, Some(MINUTE + 10));
        let renewed = |to| {
            AtVisit::Renewed(Renewal {
                from: MINUTE + 5,
                to,
            })
        };
        let at = |minute| told.at_a_visit(Some(MINUTE + 5), minute, last);
        assert_eq!(at(MINUTE), renewed(MINUTE + 10));
        let ends = |end| told.at_a_visit(Some(end), MINUTE + 10, last);
        assert_eq!(ends(MINUTE + 10), AtVisit::Goes, "its last minute counts");
        let after = told.at_a_visit(Some(MINUTE + 20), MINUTE + 11, last);
        assert_eq!(after, AtVisit::Over);
        assert_eq!(told.stay_ends(0, 40), Some(MINUTE - 20), "since the cap");
        let short = told.stay_ends((MINUTE - 30) * 60, 2);
        assert_eq!(short, Some(MINUTE - 10), "never shorter than a session");
        assert_eq!(told.stay_ends(0, 0), None);
        assert_eq!(sessions(Enforcement::Observe).stay_ends(0, 40), None);
    }

    #[test]
    fn a_visit_of_fixed_length_ends_that_long_after_it_began() {
        let told = Sessions {
            renewal: Renewing::Off,
            ..sessions(Enforcement::On)
        };
        let at = |minute| told.at_a_visit(Some(MINUTE + 5), minute, None);
        assert_eq!(at(MINUTE), AtVisit::Goes, "a visit makes it no longer");
        assert_eq!(at(MINUTE + 5), AtVisit::Goes, "its last minute counts");
        assert_eq!(at(MINUTE + 6), AtVisit::Over);
        let first = AtVisit::Renewed(Renewal {
            from: 0,
            to: MINUTE + 20,
        });
        assert_eq!(told.at_a_visit(None, MINUTE, None), first);
        let observed = Sessions {
            enforcement: Enforcement::Observe,
            ..told
        };
        assert_eq!(
            observed.at_a_visit(Some(MINUTE), MINUTE, None),
            AtVisit::Goes
        );
        assert_eq!(observed.at_a_visit(Some(MINUTE - 1), MINUTE, None), first);
    }

    #[test]
    fn a_visitor_let_in_before_there_was_a_cap_is_counted_and_goes_on() {
        let told = sessions(Enforcement::On);
        let counted = AtVisit::Renewed(Renewal {
            from: 0,
            to: MINUTE + 20,
        });
        assert_eq!(told.at_a_visit(None, MINUTE, None), counted);
        assert_eq!(told.at_a_visit(Some(MINUTE - 61), MINUTE, None), counted);
        assert_eq!(
            told.at_a_visit(Some(MINUTE - 60), MINUTE, None),
            AtVisit::Over
        );
        let observed = sessions(Enforcement::Observe);
        assert_eq!(observed.at_a_visit(Some(MINUTE - 1), MINUTE, None), counted);
    }

    #[test]
    fn the_minute_is_that_of_the_store_whatever_the_clock_here_says() {
        let told = sessions(Enforcement::On);
        let fast = NOW_MS + 90_000;
        assert_eq!(told.minute(fast, Now::from_ms(fast + 59_999)), MINUTE);
        assert_eq!(told.minute(fast, Now::from_ms(fast + 60_000)), MINUTE + 1);
        assert_eq!(told.minute(fast, Now::from_ms(fast - 1)), MINUTE);
    }

    #[test]
    fn as_many_latecomers_ask_as_there_are_slots() {
        let asks = |told: &Sessions, is_late| {
            let worth = |number| told.is_worth_a_claim(is_late, Chance::new(number));
            (0..10_000).filter(|number| worth(*number)).count()
        };
        let some = sessions(Enforcement::On);
        assert_eq!(asks(&some, false), 10_000, "their slots are kept");
        assert_eq!(asks(&some, true), 10_000, "nobody else is late");
        let crowd = Sessions { late: 30, ..some };
        assert_eq!(asks(&crowd, false), 10_000);
        assert!((900..1_100).contains(&asks(&crowd, true)));
        let full = Sessions {
            claimable: 0,
            ..crowd
        };
        assert_eq!((asks(&full, true), asks(&full, false)), (0, 0));
    }

    #[test]
    fn a_cap_is_read_as_it_was_written() {
        let cap = Cap {
            total_active: 200,
            session_minutes: 20,
            claim_seconds: 60,
            renewal: Renewing::Off,
        };
        assert_eq!(cap.written(), "200 20 60 off");
        assert_eq!(Cap::read(&cap.written()), Some(cap));
        for spoilt in [
            "",
            "200",
            "200 20 60",
            "200 20 60 no",
            "-1 20 60 on",
            "1 2 3 on 4",
        ] {
            assert_eq!(Cap::read(spoilt), None, "{spoilt}");
        }
    }
}
