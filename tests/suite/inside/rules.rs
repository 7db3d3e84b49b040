//! The rules of a cap, one by one.

use super::*;

/// A pace that binds nothing.
const FAST: [(&str, &str); 2] = [("automatic", "5"), ("automatic_quantity", "10000")];

fn fast(more: &[(&'static str, &'static str)]) -> Vec<(&'static str, &'static str)> {
    [&FAST[..], more].concat()
}

/// All of a line, and what became of it when the store lost its data.
struct Loss {
    world: World,
    inside: Vec<Client>,
    waiting: Vec<Client>,
}

impl Loss {
    /// As many visitors wait as are inside; those came over two minutes.
    fn new(world: World, many: u64) -> Self {
        let mut inside = world.arrivals(0, many / 2);
        world.wait(70_000);
        inside.extend(world.arrivals(1, many - many / 2));
        world.wait(20_000);
        // Half of them came in this minute, and the others in an earlier one.
        let half = inside.len() / 2;
        assert_eq!(world.visits(&mut inside[half..]), inside.len() - half);
        let waiting = world.arrivals(0, many);
        world.wait(3_000);
        world.flush_all();
        world.check();
        Self {
            world,
            inside,
            waiting,
        }
    }

    fn lose(&self) {
        self.world.command(&["FLUSHALL"]);
        // Another line may give the same numbers.
        self.world.truth.borrow_mut().numbers.clear();
    }

    /// Ten seconds in which some visitors come.
    fn recovery(&mut self) -> usize {
        let mut went_in = 0;
        for second in 0..10 {
            self.world.wait(970);
            let inside = self.inside.iter_mut().skip(second).step_by(10);
            assert!(
                inside.into_iter().all(|client| self.world.visit(client)),
                "thrown out"
            );
            for client in self.waiting.iter_mut().skip(second).step_by(10) {
                went_in += usize::from(self.world.visit(client));
            }
            let mut new = self.world.arrivals(second % 2, 3);
            went_in += self.world.visits(&mut new);
        }
        went_in
    }
}

/// Switches and lengths in turn, while visitors are inside and others wait.
struct Switched {
    world: World,
    inside: Vec<Client>,
    waiting: Vec<Client>,
}

impl Switched {
    /// Three minutes with these settings: visitors inside stay, and waiting visitors go in by their turn.
    fn minutes(&mut self, settings: &[(&'static str, &'static str)]) -> usize {
        let pace = [("automatic", "5"), ("automatic_quantity", "2")];
        self.world.set(&[&pace[..], settings].concat());
        for _ in 0..9 {
            self.world.wait(20_000);
            let new = self.world.arrivals(0, 3);
            self.waiting.extend(new);
            for client in &mut self.inside {
                assert!(self.world.visit(client), "{settings:?} throws out");
            }
            let mut waiting = Vec::new();
            for mut client in self.waiting.drain(..) {
                if self.world.visit(&mut client) {
                    let cursor = self.world.sign().cursor().0;
                    assert!(client.number().unwrap() <= cursor, "not called");
                    self.inside.push(client);
                } else {
                    waiting.push(client);
                }
            }
            self.waiting = waiting;
        }
        // Visitors who have been inside for long leave.
        let leave = self.inside.len().saturating_sub(12);
        self.inside.drain(..leave);
        self.inside.len() + leave
    }
}

mod native {
    use super::*;

    #[test]
    fn after_a_loss_the_copies_of_the_sign_know_who_is_inside() {
        let settings = fast(&[("total_active", "300")]);
        after_a_loss_with_copies(World::embedded(&[0, 50], &settings), 300);
    }

    #[test]
    fn after_a_loss_the_sessions_under_an_operator_s_cap_come_back() {
        let world = World::embedded(&[0], &fast(&[]));
        world.cap(10, 20);
        let mut inside = world.arrivals(0, 5);
        world.wait(3_000);
        world.flush(0);
        world.command(&["FLUSHALL"]);
        world.wait(1_000);
        assert_eq!(world.sessions().inside(), 5);
        world.wait(11_000);
        assert_eq!(world.visits(&mut inside), 5);
        world.check();
    }

    #[test]
    fn after_a_loss_without_a_copy_no_visitor_goes_in_for_a_session() {
        let settings = fast(&[("total_active", "300"), ("session_minutes", "4")]);
        after_a_loss_without_copies(World::embedded(&[0, 50], &settings), 300);
    }

    #[test]
    fn switching_a_cap_throws_no_visitor_out_and_lets_none_overtake() {
        let world = World::embedded(&[0], &[]);
        let mut line = Switched {
            world,
            inside: Vec::new(),
            waiting: Vec::new(),
        };
        let cap = |total, minutes| [("total_active", total), ("session_minutes", minutes)];
        let on = [("active_visitors", "on")];
        let observed = [("active_visitors", "observe")];
        let mut held = vec![line.minutes(&[])];
        for (total, minutes) in [
            ("30", "4"),
            ("5", "4"),
            ("40", "4"),
            ("0", "4"),
            ("20", "10"),
        ] {
            held.push(line.minutes(&[&cap(total, minutes)[..], &on].concat()));
        }
        for (minutes, choice) in [("2", on), ("4", on), ("4", observed), ("4", on)] {
            held.push(line.minutes(&[&cap("20", minutes)[..], &choice].concat()));
        }
        println!("{held:?}");
        line.world.check();
    }

