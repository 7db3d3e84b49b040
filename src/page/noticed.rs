//! What the page says besides where the visitor stands: why the number is a new one, or what became of an invitation.

use super::Waiting;
use crate::i18n::Language;
use crate::ticket::Notice;

/// The name of the text that says so.
fn text_of(notice: Notice) -> &'static str {
    match notice {
        Notice::Anew => "anew",
        Notice::Lapsed => "lapsed",
        Notice::Used => "used",
        Notice::InvitationExpired | Notice::InvitationRevoked => "invitation_over",
        _ => notice.name(),
    }
}

/// Why the number is a new one, and which one it is; or what became of an invitation.
pub(super) fn notice(waiting: &Waiting, words: &Language) -> Option<String> {
    let notice = waiting.told()?;
    let reason = words.text(text_of(notice));
    if !notice.is_of_number() {
        return Some(reason.to_owned());
    }
    let number = words.number(waiting.position?.0);
    let told = words.text("new_number").replace("{n}", &number);
    Some(format!("{reason} {told}"))
}
