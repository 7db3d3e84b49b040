//! Visitors: what they do, and what must hold of each answer.

use std::collections::BTreeMap;

use invariants::{Answered, Held, Visitor};
use now_serving::cache::{BoardCache, LastBoard};
use now_serving::queue::{
    self, Invitation, Lane, LaneName, Now, Position, Reason, RoomName, TicketState,
};
use now_serving::ticket::Keys;
use now_serving::ticket::invitation::sign_invitation;
use virtual_edge::cache::CacheFault;

use super::act::{Kind, POPS, Visits};
use super::rooms::{self, Aim, COUNTRIES, ROOMS, to_room};
use super::world::{Heard, Life, Luck, Spot, World};
use crate::house::{Ask, Got, claims};
use crate::stories::invitations::sent;

const MOST_PEOPLE: usize = 60;
/// What visitors may be answered, besides by the origin. A wrong challenge is 400, and a room without invitations 404.
const STATUSES: [u16; 8] = [200, 202, 204, 303, 403, 404, 429, 503];
/// A session of three minutes ends with a minute of the store's clock, and a POP's clock may jump by one each way.
const SURELY_INSIDE_MS: u64 = 45_000;

/// A browser or a program, which keeps the tickets of several rooms.
pub(super) struct Person {
    address: [u8; 4],
    pub(super) spot: Spot,
    aim: Aim,
    pub(super) places: BTreeMap<usize, Place>,
    /// An answer is on its way until then.
    busy_until_ms: u64,
}

/// What a visitor has in one room.
pub(super) struct Place {
    pub(super) ticket: Option<String>,
    /// Tickets that others have replaced.
    before: Vec<String>,
    pub(super) visitor: Visitor,
    renewed_in: usize,
}

impl Person {
    pub(super) fn ticket(&self, room: usize) -> Option<&String> {
        self.places.get(&room)?.ticket.as_ref()
    }

    pub(super) fn held(&self, room: usize) -> Option<Held> {
        self.ticket(room).and_then(|ticket| Held::of(ticket))
    }
}

impl World {
    pub(super) fn visitor(&mut self, what: Visits) {
        match what {
            Visits::Arrives => self.arrives(),
            Visits::Reloads(which) => self.with(which, |world, at| {
                world.reloads(at);
            }),
            Visits::Polls(which) => self.with(which, World::polls),
            Visits::Looks(which) => self.with(which, |world, at| {
                let luck = world.luck();
                let page = world.page(at, "drop").with("accept", "text/html");
                world.sends(at, page, luck);
            }),
            Visits::Asks(which, kind) => self.with(which, |world, at| world.asks(at, kind)),
            Visits::Doubles(which) => self.with(which, World::doubles),
            Visits::Misses(which) => self.with(which, World::misses),
            Visits::Replays(which) => self.with(which, World::replays),
            Visits::Copies(which) => self.with(which, World::copies),
            Visits::Roams(which) => self.with(which, World::roams),
            Visits::Leaves(which) => {
                self.with(which, |world, at| drop(world.people.swap_remove(at)));
            }
            Visits::Invited(which) => self.with(which, World::invited),
            Visits::Wanders(which) => self.with(which, |world, at| {
                world.people[at].aim = rooms::aimed(&mut world.dice);
                world.reloads(at);
            }),
            Visits::Crosses(which) => self.with(which, World::crosses),
            Visits::Besieges(which) => self.with(which, World::besieges),
            Visits::Strange => self.strange(),
        }
    }

    fn with(&mut self, which: u64, act: impl FnOnce(&mut Self, usize)) {
        let many = self.people.len() as u64;
        if let Some(at) = which.checked_rem(many) {
            let at = usize::try_from(at).unwrap();
            if self.people[at].busy_until_ms <= self.now_ms {
                act(self, at);
            }
        }
    }

