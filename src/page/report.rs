//! The report of an event, or of any other time: one page, the same as data, or its picture alone.
//!
//! Invariant: what is not known is said, and nothing is said of it besides.

use serde_json::Value;

use super::clock::{iso_8601, moment_to_the_minute, time, utc};
use super::panel::{HEIGHT, STEP, in_minutes, number, people, per, span_words, steps};
use super::template::{Compiled, Same};
use super::{NOBODY, built_in, unbranded};
use crate::http::Reply;
use crate::http::object::object;
use crate::i18n::english;
use crate::queue::{Bound, Event, Histogram, Pace, Sample, called_by_wait};

const MINUTE_MS: u64 = 60_000;
/// How many bars the picture has at most.
const BARS: u64 = 120;
/// Where the plots begin, and how wide they are.
const LEFT: u64 = 56;
const WIDTH: u64 = 656;
/// Presses that are nearer to each other share a number in the picture.
const APART: u64 = 44;

/// How long visitors of a lane waited, in seconds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaneWaits {
    /// Its name.
    pub lane: String,
    /// How many went in.
    pub visitors: u64,
    /// What 50, 95 and 99 of 100 waited at most.
    pub waited: Option<[u64; 3]>,
    /// What they were told at the draw, likewise.
    pub told: Option<[u64; 3]>,
}

/// Of those who were called after waiting so long, how many there were and how many did not come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoShows {
    /// From, in seconds.
    pub from: u64,
    /// To; nothing for any longer wait.
    pub to: Option<u64>,
    /// How many were called.
    pub called: u64,
    /// How many of them did not come.
    pub absent: u64,
}

impl NoShows {
    /// Out of minutes, the oldest first, in which one line moved, and how long those had waited who came. Of fewer than 20 who were called
    /// nothing is said; nor of any where a visitor who comes some seconds after the call weighs more than those who do not come.
    #[must_use]
    pub fn by_wait(minutes: &[Sample], came: &Histogram) -> Vec<Self> {
        const SPANS: [u64; 4] = [60, 300, 900, 3600];
        const FEWEST: u64 = 20;
        let called = called_by_wait(minutes);
        let mut from = 0;
        let rows = SPANS.map(Some).into_iter().chain([None]).map(|to| {
            let (called, came) = (called.within(from, to), came.within(from, to));
            let row = Self {
                from,
                to,
                called,
                absent: called.saturating_sub(came),
            };
            from = to.unwrap_or(from);
            row
        });
        let rows: Vec<Self> = rows.collect();
        let absent = rows
            .iter()
            .fold(0_u64, |sum, row| sum.saturating_add(row.absent));
        let known = called.all().saturating_sub(came.all());
        // Or more came than were called: some had been called before.
        if came.all() > called.all() || absent.saturating_mul(4) > known.saturating_mul(5) {
            return Vec::new();
        }
        rows.into_iter()
            .filter(|row| row.called >= FEWEST)
            .collect()
    }
}

/// What somebody did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Press {
    /// When, in Unix milliseconds.
    pub at_ms: u64,
    /// The name of the credentials.
    pub who: String,
    /// What, in words.
    pub what: String,
}

/// What happened in a time.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The room.
    pub room: String,
    /// The event, where it is of one.
    pub event: Option<Event>,
    /// The pace that was planned for it.
    pub pace: Option<Pace>,
    /// For when its pre-queue was planned, where that is known.
    pub prequeue_ms: Option<u64>,
    /// From when, in Unix milliseconds.
    pub from_ms: u64,
    /// Until when.
    pub to_ms: u64,
    /// From when until when there is word of the line at all.
    pub heard_ms: (u64, u64),
    /// Whether it goes on.
    pub goes_on: bool,
    /// Whether data centres may still bring what they counted in it.
    pub is_counted_late: bool,
    /// Minutes in which the line moved, the oldest first.
    pub minutes: Vec<Sample>,
    /// The longest line at any moment, and when; without it, that of the minutes.
    pub longest: Option<(u64, u64)>,
    /// By lane.
    pub waits: Vec<LaneWaits>,
    /// Where that is known.
    pub no_shows: Vec<NoShows>,
    /// What operators did, the oldest first; nothing for a reader who is not told.
    pub presses: Option<Vec<Press>>,
    /// By which rule visitors passed others, and how many.
    pub inversions: Vec<(String, u64)>,
    /// What the journal says: its last line and its head, and what became of checking it.
    pub journal: Vec<String>,
    /// What is not known.
    pub unknown: Vec<String>,
}

