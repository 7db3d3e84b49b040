//! The order of one request, for every host: decide, answer, count, write down, and then what could wait until the visitor had been
//! answered.
//!
//! Invariant: a host decides nothing. What it cannot do is left out, as by the virtual edge, which asks no origin by itself.

use std::cell::RefMut;
use std::io::Read;

use super::{
    FollowUp, Outcome, Request, afterwards, entries, handle, origin_failed, unsound, watch,
};
use crate::cache::CachedBoard;
use crate::cache::Pop;
use crate::cache::outbox::Tally;
use crate::config::{Query, Unsound};
use crate::http::{Answer, Call, Commands, Forward, Reply};
use crate::page::Shell;
use crate::queue::{
    AboveBound, Actor, Answered, AnsweredTo, Change, Changed, CountedRenewal, EndedSession, Now,
    Platform, Reason, RoomName,
};
use crate::telemetry::log::{self, Decision, RequestFacts};
use crate::visitor::language::{plain_shell, shell};

/// What only a host can do for a request.
pub trait Host {
    /// Notes how the platform calls the request, which is written down once it has been answered.
    fn note_trace(&mut self) {}

    /// Answers the visitor, and gives the status.
    fn send(&mut self, reply: Reply) -> u16;

    /// Sends the request to the origin, whose answer goes to the visitor unless it is withheld.
    /// `failed` is what the visitor reads where it could not be sent.
    fn forward(&mut self, forward: &Forward, call: &Call, failed: &dyn Fn() -> Reply) -> Forwarded;

    /// What this host has counted for the room of the request.
    fn tally(&self) -> RefMut<'_, Tally>;

    /// Puts what was counted where the next refresh takes it along: news of the origin are among it, good and bad ones together, since
    /// good ones that came later would make the origin look worse than it is.
    fn flush_news(&self) {}

    /// What the platform knows about the request; nothing where no log is kept.
    fn facts(&self, call: &Call, query: Query) -> Option<RequestFacts>;

    /// Writes a line of the log.
    fn log(&self, line: &str);

    /// Does what could wait, with the time as it is now. Each time the store may be called once more, and what the POP remembers may be
    /// newer. Nothing is done where each further call would be refused.
    fn later(&self, request: &Request<'_>, work: &mut dyn FnMut(&Request<'_>));

    /// Asks the origin how it is, where that is due, and counts it. Whether the store should soon hear of it.
    fn probe_origin(&self, _request: &Request<'_>) -> bool {
        false
    }

    /// Waits until the POP looks next, which tells the store of a renewal. Whether this request is to look then.
    fn wait_for_next_look(&self) -> bool {
        false
    }
}

/// What became of a request at the origin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Forwarded {
    /// The status, unless the host answers from the origin.
    pub status: Option<u16>,
    /// How the origin answered, where that was watched.
    pub answered: Option<Answered>,
    /// What the visitor has of that.
    pub end: Delivery,
}

/// What the visitor has of the origin's answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Delivery {
    /// The answer, or one of ours in its place.
    #[default]
    Delivered,
    /// The answer, which has ended the visitor's session.
    SessionEnded,
    /// Nothing so far: the answer was bad, and the visitor gets ours.
    Withheld,
}

/// What became of a request.
#[derive(Debug)]
pub struct Served {
    /// The status, unless the host answers from the origin.
    pub status: Option<u16>,
    /// What was written down.
    pub record: Decision,
    /// A session that was made longer.
    pub renewal: Option<CountedRenewal>,
    /// The session that the origin ended with its answer.
    ended: Option<EndedSession>,
    /// How the origin answered, where that was watched for the store.
    news: Option<(AnsweredTo, Answered)>,
}

/// Serves one request.
pub fn serve(request: &Request<'_>, body: &mut dyn Read, host: &mut dyn Host) -> Served {
    let (call, config, room) = (request.call, request.config, request.room);
    let mut outcome = handle(request, body);
    let after = std::mem::replace(&mut outcome.after, FollowUp::Nothing);
    let mut served = deliver(outcome, call, &|| shell(None, request), host);
    hear(&mut served, request, host);
    let name = Some(&room.name);
    write_down(&served, call, name, config.logging.query, request.now, host);
    for line in entries::refused_entries(request.now, room) {
        host.log(&line);
    }
    follow_up(&served, after, request, host);
    served
}

/// Serves one request while the configuration is unsound: visitors who were admitted and bypass paths pass, all others are told. What is
/// answered here is neither counted nor logged, but for what is wrong.
pub fn serve_unsound(
    call: &Call,
    now: Now,
    unsound: &Unsound,
    pop: &dyn Pop,
    platform: &dyn Platform,
    host: &mut dyn Host,
) {
    match unsound::passes(call, now, unsound, pop, platform) {
        Ok(outcome) => {
            let served = deliver(outcome, call, &|| plain_shell(call), host);
            let room = unsound.place_of(call).map(|place| &place.room.name);
            write_down(&served, call, room, Query::LeftOut, now, host);
        }
        Err(reply) => {
            host.send(reply);
        }
    }
    host.log(&entries::unsound_entry(now, &unsound.problems));
}

