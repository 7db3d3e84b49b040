//! One visitor in real time, who does what the simulator's visitors do (`dev/simulator/src/world.rs`).

use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use now_serving::queue::Reason;
use serde_json::Value;
use simulator::origin::Answer;
use simulator::person::{Habit, Person, Stage};
use simulator::record::Entry;
use simulator::world::{LONGEST_POLL, TURN_IN_BACKGROUND_MS, TURN_MS};

use super::site::{Ask, Heard, Kind};
use super::world::World;

/// After how many milliseconds a visitor tries again where no answer came.
const AGAIN_MS: u64 = 5000;
/// The cookie of the ticket on a server without TLS.
const COOKIE: &str = "queue";

/// What a visitor does next, after this many milliseconds.
type Next = Option<(u64, Step)>;

enum Step {
    /// Opens a page of the site.
    Open,
    /// Goes where the answer said.
    Follow(String),
    /// The waiting page asks after the place.
    Poll,
    /// Has seen enough.
    Leave,
}

/// What a page that was asked for turned out to be.
enum Opened {
    /// An answer of the room, or none; and whether it is the first one with this number.
    Room(Option<Heard>, Numbered),
    /// The origin's.
    Origin(Answer),
}

/// What an answer says of the visitor's number.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Numbered {
    ForTheFirstTime,
    AsBefore,
}

/// A visitor.
pub(super) struct Visitor {
    pub(super) number: usize,
    pub(super) person: Person,
    /// The largest number there was when the visitor came: a draw whose answer is lost is repeated, and gives the same number.
    pub(super) before: u64,
    pub(super) world: Arc<World>,
}

impl Visitor {
    /// From the first page to the last.
    pub(super) async fn visit(mut self) {
        let mut next = Some((0, Step::Open));
        while let Some((after_ms, step)) = next {
            tokio::time::sleep(Duration::from_millis(after_ms)).await;
            next = match step {
                Step::Open => match self.open("/").await {
                    Opened::Origin(answer) => Some(self.is_answered(answer)),
                    Opened::Room(heard, numbered) => self.is_told(heard, numbered),
                },
                Step::Follow(location) => self.follow(&location).await,
                Step::Poll => self.poll().await,
                Step::Leave => {
                    self.world.record().left_inside();
                    None
                }
            };
        }
    }

    fn ask(&self, kind: Kind, target: &str) -> Ask {
        let cookie = self.person.cookie.as_deref();
        Ask {
            kind,
            pop: self.person.pop,
            visitor: self.number,
            target: target.to_owned(),
            cookie: cookie.map(|ticket| format!("{COOKIE}={ticket}")),
        }
    }

