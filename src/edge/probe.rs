//! How the origin is, asked by no visitor's request: by a health check of the platform, and by a probe of ours. No visitor
//! waits for it.

use std::time::Instant;

use fastly::http::Url;

use now_serving::queue::chance::{Chance, Rule};
use now_serving::queue::{Answered, AnsweredTo, OriginHealth};
use now_serving::request::Request as Asked;

use super::outbox::Counts;
use super::to_origin::{ToOrigin, is_unhealthy};
use super::watch::{Head, elapsed_ms, head_in_time};

/// Asks, and notes what was seen. Whether the store should soon hear of it.
pub(super) fn has_bad_news(asked: &Asked<'_>, counts: &Counts) -> bool {
    let Some(answered) = answered(asked, counts) else {
        return false;
    };
    let to = AnsweredTo::Entrant { cuts: 0 };
    counts.tally.borrow_mut().watched(to, answered, asked.now);
    counts.flush_news();
    answered != Answered::Ok
}

/// Where a site of the room is known to be down, none is asked as well. Of several one is asked, by chance.
fn answered(asked: &Asked<'_>, counts: &Counts) -> Option<Answered> {
    let rule = asked.room.health;
    if rule.setting == OriginHealth::Off {
        return None;
    }
    let sites = asked.room.sites();
    if sites.iter().any(|site| is_unhealthy(site)) {
        return Some(Answered::Bad);
    }
    let path = asked.room.probe_path.as_deref()?;
    let last = u64::try_from(sites.len()).map_or(0, |many| many.saturating_sub(1));
    let at = Chance::of(&asked.call.id).between(Rule::Probe, 0, last);
    let site = usize::try_from(at)
        .ok()
        .and_then(|at| sites.get(at).copied())?;
    let host = site.host.as_ref().unwrap_or(&asked.call.host);
    let url = Url::parse(&format!("http://{host}{path}")).ok()?;
    counts.has_called();
    let began = Instant::now();
    let sent = ToOrigin::send_probe(&url, site);
    if sent.as_ref().is_err_and(|cause| counts.are_at_limit(cause)) {
        return None;
    }
    Some(
        match sent.and_then(|pending| head_in_time(pending, began, rule.slow_ms)) {
            Ok(Head::There(head, _)) => {
                let status = head.get_status().as_u16();
                Answered::of(Some(status), elapsed_ms(began), rule.slow_ms)
            }
            Ok(Head::Awaited(_)) => Answered::Late,
            Err(_) => Answered::Bad,
        },
    )
}