/// As what it is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShownAs {
    /// A page.
    Html,
    /// Data.
    Json,
    /// The picture alone.
    Svg,
}

impl Report {
    /// As this.
    #[must_use]
    pub fn shown(&self, shown: ShownAs) -> Reply {
        match shown {
            ShownAs::Html => rendered(&built_in::REPORT, &self.page()),
            ShownAs::Json => Reply::json(200, &self.data()),
            ShownAs::Svg => {
                let mut reply = rendered(&built_in::REPORT_CHART, &self.page());
                reply.headers.retain(|(name, _)| *name != "content-type");
                reply.with("content-type", "image/svg+xml")
            }
        }
    }

    fn sum(&self, of: fn(&Sample) -> u64) -> u64 {
        let all = self.minutes.iter().map(of);
        all.fold(0, u64::saturating_add)
    }

    /// The longest line, and when it was.
    fn longest(&self) -> Option<(u64, u64)> {
        let minutes = self.minutes.iter();
        let of_minutes = minutes.max_by_key(|minute| (minute.waiting, u64::MAX - minute.at));
        let of_minutes = of_minutes.map(|longest| (longest.waiting, longest.at * MINUTE_MS));
        self.longest.or(of_minutes)
    }

    /// The minutes of which there is word.
    fn heard(&self) -> (u64, u64) {
        let (from_ms, to_ms) = self.heard_ms;
        (from_ms / MINUTE_MS, to_ms.div_ceil(MINUTE_MS))
    }

    /// What bound the line, and for how many minutes; nothing for minutes of which there is no word though visitors waited. All of them
    /// together are the time of the report.
    fn bounds(&self) -> Vec<(Option<Bound>, u64)> {
        let end = self.to_ms.div_ceil(MINUTE_MS);
        let mut all: Vec<(Option<Bound>, u64)> = Vec::new();
        let mut put = |rule, minutes: u64| match all.iter_mut().find(|(known, _)| *known == rule) {
            Some((_, sum)) => *sum = sum.saturating_add(minutes),
            None => all.push((rule, minutes)),
        };
        let (first, last) = self.heard();
        let mut add = |rule, from: u64, to: u64| {
            let heard = to.min(last).saturating_sub(from.max(first));
            put(rule, heard);
            put(None, to.saturating_sub(from) - heard);
        };
        let mut at = self.from_ms / MINUTE_MS;
        let mut rest = Some(Bound::Waiting);
        for sample in &self.minutes {
            add(rest, at, sample.at);
            let begins = sample.at.max(at);
            let ends = sample.at.saturating_add(1).clamp(at, end.max(at));
            add(sample.bound_by.or(rest), begins, ends);
            rest = Some(Bound::Waiting).filter(|_| sample.waiting == 0);
            at = ends;
        }
        add(rest, at, end);
        all.retain(|(_, minutes)| *minutes > 0);
        all.sort_by_key(|(_, minutes)| u64::MAX - minutes);
        all
    }

    /// What programs read.
    fn data(&self) -> Value {
        let seconds = |of: Option<[u64; 3]>| {
            of.map(|[p50, p95, p99]| object!({ "p50": p50, "p95": p95, "p99": p99 }))
        };
        let waits = self.waits.iter().map(|of| {
            object!({
                "lane": of.lane.as_str(), "visitors": of.visitors,
                "waited_seconds": seconds(of.waited), "estimated_seconds": seconds(of.told),
            })
        });
        let no_shows = self.no_shows.iter().map(|of| {
            object!({ "from_seconds": of.from, "to_seconds": of.to, "called": of.called, "absent": of.absent })
        });
        let presses = self.presses.as_ref().map(|presses| {
            let presses = presses.iter().map(|press| {
            object!({ "at": iso_8601(press.at_ms), "by": press.who.as_str(), "what": press.what.as_str() })
            });
            presses.collect::<Vec<Value>>()
        });
        let bounds = self.bounds().into_iter();
        let bounds =
            bounds.map(|(rule, minutes)| {
            object!({ "rule": rule.map_or("unheard", Bound::name), "minutes": minutes })
        });
        let inversions = self.inversions.iter();
        let inversions =
            inversions.map(|(rule, many)| object!({ "rule": rule.as_str(), "visitors": *many }));
        let planned = self.event.as_ref().map(|event| {
            object!({
                "id": event.id.as_str(), "prequeue": self.prequeue_ms.map(iso_8601), "opens": iso_8601(event.opens_ms),
                "closes": event.closes_ms.map(iso_8601), "pace": self.pace.map(|pace| object!({ "automatic": pace.automatic, "automatic_quantity": pace.quantity })),
            })
        });
        let longest = self.longest();
        object!({
            "room": self.room.as_str(),
            "from": iso_8601(self.from_ms),
            "to": iso_8601(self.to_ms),
            "goes_on": self.goes_on,
            "planned": planned,
            "arrived": self.sum(|of| of.drawn),
            "called": self.sum(|of| of.released),
            "came": self.sum(|of| of.came),
            "longest_line": longest.map(|(waiting, at)| object!({ "waiting": waiting, "at": iso_8601(at) })),
            "waits": waits.collect::<Vec<Value>>(),
            "absent_by_wait": no_shows.collect::<Vec<Value>>(),
            "bound_by": bounds.collect::<Vec<Value>>(),
            "changes": presses,
            "inversions": inversions.collect::<Vec<Value>>(),
            "journal": self.journal.clone(),
            "unknown": self.unknown.clone(),
        })
    }

