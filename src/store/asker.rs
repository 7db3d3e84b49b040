//! What a visitor brings to a draw or a look: the keys and the arguments of the ticket, the network and the invitation.

use super::Line;
use super::arguments::{Arguments, Keys, named};
use crate::queue::SessionMark;

impl Line<'_> {
    /// What is remembered of a ticket and of its holder's network.
    pub(super) fn asker(&self, id: &str) -> (Keys, Arguments) {
        let claim = self.key(&format!("claim:{id}"));
        let mut keys = vec![("draw", self.draw_key(id)), ("claim", claim)];
        let mut arguments = vec![
            named(("network", self.network.clone())),
            named(("mark", SessionMark::of(id).written())),
        ];
        if let Some(bound) = self.bound.written().filter(|_| !self.network.is_empty()) {
            keys.push(("network", self.key(&format!("network:{}", self.network))));
            arguments.push(named(("bound", bound)));
            arguments.extend((self.effort.written()).map(|effort| named(("effort", effort))));
        }
        let lanes = [("lane", self.lane), ("home", self.home)];
        let lanes = lanes
            .into_iter()
            .filter_map(|(name, lane)| Some((name, lane.name()?.to_owned())));
        arguments.extend(lanes.map(named));
        if let Some(presented) = self.invitation {
            let uses = format!("invite:{}", presented.invitation.id);
            keys.push(("invite", self.key(&uses)));
            arguments.push(named(("invite", presented.written())));
        }
        (keys, arguments)
    }
}
