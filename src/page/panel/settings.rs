//! The live settings: what is configured, what holds now, who set that and when.

use serde_json::Value;

use super::words::{number, pace_words, people, rate_words, set};
use super::{Configured, Rejection, band};
use crate::http::object::object;
use crate::page::LONGEST_MESSAGE;
use crate::queue::{Cap, Mode, Pace, PanelSnapshot, Renewing};

/// The four modes as buttons, each with what it means.
pub(super) fn modes(snapshot: &PanelSnapshot, path: &str, once: &str) -> Value {
    let live = &snapshot.board.live;
    let row = |(name, mode)| {
        object!({
            "name": name,
            "means": means(mode),
            "label": label(mode),
            "kind": band::kind(mode).name,
            "now": mode == live.mode,
            "path": path,
            "once": once,
            "version": live.version,
        })
    };
    Mode::ALL.map(row).to_vec().into()
}

pub(super) fn label(mode: Mode) -> &'static str {
    match mode {
        Mode::Automatic => "Automatic",
        Mode::Hold => "Hold",
        Mode::Open => "Open",
        Mode::Closed => "Closed",
    }
}

fn means(mode: Mode) -> &'static str {
    match mode {
        Mode::Automatic => "The line moves by its pace, by operators and by the origin.",
        Mode::Hold => "No new visitor goes in. Numbers are drawn as ever.",
        Mode::Open => "Every visitor goes in, and is counted. Asks first.",
        Mode::Closed => "No new visitor goes in, none draws a number, and the page says so.",
    }
}

/// The mode, and since when.
pub(super) fn mode(snapshot: &PanelSnapshot, now_ms: u64) -> Value {
    object!({
        "label": label(snapshot.board.live.mode),
        "set": set(snapshot.mode.as_ref(), now_ms),
    })
}

/// The pace; in the form stands what its sender just wanted, if that was refused.
pub(super) fn pace(
    snapshot: &PanelSnapshot,
    configured: &Configured<'_>,
    trouble: Option<Rejection<'_>>,
    now_ms: u64,
) -> Value {
    let live = snapshot.board.live.pace;
    let shared = shared(configured);
    let configured = configured.pace;
    let kept = trouble.and_then(|trouble| typed_pace(&trouble));
    let is_kept = kept.is_some();
    let (automatic, quantity) =
        kept.unwrap_or_else(|| (live.automatic.to_string(), live.quantity.to_string()));
    object!({
        "configured": pace_words(configured),
        "shared": shared,
        "now": pace_words(live),
        "rate": match live.automatic {
            0 => "off".to_owned(),
            _ => rate_words(live),
        },
        "runs": live.automatic > 0,
        "differs": live != configured,
        "asks": super::question::ASKS_FROM_TIMES,
        "set": set(snapshot.pace.as_ref(), now_ms),
        "quantity": quantity,
        "automatic": automatic,
        "kept": is_kept,
        "most": *Pace::QUANTITY.end(),
        "longest": *Pace::AUTOMATIC.end(),
    })
}

/// With which room pace and cap are shared.
fn shared(configured: &Configured<'_>) -> Option<String> {
    let of = configured.limits_of?;
    Some(if of == configured.room {
        "Other rooms share it.".to_owned()
    } else {
        format!("It is shared with room {of}: set it there.")
    })
}

/// Period and quantity as they were wanted.
fn typed_pace(trouble: &Rejection<'_>) -> Option<(String, String)> {
    let (automatic, quantity) = (
        trouble.typed("automatic"),
        trouble.typed("automatic_quantity"),
    );
    Some((automatic?.to_owned(), quantity?.to_owned()))
}

/// The cap; in the form stands what its sender just wanted, if that was refused.
pub(super) fn cap(
    snapshot: &PanelSnapshot,
    configured: &Configured<'_>,
    trouble: Option<Rejection<'_>>,
    now_ms: u64,
) -> Value {
    let (shared, configured) = (shared(configured), configured.cap);
    let live = snapshot.board.live.cap.unwrap_or(configured);
    let typed = |name| trouble.and_then(|trouble| trouble.typed(name));
    let (total, minutes) = (typed("total_active"), typed("session_minutes"));
    object!({
        "configured": cap_words(configured),
        "shared": shared,
        "now": cap_words(live),
        "differs": snapshot.board.live.cap.is_some(),
        "set": set(snapshot.cap.as_ref(), now_ms),
        "total": total.map_or_else(|| live.total_active.to_string(), str::to_owned),
        "minutes": minutes.map_or_else(|| live.session_minutes.to_string(), str::to_owned),
        "seconds": live.claim_seconds,
        "renewal": live.renewal.name(),
        "from": match live.renewal {
            Renewing::On => "the last request",
            Renewing::Off => "its beginning",
        },
        "holds": live.holds(),
        "reference": typed("reference").unwrap_or_default(),
        "kept": total.is_some(),
        "most": *Cap::TOTAL_ACTIVE.end(),
        "shortest": *Cap::SESSION_MINUTES.start(),
        "longest": *Cap::SESSION_MINUTES.end(),
    })
}

fn cap_words(cap: Cap) -> String {
    if !cap.holds() {
        return "none".to_owned();
    }
    let minutes = number(cap.session_minutes);
    format!("{} for {minutes} minutes", people(cap.total_active))
}

/// The message; in the form stands what its sender just wanted, if that was refused.
pub(super) fn message(
    snapshot: &PanelSnapshot,
    configured: Option<&str>,
    trouble: Option<Rejection<'_>>,
    now_ms: u64,
) -> Value {
    let live = snapshot.board.live.message.as_deref();
    let now = live.or(configured).filter(|text| !text.is_empty());
    let kept = trouble.and_then(|trouble| trouble.typed("message"));
    object!({
        "configured": configured,
        "unconfigured": configured.is_none(),
        "now": now,
        "nothing": now.is_none(),
        "differs": live.is_some(),
        "set": set(snapshot.message.as_ref(), now_ms),
        "form": kept.or(now),
        "longest": LONGEST_MESSAGE,
        "kept": kept.is_some(),
    })
}
