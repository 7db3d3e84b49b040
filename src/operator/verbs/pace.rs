//! Sets how fast visitors go in, or goes back to what is configured.

use super::{Ask, Asking, Changes, Flash, Intent, Verb};
use crate::operator::input::{Fields, LONGEST_BODY, Refusal, wrong};
use crate::operator::login::{Audience, Right};
use crate::page::{ASKS_FROM_TIMES, Proposal, Question, pace_words, people};
use crate::queue::{Action, Change, Effect, Pace};

/// The verb. Its route shows the settings to GET.
pub(in crate::operator) static VERB: Verb = Verb {
    route: "settings",
    acts: &["pace"],
    needs: (Audience::Api, Right::Set),
    changes: Changes::Settings,
    longest_body: LONGEST_BODY,
    example: |_| r#"{"automatic": 15, "automatic_quantity": 20}"#.to_owned(),
    read,
    flash,
    listed,
};

/// The pace that is asked for.
pub struct SetPace {
    /// `None` is what is configured.
    pub pace: Option<Pace>,
    /// The pace until now, as far as this data centre knows: it is asked about, not decided by.
    pub last: Pace,
}

fn read(fields: &mut Fields, asking: &Asking<'_>) -> Result<Box<dyn Intent>, Refusal> {
    is_own("pace", asking)?;
    let last = last_pace(asking);
    if fields.are_given_back(&["automatic", "automatic_quantity"]) {
        return Ok(Box::new(SetPace { pace: None, last }));
    }
    let automatic = fields.number("automatic", Pace::AUTOMATIC)?;
    let quantity = fields.number("automatic_quantity", Pace::QUANTITY)?;
    let missing = |name, accepted| move || wrong(name, None, accepted);
    let pace = Pace {
        automatic: automatic.ok_or_else(missing("automatic", "the seconds of a period"))?,
        quantity: quantity.ok_or_else(missing("automatic_quantity", "how many in a period"))?,
    };
    Ok(Box::new(SetPace {
        pace: Some(pace),
        last,
    }))
}

/// A limit that another room shares with this one is set there.
pub(super) fn is_own(what: &str, asking: &Asking<'_>) -> Result<(), Refusal> {
    let room = asking.request.room;
    let Some(of) = room.limits_of.as_ref().filter(|of| **of != room.name) else {
        return Ok(());
    };
    let text = format!(
        "this room shares the {what} of room {of}; accepted is a {what} set there, which holds for both"
    );
    Err(Refusal::Value(text))
}

/// While the pace is off, the configured one is the last; where that is off as well, the usual one. The store is not asked: a
/// change is one call.
fn last_pace(asking: &Asking<'_>) -> Pace {
    let request = asking.request;
    let board = request.pop.last().and_then(|copy| copy.board);
    let live = board.map(|board| board.live.pace);
    let paces = [live, Some(request.room.pace)].into_iter().flatten();
    let mut moving = paces.filter(|pace| pace.automatic > 0);
    moving.next().unwrap_or(Pace::USUAL)
}

impl Intent for SetPace {
    fn change(&self) -> Change {
        let details = self.pace.map(|pace| {
            vec![
                ("live_automatic", pace.automatic.to_string()),
                ("live_quantity", pace.quantity.to_string()),
            ]
        });
        Change::new("pace", details.unwrap_or_default())
    }

    fn question(&self) -> Option<Ask<'_>> {
        let (pace, last) = (self.pace?, self.last);
        let new = pace.quantity.saturating_mul(last.automatic);
        let times = new.checked_div(last.quantity.saturating_mul(pace.automatic))?;
        let ask: Ask<'_> = Box::new(move |board, _| Question {
            title: "Set this much faster pace?",
            text: format!(
                "{} is {times} times {}, the pace before. Waiting now: {}. Visitors who have gone in cannot be called back.",
                pace_words(pace),
                pace_words(last),
                people(board.waiting())
            ),
            yes: "Set the pace",
            word: None,
        });
        (times >= ASKS_FROM_TIMES).then_some(ask)
    }

    fn proposal(&self) -> Option<Proposal> {
        self.pace.map(Proposal::Pace)
    }

    fn details(&self, _: Effect) -> String {
        let details = |pace: Pace| format!("&every={}&visitors={}", pace.automatic, pace.quantity);
        self.pace.map_or_else(String::new, details)
    }

    fn logged(&self, _: Effect) -> String {
        match self.pace {
            Some(pace) => format!("pace {} every {} s", pace.quantity, pace.automatic),
            None => "pace as configured".to_owned(),
        }
    }
}

fn flash(flash: &Flash<'_>) -> String {
    let pace = flash.detail("every").zip(flash.detail("visitors"));
    let pace = pace.map(|(automatic, quantity)| Pace {
        automatic,
        quantity,
    });
    let pace = pace.map_or_else(|| "what is configured".to_owned(), pace_words);
    format!("The pace is set to {pace}: in effect everywhere within this period.")
}

/// The list has the period first, then the quantity.
fn listed(action: &Action) -> String {
    match (action.value.parse(), action.second.parse()) {
        (Ok(automatic), Ok(quantity)) => {
            let pace = Pace {
                automatic,
                quantity,
            };
            format!("pace {}", pace_words(pace))
        }
        _ => "pace as configured".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{action, assert_listed};

    #[test]
    fn a_pace_has_its_words() {
        assert_listed(&[
            (action("pace", 0, "15", "20"), "pace 20 every 15 seconds"),
            (action("pace", 0, "", ""), "pace as configured"),
            (action("pace", 0, "0", "5"), "pace off"),
        ]);
    }
}
