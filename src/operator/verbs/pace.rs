//! Sets how fast visitors go in, or goes back to what is configured.

use super::{Asking, Changes, Intent, Verb};
use crate::operator::input::{Fields, LONGEST_BODY, Refusal, wrong};
use crate::operator::login::{Audience, Rights};
use crate::page::pace_words;
use crate::queue::{Action, Change, Effect, Pace};

/// The verb. Its route shows the settings to GET.
pub(in crate::operator) static VERB: Verb = Verb {
    route: "settings",
    acts: &["pace"],
    needs: (Audience::Api, Rights::All),
    changes: Changes::Settings,
    longest_body: LONGEST_BODY,
    example: |_| r#"{"automatic": 15, "automatic_quantity": 20}"#.to_owned(),
    read,
    flash: |_| "The pace is set: in effect everywhere within this period.".to_owned(),
    listed,
};

/// The pace that is asked for; `None` is what is configured.
pub struct SetPace(pub Option<Pace>);

fn read(fields: &mut Fields, _: &Asking<'_>) -> Result<Box<dyn Intent>, Refusal> {
    if fields.are_given_back(&["automatic", "automatic_quantity"]) {
        return Ok(Box::new(SetPace(None)));
    }
    let automatic = fields.number("automatic", Pace::AUTOMATIC)?;
    let quantity = fields.number("automatic_quantity", Pace::QUANTITY)?;
    let missing = |name, accepted| move || wrong(name, None, accepted);
    Ok(Box::new(SetPace(Some(Pace {
        automatic: automatic.ok_or_else(missing("automatic", "the seconds of a period"))?,
        quantity: quantity.ok_or_else(missing("automatic_quantity", "how many in a period"))?,
    }))))
}

impl Intent for SetPace {
    fn change(&self) -> Change {
        let details = self.0.map(|pace| {
            vec![
                ("live_automatic", pace.automatic.to_string()),
                ("live_quantity", pace.quantity.to_string()),
            ]
        });
        Change::new("pace", details.unwrap_or_default())
    }

    fn logged(&self, _: Effect) -> String {
        match self.0 {
            Some(pace) => format!("pace {} every {} s", pace.quantity, pace.automatic),
            None => "pace as configured".to_owned(),
        }
    }
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
