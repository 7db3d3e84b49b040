//! Rules that no script has: what the edge computes for one visitor, and how pages say it.

use now_serving::i18n;
use now_serving::queue::chance::Chance;
use now_serving::queue::health::marker_seconds;
use now_serving::queue::sessions::{AtVisit, free_slots};
use now_serving::queue::{
    Answered, Cursor, Enforcement, Measured, Pace, Position, Renewing, Sessions, Verdict, decide,
    estimated_wait, refresh_seconds, share, waiting,
};
use serde_json::{Value, json};

use tables::settings::{clock, pace, time};
use tables::table::{Case, Words, compare, span};

type Function = fn(&mut Words) -> Result<Value, String>;

/// Every function, by its name in a table.
const FUNCTIONS: [(&str, Function); 10] = [
    ("a visitor's place", place),
    ("the period of a time", period),
    ("words of a page", words_of),
    ("seconds until a page asks again", refresh),
    ("the estimated wait", estimate),
    ("how an answer of the origin counts", answered),
    ("the life of a marker", marker),
    ("free slots", free),
    ("a visit in a session", visit),
    ("what a POP lets in while the store is away", alone),
];

/// Plays a case of a table that names this function.
pub(super) fn play(function: &str, case: &Case) -> Result<(), String> {
    let found = FUNCTIONS.iter().find(|(name, _)| *name == function);
    let names = || FUNCTIONS.map(|(name, _)| name).join(", ");
    let (_, of) =
        found.ok_or_else(|| format!("no function {function:?}; known are {}", names()))?;
    let mut words = Words::new("given", Value::Object(case.given.clone()))?;
    let found = of(&mut words)?;
    words.end()?;
    compare(&Value::Object(case.then.clone()), &found, "")
}

fn place(words: &mut Words) -> Result<Value, String> {
    let (position, cursor) = (words.needed("position")?, words.needed("cursor")?);
    let verdict = decide(Position(position), Cursor(cursor));
    let length = words.number("length")?.unwrap_or(position);
    let ahead = match verdict {
        Verdict::Admit => 0,
        Verdict::Wait { ahead } => ahead,
    };
    Ok(json!({
        "admitted": verdict == Verdict::Admit,
        "ahead": ahead,
        "waiting": waiting(length, Cursor(cursor)),
    }))
}

fn pace_of(words: &mut Words) -> Result<Pace, String> {
    words
        .take("pace")
        .map_or(Ok(Pace::USUAL), |value| pace(&value))
}

fn period(words: &mut Words) -> Result<Value, String> {
    let (pace, at) = (pace_of(words)?, words.needed("ms_since_1970")?);
    Ok(json!({
        "period": pace.period(at),
        "began_at_second": pace.period_start(at),
    }))
}

fn words_of(words: &mut Words) -> Result<Value, String> {
    let language = words.text("language")?.unwrap_or_else(|| "en".to_owned());
    let language = i18n::words(&language);
    let ahead = words.needed("ahead")?;
    Ok(json!({
        "number": language.number(ahead),
        "sentence": language.counted("ahead", ahead),
    }))
}

fn refresh(words: &mut Words) -> Result<Value, String> {
    let (shortest, ahead) = (
        words.number("shortest")?.unwrap_or(5),
        words.needed("ahead")?,
    );
    let estimate = words.number("estimated_seconds")?;
    let seconds = (0..100).map(|chance| refresh_seconds(shortest, ahead, estimate, chance));
    let mut seconds: Vec<u64> = seconds.collect();
    seconds.sort_unstable();
    let ends = [seconds.first().copied(), seconds.last().copied()];
    seconds.dedup();
    Ok(json!({
        "shortest": ends[0],
        "longest": ends[1],
        "spread_over_at_least_8_seconds": seconds.len() >= 8,
    }))
}

