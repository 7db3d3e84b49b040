//! What a history may hold: its settings, and how often each kind of step comes.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::step::Kind;
use crate::inside::Dice;

/// A subject of the rig.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Plan {
    /// Pace, permits, credit, modes, caps and sessions, the health of the origin: no data are lost.
    Line,
    /// The store loses data, an older copy comes back, POPs forget: with a cap, groups, regions or an event.
    Losses,
    /// Events with orders by arrival and by lot, configured and set by operators.
    Events,
    /// Called visitors who do not come.
    Turnout,
    /// Regions with fixed shares, and by how many visitors came to each.
    Regions,
    /// A bound on the numbers of one network.
    Networks,
    /// Invitations, and groups.
    Invitations,
}

/// What rooms have as groups.
const GROUPS: [&str; 3] = [
    "none",
    r#"[{"name":"front","share":50}]"#,
    r#"[{"name":"vip","share":50},{"name":"front","share":30}]"#,
];

/// Where visitors come from; the last one is in no region.
pub(super) const COUNTRIES: [&str; 4] = ["JP", "DE", "US", "AT"];
/// Data centres.
pub(super) const POPS: usize = 3;

/// The settings of a POP, by name.
pub(super) type Settings = BTreeMap<String, String>;

impl Plan {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Line => "line",
            Self::Losses => "losses",
            Self::Events => "events",
            Self::Turnout => "turnout",
            Self::Regions => "regions",
            Self::Networks => "networks",
            Self::Invitations => "invitations",
        }
    }

    /// The settings of one history.
    pub(super) fn settings(self, dice: &mut Dice, start_ms: u64) -> Settings {
        let mut given = Given(Settings::new());
        match self {
            Self::Line => {
                given.pace(dice);
                given.absent(dice);
                given.cap(dice);
                given.health(dice);
                given.set("credit_max", "7");
            }
            Self::Losses => {
                given.pace(dice);
                given.set("absent_visitors", "on");
                given.set("credit_max", "7");
                if dice.is_one_in(2) {
                    given.cap(dice);
                }
                match dice.roll(4) {
                    0 => {
                        given.set("priority", one_of(dice, &GROUPS[1..]));
                        given.set("invited_per_minute", "3");
                    }
                    1 => given.regions(dice),
                    2 => given.set("event", schedule(dice, start_ms, &SOON).to_string()),
                    _ => {}
                }
            }
            Self::Events => {
                given.set("automatic", "5");
                given.set("automatic_quantity", "3");
                given.set("absent_visitors", "off");
                given.set("event", schedule(dice, start_ms, &USUAL).to_string());
            }
            Self::Turnout => {
                given.set("automatic", "15");
                given.set("automatic_quantity", "5");
                given.set("absent_visitors", one_of(dice, &["observe", "on", "on"]));
            }
            Self::Regions => {
                given.set("automatic", "5");
                given.set("automatic_quantity", one_of(dice, &["3", "7"]));
                given.regions(dice);
                given.cap(dice);
            }
            Self::Networks => {
                given.set("automatic", "15");
                given.set("automatic_quantity", "2");
                let bound = one_of(dice, &["observe", "challenge", "challenge"]);
                given.set("network_bound", bound);
                given.set("network_draws", one_of(dice, &["1", "2", "4"]));
                // A signature is as good as a calculation, and costs no second.
                given.set("bypass_paths", "/verify");
                given.set("verifier", "/verify");
            }
            Self::Invitations => {
                given.set("automatic", "5");
                given.set("automatic_quantity", "3");
                given.set("invited_per_minute", one_of(dice, &["1", "3", "20"]));
                given.set("priority", one_of(dice, &GROUPS));
                given.cap(dice);
            }
        }
        given.0
    }

    /// Kinds of steps, each with its weight.
    pub(super) fn weights(self) -> Vec<(u64, Kind)> {
        let visits = [
            (12, Kind::Arrive),
            (12, Kind::Poll),
            (3, Kind::Page),
            (2, Kind::Place),
            (2, Kind::Unanswered),
            (2, Kind::Replay),
            (1, Kind::Forget),
            (1, Kind::Roam),
            (1, Kind::Post),
            (10, Kind::Wait),
        ];
        let own: &[(u64, Kind)] = match self {
            Self::Line => &[
                (2, Kind::Permit),
                (1, Kind::PermitOnce),
                (2, Kind::Mode),
                (1, Kind::Pace),
                (1, Kind::Message),
                (1, Kind::Credit),
                (1, Kind::Cap),
                (1, Kind::EndAll),
                (1, Kind::Overrule),
                (2, Kind::Report),
                (2, Kind::End),
                (1, Kind::TestTicket),
                (2, Kind::Read),
                (2, Kind::Origin),
                (1, Kind::Skew),
            ],
            Self::Losses => &[
                (1, Kind::Permit),
                (1, Kind::Mode),
                (1, Kind::Pace),
                (1, Kind::Message),
                (1, Kind::Credit),
                (1, Kind::EndAll),
                (1, Kind::Read),
                (3, Kind::Invite),
                (1, Kind::PublicValue),
                (2, Kind::ForgetPop),
                (2, Kind::Backup),
                (3, Kind::Lose),
                (2, Kind::Minutes),
            ],
            Self::Events => &[
                (1, Kind::Permit),
                (1, Kind::Mode),
                (1, Kind::EndAll),
                (2, Kind::Event),
                (1, Kind::Publish),
                (4, Kind::PublicValue),
                (1, Kind::Read),
                (4, Kind::Minutes),
            ],
            Self::Turnout => &[
                (1, Kind::Mode),
                (1, Kind::Pace),
                (2, Kind::Read),
                (16, Kind::Arrive),
                (8, Kind::Quarter),
            ],
            Self::Regions => &[
                (2, Kind::Permit),
                (1, Kind::Mode),
                (1, Kind::Pace),
                (1, Kind::EndAll),
                (1, Kind::Publish),
                (1, Kind::Read),
                (1, Kind::End),
                (3, Kind::LongWait),
            ],
            Self::Networks => &[
                (1, Kind::Mode),
                (1, Kind::EndAll),
                (4, Kind::Solve),
                (3, Kind::LongWait),
            ],
            Self::Invitations => &[
                (1, Kind::Permit),
                (1, Kind::Mode),
                (1, Kind::EndAll),
                (10, Kind::Invite),
                (1, Kind::Read),
                (1, Kind::End),
                (2, Kind::LongWait),
            ],
        };
        visits.into_iter().chain(own.iter().copied()).collect()
    }

    /// What a POP's settings change to.
    pub(super) fn published(self, settings: &Settings, dice: &mut Dice, now_ms: u64) -> Settings {
        let mut given = Given(settings.clone());
        match self {
            Self::Events => given.set("event", schedule(dice, now_ms, &USUAL).to_string()),
            Self::Regions => given.regions(dice),
            _ => {}
        }
        given.0
    }
}

