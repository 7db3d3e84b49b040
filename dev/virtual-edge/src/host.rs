//! What a host does for one request, without a platform: what the visitor was answered, what was counted, and what the origin said.

use std::cell::{Cell, RefCell, RefMut};

use now_serving::cache::outbox::Tally;
use now_serving::config::Query;
use now_serving::http::{Answer, Call, Forward, OnBad, Reply, Watch};
use now_serving::queue::Answered;
use now_serving::request::Request;
use now_serving::service::{Delivery, Forwarded, Host};
use now_serving::telemetry::log::RequestFacts;

/// The origin behind the room.
#[derive(Clone, Copy, Default)]
pub enum Origin<'a> {
    /// Its answers are not looked at.
    #[default]
    Unseen,
    /// It answers so, after that many milliseconds, to a request whose answer is watched.
    Answers(&'a dyn Fn() -> (u64, u16)),
    /// It answers after some virtual time. What could wait until the visitor had been answered waits until then.
    Later,
}

/// Where the lines of the log go, and what the platform knows about a request.
#[derive(Clone, Copy)]
pub struct Log<'a> {
    /// What is known, for each line.
    pub facts: &'a dyn Fn(&Call, Query) -> RequestFacts,
    /// Takes a line.
    pub write: &'a dyn Fn(&str),
}

/// What does something later, for a request.
pub(crate) type Later<'a> = dyn Fn(&Request<'_>, &mut dyn FnMut(&Request<'_>)) + 'a;

/// The host of one request.
#[derive(Default)]
pub struct VirtualHost<'a> {
    pub(crate) origin: Origin<'a>,
    pub(crate) log: Option<Log<'a>>,
    pub(crate) tally: RefCell<Tally>,
    /// What the visitor got last: the origin's answer, or one of ours.
    pub(crate) answer: Option<Answer>,
    /// Happens once the visitor has been answered.
    pub(crate) between: Option<&'a dyn Fn()>,
    /// Does what could wait.
    pub(crate) later: Option<&'a Later<'a>>,
    /// Whether something waits until the origin has answered.
    pub(crate) left: Cell<bool>,
    pub(crate) awaits_origin: bool,
}

impl<'a> VirtualHost<'a> {
    /// A host with this log.
    #[must_use]
    pub fn logging(log: Log<'a>) -> Self {
        Self {
            log: Some(log),
            ..Self::default()
        }
    }

    /// What the visitor got, and what was counted.
    #[must_use]
    pub fn ended(self) -> (Option<Answer>, Tally) {
        (self.answer, self.tally.into_inner())
    }
}

impl VirtualHost<'_> {
    fn answers(&mut self, answer: Answer) {
        let before = self.answer.replace(answer);
        if let (None, Some(between)) = (before, self.between) {
            between();
        }
    }
}

impl Host for VirtualHost<'_> {
    fn send(&mut self, reply: Reply) -> u16 {
        let status = reply.status;
        self.answers(Answer::Reply(reply));
        status
    }

    fn forward(&mut self, forward: &Forward, _: &Call, _: &dyn Fn() -> Reply) -> Forwarded {
        self.answers(Answer::Forward(forward.clone()));
        let Some(watch) = forward.watch else {
            return Forwarded::default();
        };
        match self.origin {
            Origin::Unseen => Forwarded::default(),
            Origin::Answers(answer) => {
                let (after_ms, status) = answer();
                let (_, answered) = watched(&watch, after_ms, status);
                let is_kept = answered == Answered::Bad && watch.on_bad == OnBad::KeepPlace;
                Forwarded {
                    status: None,
                    answered: Some(answered),
                    end: if is_kept {
                        Delivery::Withheld
                    } else {
                        Delivery::Delivered
                    },
                }
            }
            Origin::Later => {
                self.awaits_origin = watch.told.is_some();
                Forwarded::default()
            }
        }
    }

    fn tally(&self) -> RefMut<'_, Tally> {
        self.tally.borrow_mut()
    }

    fn facts(&self, call: &Call, query: Query) -> Option<RequestFacts> {
        self.log.map(|log| (log.facts)(call, query))
    }

    fn log(&self, line: &str) {
        if let Some(log) = self.log {
            (log.write)(line);
        }
    }

    fn later(&self, request: &Request<'_>, work: &mut dyn FnMut(&Request<'_>)) {
        if self.awaits_origin {
            self.left.set(true);
        } else if let Some(later) = self.later {
            later(request, work);
        }
    }
}

/// After how many milliseconds the edge knows how the origin answered, and how that was. It waits until the answer is late.
#[must_use]
pub fn watched(watch: &Watch, after_ms: u64, status: u16) -> (u64, Answered) {
    if after_ms > watch.slow_ms {
        return (watch.slow_ms.saturating_add(1), Answered::Late);
    }
    let answered = Answered::of(Some(status), after_ms, watch.slow_ms);
    (after_ms, answered)
}

#[cfg(test)]
mod tests {
    use super::*;
    use now_serving::queue::AnsweredTo;

    #[test]
    fn it_waits_for_an_answer_until_it_is_late() {
        let watch = Watch {
            slow_ms: 1000,
            told: Some(AnsweredTo::Inside),
            on_bad: OnBad::Deliver,
        };
        let heard = |after_ms, status| watched(&watch, after_ms, status);
        assert_eq!(heard(80, 200), (80, Answered::Ok));
        assert_eq!(heard(1000, 499), (1000, Answered::Ok));
        assert_eq!(heard(5, 500), (5, Answered::Bad));
        assert_eq!(heard(9000, 200), (1001, Answered::Late));
        assert_eq!(
            heard(9000, 500),
            (1001, Answered::Late),
            "its head is not awaited"
        );
    }
}
