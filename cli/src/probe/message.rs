//! How soon a change is seen in this POP, and whether the old one comes back for a moment.
//!
//! Invariant: the message is put back as it was, unless an operator has changed it meanwhile.

use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::draws::Visitor;
use super::{Ask, Finding, Probe, TOKEN, unasked};

pub(super) const CHECK: &str = "a change, as visitors see it";

/// How long is looked.
pub(super) const LOOKING: Duration = Duration::from_secs(4);
/// Between two looks.
const PAUSE: Duration = Duration::from_millis(100);
/// What docs/explanation/how-the-line-works.md promises.
const PROMISED: Duration = Duration::from_secs(2);

/// What waiting visitors read meanwhile; the second where an operator has set the first.
const WORDS: [&str; 2] = [
    "One moment please. Your place is saved.",
    "One moment, please. Your place is saved.",
];

/// An operator's program, let in, and the message as it found it.
pub(super) struct Operator {
    token: String,
    /// `null` when it is the configured one.
    set: Value,
    now: Value,
    version: u64,
}

impl Operator {
    /// Tries the token, and reads what is to be put back.
    ///
    /// # Errors
    /// When the token is not right.
    pub(super) fn admitted(probe: &Probe<'_>, token: String) -> Result<Self, String> {
        let path = probe.route("settings");
        let answer = probe.ask(&bearer(&path, &token).owed())?;
        let why = match answer.status {
            200 => "the answer is not what is documented",
            401 => "the service does not know this token",
            403 => "this token is a permit_token, which changes no message",
            404 => {
                "the service has no admin_token, or its operators have a host of their own (admin_host)"
            }
            429 => "there were too many wrong logins; wait for a minute",
            503 => {
                "the store does not answer, or a secret of the operators is not sound; the log says which"
            }
            _ => "that is no answer of these routes",
        };
        let refused = || {
            let status = answer.status;
            format!(
                "{path} is answered {status} to the token in {TOKEN}: {why}. Needed is one that the secret admin_token holds."
            )
        };
        let told: Value = serde_json::from_str(&answer.body).unwrap_or_default();
        let version = told.get("version").and_then(Value::as_u64);
        let (Some(message), Some(version)) = (told.get("message"), version) else {
            return Err(refused());
        };
        if answer.status != 200 {
            return Err(refused());
        }
        let now = message.get("now").cloned().unwrap_or_default();
        let is_configured = message.get("configured") == Some(&now);
        Ok(Self {
            token,
            set: if is_configured {
                Value::Null
            } else {
                now.clone()
            },
            now,
            version,
        })
    }

    /// Sets the message, unless an operator has changed anything since this version.
    fn change(&self, probe: &Probe<'_>, message: &Value, version: u64) -> Ask {
        let body = json!({ "message": message, "version": version });
        bearer(&probe.route("message"), &self.token).json(body.to_string())
    }
}

fn bearer(path: &str, token: &str) -> Ask {
    Ask::get(path).with("authorization", format!("Bearer {token}"))
}

/// Sets the message and looks at what a waiting visitor reads.
pub(super) fn check(
    probe: &Probe<'_>,
    operator: Option<&Operator>,
    visitors: &[Visitor],
) -> Finding {
    let Some(operator) = operator else {
        return Finding::unseen(CHECK, "nothing is changed without --token.");
    };
    let Some(waiting) = visitors.iter().find(|visitor| !visitor.is_inside) else {
        return Finding::unseen(CHECK, "no visitor of this run waits, and only a waiting visitor reads the POP's copy.")
            .mend("press Hold in the panel, run the command with --draw and --token, and press Automatic.");
    };
    let words = WORDS
        .into_iter()
        .find(|words| operator.now != *words)
        .unwrap_or_default();
    match probe.ask(&operator.change(probe, &json!(words), operator.version)) {
        Ok(answer) if answer.status == 200 => {}
        Ok(answer) if answer.status == 403 => {
            return Finding::unseen(CHECK, "this token only reads, so nothing was changed.")
                .mend(format!("put an admin_token without `read` into {TOKEN}."));
        }
        Ok(answer) => {
            let status = answer.status;
            return unasked(CHECK, &format!("The message could not be set: {status}."));
        }
        // Whether it was set is unknown. If it was not, there is nothing of this version to put back.
        Err(error) => {
            let back = put_back(probe, operator, words);
            return unasked(
                CHECK,
                &format!("{error} {}", back.err().unwrap_or_default()),
            );
        }
    }
    let seen = look(probe, waiting, words);
    match put_back(probe, operator, words) {
        Ok(()) => judge(seen),
        Err(error) => Finding::differs(CHECK, error)
            .means("waiting visitors still read what this command wrote.")
            .mend("set the message in the panel, or Back to what is configured."),
    }
}