    /// Asks for a page, and is inside as soon as the request is at the origin.
    async fn open(&mut self, target: &str) -> Opened {
        let world = Arc::clone(&self.world);
        let reached = world.site.origin.awaits(self.number);
        let mut heard = pin!(world.site.ask(self.ask(Kind::Page, target)));
        let position = tokio::select! {
            biased;
            Ok(position) = reached => position,
            heard = &mut heard => {
                let position = heard.as_ref().and_then(|heard| self.keep(heard));
                let numbered = self.is_numbered(position);
                return Opened::Room(heard, numbered);
            }
        };
        self.enter(position);
        let since = Instant::now();
        let heard = heard.await;
        let _ = heard.as_ref().map(|heard| self.keep(heard));
        Opened::Origin(Answer {
            after_ms: u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX),
            status: heard.map_or(502, |heard| heard.status),
        })
    }

    async fn follow(&mut self, location: &str) -> Next {
        let (heard, numbered) = match self.open(location).await {
            Opened::Origin(answer) => return Some(self.is_answered(answer)),
            Opened::Room(heard, numbered) => (heard, numbered),
        };
        let is_question = location.contains("/cookies?");
        let Some(page) = heard
            .as_ref()
            .filter(|heard| is_question && heard.status != 303)
        else {
            return self.is_told(heard, numbered);
        };
        // A page of the question whether cookies are kept: it asks once more, and then says that none are.
        let refresh = page.header("refresh")?;
        let (seconds, url) = refresh.split_once("; url=")?;
        let seconds: u64 = seconds.parse().unwrap_or(1);
        Some((seconds * 1000, Step::Follow(url.to_owned())))
    }

    /// What a browser does with a page of the room.
    fn is_told(&mut self, heard: Option<Heard>, numbered: Numbered) -> Next {
        let Some(heard) = heard else {
            self.world.had_no_answer();
            return Some((AGAIN_MS, Step::Open));
        };
        if heard.status == 303 {
            let location = heard.header("location").unwrap_or("/").to_owned();
            let trip_ms = self.world.scenario.edge.trip.ms();
            return Some((trip_ms, Step::Follow(location)));
        }
        if self.person.stage == Stage::Inside {
            self.world.record().put_back();
            self.person.came_ms = self.world.now_ms();
        }
        let seconds = heard.header("retry-after");
        let seconds = seconds.and_then(|seconds| seconds.parse().ok());
        let seconds = seconds.unwrap_or(LONGEST_POLL);
        self.person.stage = Stage::Outside;
        match numbered {
            Numbered::ForTheFirstTime => self.has_drawn(seconds),
            Numbered::AsBefore => Some(self.wait_for(seconds)),
        }
    }

    /// The page with the number is there, for the first time.
    fn has_drawn(&mut self, seconds: u64) -> Next {
        self.world.record().waits();
        match self.person.habit {
            Habit::Absent => None,
            Habit::Asleep(ms) => Some((ms, Step::Poll)),
            Habit::Late(ms) => Some((ms, Step::Open)),
            _ => Some(self.wait_for(seconds)),
        }
    }

    /// The page plans its next poll, as its script does.
    fn wait_for(&self, seconds: u64) -> (u64, Step) {
        let seconds = match self.person.habit {
            Habit::Background => (2 * seconds).max(30),
            _ => seconds,
        };
        (seconds.min(LONGEST_POLL) * 1000, Step::Poll)
    }

    async fn poll(&mut self) -> Next {
        if self.world.now_ms() >= self.person.gives_up_ms {
            self.world.record().point().left += 1;
            return None;
        }
        self.person.polls += 1;
        let ask = self.ask(Kind::Place, &self.world.site.place());
        let heard = self.world.site.ask(ask).await;
        let Some(heard) = heard else {
            self.world.had_no_answer();
            return Some((AGAIN_MS, Step::Poll));
        };
        self.keep(&heard);
        let place = heard.json();
        if place.get("waiting") == Some(&Value::Bool(false)) {
            self.person.stage = Stage::Called;
            let pause_ms = match self.person.habit {
                Habit::Background => TURN_IN_BACKGROUND_MS,
                _ => TURN_MS,
            };
            return Some((pause_ms, Step::Open));
        }
        let number = |name: &str| place.get(name).and_then(Value::as_u64);
        if number("position") != self.person.position
            || place.get("ticket").is_some_and(Value::is_string)
        {
            return Some((self.world.scenario.edge.trip.ms(), Step::Open));
        }
        let seconds = number("refresh_seconds").unwrap_or(LONGEST_POLL);
        Some(self.wait_for(seconds))
    }

    /// Keeps the ticket of an answer. The number on the ticket that the visitor has then.
    fn keep(&mut self, heard: &Heard) -> Option<u64> {
        let Some(ticket) = heard.cookie(COOKIE) else {
            return position(self.person.cookie.as_deref()?);
        };
        if self.person.habit != Habit::Cookieless {
            self.person.cookie = Some(ticket.into());
        }
        position(ticket)
    }

    fn is_numbered(&mut self, position: Option<u64>) -> Numbered {
        let Some(number) = position.filter(|_| self.person.position != position) else {
            return Numbered::AsBefore;
        };
        self.person.position = position;
        self.world.record().drew(number, self.before, false);
        Numbered::ForTheFirstTime
    }

    fn enter(&mut self, position: Option<u64>) {
        self.is_numbered(position);
        if self.person.stage == Stage::Inside {
            return;
        }
        self.person.stage = Stage::Inside;
        self.person.pages = self.world.scenario.visitors.pages;
        let entry = Entry {
            waited_ms: self.world.now_ms() - self.person.came_ms,
            position: self.person.position,
            // Noted for an event, which no real run has.
            is_early: false,
            habit: self.person.habit,
            reason: Reason::Admitted,
        };
        self.world.record().entered(entry, &self.world.site);
    }

    /// The origin answered a page, and the visitor reads it.
    fn is_answered(&mut self, answer: Answer) -> (u64, Step) {
        self.world.record().answered(answer);
        self.person.pages = self.person.pages.saturating_sub(1);
        let step = match self.person.pages {
            0 => Step::Leave,
            _ => Step::Open,
        };
        (self.person.between_ms, step)
    }
}

/// The number on a ticket, once it has one.
fn position(ticket: &str) -> Option<u64> {
    let claims = URL_SAFE_NO_PAD.decode(ticket.split('.').nth(1)?).ok()?;
    let claims: Value = serde_json::from_slice(&claims).ok()?;
    claims.get("pos")?.as_u64()
}
