//! The live settings: what is configured, what holds now, who set that and when.

use serde_json::{Value, json};

use super::{moment, pace_words};
use crate::admission::{Mode, Pace};
use crate::config::Config;
use crate::line::{Board, Change, Set};
use crate::page::LONGEST_MESSAGE;

/// The four modes as buttons, each with what it means.
pub(super) fn modes(board: &Board, path: &str, once: &str) -> Value {
    let live = &board.sign.live;
    let row = |mode: Mode| {
        json!({
            "name": mode.name(),
            "means": means(mode),
            "label": label(mode),
            "now": mode == live.mode,
            "path": path,
            "once": once,
            "version": live.version,
        })
    };
    Mode::ALL.map(row).to_vec().into()
}

fn label(mode: Mode) -> &'static str {
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
        Mode::Hold => "Nobody new goes in. Numbers are drawn as ever.",
        Mode::Open => "Everybody goes in, and is counted. Asks first.",
        Mode::Closed => "Nobody new goes in, nobody draws, and the page says so.",
    }
}

/// The mode, and since when.
pub(super) fn mode(board: &Board, now_ms: u64) -> Value {
    let mode = board.sign.live.mode;
    json!({
        "name": mode.name(),
        "label": label(mode),
        "means": means(mode),
        "moves": mode.lets_in(),
        "stands": !mode.lets_in(),
        "differs": mode != Mode::Automatic,
        "set": set(board.mode.as_ref(), now_ms),
    })
}

/// The pace; in the form stands what its sender just wanted, if that was refused.
pub(super) fn pace(board: &Board, config: &Config, refused: Option<&Change>, now_ms: u64) -> Value {
    let live = board.sign.live.pace;
    let kept = match refused {
        Some(Change::Pace(Some(pace))) => Some(*pace),
        _ => None,
    };
    let form = kept.unwrap_or(live);
    json!({
        "configured": pace_words(config.pace),
        "now": pace_words(live),
        "differs": live != config.pace,
        "set": set(board.pace.as_ref(), now_ms),
        "quantity": form.quantity,
        "automatic": form.automatic,
        "kept": kept.is_some(),
        "most": Pace::QUANTITY.end(),
        "longest": Pace::AUTOMATIC.end(),
    })
}

/// The message; in the form stands what its sender just wanted, if that was refused.
pub(super) fn message(
    board: &Board,
    config: &Config,
    refused: Option<&Change>,
    now_ms: u64,
) -> Value {
    let configured = config.pages.brand.message.as_ref();
    let live = board.sign.live.message.as_ref();
    let now = live.or(configured).filter(|text| !text.is_empty());
    let kept = match refused {
        Some(Change::Message(Some(text))) => Some(text),
        _ => None,
    };
    json!({
        "configured": configured,
        "unconfigured": configured.is_none(),
        "now": now,
        "nothing": now.is_none(),
        "differs": live.is_some(),
        "set": set(board.message.as_ref(), now_ms),
        "form": kept.or(now),
        "longest": LONGEST_MESSAGE,
        "kept": kept.is_some(),
    })
}

fn set(set: Option<&Set>, now_ms: u64) -> Option<Value> {
    set.map(|set| json!({ "at": moment(set.at_ms, now_ms), "by": set.by }))
}
