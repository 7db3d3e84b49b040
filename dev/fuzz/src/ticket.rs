//! A ticket. What a stranger sends is none. What we signed comes back as it was signed, is no pass, and is worth nothing once one byte of
//! it is another. Bytes that begin with `{` are signed as claims, as another version may have written them: what is read of them is
//! signed again to the same.

use now_serving::i18n::LANGUAGES;
use now_serving::queue::draw::commitment;
use now_serving::queue::{
    Begun, Cursor, Invitation, Invited, Lane, LaneName, Lot, Now, Order, Place, Position, Prequeue,
    WaitingProof,
};
use now_serving::ticket::challenge::Challenged;
use now_serving::ticket::keys::sealed;
use now_serving::ticket::{Grace, Notice, PassHolder, Ticket, TicketStage};

use crate::input::{Input, altered};
use crate::keys::{KEYS, NOW, ROOM, SECRET, encoded, is_worth_nothing, now};

/// Nothing longer is looked at. Tickets of the service are shorter, whose numbers are smaller than those here.
const LOOKED_AT: usize = 1300;

/// The longest that a setting gives, in seconds: the service signs nothing for longer.
const LONGEST_LIFE: u64 = 2_592_000;

/// Reads a ticket, and signs some.
pub fn target(bytes: &[u8]) {
    is_worth_nothing(&String::from_utf8_lossy(bytes));
    if bytes.first() == Some(&b'{') {
        claimed(bytes);
    } else {
        let mut input = Input::new(bytes);
        let ticket = ticket(&mut input);
        signed(&ticket, &mut input);
    }
}

fn claimed(claims: &[u8]) {
    let sample = Ticket::provisional("a", now());
    let sample = KEYS.sign(&sample, &ROOM, now(), 60).unwrap_or_default();
    let (header, _) = sample.split_once('.').unwrap_or_default();
    let token = sealed(&format!("{header}.{}", encoded(claims)), SECRET.as_bytes());
    let Some(ticket) = KEYS.verify_lapsed(&token, &ROOM, now()) else {
        return;
    };
    is_answered(&ticket);
    if ticket.life > LONGEST_LIFE {
        return;
    }
    let Some(once) = again(&ticket) else {
        return;
    };
    assert_eq!(once.id, ticket.id);
    assert_eq!(once.position(), ticket.position());
    assert_eq!(
        (once.signed, once.life, once.notice),
        (ticket.signed, ticket.life, ticket.notice)
    );
    let twice = again(&once);
    assert!(
        twice.is_none() || twice.as_ref() == Some(&once),
        "{once:?} is {twice:?}"
    );
}

/// The same ticket as it is read after it was signed; `None` where it has become too long to be looked at.
fn again(ticket: &Ticket) -> Option<Ticket> {
    let signed = Now::from_secs(ticket.signed);
    let token = KEYS.sign(ticket, &ROOM, signed, ticket.life)?;
    let read = KEYS.verify_lapsed(&token, &ROOM, signed);
    assert!(
        read.is_some() || token.len() > LOOKED_AT,
        "{ticket:?} is none once it is signed"
    );
    read
}

/// Whatever it says, what is asked of a ticket has an answer.
fn is_answered(ticket: &Ticket) {
    let _ = (
        ticket.is_inside(now()),
        ticket.has_lapsed(now()),
        ticket.is_to_be_renewed(now()),
    );
    let _ = (ticket.next_id(), ticket.drawing_id(now()), ticket.session());
    let _ = (
        ticket.has_answered_or_waited(now()),
        ticket.effort(now()),
        ticket.challenged_for(now()),
    );
    assert!(
        ticket.reference().chars().count() <= 9 * 3,
        "{}",
        ticket.reference()
    );
}