pub(super) fn one_of<T: Copy>(dice: &mut Dice, all: &[T]) -> T {
    all[dice.index(all.len())]
}

/// How long the parts of an event last at the most, in seconds: until the pre-queue, until the opening, until the end.
pub(super) type Spans = [u64; 3];
pub(super) const USUAL: Spans = [200, 150, 400];
/// In a history in which data are lost, which is shorter.
pub(super) const SOON: Spans = [20, 60, 200];

/// One or two events that follow each other. An event that is moved keeps its name.
pub(super) fn schedule(dice: &mut Dice, from_ms: u64, spans: &Spans) -> Value {
    let mut at_s = from_ms / 1_000;
    let many = dice.between(1, 2);
    let closes = dice.is_one_in(2);
    let [until_prequeue, until_opening, until_end] = *spans;
    let events = ["one", "two"].into_iter().zip(1..=many).map(|(id, which)| {
        let prequeue_s = at_s + dice.roll(until_prequeue);
        let opens_s = prequeue_s + dice.roll(until_opening);
        at_s = opens_s + dice.between(1, until_end);
        let moment = |s: u64| now_serving::page::iso_8601(s * 1_000).replace(".000", "");
        let mut event =
            json!({ "id": id, "prequeue": moment(prequeue_s), "opens": moment(opens_s) });
        if closes || which < many {
            event["closes"] = moment(at_s).into();
        }
        match dice.roll(3) {
            0 => {}
            1 => event["order"] = "drawn".into(),
            _ => {
                event["order"] = "drawn".into();
                event["public_value"] = "a beacon".into();
            }
        }
        event
    });
    events.collect()
}

struct Given(Settings);

impl Given {
    fn set(&mut self, name: &str, value: impl Into<String>) {
        self.0.insert(name.to_owned(), value.into());
    }

    fn pace(&mut self, dice: &mut Dice) {
        self.set("automatic", one_of(dice, &["0", "5", "15", "60"]));
        self.set("automatic_quantity", dice.between(1, 5).to_string());
    }

    fn absent(&mut self, dice: &mut Dice) {
        let setting = one_of(dice, &["off", "observe", "on"]);
        self.set("absent_visitors", setting);
    }

    fn cap(&mut self, dice: &mut Dice) {
        if dice.is_one_in(2) {
            return;
        }
        self.set("total_active", dice.between(1, 6).to_string());
        self.set("session_minutes", dice.between(2, 4).to_string());
        self.set("claim_seconds", dice.between(10, 90).to_string());
        let enforced = one_of(dice, &["on", "on", "observe"]);
        self.set("active_visitors", enforced);
    }

    fn health(&mut self, dice: &mut Dice) {
        let setting = one_of(dice, &["off", "observe", "on", "on"]);
        self.set("origin_health", setting);
        self.set("watch_documents", "1");
        self.set("sick_min", dice.between(1, 8).to_string());
        self.set("sick_share", one_of(dice, &["1", "10", "30", "60"]));
        if setting != "off" {
            let adaptive = one_of(dice, &["off", "observe", "on", "on"]);
            self.set("adaptive_pace", adaptive);
            self.set("window_min", dice.between(1, 2).to_string());
            self.set("window_max", dice.between(2, 20).to_string());
        }
    }

    fn regions(&mut self, dice: &mut Dice) {
        let shares: [Option<u64>; 3] = match dice.roll(3) {
            0 => [None; 3],
            1 => [Some(45), Some(55), None],
            _ => [0; 3].map(|_| dice.is_one_in(2).then(|| dice.between(1, 33))),
        };
        let names = ["east", "north-2", "west"];
        let many = if dice.is_one_in(4) { 2 } else { 3 };
        let regions = names.iter().zip(shares).zip(COUNTRIES).take(many);
        let regions = regions.map(|((name, share), country)| {
            let mut region = json!({ "name": name, "countries": country });
            if let Some(share) = share {
                region["share"] = share.into();
            }
            region
        });
        let regions: Value = regions.collect();
        self.set("regions", regions.to_string());
        self.set("regions_lag", one_of(dice, &["1", "2"]));
    }
}