    fn arrives(&mut self) {
        if self.people.len() >= MOST_PEOPLE {
            let at = self.dice.index(MOST_PEOPLE);
            self.people.swap_remove(at);
        }
        let at = self.joins();
        self.reloads(at);
    }

    /// Another visitor, who has not asked for anything yet.
    pub(super) fn joins(&mut self) -> usize {
        let network = u8::try_from(self.dice.roll(200)).unwrap();
        let spot = self.spot();
        self.people.push(Person {
            address: [198, 51, network, 7],
            spot,
            aim: rooms::aimed(&mut self.dice),
            places: BTreeMap::new(),
            busy_until_ms: 0,
        });
        self.people.len() - 1
    }

    /// A POP, and the country from which it is reached.
    fn spot(&mut self) -> Spot {
        let pop = self.dice.index(POPS);
        (pop, COUNTRIES[self.dice.index(COUNTRIES.len())])
    }

    /// What the visitor has in a room.
    pub(super) fn place(&mut self, at: usize, room: usize) -> &mut Place {
        let is_of_two_secrets = self
            .reset_ms
            .is_some_and(|reset| self.now_ms < reset + super::settings::READ_EVERYWHERE_MS);
        let mut visitor = self.truth[room].borrow().visitor();
        visitor.is_excused = is_of_two_secrets;
        let places = &mut self.people[at].places;
        places.entry(room).or_insert_with(|| Place {
            ticket: None,
            before: Vec::new(),
            visitor,
            renewed_in: usize::MAX,
        })
    }

    /// From now on no ticket is promised anything.
    pub(super) fn excuse_everybody(&mut self) {
        let places = self
            .people
            .iter_mut()
            .flat_map(|one| one.places.values_mut());
        for place in places {
            place.visitor.is_excused = true;
        }
    }

    /// The visitor travels: a ticket keeps its lane.
    fn roams(&mut self, at: usize) {
        let (pop, country) = self.spot();
        let travels = self.dice.is_one_in(2);
        let spot = &mut self.people[at].spot;
        *spot = (pop, if travels { country } else { spot.1 });
    }

    /// A page of the site on which the visitor is.
    fn page(&self, at: usize, name: &str) -> Ask {
        rooms::page(self.people[at].aim, name)
    }

    /// A route of the room to which that page belongs here.
    fn route(&self, at: usize, route: &str) -> Ask {
        let room = self.room_of(&self.page(at, ""), self.people[at].spot);
        to_room(Ask::get(&format!("/_queue/{route}")), room)
    }

    /// A page asks for the place, maybe one that was opened in another room.
    fn polls(&mut self, at: usize) {
        let places: Vec<usize> = self.people[at].places.keys().copied().collect();
        let ask = if self.dice.is_one_in(4) && !places.is_empty() {
            let room = places[self.dice.index(places.len())];
            to_room(Ask::get("/_queue/place"), room)
        } else {
            self.route(at, "place")
        };
        let luck = self.luck();
        self.sends(at, ask, luck);
    }

    /// The ticket of another room under the name of this room's: it is none.
    fn crosses(&mut self, at: usize) {
        let ask = self.page(at, "").json();
        let room = self.room_of(&ask, self.people[at].spot);
        let others = self.people.iter().flat_map(|one| &one.places);
        let others = others.filter(|(other, _)| **other != room);
        let tickets: Vec<String> = others
            .filter_map(|(_, place)| place.ticket.clone())
            .collect();
        if tickets.is_empty() {
            return;
        }
        self.fault("visitor: a ticket of another room");
        let ticket = &tickets[self.dice.index(tickets.len())];
        let of_other = Held::of(ticket).unwrap();
        let (ask, luck) = (self.signed(at, ask, (room, Some(ticket))), self.luck());
        let heard = self.ask(&ask, self.people[at].spot, luck);
        self.must_hold(None, &heard, false);
        let given = heard.got.ticket().as_deref().and_then(Held::of);
        assert!(
            given.is_none_or(|given| given.sub != of_other.sub),
            "a ticket of another room goes on: {of_other:?} {heard:?}"
        );
        let mut truth = self.truth[heard.room].borrow_mut();
        truth.checks.count("a ticket of another room is none");
    }

