//! What happens next, drawn by chance.

use std::time::Duration;

use upstash_local::Fault;

use super::rooms::{FIRST, LATE, REGIONS, ROOMS, WORLD};
use crate::inside::Dice;
use crate::verbs::EXAMPLES;

/// One thing that happens.
#[derive(Clone, Copy, Debug)]
pub(super) enum Act {
    Visitor(Visits),
    /// In this room; so with the next two.
    Operator(usize, Presses),
    Origin(usize, Tells),
    Event(usize, Sets),
    Store(Suffers),
    Edge(Loses),
    Settings(Publishes),
    /// This many seconds go by without a request.
    Quiet(u64),
}

/// What a visitor does. The same number is the same visitor.
#[derive(Clone, Copy, Debug)]
pub(super) enum Visits {
    Arrives,
    Reloads(u64),
    Polls(u64),
    /// The page, as a browser asks for it.
    Looks(u64),
    /// A kind of request that draws nothing.
    Asks(u64, Kind),
    /// The same request twice at once.
    Doubles(u64),
    /// The answer is lost on its way to the visitor.
    Misses(u64),
    /// Sends a ticket that another one has replaced.
    Replays(u64),
    /// Gives a copy of the cookie away.
    Copies(u64),
    /// Reaches another POP, and maybe from another country.
    Roams(u64),
    Leaves(u64),
    Invited(u64),
    /// Goes to another of the sites.
    Wanders(u64),
    /// Sends a ticket of one room as if it were one of another.
    Crosses(u64),
    /// Sends the tickets of its visit, the oldest too, to all data centres, as pages and as what holds no slot.
    Besieges(u64),
    /// Ends a sandbox by a request that cannot be read.
    Strange,
}

/// Requests that draw no number.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    Head,
    Image,
    Post,
    Preflight,
    Bypass,
    Lot,
}

