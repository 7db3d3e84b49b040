//! The list of ended sessions as a POP has it: one note, renewed with the sign.

use super::marker::{Marker, Markers};
use crate::queue::{EndedSessions, Now};
use std::time::Duration;

/// Longer than the longest session lasts.
const LIFE: Duration = Duration::from_hours(5);

/// What this POP has; nothing where the note is gone, and all of it comes with the next look.
#[must_use]
pub fn kept(markers: &(impl Markers + ?Sized)) -> EndedSessions {
    let note = markers.marker(Marker::Ended).unwrap_or_default();
    let text = std::str::from_utf8(&note).ok();
    text.and_then(EndedSessions::read).unwrap_or_default()
}

/// Takes what the store says is new. Of two requests that do so at once one may undo the other, whose news come again.
pub fn take(markers: &(impl Markers + ?Sized), news: EndedSessions, store_time: Now) {
    let list = kept(markers).with(news, store_time);
    markers.put_marker(Marker::Ended, list.written().as_bytes(), LIFE);
}
