//! What the store, tickets and a POP's cache keep as text, and times. What was read and is written again reads the same.

use now_serving::cache::outbox::{OutboxSlot, Tally};
use now_serving::cache::session::Session;
use now_serving::cache::{LoginFailures, decode, encode};
use now_serving::http::moment::moment;
use now_serving::page::iso_8601;
use now_serving::queue::{
    Begun, Cap, EndedSession, EndedSessions, Event, EventList, Invitation, Lane,
};
use std::fmt::Debug;

/// The first millisecond of the year 10000.
const LAST_MS: u64 = 253_402_300_800_000;

/// Reads a text in every way.
pub fn target(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    is_the_same(&text, Begun::read, Begun::written);
    is_the_same(&text, Cap::read, Cap::written);
    is_the_same(&text, EndedSession::read, EndedSession::written);
    is_the_same(&text, EndedSessions::read, EndedSessions::written);
    is_the_same(&text, Event::read, Event::written);
    is_the_same(&text, EventList::read, EventList::written);
    is_the_same(&text, Invitation::read, Invitation::written);
    is_kept(bytes, decode::<OutboxSlot>, encode);
    is_kept(bytes, decode::<LoginFailures>, encode);
    is_kept(bytes, decode::<Session>, encode);
    is_the_same(&text, Tally::decode, Tally::encode);
    if let Some(begun) = Begun::of_ticket(&text, Lane::read("vip").unwrap_or_default()) {
        let on_ticket = begun.on_ticket().unwrap_or_default();
        let drawn = Begun::of_ticket(&on_ticket, Lane::read("vip").unwrap_or_default());
        let again = drawn.as_ref().and_then(Begun::on_ticket);
        assert_eq!(again.as_ref(), Some(&on_ticket), "{begun:?}");
    }
    time(&text);
}

fn is_kept<T: Debug + PartialEq>(
    kept: &[u8],
    read: impl Fn(&[u8]) -> Option<T>,
    written: impl Fn(&T) -> Vec<u8>,
) {
    if let Some(value) = read(kept) {
        assert_eq!(read(&written(&value)).as_ref(), Some(&value), "{kept:?}");
    }
}

fn is_the_same<T: Debug + PartialEq>(
    text: &str,
    read: impl Fn(&str) -> Option<T>,
    written: impl Fn(&T) -> String,
) {
    if let Some(value) = read(text) {
        let text = written(&value);
        assert_eq!(read(&text).as_ref(), Some(&value), "{text:?}");
    }
}

fn time(text: &str) {
    if let Some(ms) = moment(text) {
        assert_eq!(ms % 1000, 0, "{text}");
        let written = iso_8601(ms);
        let read = moment(&written);
        assert!(read == Some(ms) || ms >= LAST_MS, "{text}: {written}");
    }
}
