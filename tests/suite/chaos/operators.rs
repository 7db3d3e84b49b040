//! Operators and the origin's programs, and the events that they set.

use invariants::Held;
use now_serving::page::iso_8601;
use serde_json::json;

use super::act::{Act, POPS, Presses, Sets, Tells};
use super::rooms::{ROOMS, to_room};
use super::world::{Heard, World};
use crate::house::Ask;
use crate::metrics::scrape;

/// What operators and programs may be answered. 400 only where a list of events is none that can be held.
const STATUSES: [u16; 9] = [200, 202, 303, 400, 401, 404, 409, 429, 503];

/// An event, in seconds since 1970.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timed {
    id: u64,
    times: [u64; 3],
    is_drawn: bool,
}

impl Timed {
    fn json(&self) -> String {
        let at = |second: u64| iso_8601(second * 1_000).replace(".000", "");
        let [prequeue, opens, closes] = self.times.map(at);
        let order = if self.is_drawn { "drawn" } else { "arrival" };
        let outside = match self.id % 3 {
            0 => "automatic",
            1 => "closed",
            _ => "open",
        };
        let event = json!({
            "id": format!("event-{}", self.id), "prequeue": prequeue, "opens": opens, "closes": closes, "order": order,
            "outside": outside, "keeps_inside": !self.id.is_multiple_of(5),
        });
        let mut event = event;
        if self.id.is_multiple_of(2) {
            event["with"] = json!({
                "automatic_quantity": 1 + self.id % 7, "total_active": self.id % 4 * 3, "message": "Sale",
            });
        }
        if self.id % 4 == 1 {
            event["then"] = ["automatic", "open", "hold"][(self.id % 3) as usize].into();
        }
        json!({ "event": event }).to_string()
    }
}

impl World {
    /// A request of an operator or a program about a room, in any POP. One that is not listed there is none.
    pub(super) fn operates(&mut self, room: usize, ask: Ask) -> Heard {
        let (pop, luck) = (self.dice.index(POPS), self.luck());
        let is_listed = self.lists(pop, room);
        let ask = to_room(ask, room);
        let heard = self.ask(&ask, (pop, "US"), luck);
        if !is_listed {
            assert_eq!((heard.got.status, heard.calls), (404, 0), "{heard:?}");
            return heard;
        }
        assert_eq!(heard.room, room, "{heard:?}");
        let status = heard.got.status;
        assert!(
            !heard.got.inside && STATUSES.contains(&status),
            "a status that is not ours: {heard:?}"
        );
        assert!(
            status != 503 || heard.has_failed,
            "the store is well: {ask:?} {heard:?}"
        );
        assert!(
            heard.calls <= 2,
            "one call, and the script in full: {heard:?}"
        );
        heard
    }