    fn title(&self) -> String {
        match &self.event {
            Some(event) => format!("Report of {} in the room {}", event.id, self.room),
            None => format!("Report of the room {}", self.room),
        }
    }

    /// What the page shows.
    fn page(&self) -> Value {
        let (called, came) = (self.sum(|of| of.released), self.sum(|of| of.came));
        let absent = called.saturating_sub(came);
        let at = |ms: u64| moment_to_the_minute(ms, self.to_ms);
        let longest = self.longest().filter(|(waiting, _)| *waiting > 0);
        // Who was called just now is still on the way, and counts come some seconds late.
        let until = if self.goes_on { ", and it goes on" } else { "" };
        let did_not = if self.is_counted_late {
            "have not yet"
        } else {
            "are not known to have"
        };
        let told = self.presses.as_deref().unwrap_or_default();
        let presses = told.iter().map(|press| {
            object!({ "iso": iso_8601(press.at_ms), "at": time(press.at_ms), "who": press.who.as_str(), "what": press.what.as_str() })
        });
        let presses: Vec<Value> = presses.collect();
        let waits: Vec<Value> = self.waits.iter().map(waits_row).collect();
        let by_wait = self.no_shows.iter().map(|of| {
            let span = match of.to {
                Some(to) => format!("{} to {} min", of.from / 60, to / 60),
                None => format!("over {} min", of.from / 60),
            };
            object!({ "span": span, "share": percent(of.absent, of.called) })
        });
        let bounds = self.bounds().into_iter().map(|(rule, minutes)| {
            object!({ "rule": bound_words(rule), "time": span_words(minutes * 60) })
        });
        let lines = |texts: &[String]| -> Vec<Value> {
            texts
                .iter()
                .map(|text| object!({ "line": text.as_str() }))
                .collect()
        };
        let chart = self.chart();
        let red = (!told.is_empty()).then_some("Red numbers are what operators did, below.");
        let gaps = chart.get("gaps").and_then(Value::as_array);
        let is_grey = gaps.is_some_and(|gaps| !gaps.is_empty());
        let grey = is_grey.then_some("Grey: there is no word of that time.");
        let notes: Vec<&str> = red.into_iter().chain(grey).collect();
        object!({
            "title": self.title(),
            "when": format!("{} to {}{until}", utc(self.from_ms), utc(self.to_ms)),
            "arrived": number(self.sum(|of| of.drawn)),
            "called": number(called),
            "came": number(came),
            "absent": format!("{} {did_not} ({})", number(absent), percent(absent, called)),
            "longest": number(longest.map_or(0, |(waiting, _)| waiting)),
            "longest_at": longest.map(|(_, ms)| {
                let at_the_end = if self.longest.is_some() { "at" } else { "at the end of" };
                format!("{at_the_end} {}", at(ms))
            }),
            "chart": chart,
            "chart_note": (!notes.is_empty()).then(|| notes.join(" ")),
            "plan": self.plan(),
            "waitless": waits.is_empty(),
            "waits": waits,
            "by_wait": by_wait.collect::<Vec<Value>>(),
            "bounds": bounds.collect::<Vec<Value>>(),
            "pressless": self.presses.is_some() && presses.is_empty(),
            "pressed": self.presses.is_some(),
            "presses": presses,
            "fair": lines(&self.fair()),
            "notes": lines(&self.unknown),
        })
    }

