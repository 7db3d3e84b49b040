//! Random visitors, and everything that can go wrong between them, their POP and the store.

use super::*;

/// The cap of these lines.
const CAP: &str = "20";
const MOST_CLIENTS: usize = 90;

/// What a client does with the cookies of its answers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cookies {
    Kept,
    /// Once inside it ignores them.
    Ignored,
}

struct Person {
    client: Client,
    cookies: Cookies,
    inside: bool,
    away_until_ms: u64,
}

/// What makes the count of sessions inexact.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Trouble {
    None,
    /// Visitors go from one data centre to another, which may tell their moves in any order.
    Roaming,
    /// The same, and sandboxes die with what they have counted.
    Losses,
}

struct Crowd {
    world: World,
    dice: Dice,
    people: Vec<Person>,
    trouble: Trouble,
    networks: u64,
    went_in: u64,
    checks: u64,
    exact: u64,
    ended: u64,
    refused: u64,
}

impl Crowd {
    fn new(world: World, trouble: Trouble, seed: u64) -> Self {
        Self {
            world,
            dice: Dice(seed),
            people: Vec::new(),
            trouble,
            networks: 0,
            went_in: 0,
            checks: 0,
            exact: 0,
            ended: 0,
            refused: 0,
        }
    }

    fn settings() -> [(&'static str, &'static str); 5] {
        [
            ("automatic", "5"),
            ("automatic_quantity", "4"),
            ("total_active", CAP),
            ("session_minutes", "3"),
            ("claim_seconds", "30"),
        ]
    }

    fn run(&mut self, events: u64) {
        for event in 0..events {
            let step = match self.dice.roll(200) {
                0 => 20_000,
                1..=9 => 3_000,
                _ => 350,
            };
            self.world.wait(self.dice.between(0, step));
            self.event();
            if event % 500 == 499 {
                self.check();
            }
        }
    }

    fn check(&mut self) {
        self.world.check();
        let slack = self.world.truth.borrow().slack(self.world.minute());
        self.checks += 1;
        self.exact += u64::from(slack == 0);
        let minute = self.world.minute();
        let mut truth = self.world.truth.borrow_mut();
        // What has ended long ago is of no interest.
        truth.ends.retain(|_, end| *end + 10 >= minute);
        truth.lost.retain(|lost| lost.to + 1 >= minute);
        truth.crossed.retain(|from| *from + 1 >= minute);
    }

    fn event(&mut self) {
        match self.dice.roll(40) {
            0..=2 => self.arrival(),
            3 => self.any_person(|dice, person, now| {
                person.away_until_ms = now + dice.between(30_000, 480_000);
            }),
            4 => self.leave(),
            5 if self.trouble != Trouble::None => self.roam(),
            6 => self.copy(),
            7..=8 => self.parallel(),
            10 if self.dice.is_one_in(3) => self.end(),
            9 => self.world.catch_up(),
            _ => self.visit(),
        }
    }

    fn arrival(&mut self) {
        if self.people.len() >= MOST_CLIENTS {
            return self.visit();
        }
        self.networks += 1;
        let pop = self.dice.index(self.world.pops.len());
        let cookies = if self.dice.is_one_in(6) {
            Cookies::Ignored
        } else {
            Cookies::Kept
        };
        self.people.push(Person {
            client: Client::new(pop, self.networks),
            cookies,
            inside: false,
            away_until_ms: 0,
        });
        let last = self.people.len() - 1;
        self.ask(last);
        self.ask(last);
    }

    fn any_person(&mut self, act: impl FnOnce(&mut Dice, &mut Person, u64)) {
        if !self.people.is_empty() {
            let index = self.dice.index(self.people.len());
            act(
                &mut self.dice,
                &mut self.people[index],
                self.world.now_ms.get(),
            );
        }
    }

    fn leave(&mut self) {
        if !self.people.is_empty() {
            let index = self.dice.index(self.people.len());
            self.people.swap_remove(index);
        }
    }

    /// A client that ignores its cookies stays in its POP.
    fn roam(&mut self) {
        let pops = self.world.pops.len();
        self.any_person(|dice, person, _| {
            if person.cookies == Cookies::Kept {
                person.client.pop = dice.index(pops);
            }
        });
    }

    /// A waiting ticket goes to another client, in another network.
    fn copy(&mut self) {
        if self.people.is_empty() || self.people.len() >= MOST_CLIENTS {
            return;
        }
        let index = self.dice.index(self.people.len());
        if self.people[index].inside {
            return;
        }
        self.networks += 1;
        let ticket = self.people[index].client.ticket.clone();
        let pop = self.people[index].client.pop;
        self.people.push(Person {
            client: Client {
                ticket,
                ..Client::new(pop, self.networks)
            },
            cookies: Cookies::Kept,
            inside: false,
            away_until_ms: 0,
        });
    }

    /// The origin ends a session; sometimes of a ticket that another one has replaced.
    fn end(&mut self) {
        let inside: Vec<usize> = (0..self.people.len())
            .filter(|index| self.people[*index].inside)
            .collect();
        if !inside.is_empty() {
            let index = inside[self.dice.index(inside.len())];
            let client = &self.people[index].client;
            if self.trouble != Trouble::None || self.world.is_of_its_end(client) {
                self.world.end(client);
                if self.trouble == Trouble::None {
                    self.world.flush_all();
                }
                self.ended += 1;
            }
        }
    }

