//! A room played second by second through the real script and, for operators and looks at the panel, through the whole service.
//!
//! Visitors draw and poll by the verbs of the line alone, since answers that nobody reads take their time. They come by chance with
//! a seed. Whoever is called under a cap comes in at the next second, sees one page and leaves when the session ends.

use std::collections::VecDeque;
use std::f64::consts::TAU;
use std::time::Duration;

use now_serving::cache::memory::InMemoryCache;
use now_serving::config::Config;
use now_serving::page::iso_8601;
use now_serving::queue::{Board, Now, Place, Position};
use now_serving::request::Request;
use now_serving::store::{Line, MayDraw};
use serde_json::{Value, json};
use upstash_local::{Fault, Faults};
use virtual_edge::id_of;

use super::situations::{Act, Colour, EventAt};
use crate::house::{Ask, Direct, House, PERMIT_TOKEN, Visitor, call, config_with};
use crate::inside::Dice;

/// What the panel shows at one look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Shown {
    pub(super) colour: Colour,
    pub(super) words: String,
    /// A screen reader is told the words where this is another one.
    pub(super) said: String,
}

pub(super) struct Room {
    house: House,
    config: Config,
    cache: InMemoryCache,
    dice: Dice,
    pub(super) second: u64,
    per_minute: f64,
    /// So many are let in each time after so many seconds.
    permits: Option<(u64, u64)>,
    drawn: u64,
    /// The ids and places of waiting visitors.
    line: VecDeque<(String, Place)>,
    has_left: bool,
    board: Option<Board>,
}

impl Room {
    pub(super) fn new(settings: &[(&str, &str)], event: Option<EventAt>, seed: u64) -> Self {
        let house = House::native();
        let event = event.map(|event| event_json(event, house.now_ms()));
        let mut all = vec![("clock", "0")];
        all.extend(settings);
        all.extend(event.as_deref().map(|event| ("event", event)));
        for (key, value) in &all {
            house.set(key, value);
        }
        house.warm();
        Self {
            config: config_with(&all),
            cache: InMemoryCache::new(std::sync::Arc::default()),
            dice: Dice(seed),
            second: 0,
            per_minute: 0.0,
            permits: None,
            drawn: 0,
            line: VecDeque::new(),
            has_left: false,
            board: None,
            house,
        }
    }

