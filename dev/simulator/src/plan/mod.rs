//! `now-serving plan`: when the last visitor goes in, how long visitors wait and what it costs, from a pace; or the pace, from
//! when the last one is to be in. Arithmetic by the second; `tests/plan.rs` holds it against the simulator.

mod line;

use anstyle::Style;
use now_serving::queue::Pace;
use serde_json::{Value, json};

use crate::costs::{
    Bills, COMMANDS_A_SECOND, DOLLARS_A_GIGABYTE, POLL_SECONDS, REQUESTS_BEFORE, bills,
    busy_commands, gigabytes,
};
use crate::scenario::Shape;
use crate::units::{Rate, Span, float, grouped, whole};
pub use line::{Event, Outcome, play};
use std::ops::RangeInclusive;

/// Options of `now-serving plan`.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// How many visitors come
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true, value_parser = |text: &str| count(text, 1..=100_000_000))]
    pub visitors: u64,
    /// Over how long they come, such as 10m
    #[arg(long, value_name = "TIME", value_parser = some_time)]
    pub over: Span,
    /// How they are spread over that time
    #[arg(long, value_name = "SHAPE", default_value = "rush", value_parser = shape)]
    pub shape: Shape,
    /// How many are let in, such as 500/min or 75/15s
    #[arg(
        long,
        value_name = "RATE",
        allow_hyphen_values = true,
        required_unless_present = "all_in_within"
    )]
    pub pace: Option<Rate>,
    /// Find the pace that lets all in within this time after the first one came
    #[arg(long, value_name = "TIME", conflicts_with = "pace", value_parser = some_time)]
    pub all_in_within: Option<Span>,
    /// The most visitors inside at a time
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true, requires = "session", value_parser = |text: &str| count(text, 1..=10_000_000))]
    pub cap: Option<u64>,
    /// With --cap: the stay, and the setting `session_minutes` after the last page
    #[arg(long, value_name = "TIME", requires = "cap", value_parser = some_time)]
    pub session: Option<Span>,
    /// The share of called visitors who do not come, such as 0.3
    #[arg(long, value_name = "SHARE", allow_hyphen_values = true, default_value_t = 0.0, value_parser = share)]
    pub absent: f64,
    /// As with the setting `absent_visitors` = on
    #[arg(long)]
    pub compensate: bool,
    /// The POPs with visitors at that time
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true, default_value_t = 50, value_parser = |text: &str| count(text, 1..=200))]
    pub pops: u64,
    /// Requests that a visitor inside makes
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true, default_value_t = 40, value_parser = |text: &str| count(text, 0..=1_000_000))]
    pub requests: u64,
    /// Kilobytes of the site's answer to one of them
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true, default_value_t = 50, value_parser = |text: &str| count(text, 0..=1_000_000))]
    pub kilobytes: u64,
    /// As JSON
    #[arg(long)]
    pub json: bool,
}

fn some_time(text: &str) -> Result<Span, String> {
    let span: Span = text.parse()?;
    let is_some = span.ms() >= 1000;
    is_some
        .then_some(span)
        .ok_or_else(|| "accepted is a second or more".to_owned())
}

fn count(text: &str, range: RangeInclusive<u64>) -> Result<u64, String> {
    let count = text.parse().ok().filter(|count| range.contains(count));
    let (least, most) = range.into_inner();
    count
        .ok_or_else(|| format!("accepted is a whole number, and {text} is not in {least}..={most}"))
}

fn share(text: &str) -> Result<f64, String> {
    let share = text
        .parse()
        .ok()
        .filter(|share| (0.0..=0.95).contains(share));
    share.ok_or_else(|| "accepted is a share from 0 to 0.95".to_owned())
}

fn shape(text: &str) -> Result<Shape, String> {
    Shape::named(text).ok_or_else(|| "accepted is rush, even, rising or hill".to_owned())
}

/// What comes of it.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The pace.
    pub pace: Rate,
    /// The settings that make it.
    pub settings: Pace,
    /// How the line goes.
    pub outcome: Outcome,
    /// Commands of the store.
    pub commands: u64,
    /// Requests to the edge.
    pub requests: u64,
    /// Gigabytes that go to visitors.
    pub gigabytes: f64,
    /// Both bills, without those.
    pub bills: Bills,
}

