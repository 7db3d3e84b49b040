//! What the tools sign offline, invitations and allowances, and receipts. What a stranger sends is none. What was signed comes back as
//! it was signed, in a ticket too, and is wrong once one byte of it is another. Bytes that begin with `{` are signed as claims, all
//! others as the words of a receipt, too.

use now_serving::queue::{AllowFault, Invitation, Invited};
use now_serving::ticket::allowance::sign_allowance;
use now_serving::ticket::invitation::sign_invitation;
use now_serving::ticket::keys::{Purpose, sealed};
use now_serving::ticket::{Receipt, ReceiptFault};

use crate::input::{Input, altered};
use crate::keys::{KEYS, NOW, ROOM, encoded, is_worth_nothing, now};
use crate::ticket;

/// Nothing longer is looked at.
const LOOKED_AT: usize = 512;

/// Reads an invitation, and signs some.
pub fn target(bytes: &[u8]) {
    is_worth_nothing(&String::from_utf8_lossy(bytes));
    if bytes.first() == Some(&b'{') {
        claimed(bytes);
    } else {
        let mut input = Input::new(bytes);
        invitation(&mut input);
        allowance(&mut input);
        receipt(bytes, &mut input);
    }
}

fn receipt(words: &[u8], input: &mut Input<'_>) {
    let text = [b"receipt1 main ", words].concat();
    let key = KEYS.of(Purpose::Receipt).next().unwrap_or_default();
    let given = sealed(&encoded(&text), &key);
    let Ok(receipt) = Receipt::read(&given, &ROOM, &KEYS) else {
        return;
    };
    let written = receipt.written(&ROOM, &KEYS);
    assert_eq!(
        Receipt::read(&written, &ROOM, &KEYS),
        Ok(receipt),
        "{given}"
    );
    if let Some(other) = altered(&written, input) {
        is_worth_nothing(&other);
        let read = Receipt::read(&other, &ROOM, &KEYS);
        assert_eq!(read, Err(ReceiptFault::Altered), "{other}");
    }
}

fn claimed(claims: &[u8]) {
    let claims = encoded(claims);
    let signed = |kind: &str, purpose| {
        let header = format!(r#"{{"alg":"HS256","typ":"{kind}"}}"#);
        let text = format!("{}.{claims}", encoded(header.as_bytes()));
        let key = KEYS.of(purpose).next().unwrap_or_default();
        sealed(&text, &key)
    };
    let code = signed("queue-invite+jwt", Purpose::Invitation);
    if let Ok(invitation) = KEYS.invitation(&code, &ROOM, now()) {
        is_the_same(&invitation);
    }
    let token = signed("queue-allow+jwt", Purpose::Allowance);
    let _ = KEYS.allowance(&token, &ROOM, now());
    for (kind, purpose) in [
        ("queue-allow+jwt", Purpose::Invitation),
        ("queue-invite+jwt", Purpose::Allowance),
        ("JWT", Purpose::Pass),
    ] {
        is_worth_nothing(&signed(kind, purpose));
    }
}

/// Signed again, and on a ticket.
fn is_the_same(invitation: &Invitation) -> Option<String> {
    let code = sign_invitation(&KEYS, invitation, &ROOM, now())?;
    let read = KEYS.invitation(&code, &ROOM, now());
    let is_none = code.len() > LOOKED_AT || !invitation.is_sound(now());
    let expected = match (is_none, invitation.ends > NOW) {
        (true, _) => Err(Invited::Wrong),
        (_, true) => Ok(invitation.clone()),
        (_, false) => Err(Invited::Expired),
    };
    assert_eq!(read, expected, "{code}");
    let on_ticket = Invitation::read(&invitation.written());
    assert_eq!(on_ticket.as_ref(), Some(invitation));
    Some(code)
}

fn invitation(input: &mut Input<'_>) {
    let code = is_the_same(&ticket::invitation(input));
    if let Some(other) = code.and_then(|code| altered(&code, input)) {
        is_worth_nothing(&other);
        let read = KEYS.invitation(&other, &ROOM, now());
        assert_eq!(read, Err(Invited::Wrong), "{other}");
    }
}

fn allowance(input: &mut Input<'_>) {
    let (name, ends) = (input.name(32), input.number());
    let token = sign_allowance(&KEYS, &name, ends, &ROOM, now()).unwrap_or_default();
    let expected = if ends > NOW {
        Ok(name)
    } else {
        Err(AllowFault::Expired)
    };
    assert_eq!(KEYS.allowance(&token, &ROOM, now()), expected, "{token}");
    if let Some(other) = altered(&token, input) {
        let read = KEYS.allowance(&other, &ROOM, now());
        assert_eq!(read, Err(AllowFault::Wrong), "{other}");
    }
}