    /// As browsers and apps do: a ticket without a number comes back at once.
    pub(super) fn reloads(&mut self, at: usize) -> Option<Got> {
        let luck = self.luck();
        let got = self.sends(at, self.page(at, "").json(), luck)?;
        let comes_back = got.is_provisional() && !self.dice.is_one_in(5);
        if !comes_back || self.people[at].busy_until_ms > self.now_ms {
            return Some(got);
        }
        let luck = self.luck();
        self.sends(at, self.page(at, "").json(), luck)
    }

    /// One request with the visitor's ticket: the answer, if it reaches the visitor.
    pub(super) fn sends(&mut self, at: usize, ask: Ask, luck: Luck) -> Option<Got> {
        let spot = self.people[at].spot;
        self.sends_from(at, ask, spot, luck)
    }

    /// The same from somewhere else.
    pub(super) fn sends_from(
        &mut self,
        at: usize,
        ask: Ask,
        spot: Spot,
        luck: Luck,
    ) -> Option<Got> {
        let room = self.room_of(&ask, spot);
        let ticket = self.place(at, room).ticket.clone();
        let ask = self.signed(at, ask, (room, ticket.as_deref()));
        let waits_by_copy = ticket.as_deref().is_some_and(|ticket| {
            luck.cache == CacheFault::Sound && self.waits_by_the_copy(ticket, (spot.0, room))
        });
        let heard = self.ask(&ask, spot, luck);
        self.must_hold(ticket.as_deref(), &heard, waits_by_copy);
        self.note_renewal(at, spot.0, &heard);
        if luck.life == Life::Unanswered {
            let was_capped = self.truth[room].borrow().was_capped;
            self.place(at, room).visitor.is_excused |= heard.got.inside && was_capped;
            return None;
        }
        if let CacheFault::Late(late_ms) = luck.cache {
            self.people[at].busy_until_ms = self.now_ms + late_ms;
        }
        self.keeps_its_promises(at, spot.0, ticket.as_deref(), &heard);
        self.takes(at, &heard);
        Some(heard.got)
    }

    /// With this ticket of the room, and those that the visitor has of others.
    fn signed(&self, at: usize, ask: Ask, (room, ticket): (usize, Option<&str>)) -> Ask {
        let person = &self.people[at];
        let ask = ask.from(person.address);
        let others = person.places.keys().filter(|other| **other != room);
        let others = others.filter_map(|other| Some((*other, person.ticket(*other)?.as_str())));
        let own = ticket.map(|ticket| (room, ticket));
        let cookies = others.chain(own);
        let cookies: Vec<String> = cookies
            .map(|(room, ticket)| rooms::cookie(&ask, room, ticket))
            .collect();
        if cookies.is_empty() {
            return ask;
        }
        ask.with("cookie", format!("theme=dark; {}", cookies.join("; ")))
    }

    /// The browser keeps the cookie of the answer.
    fn takes(&mut self, at: usize, heard: &Heard) {
        let place = self.place(at, heard.room);
        let had = match heard.got.ticket() {
            Some(ticket) => place.ticket.replace(ticket),
            None => None,
        };
        if let Some(had) = had {
            place.before.push(had);
            if place.before.len() > 4 {
                place.before.remove(0);
            }
        }
    }

    fn asks(&mut self, at: usize, kind: Kind) {
        let page = self.page(at, "picture");
        let ask = match kind {
            Kind::Head => page.method("HEAD"),
            Kind::Image => page.with("sec-fetch-dest", "image"),
            Kind::Post => page.method("POST").body("application/json", "{}"),
            Kind::Preflight => Ask::preflight("/cart"),
            Kind::Bypass => Ask::get("/robots.txt"),
            Kind::Lot => self.route(at, "lot"),
        };
        let luck = self.luck();
        self.sends(at, ask, luck);
    }

