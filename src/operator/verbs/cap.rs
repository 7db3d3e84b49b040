//! Sets how many visitors may be inside, or goes back to what is configured.

use super::{Asking, Changes, Intent, Verb};
use crate::operator::input::{Fields, LONGEST_BODY, Refusal, wrong};
use crate::operator::login::{Audience, Right};
use crate::page::{Proposal, people};
use crate::queue::{Action, Cap, Change, Effect, Renewing};

/// The verb.
pub(super) static VERB: Verb = Verb {
    route: "cap",
    acts: &["cap"],
    needs: (Audience::Api, Right::Set),
    changes: Changes::Settings,
    longest_body: LONGEST_BODY,
    example: |_| r#"{"total_active": 200, "session_minutes": 20, "claim_seconds": 60}"#.to_owned(),
    read,
    flash: |_| "The cap is set: in effect everywhere within two seconds.".to_owned(),
    listed,
};

/// The cap that is asked for; `None` is what is configured.
pub struct SetCap(pub Option<Cap>);

/// What is not named is as configured.
fn read(fields: &mut Fields, asking: &Asking<'_>) -> Result<Box<dyn Intent>, Refusal> {
    super::pace::is_own("cap", asking)?;
    if fields.are_given_back(&["total_active"]) {
        return Ok(Box::new(SetCap(None)));
    }
    let configured = asking.request.room.cap;
    let total = fields.number("total_active", Cap::TOTAL_ACTIVE)?;
    let minutes = fields.number("session_minutes", Cap::SESSION_MINUTES)?;
    let seconds = fields.number("claim_seconds", Cap::CLAIM_SECONDS)?;
    let renewal = match fields.text("session_renewal")? {
        None => configured.renewal,
        Some(word) => Renewing::named(&word)
            .ok_or_else(|| wrong("session_renewal", Some(&word), "on or off"))?,
    };
    let missing = || wrong("total_active", None, "how many may be inside; 0 for no cap");
    Ok(Box::new(SetCap(Some(Cap {
        total_active: total.ok_or_else(missing)?,
        session_minutes: minutes.unwrap_or(configured.session_minutes),
        claim_seconds: seconds.unwrap_or(configured.claim_seconds),
        renewal,
    }))))
}

impl Intent for SetCap {
    fn change(&self) -> Change {
        let cap = self.0.map(|cap| ("live_cap", cap.written()));
        Change::new("cap", Vec::from_iter(cap))
    }

    fn proposal(&self) -> Option<Proposal> {
        self.0.map(Proposal::Cap)
    }

    fn logged(&self, _: Effect) -> String {
        worded(self.0)
    }
}

fn worded(cap: Option<Cap>) -> String {
    match cap {
        None => "cap as configured".to_owned(),
        Some(cap) if !cap.holds() => "no cap".to_owned(),
        Some(cap) => format!(
            "cap {}, sessions of {} minutes{}",
            people(cap.total_active),
            cap.session_minutes,
            match cap.renewal {
                Renewing::On => "",
                Renewing::Off => ", of fixed length",
            }
        ),
    }
}

fn listed(action: &Action) -> String {
    worded(Cap::read(&action.value))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{action, assert_listed};

    #[test]
    fn a_cap_has_its_words() {
        assert_listed(&[
            (
                action("cap", 0, "1500 20 60 on", ""),
                "cap 1,500 people, sessions of 20 minutes",
            ),
            (
                action("cap", 0, "1500 20 60 off", ""),
                "cap 1,500 people, sessions of 20 minutes, of fixed length",
            ),
            (action("cap", 0, "0 20 60 on", ""), "no cap"),
            (action("cap", 0, "", ""), "cap as configured"),
        ]);
    }
}
