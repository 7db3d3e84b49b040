//! Virtual time: what happens next happens, and time goes there.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use now_serving::queue::Answered;
use upstash_local::Fault;

use crate::chance::Chance;
use crate::origin::{Answer, Origin, SICK};
use crate::person::{Habit, Person, Stage, shares};
use crate::progress::Progress;
use crate::record::{Entry, Record, Run};
use crate::scenario::Scenario;
use crate::site::{Browser, Heard, Polls, Site, Target, Watched};

/// What happens to a visitor, or to all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum What {
    /// The browser opens a page of the site.
    Open,
    /// The browser goes where the answer sent it.
    Follow,
    /// The waiting page asks after the place.
    Poll,
    /// The visitor has seen enough.
    Leave,
    /// Something of the scenario's events.
    Event,
    /// The store answers again.
    StoreIsBack,
    /// The origin is well again.
    OriginIsWell,
    /// The edge knows how the origin answered the visitor.
    Answered,
}

/// When, in which order of those at one time, to whom, what.
type Next = Reverse<(u64, u64, usize, What)>;

/// A simulation under way.
struct World<'a> {
    scenario: &'a Scenario,
    site: Site,
    origin: Option<Origin>,
    /// Whether it answers 500 to everybody.
    is_sick: bool,
    /// Answers to visitors that the edge does not know of yet.
    watched: BTreeMap<usize, (Box<Watched>, Answered)>,
    people: Vec<Person>,
    /// How many of them are not gone.
    here: u64,
    next: BinaryHeap<Next>,
    events: u64,
    pops: Vec<f64>,
    /// When the first half of the visitors had come.
    half_ms: u64,
    now_ms: u64,
    record: Record,
}

/// The page of a waiting visitor waits so long at most.
pub const LONGEST_POLL: u64 = 60;
/// How long the page says that the turn has come before it goes in, in milliseconds.
pub const TURN_MS: u64 = 3000;
/// The same where it is in the background.
pub const TURN_IN_BACKGROUND_MS: u64 = 60_000;
/// After how long a ticket is in another browser.
const COPIED_MS: u64 = 20_000;
/// One poll of this many has its estimate remembered.
const ESTIMATES: u32 = 8;

/// Plays a scenario to its end, for visitors who come at these moments.
///
/// # Errors
/// When the product refuses its settings, or what an operator does in it.
pub fn play(scenario: &Scenario, moments: &[u64], polls: Polls) -> Result<Run, String> {
    let (run, _) = play_on(Site::new(scenario, polls)?, scenario, moments)?;
    Ok(run)
}

/// The same on this site, which is given back as it is then.
///
/// # Errors
/// When the product refuses what an operator does in the scenario.
pub fn play_on(site: Site, scenario: &Scenario, moments: &[u64]) -> Result<(Run, Site), String> {
    let record = Record::new(scenario, site.pace_a_minute());
    let origin = scenario.origin.as_ref();
    let start_ms = site.start_ms;
    let mut world = World {
        scenario,
        site,
        origin: origin.map(|origin| Origin::new(origin, Chance::new(scenario.seed, 2_000_000))),
        is_sick: false,
        watched: BTreeMap::new(),
        people: Vec::with_capacity(moments.len()),
        here: 0,
        next: BinaryHeap::new(),
        events: 0,
        pops: shares(scenario.pops),
        half_ms: start_ms + moments.get(moments.len() / 2).copied().unwrap_or_default(),
        now_ms: start_ms,
        record,
    };
    for (index, event) in scenario.events.iter().enumerate() {
        world.plan(start_ms + event.at.ms(), index, What::Event);
    }
    world.run(moments)?;
    let mut run = world.record.finished(&world.site);
    run.counted.report(&world.site.scrape()?)?;
    Ok((run, world.site))
}

