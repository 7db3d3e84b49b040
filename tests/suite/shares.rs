//! Shares of groups over random arrivals and releases of every size, on the script itself.

use now_serving::queue::{
    Board, Change, Changed, Group, Invitation, Lane, LaneName, Now, Presented, RoomName,
};
use now_serving::store::Line;
use upstash_local::Store;

use crate::house::{Direct, STORE_TOKEN, admin};
use crate::inside::Dice;

const START_MS: u64 = 1_800_000_000_000;
const NAMES: [&str; 4] = ["vip", "members", "fans", "press"];

/// A room whose line moves by permits alone.
struct Room {
    store: Direct,
    groups: Vec<Group>,
    visitors: u64,
}

impl Room {
    fn new(dice: &mut Dice) -> Self {
        let mut left = 100;
        let group = |(behind, name): (u64, &&str)| {
            let share = dice.between(1, (left - behind).min(60));
            left -= share;
            Group {
                name: LaneName::read(name).unwrap(),
                share,
            }
        };
        Self {
            store: Direct(Store::embedded(STORE_TOKEN).unwrap()),
            groups: (0..4).rev().zip(&NAMES).map(group).collect(),
            visitors: 0,
        }
    }

    fn line<T>(&self, invitation: Option<&Invitation>, verb: impl FnOnce(&Line<'_>) -> T) -> T {
        verb(&Line {
            invitation: invitation.map(|invitation| Presented {
                invitation,
                per_minute: 0,
            }),
            groups: &self.groups,
            ..tables::line(&self.store, &RoomName::new("main"), Now::from_ms(START_MS))
        })
    }

    /// A visitor comes, with an invitation to this group.
    fn comes(&mut self, group: Option<LaneName>) {
        self.visitors += 1;
        let invitation = group.map(|name| Invitation {
            id: name.as_str().to_owned(),
            uses: 100_000,
            ends: START_MS / 1_000 + 3_600,
            batch: "spring".to_owned(),
            group: Some(name),
        });
        let id = format!("visitor-{}", self.visitors);
        let drawn = self
            .line(invitation.as_ref(), |line| line.join(&id))
            .unwrap();
        let lane = group.map_or(Lane::Main, Lane::Named);
        assert_eq!(drawn.lane, lane, "{drawn:?}");
    }

    fn permits(&self, many: u64) -> Board {
        let permit = vec![("amount", many.to_string()), ("credit_max", "0".to_owned())];
        let done = self.line(None, |line| {
            line.change(Change::new("permit", permit), &admin())
        });
        let Ok(Changed::Done(board, _)) = done else {
            panic!("{done:?}");
        };
        board
    }

    /// The lanes in the order of their ranks, the main one last.
    fn lanes(&self) -> Vec<Lane> {
        let groups = self.groups.iter().map(|group| Lane::Named(group.name));
        groups.chain([Lane::Main]).collect()
    }
}

/// Numbers called since a rule began to hold: in all, and of the lane.
#[derive(Clone, Copy, Debug, Default)]
struct Since {
    all: u64,
    lane: u64,
}

/// Hundredths of a visitor by which the lane is ahead of this share.
impl Since {
    fn ahead(self, share: u64) -> i64 {
        i64::try_from(100 * self.lane).unwrap() - i64::try_from(share * self.all).unwrap()
    }

    fn adds(&mut self, all: u64, lane: u64) {
        *self = Self {
            all: self.all + all,
            lane: self.lane + lane,
        };
    }
}

fn each_lane_has_what_is_its_own(seed: u64) {
    let mut dice = Dice(seed);
    let mut room = Room::new(&mut dice);
    let lanes = room.lanes();
    let (mut waiting, mut before) = ([0_u64; 5], [0_u64; 5]);
    // Since no lower lane waited, and since the lane itself or no lower one did.
    let (mut shared, mut whole) = ([Since::default(); 4], [Since::default(); 4]);
    for step in 0..80 {
        for (at, lane) in lanes.iter().enumerate() {
            let crowd = dice.is_one_in(12);
            let many = if crowd { 20 } else { dice.roll(4) };
            for _ in 0..many {
                let group = (*lane != Lane::Main).then(|| room.groups[at].name);
                room.comes(group);
            }
            waiting[at] += many;
        }
        let most = dice.roll(13);
        if most == 0 {
            continue;
        }
        let board = room.permits(most);
        let told = |lane: &Lane| board.lane(*lane).cursor().0;
        let mut called = [0; 5];
        for (at, lane) in lanes.iter().enumerate() {
            called[at] = told(lane) - before[at];
            before[at] = told(lane);
            assert!(called[at] <= waiting[at], "{seed} {step}: {called:?}");
        }
        let all: u64 = called.iter().sum();
        let could: u64 = waiting.iter().sum();
        assert_eq!(all, most.min(could), "{seed} {step}: {called:?}");
        for at in 0..5 {
            waiting[at] -= called[at];
        }
        for (at, group) in room.groups.iter().enumerate() {
            let below: u64 = waiting[at + 1..].iter().sum();
            shared[at].adds(all, called[at]);
            whole[at].adds(all, called[at]);
            if below == 0 {
                shared[at] = Since::default();
            }
            if below == 0 || waiting[at] == 0 {
                whole[at] = Since::default();
            }
            let found = (seed, step, group.share, shared[at], whole[at]);
            assert!(shared[at].ahead(group.share) < 100, "too many: {found:?}");
            let rank = i64::try_from(at).unwrap();
            // The higher ones may have rounded up, each by less than a visitor; and what it was ahead before counts.
            let behind = -100 * (rank + 1);
            assert!(whole[at].ahead(group.share) > behind, "too few: {found:?}");
        }
    }
}

mod native {
    use super::*;

    #[test]
    fn over_random_arrivals_each_group_has_its_share_and_nothing_is_left() {
        for seed in 0..16 {
            each_lane_has_what_is_its_own(seed);
        }
    }
}
