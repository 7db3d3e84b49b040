//! What a table may expect: the line as visitors and operators see it.
//!
//! Every word is always there, also where it says nothing, so a table that asks for another word is refused.

use std::collections::BTreeMap;

use now_serving::queue::{
    Board, Lane, Mode, OriginState, PanelSnapshot, Phase, TicketState, Verdict, decide,
};
use serde_json::{Value, json};

use crate::play::{Play, Visitor};
use crate::table::{Object, span};

impl Play<'_> {
    /// All that can be expected.
    pub(super) fn found(&self) -> Result<Value, String> {
        let (panel, figures) = (self.panel()?, self.figures()?);
        let board = &panel.board;
        let last = panel.limits.last;
        let in_groups = |group: fn(&Visitor) -> &str| {
            let mut groups: BTreeMap<String, [u64; 2]> = BTreeMap::new();
            for visitor in self.visitors.values() {
                let state = state_of(visitor, board);
                let of_group = groups.entry(group(visitor).to_owned()).or_default();
                match state {
                    Some(TicketState::Placed(number))
                        if number.0 <= board.of(visitor.lane).cursor_for(number).0 =>
                    {
                        of_group[1] += 1;
                    }
                    Some(TicketState::Placed(_)) => of_group[0] += 1,
                    _ => {}
                }
            }
            let told = groups.into_iter();
            let told = told.map(|(name, [waiting, called])| {
                (name, json!({"waiting": waiting, "called": called}))
            });
            Value::Object(told.collect())
        };
        let visitors = self.visitors.iter();
        let visitors: Object = visitors
            .map(|(name, visitor)| (name.clone(), self.seen(visitor, board)))
            .collect();
        let pace = match board.live.pace {
            pace if pace.automatic == 0 => json!("off"),
            pace => json!([pace.automatic, pace.quantity]),
        };
        let over = |lane: Lane| {
            let rolls = board.lane(lane).rolls.into_iter();
            let over = rolls.filter_map(|of| board.over.last(lane, of.born));
            over.map(|last| last.0).max().unwrap_or(0)
        };
        let mut found = json!({
            "cursor": board.cursor().0,
            "length": board.length(),
            "waiting": board.waiting(),
            "credit": board.credit,
            "drawn": figures.drawn,
            "released": figures.released,
            "bound_by": panel.limits.bound_by.name(),
            "mode": board.mode().name(),
            "pace": pace,
            "message": board.live.message,
            "version": board.live.version,
            "stock": board.live.stock,
            "slower_by": board.slowed.map(|slowed| slowed.cause.name()),
            "slower_for": board.slowed.and_then(|slowed| Some(span(slowed.to_ms? - slowed.from_ms))),
            "pops": board.pops,
            "waiting_in": self.by_lane(board, true),
            "called_in": self.by_lane(board, false),
            "lapsed_in": self.each_lane(&|lane| board.lane(lane).rolls.iter().map(|of| of.lapsed.0).max().unwrap_or(0)),
            "turns_over": over(Lane::Main),
            "turns_over_in": self.each_lane(&over),
            "last_release": last.map(|last| json!({
                "released": last.released,
                "allowed": last.pace,
                "slots": last.slots,
                "bound_by": last.bound_by.name(),
            })),
            "by_minute": in_groups(|visitor| &visitor.came_in),
            "by_place": in_groups(|visitor| &visitor.came_to),
            "visitors": visitors,
            "absent": panel.absent.share.map_or(json!("unknown"), Value::from),
            "may_still_come": panel.absent.may_come,
            "straight_in": panel.invited.all,
            "straight_in_this_minute": panel.invited.this_minute,
            "per_minute": board.measured.and_then(|measured| measured.rate(now(self))).map(now_serving::queue::Rate::per_minute),
        });
        let parts = [
            capped(board),
            self.origin(&panel.origin, &panel),
            event(board),
        ];
        if let Value::Object(found) = &mut found {
            for part in parts {
                found.extend(super::play::object(part));
            }
        }
        Ok(found)
    }

    fn by_lane(&self, board: &Board, are_waiting: bool) -> Value {
        let number = |lane: Lane| {
            let of = board.of(lane);
            if are_waiting {
                of.length().saturating_sub(of.cursor().0)
            } else {
                of.cursor().0
            }
        };
        self.each_lane(&number)
    }

    fn each_lane(&self, number: &dyn Fn(Lane) -> u64) -> Value {
        let regions = self.settings.regions.iter().flat_map(|room| &room.list);
        let opened = self.settings.invitations.values();
        let names = (regions.map(|region| region.name))
            .chain(self.settings.groups.iter().map(|group| group.name))
            .chain(opened.filter_map(|invitation| invitation.group));
        let lanes = std::iter::once(Lane::Main).chain(names.map(Lane::Named));
        let told = |lane: Lane| (lane.full_name().to_owned(), number(lane).into());
        Value::Object(lanes.map(told).collect())
    }

    /// What a visitor is shown, by the ticket and the board.
    fn seen(&self, visitor: &Visitor, board: &Board) -> Value {
        let of_lane = board.of(visitor.lane);
        let state = state_of(visitor, board);
        let ticket = match state {
            None => "none",
            Some(TicketState::Placed(_)) => "good",
            Some(TicketState::Ended) => "ended",
            Some(TicketState::Awaited) => "awaited",
            Some(TicketState::Ahead) => "ahead",
        };
        let number = match state {
            Some(TicketState::Placed(number)) => Some(number),
            _ => None,
        };
        let verdict = number.map(|number| decide(number, of_lane.cursor_for(number)));
        let ahead = match verdict {
            Some(Verdict::Wait { ahead }) => Some(ahead),
            Some(Verdict::Admit) => Some(0),
            None => None,
        };
        let is_called = verdict == Some(Verdict::Admit);
        let wait = ahead
            .filter(|_| !is_called)
            .and_then(|ahead| of_lane.estimated_wait(ahead, self.now_ms));
        json!({
            "ticket": ticket,
            "number": number.map(|number| number.0),
            "ahead": ahead,
            "called": is_called,
            "goes_in": is_called && matches!(board.mode(), Mode::Automatic | Mode::Open),
            "estimated_wait": wait.map(|seconds| span(seconds * 1000)),
        })
    }

    fn origin(&self, origin: &OriginState, panel: &PanelSnapshot) -> Value {
        let answers =
            |answers: now_serving::queue::Answers| json!([answers.ok, answers.late, answers.bad]);
        let left = |until_ms: u64| span(until_ms.saturating_sub(self.now_ms));
        let visitors = |thousandths: u64| {
            json!(
                format!("{}.{:03}", thousandths / 1000, thousandths % 1000)
                    .parse::<f64>()
                    .ok()
            )
        };
        let is_cut = panel.board.origin.is_some_and(|origin| origin.is_cut);
        let cut_at = panel.board.rolls.iter().map(|of| of.cut_at.0).max();
        let behind = is_cut.then(|| cut_at.unwrap_or(0));
        json!({
            "sick": origin.health.is_sick(self.now_ms),
            "sick_for": left(origin.health.sick_until_ms),
            "overruled_for": left(origin.health.overruled_until_ms),
            "held_by_origin": panel.board.is_held_by_origin(),
            "answers": answers(origin.health.recent),
            "sick_after": origin.last.map(|last| answers(last.answers)),
            "window": visitors(origin.window.size),
            "knee": origin.window.knee.map(visitors),
            "ramp_ends_at": origin.window.ramp.map(visitors),
            "samples": [origin.window.samples.answers, origin.window.samples.late],
            "answers_say": origin.window.says.name(),
            "counts_behind": behind.map_or(json!("unknown"), Value::from),
            "usually_late": origin.window.baseline,
            "slowed": panel.board.origin.is_some_and(|origin| origin.is_slowed),
        })
    }
}

