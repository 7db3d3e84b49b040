//! Upstash's REST protocol as a pure codec: a command becomes a body, status and body become a value or a fault.
//!
//! Whatever the status says, a body with `error` is an error; whatever the body says, a status outside 2xx is one too.

use std::cell::RefCell;
use std::io::Read;
use std::time::Duration;

use crate::queue::{FORMAT, Noted, Recount, Released, Sickness};
use serde_json::Value;

/// Carries one body to the store and brings back status and body. The only seam between the rules and the wire.
pub trait Transport {
    /// One POST to the root of the store's URL, with the token. `None` when no answer came within the deadline, or when
    /// the request has no such attempt left.
    fn post(&self, body: &str, attempt: Attempt) -> Option<(u16, Vec<u8>)>;

    /// Whether the platform has refused a call of this sandbox for their number: a later one without an answer was refused too.
    fn is_at_limit(&self) -> bool {
        false
    }

    /// Hears that a verb of the line got no usable answer, however many calls it made.
    fn failed(&self, _fault: &StoreError) {}

    /// Hears that a verb released visitors who waited.
    fn released(&self, _released: &Released) {}
    /// Hears which lines of the journal a verb wrote.
    fn noted(&self, _noted: &Noted) {}
    /// Hears that a verb found out that it is not known who is inside.
    fn recounts(&self, _recount: &Recount) {}
    /// Hears that the origin has become sick by what a verb brought.
    fn sickened(&self, _sickness: &Sickness) {}
}

/// Which call of a request this is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attempt {
    /// The one call that a request may make.
    First,
    /// The script in full, after the store answered `NOSCRIPT`. That answer proves that the store is well, so this call
    /// always follows, however long the first one took.
    AfterNoScript,
    /// The panel as it is now, after the store refused an operator's change: no visitor waits for that.
    AfterRefusal,
}

/// The calls that one request has made, so that it makes no others than it may: a visitor waits for one, or for two where
/// the first was answered `NOSCRIPT`.
#[derive(Debug, Default)]
pub struct Attempts(RefCell<Vec<Attempt>>);

impl Attempts {
    /// Takes an attempt; `false` when the request has made this call, or may not make it yet.
    pub fn take(&self, attempt: Attempt) -> bool {
        let mut made = self.0.borrow_mut();
        let is_left = match attempt {
            Attempt::First => made.is_empty(),
            Attempt::AfterNoScript => {
                matches!(made.last(), Some(Attempt::First | Attempt::AfterRefusal))
            }
            Attempt::AfterRefusal => !made.contains(&Attempt::AfterRefusal),
        };
        if is_left {
            made.push(attempt);
        }
        is_left
    }
}

/// Why the store gave no usable answer. Coarse on purpose: the visitor's answer is the same for all of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreError {
    /// Refused, cut off, or later than the deadline: the platform does not tell which.
    NoAnswer,
    /// 401: the token is wrong.
    Unauthorized,
    /// 429, or the plan's quota is used up.
    OverQuota,
    /// Any other status outside 2xx.
    Status(u16),
    /// The script is not in the store's cache. Handled by the line, which then sends the script itself.
    NoScript,
    /// The line is kept in another [format](crate::queue::FORMAT), by another version of the service.
    OtherFormat(u64),
    /// The store answered `error`.
    Rejected(String),
    /// The answer was not what the protocol or the script promises.
    Garbled,
    /// It was not asked: calls of this data centre failed a moment ago, and only few may try; or this sandbox may make no more.
    NotAsked,
}

impl StoreError {
    /// Its name among what is counted.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::NoAnswer => "no_answer",
            Self::Unauthorized => "unauthorized",
            Self::OverQuota => "over_quota",
            Self::Status(_) => "status",
            Self::NoScript | Self::OtherFormat(_) | Self::Rejected(_) => "rejected",
            Self::Garbled => "garbled",
            Self::NotAsked => "not_asked",
        }
    }
}

impl std::fmt::Display for StoreError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NoAnswer => f.write_str("the store did not answer within the deadline"),
            Self::Unauthorized => f.write_str("the store refused upstash_token (401)"),
            Self::OverQuota => f.write_str("the store's quota or rate is used up"),
            Self::Status(status) => write!(f, "the store answered with status {status}"),
            Self::NoScript => f.write_str("the store forgot a script it was just given"),
            Self::OtherFormat(kept) => f.write_str(&other_format(*kept)),
            Self::Rejected(error) => write!(f, "the store rejected the call: {error}"),
            Self::Garbled => f.write_str("the store's answer could not be understood"),
            Self::NotAsked => {
                f.write_str("the store was not asked, since calls failed here a moment ago or this sandbox may make no more")
            }
        }
    }
}

/// That the line is kept in this format, and the way out.
#[must_use]
pub fn other_format(kept: u64) -> String {
    format!(
        "the line is kept in format {kept}, and this version has format {FORMAT}: publish the version that began it, or delete the room's keys, which ends its tickets"
    )
}

