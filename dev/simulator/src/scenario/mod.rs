//! What a scenario says: a file in JSON, in which no key is unknown and no value is odd.
//!
//! `docs/deep/scenarios.md` documents each key.

mod read;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::units::Span;

pub use read::{NAMES, Overrides, is_built_in, load};

/// What happens, and to whom.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// What it is, in a few words.
    pub title: String,
    /// What to look for in its result.
    pub says: String,
    /// What chance begins with.
    #[serde(default = "one")]
    pub seed: u64,
    /// How many POPs the visitors come to; the first has the most.
    #[serde(default = "ten")]
    pub pops: usize,
    /// The longest it is simulated; it ends before once no visitor is left.
    pub lasts: Span,
    /// What one point of a chart stands for.
    #[serde(default = "minute")]
    pub point: Span,
    /// The settings of the product, as its own document has them.
    #[serde(default)]
    pub settings: Map<String, Value>,
    /// Who comes when.
    pub arrivals: Vec<Wave>,
    /// What visitors do.
    #[serde(default)]
    pub visitors: Habits,
    /// What is behind the room; none is an origin that answers at once.
    #[serde(default)]
    pub origin: Option<OriginIs>,
    /// The store.
    #[serde(default)]
    pub store: StoreState,
    /// The edge.
    #[serde(default)]
    pub edge: EdgeIs,
    /// What happens besides.
    #[serde(default)]
    pub events: Vec<Event>,
    /// How the same is played once more, with something else: each is a name and what is set, by paths such as `settings.automatic`.
    #[serde(default)]
    pub compare: Vec<Variant>,
}

impl Scenario {
    /// The seconds of a period and how many visitors it has, where the settings have a pace.
    #[must_use]
    pub fn pace(&self) -> Option<(u64, u64)> {
        let setting = |name: &str| {
            let value = self.settings.get(name).and_then(Value::as_u64);
            value.filter(|value| *value > 0)
        };
        setting("automatic").zip(setting("automatic_quantity"))
    }

    /// Whether an event opens the room.
    #[must_use]
    pub fn has_event(&self) -> bool {
        self.settings.contains_key("event")
    }

    /// After how many milliseconds an answer of the origin is late.
    #[must_use]
    pub fn slow_ms(&self) -> u64 {
        let set = self.settings.get("slow_ms").and_then(Value::as_u64);
        set.unwrap_or(1000)
    }
}

/// Visitors who come one after the other.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wave {
    /// When the first one comes.
    #[serde(default)]
    pub from: Span,
    /// How long they keep coming.
    pub over: Span,
    /// How many they are.
    pub visitors: u64,
    /// How they are spread over that time.
    #[serde(default)]
    pub shape: Shape,
}

/// How arrivals are spread over a time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// Any moment is as good as any other.
    #[default]
    Even,
    /// Most come at once: a fifth of the time brings two thirds.
    Rush,
    /// More and more.
    Rising,
    /// More and more, then fewer and fewer.
    Hill,
}

impl Shape {
    /// The one of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        serde_json::from_value(Value::from(name)).ok()
    }

    /// The share that has come when this part of the time has passed.
    #[must_use]
    pub fn share_until(self, part: f64) -> f64 {
        let rush = |part: f64| 1.0 - (-part / RUSH_MEAN).exp();
        match self {
            Self::Even => part,
            Self::Rising => part * part,
            Self::Hill if part < 0.5 => 2.0 * part * part,
            Self::Hill => 1.0 - 2.0 * (1.0 - part) * (1.0 - part),
            Self::Rush => rush(part) / rush(1.0),
        }
    }
}

/// The mean moment of a rush, where the time is 1: a fifth of it brings two thirds.
pub const RUSH_MEAN: f64 = 0.18;

/// What visitors do. Shares are from 0 to 1.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Habits {
    /// The share that draws a number, closes the page and never comes back.
    pub absent: f64,
    /// After how long a waiting visitor gives up, on average; without it none does.
    pub patience: Option<Span>,
    /// The share whose phone falls asleep in a pocket: its page asks for nothing meanwhile.
    pub asleep: f64,
    /// For how long, on average.
    pub sleeps: Span,
    /// The share that has the page in the background, where it asks less often and goes in a minute later.
    pub in_background: f64,
    /// The share that closes the page and comes back to the site.
    pub late: f64,
    /// How much later, on average.
    pub late_by: Span,
    /// The share that copies its ticket into another browser, in another network.
    pub copies: f64,
    /// The share that keeps no cookies.
    pub without_cookies: f64,
    /// How many pages a visitor inside asks for.
    pub pages: u32,
    /// Over how long, on average.
    pub stays: Span,
}

impl Default for Habits {
    fn default() -> Self {
        Self {
            absent: 0.0,
            patience: None,
            asleep: 0.0,
            sleeps: Span::from_secs(180),
            in_background: 0.0,
            late: 0.0,
            late_by: Span::from_secs(600),
            copies: 0.0,
            without_cookies: 0.0,
            pages: 5,
            stays: Span::from_secs(300),
        }
    }
}