fn now(play: &Play<'_>) -> u64 {
    play.now_ms
}

fn state_of(visitor: &Visitor, board: &Board) -> Option<TicketState> {
    let of_lane = board.of(visitor.lane);
    visitor
        .proof
        .map(|proof| TicketState::of(proof.place, &of_lane))
}

fn capped(board: &Board) -> Value {
    let sessions = board.sessions.as_ref();
    json!({
        "inside": sessions.map(now_serving::queue::Sessions::inside),
        "promised": sessions.map(|sessions| sessions.promised),
        "free_slots": sessions.map(now_serving::queue::Sessions::free),
        "may_claim": sessions.map(|sessions| sessions.claimable),
        "late": sessions.map(|sessions| sessions.late),
    })
}

fn event(board: &Board) -> Value {
    let event = board.event.as_ref();
    let begun = board.begun.as_ref();
    let order = |order: &now_serving::queue::Order| match (order.is_drawn(), order.source()) {
        (false, _) => "arrival".to_owned(),
        (true, None) => "by lot".to_owned(),
        (true, Some(source)) => format!("by lot and {source}"),
    };
    let lot = begun.map(|begun| match (&begun.lot, begun.is_undecided()) {
        (Some(_), _) => "decided",
        (None, true) => "undecided",
        (None, false) => "none",
    });
    json!({
        "event": event.map(|event| event.event.id.clone()),
        "phase": event.map(|event| Phase::name(event.phase)),
        "order": event.map(|event| order(&event.event.order)),
        "begun": begun.map(|begun| begun.id.clone()),
        "order_as_it_began": begun.map(|begun| order(&begun.order)),
        "event_begins_behind": begun.map(|begun| begun.numbers.iter().flatten().next().map_or(0, |of| of.base)),
        "drew_before_it_opened": begun.map(|begun| begun.drawn().map_or(json!("unknown"), Value::from)),
        "committed": begun.map(|begun| begun.commitment.is_some()),
        "public_value": begun.and_then(|begun| begun.lot.as_ref()).map(|lot| lot.value.clone()),
        "lot": lot,
    })
}
