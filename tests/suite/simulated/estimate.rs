//! How good the estimate is: every wait that is shown, held against the time until that visitor really went in.
//!
//! A long and steady line on a clock turned by hand, moved in each of the ways it can move, and looked at as often as
//! it asks to be. Every look counts from the moment a rate is measured. With five minutes to go and more, nine
//! estimates of ten are off by at most a fifth of the truth. Nearer the front a line that moves in steps cannot know
//! that: there nine of ten are off by no more than the time between two steps, or a minute where these come by chance.

use now_serving::queue::Pace;
use now_serving::queue::{AbsentVisitors, Now, RoomName};
use now_serving::store::Line;

use crate::house::{Ask, Direct, House, Visitor};

/// In line before anything moves. From then on as many come as go in.
const CROWD: usize = 500;
/// One visitor of this many is watched; the others are there to be ahead.
const WATCHED: usize = 10;
/// Who comes later is not watched.
const WATCH_SECONDS: u64 = 600;
const FAR_SECONDS: u64 = 300;

/// What moves the line, by twenty or thirty a minute.
#[derive(Clone, Copy, Debug, Default)]
struct Movers {
    /// The settings `automatic` and `automatic_quantity`.
    schedule: Option<(u32, u32)>,
    /// An operator lets this many in, each time after this many seconds.
    operator: Option<(u32, u32)>,
    /// The origin lets one in whenever it can: by chance, at this rate a second.
    origin: Option<f64>,
}

impl Movers {
    fn pace(self) -> Pace {
        let (automatic, quantity) = self.schedule.unwrap_or((0, 1));
        Pace {
            automatic: automatic.into(),
            quantity: quantity.into(),
        }
    }

    fn a_second(self) -> f64 {
        let steps = [
            self.schedule.map(|(every, amount)| (amount, every)),
            self.operator,
        ];
        let rates = steps
            .into_iter()
            .flatten()
            .map(|(amount, every)| f64::from(amount) / f64::from(every));
        rates.sum::<f64>() + self.origin.unwrap_or(0.0)
    }
}

/// An estimate as it was shown, and what became true.
#[derive(Clone, Copy, Debug)]
struct Shown {
    estimate: u64,
    truth: u64,
}

impl Shown {
    fn seconds_off(&self) -> u64 {
        self.estimate.abs_diff(self.truth)
    }

    fn percent_off(&self) -> u64 {
        self.seconds_off() * 100 / self.truth
    }

    fn is_far(&self) -> bool {
        self.truth >= FAR_SECONDS
    }
}

/// Chance with a seed (`SplitMix64`).
struct Chance(u64);

impl Chance {
    /// At least 0 and below 1.
    #[expect(clippy::cast_precision_loss, reason = "53 bits fit")]
    fn fraction(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// Something that happens at this rate a second, each time without regard to the last.
struct Stream {
    chance: Chance,
    a_second: f64,
    next: f64,
}

impl Stream {
    fn new(seed: u64, a_second: f64) -> Self {
        let chance = Chance(seed);
        Self {
            chance,
            a_second,
            next: 0.0,
        }
    }

    /// How often it happens in the second that ends now.
    fn times(&mut self) -> usize {
        let mut times = 0;
        while self.next < 1.0 {
            times += 1;
            self.next -= (1.0 - self.chance.fraction()).ln() / self.a_second;
        }
        self.next -= 1.0;
        times
    }
}

/// A visitor who is watched, and what has been shown when.
struct Watched<'a> {
    visitor: Visitor<'a>,
    looks_at: u64,
    shown: Vec<(u64, u64)>,
}

struct World<'a> {
    house: &'a House,
    movers: Movers,
    second: u64,
    arrived: usize,
    is_measured: bool,
    watched: Vec<Watched<'a>>,
    told: Vec<Shown>,
}

impl World<'_> {
    fn arrive(&mut self) {
        self.arrived += 1;
        if self.arrived.is_multiple_of(WATCHED) && self.second < WATCH_SECONDS {
            let mut visitor = Visitor::new(self.house);
            assert!(!visitor.ask("/").inside, "the line is never empty");
            self.watched.push(Watched {
                visitor,
                looks_at: self.second + 5,
                shown: Vec::new(),
            });
        } else {
            self.join();
        }
    }

    /// Somebody draws who is not watched: the verb alone, since thousands of answers that nobody reads take their time.
    fn join(&self) {
        let room = RoomName::new("main");
        let store = Direct(self.house.store.clone());
        let line = Line {
            pace: self.movers.pace(),
            absent_visitors: AbsentVisitors::Observe,
            ..tables::line(&store, &room, Now::from_ms(self.house.now_ms()))
        };
        line.join(&format!("unwatched-{}", self.arrived)).unwrap();
    }

    fn move_the_line(&self, origin: usize) {
        if let Some((amount, every)) = self.movers.operator
            && self.second.is_multiple_of(every.into())
        {
            self.house.ask(&Ask::press(&format!("amt={amount}")));
        }
        for _ in 0..origin {
            self.house.permit(1);
        }
    }

    fn look(&mut self) {
        if !self.is_measured {
            let status = self
                .house
                .ask(&Ask::get("/_queue/status").operator())
                .json();
            self.is_measured = !status["rate"]["measured_per_minute"].is_null();
        }
        let (now, counts, told) = (self.second, self.is_measured, &mut self.told);
        self.watched.retain_mut(|watched| {
            if watched.looks_at > now {
                return true;
            }
            let got = watched.visitor.ask("/");
            if got.inside {
                told.extend(watched.shown.iter().map(|(at, estimate)| Shown {
                    estimate: *estimate,
                    truth: now - at,
                }));
                return false;
            }
            let data = got.json();
            watched.looks_at = now + data["refresh_seconds"].as_u64().unwrap();
            if counts {
                let estimate = data["estimated_wait_seconds"].as_u64().unwrap();
                watched.shown.push((now, estimate));
            }
            true
        });
    }
}