/// What was measured until a second ago, or for as long as the line has stood since.
fn estimate(words: &mut Words) -> Result<Value, String> {
    let ahead = words.needed("ahead")?;
    let pace = words
        .take("pace")
        .map_or(Ok(tables::settings::OFF), |value| pace(&value))?;
    let at_ms = words.text("at")?;
    let now_ms = at_ms.map_or(clock("08:00:00"), |text| clock(&text))?;
    let released = words.number("released")?;
    let mut span_of = |name| words.take(name).map(|value| time(&value)).transpose();
    let (took, stood, step) = (
        span_of("within")?,
        span_of("stood_for")?,
        span_of("longest_step")?,
    );
    let measured = released.zip(took).map(|(released, took_ms)| Measured {
        released,
        took_ms,
        moved_ms: now_ms - stood.unwrap_or(0),
        step_ms: step.unwrap_or(2_000),
    });
    let wait = estimated_wait(ahead, measured, pace, now_ms);
    Ok(json!({
        "wait": wait.map_or(json!("unknown"), |seconds| json!(span(seconds * 1000))),
    }))
}

fn answered(words: &mut Words) -> Result<Value, String> {
    let status = words.number("status")?;
    let status = status
        .map(u16::try_from)
        .transpose()
        .map_err(|fault| fault.to_string())?;
    let took = words.number("took_ms")?.unwrap_or(10);
    let slow = words.number("slow_ms")?.unwrap_or(1000);
    let answered = Answered::of(status, took, slow);
    Ok(json!({ "counts_as": answered.name(), "healthy": answered == Answered::Ok }))
}

fn marker(words: &mut Words) -> Result<Value, String> {
    let lives = (0..words.needed("markers")?).map(|number| marker_seconds(Chance::new(number)));
    let mut lives: Vec<u64> = lives.collect();
    lives.sort_unstable();
    Ok(json!({
        "shortest": lives.first(),
        "longest": lives.last(),
        "all_equal": lives.first() == lives.last(),
    }))
}

fn free(words: &mut Words) -> Result<Value, String> {
    let promised = words.number("promised")?.unwrap_or(0);
    let free = free_slots(words.needed("limit")?, words.needed("active")?, promised);
    Ok(json!({ "free": free }))
}

/// Of a session whose last minute is that many minutes away; the cap holds since an hour ago.
fn visit(words: &mut Words) -> Result<Value, String> {
    const MINUTE: u64 = 30_000_000;
    let minutes = words.number("session_minutes")?.unwrap_or(20);
    let holds_back = match words.text("holds_back")?.as_deref() {
        None | Some("on") => Enforcement::On,
        Some("observe") => Enforcement::Observe,
        Some(other) => return Err(format!("{other:?} is neither on nor observe")),
    };
    let sessions = Sessions {
        minutes,
        enforcement: holds_back,
        renewal: Renewing::On,
        total_active: 10,
        told_ms: MINUTE * 60_000,
        since: MINUTE - 60,
        promised: 0,
        claimable: 1,
        late: 0,
        cells: Vec::new(),
        ended: 0,
        elsewhere: 0,
    };
    let left = words.take("minutes_left");
    let left = left.map(|left| left.as_i64().ok_or("minutes_left is a number"));
    let end = left
        .transpose()?
        .map(|left| MINUTE.saturating_add_signed(left));
    let stay = words.number("stay_minutes_left")?;
    let last = stay.map(|left| MINUTE + left);
    Ok(match sessions.at_a_visit(end, MINUTE, last) {
        AtVisit::Goes => {
            json!({ "session": "goes on", "minutes_left": end.map(|end| end - MINUTE) })
        }
        AtVisit::Over => json!({ "session": "over", "minutes_left": 0 }),
        AtVisit::Renewed(renewal) if renewal.from == 0 => {
            json!({ "session": "begins", "minutes_left": renewal.to - MINUTE })
        }
        AtVisit::Renewed(renewal) => {
            json!({ "session": "renewed", "minutes_left": renewal.to - MINUTE })
        }
    })
}

fn alone(words: &mut Words) -> Result<Value, String> {
    let interval = share::interval_us(pace_of(words)?, words.number("pops")?);
    Ok(json!({ "microseconds_between_visitors": interval }))
}
