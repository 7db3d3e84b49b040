//! The wire between a POP and the script: words of a call and its answer, read by name.
//!
//! Invariant: this module alone knows how arguments, keys and answers are written. What it gives out has names of the
//! domain, so a change of the wire is a change of this module.

use std::collections::BTreeMap;

use now_serving::cache::outbox::RENEWAL;
use now_serving::cache::read_board;
use now_serving::queue::{
    self, AboveBound, Enforcement, Group, Groups, Invited, Lane, LaneName, Mode, Pace, Phase,
    SessionMark, Stretch,
};
use serde_json::Value;

use crate::board::{Board, Numbers};

/// Arguments before the keys of `EVAL` and `EVALSHA`.
const BEFORE_KEYS: usize = 3;

/// A call of the script that the store has done, and its answer.
#[derive(Clone, Debug)]
pub struct Said {
    keys: Vec<String>,
    /// Names and values, one behind the other.
    arguments: Vec<String>,
    answer: Vec<(Value, Value)>,
}

/// Kind of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    /// A visitor draws.
    Join,
    /// A POP renews its copy, and may bring a visitor's ticket.
    Look,
    /// An operator or a program changes something.
    Change,
    /// The metrics are read.
    Metrics,
    /// Anything else is read.
    Read,
}

/// Counts of one outbox, as a call brings them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batch<'a> {
    /// The outbox.
    pub outbox: &'a str,
    /// The number of the batch.
    pub number: u64,
    /// The counts, by name.
    pub counts: Vec<(&'a str, u64)>,
    /// The sessions that were made longer: the marks of their tickets, and their new ends.
    pub sessions: Vec<(&'a str, u64)>,
}

impl Batch<'_> {
    /// The decisions by reason.
    pub fn decisions(&self) -> impl Iterator<Item = (&str, u64)> {
        let decided = self.counts.iter().filter(|(name, _)| is_decision(name));
        decided.copied()
    }
}

fn is_decision(name: &str) -> bool {
    name.starts_with("decided_")
}

/// An invitation that a visitor brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Presented<'a> {
    /// The name of the counter of its uses.
    pub key: &'a str,
    /// Most visitors who may use it.
    pub uses: u64,
    /// Most visitors who may go straight in by an invitation in a minute.
    pub per_minute: u64,
    /// The group that it opens; none: the way straight in.
    pub group: Option<LaneName>,
}

/// The bound of the network from which a visitor came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network<'a> {
    /// The name of the counter of its draws.
    pub key: &'a str,
    /// Most numbers that it may draw in an hour.
    pub draws: u64,
    /// Whether further draws are held back.
    pub is_held_back: bool,
    /// What the visitor has done for one: up to which place the calculation is enough, and whether a wait is over.
    pub effort: (u64, bool),
}

/// Outcome of a claim of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claimed {
    /// A session that ends with this minute.
    Until(u64),
    /// No slot is free.
    Full,
    /// A copy of the ticket has had its session.
    Used,
}

impl Said {
    /// A call by its words, and the `result` of its answer; nothing where the call is none of the script.
    #[must_use]
    pub fn of(words: &[String], answer: &Value) -> Option<Self> {
        Self::owned(words.to_vec(), answer.clone())
    }

    /// The same by the body of a call, and status and body of the answer. Refusals of the store are nothing.
    #[must_use]
    pub fn read(call: &str, answer: Option<&(u16, Vec<u8>)>) -> Option<Self> {
        let (_, answer) = answer.filter(|(status, _)| *status == 200)?;
        let words: Vec<String> = serde_json::from_str(call).ok()?;
        let mut answer: Value = serde_json::from_slice(answer).ok()?;
        Self::owned(words, answer.get_mut("result")?.take())
    }

    fn owned(words: Vec<String>, answer: Value) -> Option<Self> {
        if !matches!(words.first()?.as_str(), "EVAL" | "EVALSHA") {
            return None;
        }
        let many: usize = words.get(BEFORE_KEYS - 1)?.parse().ok()?;
        let mut words = words.into_iter().skip(BEFORE_KEYS);
        let keys: Vec<String> = words.by_ref().take(many).collect();
        // The names of the keys stand in front of the arguments.
        words.next()?;
        let Value::Array(answer) = answer else {
            return None;
        };
        let mut items = answer.into_iter();
        let mut pairs = Vec::with_capacity(items.len() / 2);
        while let (Some(name), Some(value)) = (items.next(), items.next()) {
            pairs.push((name, value));
        }
        let said = Self {
            keys,
            arguments: words.collect(),
            answer: pairs,
        };
        said.argument("verb").is_some().then_some(said)
    }

