//! How the model answers the holder of a ticket.

use super::claim::Told;
use super::{Asker, Call, Model};
use crate::queue::{Lane, LineAnswer, Position, TicketState, WaitingProof};

impl Model {
    /// The sign, for a ticket of this place, and its number in this line; a ticket that has ended draws.
    pub fn look(&mut self, asker: Asker<'_>, place: WaitingProof, call: Call<'_>) -> LineAnswer {
        let (_, told) = self.verb(call, |line, before| {
            match asker.lane {
                Lane::Front => line.take_front_ticket(place),
                Lane::Region(name) => line.take_region_ticket(name, place),
                Lane::Main => {
                    line.take_ticket(asker.id, place, call.now_ms);
                    line.take_event(asker.event, place);
                }
            }
            line.note_return("ticket", None, call.now_ms);
            line.open_period(call.now_ms, before);
            line.release(call.now_ms);
            let told = line.placed(asker, place, call.now_ms);
            line.count(call.brought, call.now_ms);
            told
        });
        self.answered(asker, told)
    }

    fn placed(&mut self, asker: Asker<'_>, place: WaitingProof, now_ms: u64) -> Told {
        let sign = self.sign.of(asker.lane).into_owned();
        let is_redrawn = sign.redrawn(place) != place;
        match TicketState::of(place, &sign) {
            // Its holder learns the number by lot first.
            TicketState::Placed(_) if is_redrawn => {
                let position = sign.written_number(place);
                self.wait_or_go_past(asker, position, now_ms)
            }
            TicketState::Placed(position) if position.0 <= sign.cursor.0 => Told {
                lane: asker.lane,
                claim: self.claim(asker, (asker.lane, position), Some(place), now_ms),
                ..Told::of(position, None)
            },
            TicketState::Placed(position) => self.wait_or_go_past(asker, Some(position), now_ms),
            TicketState::Settling => Told::default(),
            TicketState::Ahead if sign.birth.young => Told::default(),
            TicketState::Ended | TicketState::Ahead => {
                // Where its line was lost, and all tickets were not ended, it draws in the front lane again.
                let is_over = sign.has_ended(place.born, place.epoch);
                let lane = match asker.lane {
                    Lane::Front if is_over => Lane::Main,
                    lane => lane,
                };
                self.arrive(Asker { lane, ..asker }, now_ms)
            }
        }
    }

    /// A visitor whose turn has not come goes past the line by an invitation, or waits. In the front lane only straight in.
    fn wait_or_go_past(
        &mut self,
        asker: Asker<'_>,
        position: Option<Position>,
        now_ms: u64,
    ) -> Told {
        let past = match asker.lane {
            Lane::Main => self.go_past(asker, now_ms),
            Lane::Front | Lane::Region(_) => self.go_in(asker, now_ms),
        };
        if past.has_gone_past() {
            return past;
        }
        Told {
            position,
            lane: asker.lane,
            ..past
        }
    }
}