/// Every estimate that was shown, once all who are watched have gone in.
fn shown(movers: Movers, seed: u64) -> Vec<Shown> {
    let house = House::native();
    let pace = movers.pace();
    house.set("automatic", &pace.automatic.to_string());
    house.set("automatic_quantity", &pace.quantity.to_string());
    let mut world = World {
        house: &house,
        movers,
        second: 0,
        arrived: 0,
        is_measured: false,
        watched: Vec::new(),
        told: Vec::new(),
    };
    let mut arrivals = Stream::new(2 * seed, movers.a_second());
    let mut origin = movers
        .origin
        .map(|a_second| Stream::new(2 * seed + 1, a_second));
    for _ in 0..CROWD {
        world.arrive();
    }
    while !world.watched.is_empty() {
        house.wait(std::time::Duration::from_secs(1));
        world.second += 1;
        for _ in 0..arrivals.times() {
            world.arrive();
        }
        world.move_the_line(origin.as_mut().map_or(0, Stream::times));
        world.look();
    }
    world.told
}

/// The value that this percentage does not exceed.
fn percentile(values: impl Iterator<Item = u64>, percent: usize) -> u64 {
    let mut values: Vec<u64> = values.collect();
    values.sort_unstable();
    values[(values.len() - 1) * percent / 100]
}

/// How far off nine estimates of ten are at most, in percent of the truth, however near the front.
fn holds(name: &str, movers: Movers, near_seconds: u64) -> u64 {
    // Where chance moves the line, one by itself may be lucky.
    let lines = if movers.origin.is_some() { 3 } else { 1 };
    let lines = (0..lines).flat_map(|seed| shown(movers, seed));
    let shown: Vec<Shown> = lines.collect();
    let far = |percent| {
        let far = shown.iter().filter(|shown| shown.is_far());
        percentile(far.map(Shown::percent_off), percent)
    };
    let near = |percent| {
        let near = shown.iter().filter(|shown| !shown.is_far());
        percentile(near.map(Shown::seconds_off), percent)
    };
    let all = |percent| percentile(shown.iter().map(Shown::percent_off), percent);
    println!(
        "{name}: {} estimates, off at the 50th, 90th and 99th percentile by {}, {}, {} % ({} with five minutes to go and more: \
         {}, {}, {} %; nearer: {}, {}, {} s)",
        shown.len(),
        all(50),
        all(90),
        all(99),
        shown.iter().filter(|shown| shown.is_far()).count(),
        far(50),
        far(90),
        far(99),
        near(50),
        near(90),
        near(99),
    );
    assert!(shown.len() > 1000, "{} estimates", shown.len());
    assert!(far(90) <= 20, "{} %", far(90));
    assert!(near(90) <= near_seconds, "{} s", near(90));
    all(90)
}

#[test]
fn the_estimate_holds_for_a_line_that_moves_by_schedule() {
    let movers = Movers {
        schedule: Some((15, 5)),
        ..Movers::default()
    };
    let all = holds("schedule", movers, 15);
    assert!(all <= 20, "the steady line, up to the very front: {all} %");
}

#[test]
fn the_estimate_holds_for_a_line_that_the_origin_moves_by_chance() {
    let movers = Movers {
        origin: Some(0.5),
        ..Movers::default()
    };
    holds("origin", movers, 60);
}

#[test]
fn the_estimate_holds_for_a_line_that_an_operator_moves_every_two_minutes() {
    let movers = Movers {
        operator: Some((60, 120)),
        ..Movers::default()
    };
    holds("operator", movers, 120);
}

#[test]
fn the_estimate_holds_for_a_line_that_all_three_move() {
    let movers = Movers {
        schedule: Some((15, 4)),
        operator: Some((20, 120)),
        origin: Some(0.1),
    };
    holds("all three", movers, 60);
}