    /// The browser keeps what the first answer brings.
    fn doubles(&mut self, at: usize) {
        self.fault("visitor: a request comes twice");
        let (ask, spot) = (self.page(at, "").json(), self.people[at].spot);
        let room = self.room_of(&ask, spot);
        let ticket = self.place(at, room).ticket.clone();
        let luck = self.luck();
        self.sends(at, ask.clone(), luck);
        let ask = self.signed(at, ask, (room, ticket.as_deref()));
        let luck = self.luck();
        let heard = self.ask(&ask, spot, luck);
        self.must_hold(ticket.as_deref(), &heard, false);
        self.doubts(&heard);
        self.place(at, room).visitor.is_excused |= ticket.is_none();
    }

    /// The visitor goes on with the ticket from before.
    fn misses(&mut self, at: usize) {
        self.fault("visitor: an answer is lost");
        let (ask, spot, luck) = (self.page(at, "").json(), self.people[at].spot, self.luck());
        let room = self.room_of(&ask, spot);
        let ticket = self.place(at, room).ticket.clone();
        let ask = self.signed(at, ask, (room, ticket.as_deref()));
        let heard = self.ask(&ask, spot, luck);
        self.must_hold(ticket.as_deref(), &heard, false);
        self.doubts(&heard);
    }

    fn replays(&mut self, at: usize) {
        let ask = self.page(at, "").json();
        let spot = (self.dice.index(POPS), self.people[at].spot.1);
        let room = self.room_of(&ask, spot);
        let many = self.place(at, room).before.len();
        if many == 0 {
            return;
        }
        self.fault("visitor: an old ticket");
        let which = self.dice.index(many);
        let ticket = self.place(at, room).before[which].clone();
        let ask = self.signed(at, ask, (room, Some(&ticket)));
        let luck = self.luck();
        let heard = self.ask(&ask, spot, luck);
        self.must_hold(Some(&ticket), &heard, false);
        self.doubts(&heard);
        // Under a cap a number and a session are the first client's that uses them.
        let was_capped = self.truth[room].borrow().was_capped;
        self.place(at, room).visitor.is_excused |= was_capped;
    }

    /// Nothing that other visitors have counted is lost by it.
    fn strange(&mut self) {
        let pop = self.dice.index(POPS);
        self.fault("visitor: a request that cannot be read");
        self.flush_sandboxes(pop);
        self.end_sandboxes(pop);
    }

    /// Whatever of the tickets of one visit is sent, and to however many data centres, it has one session.
    fn besieges(&mut self, at: usize) {
        let page = self.page(at, "");
        let spot = self.people[at].spot;
        let room = self.room_of(&page, spot);
        let place = self.place(at, room);
        let tickets: Vec<String> = place.before.iter().chain(&place.ticket).cloned().collect();
        if tickets.is_empty() {
            return;
        }
        self.fault("visitor: tickets in all data centres");
        let was_capped = self.truth[room].borrow().was_capped;
        self.place(at, room).visitor.is_excused |= was_capped;
        let asks = [
            page.clone().json(),
            to_room(Ask::get("/_queue/place"), room),
            page.with("sec-fetch-dest", "image"),
        ];
        for pop in 0..POPS {
            let ticket = &tickets[self.dice.index(tickets.len())];
            let ask = asks[self.dice.index(asks.len())].clone();
            if self.room_of(&ask, (pop, spot.1)) != room {
                continue;
            }
            let ask = self.signed(at, ask, (room, Some(ticket)));
            let luck = self.luck();
            let heard = self.ask(&ask, (pop, spot.1), luck);
            self.must_hold(Some(ticket), &heard, false);
        }
    }

