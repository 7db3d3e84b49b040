//! How well the slots are used, by visitors of whom some do not come and others come late.

use super::*;
use now_serving::cache::outbox::Batch;
use now_serving::queue::{Claim, Cursor, Place, Position, Reason, WaitingProof};
use now_serving::store::MayDraw;

/// What a called visitor does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Plan {
    Comes,
    /// After the slot has been given back.
    Late,
    Never,
}

struct Guest {
    client: Client,
    plan: Plan,
    /// When the first request after the turn was made, and when one was let in.
    came_ms: Option<u64>,
    in_ms: Option<u64>,
    leaves_ms: u64,
}

struct Sale {
    world: World,
    dice: Dice,
    guests: Vec<Guest>,
    /// Who asks when.
    agenda: BTreeMap<u64, Vec<usize>>,
    called: usize,
    /// The sums of what was inside, by the store and in truth, and of how many seconds.
    used: (u64, u64, u64),
    most: u64,
}

impl Sale {
    const CAP: u64 = 200;

    /// `late` and `never` in a hundred.
    fn new(guests: u64, late: u64, never: u64) -> Self {
        let settings = [
            ("automatic", "5"),
            ("automatic_quantity", "50"),
            ("total_active", "200"),
            ("session_minutes", "5"),
        ];
        let mut sale = Self {
            world: World::embedded(&[0, 45, -45], &settings),
            dice: Dice(7),
            guests: Vec::new(),
            agenda: BTreeMap::new(),
            called: 0,
            used: (0, 0, 0),
            most: 0,
        };
        sale.world.mode(Mode::Hold);
        for number in 0..guests {
            let mut client = Client::new(sale.dice.index(3), number);
            sale.world.visit(&mut client);
            let plan = match sale.dice.roll(100) {
                roll if roll < never => Plan::Never,
                roll if roll < never + late => Plan::Late,
                _ => Plan::Comes,
            };
            sale.guests.push(Guest {
                client,
                plan,
                came_ms: None,
                in_ms: None,
                leaves_ms: 0,
            });
        }
        sale.guests.sort_by_key(|guest| guest.client.number());
        sale.world.mode(Mode::Automatic);
        sale
    }

    fn second(&mut self) {
        self.world.wait(1_000);
        let now = self.world.now_ms.get();
        let cursor = self.world.sign().cursor();
        while self.called < self.guests.len()
            && self.guests[self.called].client.number() <= Some(cursor.0)
        {
            let delay_s = match self.guests[self.called].plan {
                Plan::Comes => Some(self.dice.between(1, 20)),
                Plan::Late => Some(self.dice.between(70, 600)),
                Plan::Never => None,
            };
            if let Some(delay_s) = delay_s {
                let due = self.agenda.entry(now + delay_s * 1_000).or_default();
                due.push(self.called);
            }
            self.called += 1;
        }
        while let Some(due) = self.agenda.first_entry().filter(|due| *due.key() <= now) {
            for guest in due.remove() {
                self.visit(guest);
            }
        }
        let inside = self.world.sessions().inside();
        let truth = self.world.truth.borrow().inside(self.world.minute());
        self.used = (self.used.0 + inside, self.used.1 + truth, self.used.2 + 1);
        self.most = self.most.max(truth);
    }

    fn visit(&mut self, which: usize) {
        let now = self.world.now_ms.get();
        // Some renewals are told late.
        let fate = if self.dice.is_one_in(50) {
            Fate::AnswerLost
        } else {
            Fate::Answered
        };
        let guest = &mut self.guests[which];
        guest.came_ms.get_or_insert(now);
        let got = self.world.visit_once(&mut guest.client, fate);
        let next_s = if got.inside {
            if guest.in_ms.is_none() {
                guest.in_ms = Some(now);
                guest.leaves_ms = now + self.dice.between(60, 900) * 1_000;
            }
            self.dice.between(15, 120)
        } else {
            self.dice.between(5, 20)
        };
        if guest.in_ms.is_none() || now < guest.leaves_ms {
            let due = self.agenda.entry(now + next_s * 1_000).or_default();
            due.push(which);
        }
    }

    /// How long visitors of a plan asked until they were in, in seconds, in order.
    fn asked_for(&self, plan: Plan) -> Vec<u64> {
        let now = self.world.now_ms.get();
        let guests = self.guests.iter().filter(|guest| guest.plan == plan);
        let mut times: Vec<u64> = guests
            .filter_map(|guest| Some((guest.in_ms.unwrap_or(now) - guest.came_ms?) / 1_000))
            .collect();
        times.sort_unstable();
        times
    }