impl World<'_> {
    fn run(&mut self, moments: &[u64]) -> Result<(), String> {
        let start_ms = self.site.start_ms;
        let end_ms = start_ms + self.scenario.lasts.ms();
        let mut moments = moments.iter().map(|at| start_ms + at).peekable();
        let mut progress = Progress::new();
        loop {
            let arrival = moments.peek().copied();
            let due = self.next.peek().map(|Reverse((at_ms, ..))| *at_ms);
            let is_over = arrival.is_none() && self.here == 0;
            let Some(at_ms) = arrival.into_iter().chain(due).min().filter(|_| !is_over) else {
                break;
            };
            if at_ms > end_ms {
                break;
            }
            self.go_to(at_ms);
            progress.at((at_ms - start_ms) / 1000, self.here);
            if arrival == Some(at_ms) {
                moments.next();
                self.arrive();
            } else if let Some(Reverse((_, _, whom, what))) = self.next.pop() {
                self.happen(whom, what)?;
            }
            self.keeps_the_rules()?;
        }
        let end_ms = self.now_ms.min(end_ms);
        self.record.close(end_ms - start_ms, &self.site);
        Ok(())
    }

    /// Every invariant holds, after each call of the store and each answer.
    fn keeps_the_rules(&self) -> Result<(), String> {
        let verdict = self.site.histories().verdict();
        verdict.map_err(|broken| {
            let seconds = (self.now_ms - self.site.start_ms) / 1000;
            format!(
                "The product broke its own rules after {seconds} s of seed {}. {broken}",
                self.scenario.seed
            )
        })
    }

    fn go_to(&mut self, at_ms: u64) {
        self.record.pass(at_ms - self.site.start_ms, &self.site);
        self.now_ms = at_ms;
        self.site.go_to(at_ms);
    }

    fn plan(&mut self, at_ms: u64, whom: usize, what: What) {
        self.events += 1;
        self.next.push(Reverse((at_ms, self.events, whom, what)));
    }

    /// Plans something for a visitor after this many milliseconds.
    fn later(&mut self, after_ms: u64, whom: usize, what: What) {
        self.plan(self.now_ms + after_ms, whom, what);
    }

    fn arrive(&mut self) {
        let whom = self.people.len();
        let (seed, habits) = (self.scenario.seed, &self.scenario.visitors);
        let person = Person::new(whom as u64, seed, habits, &self.pops, self.now_ms);
        self.people.push(person);
        self.here += 1;
        self.record.point().arrivals += 1;
        self.open(whom);
    }

    fn happen(&mut self, whom: usize, what: What) -> Result<(), String> {
        match what {
            What::Open => self.open(whom),
            What::Follow => self.follow(whom),
            What::Poll => self.poll(whom),
            What::Leave => self.leave(whom),
            What::Event => return self.event(whom),
            What::StoreIsBack => self.site.set_store_away(None),
            What::OriginIsWell => self.is_sick = false,
            What::Answered => self.is_known(whom),
        }
        Ok(())
    }

    fn event(&mut self, index: usize) -> Result<(), String> {
        let Some(event) = self.scenario.events.get(index) else {
            return Ok(());
        };
        if let Some((verb, fields)) = event.change() {
            self.site.operate(verb, &fields)?;
        }
        if let Some(time) = event.store_away {
            self.site.set_store_away(Some(Fault::Refuse));
            self.later(time.ms(), index, What::StoreIsBack);
        }
        if let Some((origin, times)) = self.origin.as_mut().zip(event.origin_slower) {
            origin.is_slower(times);
        }
        if let Some(time) = event.origin_sick {
            self.is_sick = true;
            self.later(time.ms(), index, What::OriginIsWell);
        }
        Ok(())
    }

    fn person(&mut self, whom: usize) -> &mut Person {
        // Who has something to do was put here by `arrive` or `copy`, and none is taken away.
        #[expect(clippy::indexing_slicing, reason = "an index of this list")]
        &mut self.people[whom]
    }

    fn ask(&mut self, whom: usize, target: Target<'_>) -> Heard {
        let (pop, habit) = (self.person(whom).pop, self.person(whom).habit);
        let cookie = self.person(whom).cookie.clone();
        let browser = Browser {
            pop,
            ticket: cookie.as_deref(),
            network: u32::try_from(whom % 65_000).unwrap_or_default(),
        };
        let mut heard = self.site.ask(target, browser);
        if habit == Habit::Cookieless {
            heard.ticket = None;
        }
        if let Some(cookie) = &heard.ticket {
            // A ticket without a number decides nothing by itself.
            let ticket = heard.position.and_then(|_| self.site.read(cookie));
            let person = self.person(whom);
            person.cookie = Some(cookie.as_str().into());
            person.ticket = ticket.map(Box::new);
        }
        heard
    }

    fn open(&mut self, whom: usize) {
        let person = self.person(whom);
        if person.stage == Stage::Inside {
            let (pop, ticket) = (person.pop, person.ticket.take());
            let goes_on = ticket
                .as_ref()
                .is_some_and(|ticket| self.site.goes_on(ticket, pop));
            self.person(whom).ticket = ticket;
            if goes_on {
                return self.is_answered(whom, None);
            }
        }
        let heard = self.ask(whom, Target::Page);
        self.opened(whom, heard);
    }

    fn follow(&mut self, whom: usize) {
        let location = self.person(whom).location.take();
        let location = location.as_deref().unwrap_or("/");
        let heard = self.ask(whom, Target::Location(location));
        let is_question = location.contains("/cookies?") && heard.status != 303;
        if !is_question {
            return self.opened(whom, heard);
        }
        // A page of the question whether cookies are kept: it asks once more, and then says that none are.
        let next = heard
            .refresh
            .as_deref()
            .and_then(|refresh| refresh.split_once("; url="));
        match next {
            Some((seconds, url)) => {
                self.person(whom).location = Some(url.into());
                self.later(seconds.parse().unwrap_or(1) * 1000, whom, What::Follow);
            }
            None => self.is_gone(whom),
        }
    }

    /// What a browser does with an answer to a page.
    fn opened(&mut self, whom: usize, heard: Heard) {
        if heard.is_forwarded {
            return self.enter(whom, heard);
        }
        let trip_ms = self.scenario.edge.trip.ms();
        if heard.status == 303 {
            self.person(whom).location = heard.location.map(Into::into);
            return self.later(trip_ms, whom, What::Follow);
        }
        if self.person(whom).stage == Stage::Inside {
            self.record.put_back();
            self.person(whom).came_ms = self.now_ms;
        }
        self.person(whom).stage = Stage::Outside;
        let seconds = heard.retry_after.unwrap_or(LONGEST_POLL);
        if self.is_numbered(whom, heard.position) {
            return self.has_drawn(whom, seconds);
        }
        self.wait_for(whom, seconds);
    }

    /// Whether this answer is the first with a number, or with another one. An event by lot gives another without a draw.
    fn is_numbered(&mut self, whom: usize, position: Option<u64>) -> bool {
        let may_be_moved = self.scenario.has_event();
        let person = self.person(whom);
        let is_new = position.is_some() && person.position != position;
        let is_moved = may_be_moved && person.position.is_some();
        if is_new {
            person.position = position;
        }
        if is_new && !is_moved {
            let now_ms = self.now_ms;
            let person = self.person(whom);
            let drawn = person.ticket.as_ref().and_then(|ticket| ticket.drawn);
            person.drawn = Some((now_ms, drawn.and_then(|drawn| drawn.estimate)));
            let is_copy = person.habit == Habit::Copy;
            let before = self.record.last_number();
            self.record
                .drew(position.unwrap_or_default(), before, is_copy);
        }
        is_new
    }

    /// The page with the number is there, for the first time.
    fn has_drawn(&mut self, whom: usize, seconds: u64) {
        if std::mem::take(&mut self.person(whom).copies) {
            let (pops, now_ms) = (self.scenario.pops, self.now_ms);
            let copy = self.person(whom).copy(pops, now_ms);
            let copied = self.people.len();
            self.people.push(copy);
            self.here += 1;
            self.later(COPIED_MS, copied, What::Open);
        }
        self.record.waits();
        match self.person(whom).habit {
            Habit::Absent => self.is_gone(whom),
            Habit::Asleep(ms) => self.later(ms, whom, What::Poll),
            Habit::Late(ms) => self.later(ms, whom, What::Open),
            _ => self.wait_for(whom, seconds),
        }
    }

    /// The page plans its next poll, as its script does.
    fn wait_for(&mut self, whom: usize, seconds: u64) {
        let seconds = match self.person(whom).habit {
            Habit::Background => (2 * seconds).max(30),
            _ => seconds,
        };
        self.later(seconds.min(LONGEST_POLL) * 1000, whom, What::Poll);
    }

    fn poll(&mut self, whom: usize) {
        let now_ms = self.now_ms;
        let person = self.person(whom);
        if now_ms >= person.gives_up_ms {
            self.record.point().left += 1;
            return self.is_gone(whom);
        }
        person.polls += 1;
        let (pop, position, is_noted) = (
            person.pop,
            person.position,
            person.polls.is_multiple_of(ESTIMATES),
        );
        let ticket = person.ticket.take();
        if is_noted && let Some(position) = position {
            let estimate = self.site.estimate(position, pop);
            let shown = estimate.map(|estimate| (now_ms, estimate));
            let [early, late] = &mut self.person(whom).shown;
            *early = early.or(shown);
            *late = shown;
        }
        let reckoned = ticket
            .as_ref()
            .and_then(|ticket| self.site.poll(ticket, pop));
        self.person(whom).ticket = ticket;
        match reckoned {
            Some(poll) => self.wait_for(whom, poll.refresh),
            None => self.poll_whole(whom),
        }
    }

    fn poll_whole(&mut self, whom: usize) {
        let heard = self.ask(whom, Target::Place);
        let place = &heard.place;
        let told = place["position"].as_u64();
        // While the lot is awaited the page shows no number.
        let is_hidden = told.is_none() && self.scenario.has_event();
        let is_new = !is_hidden && told != self.person(whom).position;
        if place["waiting"] == false {
            return self.called(whom);
        }
        if is_new || place["ticket"].is_string() {
            return self.later(self.scenario.edge.trip.ms(), whom, What::Open);
        }
        self.wait_for(
            whom,
            place["refresh_seconds"].as_u64().unwrap_or(LONGEST_POLL),
        );
    }

    fn called(&mut self, whom: usize) {
        let now_ms = self.now_ms;
        let person = self.person(whom);
        person.stage = Stage::Called;
        let pause = match person.habit {
            Habit::Background => TURN_IN_BACKGROUND_MS,
            _ => TURN_MS,
        };
        let shown = std::mem::take(&mut person.shown);
        let is_steady = person.habit == Habit::Steady;
        for (at_ms, estimate) in shown.into_iter().flatten().filter(|_| is_steady) {
            self.record.estimated(estimate, (now_ms - at_ms) / 1000);
        }
        self.later(pause, whom, What::Open);
    }

    fn enter(&mut self, whom: usize, heard: Heard) {
        let (now_ms, pages, half_ms) = (self.now_ms, self.scenario.visitors.pages, self.half_ms);
        self.is_numbered(whom, heard.position);
        let person = self.person(whom);
        if person.stage != Stage::Inside {
            person.stage = Stage::Inside;
            person.pages = pages;
            let entry = Entry {
                waited_ms: now_ms - person.came_ms,
                position: person.position,
                is_early: person.came_ms < half_ms,
                habit: person.habit,
                reason: heard.reason,
            };
            let drawn = person.drawn;
            self.record.entered(entry, &self.site);
            let (drew_ms, estimate) = drawn.unwrap_or((now_ms, None));
            self.record.waited((now_ms - drew_ms) / 1000, estimate);
        }
        self.is_answered(whom, heard.watched);
    }

    /// The origin answers a page, and the visitor reads it.
    fn is_answered(&mut self, whom: usize, watched: Option<Box<Watched>>) {
        let answer = self.answer_of_origin();
        if let Some(watched) = watched {
            let (after_ms, answered) = watched.heard(answer);
            self.watched.insert(whom, (watched, answered));
            self.later(after_ms, whom, What::Answered);
        }
        self.record.answered(answer);
        let person = self.person(whom);
        person.pages = person.pages.saturating_sub(1);
        let after_ms = answer.after_ms + person.between_ms;
        let what = if person.pages == 0 {
            What::Leave
        } else {
            What::Open
        };
        self.later(after_ms, whom, what);
    }

    fn answer_of_origin(&mut self) -> Answer {
        let now_ms = self.now_ms;
        match &mut self.origin {
            _ if self.is_sick => SICK,
            Some(origin) => origin.ask(now_ms),
            None => Answer {
                after_ms: 0,
                status: 200,
            },
        }
    }

    /// The edge hears how the origin answered this visitor.
    fn is_known(&mut self, whom: usize) {
        if let Some((watched, answered)) = self.watched.remove(&whom) {
            self.site.is_answered(&watched, answered);
        }
    }

    fn leave(&mut self, whom: usize) {
        self.record.left_inside();
        self.is_gone(whom);
    }

    fn is_gone(&mut self, whom: usize) {
        let person = self.person(whom);
        person.stage = Stage::Gone;
        person.cookie = None;
        person.ticket = None;
        self.here -= 1;
    }
}