/// Prints the plan. Whether it is one: the last visitor goes in within a week, and the store bears the draws.
///
/// # Errors
/// When no pace lets the last visitor in soon enough, or no settings make the pace.
pub fn plan(options: &Options) -> Result<bool, String> {
    let plan = made(options)?;
    if options.json {
        anstream::println!("{:#}", plan.json());
    } else {
        anstream::print!("{}", plan.table());
    }
    Ok(plan.outcome.last_in.is_some() && plan.outcome.most_draws_a_second <= COMMANDS_A_SECOND)
}

/// The plan for what is asked.
///
/// # Errors
/// The same.
pub fn made(options: &Options) -> Result<Plan, String> {
    let pace = match (options.pace, options.all_in_within) {
        (Some(pace), _) => pace,
        (None, Some(within)) => pace_for(options, within)?,
        (None, None) => return Err("accepted is --pace or --all-in-within".to_owned()),
    };
    let settings = settings(pace).ok_or_else(|| no_settings(pace))?;
    let outcome = play(&event(options, pace));
    let waited = outcome
        .waits
        .iter()
        .map(|(secs, many)| secs * many)
        .sum::<f64>();
    let visitors = float(options.visitors);
    let (inside, polls) = (visitors * float(options.requests), waited / POLL_SECONDS);
    let requests = whole(visitors.mul_add(REQUESTS_BEFORE, inside + polls));
    let pops = float(options.pops);
    let seconds = [outcome.seconds_with_line, outcome.seconds_without];
    let claims = options.cap.map_or(0.0, |_| outcome.came);
    let commands = whole(busy_commands(pops, seconds, options.cap.is_some()) + visitors + claims);
    Ok(Plan {
        pace,
        settings,
        outcome,
        commands,
        requests,
        gigabytes: gigabytes(visitors, polls, inside, float(options.kilobytes)),
        bills: bills(commands, requests),
    })
}

fn event(options: &Options, pace: Rate) -> Event {
    Event {
        visitors: float(options.visitors),
        over: options.over,
        shape: options.shape,
        pace,
        cap: options.cap.map(float).zip(options.session),
        absent: options.absent,
        compensate: options.compensate,
    }
}

/// The slowest pace, in whole visitors a minute, with which the last visitor is in by then.
fn pace_for(options: &Options, within: Span) -> Result<Rate, String> {
    let is_enough = |a_minute: u64| {
        let outcome = play(&event(
            options,
            Rate {
                a_minute: float(a_minute),
            },
        ));
        outcome.last_in.is_some_and(|at| at <= within)
    };
    let (mut slow, mut fast) = (0, options.visitors.saturating_mul(60).max(1));
    if !is_enough(fast) {
        let why = if options.cap.is_some() {
            "the cap is too low for that, or the visitors come too long"
        } else {
            "the last visitor comes later"
        };
        return Err(format!(
            "No pace lets the last visitor in within {within}: {why}."
        ));
    }
    while fast - slow > 1 {
        let middle = u64::midpoint(slow, fast);
        if is_enough(middle) {
            fast = middle;
        } else {
            slow = middle;
        }
    }
    Ok(Rate {
        a_minute: float(fast),
    })
}

/// The settings that make exactly this pace: the shortest usual period, or else the shortest one.
fn settings(pace: Rate) -> Option<Pace> {
    let usual = [5, 6, 10, 15, 30, 60];
    let mut all = usual.into_iter().chain(periods());
    all.find_map(|automatic| {
        let nearest = nearest_in(pace, automatic);
        (off(pace, nearest) < 1e-9).then_some(nearest)
    })
}

/// Every length of a period, in seconds.
fn periods() -> RangeInclusive<u64> {
    1..=*Pace::AUTOMATIC.end()
}

/// The accepted settings nearest to the pace that have a period of that many seconds.
fn nearest_in(pace: Rate, automatic: u64) -> Pace {
    let quantity = whole(pace.a_minute * float(automatic) / 60.0);
    Pace {
        automatic,
        quantity: quantity.clamp(*Pace::QUANTITY.start(), *Pace::QUANTITY.end()),
    }
}

/// By which share of the pace these settings are faster or slower.
fn off(pace: Rate, settings: Pace) -> f64 {
    (Rate::of(settings).a_minute / pace.a_minute - 1.0).abs()
}