fn signed(ticket: &Ticket, input: &mut Input<'_>) {
    let Some(token) = KEYS.sign(ticket, &ROOM, now(), ticket.life) else {
        panic!("{ticket:?} cannot be signed");
    };
    let read = KEYS.verify(&token, &ROOM, now());
    if token.len() > LOOKED_AT {
        assert_eq!(read, None, "{} bytes", token.len());
        return;
    }
    assert_eq!(read.as_ref(), Some(ticket), "{token}");
    assert_eq!(
        KEYS.holder(&token, &ROOM, now()),
        None,
        "a ticket is no pass"
    );
    is_answered(ticket);
    if let Some(other) = altered(&token, input) {
        is_worth_nothing(&other);
    }
    let pass = KEYS
        .pass(ticket, &ROOM, "shop.example", now())
        .unwrap_or_default();
    let holder = PassHolder {
        id: ticket.id.clone(),
        session: ticket.session().zip(ticket.went_in_by()),
    };
    assert_eq!(KEYS.holder(&pass, &ROOM, now()), Some(holder), "{pass}");
    assert_eq!(
        KEYS.verify_lapsed(&pass, &ROOM, now()),
        None,
        "a pass is no ticket"
    );
    if let Some(other) = altered(&pass, input) {
        is_worth_nothing(&other);
    }
}

/// One that the service could have made, but for the size of its numbers.
fn ticket(input: &mut Input<'_>) -> Ticket {
    let west = LaneName::read("west-2").map_or(Lane::Main, Lane::Named);
    let lane = input.one_of(&[Lane::Main, west]).unwrap_or_default();
    let stage = stage(input);
    let is_by_lot = matches!(stage, TicketStage::Waiting(proof) if proof.place.came.is_some());
    let languages = LANGUAGES.each_ref().map(|language| language.tag);
    Ticket {
        life: 60 + input.number() % (LONGEST_LIFE - 60),
        grace: input.maybe(|input| Grace {
            until: input.number(),
            epoch: input.maybe(Input::number),
        }),
        still: input.byte() > 127,
        called: input.byte() > 127,
        language: input.maybe(|input| input.one_of(&languages).unwrap_or("en").to_owned()),
        notice: input.maybe(notice),
        event: if is_by_lot {
            input.maybe(|input| event(input, lane))
        } else {
            None
        },
        invitation: input.maybe(|input| Box::new(invitation(input))),
        lane,
        ..Ticket::new(input.hex(32), stage, now())
    }
}

fn stage(input: &mut Input<'_>) -> TicketStage {
    match input.below(3) {
        0 => TicketStage::Provisional {
            tries: input.number(),
            challenge: input.maybe(|input| Challenged {
                from: input.number(),
                place: input.number(),
                paid: input.number(),
                until: input.number(),
            }),
        },
        1 => TicketStage::Waiting(WaitingProof::of(
            Place {
                born: input.number(),
                position: Position(input.number()),
                came: input.maybe(|input| Position(input.number())),
            },
            Cursor(input.number()),
        )),
        _ => TicketStage::Admitted {
            position: input.maybe(|input| Position(input.number())),
            born: input.number(),
            at: NOW,
            session: input.maybe(Input::number),
        },
    }
}

fn notice(input: &mut Input<'_>) -> Notice {
    let of_invitations = Invited::ALL.map(|(_, invited)| invited);
    let of_invitation = input.maybe(|input| input.one_of(&of_invitations)).flatten();
    let of_number = [
        Notice::Anew,
        Notice::Lapsed,
        Notice::TurnOver,
        Notice::SessionOver,
        Notice::StayOver,
        Notice::SessionEnded,
        Notice::Used,
    ];
    let notice = of_invitation.and_then(Notice::of_invitation);
    notice
        .or_else(|| input.one_of(&of_number))
        .unwrap_or(Notice::Anew)
}

fn event(input: &mut Input<'_>, lane: Lane) -> Begun {
    let secret = input.hex(64);
    Begun {
        id: input.name(32),
        opens_ms: input.number(),
        numbers: Some(vec![Prequeue {
            lane,
            born: input.number(),
            base: input.number(),
            drawn: input.number(),
        }]),
        lane,
        order: Order::Drawn,
        commitment: Some(commitment(&secret)),
        lot: Some(Lot {
            secret,
            value: input.text(100),
        }),
    }
}

pub(crate) fn invitation(input: &mut Input<'_>) -> Invitation {
    Invitation {
        id: input.hex(32),
        uses: input.number(),
        ends: input.number(),
        batch: input.name(32),
        group: input.one_of(&[None, LaneName::read("vip")]).flatten(),
    }
}
