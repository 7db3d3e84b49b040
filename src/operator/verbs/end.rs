//! Ends sessions, where a cap holds: the slots are free for other visitors, and every POP refuses the tickets.

use crate::config::Room;
use crate::http::is_unseen;
use crate::http::object::object;
use serde_json::Value;

use super::{Ask, Asking, Changes, Flash, Intent, Verb};
use crate::operator::input::{Fields, Refusal, wrong};
use crate::operator::login::{Audience, Right};
use crate::page::{Question, number};
use crate::queue::{Action, Board, Change, Effect, EndedSession};

/// How many passes are taken at once.
const MOST: usize = 100;

/// The verb.
pub(super) static VERB: Verb = Verb {
    route: "end",
    acts: &["end"],
    needs: (Audience::Api, Right::Permit),
    changes: Changes::Line,
    longest_body: 65_536,
    example: |_| r#"{"passes": ["the value of Queue-Pass"]}"#.to_owned(),
    read,
    flash,
    listed,
};

/// Whose sessions end.
pub struct End {
    /// By the ticket's id, or by what its holder can read out.
    pub sessions: Vec<EndedSession>,
    /// The reference that was given, if one was.
    pub reference: Option<String>,
}

fn read(fields: &mut Fields, asking: &Asking<'_>) -> Result<Box<dyn Intent>, Refusal> {
    let accepted = "a list of 1 to 100 texts, each the value of a Queue-Pass of the last day";
    let passes = fields.list("passes", accepted)?;
    let reference = fields.text("reference")?;
    let sessions = match (passes, &reference) {
        (Some(passes), None) if (1..=MOST).contains(&passes.len()) => of_passes(&passes, asking)?,
        (Some(passes), None) => {
            let found = format!("{} texts", passes.len());
            return Err(wrong("passes", Some(&found), accepted));
        }
        (None, Some(reference)) => vec![of_reference(reference)?],
        _ => {
            let text = "accepted is either passes or reference, and one of them is needed";
            return Err(Refusal::Value(text.to_owned()));
        }
    };
    Ok(Box::new(End {
        sessions,
        reference,
    }))
}

fn of_passes(passes: &[String], asking: &Asking<'_>) -> Result<Vec<EndedSession>, Refusal> {
    let request = asking.request;
    let (keys, room) = (&request.config.tickets.keys, &request.room.name);
    let mut sessions: Vec<EndedSession> = Vec::with_capacity(passes.len());
    for (at, pass) in passes.iter().enumerate() {
        let holder = keys.holder(pass.trim(), room, request.now).ok_or_else(|| {
            let text = format!(
                "pass {} of {} is none of this room; accepted is the value of a Queue-Pass of the last day, as it came",
                at + 1,
                passes.len()
            );
            Refusal::Value(text)
        })?;
        let session = EndedSession::of_ticket(&holder.id, holder.session);
        // The later one of two passes of a ticket knows its session.
        match sessions.iter_mut().find(|known| known.mark == session.mark) {
            Some(known) if known.last < session.last => *known = session,
            Some(_) => {}
            None => sessions.push(session),
        }
    }
    Ok(sessions)
}

/// Phones and mail programs write dashes, spaces and marks of their own between the letters, and not all of them are seen.
fn of_reference(reference: &str) -> Result<EndedSession, Refusal> {
    let is_between = |letter: &char| {
        matches!(
            letter,
            '-' | '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' | '\u{ff0d}'
        ) || letter.is_whitespace()
            || is_unseen(*letter)
    };
    let digits: String = reference
        .chars()
        .filter(|letter| !is_between(letter))
        .collect();
    EndedSession::of_reference(&digits).ok_or_else(|| {
        let accepted = "what a visitor's page or the log calls a ticket, such as 3FA9-C0D1";
        wrong("reference", Some(reference), accepted)
    })
}

impl Intent for End {
    fn change(&self) -> Change {
        Change {
            ends: self.sessions.clone(),
            ..Change::new("end", Vec::new())
        }
    }

    fn question(&self) -> Option<Ask<'_>> {
        self.reference.as_ref()?;
        let mark = self.sessions.first()?.mark.to_ascii_uppercase();
        let ask: Ask<'_> = Box::new(move |_, _| Question {
            title: "End this visit?",
            text: format!(
                "If a visitor has ticket {}-{}, that visitor goes to the back of the line with the next request. The service cannot tell whether one has it, so compare the letters. That cannot be taken back.",
                mark.get(..4).unwrap_or_default(),
                mark.get(4..).unwrap_or_default(),
            ),
            yes: "End the visit",
            word: None,
        });
        Some(ask)
    }

    fn logged(&self, effect: Effect) -> String {
        let many = self.sessions.len();
        format!("end {} of {many}", effect.number)
    }

    fn told(&self, _: &Board, effect: Effect, _: &Room) -> Value {
        let (asked, later) = (self.sessions.len() as u64, effect.kept.unwrap_or(0));
        object!({
            "ended": effect.number,
            "later": later,
            "over": asked.saturating_sub(effect.number).saturating_sub(later),
        })
    }

    fn details(&self, effect: Effect) -> String {
        format!("&later={}", effect.kept.unwrap_or(0))
    }

    fn status(&self, effect: Effect) -> u16 {
        match effect.kept {
            None | Some(0) => 200,
            Some(_) => 202,
        }
    }

    fn refused_by_mode(&self, _: &Board) -> (&'static str, String) {
        let detail = "without a cap on who is inside there are no sessions to end; nothing moved";
        ("No cap is set", detail.to_owned())
    }
}

fn flash(flash: &Flash<'_>) -> String {
    match flash.number {
        0 if flash.detail("later").is_some_and(|later| later > 0) => {
            "That visit ends by itself: the list of ended visits is full, with 1,000 of them."
                .to_owned()
        }
        0 => "That ticket had been ended before.".to_owned(),
        _ => "Whether a visitor has that ticket is not known. If one has, it is refused everywhere within two seconds.".to_owned(),
    }
}

fn listed(action: &Action) -> String {
    match action.number {
        0 => "ended no visit".to_owned(),
        1 => "ended a visit".to_owned(),
        many => format!("ended {} visits", number(many)),
    }
}
