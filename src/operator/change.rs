//! What an operator's request changes: read, asked about where it cannot be undone, done once, and told.

use std::io::Read;

use hmac_sha256::Hash as Sha256;
use jwt_simple::reexports::ct_codecs::{Encoder, Hex};
use serde_json::{Value, json};

use super::{Answered, Route, desk, simply, store_trouble};
use crate::cache::{Copied, Pop};
use crate::config::Config;
use crate::http::{Call, Reply};
use crate::operator::input::{Fields, Refusal, wrong};
use crate::operator::login::{Operator, Rights, Via};
use crate::page::{LONGEST_MESSAGE, Trouble, UNSAYABLE, is_sayable};
use crate::queue::Reason;
use crate::queue::{Author, Change, Changed, Effect, Once, Place, Sign};
use crate::queue::{Mode, Pace};
use crate::store::Line;
use crate::ticket::Standing;
use crate::visitor::ticket_cookie;

/// What is known of a change whose answer was lost.
const UNKNOWN: &str = "whether anything changed is unknown: look at the figures once they are back, or repeat it with the same Idempotency-Key";

/// The same in the panel, whose forms carry a key of their own.
const UNKNOWN_HERE: &str = "Whether anything was changed is unknown. Look at the figures once they are back, or go back and send the same form again: it changes the line once.";

/// What the panel says of a form that was sent before with other values.
const SENT_BEFORE: &str = "This form was already sent, with other values. Nothing was changed this time: look at the figures, and send it again if you want both.";

/// More than this many at once are asked about.
const MANY: u64 = 100;

/// The longest Idempotency-Key, in characters.
const LONGEST_KEY: usize = 255;
/// The longest key of a form.
const LONGEST_ONCE: usize = 80;
/// The largest version: what every language's numbers hold exactly (RFC 8259, 6).
const LARGEST: u64 = 9_007_199_254_740_991;

/// A request that was understood.
struct Asked {
    change: Change,
    seen: Option<u64>,
    once: Option<Once>,
    /// Whether the form's sender has been asked.
    is_sure: bool,
}

/// Answers a request to change something.
pub(super) fn answer(
    route: Route,
    call: &Call,
    operator: &Operator,
    body: &mut dyn Read,
    line: &Line<'_>,
    near: &dyn Pop,
    config: &Config,
) -> Answered {
    let now = line.now_ms / 1000;
    let content_type = call.header("content-type");
    let in_browser = operator.via == Via::Basic && Fields::is_form(&content_type);
    let fields = Fields::read(&content_type, body, &example(route, config));
    let typed = fields.as_ref().map(Fields::texts).unwrap_or_default();
    let asked = match fields.and_then(|fields| read(route, call, operator, fields, config, now)) {
        Ok(asked) => asked,
        Err(refusal) if in_browser => {
            let told = format!("Nothing was changed: {refusal}.");
            let trouble = Trouble::Mistyped {
                told: &told,
                typed: &typed,
            };
            let shown = desk::panel(status(&refusal), Some(trouble), call, line, near, config);
            let reason = match shown.reason {
                Reason::NotChanged => Reason::BadOperatorRequest,
                other => other,
            };
            return Answered { reason, ..shown };
        }
        Err(refusal) => return simply(refused(&refusal), Reason::BadOperatorRequest),
    };
    if in_browser && !asked.is_sure && is_asked_about(&asked.change) {
        return desk::ask(&asked.change, &typed, line, config);
    }
    let address = call.address.map(|address| address.to_string());
    let author = Author {
        name: &operator.name,
        address: address.as_deref().unwrap_or_default(),
        is_told: operator.rights == Rights::All,
        seen: asked.seen,
        once: asked.once,
    };
    let changed = match line.change(&asked.change, &author) {
        Ok(changed) => changed,
        Err(fault) if in_browser => return desk::without_store(fault, UNKNOWN_HERE, config),
        Err(fault) => return store_trouble(fault, UNKNOWN),
    };
    let (sign, effect) = match changed {
        Changed::Done(sign, effect) => {
            near.put(&Copied::new(sign.clone(), line.now_ms));
            (sign, effect)
        }
        // What was seen then is nothing to show to visitors now.
        Changed::Again(sign, effect) => (sign, effect),
        Changed::Outdated(_) if in_browser => {
            let seen = author.seen.unwrap_or_default();
            let change = &asked.change;
            let trouble = Trouble::Outdated { change, seen };
            return desk::panel(409, Some(trouble), call, line, near, config);
        }
        Changed::Reused if in_browser => {
            let trouble = Trouble::Mistyped {
                told: SENT_BEFORE,
                typed: &typed,
            };
            return desk::panel(409, Some(trouble), call, line, near, config);
        }
        not_done => {
            let told = not_done_words(&asked.change, &not_done);
            return not_changed(told, in_browser, call, line, near, config);
        }
    };
    let reply = if in_browser {
        desk::back(&asked.change, &sign, effect, call, line, config)
    } else {
        Reply::json(200, &told(&asked.change, &sign, effect))
    };
    Answered {
        action: Some(action(&asked.change, effect.number)),
        sign: Some(sign),
        ..simply(reply, reason(&asked.change))
    }
}

