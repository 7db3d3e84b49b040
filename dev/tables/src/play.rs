//! One case of a table, played on the real script.
//!
//! Visitors are called `visitor 1`, `visitor 2` and on in the order in which they came, or by the name that the table gives
//! them. A POP that the table names keeps the last board that it was given, and brings it with its next call.

use std::collections::BTreeMap;

use now_serving::cache::LastBoard;
use now_serving::cache::outbox::{Batch, Tally};
use now_serving::operator::verbs::Intent;
use now_serving::queue::{
    Actor, Begun, Board, Changed, Claim, DrawSecrets, Effect, Effort, Invitation, JournalPage,
    JournalRange, Lane, LineAnswer, Now, PanelSnapshot, Place, Position, Presented, Schedule,
    WaitingProof,
};
use now_serving::store::upstash::Attempt;
use now_serving::store::{Figures, Line, MayDraw};
use serde_json::{Value, json};

use virtual_edge::scattered;

use crate::Ground;
use crate::settings::{Settings, minute_of_day};
use crate::table::{Case, Object, compare, span};

/// The secret of every order by lot.
struct Secrets;

impl DrawSecrets for Secrets {
    fn secrets(&self, _room: &str, event: &str, _opens_ms: u64) -> Vec<String> {
        vec![crate::secret(event)]
    }
}

/// The roll by which visitors go in now.
pub(super) fn beginning(board: &Board) -> u64 {
    board.own
}

/// A visitor, and what is on the ticket.
pub(super) struct Visitor {
    id: String,
    pub(super) lane: Lane,
    home: Lane,
    pub(super) proof: Option<WaitingProof>,
    event: Option<Begun>,
    /// The last minute of the session, and the roll that it is of.
    pub(super) session: Option<(u64, u64)>,
    network: String,
    /// Where and in which minute the visitor came.
    pub(super) came_to: String,
    pub(super) came_in: String,
}

/// From where a call comes, and what it brings besides.
#[derive(Clone, Default)]
pub(super) struct From {
    pub(super) pop: Option<String>,
    pub(super) network: Option<String>,
    /// The lane of the ticket.
    pub(super) lane: Lane,
    /// The region in which the visitor is.
    pub(super) home: Lane,
    pub(super) invitation: Option<String>,
    /// What the visitor has done for a number above the bound of the network.
    pub(super) effort: Effort,
    /// The version of the settings that the operator saw.
    pub(super) seen: Option<u64>,
    pub(super) key: Option<String>,
}

pub(super) struct Play<'a> {
    pub(super) ground: &'a dyn Ground,
    pub(super) settings: Settings,
    pub(super) now_ms: u64,
    /// By name.
    pub(super) visitors: BTreeMap<String, Visitor>,
    /// How many came.
    many: u64,
    /// How many are inside of whom no more is said.
    nameless: u64,
    /// The last board of each POP that the table names.
    pops: BTreeMap<String, Board>,
    batches: u64,
}

/// Plays a case.
///
/// # Errors
/// What it was found to break: where, and what was expected.
pub fn play(case: &Case, ground: &dyn Ground) -> Result<(), String> {
    ground.begin()?;
    let mut play = Play::new(ground, Settings::read(case.settings.clone())?);
    for (step, place) in case.steps.iter().zip(1..) {
        let done = play.step(step);
        done.map_err(|fault| format!("step {place} {step}: {fault}"))?;
    }
    let found = play.found()?;
    compare(&Value::Object(case.then.clone()), &found, "").map_err(|fault| format!("then {fault}"))
}

/// The journal of a room as it stands, in one page.
///
/// # Errors
/// When the store does not tell it.
pub fn journal(ground: &dyn Ground) -> Result<JournalPage, String> {
    let play = Play::new(ground, Settings::read(Object::new())?);
    let many = *JournalRange::MANY.end();
    let page = play.line(&From::default(), |line| {
        line.journal(JournalRange { first: 1, many })
    })?;
    page.map_err(|fault| fault.to_string())
}

/// What a POP has read of the line.
struct Known(Option<Board>);

