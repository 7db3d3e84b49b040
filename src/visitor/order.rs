//! How the order of a room comes about, as it is set, in plain words: the rules, what the holder of a ticket has, and what the journal
//! has reached.
//!
//! Invariant: it is told by what is known here, without a question to the store. What is not known is left out, and no answer is an error.

use super::{language, lot, receipt};
use crate::config::OnStoreError;
use crate::http::Reply;
use crate::http::negotiate::wants_json;
use crate::http::object::object;
use crate::page::{self, OrderView, Rule, utc};
use crate::queue::{Board, Enforcement, Event, Phase};
use crate::request::Request;
use crate::ticket::Ticket;
use crate::visitor::receipt::Stated;
use serde_json::Value;

/// The order of this room, and what this ticket has in it.
#[must_use]
pub(super) fn reply(ticket: Option<&Ticket>, request: &Request<'_>) -> Reply {
    let last = request.pop.last();
    let read = last.as_ref().map(|last| utc(last.read_ms));
    let board = last.and_then(|last| last.board);
    let board = board.as_ref();
    let stated = ticket.map(|ticket| receipt::receipt(ticket, request));
    let number = stated.as_ref().and_then(|(receipt, _)| receipt.number);
    let ahead = stated
        .as_ref()
        .and_then(|(receipt, _)| receipt::ahead(receipt));
    let lot = board
        .map(|board| lot::view(board, ticket))
        .unwrap_or_default();
    let rules = rules(board, lot.is_decided, request);
    let head = board.and_then(|board| board.head).map(String::from);
    let reply = if wants_json(request.call) {
        let rules: Vec<Value> = rules.into_iter().map(Rule::data).collect();
        let told = object!({
            "room": request.room.name.as_str(),
            "rules": rules,
            "lane": ticket.and_then(|ticket| ticket.lane.name()),
            "number": number.map(|number| number.0),
            "ahead": ahead,
            "head": head,
        });
        Reply::data(200, &told)
    } else {
        let to_receipt = format!("{}/receipt", request.room.routes);
        let seen = OrderView {
            rules,
            number: number.map(|number| number.0),
            in_draw: stated.is_some_and(|(_, stated)| stated == Stated::ByLot),
            ahead,
            lot,
            head,
            read: read.as_deref().filter(|_| board.is_some()),
            receipt: ticket.map(|_| to_receipt.as_str()),
        };
        page::order(language::unframed(ticket, request), seen)
    };
    reply.with("vary", "Accept, Accept-Language, Cookie")
}

/// What holds in this room, the rule of the numbers first. `is_decided`: its lot is.
fn rules(board: Option<&Board>, is_decided: bool, request: &Request<'_>) -> Vec<Rule> {
    let room = request.room;
    let event = match board {
        Some(board) => board
            .event
            .as_ref()
            .map(|known| (known.event.clone(), known.phase)),
        None => request.event(),
    };
    let is_by_lot = |(event, phase): &(Event, Phase)| {
        event.order.is_drawn() && (*phase == Phase::Before || phase.has_begun())
    };
    let [numbers, later] = match event.filter(is_by_lot) {
        Some(_) if is_decided => ["order_drawn", "order_later"],
        Some((_, Phase::Before | Phase::Prequeue | Phase::Drawing)) => ["lot", "order_later"],
        // A lot that opened undecided had no number to put in order.
        _ => ["order_arrival", ""],
    };
    let has_regions = room
        .regions
        .as_ref()
        .is_some_and(|regions| !regions.rule.list.is_empty());
    let shares = room.invitations.groups.list.iter().map(|group| group.share);
    let share = Some(shares.sum::<u64>().min(100)).filter(|share| *share > 0);
    let invited = Some(room.invitations.per_minute).filter(|many| *many > 0);
    let inside = inside(board, request);
    let admits = request.config.outage.policy == OnStoreError::Admit;
    let plain = |text| Some(Rule(text, None));
    let counted = |text, number: Option<u64>| number.map(|number| Rule(text, Some(number)));
    [
        plain(numbers),
        plain(later).filter(|_| !later.is_empty()),
        plain("order_regions").filter(|_| has_regions),
        counted("order_groups", share),
        counted("order_invited", invited),
        counted("order_cap", inside),
        plain("order_away").filter(|_| admits),
        plain("order_staff"),
        plain("order_past"),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// How many may be inside at a time, where that holds visitors back.
fn inside(board: Option<&Board>, request: &Request<'_>) -> Option<u64> {
    let room = request.room;
    let Some(board) = board else {
        let holds = room.cap.holds() && room.active_visitors == Enforcement::On;
        return holds.then_some(room.cap.total_active);
    };
    let sessions = board.sessions.as_ref();
    let holds = sessions.filter(|told| told.enforcement == Enforcement::On);
    holds.map(|told| told.total_active)
}