fn read(
    route: Route,
    call: &Call,
    operator: &Operator,
    mut fields: Fields,
    config: &Config,
    now: u64,
) -> Result<Asked, Refusal> {
    let by_form = fields.by_form;
    let once = if by_form {
        form_key(&mut fields)?
    } else {
        None
    };
    let key = header_key(call)?.or(once);
    let is_sure = by_form && is_sure(&mut fields)?;
    let seen = match route {
        Route::Mode | Route::Settings | Route::Message => fields.number("version", 0..=LARGEST)?,
        _ => None,
    };
    let asked = format!("{route:?} {}", fields.digestible());
    let once = key.map(|key| Once {
        key: digest(&format!("{}\n{key}", operator.name)),
        asked: digest(&asked),
    });
    let change = change(route, &mut fields, by_form && !is_sure, config)?;
    let id = once.as_ref().map_or_else(|| call.id.clone(), ticket_id);
    let change = change.for_ticket(id, || held(call, config, now));
    fields.end()?;
    Ok(Asked {
        change,
        seen,
        once,
        is_sure,
    })
}

fn change(
    route: Route,
    fields: &mut Fields,
    is_first: bool,
    config: &Config,
) -> Result<Change, Refusal> {
    Ok(match route {
        Route::Mode => mode(fields)?,
        Route::Settings => pace(fields)?,
        Route::Message => message(fields)?,
        Route::Credit => Change::ClearCredit,
        Route::Epoch => {
            let word = fields.text("word")?;
            // A form is asked for it when it is asked whether its sender is sure.
            if !(is_first && word.is_none()) && word.as_ref() != Some(&config.room) {
                let accepted = format!("the name of the room, {:?}", config.room);
                return Err(wrong("word", word.as_deref(), &accepted));
            }
            Change::RaiseEpoch
        }
        Route::Ticket if !fields.by_form => {
            let text = "a test ticket is kept by a browser, and comes with its form; accepted is application/x-www-form-urlencoded";
            return Err(Refusal::Type(text.to_owned()));
        }
        Route::Ticket => match fields.text("act")?.as_deref() {
            Some("draw") => Change::Draw(String::new()),
            Some("jump") => Change::Jump {
                id: String::new(),
                held: None,
            },
            other => return Err(wrong("act", other, "draw or jump")),
        },
        _ => Change::Permit {
            amount: fields.number("amt", 1..=config.permit_max)?.unwrap_or(1),
            credit_max: config.credit_max,
        },
    })
}

fn mode(fields: &mut Fields) -> Result<Change, Refusal> {
    let name = fields.text("mode")?;
    let mode = name.as_deref().and_then(Mode::named);
    let accepted = "automatic, hold, open or closed";
    mode.map(Change::Mode)
        .ok_or_else(|| wrong("mode", name.as_deref(), accepted))
}