/// What an operator does.
#[derive(Clone, Copy, Debug)]
pub(super) enum Presses {
    Permit(u64),
    Mode(&'static str),
    Pace(u64, u64),
    PaceBack,
    Cap(u64),
    CapBack,
    Epoch,
    /// A verb without a press of its own, by its route, with its example.
    Example(&'static str, &'static str),
    Ends(u64),
    Reads(&'static str),
    WithoutPassword,
}

/// What the origin's programs send.
#[derive(Clone, Copy, Debug)]
pub(super) enum Tells {
    Permit(u64),
    /// Under a key, which comes again.
    PermitOnce(u64),
    Answers(u64, u64),
    Metrics,
}

/// What becomes of events: begun, moved, sold out, taken back.
#[derive(Clone, Copy, Debug)]
pub(super) enum Sets {
    /// Seconds to the pre-queue, from there to the start, and from there to the end; whether by lot.
    New([u64; 3], bool),
    /// The last one, later or earlier by these seconds.
    Moved(i64),
    SoldOut,
    None,
    Back,
}

/// What happens to the store.
#[derive(Clone, Copy, Debug)]
pub(super) enum Suffers {
    /// Each call fails by this chance in a hundred, for this many seconds.
    Trouble(Fault, u64, u64),
    Restarts,
    Saves,
    LosesAll,
    IsOlder,
    CatchesUp,
}

/// What happens in a POP.
#[derive(Clone, Copy, Debug)]
pub(super) enum Loses {
    Copy(usize),
    Last(usize),
    Cache(usize),
    /// Its sandboxes end with what they have counted.
    Sandboxes(usize),
    /// Its clock is this many milliseconds wrong from now on.
    Clock(usize, i64),
}

/// What is published.
#[derive(Clone, Copy, Debug)]
pub(super) enum Publishes {
    Setting(&'static str, &'static str),
    /// A member of a room of the list.
    Member(usize, &'static str, &'static str),
    /// The paths of the sale.
    Paths(&'static str),
    /// Which of the rooms of one country is listed: removed, added or renamed.
    Lists(Option<usize>),
    /// A region is taken from the settings, or added.
    Region(usize),
    /// The next write of a rotation.
    Rotation,
    /// Another secret, and no old one.
    Reset,
    /// Another build: all sandboxes end.
    Deploy,
    /// The build before, with the settings that were published before.
    Back,
}

pub(super) const POPS: usize = 4;

/// The routes of verbs that have a press, a message of the origin or an event of their own, or need an order by lot.
const PRESSED: [&str; 9] = [
    "permit",
    "settings",
    "mode",
    "cap",
    "event",
    "epoch",
    "end",
    "report",
    "public-value",
];

/// The store never takes longer than its backend waits.
const SLOW: Duration = Duration::from_secs(2);

const FAULTS: [Fault; 12] = [
    Fault::Refuse,
    Fault::Delay(SLOW),
    Fault::Unauthorized,
    Fault::TooManyRequests,
    Fault::ServerError,
    Fault::BrokenJson,
    Fault::ErrorWithStatus200,
    Fault::QuotaExceeded,
    Fault::WrongType,
    Fault::DropAnswer,
    Fault::StallBody(SLOW),
    Fault::Quote(503),
];

const SETTINGS: [(&str, &str); 20] = [
    ("automatic", "5"),
    ("automatic", "10"),
    ("automatic", "15"),
    ("automatic_quantity", "2"),
    ("automatic_quantity", "5"),
    ("on_store_error", "hold"),
    ("on_store_error", "admit"),
    ("waiting_status", "503"),
    ("waiting_status", "202"),
    ("waiting_status", "429"),
    ("total_active", "0"),
    ("total_active", "8"),
    ("total_active", "20"),
    ("active_visitors", "on"),
    ("active_visitors", "observe"),
    ("priority", r#"[{"name":"front","share":10}]"#),
    (
        "priority",
        r#"[{"name":"vip","share":50},{"name":"front","share":30}]"#,
    ),
    ("network_bound", "observe"),
    ("absent_visitors", "off"),
    ("origin_health", "observe"),
];

/// What rooms of the list may have of their own.
const MEMBERS: [(&str, &str); 12] = [
    ("automatic", "5"),
    ("automatic", "10"),
    ("automatic_quantity", "1"),
    ("automatic_quantity", "4"),
    ("total_active", "0"),
    ("total_active", "5"),
    ("total_active", "15"),
    ("active_visitors", "observe"),
    ("absent_visitors", "off"),
    ("origin_health", "observe"),
    ("regions_lag", "2"),
    ("regions_lag", "1"),
];

/// In each of them the sale has its page, or the first room has it.
const PATHS: [&str; 3] = ["/sale/*", "/sale/*, /offers/*", "/offers/*"];

/// A room, the first ones more often.
fn room(dice: &mut Dice) -> usize {
    match dice.roll(20) {
        0..=7 => FIRST,
        8..=11 => FIRST + 1,
        12..=16 => WORLD,
        17..=18 => LATE[0],
        _ => LATE[1],
    }
}

/// One of these.
fn one_of<T: Copy>(dice: &mut Dice, all: &[T]) -> T {
    all[dice.index(all.len())]
}

pub(super) fn fault(dice: &mut Dice) -> Fault {
    one_of(dice, &FAULTS)
}

impl Act {
    /// What happens where an adversary tries to get more of the slots than one visitor has, or to take them from others.
    pub(super) fn of_a_siege(dice: &mut Dice) -> Self {
        let which = dice.roll(1 << 32);
        match dice.roll(1000) {
            0..=99 => Self::Visitor(Visits::Arrives),
            100..=399 => Self::Visitor(Visits::Reloads(which)),
            400..=549 => Self::Visitor(Visits::Polls(which)),
            550..=699 => Self::Visitor(Visits::Besieges(which)),
            700..=749 => Self::Visitor(Visits::Replays(which)),
            750..=789 => Self::Visitor(Visits::Strange),
            790..=829 => Self::Visitor(Visits::Roams(which)),
            830..=869 => Self::Visitor(Visits::Leaves(which)),
            870..=889 => Self::Visitor(Visits::Doubles(which)),
            890..=949 => Self::Operator(FIRST, Presses::Permit(dice.between(1, 6))),
            950..=964 => Self::Operator(FIRST, Presses::Ends(which)),
            965..=969 => Self::Operator(FIRST, Presses::Epoch),
            970..=974 => Self::Event(FIRST, Sets::New([dice.roll(5), dice.roll(10), 300], false)),
            975..=979 => Self::Event(FIRST, Sets::None),
            980..=984 => Self::Operator(FIRST, Presses::Mode("automatic")),
            985..=994 => Self::Origin(FIRST, Tells::Metrics),
            _ => Self::Quiet(dice.between(1, 60)),
        }
    }

    pub(super) fn drawn(dice: &mut Dice) -> Self {
        match dice.roll(1000) {
            0..=883 => Self::Visitor(Visits::drawn(dice)),
            884..=925 => Self::Operator(room(dice), Presses::drawn(dice)),
            926..=952 => Self::Origin(room(dice), Tells::drawn(dice)),
            953..=957 => Self::Event(room(dice), Sets::drawn(dice)),
            958..=972 => Self::Store(Suffers::drawn(dice)),
            973..=984 => Self::Edge(Loses::drawn(dice)),
            985..=995 => Self::Settings(Publishes::drawn(dice)),
            _ => Self::Quiet(dice.between(1, 12)),
        }
    }
}

impl Visits {
    fn drawn(dice: &mut Dice) -> Self {
        let which = dice.roll(1 << 32);
        match dice.roll(100) {
            0..=14 => Self::Arrives,
            15..=49 => Self::Reloads(which),
            50..=52 => Self::Wanders(which),
            53..=54 => Self::Crosses(which),
            55..=67 => Self::Polls(which),
            68..=70 => Self::Looks(which),
            71 => Self::Besieges(which),
            72 => Self::Strange,
            73..=77 => {
                let kinds = [
                    Kind::Head,
                    Kind::Image,
                    Kind::Post,
                    Kind::Preflight,
                    Kind::Bypass,
                    Kind::Lot,
                ];
                Self::Asks(which, one_of(dice, &kinds))
            }
            78..=81 => Self::Doubles(which),
            82..=84 => Self::Misses(which),
            85..=87 => Self::Replays(which),
            88..=89 => Self::Copies(which),
            90..=93 => Self::Roams(which),
            94..=96 => Self::Leaves(which),
            _ => Self::Invited(which),
        }
    }
}

impl Presses {
    fn drawn(dice: &mut Dice) -> Self {
        let reads = ["", "status", "settings", "healthz", "nothing"];
        let modes = [
            "automatic",
            "automatic",
            "automatic",
            "automatic",
            "hold",
            "open",
            "closed",
        ];
        let roll = dice.roll(100);
        match roll {
            0..=29 => Self::Permit(dice.between(1, 8)),
            30..=44 => Self::Mode(one_of(dice, &modes)),
            45..=49 => Self::Pace(one_of(dice, &[0, 5, 10, 20]), dice.between(1, 5)),
            50..=52 => Self::PaceBack,
            53..=59 => Self::Cap(one_of(dice, &[0, 4, 10, 25])),
            60..=62 => Self::CapBack,
            70 => Self::Epoch,
            63..=73 => Self::example(roll),
            74..=79 => Self::Ends(dice.roll(1 << 32)),
            80..=97 => Self::Reads(one_of(dice, &reads)),
            _ => Self::WithoutPassword,
        }
    }
}

impl Presses {
    fn example(roll: u64) -> Self {
        let others = EXAMPLES
            .iter()
            .filter(|(route, _)| !PRESSED.contains(route));
        let others: Vec<_> = others.collect();
        let (route, json) = others[usize::try_from(roll).unwrap() % others.len()];
        Self::Example(route, json)
    }
}

impl Tells {
    fn drawn(dice: &mut Dice) -> Self {
        match dice.roll(10) {
            0..=2 => Self::Permit(dice.between(1, 5)),
            3..=5 => Self::PermitOnce(dice.between(1, 5)),
            6..=7 => Self::Answers(dice.between(1, 40), dice.between(0, 12)),
            _ => Self::Metrics,
        }
    }
}

impl Sets {
    fn drawn(dice: &mut Dice) -> Self {
        match dice.roll(10) {
            0..=3 => {
                let times = [dice.roll(10), dice.roll(140), dice.between(20, 100)];
                Self::New(times, dice.is_one_in(2))
            }
            4..=5 => Self::Moved(i64::try_from(dice.roll(60)).unwrap() - 20),
            6 => Self::SoldOut,
            7 => Self::None,
            _ => Self::Back,
        }
    }
}

impl Suffers {
    fn drawn(dice: &mut Dice) -> Self {
        match dice.roll(100) {
            0..=39 => {
                let (chance, seconds) = (one_of(dice, &[10, 50, 100]), dice.between(1, 25));
                Self::Trouble(fault(dice), chance, seconds)
            }
            40..=49 => Self::Restarts,
            50..=69 => Self::Saves,
            70..=74 => Self::LosesAll,
            75..=77 => Self::IsOlder,
            _ => Self::CatchesUp,
        }
    }
}

impl Loses {
    fn drawn(dice: &mut Dice) -> Self {
        let pop = dice.index(POPS);
        match dice.roll(100) {
            0..=29 => Self::Copy(pop),
            30..=39 => Self::Last(pop),
            40..=44 => Self::Cache(pop),
            45..=69 => Self::Sandboxes(pop),
            _ => Self::Clock(pop, i64::try_from(dice.roll(120_001)).unwrap() - 60_000),
        }
    }
}

impl Publishes {
    fn drawn(dice: &mut Dice) -> Self {
        match dice.roll(100) {
            0..=39 => {
                let (name, value) = one_of(dice, &SETTINGS);
                Self::Setting(name, value)
            }
            40..=54 => {
                let room = 1 + dice.index(ROOMS.len() - 1);
                let (name, value) = one_of(dice, &MEMBERS);
                Self::Member(room, name, value)
            }
            55..=58 => Self::Paths(one_of(dice, &PATHS)),
            59..=66 => Self::Lists(one_of(dice, &[None, Some(LATE[0]), Some(LATE[1])])),
            67..=73 => Self::Region(dice.index(REGIONS)),
            74..=87 => Self::Rotation,
            88 => Self::Reset,
            89..=96 => Self::Deploy,
            _ => Self::Back,
        }
    }
}