    /// Calls a verb of the line now.
    fn line<T>(&self, verb: impl FnOnce(&Line<'_>) -> T) -> T {
        let (store, now) = (Direct(self.house.store.clone()), self.house.now_ms());
        let call = call(&Ask::get("/"), id_of(self.second));
        let request = Request::new(&call, &self.config, &store, &self.cache, Now::from_ms(now));
        verb(&request.line())
    }

    pub(super) fn acts(&mut self, act: Act) {
        match act {
            Act::Arrive(per_minute) => self.per_minute = per_minute,
            Act::Crowd(many) => (0..many).for_each(|_| self.arrives()),
            Act::Press(route, json) => drop(self.house.change(route, json)),
            Act::Bad(answers) => {
                let report = Ask::get("/_queue/report").method("POST");
                let report = report.with("authorization", format!("Bearer {PERMIT_TOKEN}"));
                let json = json!({ "bad": answers }).to_string();
                let got = self.house.ask(&report.body("application/json", &json));
                assert_eq!(got.status, 200, "{got:?}");
            }
            Act::Permits(many, every) => self.permits = (many > 0).then_some((many, every)),
            Act::Leave => self.has_left = true,
            Act::Postpone(event) => {
                let event = event_json(event, self.house.now_ms() - self.second * 1000);
                self.house
                    .change("event", &format!("{{\"event\":{event}}}"));
            }
            Act::StoreAway => {
                // Without any visitor before, this data centre knows no board.
                Visitor::new(&self.house).ask("/");
                self.house.store.fail(Faults::always(Fault::Refuse));
            }
            Act::StoreEmpty => {
                // A data centre has a copy of the board, and the next visitor brings it.
                Visitor::new(&self.house).ask("/");
                self.house.store.restart_empty();
                self.house.forget_the_sign();
                Visitor::new(&self.house).ask("/");
            }
        }
    }

    /// One second passes; how many came in it. Until something is soon to be seen, visitors poll each third second.
    pub(super) fn passes(&mut self, is_soon: bool) -> u64 {
        self.house.wait(Duration::from_secs(1));
        self.second += 1;
        let many = self.by_chance(self.per_minute / 60.0);
        (0..many).for_each(|_| self.arrives());
        if let Some((many, every)) = self.permits
            && self.second.is_multiple_of(every)
        {
            self.house.permit(many);
        }
        if is_soon || self.second.is_multiple_of(3) {
            self.polls();
        }
        many
    }

    fn arrives(&mut self) {
        self.drawn += 1;
        let id = id_of(self.drawn);
        let Ok(answer) = self.line(|line| line.join(&id)) else {
            return;
        };
        if let Some(Position(number)) = answer.position {
            let place = answer.board.place(Position(number));
            if !is_called(&answer.board, place) {
                self.line.push_back((id, place));
            }
        }
        self.board = Some(answer.board);
    }

    /// The first in line asks, and so does each that was called.
    fn polls(&mut self) {
        while let Some((id, place)) = self.line.front().filter(|_| !self.has_left).cloned() {
            let board = self.board.clone().filter(|board| board.knows(place.born));
            let was_called = board.as_ref().is_some_and(|board| is_called(board, place));
            let proof = board.map(|board| board.proof(place));
            let proof = proof.unwrap_or_else(|| {
                now_serving::queue::WaitingProof::of(place, now_serving::queue::Cursor(0))
            });
            let draws = if was_called {
                MayDraw::Yes
            } else {
                MayDraw::No
            };
            let Ok(answer) = self.line(|line| line.look(&id, proof, None, draws, &[])) else {
                return;
            };
            let is_called = is_called(&answer.board, place);
            self.board = Some(answer.board);
            if was_called {
                self.line.pop_front();
            } else if !is_called {
                return;
            }
        }
    }

    /// How many come where so many are expected: by Knuth, and where they are many by the normal distribution.
    fn by_chance(&mut self, expected: f64) -> u64 {
        if expected > 20.0 {
            let (one, other) = (self.fraction(), self.fraction());
            let normal = (-2.0 * (1.0 - one).ln()).sqrt() * (TAU * other).cos();
            return rounded(expected + normal * expected.sqrt());
        }
        let (limit, mut product, mut many) = ((-expected).exp(), self.fraction(), 0);
        while product > limit {
            many += 1;
            product *= self.fraction();
        }
        many
    }

    /// At least 0 and below 1.
    fn fraction(&mut self) -> f64 {
        f64::from(u32::try_from(self.dice.roll(1 << 32)).unwrap()) / 2_f64.powi(32)
    }

    /// How many wait.
    pub(super) fn waiting(&self) -> u64 {
        self.board.as_ref().map_or(0, Board::waiting)
    }

    /// Whether every slot of the cap is taken.
    pub(super) fn is_full(&self) -> bool {
        let cap = self
            .board
            .as_ref()
            .and_then(|board| board.sessions.as_ref());
        cap.is_some_and(|cap| cap.inside() + cap.promised >= cap.total_active)
    }

    /// What an operator sees now.
    pub(super) fn shown(&self) -> Shown {
        let page = self.house.ask(&Ask::get("/_queue").operator()).body;
        let state = page.split_once("<div id=\"state\"").unwrap().1;
        let (kind, rest) = (state.split_once("<h2 class=\"").unwrap().1)
            .split_once('"')
            .unwrap();
        let (said, rest) = (rest.split_once("data-said=\"").unwrap().1)
            .split_once('"')
            .unwrap();
        let words = rest.split_once("</svg>").unwrap().1;
        Shown {
            said: said.to_owned(),
            colour: Colour::of(kind),
            words: words.split_once("</h2>").unwrap().0.to_owned(),
        }
    }
}

/// Times are in seconds after the room began.
fn event_json(event: EventAt, began_ms: u64) -> String {
    let at = |second: u64| json!(iso_8601(began_ms + second * 1000).replace(".000", ""));
    let mut json =
        json!({ "id": "sale", "prequeue": at(event.prequeue), "opens": at(event.opens) });
    if let Some(order) = event.order {
        json["order"] = Value::from(order);
        json["public_value"] = Value::from("the lottery of the day");
    }
    if let Some(closes) = event.closes {
        json["closes"] = at(closes);
    }
    json.to_string()
}

fn is_called(board: &Board, place: Place) -> bool {
    let number = board.number(place);
    number.is_some_and(|number| board.verdict(number) == now_serving::queue::Verdict::Admit)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a number of visitors"
)]
fn rounded(many: f64) -> u64 {
    many.round().max(0.0) as u64
}