    /// The tickets of all rooms are copied.
    fn copies(&mut self, at: usize) {
        let places = self.people[at].places.iter_mut();
        let had = places.filter_map(|(room, place)| {
            let ticket = place.ticket.clone()?;
            place.visitor.is_excused = true;
            Some((*room, ticket))
        });
        let had: Vec<(usize, String)> = had.collect();
        if had.is_empty() {
            return;
        }
        self.fault("visitor: a cookie is copied");
        let other = self.joins();
        self.people[other].aim = self.people[at].aim;
        for (room, ticket) in had {
            let place = self.place(other, room);
            place.ticket = Some(ticket);
            place.visitor.is_excused = true;
        }
        let luck = self.luck();
        self.sends(other, self.page(other, "").json(), luck);
    }

    /// An invitation is brought, and the page asked for.
    fn invited(&mut self, at: usize) {
        self.keys += 1;
        let uses = self.dice.between(1, 2);
        let group = (!self.dice.is_one_in(2)).then(|| {
            let names = ["vip", "front", "front"];
            names[self.dice.index(names.len())]
        });
        // Some are used by several visitors.
        let which = if self.dice.is_one_in(3) {
            self.keys / 4
        } else {
            self.keys
        };
        let invitation = Invitation {
            id: format!("invitation-{which}-{}-{uses}", group.unwrap_or("in")),
            uses,
            ends: self.now_ms / 1_000 + self.dice.between(0, 3_600),
            batch: "chaos".to_owned(),
            group: group.and_then(LaneName::read),
        };
        let room = self.room_of(&self.page(at, ""), self.people[at].spot);
        let keys = Keys::new(&self.settings.secrets[0], None);
        let now = Now::from_ms(self.now_ms);
        let code = sign_invitation(&keys, &invitation, &RoomName::new(ROOMS[room]), now).unwrap();
        let luck = self.luck();
        self.sends(at, to_room(sent(&code, "/"), room), luck);
        // Who has another number is not moved from the one before.
        self.place(at, room).visitor.is_moved();
        self.reloads(at);
    }

    /// What must hold of each answer, whether it reaches its visitor or not.
    pub(super) fn must_hold(&self, ticket: Option<&str>, heard: &Heard, waits_by_copy: bool) {
        let Heard {
            got, reason, calls, ..
        } = heard;
        assert!(
            got.inside || STATUSES.contains(&got.status),
            "a status that is not ours: {heard:?}"
        );
        let came = ticket.and_then(Held::of);
        let given = got.ticket().as_deref().and_then(Held::of);
        for held in came.iter().chain(&given) {
            assert_eq!(held.room, ROOMS[heard.room], "of another room: {heard:?}");
        }
        let is_same = |given: &Held| {
            came.as_ref()
                .is_some_and(|came| given.sub == came.sub && given.born == came.born)
        };
        let goes_on = came.as_ref().is_some_and(|held| held.is_admitted)
            && got.inside
            && given.as_ref().is_none_or(is_same);
        let needs_none = matches!(
            reason,
            Reason::Bypass
                | Reason::Preflight
                | Reason::Lot
                | Reason::NotFound
                | Reason::Cookies
                | Reason::Invitation
                | Reason::BadRequest
        );
        let is_stranger = came.as_ref().is_none_or(|held| held.number.is_none())
            && matches!(reason, Reason::NotAVisitor | Reason::Provisional);
        let is_free = needs_none || is_stranger || goes_on;
        assert!(
            *calls <= heard.most_inside || !is_free,
            "a call too many: {came:?} {heard:?}"
        );
        assert!(
            *calls == 0 || !waits_by_copy || *reason != Reason::Waiting,
            "the copy was enough: {came:?} {heard:?}"
        );
        let mut truth = self.truth[heard.room].borrow_mut();
        if let Some(given) = &given {
            truth.given(given).unwrap();
        }
        if is_free || waits_by_copy {
            truth.checks.count("no call where none is due");
        }
        let held = given.or(came);
        let is_a_visit = matches!(reason, Reason::Inside | Reason::Admitted | Reason::Invited);
        assert!(
            !is_a_visit || !got.inside || held.is_some() || heard.is_open,
            "no ticket of the room: {heard:?}"
        );
        match &held {
            Some(held) if got.inside && is_a_visit && held.is_admitted => {
                truth.enters(held).unwrap();
            }
            _ if *reason == Reason::AdmittedWithoutStore => {
                drop(truth);
                self.may_do_without_the_store(heard);
            }
            _ => {}
        }
    }

