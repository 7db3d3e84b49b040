//! What a ticket says of the journal.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use now_serving::queue::Head;
use serde_json::Value;

/// The head that a ticket carries. Its signature is not checked, since that needs the secret.
///
/// # Errors
/// When it is no ticket, or one that was signed before there was a journal.
pub fn head_of(ticket: &str) -> Result<Head, String> {
    let payload = ticket.trim().split('.').nth(1);
    let bytes = payload.and_then(|payload| URL_SAFE_NO_PAD.decode(payload).ok());
    let claims: Option<Value> = bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    let claims = claims.ok_or("--ticket is not a ticket. Accepted is the value of the cookie: three parts with dots between them.")?;
    let head = claims.get("head").and_then(Value::as_str);
    let read = head.and_then(Head::read);
    read.ok_or_else(|| "The ticket carries no head: it was signed before the journal began.".into())
}