    /// What was planned, beside what happened.
    fn plan(&self) -> Vec<Value> {
        let row = |name: &str, planned: String, happened: String| object!({ "name": name, "planned": planned, "happened": happened });
        let nothing = || "\u{2013}".to_owned();
        let mut went = self.minutes.iter().filter(|minute| minute.released > 0);
        let first = went.next();
        let last = went.next_back().or(first);
        let at = |sample: Option<&Sample>| {
            sample.map_or_else(nothing, |sample| {
                moment_to_the_minute(sample.at * MINUTE_MS, self.to_ms)
            })
        };
        let planned =
            |ms: Option<u64>| ms.map_or_else(nothing, |ms| moment_to_the_minute(ms, self.to_ms));
        let event = self.event.as_ref();
        // While visitors waited, and a pace could let them in.
        let is_busy =
            |minute: &&Sample| minute.waiting > 0 && minute.bound_by != Some(Bound::Event);
        let before = std::iter::once(0).chain(self.minutes.iter().map(|minute| minute.waiting));
        // At its end, or at its begin, and they were let in.
        let busy = self.minutes.iter().zip(before).filter(|(minute, waited)| {
            is_busy(minute) || minute.waiting == 0 && *waited > 0 && minute.released > 0
        });
        let (minutes, gone) = busy.fold((0_u64, 0_u64), |(minutes, gone), (minute, _)| {
            (minutes + 1, gone.saturating_add(minute.released))
        });
        let pace = self.pace.filter(|pace| pace.automatic > 0);
        let a_minute = |pace| format!("{} a minute", number(in_minutes(pace, 1)));
        let happened = (gone + minutes / 2).checked_div(minutes).map_or_else(
            || "nobody waited".to_owned(),
            |many| {
                let once_open = event.map_or("", |_| " after it opened");
                format!(
                    "{} a minute over the {} in which visitors waited{once_open}",
                    number(many),
                    span_words(minutes * 60)
                )
            },
        );
        vec![
            row(
                "First let in",
                planned(event.map(|event| event.opens_ms)),
                at(first),
            ),
            row(
                "Last let in",
                planned(event.and_then(|event| event.closes_ms)),
                at(last),
            ),
            row("Let in", pace.map_or_else(nothing, a_minute), happened),
        ]
    }

    /// Who passed others, and what the journal says.
    fn fair(&self) -> Vec<String> {
        let passed = self.inversions.iter().map(|(rule, many)| {
            let share = |of| {
                let many = people(*many);
                format!("{many} went in by the share of {of} while another line waited; numbers of different lines cannot be compared.")
            };
            let why = match rule.as_str() {
                "group" => return share("a group"),
                "region" => return share("a region"),
                "invitation" => "by an invitation",
                "without_store" => "while the store did not answer",
                "jump" => "by an operator's test ticket",
                _ => "for a reason that is not known",
            };
            format!(
                "{} went in {why} while others waited whose turn was before.",
                people(*many)
            )
        });
        let passed: Vec<String> = passed.collect();
        let none = passed
            .is_empty()
            .then(|| "No visitor is known to have passed another.".to_owned());
        none.into_iter()
            .chain(passed)
            .chain(self.journal.iter().cloned())
            .collect()
    }

