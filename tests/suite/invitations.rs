//! Invitations in random histories, where the model, the embedded store and a real Redis answer alike; and crowds of them: an
//! invitation is used as often as it says, and the main line moves as it does without, but for the share of the front lane.

use std::collections::BTreeMap;

use now_serving::cache::NoSign;
use now_serving::operator::verbs::{Epoch, Intent, SetMode};
use now_serving::queue::{AbsentVisitors, Asker, Call, Cap, Enforcement, HealthRule, LineAnswer};
use now_serving::queue::{Invitation, Invited, Model, NetworkBound, Now, Outcome, Pace, Presented};
use now_serving::queue::{Lane, Mode, RoomName, Schedule, Sign, WaitingProof, Way};
use now_serving::store::{Clock, Line, MayDraw};
use proptest::prelude::*;
use upstash_local::Redis;

use crate::connection::Connection;
use crate::house::{Ask, Direct, House, Visitor, admin, visitors};
use crate::metrics::{numbers, scrape};
use crate::stories::invitations::{invitation, invitation_by, line, sent, used};
use crate::traces::{Known, Lost, Traces, both, changed, embedded, on, runner};

const START_MS: u64 = 1_800_000_000_000;
const MINUTE_MS: u64 = 60_000;
const PACE: Pace = Pace {
    automatic: 15,
    quantity: 5,
};
/// How many may go in by an invitation in a minute.
const PER_MINUTE: u64 = 3;

/// One thing that happens.
#[derive(Clone, Debug)]
enum Step {
    /// A new visitor draws, or brings one of the invitations.
    Join(Option<usize>),
    /// A visitor whose answer was lost asks the same again.
    Repeat(usize),
    /// A visitor with a number looks, and may bring an invitation.
    Look(usize, Option<usize>),
    /// A ticket that has ended draws again.
    Draw(usize),
    Mode(Mode),
    EndAll,
    /// The POP reads the sign.
    Read,
    /// The store loses the line, or all data; the POP has just read the sign, or knows none.
    Lose(Lost, bool),
    /// A POP comes that knew the line before the loss.
    Return,
    Wait(u64),
}

fn step() -> impl Strategy<Value = Step> {
    let mode = prop::sample::select(&Mode::ALL[..]);
    let lost = prop_oneof![Just(Lost::Line), Just(Lost::All)];
    prop_oneof![
        8 => prop::option::weighted(0.6, any::<usize>()).prop_map(Step::Join),
        3 => any::<usize>().prop_map(Step::Repeat),
        4 => (any::<usize>(), prop::option::of(any::<usize>())).prop_map(|(who, which)| Step::Look(who, which)),
        1 => prop_oneof![3 => Just(Mode::Automatic), 1 => mode].prop_map(Step::Mode),
        2 => any::<usize>().prop_map(Step::Draw),
        1 => Just(Step::EndAll),
        2 => Just(Step::Read),
        1 => (lost, any::<bool>()).prop_map(|(lost, knows)| Step::Lose(lost, knows)),
        1 => Just(Step::Return),
        3 => (0_u64..90_000).prop_map(Step::Wait),
    ]
}

fn cap() -> impl Strategy<Value = Option<Cap>> {
    let enforcement = prop_oneof![3 => Just(Enforcement::On), 1 => Just(Enforcement::Observe)];
    let cap = (2_u64..8, enforcement).prop_map(|(total_active, enforcement)| Cap {
        total_active,
        session_minutes: 3,
        claim_seconds: 20,
        enforcement,
    });
    prop::option::of(cap)
}

/// A visitor, what was brought last, and the number.
#[derive(Clone)]
struct Guest {
    id: String,
    brought: Option<usize>,
    lane: Lane,
    place: Option<WaitingProof>,
}

/// What was called since the main line was last empty: in all, and of the front lane.
#[derive(Clone, Copy, Debug, Default)]
struct Called {
    all: u64,
    front: u64,
}

struct Play<'a> {
    stores: &'a [Direct],
    cap: Option<Cap>,
    share: u64,
    model: Model,
    known: Known,
    /// What a POP knew when the store lost the line.
    before: Option<Sign>,
    called: Option<Called>,
    /// Who drew each number of the front lane.
    front: BTreeMap<(u64, u64), String>,
    invitations: Vec<Invitation>,
    guests: Vec<Guest>,
    /// Of the main line, after the latest verb.
    length: u64,
    /// How many went in by each since the store last lost its data.
    uses: BTreeMap<usize, u64>,
    now_ms: u64,
}

