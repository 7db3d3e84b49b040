//! What the edge itself asks the origin for, and what follows from it.

mod wasm {
    use std::collections::BTreeSet;
    use std::time::{Duration, Instant};

    use harness::origin::Seen;
    use now_serving::cache::MAX_AGE;

    use crate::health::wasm::{counted, origin};
    use crate::house::{Ask, House, Visitor};

    /// What a probe of this path brought with it, each time.
    fn probes(house: &House, path: &str) -> Vec<Seen> {
        let seen = house.wasm_side().origin.requests().into_iter();
        seen.filter(|seen| seen.target == path).collect()
    }

    /// A line that moves by hand only, with this probe.
    fn probed(setting: &str, path: &str) -> House {
        let house = House::wasm_shared();
        house.set("origin_health", setting);
        house.set("automatic", "0");
        house.set("probe_path", path);
        house.warm();
        house
    }

    /// The only visitor in the line polls once the board is due, with headers of their own, until it is so.
    fn polls_until(house: &House, visitor: &mut Visitor<'_>, is_so: impl Fn() -> bool) {
        let since = Instant::now();
        while !is_so() {
            assert!(since.elapsed() < Duration::from_mins(1));
            house.wait(MAX_AGE + Duration::from_millis(100));
            let poll = Ask::get("/echo").json().with("x-mine", "secret");
            let poll = poll.with("authorization", "Basic c2VjcmV0OnNlY3JldA==");
            let got = visitor.send(poll.with("user-agent", "Mine/1"));
            assert_eq!(got.status, 503, "{got:?}");
        }
    }

    #[test]
    fn a_probe_that_answers_500_thrice_makes_the_room_sick_where_no_visitor_goes_in() {
        let house = probed("on", "/status/500");
        let mut visitor = Visitor::new(&house);
        polls_until(&house, &mut visitor, || {
            !origin(&house)["sick_until"].is_null()
        });
        let told = origin(&house);
        // Counts that were busy come with the next look.
        let bad = told["last"]["answers"]["bad"].as_u64();
        assert!(bad >= Some(3), "{told}");
        let came = probes(&house, "/status/500");
        assert!(came.len() >= 3, "{came:?}");
        for probe in came {
            let names: BTreeSet<&str> = probe.headers.iter().map(|(name, _)| &**name).collect();
            let told = (probe.method.as_str(), names);
            // The length is the local server's own.
            let expected = BTreeSet::from(["content-length", "host", "user-agent"]);
            assert_eq!(told, ("GET", expected), "{probe:?}");
            let agent = (String::from("user-agent"), b"now-serving-health".to_vec());
            assert!(probe.headers.contains(&agent), "{probe:?}");
        }
    }

    #[test]
    fn a_probe_asks_for_the_host_that_the_origin_goes_by() {
        let house = probed("observe", "/status/204");
        house.set("origin_host", "shop.platform.example");
        let mut visitor = Visitor::new(&house);
        let path = "/status/204";
        polls_until(&house, &mut visitor, || !probes(&house, path).is_empty());
        let host = (String::from("host"), b"shop.platform.example".to_vec());
        assert!(
            probes(&house, path)
                .iter()
                .all(|probe| probe.headers.contains(&host))
        );
    }

    #[test]
    fn a_probe_may_be_late_and_with_watching_off_there_is_none() {
        let house = probed("off", "/slow");
        house.set("slow_ms", "50");
        let mut visitor = Visitor::new(&house);
        let renewals = house.calls(|| {
            let since = Instant::now();
            let is_over = || since.elapsed() > Duration::from_secs(8);
            polls_until(&house, &mut visitor, is_over);
        });
        assert!(renewals >= 3, "{renewals}");
        assert_eq!(probes(&house, "/slow").len(), 0);
        house.set("origin_health", "observe");
        polls_until(&house, &mut visitor, || counted(&house)[1] >= 2);
        assert_eq!(counted(&house)[2], 0);
    }
}