/// The longest that a call takes as a whole, answer and body: what the deadlines to connect, to the first byte and between two bytes
/// leave open is an answer of which each byte comes in time.
pub const LONGEST_CALL: Duration = Duration::from_secs(2);

/// The longest answer that is read, in bytes: none of the script is a tenth as long.
const LONGEST_ANSWER: usize = 4_000_000;

/// The body of an answer to its end; none where that does not come in time, or at all. One that is complete when the time is over is
/// as good as any, and `length` is what the answer says of its own.
pub fn read_in_time(
    body: &mut impl Read,
    length: impl Fn() -> Option<usize>,
    took: impl Fn() -> Duration,
) -> Option<Vec<u8>> {
    // Nearly every answer fits: each piece is one more call of the host.
    let mut piece = [0; 4096];
    let mut whole = Vec::new();
    loop {
        let read = body.read(&mut piece).ok()?;
        if read == 0 {
            return Some(whole);
        }
        whole.extend_from_slice(piece.get(..read)?);
        let is_late = took() >= LONGEST_CALL && length() != Some(whole.len());
        if is_late || whole.len() > LONGEST_ANSWER {
            return None;
        }
    }
}

/// The most of an error text of the store that goes into a log line, in characters: with what stands around it, also on a developer's
/// machine, no more than the 256 that the log's schema allows.
const ERROR_TEXT: usize = 140;
/// The longest word of an error text that is taken for one: a token is longer, or has digits and signs in it.
const LONGEST_WORD: usize = 16;

/// Words the command as the JSON array that the protocol takes.
#[must_use]
pub fn encode(command: &[&str]) -> String {
    serde_json::to_string(command).unwrap_or_default()
}

/// As bytes, like every other JSON of the service: a reader of texts would be in the Wasm besides.
fn read(body: &[u8]) -> Option<Value> {
    serde_json::from_slice(body).ok()
}

/// Reads the store's answer.
///
/// # Errors
/// A [`StoreError`] for everything but a 2xx with `result`.
pub fn decode(answer: Option<(u16, Vec<u8>)>) -> Result<Value, StoreError> {
    let (status, body) = answer.ok_or(StoreError::NoAnswer)?;
    let mut body = read(&body).unwrap_or_default();
    if let Some(error) = body.get("error").and_then(Value::as_str) {
        return Err(rejected(status, error));
    }
    match status {
        401 => Err(StoreError::Unauthorized),
        429 => Err(StoreError::OverQuota),
        200..=299 => body
            .get_mut("result")
            .map(Value::take)
            .ok_or(StoreError::Garbled),
        other => Err(StoreError::Status(other)),
    }
}

fn rejected(status: u16, error: &str) -> StoreError {
    if error.starts_with("NOSCRIPT") {
        StoreError::NoScript
    } else if let Some(Ok(kept)) = error.strip_prefix("FORMAT ").map(str::parse) {
        StoreError::OtherFormat(kept)
    } else if status == 401 {
        StoreError::Unauthorized
    } else if status == 429 || error.contains("limit exceeded") {
        StoreError::OverQuota
    } else if status >= 500 {
        StoreError::Status(status)
    } else {
        StoreError::Rejected(plain(error))
    }
}

