//! A test ticket for the operator's browser: drawn at the back of the line, or let in at once.

use super::{Asking, Changes, Flash, Intent, Verb, no_fields};
use crate::operator::input::{Fields, LONGEST_BODY, Refusal, digest, wrong};
use crate::operator::login::{Audience, Right};
use crate::queue::{
    Action, Board, Change, CurrentEvent, Effect, IdempotencyKey, Lane, Now, Phase, Place, Position,
};
use crate::request::Request;
use crate::ticket::{Ticket, TicketStage};
use crate::visitor::ticket_cookie;

/// The verb. Programs have no browser to keep a ticket in. The panel's own route throws it away and tells it here.
pub(super) static VERB: Verb = Verb {
    route: "ticket",
    acts: &["draw", "jump", "forget"],
    needs: (Audience::Panel, Right::Set),
    changes: Changes::Line,
    longest_body: LONGEST_BODY,
    example: no_fields,
    read,
    flash,
    listed,
};

/// Draws a number for the ticket of this id.
struct Draw {
    id: String,
}

/// Lets in the ticket of this id and no visitor, and draws no number for it.
struct Jump {
    id: String,
    /// The place that the operator's browser holds: where that number is the next, it is served.
    held: Option<Place>,
}

fn read(fields: &mut Fields, asking: &Asking<'_>) -> Result<Box<dyn Intent>, Refusal> {
    if !fields.is_form {
        let text = "a test ticket is kept by a browser, and comes with its form; accepted is application/x-www-form-urlencoded";
        return Err(Refusal::Type(text.to_owned()));
    }
    let request = asking.request;
    let id = asking.once.map_or_else(|| request.call.id.clone(), id_of);
    match fields.text("act")?.as_deref() {
        Some("draw") => Ok(Box::new(Draw { id })),
        Some("jump") => Ok(Box::new(Jump {
            id,
            held: held(request),
        })),
        other => Err(wrong("act", other, "draw or jump")),
    }
}

/// The same operator with the same key draws for the same ticket.
fn id_of(once: &IdempotencyKey) -> String {
    let digest = digest(&format!("ticket\n{}", once.key));
    digest.chars().take(32).collect()
}

/// The place in the line of the ticket that the operator's browser holds.
fn held(request: &Request<'_>) -> Option<Place> {
    let ticket = ticket_cookie::ticket(request)?;
    match ticket.stage {
        TicketStage::Waiting(proof) => Some(proof.place).filter(|_| ticket.lane == Lane::Main),
        TicketStage::Provisional { .. } | TicketStage::Admitted { .. } => None,
    }
}

impl Intent for Draw {
    fn change(&self) -> Change {
        Change {
            draws: Some(self.id.clone()),
            ..Change::new("draw", Vec::new())
        }
    }

    fn logged(&self, effect: Effect) -> String {
        format!("test ticket {} drawn", effect.number)
    }

    fn ticket(&self, board: &Board, effect: Effect, now: Now) -> Option<Ticket> {
        let stage = TicketStage::Waiting(board.proof(board.place(position(effect)?)));
        Some(Ticket {
            head: board.head,
            ..Ticket::new(&self.id, stage, now)
        })
    }

    fn refused_by_mode(&self, board: &Board) -> (&'static str, String) {
        refused(board)
    }
}

impl Intent for Jump {
    fn change(&self) -> Change {
        let details = self.held.map(|place| {
            let mut details = vec![
                ("held_born", place.born.to_string()),
                ("held_position", place.position.0.to_string()),
            ];
            details.extend(place.came.map(|_| ("held_came", "yes".to_owned())));
            details
        });
        Change::new("jump", details.unwrap_or_default())
    }

    fn logged(&self, effect: Effect) -> String {
        jumped(effect.number)
    }

    fn ticket(&self, board: &Board, effect: Effect, now: Now) -> Option<Ticket> {
        let place = position(effect).map(|position| board.place(position));
        let stage = TicketStage::Admitted {
            position: place.map(|place| place.position),
            born: place.map_or(board.own, |place| place.born),
            at: now.secs(),
            session: None,
        };
        Some(Ticket {
            head: board.head,
            ..Ticket::new(&self.id, stage, now)
        })
    }

    fn refused_by_mode(&self, board: &Board) -> (&'static str, String) {
        refused(board)
    }
}

fn position(effect: Effect) -> Option<Position> {
    (effect.number > 0).then_some(Position(effect.number))
}

fn refused(board: &Board) -> (&'static str, String) {
    let is_awaited = |event: &CurrentEvent| event.phase == Phase::Drawing;
    let (title, why) = if board.event.as_ref().is_some_and(is_awaited) {
        (
            "Places are being drawn by lot",
            "nothing may change what the lot is about",
        )
    } else {
        ("The room is closed", "it draws no numbers")
    };
    (
        title,
        format!("{why}, so this browser got no test ticket; nothing moved"),
    )
}

fn jumped(number: u64) -> String {
    match number {
        0 => "test ticket let in".to_owned(),
        number => format!("test ticket {number} let in"),
    }
}

fn flash(flash: &Flash<'_>) -> String {
    match (flash.act, flash.number) {
        ("draw", number) => format!("This browser holds test ticket {number}."),
        ("jump", 0) => {
            "This browser holds a test ticket without a number and is let in.".to_owned()
        }
        ("jump", number) => format!("This browser holds test ticket {number} and is let in."),
        _ => "This browser holds no ticket any more.".to_owned(),
    }
}

fn listed(action: &Action) -> String {
    match action.verb.as_str() {
        "jump" => jumped(action.number),
        _ => format!("test ticket {} drawn", action.number),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{action, assert_listed};

    #[test]
    fn a_test_ticket_has_its_words() {
        assert_listed(&[
            (action("draw", 7, "", ""), "test ticket 7 drawn"),
            (action("jump", 7, "", ""), "test ticket 7 let in"),
            (action("jump", 0, "", ""), "test ticket let in"),
        ]);
    }
}
