//! What tells what visitors did: what was counted here is sent to the store, and what it knows then is read. The metrics.

use super::{Answered, simply, store_trouble};
use crate::cache::outbox::Batch;
use crate::http::Reply;
use crate::queue::Reason;
use crate::request::Request;
use crate::store::Line;
use crate::store::upstash::StoreError;
use crate::telemetry::prometheus::{self, CONTENT_TYPE};

/// What the store knows with all that this POP counted.
pub(super) fn counted<'a, T>(
    request: &'a Request<'_>,
    read: impl FnOnce(&Line<'a>, &[Batch]) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    let batches = request.pop.batches();
    let told = read(&request.line(), &batches)?;
    request.pop.acknowledge(&batches);
    Ok(told)
}

/// What a scrape gets.
pub(super) fn metrics(request: &Request<'_>) -> Answered {
    let (pop, now_ms) = (request.pop, request.now.ms());
    let figures = match counted(request, Line::figures) {
        Ok(figures) => figures,
        Err(fault) => {
            let known = "what was counted is kept here, and told once the store is back";
            return store_trouble(fault, known);
        }
    };
    let copy = pop.peek().filter(|copy| copy.board.is_some());
    let age_ms = copy.map(|copy| now_ms.saturating_sub(copy.read_ms));
    let text = prometheus::text(request.room.name.as_str(), &figures, age_ms, now_ms);
    Answered {
        board: Some(figures.board),
        ..simply(Reply::new(200, CONTENT_TYPE, text), Reason::Metrics)
    }
}