fn pace(fields: &mut Fields) -> Result<Change, Refusal> {
    if fields.are_given_back(&["automatic", "automatic_quantity"]) {
        return Ok(Change::Pace(None));
    }
    let automatic = fields.number("automatic", Pace::AUTOMATIC)?;
    let quantity = fields.number("automatic_quantity", Pace::QUANTITY)?;
    let missing = |name, accepted| move || wrong(name, None, accepted);
    Ok(Change::Pace(Some(Pace {
        automatic: automatic.ok_or_else(missing("automatic", "the seconds of a period"))?,
        quantity: quantity.ok_or_else(missing("automatic_quantity", "how many in a period"))?,
    })))
}

fn message(fields: &mut Fields) -> Result<Change, Refusal> {
    if fields.are_given_back(&["message"]) {
        return Ok(Change::Message(None));
    }
    let text = fields.text("message")?;
    match text {
        Some(text) if is_sayable(&text, LONGEST_MESSAGE) => {
            Ok(Change::Message(Some(text.trim().to_owned())))
        }
        other => {
            let accepted =
                format!("a text of at most {LONGEST_MESSAGE} characters without {UNSAYABLE}");
            Err(wrong("message", other.as_deref(), &accepted))
        }
    }
}

/// The key of a form that was shown, so that sent twice it is one change.
fn form_key(fields: &mut Fields) -> Result<Option<String>, Refusal> {
    let Some(key) = fields.text("once")? else {
        return Ok(None);
    };
    let is_sound = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    if (1..=LONGEST_ONCE).contains(&key.len()) && key.bytes().all(is_sound) {
        return Ok(Some(key));
    }
    let accepted = format!("1 to {LONGEST_ONCE} small letters, digits and -");
    Err(wrong("once", Some(&key), &accepted))
}

/// Whether the form's sender has been asked.
fn is_sure(fields: &mut Fields) -> Result<bool, Refusal> {
    match fields.text("sure")?.as_deref() {
        None => Ok(false),
        Some("yes") => Ok(true),
        other => Err(wrong("sure", other, "yes")),
    }
}

/// The key by which a program makes sure that a repeat does nothing.
fn header_key(call: &Call) -> Result<Option<String>, Refusal> {
    match call.lines("idempotency-key").count() {
        0 => return Ok(None),
        1 => {}
        _ => {
            let several = "several of them";
            return Err(wrong("Idempotency-Key", Some(several), "one"));
        }
    }
    let key = call.header("idempotency-key");
    let is_sound =
        (1..=LONGEST_KEY).contains(&key.len()) && key.bytes().all(|byte| byte.is_ascii_graphic());
    if is_sound {
        Ok(Some(key.into_owned()))
    } else {
        let accepted = format!("1 to {LONGEST_KEY} visible ASCII characters");
        Err(wrong("Idempotency-Key", Some(&key), &accepted))
    }
}

/// The place in the line of the ticket that the operator's browser holds.
fn held(call: &Call, config: &Config, now: u64) -> Option<Place> {
    match ticket_cookie::ticket(call, config, now)?.standing {
        Standing::Waiting(place) => Some(place),
        Standing::Unnumbered { .. } | Standing::Admitted { .. } => None,
    }
}

/// The same operator with the same key draws for the same ticket.
fn ticket_id(once: &Once) -> String {
    let digest = digest(&format!("ticket\n{}", once.key));
    digest.chars().take(32).collect()
}

/// What this route takes, for a sender whose JSON is no object.
fn example(route: Route, config: &Config) -> String {
    match route {
        Route::Mode => r#"{"mode": "hold"}"#.to_owned(),
        Route::Settings => r#"{"automatic": 15, "automatic_quantity": 20}"#.to_owned(),
        Route::Message => r#"{"message": "Doors open at eight."}"#.to_owned(),
        Route::Epoch => json!({ "word": config.room }).to_string(),
        Route::Permit => r#"{"amt": 5}"#.to_owned(),
        _ => "{}".to_owned(),
    }
}

fn digest(text: &str) -> String {
    Hex::encode_to_string(Sha256::hash(text.as_bytes())).unwrap_or_default()
}

/// What cannot be undone, or touches many.
fn is_asked_about(change: &Change) -> bool {
    match change {
        Change::Permit { amount, .. } => *amount > MANY,
        Change::Mode(mode) => *mode == Mode::Open,
        Change::ClearCredit | Change::RaiseEpoch => true,
        _ => false,
    }
}