    pub(super) fn operator(&mut self, room: usize, what: Presses) {
        let ask = match what {
            Presses::Permit(amount) => {
                Ask::json_to("permit", &json!({ "amt": amount }).to_string())
            }
            Presses::Mode(mode) => {
                if mode != "automatic" {
                    let until_ms = self.now_ms + self.dice.between(1_000, 20_000);
                    self.takes_back
                        .push((until_ms, Act::Operator(room, Presses::Mode("automatic"))));
                }
                Ask::json_to("mode", &json!({ "mode": mode }).to_string())
            }
            Presses::Pace(automatic, quantity) => {
                let pace = json!({ "automatic": automatic, "automatic_quantity": quantity });
                Ask::json_to("settings", &pace.to_string())
            }
            Presses::PaceBack => Ask::json_to(
                "settings",
                r#"{"automatic":null,"automatic_quantity":null}"#,
            ),
            Presses::Cap(total) => {
                let cap =
                    json!({ "total_active": total, "session_minutes": 3, "claim_seconds": 15 });
                Ask::json_to("cap", &cap.to_string())
            }
            Presses::CapBack => Ask::json_to("cap", r#"{"total_active":null}"#),
            Presses::Epoch => return self.ends_all(room),
            Presses::Example(route, json) => Ask::json_to(route, json),
            Presses::Ends(which) => return self.ends(room, which),
            Presses::Reads(route) => Ask::get(&format!("/_queue/{route}")).operator(),
            Presses::WithoutPassword => {
                let heard = self.operates(room, Ask::get("/_queue/"));
                let refused = [401, 404].contains(&heard.got.status);
                assert!(refused && heard.calls == 0, "{heard:?}");
                return;
            }
        };
        self.operates(room, ask);
    }

    /// A press asks for a word, so no two fall into one second, which is what an epoch counts in.
    fn ends_all(&mut self, room: usize) {
        self.wait(1_000);
        self.fault("operator: all tickets end");
        let word = json!({ "word": ROOMS[room] }).to_string();
        self.operates(room, Ask::json_to("epoch", &word));
        self.wait(1_000);
    }

    /// An operator ends the session that belongs to a visitor's reference.
    fn ends(&mut self, room: usize, which: u64) {
        let many = self.people.len() as u64;
        let Some(at) = which.checked_rem(many) else {
            return;
        };
        let at = usize::try_from(at).unwrap();
        let Some(Held { sub, .. }) = self.people[at].held(room) else {
            return;
        };
        let reference = format!("{}-{}", &sub[..4], &sub[4..8]).to_ascii_uppercase();
        self.place(at, room).visitor.is_excused = true;
        let reference = json!({ "reference": reference }).to_string();
        self.operates(room, Ask::json_to("end", &reference));
    }

    pub(super) fn origin(&mut self, room: usize, what: Tells) {
        match what {
            Tells::Permit(amount) => drop(self.operates(room, Ask::permit(amount))),
            Tells::PermitOnce(amount) => self.permits_once(room, amount),
            Tells::Answers(ok, bad) => {
                let report = json!({ "ok": ok, "late": 0, "bad": bad }).to_string();
                self.operates(room, Ask::json_to("report", &report));
            }
            Tells::Metrics => drop(self.operates(room, scrape())),
        }
    }

    /// A program repeats a request of which it heard nothing, under the same key: it counts once.
    fn permits_once(&mut self, room: usize, amount: u64) {
        self.fault("origin: a permit comes again");
        self.keys += 1;
        let ask = Ask::permit(amount).with("idempotency-key", format!("order-{}", self.keys));
        let first = self.operates(room, ask.clone());
        let again = self.operates(room, ask);
        if (first.got.status, again.got.status) == (200, 200) {
            assert_eq!(first.got.body, again.got.body, "the same answer");
        }
    }

    pub(super) fn events(&mut self, room: usize, what: Sets) {
        self.fault("operator: an event is set, moved or taken back");
        let now = self.now_ms / 1_000;
        let ask = match what {
            Sets::New([prequeue, opens, closes], is_drawn) => {
                self.keys += 1;
                let prequeue = now + prequeue;
                let times = [prequeue, prequeue + opens, prequeue + opens + closes];
                let event = Timed {
                    id: self.keys,
                    times,
                    is_drawn,
                };
                self.event.insert(room, event);
                let until_ms = self.now_ms + self.dice.between(40_000, 150_000);
                self.takes_back
                    .push((until_ms, Act::Event(room, Sets::Back)));
                Ask::json_to("event", &event.json())
            }
            Sets::Moved(by) => {
                let Some(mut event) = self.event.get(&room).copied() else {
                    return;
                };
                event.times = event.times.map(|time| time.saturating_add_signed(by));
                self.event.insert(room, event);
                Ask::json_to("event", &event.json())
            }
            Sets::SoldOut => Ask::json_to("event", r#"{"event":"sold_out"}"#),
            Sets::None => Ask::json_to("event", r#"{"event":[]}"#),
            Sets::Back => Ask::json_to("event", r#"{"event":null}"#),
        };
        self.operates(room, ask);
    }
}
