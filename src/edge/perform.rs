//! What a decision is carried out as: an answer of ours, or one of the origin's; and what is counted of it.

use fastly::Request;

use now_serving::http::{Answer, Commands};
use now_serving::queue::{
    AboveBound, Answered, AnsweredTo, CountedRenewal, EndedSession, Now, Reason,
};
use now_serving::request::Request as Asked;
use now_serving::service::{self, FollowUp, Rescue};
use now_serving::telemetry::log::Decision;

use super::origin::{self, Forwarded};
use super::outbox::Counts;
use super::request::send;
use super::watch::Watched;

/// What became of a request.
#[derive(Default)]
pub(super) struct Performed {
    /// The status, unless the host answers from the origin.
    pub(super) status: Option<u16>,
    /// Whose session the origin ended with its answer.
    pub(super) ended: Option<EndedSession>,
    /// How the origin answered, where that was watched.
    answered: Option<Answered>,
    /// As whose answer the store hears of it.
    told: Option<AnsweredTo>,
    /// What a visitor who goes in by a good answer only has done.
    became: Option<Became>,
}

/// What became of a visitor who goes in by a good answer only.
enum Became {
    /// In, and counted as this.
    Inside(Reason),
    /// Rescued, and counted as this.
    Rescued(Reason),
}

/// Answers, or has the origin answer.
pub(super) fn perform(
    answer: Answer,
    (rescue, reason): (Option<Box<Rescue>>, Reason),
    request: Request,
    (asked, counts): (&Asked<'_>, &Counts),
) -> Performed {
    let forward = match answer {
        Answer::Reply(reply) => {
            return Performed {
                status: Some(send(reply)),
                ..Performed::default()
            };
        }
        Answer::Forward(forward) => forward,
    };
    counts.has_called();
    let (forwarded, answered) = origin::forwarded(request, &forward, (asked.call, counts));
    let is_ended = matches!(&forwarded, Forwarded::Obeyed(obeyed) if obeyed.ends);
    let ending = match forward.commands {
        Commands::Read(ending) => ending.filter(|_| is_ended),
        Commands::Unread => None,
    };
    let (status, became) = match (forwarded, rescue) {
        (Forwarded::Watched(Watched::Withheld), Some(rescue)) => {
            let (reply, reason) = service::rescued(*rescue, asked);
            (Some(send(reply)), Some(Became::Rescued(reason)))
        }
        (forwarded, rescue) => {
            let counted = rescue.map(|rescue| service::went_in(&rescue, reason, asked));
            (status(forwarded), counted.map(Became::Inside))
        }
    };
    Performed {
        status,
        ended: ending.map(|ending| ending.session),
        answered,
        told: forward.watch.and_then(|watch| watch.told),
        became,
    }
}

pub(super) fn status(forwarded: Forwarded) -> Option<u16> {
    match forwarded {
        Forwarded::HandedOver | Forwarded::Watched(Watched::Withheld) => None,
        Forwarded::Watched(Watched::Delivered(status)) => status,
        Forwarded::Obeyed(obeyed) => Some(obeyed.status),
        Forwarded::Instead(reply) => Some(send(reply)),
    }
}

impl Performed {
    /// What is written down.
    pub(super) fn record(&self, decided: Decision) -> Decision {
        let decided = Decision {
            session_ended: self.ended.is_some(),
            origin_answer: self.answered.filter(|answered| *answered != Answered::Ok),
            ..decided
        };
        match self.became {
            None => decided,
            Some(Became::Inside(reason)) => Decision { reason, ..decided },
            Some(Became::Rescued(reason)) => Decision {
                permitted: false,
                inversion: None,
                reason,
                ..decided
            },
        }
    }

    /// What the store hears of it later. A session that the origin ends by this very request does not end later by it.
    pub(super) fn count(
        &self,
        record: &Decision,
        renewal: Option<CountedRenewal>,
        (counts, now): (&Counts, Now),
    ) {
        let mut tally = counts.tally.borrow_mut();
        tally.decided(record.reason);
        if let Some(renewal) = renewal.filter(|_| self.ended.is_none()) {
            tally.renewed(renewal);
        }
        if record.shared_ticket {
            tally.shared();
        }
        if record.above_network_bound == Some(AboveBound::Drawn) {
            tally.drawn_above_bound();
        }
        if let Some(invited) = record.invitation {
            tally.invited(invited);
        }
        if let Some(inversion) = record.inversion {
            tally.inverted(inversion);
        }
        for signal in &record.signals {
            tally.signalled(*signal);
        }
        let Some((to, answered)) = self.told.zip(self.answered) else {
            return;
        };
        tally.watched(to, answered, now);
        drop(tally);
        // Good and bad news together: good ones that came later would make the origin look worse than it is.
        counts.flush_news();
    }

    /// Whether this renewal moves a session that ends with this minute or the next by what the store knows.
    pub(super) fn is_due(&self, renewal: Option<CountedRenewal>, asked: &Asked<'_>) -> bool {
        let moves = |renewal: CountedRenewal| {
            let by = renewal.to.saturating_sub(renewal.from);
            let sessions = asked.pop.last_board().and_then(|board| board.sessions);
            sessions.is_some_and(|sessions| by.saturating_add(1) >= sessions.minutes)
        };
        self.ended.is_none() && renewal.is_some_and(moves)
    }

    /// What could wait until the visitor had been answered. The store should soon hear of an answer that was not well.
    pub(super) fn follow_up(self, after: FollowUp, asked: &Asked<'_>) {
        let is_bad = |answered| answered != Answered::Ok;
        let has_bad_news = self.told.is_some() && self.answered.is_some_and(is_bad);
        match (self.ended, after) {
            (Some(session), _) => service::end_session(session, asked),
            (None, FollowUp::Nothing) if has_bad_news => {
                service::afterwards(FollowUp::Look, asked);
            }
            (None, after) => service::afterwards(after, asked),
        }
    }
}
