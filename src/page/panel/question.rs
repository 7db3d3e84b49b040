//! The question before what cannot be undone.

use serde_json::Value;

use super::{Forecast, shown_as};
use crate::http::Reply;
use crate::http::object::object;
use crate::page::built_in;

/// A press that lets in more visitors than this asks first.
pub const ASKS_ABOVE: u64 = 100;

/// A pace that is this many times the last one asks first.
pub const ASKS_FROM_TIMES: u64 = 5;

/// What is asked before something that cannot be undone.
pub struct Question {
    /// The question.
    pub title: &'static str,
    /// What it does, and to how many.
    pub text: String,
    /// The word on the button.
    pub yes: &'static str,
    /// What has to be typed.
    pub word: Option<String>,
}

/// The question, with what would follow where that is known, and with what the form said as hidden fields. The answer goes to the route
/// below the operators' path.
#[must_use]
pub fn question(
    path: &str,
    route: &str,
    question: &Question,
    forecast: Option<Forecast>,
    again: &[(String, String)],
) -> Reply {
    let fields = again.iter().filter(|(name, _)| name != "word");
    let fields =
        fields.map(|(name, value)| object!({ "name": name.as_str(), "value": value.as_str() }));
    let data = object!({
        "title": question.title,
        "text": question.text.as_str(),
        "forecast": forecast.map(|Forecast { words, empty }| object!({ "words": words, "empty": empty })),
        "yes": question.yes,
        "word": question.word.as_deref(),
        "path": path,
        "route": route,
        "fields": fields.collect::<Vec<Value>>(),
    });
    shown_as(&built_in::QUESTION, 200, &data)
}
