//! What the store answered for one ticket, remembered in the POP for a second: a client that sends one ticket again and again costs no
//! more than one call a second there, and reads the same each time.
//!
//! Invariant: what is remembered is of the line and the epoch of the last board that the POP knows.

use crate::queue::{AboveBound, Board, Claim, Invited, Lane, LineAnswer, Position, Price};
use crate::request::Request;
use crate::store::upstash::StoreError;
use crate::ticket::Ticket;

/// The answer to this ticket: the one of less than a second ago, or what the store says now.
pub(super) fn once_a_second(
    held: &Ticket,
    request: &Request<'_>,
    ask: impl FnOnce() -> Result<LineAnswer, StoreError>,
) -> Result<LineAnswer, StoreError> {
    // A ticket that this request made has never been sent.
    if held.id == request.call.id {
        return ask();
    }
    let asked = asked(held, request);
    let kept = || read(&request.pop.answer(&asked)?, request.pop.last_board()?);
    if let Some(answer) = kept() {
        return Ok(answer);
    }
    let answer = ask()?;
    // In front of a closed room the copy of the board answers.
    let is_closed = answer.position.is_none() && answer.above.is_none() && answer.invited.is_none();
    if !is_closed {
        request.pop.keep_answer(&asked, written(&answer).as_bytes());
    }
    Ok(answer)
}

/// What is asked: for the ticket, with the invitation that it brings, and with what its holder did for a number above the bound of a network.
fn asked(held: &Ticket, request: &Request<'_>) -> String {
    let invitation = held.invitation.as_ref();
    let invitation = invitation.map_or("", |invitation| &invitation.id);
    let effort = held.effort(request.now).written().unwrap_or_default();
    format!("{} {effort} {invitation}", held.id)
}

/// All but the board.
fn written(answer: &LineAnswer) -> String {
    let none = || "-".to_owned();
    let claim = match answer.claim {
        None => none(),
        Some(Claim::Full) => "full".to_owned(),
        Some(Claim::Used) => "used".to_owned(),
        Some(Claim::Session(end)) => end.to_string(),
    };
    let above = |above| AboveBound::ALL.iter().find(|(_, known)| *known == above);
    let seconds = answer.price.and_then(|price| price.wait);
    let words = [
        answer.board.own.to_string(),
        answer.board.merged.to_string(),
        answer.board.epoch.to_string(),
        answer
            .position
            .map_or_else(none, |number| number.0.to_string()),
        claim,
        answer
            .above
            .and_then(above)
            .map_or("-", |(name, _)| name)
            .to_owned(),
        answer
            .price
            .map_or_else(none, |price| price.place.to_string()),
        seconds.map_or_else(none, |seconds| seconds.to_string()),
        answer.invited.map_or("-", Invited::name).to_owned(),
        answer.lane.name().unwrap_or("-").to_owned(),
    ];
    words.join(" ")
}

fn read(written: &[u8], board: Board) -> Option<LineAnswer> {
    let words: Vec<&str> = std::str::from_utf8(written).ok()?.split(' ').collect();
    let [
        own,
        merged,
        epoch,
        position,
        claim,
        above,
        place,
        wait,
        invited,
        lane,
    ] = words[..]
    else {
        return None;
    };
    let is_same = (own.parse(), merged.parse(), epoch.parse())
        == (Ok(board.own), Ok(board.merged), Ok(board.epoch));
    if !is_same {
        return None;
    }
    Some(LineAnswer {
        position: position.parse().ok().map(Position),
        claim: match claim {
            "-" => None,
            "full" => Some(Claim::Full),
            "used" => Some(Claim::Used),
            end => Some(Claim::Session(end.parse().ok()?)),
        },
        above: AboveBound::named(above),
        price: place.parse().ok().map(|place| Price {
            place,
            wait: wait.parse().ok(),
        }),
        invited: Invited::named(invited),
        lane: Lane::named(Some(lane).filter(|lane| *lane != "-"))?,
        board,
    })
}