    /// Visitors go in without the store only where it has failed.
    fn may_do_without_the_store(&self, heard: &Heard) {
        let rooms = self.pops.iter().map(|pop| &pop.rooms[heard.room]);
        let failed = rooms.filter_map(|here| here.failed_ms).max();
        // A POP's clock may have jumped by two minutes since.
        let is_recent = failed.is_some_and(|failed| failed + 150_000 >= self.now_ms);
        assert!(
            is_recent || heard.has_failed,
            "the store is well: {heard:?}"
        );
    }

    /// Whether this ticket waits before the copy of the board, so that no call is due.
    fn waits_by_the_copy(&self, ticket: &str, (pop, room): (usize, usize)) -> bool {
        let cache = &self.pops[pop].rooms[room].cache.memory;
        let board = cache.peek().filter(|copy| !copy.is_old);
        let (held, claims) = (Held::of(ticket).unwrap(), claims(ticket));
        let (Some(board), Some(number)) = (board.and_then(|copy| copy.board), held.number) else {
            return false;
        };
        let groups = ["vip", "front"].map(|name| Lane::read(name).unwrap());
        if groups.contains(&held.lane) || !held.is_waiting || claims["inv"].is_string() {
            return false;
        }
        let place = queue::Place {
            born: held.born,
            position: Position(number),
            came: held.came.map(Position),
        };
        let board = board.of(held.lane);
        matches!(TicketState::of(place, &board), TicketState::Placed(position) if position.0 > board.cursor_for(position).0)
    }

    /// A renewal that the store may hear of in another order than it was made.
    fn doubts(&self, heard: &Heard) {
        if heard.is_renewed {
            let until = self.now_ms / 60_000 + 5;
            let mut truth = self.truth[heard.room].borrow_mut();
            truth.doubts(until);
        }
    }

    fn note_renewal(&mut self, at: usize, pop: usize, heard: &Heard) {
        if !heard.is_renewed {
            return;
        }
        let place = self.place(at, heard.room);
        let is_here = std::mem::replace(&mut place.renewed_in, pop) == pop;
        if !is_here || place.visitor.is_excused || heard.luck.cache != CacheFault::Sound {
            self.doubts(heard);
        }
    }

    fn keeps_its_promises(&mut self, at: usize, pop: usize, ticket: Option<&str>, heard: &Heard) {
        let (brought, given) = (ticket.and_then(Held::of), heard.got.ticket());
        let given = given.as_deref().and_then(Held::of);
        let is_json = heard.got.header("content-type").contains("json");
        let ahead = is_json.then(|| heard.got.json()["ahead"].as_u64());
        let here = &self.pops[pop].rooms[heard.room];
        let (copy, generation) = (here.cache.memory.last_board(), here.generation);
        let answer = Answered {
            brought: brought.as_ref(),
            given: given.as_ref(),
            ahead: ahead.flatten(),
            is_inside: heard.got.inside,
            is_waiting: matches!(
                heard.reason,
                Reason::Waiting | Reason::Held | Reason::Closed | Reason::Provisional
            ),
            pop: (pop, generation),
            copy: copy.as_ref(),
            surely_inside_ms: SURELY_INSIDE_MS,
            now_ms: self.now_ms,
        };
        self.place(at, heard.room);
        let place = self.people[at].places.get_mut(&heard.room).unwrap();
        let mut truth = self.truth[heard.room].borrow_mut();
        truth.answered(&mut place.visitor, &answer).unwrap();
    }
}
