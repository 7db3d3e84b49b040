//! What an operator's request changes: read, asked about where it cannot be undone, done once, and told.

mod asked;

use std::io::Read;

use super::input::{Fields, Refusal};
use super::login::{Operator, Refused, Role, Scheme};
use super::verbs::{self, Intent, Verb};
use super::{Answered, desk, misunderstood, simply, store_trouble, turned_away};
use crate::cache::CachedBoard;
use crate::http::Reply;
use crate::page::{Rejection, Unconfirmed};
use crate::queue::{Actor, Board, Changed, Effect, Inversion, Reason};
use crate::request::Request;
use crate::store::upstash::StoreError;
use crate::ticket::{Ticket, TicketStage};
use asked::Asked;

/// What is known of a change whose answer was lost.
const UNKNOWN: &str = "whether anything changed is unknown: look at the figures once they are back, or repeat it with the same Idempotency-Key";

/// The same in the panel, whose forms carry a key of their own.
const UNKNOWN_HERE: &str =
    "It was done, or it was not: the answer was lost. Trying again is safe, since it counts once.";

/// What is known where the store was not asked.
const NOT_SENT: &str = "nothing was changed: try again";

/// What the panel says of a form that was sent before with other values.
const SENT_BEFORE: &str = "This form was already sent, with other values. Nothing was changed this time: look at the figures, and send it again if you want both.";

/// How the answer is worded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sender {
    /// A form of the panel: by the panel.
    Browser,
    /// As JSON.
    Program,
}

/// Answers a request to change something.
pub(super) fn answer(
    verb: &'static Verb,
    operator: &Operator,
    body: &mut dyn Read,
    request: &Request<'_>,
) -> Answered {
    let content_type = request.call.header("content-type");
    let is_form = Fields::is_form(&content_type);
    let sender = match operator.via {
        Scheme::Basic if is_form => Sender::Browser,
        Scheme::Basic | Scheme::Bearer => Sender::Program,
    };
    let example = (verb.example)(request);
    let fields = Fields::read(&content_type, body, verb.longest_body, &example);
    let typed = fields.as_ref().map(Fields::texts).unwrap_or_default();
    let asked = fields.and_then(|fields| Asked::read(verb, operator, fields, request));
    let exchange = Exchange {
        verb,
        typed: &typed,
        sender,
        operator,
        request,
    };
    let asked = match asked {
        Ok(asked) => asked,
        Err(refusal) => return exchange.refused(&refusal),
    };
    if let Some(right) = asked.intent.needs()
        && !operator.role.may(right)
    {
        return turned_away(Refused::Forbidden(operator.name.clone(), operator.role));
    }
    if sender == Sender::Browser
        && !asked.confirmed
        && let Some(about) = desk::About::new(&*asked.intent, asked.is_proposed)
    {
        return desk::ask(verb, &about, &typed, operator, request);
    }
    exchange.run(asked)
}

/// A request that was read, and how its answer is worded.
struct Exchange<'a> {
    verb: &'static Verb,
    /// What the form said, to stand there again.
    typed: &'a [(String, String)],
    sender: Sender,
    operator: &'a Operator,
    request: &'a Request<'a>,
}