/// Answers the visitor, and counts that. A visitor who goes in by a good answer only is in once it is delivered.
fn deliver<'s>(
    outcome: Outcome<'_>,
    call: &Call,
    shell: &dyn Fn() -> Shell<'s>,
    host: &mut dyn Host,
) -> Served {
    let Outcome {
        answer,
        mut record,
        renewal,
        rescue,
        ..
    } = outcome;
    if record.is_logged() {
        host.note_trace();
    }
    let forward = match answer {
        Answer::Reply(reply) => {
            count(&mut record, renewal, &mut host.tally());
            let status = Some(host.send(reply));
            return Served {
                status,
                record,
                renewal,
                ended: None,
                news: None,
            };
        }
        Answer::Forward(forward) => forward,
    };
    let Forwarded {
        mut status,
        answered,
        end,
    } = host.forward(&forward, call, &|| origin_failed(call, &forward, shell()));
    let ended = match forward.commands {
        Commands::Read(ending) if end == Delivery::SessionEnded => {
            ending.map(|ending| ending.session)
        }
        Commands::Read(_) | Commands::Unread => None,
    };
    let mut record = Decision {
        session_ended: ended.is_some(),
        origin_answer: answered.filter(|answered| *answered != Answered::Ok),
        ..record
    };
    if let Some(rescue) = rescue {
        if end == Delivery::Withheld {
            let (reply, reason) = rescue.kept_outside();
            status = Some(host.send(reply));
            record = Decision {
                permitted: false,
                inversion: None,
                reason,
                ..record
            };
        } else {
            record.reason = rescue.went_in(record.reason);
        }
    }
    // A session that the origin ends by this very request does not end later by it.
    let renewal = renewal.filter(|_| ended.is_none());
    count(&mut record, renewal, &mut host.tally());
    Served {
        status,
        record,
        renewal,
        ended,
        news: forward.watch.and_then(|watch| watch.told).zip(answered),
    }
}

/// Counts how the origin answered, once the visitor has the answer.
fn hear(served: &mut Served, request: &Request<'_>, host: &dyn Host) {
    served.news = served.news.filter(|(to, _)| watch::is_news(*to, request));
    if let Some((to, answered)) = served.news {
        host.tally().watched(to, answered, request.now);
        host.flush_news();
    }
}

/// What the store hears of it later.
fn count(record: &mut Decision, renewal: Option<CountedRenewal>, tally: &mut Tally) {
    tally.decided(record.reason);
    // Who did not go in by this after all has not waited yet.
    record.waited = record.waited.filter(|_| record.reason.is_first());
    if let Some(waited) = record.waited.filter(|_| record.reason != Reason::Invited) {
        tally.waited(record.lane.as_deref(), waited);
    }
    if let Some(renewal) = renewal {
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
    if let Some(verdict) = record.waf {
        tally.inspected(verdict);
    }
}

/// Its line of the log, where it has one.
fn write_down(
    served: &Served,
    call: &Call,
    room: Option<&RoomName>,
    query: Query,
    now: Now,
    host: &dyn Host,
) {
    if !served.record.is_logged() {
        return;
    }
    let Some(facts) = host.facts(call, query) else {
        return;
    };
    let facts = RequestFacts {
        timestamp: now.ms(),
        room: room.map(RoomName::to_string),
        ..facts
    };
    host.log(&log::entry(&facts, served.status, &served.record));
}

/// What could wait until the visitor had been answered.
fn follow_up(served: &Served, after: FollowUp, request: &Request<'_>, host: &dyn Host) {
    let is_bad = |(_, answered)| answered != Answered::Ok;
    let after = match after {
        // The store should soon hear of an answer that was not well.
        FollowUp::Nothing if served.news.is_some_and(is_bad) => FollowUp::Look,
        after => after,
    };
    let look = &mut |later: &Request<'_>| afterwards(FollowUp::Look, later);
    match (&served.ended, after) {
        (None, FollowUp::Nothing) => {}
        (Some(session), _) => host.later(request, &mut |later| end_session(session, later)),
        (None, after) => {
            let mut after = Some(after);
            host.later(request, &mut |later| {
                afterwards(after.take().unwrap_or(FollowUp::Nothing), later);
            });
        }
    }
    if host.probe_origin(request) {
        host.later(request, look);
    }
    if served.is_due(request) && host.wait_for_next_look() {
        host.later(request, look);
    }
}

impl Served {
    /// Whether this renewal moves a session that ends with this minute or the next by what the store knows. The store is to hear of it
    /// before, and no other request may come until then.
    fn is_due(&self, request: &Request<'_>) -> bool {
        let moves = |renewal: CountedRenewal| {
            let by = renewal.to.saturating_sub(renewal.from);
            let sessions = request.pop.last_board().and_then(|board| board.sessions);
            sessions.is_some_and(|sessions| by.saturating_add(1) >= sessions.minutes)
        };
        self.renewal.is_some_and(moves)
    }
}

/// The origin has ended a session. Where the store does not answer, it ends by itself.
fn end_session(session: &EndedSession, request: &Request<'_>) {
    let change = Change {
        ends: vec![session.clone()],
        ..Change::new("end", Vec::new())
    };
    let origin = Actor {
        name: "origin",
        address: "",
        audited: false,
        seen: None,
        once: None,
    };
    if let Ok(Changed::Done(board, _)) = request.line().change(change, &origin) {
        let last = request.pop.last();
        let copy = CachedBoard::drawn(board, request.now, last.as_ref());
        request.pop.remember(&copy);
    }
}