    fn visit(&mut self) {
        if self.people.is_empty() {
            return;
        }
        let index = self.dice.index(self.people.len());
        if self.people[index].away_until_ms <= self.world.now_ms.get() {
            self.ask(index);
        }
    }

    /// Several requests with the same ticket; the browser keeps what the last one brings.
    fn parallel(&mut self) {
        if self.people.is_empty() {
            return;
        }
        let index = self.dice.index(self.people.len());
        let before = self.people[index].client.ticket.clone();
        for _ in 0..self.dice.between(1, 2) {
            self.ask(index);
            self.people[index].client.ticket.clone_from(&before);
        }
        self.ask(index);
    }

    fn fate(&mut self) -> Fate {
        match self.dice.roll(100) {
            0..=2 => Fate::AnswerLost,
            3 => Fate::Late,
            4 => Fate::Twice,
            _ => Fate::Answered,
        }
    }

    fn ask(&mut self, index: usize) {
        let fate = self.fate();
        let dies = self.trouble == Trouble::Losses && self.dice.is_one_in(40);
        let person = &mut self.people[index];
        let (world, client) = (&self.world, &person.client);
        let is_refused = world.knows_ended(client);
        let (got, tally, renewal) = world.request(client, fate);
        // It may draw anew, and go straight in.
        let drawn = got
            .ticket()
            .and_then(|ticket| claims(&ticket).get("sub").cloned());
        let is_another = drawn.is_some() && drawn != client.claim("sub");
        assert!(
            !is_refused || !got.inside || is_another,
            "its session was ended"
        );
        self.refused += u64::from(is_refused);
        if let Some(renewal) = renewal {
            self.went_in += 1;
            self.world
                .note_crossing(&self.people[index].client, renewal);
            self.world.note(&self.people[index].client, renewal);
        }
        let person = &mut self.people[index];
        if dies {
            self.world.truth.borrow_mut().lost.extend(renewal);
        } else {
            self.world.pops[person.client.pop].cache.put_by(&tally);
        }
        person.inside = got.inside;
        let keeps = person.cookies == Cookies::Kept || !person.inside || renewal.is_none();
        if let Some(ticket) = got.ticket().filter(|_| keeps) {
            person.client.ticket = Some(ticket);
        }
    }
}

fn play(world: World, trouble: Trouble, seed: u64, events: u64) {
    let mut crowd = Crowd::new(world, trouble, seed);
    crowd.run(events);
    println!(
        "{events} events, {} calls, {} renewals, {} of {} checks exact, {} numbers claimed, {} ended and {} refused",
        crowd.world.calls.get(),
        crowd.went_in,
        crowd.exact,
        crowd.checks,
        crowd.world.truth.borrow().numbers.len(),
        crowd.ended,
        crowd.refused
    );
    assert!(crowd.refused > 0, "ended tickets come back");
    assert!(
        crowd.world.truth.borrow().numbers.len() as u64 > events / 200,
        "they go in"
    );
    assert!(trouble != Trouble::None || crowd.exact == crowd.checks);
    // A session later nothing is wrong any more.
    crowd.world.wait(5 * MINUTE_MS);
    crowd.people.clear();
    crowd.world.check();
}

mod native {
    use super::*;

    #[test]
    fn the_store_knows_who_is_inside_after_a_few_events() {
        for trouble in [Trouble::None, Trouble::Roaming, Trouble::Losses] {
            let world = World::embedded(&[0, 60, -60], &Crowd::settings());
            play(world, trouble, 5, 1_000);
        }
    }
}

mod simulated {
    use super::*;

    #[test]
    fn the_store_knows_exactly_who_is_inside_whatever_clocks_say() {
        let world = World::embedded(&[0, 60, -60], &Crowd::settings());
        play(world, Trouble::None, 1, 5_000);
    }

    #[test]
    fn a_visitor_who_roams_holds_one_place_more_at_most() {
        let world = World::embedded(&[0, 60, -60], &Crowd::settings());
        play(world, Trouble::Roaming, 2, 5_000);
    }

    #[test]
    fn the_count_is_off_by_no_more_than_what_was_lost_and_heals_within_a_session() {
        let world = World::embedded(&[0, 60, -60], &Crowd::settings());
        play(world, Trouble::Losses, 3, 5_000);
    }
}

mod redis {
    use super::*;

    #[test]
    fn redis_knows_exactly_who_is_inside() {
        let world = World::redis(&[0, 60, -60], &Crowd::settings());
        play(world, Trouble::None, 4, 10_000);
    }
}

mod long {
    use super::*;

    #[test]
    fn half_a_million_events_leave_the_embedded_store_exact() {
        let world = World::embedded(&[0, 60, -60], &Crowd::settings());
        play(world, Trouble::None, 11, 500_000);
    }

    #[test]
    fn half_a_million_events_with_losses_leave_the_embedded_store_right() {
        let world = World::embedded(&[0, 60, -60], &Crowd::settings());
        play(world, Trouble::Losses, 12, 500_000);
    }

    #[test]
    fn a_hundred_thousand_events_leave_redis_right() {
        let world = World::redis(&[0, 60, -60], &Crowd::settings());
        play(world, Trouble::Losses, 13, 100_000);
    }
}