fn no_settings(pace: Rate) -> String {
    let nearest = periods().map(|automatic| nearest_in(pace, automatic));
    let nearest = nearest.min_by(|one, other| off(pace, *one).total_cmp(&off(pace, *other)));
    let nearest = nearest.unwrap_or(Pace::USUAL);
    let Pace {
        automatic,
        quantity,
    } = nearest;
    let (slowest, fastest) = (Pace::AUTOMATIC.end(), Pace::QUANTITY.end());
    format!(
        "No settings make {pace}: automatic is at most {slowest} s, and automatic_quantity a whole number up to {fastest}. \
         The nearest is {}: automatic = {automatic}, automatic_quantity = {quantity}.",
        Rate::of(nearest)
    )
}

impl Plan {
    fn rows(&self) -> Vec<(&'static str, String)> {
        let outcome = &self.outcome;
        let (automatic, quantity) = (self.settings.automatic, self.settings.quantity);
        let span =
            |span: Option<Span>| span.map_or("not within a week".to_owned(), |at| at.to_string());
        let mut rows = vec![
            (
                "Pace",
                format!(
                    "{}: automatic = {automatic}, automatic_quantity = {quantity}",
                    self.pace
                ),
            ),
            ("Last visitor goes in after", span(outcome.last_in)),
            ("Half wait at most", outcome.wait(50).to_string()),
            ("… 95 of 100", outcome.wait(95).to_string()),
            ("… 99 of 100", outcome.wait(99).to_string()),
            ("Longest line", grouped(whole(outcome.longest_line))),
            ("Visitors who go in", grouped(whole(outcome.came))),
        ];
        if outcome.most_inside > 0.0 {
            rows.push(("Most visitors inside", grouped(whole(outcome.most_inside))));
        }
        let draws = outcome.most_draws_a_second;
        let limit = COMMANDS_A_SECOND;
        let verdict = if draws > limit {
            ": visitors are held back and try again"
        } else {
            ""
        };
        rows.extend([
            (
                "Most draws a second",
                format!(
                    "{}; one database takes {}{verdict}",
                    grouped(whole(draws)),
                    grouped(whole(limit))
                ),
            ),
            ("Commands of the store", grouped(self.commands)),
            ("Requests to the edge", grouped(self.requests)),
            ("Gigabytes to visitors", format!("{:.1}", self.gigabytes)),
            ("Upstash", format!("${:.2}", self.bills.upstash)),
            ("Fastly, for requests", format!("${:.2}", self.bills.fastly)),
            ("Fastly, for bandwidth", format!("${:.2}", self.bandwidth())),
        ]);
        rows
    }

    /// Dollars for what goes to visitors.
    fn bandwidth(&self) -> f64 {
        self.gigabytes * DOLLARS_A_GIGABYTE
    }

    /// For a terminal.
    #[must_use]
    pub fn table(&self) -> String {
        let bold = Style::new().bold();
        let rows = self.rows();
        let left = rows.iter().map(|(name, _)| name.chars().count()).max();
        let left = left.unwrap_or(0);
        let line =
            |(name, value): &(&str, String)| format!("{name:<left$}  {bold}{value}{bold:#}\n");
        rows.iter().map(line).collect()
    }

    /// For programs.
    #[must_use]
    pub fn json(&self) -> Value {
        let outcome = &self.outcome;
        let (automatic, quantity) = (self.settings.automatic, self.settings.quantity);
        json!({
            "pace_a_minute": self.pace.a_minute,
            "settings": { "automatic": automatic, "automatic_quantity": quantity },
            "last_in_seconds": outcome.last_in.map(Span::as_secs),
            "wait_seconds": {
                "p50": outcome.wait(50).as_secs(),
                "p95": outcome.wait(95).as_secs(),
                "p99": outcome.wait(99).as_secs(),
            },
            "longest_line": whole(outcome.longest_line),
            "admitted": whole(outcome.came),
            "most_inside": whole(outcome.most_inside),
            "most_draws_a_second": whole(outcome.most_draws_a_second),
            "draws_a_second_limit": COMMANDS_A_SECOND,
            "store_commands": self.commands,
            "requests": self.requests,
            "gigabytes": self.gigabytes,
            "dollars": { "upstash": self.bills.upstash, "requests": self.bills.fastly, "bandwidth": self.bandwidth() },
        })
    }
}