impl Play<'_> {
    fn new(stores: &[Direct], cap: Option<Cap>, share: u64) -> Play<'_> {
        let invitation = |(which, uses): (usize, u64)| Invitation {
            id: format!("invitation-{which}"),
            uses,
            // The last ones end within the history.
            ends: START_MS / 1000 + if which > 5 { 120 } else { 86_400 },
            batch: "spring".to_owned(),
            way: [Way::In, Way::Front][which % 2],
        };
        Play {
            stores,
            cap,
            share,
            model: Model::new(PACE).with_cap(cap).with_front_share(share),
            known: Known(None),
            before: None,
            length: 0,
            called: Some(Called::default()),
            front: BTreeMap::new(),
            invitations: [1, 1, 2, 5, 5, 50, 9, 9]
                .into_iter()
                .enumerate()
                .map(invitation)
                .collect(),
            guests: Vec::new(),
            uses: BTreeMap::new(),
            now_ms: START_MS,
        }
    }

    /// The same verb everywhere: same answers.
    fn everywhere<T: PartialEq + std::fmt::Debug>(
        &mut self,
        (brought, of): (Option<usize>, Lane),
        model: impl Fn(&mut Model, Call<'_>, Option<Presented<'_>>) -> T,
        verb: impl Fn(&Line<'_>) -> T,
    ) -> T {
        let call = Call {
            now_ms: self.now_ms,
            known: self.known.0.as_ref(),
            brought: &[],
        };
        let invitation = brought.map(|which| Presented {
            invitation: &self.invitations[which],
            per_minute: PER_MINUTE,
        });
        let expected = model(&mut self.model, call, invitation);
        for store in self.stores {
            let line = Line {
                store,
                room: &RoomName::new("main"),
                pace: PACE,
                absent_visitors: AbsentVisitors::default(),
                cap: self.cap.unwrap_or_default(),
                schedule: Schedule::NONE,
                health: (HealthRule::OFF, 0),
                network: String::new(),
                bound: NetworkBound::default(),
                invitation,
                lane: of,
                front_share: self.share,
                regions: None,
                lifetime: 172_800,
                pop: String::new(),
                now: Now::from_ms(self.now_ms),
                clock: Clock::Given,
                known: &self.known,
            };
            assert_eq!(verb(&line), expected);
        }
        self.check_share();
        expected
    }

    /// While visitors of the main line wait, the front lane has no more than its share of all that were called. A loss calls
    /// visitors again, and is left out.
    fn check_share(&mut self) {
        let sign = self.model.sign();
        let front = sign.front.unwrap_or_default();
        let (all, front) = (sign.cursor.0 + front.cursor.0, front.cursor.0);
        let begin = Called { all, front };
        let drawn = sign.length - std::mem::replace(&mut self.length, sign.length).min(sign.length);
        let Some(since) = self.called else {
            return;
        };
        // A verb calls before it draws, so the last visitor to draw may have come to an empty line.
        if sign.waiting_in_main() <= drawn {
            self.called = Some(begin);
        } else {
            let most = ((all - since.all) * self.share).div_ceil(100);
            assert!(front - since.front <= most, "{since:?} {sign:?}");
        }
    }

    fn step(&mut self, step: &Step) {
        match step {
            Step::Join(brought) => {
                let guest = Guest {
                    id: format!("guest-{}", self.guests.len()),
                    brought: brought.map(|which| which % self.invitations.len()),
                    lane: Lane::Main,
                    place: None,
                };
                self.ask(guest);
            }
            Step::Repeat(who) => self.again(*who, |guest| guest.brought),
            Step::Look(who, which) => {
                let many = self.invitations.len();
                self.again(*who, |_| which.map(|which| which % many));
            }
            Step::Mode(mode) => {
                self.change(&SetMode(*mode), |model, call| model.set_mode(*mode, call));
            }
            Step::EndAll => {
                self.now_ms += 1_000;
                self.change(&Epoch, Model::end_all);
            }
            Step::Draw(who) => {
                if let Some(at) = who.checked_rem(self.guests.len()) {
                    let guest = self.guests.swap_remove(at);
                    self.ask(Guest {
                        place: None,
                        ..guest
                    });
                }
            }
            Step::Read => self.known = Known(self.sign()),
            Step::Return => self.known = Known(self.before.clone()),
            Step::Lose(lost, knows) => self.lose(*lost, *knows),
            // The store forgets a draw after 300 s, and the model does not.
            Step::Wait(ms) => {
                self.now_ms += ms;
                let is_late = self.now_ms > START_MS + 290_000;
                if is_late {
                    self.guests.clear();
                }
            }
        }
    }

    fn sign(&self) -> Option<Sign> {
        let sign = self.model.sign().clone();
        self.model.has_begun().then_some(sign)
    }

    fn lose(&mut self, lost: Lost, knows: bool) {
        // No two lines are born in the same millisecond.
        self.now_ms += 1_000;
        let command = match lost {
            Lost::Line => &["DEL", "queue:{main}"][..],
            Lost::All => &["FLUSHALL"],
        };
        for store in self.stores {
            store.0.command(command).unwrap();
        }
        let sign = self.sign();
        self.known = Known(sign.clone().filter(|_| knows));
        self.before = sign;
        self.called = None;
        let new = Model::new(PACE).with_cap(self.cap);
        let new = new.with_front_share(self.share);
        self.model = match lost {
            Lost::Line => new.with_draws_of(&self.model),
            Lost::All => new,
        };
        if lost == Lost::All {
            self.uses = BTreeMap::new();
        }
    }

    fn again(&mut self, who: usize, brought: impl Fn(&Guest) -> Option<usize>) {
        if let Some(at) = who.checked_rem(self.guests.len()) {
            let guest = self.guests.swap_remove(at);
            let brought = brought(&guest);
            self.ask(Guest { brought, ..guest });
        }
    }

    fn ask(&mut self, guest: Guest) {
        let before = self.model.sign().clone();
        let by = (guest.brought, guest.lane);
        let answer = match guest.place {
            None => self.everywhere(
                by,
                |model, call, invitation| model.join(asker(&guest, invitation), call),
                |line| line.join(&guest.id).unwrap(),
            ),
            Some(place) => self.everywhere(
                by,
                |model, call, invitation| model.look(asker(&guest, invitation), place, call),
                |line| {
                    let place = (place, None);
                    line.look(&guest.id, place, MayDraw::Yes, &[]).unwrap()
                },
            ),
        };
        assert_eq!(answer.invited.is_some(), guest.brought.is_some());
        self.check(&guest, &before, &answer);
        let Some(position) = answer.position else {
            return self.guests.push(guest);
        };
        let lane = answer.lane;
        if lane == Lane::Front {
            let number = (answer.sign.birth.born, position.0);
            let holder = self.front.entry(number).or_insert(guest.id.clone());
            assert_eq!(*holder, guest.id, "{number:?}");
        }
        let place = Some(answer.sign.of(lane).place(position));
        self.guests.push(Guest {
            lane,
            place,
            ..guest
        });
    }

    /// A visitor who goes in by an invitation takes no number, and the invitation is used no more often than it says.
    fn check(&mut self, guest: &Guest, before: &Sign, answer: &LineAnswer) {
        if !matches!(answer.invited, Some(Invited::In | Invited::Front)) {
            return;
        }
        let which = guest.brought.unwrap();
        let by_number = answer.position.map(|_| answer.lane);
        let expected = Some(Lane::Front).filter(|_| answer.invited == Some(Invited::Front));
        assert_eq!(by_number, expected);
        if before.birth.order() == answer.sign.birth.order() {
            assert_eq!(answer.sign.length, before.length);
        }
        let mode = answer.sign.live.mode;
        let is_known = !self.is_first(which);
        let is_front = answer.invited == Some(Invited::Front);
        let draws = mode == Mode::Automatic || is_front && mode == Mode::Hold;
        assert!(draws || is_known, "{mode:?}");
        let uses = self.uses.get(&which).copied().unwrap_or(0);
        assert!(uses <= self.invitations[which].uses);
    }

    /// Whether that invitation was used by the last answer, which is no repeat then.
    fn is_first(&mut self, which: usize) -> bool {
        let key = format!("queue:{{main}}:invite:invitation-{which}");
        let told = self.stores[0].0.command(&["GET", &key]).unwrap();
        let told = told.as_str().map_or(0, |told| told.parse().unwrap());
        let before = self.uses.insert(which, told).unwrap_or(0);
        told > before
    }

    fn change(&mut self, intent: &dyn Intent, on_model: impl Fn(&mut Model, Call<'_>) -> Outcome) {
        self.everywhere(
            (None, Lane::Main),
            |model, call, _| changed(on_model(model, call)),
            |line| line.change(intent.change(), &admin()).unwrap(),
        );
    }
}

fn asker<'a>(guest: &'a Guest, invitation: Option<Presented<'a>>) -> Asker<'a> {
    Asker {
        id: &guest.id,
        network: "",
        bound: NetworkBound::default(),
        invitation,
        lane: guest.lane,
        event: None,
    }
}

fn hold_over(stores: &[Direct], traces: Traces) {
    let share = prop::sample::select(vec![0, 10, 50]);
    let histories = (cap(), share, prop::collection::vec(step(), 1..60));
    let outcome = runner(traces).run(&histories, |(cap, share, steps)| {
        for store in stores {
            store.0.command(&["FLUSHALL"]).unwrap();
        }
        let mut play = Play::new(stores, cap, share);
        for step in &steps {
            play.step(step);
        }
        Ok(())
    });
    outcome.unwrap();
}

mod native {
    use super::*;

    #[test]
    fn an_invitation_is_used_no_more_often_than_it_says_in_a_few_histories() {
        hold_over(&[embedded()], Traces::Known(60));
    }

    #[test]
    fn the_metrics_show_the_front_lane() {
        let house = House::native();
        house.set("front_share", "20");
        line(&house, 1);
        let told = || {
            let told = numbers(&house.ask(&scrape()).body);
            let gauge = |name: &str| {
                told.get(format!("{name}{{room=\"main\"}}").as_str())
                    .copied()
            };
            ["queue_front_waiting", "queue_front_cursor", "queue_waiting"].map(gauge)
        };
        assert_eq!(told(), [0.0, 0.0, 2.0].map(Some));
        let code = invitation_by(Way::Front, &house, "many", 9, 3600);
        used(&mut Visitor::new(&house), &code);
        assert_eq!(told(), [1.0, 0.0, 3.0].map(Some));
    }

    #[test]
    fn the_metrics_count_what_became_of_invitations() {
        let house = House::native();
        line(&house, 1);
        let code = invitation(&house, "many", 9, 3600);
        let mut all = visitors(&house, 2);
        assert!(used(&mut all[0], &code).inside);
        assert!(!used(&mut all[1], &code).inside);
        all[1].send_once(sent("nothing", "/echo"));
        let told = numbers(&house.ask(&scrape()).body);
        let count = |outcome: &str| {
            let name = format!("queue_invitations_total{{room=\"main\",outcome=\"{outcome}\"}}");
            told.get(name.as_str()).copied()
        };
        let outcomes = ["in", "kept", "wrong", "front", "used", "expired", "revoked"];
        let expected = [1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0];
        assert_eq!(outcomes.map(count), expected.map(Some));
        let passed = |by: &str| {
            let name = format!("queue_inversions_total{{room=\"main\",by=\"{by}\"}}");
            told.get(name.as_str()).copied()
        };
        let rules = ["invitation", "front", "unexplained"];
        assert_eq!(rules.map(passed), [1.0, 0.0, 0.0].map(Some));
    }
}

mod simulated {
    use super::*;

    #[test]
    fn an_invitation_is_used_no_more_often_than_it_says() {
        hold_over(&[embedded()], Traces::Known(400));
    }

    /// Two rooms with the same line, and a flood of invitations in one of them: the last in line reads the same in both.
    #[test]
    fn under_a_flood_of_invitations_the_line_moves_as_without() {
        let ahead = |invitations: u64| {
            let house = House::native();
            house.set("automatic", "15");
            house.set("automatic_quantity", "5");
            house.set("invited_per_minute", "1000");
            house.warm();
            let mut line = visitors(&house, 60);
            for visitor in &mut line {
                visitor.ask("/");
            }
            let mut last = line.pop().unwrap();
            let code = invitation(&house, "many", 10_000, 86_400);
            let mut entered = 0;
            let read = |_| {
                for _ in 0..invitations {
                    entered += u64::from(used(&mut Visitor::new(&house), &code).inside);
                }
                house.wait(std::time::Duration::from_secs(15));
                last.ask("/").json()["ahead"].as_u64()
            };
            let told: Vec<Option<u64>> = (0..8).map(read).collect();
            let status = house.ask(&Ask::get("/_queue/status").operator()).json();
            (
                told,
                status["cursor"].clone(),
                status["length"].clone(),
                entered,
            )
        };
        let (without, flood) = (ahead(0), ahead(40));
        assert_eq!(
            (&without.0, &without.1, &without.2),
            (&flood.0, &flood.1, &flood.2)
        );
        assert!(
            flood
                .0
                .iter()
                .flatten()
                .is_sorted_by(|one, next| one >= next)
        );
        assert_eq!((without.3, flood.3), (0, 320));
    }
}

/// This many visitors of one invitation at once, each with a connection of its own; how many get past the line.
fn in_parallel(line: impl Fn(&str) -> LineAnswer + Sync, many: usize) -> usize {
    let visitors: Vec<String> = (0..many)
        .map(|visitor| format!("visitor-{visitor}"))
        .collect();
    std::thread::scope(|scope| {
        let parts = visitors.chunks(many.div_ceil(20)).map(|part| {
            scope.spawn(|| {
                let is_past = |id: &&String| {
                    let invited = line(id).invited;
                    matches!(invited, Some(Invited::In | Invited::Front))
                };
                part.iter().filter(is_past).count()
            })
        });
        let parts: Vec<_> = parts.collect();
        parts.into_iter().map(|part| part.join().unwrap()).sum()
    })
}

mod long {
    use super::*;

    #[test]
    fn an_invitation_is_used_no_more_often_than_it_says_in_new_histories() {
        hold_over(&[embedded()], Traces::New(800));
    }
}

mod redis {
    use super::*;

    #[test]
    fn the_model_the_embedded_store_and_redis_take_invitations_alike() {
        let redis = Redis::start().unwrap();
        let stores = both(&redis);
        hold_over(&stores, Traces::Known(40));
    }

    #[test]
    fn of_a_thousand_parallel_uses_of_a_single_invitation_one_passes() {
        for (_, way) in Way::ALL {
            assert_eq!(of_a_thousand_uses(way), 1, "{way:?}");
        }
    }

    fn of_a_thousand_uses(way: Way) -> usize {
        let redis = Redis::start().unwrap();
        let store = on(&redis);
        let invitation = Invitation {
            id: "one".to_owned(),
            uses: 1,
            ends: START_MS / 1000 + 86_400,
            batch: "spring".to_owned(),
            way,
        };
        let room = RoomName::new("main");
        let join = |id: &str| {
            let line = Line {
                store: &store,
                room: &room,
                pace: PACE,
                absent_visitors: AbsentVisitors::default(),
                cap: Cap::default(),
                schedule: Schedule::NONE,
                health: (HealthRule::OFF, 0),
                network: String::new(),
                bound: NetworkBound::default(),
                invitation: Some(Presented {
                    invitation: &invitation,
                    per_minute: 100_000,
                }),
                lane: Lane::Main,
                front_share: 10,
                regions: None,
                lifetime: 172_800,
                pop: String::new(),
                now: Now::from_ms(START_MS + MINUTE_MS),
                clock: Clock::Given,
                known: &NoSign,
            };
            line.join(id).unwrap()
        };
        in_parallel(join, 1000)
    }
}

mod wasm {
    use super::*;

    #[test]
    fn of_sixty_parallel_uses_of_a_single_invitation_one_passes() {
        let house = House::wasm();
        line(&house, 1000);
        let code = invitation(&house, "one", 1, 3600);
        let mut guests = visitors(&house, 60);
        let tickets = guests.iter_mut().map(|guest| {
            guest.send_once(sent(&code, "/echo"));
            guest.ticket.clone().unwrap()
        });
        let tickets: Vec<String> = tickets.collect();
        let edge = house.wasm_side().edge.addr();
        let entered: usize = std::thread::scope(|scope| {
            let parts = tickets.chunks(10).map(|part| {
                scope.spawn(move || {
                    let mut connection = Connection::open(edge);
                    let is_in = |ticket: &&String| {
                        let ask = Ask::get("/echo").json();
                        let ask = ask.with("cookie", format!("queue={ticket}"));
                        connection.ask(&ask).inside
                    };
                    part.iter().filter(is_in).count()
                })
            });
            let parts: Vec<_> = parts.collect();
            parts.into_iter().map(|part| part.join().unwrap()).sum()
        });
        assert_eq!(entered, 1);
    }
}
