//! A number with a fraction, in thousandths.

use super::{Fields, Refusal, wrong_json};
use crate::http::json::Value;

impl Fields {
    /// A number from 0 on with a fraction or without, in thousandths, if it is there at all.
    ///
    /// # Errors
    /// When it is something else, or too large.
    pub fn thousandths(&mut self, name: &'static str, most: u32) -> Result<Option<u64>, Refusal> {
        let Some(value) = self.take(name) else {
            return Ok(None);
        };
        let text = match &value {
            Value::Text(text) if self.is_form => Some(text),
            Value::Number(text) => Some(text),
            Value::Text(_) | Value::Other(_) => None,
        };
        let number: Option<serde_json::Value> =
            text.and_then(|text| serde_json::from_slice(text.as_bytes()).ok());
        let number = number.and_then(|number| number.as_f64());
        match number.filter(|number| (0.0..=f64::from(most)).contains(number)) {
            // At most some thousands, and never below 0.
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "the range says so"
            )]
            Some(number) => Ok(Some((number * 1000.0).round() as u64)),
            None => Err(wrong_json(
                name,
                &value,
                &format!("a number from 0 to {most}, such as 0.83"),
            )),
        }
    }
}