/// Each change raises the version by one, so ours is the next one. Where an operator has changed something meanwhile, such
/// as the mode, the message is still ours to put back unless it was the message.
fn put_back(probe: &Probe<'_>, operator: &Operator, words: &str) -> Result<(), String> {
    let back = |version| probe.ask(&operator.change(probe, &operator.set, version).owed());
    let ours = operator.version.saturating_add(1);
    let told = back(ours).and_then(|answer| {
        if answer.status != 409 {
            return Ok(Some(answer));
        }
        let found = Operator::admitted(probe, operator.token.clone())?;
        if found.now == words {
            back(found.version).map(Some)
        } else {
            Ok(None)
        }
    });
    let why = match told {
        Ok(None) => return Ok(()),
        Ok(Some(answer)) if answer.status == 200 => return Ok(()),
        Ok(Some(answer)) => format!("{}.", answer.status),
        Err(error) => error,
    };
    let was = &operator.set;
    Err(format!(
        "The message was {was} and could not be put back: {why}"
    ))
}

/// When the new one was first read, and when the old one was read for the last time.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    first_new: Option<Duration>,
    last_old: Option<Duration>,
    looks: u32,
}

fn look(probe: &Probe<'_>, waiting: &Visitor, words: &str) -> Result<Seen, String> {
    let ask = Ask::get(&probe.route("place")).with("cookie", waiting.cookie.as_str());
    let begin = Instant::now();
    let mut seen = Seen::default();
    while begin.elapsed() < LOOKING {
        let answer = probe.ask(&ask)?;
        let told: Value = serde_json::from_str(&answer.body).unwrap_or_default();
        if told.get("waiting") != Some(&Value::Bool(true)) {
            return Err(
                "The visitor's turn came meanwhile, so nothing more can be read.".to_owned(),
            );
        }
        seen.looks += 1;
        if answer.body.contains(words) {
            seen.first_new.get_or_insert(begin.elapsed());
        } else {
            seen.last_old = Some(begin.elapsed());
        }
        sleep(PAUSE);
    }
    Ok(seen)
}

fn judge(seen: Result<Seen, String>) -> Finding {
    let seen = match seen {
        Ok(seen) => seen,
        Err(error) => {
            return Finding::unseen(CHECK, error)
                .mend("press Hold in the panel first, and run it again.");
        }
    };
    let late = "a POP shows an old copy for longer than is promised; a hold or a message comes later there.";
    let mend = "run it again, and from other regions. If it stays so, the core cache of this POP is read stale after it was overwritten: report it, with the POP.";
    let Some(first) = seen.first_new else {
        let words = format!(
            "the new message was not seen within {} s in {} looks.",
            LOOKING.as_secs(),
            seen.looks
        );
        return Finding::differs(CHECK, words).means(late).mend(mend);
    };
    let words = match seen.last_old {
        Some(old) if old > first => format!(
            "seen first after {} ms; the old message was read again until {} ms, in {} looks.",
            first.as_millis(),
            old.as_millis(),
            seen.looks
        ),
        _ => format!(
            "seen after {} ms, and in every look from then on.",
            first.as_millis()
        ),
    };
    if first.max(seen.last_old.unwrap_or_default()) > PROMISED {
        return Finding::differs(CHECK, words).means(late).mend(mend);
    }
    Finding::fine(CHECK, words).means("two seconds are promised; the message is as it was before.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probe::report::Verdict;

    #[test]
    fn an_old_message_after_two_seconds_differs() {
        let told = |first_new: Option<u64>, last_old: Option<u64>| {
            judge(Ok(Seen {
                first_new: first_new.map(Duration::from_millis),
                last_old: last_old.map(Duration::from_millis),
                looks: 30,
            }))
            .verdict
        };
        assert_eq!(told(Some(3), None), Verdict::Fine);
        assert_eq!(told(Some(1_900), Some(1_800)), Verdict::Fine);
        assert_eq!(told(Some(3), Some(1_500)), Verdict::Fine);
        assert_eq!(told(Some(3), Some(2_500)), Verdict::Differs);
        assert_eq!(told(Some(2_100), Some(2_000)), Verdict::Differs);
        assert_eq!(told(None, Some(3_900)), Verdict::Differs);
    }
}