impl LastBoard for Known {
    fn last_board(&self) -> Option<Board> {
        self.0.clone()
    }
}

impl<'a> Play<'a> {
    fn new(ground: &'a dyn Ground, settings: Settings) -> Self {
        Self {
            ground,
            now_ms: settings.start_ms,
            settings,
            visitors: BTreeMap::new(),
            many: 0,
            nameless: 0,
            pops: BTreeMap::new(),
            batches: 0,
        }
    }
}

impl Play<'_> {
    /// One call to the script.
    fn line<T>(&self, from: &From, verb: impl FnOnce(&Line<'_>) -> T) -> Result<T, String> {
        let known = from.pop.as_ref().and_then(|pop| self.pops.get(pop));
        let known = Known(known.cloned());
        let invitation = from.invitation.as_ref();
        let invitation = invitation.map(|name| self.invitation(name)).transpose()?;
        Ok(verb(&Line {
            pace: self.settings.pace,
            turn_minutes: self.settings.turn_minutes,
            absent_visitors: self.settings.absent,
            cap: self.settings.cap,
            active_visitors: self.settings.active_visitors,
            schedule: Schedule {
                events: &self.settings.events,
                secrets: &Secrets,
            },
            health: self.settings.health,
            network: from.network.clone().unwrap_or_default(),
            bound: self.settings.bound,
            effort: from.effort,
            invitation: invitation.map(|invitation| Presented {
                invitation,
                per_minute: self.settings.invited_per_minute,
            }),
            lane: from.lane,
            home: from.home,
            groups: &self.settings.groups,
            regions: self.settings.regions.as_ref(),
            pop: from.pop.clone().unwrap_or_default(),
            known: &known,
            ..crate::line(
                self.ground.store(),
                &self.ground.room(),
                Now::from_ms(self.now_ms),
            )
        }))
    }

    fn invitation(&self, name: &str) -> Result<&Invitation, String> {
        let found = self.settings.invitations.get(name);
        found.ok_or_else(|| format!("there is no invitation {name:?}"))
    }

    fn keep(&mut self, from: &From, board: &Board) {
        if let Some(pop) = &from.pop {
            self.pops.insert(pop.clone(), board.clone());
        }
    }

    /// A new visitor draws a number.
    pub(super) fn draw(&mut self, name: Option<&str>, from: &From) -> Result<Value, String> {
        self.many += 1;
        let usual = format!("visitor {}", self.many);
        let name = name.unwrap_or(&usual).to_owned();
        if self.visitors.contains_key(&name) {
            return Err(format!("{name} came before; known is again"));
        }
        let visitor = Visitor {
            id: format!("{:032x}", scattered(self.many)),
            lane: Lane::Main,
            home: from.home,
            proof: None,
            event: None,
            session: None,
            network: from.network.clone().unwrap_or_default(),
            came_to: from.pop.clone().unwrap_or_default(),
            came_in: minute_of_day(self.now_ms),
        };
        self.visitors.insert(name.clone(), visitor);
        self.ask_to_join(&name, from)
    }

    /// The visitor's answer was lost: the same question once more.
    pub(super) fn ask_to_join(&mut self, name: &str, from: &From) -> Result<Value, String> {
        let visitor = self.visitor(name)?;
        let id = visitor.id.clone();
        let from = From {
            network: from.network.clone().or(Some(visitor.network.clone())),
            home: visitor.home,
            ..from.clone()
        };
        let answer = self.line(&from, |line| line.join(&id))?;
        let answer = answer.map_err(|fault| fault.to_string())?;
        self.answered(name, &from, None, &answer)
    }

    /// A visitor with a ticket asks.
    pub(super) fn look(
        &mut self,
        name: &str,
        from: &From,
        may_draw: MayDraw,
    ) -> Result<Value, String> {
        let visitor = self.visitor(name)?;
        let proof = visitor.proof;
        let proof = proof.ok_or_else(|| format!("{name} has no number to show"))?;
        // A POP that knows an order by lot brings the number that it gave.
        let known = from.pop.as_ref().and_then(|pop| self.pops.get(pop));
        let proof = known.map_or(proof, |board| board.redrawn(proof));
        let (id, event) = (visitor.id.clone(), visitor.event.clone());
        let from = From {
            network: from.network.clone().or(Some(visitor.network.clone())),
            lane: visitor.lane,
            home: visitor.home,
            ..from.clone()
        };
        let event = event.as_ref();
        let answer = self.line(&from, |line| line.look(&id, proof, event, may_draw, &[]))?;
        let answer = answer.map_err(|fault| fault.to_string())?;
        self.answered(name, &from, proof.place.came, &answer)
    }

    fn visitor(&self, name: &str) -> Result<&Visitor, String> {
        let found = self.visitors.get(name);
        found.ok_or_else(|| format!("{name:?} has not come"))
    }

    /// What the visitor keeps of an answer, and what the table may ask of it. `came` is the number that the visitor drew, where
    /// the ticket showed the one that a lot gave.
    fn answered(
        &mut self,
        name: &str,
        from: &From,
        came: Option<Position>,
        answer: &LineAnswer,
    ) -> Result<Value, String> {
        self.keep(from, &answer.board);
        let minute = self.now_ms / 60_000;
        let of_lane = answer.board.of(answer.lane).into_owned();
        let visitor = self.visitors.get_mut(name).ok_or("no such visitor")?;
        if let Some(position) = answer.position {
            let written = of_lane.place(position);
            let proof = match came {
                Some(_) => of_lane.proof(Place { came, ..written }),
                None => of_lane.redrawn(of_lane.proof(written)),
            };
            visitor.event = of_lane.begun.clone().filter(|_| proof.place.came.is_some());
            (visitor.proof, visitor.lane) = (Some(proof), answer.lane);
        }
        let session = match answer.claim {
            None => Value::Null,
            Some(Claim::Full) => json!("no slot"),
            Some(Claim::Used) => json!("used"),
            Some(Claim::Session(last)) => {
                let of = beginning(&answer.board);
                visitor.session = Some((last, of));
                json!(span(last.saturating_sub(minute) * 60_000))
            }
        };
        let number = answer
            .position
            .map(|_| visitor.proof.and_then(|proof| of_lane.number(proof.place)));
        let number = number.flatten().map(|number| number.0);
        Ok(json!({
            "number": number,
            "lane": answer.position.map(|_| answer.lane.full_name().to_owned()),
            "called": number.is_some_and(|number| number <= of_lane.cursor_for(Position(number)).0),
            "session": session,
            "above_bound": answer.above.map(|above| format!("{above:?}").to_lowercase()),
            "place_above": answer.price.map(|price| price.place),
            "wait": answer.price.and_then(|price| price.wait).map(|secs| span(secs * 1_000)),
            "invitation": answer.invited.map(now_serving::queue::Invited::name),
        }))
    }

    /// A POP renews its sign and brings what it counted.
    pub(super) fn poll(&mut self, from: &From, tally: Tally) -> Result<(), String> {
        let batches = self.batches_of(tally);
        let board = self.line(from, |line| line.release_due(&batches))?;
        let board = board.map_err(|fault| fault.to_string())?;
        self.keep(from, &board);
        Ok(())
    }

    /// The metrics are asked for and bring what was counted; the line does not move.
    pub(super) fn scrape(&mut self, from: &From, tally: Tally) -> Result<(), String> {
        let batches = self.batches_of(tally);
        let figures = self.line(from, |line| line.figures(&batches))?;
        figures.map(drop).map_err(|fault| fault.to_string())
    }

    fn batches_of(&mut self, tally: Tally) -> Vec<Batch> {
        if tally.is_empty() {
            return Vec::new();
        }
        self.batches += 1;
        let batch = Batch {
            place: 0,
            outbox: "outbox".to_owned(),
            number: self.batches,
            tally,
        };
        vec![batch]
    }

    /// The same batch once more, since its answer was lost.
    pub(super) fn repeat_batch(&mut self) {
        self.batches = self.batches.saturating_sub(1);
    }

    /// What an operator or a program does: its outcome, and what the verb counts.
    pub(super) fn change(
        &mut self,
        from: &From,
        intent: &dyn Intent,
    ) -> Result<(&'static str, Effect), String> {
        let once = from.key.as_ref().map(|key| {
            let change = format!("{:?}", intent.change().details);
            now_serving::queue::IdempotencyKey {
                key: key.clone(),
                asked: change,
            }
        });
        let author = Actor {
            name: "admin",
            address: "192.0.2.1",
            audited: true,
            seen: from.seen,
            once,
        };
        let changed = self.line(from, |line| line.change(intent.change(), &author))?;
        let (outcome, board, effect) = match changed.map_err(|fault| fault.to_string())? {
            Changed::Done(board, effect) => ("done", Some(board), effect),
            Changed::Replayed(board, effect) => ("again", Some(board), effect),
            Changed::VersionConflict(board) => ("outdated", Some(board), Effect::default()),
            Changed::NotAdmitting(board) => ("refused", Some(board), Effect::default()),
            Changed::KeyReused => ("another change", None, Effect::default()),
        };
        if let Some(board) = board {
            self.keep(from, &board);
        }
        Ok((outcome, effect))
    }

    /// The line as it is; reading it moves nothing.
    pub(super) fn panel(&self) -> Result<PanelSnapshot, String> {
        let panel = self.line(&From::default(), |line| {
            line.panel(now_serving::queue::Past::HOUR, &[], Attempt::First)
        })?;
        panel.map_err(|fault| fault.to_string())
    }

    /// The sums of all draws and releases.
    pub(super) fn figures(&self) -> Result<Figures, String> {
        let figures = self.line(&From::default(), |line| line.figures(&[]))?;
        figures.map_err(|fault| fault.to_string())
    }

    /// The secrets of orders by lot, with the events that are configured.
    pub(super) fn schedule(&self) -> Schedule<'_> {
        Schedule {
            events: &self.settings.events,
            secrets: &Secrets,
        }
    }

    pub(super) fn forget_pops(&mut self) {
        self.pops.clear();
    }

    /// The id of a visitor of whom a table says no more than that there are some.
    pub(super) fn nameless_id(&mut self) -> String {
        self.nameless += 1;
        format!("{:032x}", scattered(u64::MAX - self.nameless))
    }

    /// The mark by which a visitor's session is ended, with its last minute.
    pub(super) fn session_of(&self, name: &str) -> Result<(String, (u64, u64)), String> {
        let visitor = self.visitor(name)?;
        let last = visitor.session;
        let last = last.ok_or_else(|| format!("{name} has no session"))?;
        Ok((visitor.id.clone(), last))
    }

    pub(super) fn renewed(&mut self, name: &str, last: u64) {
        let visitor = self.visitors.get_mut(name);
        if let Some((known, _)) = visitor.and_then(|visitor| visitor.session.as_mut()) {
            *known = last;
        }
    }

    /// A name for each visitor of a step: one, a list, or `visitors 3 to 7`.
    pub(super) fn named(value: &Value) -> Result<Vec<String>, String> {
        if let Some(list) = value.as_array() {
            let names = list.iter().map(Self::named);
            return Ok(names.collect::<Result<Vec<_>, _>>()?.concat());
        }
        let text = value.as_str();
        let text = text.ok_or_else(|| format!("{value} is no visitor"))?;
        let Some(range) = text.strip_prefix("visitors ") else {
            return Ok(vec![text.to_owned()]);
        };
        let ends = range.split_once(" to ");
        let ends = ends.and_then(|(one, last)| Some((one.parse().ok()?, last.parse().ok()?)));
        let (one, last): (u64, u64) = ends
            .ok_or_else(|| format!("{text:?} is no row of visitors; known is visitors 1 to 5"))?;
        Ok((one..=last)
            .map(|number| format!("visitor {number}"))
            .collect())
    }
}

/// Names and values, of pairs.
pub(super) fn object(value: Value) -> Object {
    match value {
        Value::Object(object) => object,
        _ => Object::new(),
    }
}