/// The origin: workers that take requests from one queue.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OriginIs {
    /// How many requests it works on at a time.
    pub workers: usize,
    /// How long one takes.
    pub takes: Latency,
    /// How many may wait for a worker; one more is answered 503.
    #[serde(default = "thousand")]
    pub queue: usize,
    /// By how much a request takes longer for each that waits for each worker: 0.5 is half as long again where one waits for each.
    #[serde(default)]
    pub slows: f64,
}

/// How long an answer takes.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Latency {
    /// Always as long.
    Constant(Span),
    /// On average so long, without regard to how long it took so far.
    Exponential(Span),
    /// As web servers are: most near the median, some far above it.
    LogNormal {
        /// Half take less.
        median: Span,
        /// The deviation of the logarithm: 0.5 is an even server, 1 one with a long tail.
        sigma: f64,
    },
    /// As yours: upper ends of buckets with how many answers were that fast, as `[["50ms", 120], ["100ms", 900]]`.
    Histogram(Vec<(Span, u64)>),
    /// A file with such a list, by its path beside the scenario.
    File(String),
}

/// The store.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct StoreState {
    /// How many commands a second it takes; more wait their turn.
    pub commands_a_second: u32,
    /// How long a call takes.
    pub takes: Span,
}

impl Default for StoreState {
    fn default() -> Self {
        Self {
            commands_a_second: 10_000,
            takes: Span::from_ms(30),
        }
    }
}

/// The edge.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct EdgeIs {
    /// How late what a POP counted is put where it is sent to the store from.
    pub counts_late: Span,
    /// How late a copy of the board is there after it was asked for.
    pub copies_late: Span,
    /// The trip of a request from a visitor and back.
    pub trip: Span,
}

impl Default for EdgeIs {
    fn default() -> Self {
        Self {
            counts_late: Span::from_secs(5),
            copies_late: Span::from_ms(60),
            trip: Span::from_ms(100),
        }
    }
}

/// Something that happens at a time: one of the keys besides `at`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Event {
    /// When.
    pub at: Span,
    /// An operator sets the mode.
    pub mode: Option<String>,
    /// An operator lets visitors in.
    pub permit: Option<u64>,
    /// An operator sets the pace.
    pub pace: Option<PaceIs>,
    /// An operator sets the cap.
    pub cap: Option<CapIs>,
    /// The origin reports for how many more visitors its stock is enough.
    pub stock: Option<u64>,
    /// The store does not answer for so long.
    pub store_away: Option<Span>,
    /// The origin gets slower, or quick again: from now on each request takes this many times as long.
    pub origin_slower: Option<f64>,
    /// The origin answers 500 to everybody for so long.
    pub origin_sick: Option<Span>,
}

impl Event {
    /// What an operator changes: the route and its fields.
    #[must_use]
    pub fn change(&self) -> Option<(&'static str, Value)> {
        let mode = self.mode.as_ref();
        let mode = mode.map(|mode| ("mode", json!({ "mode": mode })));
        let permit = self.permit.map(|amt| ("permit", json!({ "amt": amt })));
        let pace = self.pace.as_ref().map(|pace| {
            let fields = json!({ "automatic": pace.automatic, "automatic_quantity": pace.automatic_quantity });
            ("settings", fields)
        });
        let cap = self.cap.as_ref().map(|cap| {
            let fields =
                json!({ "total_active": cap.total_active, "session_minutes": cap.session_minutes });
            ("cap", fields)
        });
        let stock = self.stock;
        let stock = stock.map(|stock| ("report", json!({ "stock": stock })));
        mode.or(permit).or(pace).or(cap).or(stock)
    }
}

/// A pace, by the names of the settings.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PaceIs {
    /// The seconds of a period.
    pub automatic: u64,
    /// How many go in within one.
    pub automatic_quantity: u64,
}

/// A cap, by the names of the settings.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CapIs {
    /// How many may be inside.
    pub total_active: u64,
    /// The minutes of a session.
    pub session_minutes: u64,
}

/// The same with something else.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Variant {
    /// What it is called in the result.
    pub name: String,
    /// What is set, by paths such as `settings.automatic` and `visitors.absent`.
    #[serde(default)]
    pub set: Map<String, Value>,
    /// Which rule lets visitors in.
    #[serde(default)]
    pub rule: Rule,
}

/// Which rule lets visitors in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// Now Serving, as it is.
    #[default]
    NowServing,
    /// The pace is divided among workers, each of which lets in what it was given: what Now Serving is compared with.
    WorkerSplit,
    /// The share rule alone steers the pace in front of the origin.
    Share,
    /// A window of places that every timeout cuts by ten.
    Naive,
    /// A window of places that is cut to below the place of late work.
    Smart,
}

fn one() -> u64 {
    1
}

fn ten() -> usize {
    10
}

fn thousand() -> usize {
    1000
}

fn minute() -> Span {
    Span::from_secs(60)
}