    fn argument(&self, name: &str) -> Option<&str> {
        let mut pairs = self.arguments.chunks_exact(2);
        pairs.find_map(|pair| match pair {
            [known, value] if known == name => Some(value.as_str()),
            _ => None,
        })
    }

    fn value(&self, name: &str) -> Option<&Value> {
        let found = self.answer.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value)
    }

    /// A text of the answer.
    fn answered(&self, name: &str) -> Option<&str> {
        self.value(name)?.as_str()
    }

    /// A whole number of the answer. A hash of Redis keeps numbers as texts.
    fn number(&self, name: &str) -> Option<u64> {
        let value = self.value(name)?;
        value.as_u64().or_else(|| value.as_str()?.parse().ok())
    }

    /// The texts of a list of the answer.
    fn texts(&self, name: &str) -> Option<Vec<String>> {
        let list = self.value(name)?.as_array()?.iter();
        let texts = list.map(|text| match text {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        });
        Some(texts.collect())
    }

    /// The key that has this in its name.
    fn key(&self, part: &str) -> Option<&str> {
        let found = self.keys.iter().find(|key| key.contains(part));
        found.map(String::as_str)
    }

    /// Whether the call brings what was counted.
    #[must_use]
    pub fn brings_counts(&self) -> bool {
        self.key("}:outbox:").is_some()
    }

    /// All keys of the call.
    #[must_use]
    pub fn keys(&self) -> &[String] {
        &self.keys
    }

    /// The name of the room to which the first key belongs.
    #[must_use]
    pub fn room(&self) -> Option<&str> {
        let rest = self.keys.first()?.split_once('{')?.1;
        rest.split_once('}').map(|(room, _)| room)
    }

    /// The verb.
    #[must_use]
    pub fn verb(&self) -> Verb {
        match self.argument("verb") {
            Some("join") => Verb::Join,
            Some("look") => Verb::Look,
            Some("change") => Verb::Change,
            Some("metrics") => Verb::Metrics,
            _ => Verb::Read,
        }
    }

    /// Whether the line is from now on as the answer has it. The answer to a read may show what would have been.
    #[must_use]
    pub fn is_kept(&self) -> bool {
        let is_done = self.answered("outcome") == Some("done");
        is_done || matches!(self.verb(), Verb::Join | Verb::Look)
    }

    /// The id of the visitor who asks.
    #[must_use]
    pub fn visitor(&self) -> Option<&str> {
        let key = self.key("}:join:")?;
        key.split_once("}:join:").map(|(_, id)| id)
    }

    /// The visitor's number, and its lane.
    #[must_use]
    pub fn placed(&self) -> Option<(Lane, u64)> {
        let number = self.number("number").filter(|number| *number > 0)?;
        Some((Lane::named(self.answered("lane"))?, number))
    }

    /// Visitors whom an operator or a program lets in by this call.
    #[must_use]
    pub fn granted(&self) -> u64 {
        match self.argument("act") {
            Some("permit") => self
                .argument("amount")
                .and_then(|amount| amount.parse().ok())
                .unwrap_or(0),
            // An operator's own ticket, where it is the next one.
            Some("jump") => 1,
            _ => 0,
        }
    }

    /// The key under which something was done once.
    #[must_use]
    pub fn once(&self) -> Option<&str> {
        self.key(":once:")
    }

    /// The groups by the settings of this POP.
    #[must_use]
    pub fn groups(&self) -> Groups {
        let group = |written: &str| {
            let (name, share) = written.split_once('=')?;
            Some(Group {
                name: LaneName::read(name)?,
                share: share.parse().ok()?,
            })
        };
        let written = self.argument("priority").unwrap_or("").split(' ');
        Groups {
            list: written.filter_map(group).collect(),
        }
    }

    /// The most visitors that the pace lets in a period by the settings of this POP: a pace that follows the origin has a
    /// bound of its own.
    #[must_use]
    pub fn most_a_period(&self, pace: Pace) -> u64 {
        let words: Vec<&str> = self.argument("health").unwrap_or("").split(' ').collect();
        let bound = match words[..] {
            [_, _, _, _, "on", _, most] => most.parse().ok(),
            _ => None,
        };
        bound.filter(|most| *most > 0).unwrap_or(pace.quantity)
    }

    /// Whether the pace makes up for called visitors who do not come: by half of it at most.
    #[must_use]
    pub fn makes_up_for_absent(&self, pace: Pace) -> bool {
        self.argument("absent") == Some("on") && pace.automatic <= 60
    }

    /// The invitation that the visitor brought.
    #[must_use]
    pub fn presented(&self) -> Option<Presented<'_>> {
        let words: Vec<&str> = self.argument("invite")?.split(' ').collect();
        let [uses, _, per_minute, group] = words[..] else {
            return None;
        };
        Some(Presented {
            key: self.key(":invite:")?,
            uses: uses.parse().ok()?,
            per_minute: per_minute.parse().ok()?,
            group: LaneName::read(group),
        })
    }

    /// Outcome of the invitation.
    #[must_use]
    pub fn invited(&self) -> Option<Invited> {
        self.answered("invited").and_then(Invited::named)
    }

    /// The bound of the visitor's network, where there is one.
    #[must_use]
    pub fn network(&self) -> Option<Network<'_>> {
        let (draws, enforcement) = self.argument("bound")?.split_once(' ')?;
        Some(Network {
            key: self.key(":network:")?,
            draws: draws.parse().ok()?,
            is_held_back: Enforcement::named(enforcement)? == Enforcement::On,
            effort: self.effort().unwrap_or_default(),
        })
    }

    fn effort(&self) -> Option<(u64, bool)> {
        let (paid, wait) = self.argument("effort")?.split_once(' ')?;
        Some((paid.parse().ok()?, wait == "over"))
    }

    /// That the network of the visitor had drawn as many numbers as it may.
    #[must_use]
    pub fn above(&self) -> Option<AboveBound> {
        self.answered("above").and_then(AboveBound::named)
    }

    /// Outcome of the visitor's claim of a session.
    #[must_use]
    pub fn claimed(&self) -> Option<Claimed> {
        let value = self.value("claim")?;
        let claim = value.as_i64().or_else(|| value.as_str()?.parse().ok())?;
        Some(match u64::try_from(claim) {
            Ok(0) => Claimed::Full,
            Ok(end) => Claimed::Until(end),
            Err(_) => Claimed::Used,
        })
    }

    /// The batches that it brings.
    pub fn batches(&self) -> impl Iterator<Item = Batch<'_>> {
        let outboxes = self.keys.iter().filter(|key| key.contains(":outbox:"));
        outboxes.zip(1_u64..).filter_map(|(outbox, at)| {
            let told = self.argument(&format!("counts{at}"))?.split(' ');
            let (mut counts, mut sessions) = (Vec::new(), Vec::new());
            for (name, value) in told.filter_map(|pair| pair.split_once('=')) {
                if let Some(of) = name.strip_prefix("renewed_") {
                    let to = of.split('_').next()?.parse().ok()?;
                    let marks = (0..value.len() / RENEWAL).filter_map(|at| {
                        let mark = value.get(at * RENEWAL..)?;
                        Some((mark.get(..SessionMark::DIGITS)?, to))
                    });
                    sessions.extend(marks);
                } else if let Ok(many) = value.parse() {
                    counts.push((name, many));
                }
            }
            Some(Batch {
                outbox,
                number: self.argument(&format!("number{at}"))?.parse().ok()?,
                counts,
                sessions,
            })
        })
    }

    /// All decisions that the metrics tell, by reason.
    #[must_use]
    pub fn decisions(&self) -> BTreeMap<String, u64> {
        let counts = self.texts("counts").unwrap_or_default();
        let pairs = counts.chunks_exact(2).filter_map(|pair| match pair {
            [name, many] if is_decision(name) => Some((name.clone(), many.parse().ok()?)),
            _ => None,
        });
        pairs.collect()
    }

    /// The lines of the journal that it told, and the digest of the last of them.
    #[must_use]
    pub fn noted(&self) -> Option<(Vec<String>, String)> {
        let (lines, head) = self.answered("noted")?.rsplit_once('\n')?;
        Some((lines.lines().map(str::to_owned).collect(), head.to_owned()))
    }

    /// Cursor of a lane by a copy of the board or a ticket that the call brought: reaching it is no release. The numbers of a
    /// region may be known better at any age of the data, since its draws are on no line of the journal.
    #[must_use]
    pub fn remembered(&self, lane: Lane, board: &Board) -> u64 {
        if !board.is_young && (lane == Lane::Main || board.groups.has(lane)) {
            return 0;
        }
        let number = |name: &str| self.argument(name)?.parse::<u64>().ok();
        let copy = self.argument("copy").map(str::to_owned);
        let copy = copy.and_then(|text| read_board(text, None));
        let by_copy = copy.and_then(|copy| Some(numbers(&copy).get(&lane)?.cursor));
        let is_own = Lane::named(self.argument("lane")) == Some(lane);
        let of_ticket = |board: &Board| {
            let (born, seen) = (number("ticket_born")?, number("ticket_seen")?);
            board.stretch(lane, born).map(|_| seen)
        };
        let by_ticket = is_own.then(|| of_ticket(board)).flatten();
        by_copy.max(by_ticket).unwrap_or(0)
    }

    /// The board as the answer tells it.
    fn told(&self) -> Option<queue::Board> {
        read_board(self.answered("board")?.to_owned(), None)
    }

    /// The board of the answer; nothing where it tells none.
    #[must_use]
    pub fn board(&self) -> Option<Board> {
        let told = self.told()?;
        let number = |name| self.number(name);
        let capped = told.sessions.as_ref();
        let is_capped = capped.is_some_and(|capped| capped.enforcement == Enforcement::On);
        let is_capped = is_capped && told.live.mode != Mode::Open;
        // Outside of its time an event may open the room, as far as a cap lets it.
        let event = told.event.as_ref();
        let is_outside = event.is_some_and(|known| known.phase == Phase::Outside);
        let mode = if is_outside {
            told.scheduled_mode()
        } else {
            told.live.mode
        };
        Some(Board {
            order: told.order(),
            epoch: told.epoch,
            visits_epoch: told.visits_epoch,
            is_young: told.young,
            rolls: rolls(&told),
            lanes: numbers(&told),
            groups: self.groups(),
            admitted: number("admitted")?,
            drawn: number("drawn")?,
            credit: told.credit,
            mode,
            pace: told.live.pace,
            taken: capped.map(|capped| capped.inside() + capped.promised),
            cap: capped
                .map(|capped| capped.total_active)
                .filter(|_| is_capped),
            event: told.event,
            begun: told.begun,
        })
    }

    /// The mark of the visitor's ticket, by which the store knows whose session it is.
    #[must_use]
    pub fn mark(&self) -> Option<&str> {
        self.argument("mark")
    }

    /// The length of a session in minutes, where a cap holds.
    #[must_use]
    pub fn session_minutes(&self) -> Option<u64> {
        Some(self.told()?.sessions?.minutes)
    }

    /// Number of sessions.
    #[must_use]
    pub fn inside(&self) -> u64 {
        let capped = self.told().and_then(|told| told.sessions);
        capped.map_or(0, |capped| capped.inside())
    }
}

/// The numbers of each lane; the main line has some always.
fn numbers(board: &queue::Board) -> BTreeMap<Lane, Numbers> {
    let numbers = |of: queue::LaneState| {
        let (cursor, length) = (of.cursor().0, of.length());
        (of.lane, Numbers { cursor, length })
    };
    let others = board.lanes.iter().cloned();
    let main = std::iter::once(board.lane(Lane::Main));
    main.chain(others).map(numbers).collect()
}

/// What each lane has of the rolls.
fn rolls(board: &queue::Board) -> BTreeMap<Lane, Vec<Stretch>> {
    let main = (Lane::Main, board.rolls.clone());
    let others = board.lanes.iter().map(|of| (of.lane, of.rolls.clone()));
    std::iter::once(main).chain(others).collect()
}
