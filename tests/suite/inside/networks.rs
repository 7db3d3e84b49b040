//! One admitted ticket, used from several networks.

use super::*;

/// A visitor inside, whose ticket is used from this many networks, each minute from all of them; how many of these are inside in
/// each of three minutes, and how many visits were counted as shared.
fn shared_by(networks: u64, settings: &[(&str, &str)]) -> (Vec<usize>, u64) {
    let settings = [&[("automatic", "5"), ("total_active", "10")], settings].concat();
    let world = World::embedded(&[0], &settings);
    let mut first = Client::new(0, 1);
    assert!(world.visit(&mut first));
    // Others wait, so what is refused does not go in at once.
    world.mode(Mode::Hold);
    let mut copies: Vec<Client> = (1..=networks)
        .map(|network| Client {
            ticket: first.ticket.clone(),
            ..Client::new(0, network)
        })
        .collect();
    let mut shared = 0;
    let minutes = (0..3).map(|_| {
        world.wait(MINUTE_MS);
        let inside = copies.iter_mut().filter_map(|copy| {
            let (got, tally, _) = world.request(copy, Fate::Answered);
            shared += tally.shared_visits();
            copy.ticket = got.ticket().or(copy.ticket.take());
            got.inside.then_some(())
        });
        inside.count()
    });
    let minutes = minutes.collect();
    (minutes, shared)
}

mod native {
    use super::*;

    #[test]
    fn a_ticket_that_many_networks_use_is_counted_and_refused_where_that_is_set() {
        assert_eq!(shared_by(4, &[]), (vec![4, 4, 4], 0), "as many as may");
        assert_eq!(shared_by(6, &[]), (vec![6, 6, 6], 6), "observed");
        assert_eq!(
            shared_by(6, &[("shared_tickets", "off")]),
            (vec![6, 6, 6], 0)
        );
        let on = [("shared_tickets", "on"), ("ticket_networks", "2")];
        assert_eq!(shared_by(6, &on), (vec![2, 2, 2], 0));
        assert_eq!(shared_by(2, &on), (vec![2, 2, 2], 0));
    }
}