    fn chart(&self) -> Value {
        let (first, last) = (
            self.from_ms / MINUTE_MS,
            self.to_ms
                .div_ceil(MINUTE_MS)
                .max(self.from_ms / MINUTE_MS + 1),
        );
        let each = (last - first).div_ceil(BARS).max(1);
        let many = (last - first).div_ceil(each);
        let mut bars = vec![(None, 0_u64); usize::try_from(many).unwrap_or(0)];
        for minute in &self.minutes {
            let place =
                usize::try_from(minute.at.saturating_sub(first) / each).unwrap_or(usize::MAX);
            if let Some((waiting, released)) = bars.get_mut(place) {
                *waiting = (*waiting).max(Some(minute.waiting));
                *released = released.saturating_add(minute.released);
            }
        }
        // In a minute without a sample nothing moved.
        let mut waits = 0;
        let waiting: Vec<u64> = bars
            .iter()
            .map(|(waiting, _)| {
                waits = waiting.unwrap_or(waits);
                waits
            })
            .collect();
        let admitted: Vec<u64> = bars.iter().map(|(_, released)| *released).collect();
        let planned = self.pace.filter(|pace| pace.automatic > 0);
        let planned = planned.map(|pace| in_minutes(pace, each));
        let most = |of: &[u64]| of.iter().copied().max().unwrap_or(0).max(1);
        let people = most(&waiting);
        let rates = most(&admitted).max(planned.unwrap_or(0));
        let width = many * STEP;
        let line = steps(&mut waiting.iter().copied(), people);
        let x = |ms: u64| {
            let minutes = (ms / MINUTE_MS).saturating_sub(first);
            (minutes * STEP / each).min(width)
        };
        let plan = planned.zip(self.event.as_ref()).map(|(planned, event)| {
            let high = HEIGHT - planned.saturating_mul(HEIGHT) / rates;
            // What is planned for later goes beyond the picture.
            let closes = event.closes_ms.filter(|closes| *closes <= self.to_ms);
            let ends = closes.map(|closes| format!("H{}V{HEIGHT}", x(closes)));
            let ends = ends.unwrap_or_else(|| format!("H{width}"));
            format!("M{} {HEIGHT}V{high}{ends}", x(event.opens_ms))
        });
        let presses = self.presses.iter().flatten();
        let mut presses: Vec<u64> = presses
            .map(|press| LEFT + x(press.at_ms) * WIDTH / width.max(1))
            .collect();
        let mut marks: Vec<(u64, u64, u64)> = Vec::new();
        for (n, x) in (1_u64..).zip(&presses) {
            match marks.last_mut() {
                Some((begins, _, last)) if *x < *begins + APART => *last = n,
                _ => marks.push((*x, n, n)),
            }
        }
        presses.dedup();
        let presses = presses.iter().map(|x| object!({ "x": x.to_string() }));
        let marks = marks.into_iter().map(|(x, first, last)| {
            let n = match last {
                _ if last == first => first.to_string(),
                last => format!("{first}\u{2013}{last}"),
            };
            object!({ "n": n, "x": x.to_string() })
        });
        let at = |minute: u64| moment_to_the_minute(minute * MINUTE_MS, self.to_ms);
        let bars = (0_u64..).zip(bars.iter().zip(&waiting));
        let (from, to) = self.heard();
        let gaps = bars.filter(|(place, ((heard, _), waiting))| {
            let begins = first + place * each;
            begins + each <= from || begins >= to || heard.is_none() && **waiting > 0
        });
        let gaps = gaps.map(|(place, _)| object!({ "x": (place * STEP).to_string() }));
        object!({
            "gaps": gaps.collect::<Vec<Value>>(),
            "width": width,
            "people": number(people),
            "rates": number(rates),
            "area": format!("{line}V{HEIGHT}H0Z"),
            "waiting": line,
            "admitted": steps(&mut admitted.iter().copied(), rates),
            "plan": plan,
            "per": per(each),
            "from": at(first), "middle": at(first + (last - first) / 2), "to": at(last),
            "presses": presses.collect::<Vec<Value>>(),
            "marks": marks.collect::<Vec<Value>>(),
        })
    }
}

fn rendered(page: &Compiled, data: &Value) -> Reply {
    let same: Same<'_> = unbranded(english());
    page.render(200, data, same, NOBODY)
}

fn waits_row(of: &LaneWaits) -> Value {
    let nothing = || "\u{2013}".to_owned();
    let waited = |place: usize| {
        let seconds = of.waited.and_then(|waited| waited.get(place).copied());
        seconds.map_or_else(nothing, span_words)
    };
    let told = of
        .told
        .map(|[half, most, _]| format!("{}, {}", span_words(half), span_words(most)));
    object!({
        "lane": of.lane.as_str(),
        "visitors": number(of.visitors),
        "p50": waited(0), "p95": waited(1), "p99": waited(2),
        "told": told.unwrap_or_else(nothing),
    })
}

fn percent(part: u64, all: u64) -> String {
    match part.saturating_mul(200).checked_div(all) {
        None => "\u{2013}".to_owned(),
        Some(halves) => format!("{} %", halves.div_ceil(2)),
    }
}

fn bound_words(rule: Option<Bound>) -> &'static str {
    let Some(rule) = rule else {
        return "There is no word of that time";
    };
    match rule {
        Bound::Waiting => "Nothing: nobody waited",
        Bound::Mode => "The mode: an operator held or closed the room",
        Bound::Quiet => "The store had just lost its data",
        Bound::Stock => "The stock was used up",
        Bound::Pace => "The pace",
        Bound::Slots => "The cap: the site was full",
        Bound::Recount => "It was not known who was inside",
        Bound::Origin => "The site was sick",
        Bound::Event => "The event was not open",
    }
}
