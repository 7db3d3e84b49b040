//! What operators and the origin's programs can do to the line: one file for each verb, and one table of them.
//!
//! A verb is one route, one function of the script (`src/store/lua/verbs/change.lua`) and one call to the store. Its file says
//! what it reads, whether it asks first, what the store is called with, and how its effect is worded everywhere.

mod cap;
mod credit;
mod end;
mod epoch;
mod event;
mod message;
mod mode;
mod overrule;
mod pace;
mod permit;
mod public_value;
mod report;
mod ticket;

use crate::http::object::object;
use serde_json::Value;

use super::input::{Fields, Refusal};
use super::login::{Audience, Right};
use super::status_json::{cap_json, event_json};
use crate::config::Room;
use crate::page::{ActionWords, Proposal, Question, stands};
use crate::queue::{Action, Board, Change, Effect, IdempotencyKey, Now, Reason};
use crate::request::Request;
use crate::ticket::Ticket;

pub use cap::SetCap;
pub use credit::Credit;
pub use end::End;
pub use epoch::Epoch;
pub use event::{NewEvents, SetEvents};
pub use message::Message;
pub use mode::SetMode;
pub use overrule::SetOverrule;
pub use pace::SetPace;
pub use permit::Permit;
pub use public_value::PublicValue;
pub use report::{Report, Stock};

pub(super) use pace::VERB as PACE;

/// Every verb.
pub static VERBS: &[&Verb] = &[
    &permit::VERB,
    &mode::VERB,
    &pace::VERB,
    &cap::VERB,
    &event::VERB,
    &message::VERB,
    &credit::VERB,
    &epoch::VERB,
    &end::VERB,
    &overrule::VERB,
    &public_value::VERB,
    &report::VERB,
    &ticket::VERB,
];

/// One verb.
#[derive(Debug)]
pub struct Verb {
    /// Its route below the operators' path, without a slash. It takes POST.
    pub route: &'static str,
    /// What the script, the list of actions and the panel's address call what it does.
    pub acts: &'static [&'static str],
    /// Which credentials open it, and what they have to be good for.
    pub needs: (Audience, Right),
    /// What it changes.
    pub changes: Changes,
    /// The most that its body may hold, in bytes.
    pub longest_body: u64,
    /// A JSON object that it accepts, for a sender of something else.
    pub example: fn(&Request<'_>) -> String,
    /// Takes its fields.
    pub read: Read,
    /// What the panel says once it is done.
    pub flash: fn(&Flash<'_>) -> String,
    /// Its words among what operators did.
    pub listed: fn(&Action) -> String,
}

/// Takes the fields of a verb, or says what is wrong and what is accepted.
pub type Read = fn(&mut Fields, &Asking<'_>) -> Result<Box<dyn Intent>, Refusal>;

/// What a verb changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Changes {
    /// Mode, pace, message, cap or events, which have a version: an operator who saw an earlier one overwrites nothing.
    Settings,
    /// The line alone.
    Line,
}

/// What a verb may know besides its fields.
pub struct Asking<'a> {
    /// The request.
    pub request: &'a Request<'a>,
    /// What a repeat is known by.
    pub once: Option<&'a IdempotencyKey>,
    /// How far the request has come.
    pub step: Step,
}

/// How far a request has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// A form whose sender has not been asked.
    First,
    /// A form whose sender has been asked, or a program, which is asked nothing.
    Last,
}

/// A change, as it was asked for.
pub trait Intent {
    /// What the store is called with.
    fn change(&self) -> Change;

    /// What it needs besides the right that its route needs.
    fn needs(&self) -> Option<Right> {
        None
    }

    /// The question to an operator in a browser: where it cannot be undone, or touches many.
    fn question(&self) -> Option<Ask<'_>> {
        None
    }

    /// The same change as one that the panel may propose, which says what would follow from it.
    fn proposal(&self) -> Option<Proposal> {
        None
    }

    /// What was done, for the log: without the words of a message.
    fn logged(&self, effect: Effect) -> String;

    /// What was done, for programs.
    fn told(&self, board: &Board, _effect: Effect, room: &Room) -> Value {
        settings(board, room)
    }

    /// The status of that answer.
    fn status(&self, _effect: Effect) -> u16 {
        200
    }

    /// What the panel's address says of it besides its number, for [`Verb::flash`].
    fn details(&self, _effect: Effect) -> String {
        String::new()
    }

    /// The ticket that the operator's browser gets.
    fn ticket(&self, _sign: &Board, _effect: Effect, _now: Now) -> Option<Ticket> {
        None
    }

    /// Why the mode does not let it happen: in few words, and in more.
    fn refused_by_mode(&self, board: &Board) -> (&'static str, String) {
        lets_nobody_in(board)
    }

    /// What it is counted as.
    fn reason(&self) -> Reason {
        Reason::Changed
    }
}

// Called by defaults, which are in the Wasm once for each verb.

fn settings(board: &Board, room: &Room) -> Value {
    let cap = board.live.cap.unwrap_or(room.cap);
    object!({
        "version": board.live.version,
        "mode": board.live.mode.name(),
        "automatic": board.live.pace.automatic,
        "automatic_quantity": board.live.pace.quantity,
        "message": board.live.message.as_deref(),
        "cap": board.sessions.as_ref().map(|_| cap_json(cap)),
        "event": board.event.as_ref().map(event_json),
        "cursor": board.cursor().0,
    })
}

fn lets_nobody_in(board: &Board) -> (&'static str, String) {
    let why = stands(board).unwrap_or_else(|| "the line stood still".to_owned());
    let detail = format!("{why}; nothing moved");
    ("Nobody is let in", detail)
}

/// Words a question for the line as it stands.
pub type Ask<'a> = Box<dyn Fn(&Board, &Room) -> Question + 'a>;

/// What the panel's address says was just done.
pub struct Flash<'a> {
    /// The act.
    pub act: &'a str,
    /// The number of its [`Effect`].
    pub number: u64,
    /// The request for the panel.
    pub request: &'a Request<'a>,
}

impl Flash<'_> {
    /// A number out of [`Intent::details`].
    #[must_use]
    pub fn detail(&self, name: &str) -> Option<u64> {
        self.text(name)?.parse().ok()
    }

    /// A word out of them.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<String> {
        self.request.call.parameter(name)
    }
}

/// The verb of this route.
pub(super) fn at(route: &str) -> Option<&'static Verb> {
    VERBS.iter().copied().find(|verb| verb.route == route)
}

/// What the panel says was done.
pub(super) fn flash(flash: &Flash<'_>) -> Option<String> {
    of(flash.act).map(|verb| (verb.flash)(flash))
}

/// How what operators did is worded.
pub const WORDS: ActionWords = ActionWords {
    what: listed,
    is_setting: |action| is_setting(&action.verb),
};

/// Whether an act makes a version of the settings.
pub(super) fn is_setting(act: &str) -> bool {
    of(act).is_some_and(|verb| verb.changes == Changes::Settings)
}

/// A build after this one may have verbs that this one does not know.
fn listed(action: &Action) -> String {
    of(&action.verb).map_or_else(|| action.verb.clone(), |verb| (verb.listed)(action))
}

fn of(act: &str) -> Option<&'static Verb> {
    VERBS.iter().copied().find(|verb| verb.acts.contains(&act))
}

/// The example of a verb that has no fields.
fn no_fields(_request: &Request<'_>) -> String {
    "{}".to_owned()
}

#[cfg(test)]
mod tests;
