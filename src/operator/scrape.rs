//! The metrics: what was counted here is sent to the store, and what it knows then is read.

use super::{Answered, simply, store_trouble};
use crate::http::Reply;
use crate::queue::Reason;
use crate::request::Request;
use crate::telemetry::prometheus::{self, CONTENT_TYPE};

/// What a scrape gets.
pub(super) fn metrics(request: &Request<'_>) -> Answered {
    let (pop, now_ms) = (request.pop, request.now.ms());
    let batches = pop.batches();
    let figures = match request.line().figures(&batches) {
        Ok(figures) => figures,
        Err(fault) => {
            let known = "what was counted is kept here, and told once the store is back";
            return store_trouble(fault, known);
        }
    };
    pop.acknowledge(&batches);
    let copy = pop.peek().filter(|copy| copy.board.is_some());
    let age_ms = copy.map(|copy| now_ms.saturating_sub(copy.read_ms));
    let text = prometheus::text(request.room.name.as_str(), &figures, age_ms, now_ms);
    Answered {
        board: Some(figures.board),
        ..simply(Reply::new(200, CONTENT_TYPE, text), Reason::Metrics)
    }
}