/// Only the words of a sentence: the store may quote what it was sent, and that comes with the token.
fn plain(error: &str) -> String {
    let mark = |c: char| ".,:;'\"()`".contains(c);
    let is_plain = |word: &str| {
        word.len() <= LONGEST_WORD && word.bytes().all(|byte| byte.is_ascii_alphabetic())
    };
    let words = error.split_ascii_whitespace();
    let words = words.map(|word| match word.trim_matches(mark) {
        bare if is_plain(bare) => bare,
        _ => "…",
    });
    let text = words.collect::<Vec<_>>().join(" ");
    text.chars().take(ERROR_TEXT).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cache::outbox::FAULTS;

    fn read(status: u16, body: &str) -> Result<Value, StoreError> {
        decode(Some((status, body.as_bytes().to_vec())))
    }

    #[test]
    fn every_fault_has_a_kind_that_is_counted() {
        let faults = [
            StoreError::NoAnswer,
            StoreError::Unauthorized,
            StoreError::OverQuota,
            StoreError::Status(503),
            StoreError::Rejected("ERR".into()),
            StoreError::Garbled,
        ];
        assert_eq!(faults.map(|fault| fault.kind()), FAULTS);
    }

    #[test]
    fn a_request_makes_one_call_and_one_more_after_noscript() {
        use Attempt::{AfterNoScript, AfterRefusal, First};
        for (asked, made) in [
            (&[First, First, First][..], [true, false, false]),
            (&[First, AfterNoScript, AfterNoScript], [true, true, false]),
            (&[First, AfterNoScript, First], [true, true, false]),
            (&[AfterNoScript, First, AfterNoScript], [false, true, true]),
            (&[First, AfterRefusal, AfterRefusal], [true, true, false]),
            (&[AfterRefusal, AfterNoScript, First], [true, true, false]),
        ] {
            let attempts = Attempts::default();
            let taken: Vec<bool> = asked.iter().map(|call| attempts.take(*call)).collect();
            assert_eq!(taken, made, "{asked:?}");
        }
    }

    #[test]
    fn a_command_is_a_json_array_of_strings() {
        assert_eq!(
            encode(&["EVALSHA", "ab", "1", "queue:{main}", "say \"hi\""]),
            r#"["EVALSHA","ab","1","queue:{main}","say \"hi\""]"#
        );
    }

    #[test]
    fn a_result_is_taken_whatever_its_type() {
        assert_eq!(
            read(200, r#"{"result":[1,2]}"#),
            Ok(serde_json::json!([1, 2]))
        );
        assert_eq!(read(200, r#"{"result":null}"#), Ok(Value::Null));
    }

    #[test]
    fn an_error_is_an_error_whatever_the_status() {
        let word = r#"{"error":"ERR something failed"}"#;
        let expected = Err(StoreError::Rejected("ERR something failed".into()));
        assert_eq!(read(200, word), expected);
        assert_eq!(read(400, word), expected);
        assert_eq!(
            read(
                400,
                r#"{"error":"NOSCRIPT No matching script. Please use EVAL."}"#
            ),
            Err(StoreError::NoScript)
        );
        assert_eq!(
            read(
                400,
                r#"{"error":"ERR max requests limit exceeded. Limit: 1"}"#
            ),
            Err(StoreError::OverQuota)
        );
    }

    #[test]
    fn every_fault_has_one_of_few_names() {
        assert_eq!(decode(None), Err(StoreError::NoAnswer));
        assert_eq!(
            read(401, r#"{"error":"WRONGPASS"}"#),
            Err(StoreError::Unauthorized)
        );
        assert_eq!(read(401, ""), Err(StoreError::Unauthorized));
        assert_eq!(read(429, ""), Err(StoreError::OverQuota));
        assert_eq!(
            read(500, r#"{"error":"ERR x"}"#),
            Err(StoreError::Status(500))
        );
        assert_eq!(read(503, "<html>"), Err(StoreError::Status(503)));
        assert_eq!(read(301, r#"{"result":1}"#), Err(StoreError::Status(301)));
        assert_eq!(read(200, r#"{"result":[1,"#), Err(StoreError::Garbled));
        assert_eq!(read(200, "[]"), Err(StoreError::Garbled));
        assert_eq!(read(200, "{}"), Err(StoreError::Garbled));
    }

    /// An answer that comes in pieces of a length, each this many milliseconds after the one before.
    struct Slow<'a> {
        left: usize,
        piece: usize,
        pause: u64,
        now: &'a std::cell::Cell<u64>,
    }

    impl Read for Slow<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let length = self.piece.min(self.left).min(buffer.len());
            self.left -= length;
            self.now.set(self.now.get() + self.pause);
            Ok(length)
        }
    }

    /// How much was read, and when that was over.
    fn slow(left: usize, piece: usize, pause: u64, says: bool) -> (Option<usize>, u64) {
        let now = std::cell::Cell::new(0);
        let mut body = Slow {
            left,
            piece,
            pause,
            now: &now,
        };
        let length = || says.then_some(left);
        let took = || Duration::from_millis(now.get());
        let read = read_in_time(&mut body, length, took);
        (read.map(|whole| whole.len()), now.get())
    }

    #[test]
    fn an_answer_that_trickles_is_none_after_two_seconds() {
        assert_eq!(slow(430, 8, 300, true), (None, 2_100));
        assert_eq!(slow(430, 8, 300, false), (None, 2_100));
        assert_eq!(slow(48, 8, 300, true), (Some(48), 2_100), "in time");
        assert_eq!(slow(430, 100, 0, false), (Some(430), 0));
        assert_eq!(slow(0, 8, 300, true), (Some(0), 300));
    }

    #[test]
    fn an_answer_that_is_complete_is_one_however_late_it_came() {
        assert_eq!(slow(430, 430, 5_000, true), (Some(430), 10_000));
        assert_eq!(slow(430, 430, 5_000, false), (None, 5_000), "who knows");
    }

    #[test]
    fn an_answer_without_an_end_is_none() {
        let (read, _) = slow(usize::MAX, 4096, 0, false);
        assert_eq!(read, None);
    }

    #[test]
    fn what_the_store_quotes_is_left_out() {
        let word = r#"{"error":"ERR invalid token 'Bearer AX0sACQgN2E5'; near 'OnlyLettersButAGoodManyMore': (denied)."}"#;
        let told = "ERR invalid token Bearer … near … denied";
        assert_eq!(read(400, word), Err(StoreError::Rejected(told.into())));
    }

    #[test]
    fn a_long_error_text_is_cut() {
        let body = format!(r#"{{"error":"ERR {}"}}"#, "again ".repeat(5000));
        let Err(StoreError::Rejected(text)) = read(400, &body) else {
            unreachable!("an error is rejected");
        };
        assert_eq!(text.chars().count(), ERROR_TEXT);
    }
}
