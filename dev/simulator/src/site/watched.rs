//! What the edge does once the origin has answered a request that it watches, after some virtual time.

use now_serving::cache::outbox::Tally;
use now_serving::http::{Answer, Call, Watch};
use now_serving::queue::chance::{Chance, Rule};
use now_serving::queue::{Answered, AnsweredTo, Now, OriginHealth};
use virtual_edge::{Turned, id_of};

use super::Site;
use crate::origin;

/// A request whose answer is watched.
#[derive(Debug)]
pub struct Watched {
    call: Call,
    pop: usize,
    watch: Watch,
    /// As whose answer the store hears of it.
    to: AnsweredTo,
    /// Whether there was no fresh copy of the board.
    looks: bool,
}

impl Watched {
    pub(super) fn of(turned: &Turned, call: &Call, pop: usize) -> Option<Box<Self>> {
        let Answer::Forward(forward) = &turned.answer else {
            return None;
        };
        let watch = forward.watch?;
        Some(Box::new(Self {
            call: call.clone(),
            pop,
            watch,
            to: watch.told?,
            looks: turned.left,
        }))
    }

    /// After how many milliseconds the edge knows how the origin answered, and how that was.
    #[must_use]
    pub fn heard(&self, answer: origin::Answer) -> (u64, Answered) {
        virtual_edge::watched(&self.watch, answer.after_ms, answer.status)
    }
}

impl Site {
    /// The origin has answered, or is late: the next refresh of the POP takes that to the store, and soon where it was not well.
    pub fn is_answered(&mut self, watched: &Watched, answered: Answered) {
        let cache = self.cache_now(watched.pop);
        let is_news = self.turn(&watched.call, &cache).is_news(watched.to);
        if is_news {
            let mut news = Tally::default();
            news.watched(watched.to, answered, Now::from_ms(self.now_ms));
            cache.memory.put_by(&news);
        }
        if watched.looks || is_news && answered != Answered::Ok {
            self.look(&watched.call, &cache, watched.pop);
        }
    }

    /// Whether the next request, of a visitor inside, is among those that are watched.
    pub(super) fn next_is_sampled(&self) -> bool {
        let room = &self.config.rooms.first;
        let many = room.health.watch_documents;
        let chance = Chance::of(&id_of(self.requests + 1));
        room.health.setting != OriginHealth::Off
            && many > 0
            && chance.between(Rule::Watch, 1, many) == 1
    }
}