impl Exchange<'_> {
    fn run(&self, asked: Asked) -> Answered {
        let Request { call, pop, now, .. } = *self.request;
        let address = call.address.map(|address| address.to_string());
        let author = Actor {
            name: &self.operator.name,
            address: address.as_deref().unwrap_or_default(),
            audited: !matches!(self.operator.role, Role::Permit | Role::Stock),
            seen: asked.seen,
            once: asked.once,
        };
        let (intent, change) = (&*asked.intent, asked.intent.change());
        let act = change.act;
        match self.request.line().change(change, &author) {
            Ok(Changed::Done(board, effect)) => {
                let copied = CachedBoard::new(board.clone(), now);
                pop.put(&copied);
                self.done(intent, act, board, effect)
            }
            // What was seen then is nothing to show to visitors now.
            Ok(Changed::Replayed(board, effect)) => self.done(intent, act, board, effect),
            Ok(Changed::VersionConflict(board)) => {
                self.outdated(asked.seen.unwrap_or_default(), &board)
            }
            Ok(Changed::NotAdmitting(board)) => self.refused_by_mode(intent, &board),
            Ok(Changed::KeyReused) => self.reused(),
            Err(fault) => self.lost(fault),
        }
    }

    fn done(&self, intent: &dyn Intent, act: &str, board: Board, effect: Effect) -> Answered {
        let mut inversion = None;
        let reply = match self.sender {
            Sender::Browser => {
                let version = board.live.version;
                let version = verbs::is_setting(act).then(|| format!("&version={version}"));
                let done = format!(
                    "done={act}&number={}{}{}",
                    effect.number,
                    intent.details(effect),
                    version.unwrap_or_default()
                );
                let ticket = intent.ticket(&board, effect, self.request.now);
                inversion = ticket.as_ref().and_then(|ticket| jumped(ticket, &board));
                desk::redirect(&done, ticket.as_ref(), self.operator, self.request)
            }
            Sender::Program => Reply::json(
                intent.status(effect),
                &intent.told(&board, effect, self.request.room),
            ),
        };
        Answered {
            action: Some(intent.logged(effect)),
            inversion,
            board: Some(board),
            ..simply(reply, intent.reason())
        }
    }

    fn refused(&self, refusal: &Refusal) -> Answered {
        match self.sender {
            Sender::Browser => {
                let (status, _) = refusal.answered();
                let told = format!(
                    "Nothing was changed: {}.",
                    as_labelled(&refusal.to_string())
                );
                let shown = self.shown(status, self.mistyped(&told));
                let reason = match shown.reason {
                    Reason::NotChanged => Reason::BadOperatorRequest,
                    other => other,
                };
                Answered { reason, ..shown }
            }
            Sender::Program => misunderstood(refusal, "nothing moved"),
        }
    }

    fn outdated(&self, seen: u64, board: &Board) -> Answered {
        match self.sender {
            Sender::Browser => {
                let typed = self.typed;
                self.shown(409, Rejection::Outdated { typed, seen })
            }
            Sender::Program => {
                let detail = format!(
                    "somebody else changed the settings: {}; nothing of yours was set, look and set it again",
                    settings_words(board)
                );
                not_changed("Changed in the meantime", &detail)
            }
        }
    }

    fn refused_by_mode(&self, intent: &dyn Intent, board: &Board) -> Answered {
        let (title, detail) = intent.refused_by_mode(board);
        match self.sender {
            Sender::Browser => self.shown(409, Rejection::Told(&format!("{title}: {detail}."))),
            Sender::Program => not_changed(title, &detail),
        }
    }

    fn reused(&self) -> Answered {
        match self.sender {
            Sender::Browser => self.shown(409, self.mistyped(SENT_BEFORE)),
            Sender::Program => {
                let detail =
                    "this Idempotency-Key was used for something else within a day; nothing moved";
                not_changed("Key already used", detail)
            }
        }
    }

    fn lost(&self, fault: StoreError) -> Answered {
        let [here, known] = if fault == StoreError::NotAsked {
            ["Nothing was changed. Try again.", NOT_SENT]
        } else {
            [UNKNOWN_HERE, UNKNOWN]
        };
        match self.sender {
            Sender::Browser => {
                let press = Unconfirmed {
                    route: self.verb.route,
                    fields: self.typed,
                };
                desk::without_store(fault, here, Some(press), self.operator, self.request)
            }
            Sender::Program => store_trouble(fault, known),
        }
    }

    fn mistyped<'a>(&'a self, told: &'a str) -> Rejection<'a> {
        Rejection::Mistyped {
            told,
            typed: self.typed,
        }
    }

    fn shown(&self, status: u16, trouble: Rejection<'_>) -> Answered {
        desk::panel(status, Some(trouble), self.operator, self.request)
    }
}

/// What a field is called on the panel.
const LABELS: [(&str, &str); 9] = [
    ("mode", "The mode"),
    ("amt", "How many"),
    ("word", "The room’s name"),
    ("automatic", "The length of a period"),
    ("automatic_quantity", "How many in a period"),
    ("message", "The message"),
    ("total_active", "How many inside"),
    ("session_minutes", "The length of a session"),
    ("event", "The event"),
];

fn as_labelled(told: &str) -> String {
    let (field, rest) = told.split_once(' ').unwrap_or((told, ""));
    let label = LABELS.iter().find(|(name, _)| *name == field);
    label.map_or_else(|| told.to_owned(), |(_, label)| format!("{label} {rest}"))
}

/// Whether an operator's own ticket is let in before its turn.
fn jumped(ticket: &Ticket, board: &Board) -> Option<Inversion> {
    let is_in = matches!(ticket.stage, TicketStage::Admitted { .. });
    let passed = || {
        let position = ticket.position_by(board);
        Inversion::out_of_turn(Inversion::Jump, position, ticket.lane, board)
    };
    is_in.then(passed)?
}

fn not_changed(title: &str, detail: &str) -> Answered {
    simply(Reply::problem(409, title, detail), Reason::NotChanged)
}

fn settings_words(board: &Board) -> String {
    let live = &board.live;
    format!(
        "version {}, mode {}, {} visitors every {} s",
        live.version,
        live.mode.name(),
        live.pace.quantity,
        live.pace.automatic
    )
}
