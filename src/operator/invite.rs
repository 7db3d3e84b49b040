//! An invitation for a program that has no key to sign one.
//!
//! Invariant: no store is asked and nothing is kept, so it is made while the store is away, and asked for again it is another one.
//! The code stands in the answer alone.

use std::io::Read;

use super::input::{Fields, LONGEST_BODY, Refusal, wrong};
use super::{Answered, misunderstood, simply};
use crate::config::closest;
use crate::http::Reply;
use crate::http::moment::moment;
use crate::http::object::object;
use crate::page::iso_8601;
use crate::queue::invitation::is_batch;
use crate::queue::{Invitation, Invitations, Lane, LaneName, Reason};
use crate::request::Request;
use crate::ticket::invitation::sign_invitation;
use crate::visitor::invitation::none_taken;

/// An invitation as it was asked for, where the room takes any.
pub(super) fn invite(body: &mut dyn Read, request: &Request<'_>) -> Answered {
    if !request.room.invitations.are_taken() {
        return simply(none_taken(), Reason::BadOperatorRequest);
    }
    match read(body, request) {
        Ok(invitation) => made(&invitation, request),
        Err(refusal) => misunderstood(&refusal, "nothing was made"),
    }
}

/// Every one of them is sound.
fn read(body: &mut dyn Read, request: &Request<'_>) -> Result<Invitation, Refusal> {
    let content_type = request.call.header("content-type");
    let example = r#"{"batch": "shop", "expires": "2030-02-01T00:00:00Z"}"#;
    let mut fields = Fields::read(&content_type, body, LONGEST_BODY, example)?;
    let rule = &request.room.invitations;
    let group = group(fields.text("group")?.as_deref(), rule)?;
    let batch = fields.text("batch")?;
    let uses = fields.number("uses", Invitation::USES)?.unwrap_or(1);
    let expires = fields.text("expires")?;
    fields.end()?;
    let is_good = |batch: &&String| is_batch(batch) && !rule.have_revoked(batch);
    let Some(named) = batch.as_ref().filter(is_good) else {
        let accepted =
            "a name of 1 to 32 letters, digits, - and _ that invitations_revoked does not list";
        return Err(wrong("batch", batch.as_deref(), accepted));
    };
    let end = |text: &String| Invitation::end_at(moment(text)?, request.now);
    let Some(ends) = expires.as_ref().and_then(end) else {
        return Err(wrong("expires", expires.as_deref(), Invitation::END));
    };
    Ok(Invitation {
        id: request.call.id.clone(),
        uses,
        ends,
        batch: named.clone(),
        group,
    })
}

/// The group of this name; none leads straight in, where any visitor may go in so.
fn group(given: Option<&str>, rule: &Invitations) -> Result<Option<LaneName>, Refusal> {
    let group = given.and_then(LaneName::read);
    let is_there = match group {
        Some(name) => rule.groups.has(Lane::Named(name)),
        None => given.is_none() && rule.per_minute > 0,
    };
    if is_there {
        return Ok(group);
    }
    let groups = rule.groups.list.iter();
    let names: Vec<&str> = groups.map(|group| group.name.as_str()).collect();
    let why = match given {
        None => ", since invited_per_minute is 0".to_owned(),
        Some(_) if names.is_empty() => "no group, since priority is empty".to_owned(),
        Some(given) => closest(given, &names)
            .map_or_else(String::new, |meant| format!("; did you mean {meant}?")),
    };
    Err(wrong("group", given, &(names.join(", ") + &why)))
}

fn made(invitation: &Invitation, request: &Request<'_>) -> Answered {
    let room = &request.room.name;
    let code = sign_invitation(&request.config.tickets.keys, invitation, room, request.now);
    let Invitation { uses, batch, .. } = invitation;
    let group = invitation.group.as_ref().map(LaneName::as_str);
    let expires = iso_8601(invitation.ends.saturating_mul(1000));
    let way = group.map_or_else(|| "straight in".to_owned(), |group| format!("to {group}"));
    let action = format!("invitation of batch {batch} {way}, uses: {uses}, until {expires}");
    let told = object!({
        "invitation": code,
        "room": room.as_str(),
        "group": group,
        "batch": batch.as_str(),
        "uses": *uses,
        "expires": expires,
    });
    Answered {
        action: Some(action),
        ..simply(Reply::json(201, &told), Reason::Invitation)
    }
}