    /// The shares of the cap that were used, in per mille, by the store and in truth.
    fn shares(&self) -> (u64, u64) {
        let (known, truth, seconds) = self.used;
        let share = |sum: u64| sum * 1_000 / (seconds * Self::CAP);
        (share(known), share(truth))
    }
}

fn at(times: &[u64], percent: usize) -> u64 {
    times.get(times.len() * percent / 100).copied().unwrap_or(0)
}

fn sale_of(minutes: u64, (late, never): (u64, u64), guests: u64) -> Sale {
    let mut sale = Sale::new(guests, late, never);
    for _ in 0..300 {
        sale.second();
    }
    println!("first five minutes: {:?} per mille", sale.shares());
    sale.used = (0, 0, 0);
    for _ in 0..minutes * 60 {
        sale.second();
    }
    let [comes, latecomers] = [Plan::Comes, Plan::Late].map(|plan| sale.asked_for(plan));
    println!(
        "{late} % late, {never} % absent: {:?} per mille, {} inside at most, {} called, {} calls",
        sale.shares(),
        sale.most,
        sale.called,
        sale.world.calls.get()
    );
    for (name, times) in [("in time", comes), ("late", latecomers)] {
        println!(
            "asked {name}: p50 {} s, p95 {} s, longest {} s",
            at(&times, 50),
            at(&times, 95),
            at(&times, 99)
        );
    }
    assert!(sale.called < sale.guests.len(), "the line is long");
    sale
}

/// When the line of [`twenty_minutes_at_a_pace`] began.
const BORN_MS: u64 = START_MS - 600_000;

/// A called visitor comes, and gets a slot.
fn comes(world: &World, number: u64) {
    let proof = WaitingProof::of(
        Place {
            born: BORN_MS,
            position: Position(number),
            came: None,
        },
        Cursor(0),
    );
    let id = format!("visitor-{number}");
    let told = world.line(|line| line.look(&id, proof, None, MayDraw::Yes, &[]));
    let claim = told.unwrap().claim;
    assert!(matches!(claim, Some(Claim::Session(_))), "{claim:?}");
}

/// How many come in each minute, where seven of ten called visitors do, and 500 a minute are wanted.
fn twenty_minutes_at_a_pace() -> [u64; 20] {
    let settings = [
        ("automatic", "6"),
        ("automatic_quantity", "50"),
        ("absent_visitors", "on"),
        ("total_active", "20000"),
        ("session_minutes", "2"),
    ];
    let world = World::embedded(&[0], &settings);
    let born = BORN_MS.to_string();
    let drawn = format!("main/{born} drawn");
    let line = harness::kept::begun(&born);
    let words = [&["HSET", "queue:{main}", &drawn, "1000000"], &line[..]].concat();
    world.command(&words);
    let (mut dice, mut called, mut came) = (Dice(5), 0, [0_u64; 20]);
    for (step, number) in (0..20 * 30).zip(1..) {
        world.wait(2_000);
        let mut tally = Tally::default();
        tally.decided(Reason::Waiting);
        let board = world.line(|line| line.release_due(&[])).unwrap();
        for visitor in (called + 1..=board.cursor().0).filter(|_| dice.roll(10) >= 3) {
            comes(&world, visitor);
            tally.decided(Reason::Admitted);
            came[step / 30] += 1;
        }
        called = board.cursor().0;
        let batch = Batch {
            place: 0,
            outbox: "sale".to_owned(),
            number,
            tally,
        };
        world.line(|line| line.release_due(&[batch])).unwrap();
    }
    came
}

mod simulated {
    use super::*;

    #[test]
    fn with_absent_visitors_and_latecomers_nine_tenths_of_the_slots_are_used() {
        let sale = sale_of(10, (15, 30), 800);
        let (known, truth) = sale.shares();
        assert!(
            known >= 900 && truth >= 900,
            "{known} and {truth} per mille"
        );
    }

    #[test]
    fn with_a_cap_and_compensation_as_many_come_as_the_pace_says() {
        let came = twenty_minutes_at_a_pace();
        println!("{came:?} came, minute by minute");
        let mean = came[10..].iter().sum::<u64>() / 10;
        assert!((475..=525).contains(&mean), "{mean} a minute");
    }
}

mod long {
    use super::*;

    #[test]
    fn the_slots_are_used_and_latecomers_go_in_whatever_the_share_of_absent_visitors() {
        for shares in [(15, 30), (0, 0), (60, 0), (5, 60), (30, 30)] {
            let sale = sale_of(60, shares, 4_000);
            let (known, truth) = sale.shares();
            // With more than half of the called visitors absent, more slots are promised in vain.
            let least = if shares.1 > 50 { 800 } else { 900 };
            assert!(
                known >= least && truth >= least,
                "{known} and {truth} per mille with {shares:?}"
            );
        }
    }
}
