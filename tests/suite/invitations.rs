//! Crowds of invitations: an invitation is used as often as it says, and the main line moves as it does without, but for the
//! shares of groups.

use now_serving::queue::{AbsentVisitors, Invitation, Invited, LaneName, LineAnswer};
use now_serving::queue::{Group, Now, Pace, Presented, RoomName};
use now_serving::store::Line;
use upstash_local::Redis;

use crate::connection::Connection;
use crate::house::{Ask, House, Visitor, visitors};
use crate::metrics::{numbers, scrape};
use crate::stories::invitations::{invitation, invitation_by, line, sent, used};
use crate::traces::on;

const START_MS: u64 = 1_800_000_000_000;
const MINUTE_MS: u64 = 60_000;
const PACE: Pace = Pace {
    automatic: 15,
    quantity: 5,
};
mod native {
    use super::*;

    #[test]
    fn the_metrics_show_a_group() {
        let house = House::native();
        house.set("priority", r#"[{"name":"front","share":20}]"#);
        line(&house, 1);
        let told = || {
            let told = numbers(&house.ask(&scrape()).body);
            let gauge = |name: &str| told.get(format!("now_serving_{name}").as_str()).copied();
            [
                r#"lane_waiting{room="main",lane="front"}"#,
                r#"lane_cursor{room="main",lane="front"}"#,
                r#"waiting{room="main"}"#,
            ]
            .map(gauge)
        };
        assert_eq!(told(), [None, None, Some(2.0)]);
        let code = invitation_by(Some("front"), &house, "many", 9, 3600);
        used(&mut Visitor::new(&house), &code);
        assert_eq!(told(), [1.0, 0.0, 3.0].map(Some));
    }

    #[test]
    fn the_metrics_count_what_became_of_invitations() {
        let house = House::native();
        line(&house, 1);
        let code = invitation(&house, "many", 9, 3600);
        let mut all = visitors(&house, 2);
        assert!(used(&mut all[0], &code).inside);
        assert!(!used(&mut all[1], &code).inside);
        all[1].send_once(sent("nothing", "/echo"));
        let told = numbers(&house.ask(&scrape()).body);
        let count = |outcome: &str| {
            let name =
                format!("now_serving_invitations_total{{room=\"main\",outcome=\"{outcome}\"}}");
            told.get(name.as_str()).copied()
        };
        let outcomes = ["in", "kept", "wrong", "group", "used", "expired", "revoked"];
        let expected = [1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0];
        assert_eq!(outcomes.map(count), expected.map(Some));
        let passed = |by: &str| {
            let name = format!("now_serving_inversions_total{{room=\"main\",by=\"{by}\"}}");
            told.get(name.as_str()).copied()
        };
        let rules = ["invitation", "group", "unexplained"];
        assert_eq!(rules.map(passed), [1.0, 0.0, 0.0].map(Some));
    }
}

mod simulated {
    use super::*;

    /// Two rooms with the same line, and a flood of invitations in one of them: the last in line reads the same in both.
    #[test]
    fn under_a_flood_of_invitations_the_line_moves_as_without() {
        let ahead = |invitations: u64| {
            let house = House::native();
            house.set("automatic", "15");
            house.set("automatic_quantity", "5");
            house.set("invited_per_minute", "1000");
            house.warm();
            let mut line = visitors(&house, 60);
            for visitor in &mut line {
                visitor.ask("/");
            }
            let mut last = line.pop().unwrap();
            let code = invitation(&house, "many", 10_000, 86_400);
            let mut entered = 0;
            let read = |_| {
                for _ in 0..invitations {
                    entered += u64::from(used(&mut Visitor::new(&house), &code).inside);
                }
                house.wait(std::time::Duration::from_secs(15));
                last.ask("/").json()["ahead"].as_u64()
            };
            let told: Vec<Option<u64>> = (0..8).map(read).collect();
            let status = house.ask(&Ask::get("/_queue/status").operator()).json();
            (
                told,
                status["cursor"].clone(),
                status["length"].clone(),
                entered,
            )
        };
        let (without, flood) = (ahead(0), ahead(40));
        assert_eq!(
            (&without.0, &without.1, &without.2),
            (&flood.0, &flood.1, &flood.2)
        );
        assert!(
            flood
                .0
                .iter()
                .flatten()
                .is_sorted_by(|one, next| one >= next)
        );
        assert_eq!((without.3, flood.3), (0, 320));
    }
}

/// This many visitors of one invitation at once, each with a connection of its own; how many get past the line.
fn in_parallel(line: impl Fn(&str) -> LineAnswer + Sync, many: usize) -> usize {
    let visitors: Vec<String> = (0..many)
        .map(|visitor| format!("visitor-{visitor}"))
        .collect();
    std::thread::scope(|scope| {
        let parts = visitors.chunks(many.div_ceil(20)).map(|part| {
            scope.spawn(|| {
                let is_past = |id: &&String| {
                    let invited = line(id).invited;
                    matches!(invited, Some(Invited::In | Invited::Group))
                };
                part.iter().filter(is_past).count()
            })
        });
        let parts: Vec<_> = parts.collect();
        parts.into_iter().map(|part| part.join().unwrap()).sum()
    })
}

mod redis {
    use super::*;

    #[test]
    fn of_a_thousand_parallel_uses_of_a_single_invitation_one_passes() {
        for group in [None, LaneName::read("front")] {
            assert_eq!(of_a_thousand_uses(group), 1, "{group:?}");
        }
    }

    fn of_a_thousand_uses(group: Option<LaneName>) -> usize {
        let groups = [Group {
            name: LaneName::read("front").unwrap(),
            share: 10,
        }];
        let redis = Redis::start().unwrap();
        let store = on(&redis);
        let invitation = Invitation {
            id: "one".to_owned(),
            uses: 1,
            ends: START_MS / 1000 + 86_400,
            batch: "spring".to_owned(),
            group,
        };
        let room = RoomName::new("main");
        let join = |id: &str| {
            let line = Line {
                pace: PACE,
                absent_visitors: AbsentVisitors::default(),
                invitation: Some(Presented {
                    invitation: &invitation,
                    per_minute: 100_000,
                }),
                groups: &groups,
                ..tables::line(&store, &room, Now::from_ms(START_MS + MINUTE_MS))
            };
            line.join(id).unwrap()
        };
        in_parallel(join, 1000)
    }
}

mod wasm {
    use super::*;

    #[test]
    fn of_sixty_parallel_uses_of_a_single_invitation_one_passes() {
        let house = House::wasm();
        line(&house, 1000);
        let code = invitation(&house, "one", 1, 3600);
        let mut guests = visitors(&house, 60);
        let tickets = guests.iter_mut().map(|guest| {
            guest.send_once(sent(&code, "/echo"));
            guest.ticket.clone().unwrap()
        });
        let tickets: Vec<String> = tickets.collect();
        let edge = house.wasm_side().edge.addr();
        let entered: usize = std::thread::scope(|scope| {
            let parts = tickets.chunks(10).map(|part| {
                scope.spawn(move || {
                    let mut connection = Connection::open(edge);
                    let is_in = |ticket: &&String| {
                        let ask = Ask::get("/echo").json();
                        let ask = ask.with("cookie", format!("queue={ticket}"));
                        connection.ask(&ask).inside
                    };
                    part.iter().filter(is_in).count()
                })
            });
            let parts: Vec<_> = parts.collect();
            parts.into_iter().map(|part| part.join().unwrap()).sum()
        });
        assert_eq!(entered, 1);
    }
}