fn status(refusal: &Refusal) -> u16 {
    match refusal {
        Refusal::Value(_) => 400,
        Refusal::TooLarge(_) => 413,
        Refusal::Type(_) => 415,
    }
}

fn refused(refusal: &Refusal) -> Reply {
    let title = match refusal {
        Refusal::Value(_) => "Bad request",
        Refusal::TooLarge(_) => "Content too large",
        Refusal::Type(_) => "Unsupported media type",
    };
    Reply::problem(status(refusal), title, &format!("{refusal}; nothing moved"))
}

/// Why nothing was done: in few words, and in more.
fn not_done_words(change: &Change, changed: &Changed) -> (&'static str, String) {
    let is_draw = matches!(change, Change::Draw(_) | Change::Jump { .. });
    match changed {
        Changed::Outdated(sign) => (
            "Changed in the meantime",
            format!(
                "somebody else changed the settings: {}; nothing of yours was set, look and set it again",
                settings_words(sign)
            ),
        ),
        Changed::Standing(_) if is_draw => (
            "The room is closed",
            "it draws no numbers, so this browser got no test ticket; nothing moved".to_owned(),
        ),
        Changed::Standing(sign) => (
            "Nobody is let in",
            format!("the mode is {}; nothing moved", sign.live.mode.name()),
        ),
        Changed::Done(..) | Changed::Again(..) | Changed::Reused => (
            "Key already used",
            "this Idempotency-Key was used for something else within a day; nothing moved"
                .to_owned(),
        ),
    }
}

fn not_changed(
    (title, detail): (&str, String),
    in_browser: bool,
    call: &Call,
    line: &Line<'_>,
    near: &dyn Pop,
    config: &Config,
) -> Answered {
    if in_browser {
        let trouble = format!("{title}: {detail}.");
        return desk::panel(409, Some(Trouble::Told(&trouble)), call, line, near, config);
    }
    simply(Reply::problem(409, title, &detail), Reason::NotChanged)
}

fn settings_words(sign: &Sign) -> String {
    let live = &sign.live;
    format!(
        "version {}, mode {}, {} visitors every {} s",
        live.version,
        live.mode.name(),
        live.pace.quantity,
        live.pace.automatic
    )
}

fn reason(change: &Change) -> Reason {
    match change {
        Change::Permit { .. } => Reason::Permit,
        _ => Reason::Changed,
    }
}

/// For the log: what was done, without the words of a message.
fn action(change: &Change, number: u64) -> String {
    match change {
        Change::Permit { amount, .. } => format!("permit {number} of {amount}"),
        Change::Mode(mode) => format!("mode {}", mode.name()),
        Change::Pace(Some(pace)) => format!("pace {} every {} s", pace.quantity, pace.automatic),
        Change::Pace(None) => "pace as configured".to_owned(),
        Change::Message(Some(_)) => "message set".to_owned(),
        Change::Message(None) => "message as configured".to_owned(),
        Change::ClearCredit => format!("credit {number} cleared"),
        Change::RaiseEpoch => format!("epoch raised, {number} tickets waiting ended"),
        Change::Draw(_) => format!("test ticket {number} drawn"),
        Change::Jump { .. } if number == 0 => "test ticket let in".to_owned(),
        Change::Jump { .. } => format!("test ticket {number} let in"),
    }
}

/// For programs.
fn told(change: &Change, sign: &Sign, effect: Effect) -> Value {
    let number = effect.number;
    match change {
        Change::Permit { amount, .. } => json!({
            "cursor": sign.cursor.0,
            "length": sign.length,
            "waiting": sign.waiting(),
            "released": number,
            "credit": sign.credit,
            "dropped": effect.dropped(*amount),
        }),
        Change::ClearCredit => json!({ "credit": sign.credit, "cleared": number }),
        Change::RaiseEpoch => json!({ "epoch": sign.epoch, "ended": number }),
        _ => json!({
            "version": sign.live.version,
            "mode": sign.live.mode,
            "automatic": sign.live.pace.automatic,
            "automatic_quantity": sign.live.pace.quantity,
            "message": sign.live.message,
            "cursor": sign.cursor.0,
        }),
    }
}