    #[test]
    fn of_fifteen_arrivals_ten_go_in_where_there_are_ten_slots() {
        let world = World::embedded(&[0], &fast(&[("total_active", "10")]));
        let mut all = world.arrivals(0, 15);
        assert_eq!(world.visits(&mut all), 10);
        assert_eq!(world.sessions().inside(), 10);
        world.wait(5_000);
        assert_eq!(world.visits(&mut all), 10);
        world.check();
    }

    #[test]
    fn arrivals_of_two_data_centres_share_the_slots() {
        for (here, there, expected) in [(7, 1, 8), (8, 7, 10)] {
            let world = World::embedded(&[0, 30], &fast(&[("total_active", "10")]));
            let mut all = [world.arrivals(0, here), world.arrivals(1, there)].concat();
            assert_eq!(world.visits(&mut all), expected, "{here} and {there}");
            assert_eq!(world.sessions().inside(), expected as u64);
            world.check();
        }
    }

    #[test]
    fn groups_are_released_in_the_order_of_their_arrival() {
        let world = World::embedded(&[0], &[("automatic", "0"), ("total_active", "200")]);
        world.permit(148);
        let mut inside = world.arrivals(0, 148);
        assert_eq!(world.visits(&mut inside), 148);
        let mut groups = [2, 50, 60].map(|many| world.arrivals(0, many));
        world.wait(5_000);
        world.permit(1_000);
        assert_eq!(world.sign().cursor().0, 200);
        let went_in = groups.each_mut().map(|group| world.visits(group));
        assert_eq!(went_in, [2, 50, 0]);
        world.check();
    }

    #[test]
    fn a_client_that_ignores_its_cookies_holds_one_place_in_any_number_of_data_centres() {
        let settings = fast(&[("total_active", "10"), ("session_minutes", "3")]);
        for pops in [1, 2, 3] {
            let world = World::embedded(&[0, 40, -40], &settings);
            let client = world.arrivals(0, 1).remove(0);
            let mut held = Vec::new();
            for _ in 0..36 {
                for pop in 0..pops {
                    let stubborn = Client {
                        pop,
                        ..client.clone()
                    };
                    for _ in 0..2 {
                        world.visit_once(&mut stubborn.clone(), Fate::Answered);
                    }
                }
                world.flush_all();
                held.push(world.sessions().inside());
                world.wait(20_000);
            }
            let (least, most) = (held.iter().min(), held.iter().max());
            assert_eq!((least, most), (Some(&1), Some(&1)), "{pops}");
        }
    }

    #[test]
    fn sessions_begun_after_a_loss_stay_when_a_better_copy_of_the_sign_comes() {
        let settings = fast(&[("total_active", "50"), ("session_minutes", "20")]);
        let world = World::embedded(&[0, 0], &settings);
        let mut inside = world.arrivals(0, 5);
        world.wait(3_000);
        world.flush(0);
        world.wait(500);
        world.flush(1);
        world.command(&["FLUSHALL"]);
        world.wait(1_000);
        world.flush(0);
        world.wait(11_000);
        assert_eq!(world.visits(&mut inside), 5);
        let mut later = world.arrivals(0, 10);
        world.wait(3_000);
        assert_eq!(world.visits(&mut later), 10);
        world.check();
        world.wait(30_000);
        world.flush(1);
        world.check();
    }
}

fn after_a_loss_with_copies(world: World, many: u64) {
    let mut line = Loss::new(world, many);
    line.lose();
    assert_eq!(line.recovery(), 0, "no visitor goes in");
    line.world.wait(2_000);
    let (world, inside) = (&line.world, &mut line.inside);
    assert_eq!(world.visits(inside), inside.len());
    world.flush_all();
    assert_eq!(world.visits(&mut line.waiting), 0, "all slots are taken");
    let (known, truth) = (
        world.sessions().inside(),
        world.truth.borrow().inside(world.minute()),
    );
    println!("{known} are known of {truth}");
    world.check();
}

fn after_a_loss_without_copies(world: World, many: u64) {
    let mut line = Loss::new(world, many);
    line.lose();
    for pop in &line.world.pops {
        pop.cache.lose_copy();
        pop.cache.lose_last();
    }
    let early = line.recovery();
    println!("{early} went in before it was known that the store had lost its data");
    assert!(early <= 6, "{early} in the first seconds");
    // The sessions of the other half end.
    line.inside.truncate(line.inside.len() / 2);
    let lost = line.world.minute();
    let mut went_in = BTreeMap::new();
    while line.world.minute() < lost + 7 {
        line.world.wait(20_000);
        for client in &mut line.inside {
            assert!(line.world.visit(client), "thrown out");
        }
        let waiting = line.waiting.iter_mut().take(20);
        let many = waiting.filter_map(|client| line.world.visit(client).then_some(()));
        went_in.insert(line.world.minute() - lost, many.count());
    }
    println!("{went_in:?}");
    let is_expected = |(minute, many): (&u64, &usize)| (*many > 0) == (*minute >= 5);
    assert!(went_in.iter().all(is_expected), "{went_in:?}");
    line.world.check();
}

mod long {
    use super::*;

    #[test]
    fn thousands_of_visitors_survive_a_loss_of_data() {
        let settings = fast(&[("total_active", "5000")]);
        after_a_loss_with_copies(World::embedded(&[0, 50], &settings), 5_000);
        let settings = fast(&[("total_active", "5000"), ("session_minutes", "4")]);
        after_a_loss_without_copies(World::embedded(&[0, 50], &settings), 5_000);
    }
}
