//! The health of the origin: what the edge watches of a real one, and what follows from it.

mod probe;

mod wasm {
    use std::time::{Duration, Instant};

    use serde_json::{Value, json};

    use crate::house::{Ask, Got, House, PERMIT_TOKEN, Visitor};
    use crate::stories::invitations::{invitation_by, used};

    /// With credit for visitors who go straight in.
    fn room(setting: &str) -> House {
        let house = House::wasm_shared();
        house.set("origin_health", setting);
        // A busy machine makes no answer late.
        house.set("slow_ms", "30000");
        house.permit(200);
        house.warm();
        house
    }

    pub(super) fn origin(house: &House) -> Value {
        house.ask(&Ask::get("/_queue/status").operator()).json()["origin"].clone()
    }

    /// New visitors who go in, each by a request for this page.
    fn newcomers(house: &House, many: usize, page: &str) -> Vec<Got> {
        let new = || Visitor::new(house).send_once(Ask::get(page).json());
        (0..many).map(|_| new()).collect()
    }

    /// A data centre brings what it watched when it renews the board.
    fn becomes(house: &House, visitor: &mut Visitor<'_>, is_so: impl Fn(&Value) -> bool) -> Value {
        let since = Instant::now();
        loop {
            visitor.ask("/echo");
            let told = origin(house);
            if is_so(&told) {
                return told;
            }
            assert!(since.elapsed() < Duration::from_secs(30), "{told}");
            house.wait(Duration::from_millis(500));
        }
    }

    /// All answers that the store has heard of: in time, late and bad.
    pub(super) fn counted(house: &House) -> [u64; 3] {
        ["origin_ok", "origin_late", "origin_bad"].map(|name| {
            let told = house.store.command(&["HGET", &house.key(":counts"), name]);
            let text = told.unwrap().as_str().unwrap_or("0").to_owned();
            text.parse().unwrap()
        })
    }

    fn overrule(house: &House, word: &str) -> Value {
        house.change("overrule", &json!({ "overrule": word }).to_string())
    }

    #[test]
    fn bad_first_answers_hold_the_room_while_visitors_inside_go_on() {
        let house = room("on");
        let mut first = Visitor::new(&house);
        assert!(first.ask("/echo").inside);
        for got in newcomers(&house, 3, "/status/500") {
            assert_eq!(
                (got.status, got.body.as_str()),
                (500, "Status 500 Internal Server Error.\n")
            );
        }
        let told = becomes(&house, &mut first, |told| !told["sick_until"].is_null());
        assert_eq!(told["last"]["answers"]["bad"], 3, "{told}");
        let status = house.ask(&Ask::get("/_queue/status").operator()).json();
        assert_eq!(status["mode"], "automatic", "{status}");
        assert_eq!(status["release"]["bound_by"], "origin", "{status}");
        house.wait(Duration::from_secs(2));
        first.ask("/echo");
        let mut later = Visitor::new(&house);
        assert!(!later.ask("/echo").inside);
        assert_eq!(later.ask("/echo").json()["mode"], "hold");
        assert!(first.ask("/echo").inside, "who is inside goes on");
        let permit = house.ask(&Ask::permit(1));
        assert_eq!(permit.status, 409, "{permit:?}");

        assert_eq!(overrule(&house, "on")["overrule"], "on");
        house.wait(Duration::from_secs(2));
        assert!(later.ask("/echo").inside, "{:?}", origin(&house));
        overrule(&house, "off");
        house.wait(Duration::from_secs(2));
        first.ask("/echo");
        assert!(!Visitor::new(&house).ask("/echo").inside);
    }

    #[test]
    fn where_it_observes_it_says_what_it_would_have_done() {
        let house = room("observe");
        let mut first = Visitor::new(&house);
        assert!(first.ask("/echo").inside);
        newcomers(&house, 3, "/status/503");
        let told = becomes(&house, &mut first, |told| !told["sick_until"].is_null());
        assert_eq!(told["setting"], "observe");
        house.wait(Duration::from_secs(2));
        first.ask("/echo");
        assert!(Visitor::new(&house).ask("/echo").inside);
        let bad = house.log();
        let bad = bad.iter().filter(|line| line["originAnswer"] == "bad");
        let named = bad.filter(|line| line["requestUrl"].to_string().contains("/status/503"));
        assert_eq!(named.count(), 3, "the log names the page");
    }

    #[test]
    fn one_visitor_with_a_broken_address_changes_nothing() {
        let house = room("on");
        house.set("watch_documents", "1");
        let mut first = Visitor::new(&house);
        assert!(first.ask("/echo").inside);
        for _ in 0..40 {
            let page = Ask::get("/status/500")
                .with("sec-fetch-mode", "navigate")
                .with("accept", "text/html");
            assert_eq!(first.send(page).status, 500);
        }
        for got in newcomers(&house, 5, "/status/404") {
            assert_eq!(got.status, 404, "a wrong address is no sickness");
        }
        let told = becomes(&house, &mut first, |_| counted(&house)[0] >= 6);
        assert_eq!(counted(&house), [6, 0, 1], "once a minute");
        assert!(told["sick_until"].is_null(), "{told}");
    }

    #[test]
    fn a_late_answer_is_delivered_all_the_same() {
        let house = room("on");
        let mut first = Visitor::new(&house);
        assert!(first.ask("/echo").inside);
        house.set("slow_ms", "100");
        house.set("sick_min", "5");
        for got in newcomers(&house, 2, "/slow?ms=400") {
            let told = (got.status, got.body.as_str());
            assert_eq!(told, (200, "Answered after 400 ms.\n"));
            assert!(got.ticket().is_some(), "with the ticket");
            assert_eq!(got.header("cache-control"), "private, no-store");
        }
        becomes(&house, &mut first, |_| counted(&house)[1] == 2);
        assert_eq!(counted(&house), [1, 2, 0]);
    }

    #[test]
    fn a_visitor_who_meets_a_bad_answer_keeps_the_place() {
        for cap in ["0", "3"] {
            let house = room("observe");
            house.set("on_origin_error", "keep");
            house.set("total_active", cap);
            house.set("sick_min", "50");
            let mut first = Visitor::new(&house);
            assert!(first.ask("/echo").inside);
            let mut visitor = Visitor::new(&house);
            let got = visitor.ask("/status/500");
            let told = got.json();
            assert_eq!((got.status, &told["position"]), (503, &2.into()), "{told}");
            let again = visitor.ask("/status/500").json();
            assert_eq!(again["position"], 2, "{again}");
            let page = visitor.send(Ask::get("/status/500").with("accept", "text/html"));
            assert_eq!(page.status, 503, "{page:?}");
            assert!(
                page.body.contains("The site did not answer just now."),
                "{}",
                page.body
            );
            assert!(visitor.ask("/echo").inside, "nothing was used up");
            assert_eq!(
                visitor.ask("/status/500").status,
                500,
                "inside it gets what comes"
            );
            let post = Ask::get("/status/500").json().method("POST");
            assert_eq!(Visitor::new(&house).send(post).status, 503, "no ticket");
            let reasons: Vec<Value> = house
                .log()
                .iter()
                .map(|line| line["reason"].clone())
                .collect();
            let many = |reason: &str| reasons.iter().filter(|found| *found == reason).count();
            assert_eq!((many("admitted"), many("rescued")), (1, 1), "{reasons:?}");
        }
    }

    /// The session ends that long after the last try, however long the origin fails.
    #[test]
    fn under_a_cap_a_rescued_visitor_keeps_the_session_while_the_page_tries_again() {
        let house = room("observe");
        house.set("on_origin_error", "keep");
        house.set("total_active", "3");
        house.set("session_minutes", "2");
        house.set("sick_min", "500");
        let mut first = Visitor::new(&house);
        assert!(first.ask("/echo").inside);
        let mut visitor = Visitor::new(&house);
        for _ in 0..4 {
            let got = visitor.ask("/status/500");
            assert_eq!((got.status, &got.json()["position"]), (503, &2.into()));
            house.wait(Duration::from_secs(61));
            assert_eq!(visitor.ask("/_queue/place").json()["waiting"], false);
        }
        assert!(visitor.ask("/echo").inside);
        assert_eq!(visitor.ask("/status/500").status, 500, "it is inside");
    }

    /// A page with scripts reads that it is the turn, and then goes in: again and again while the origin fails.
    #[test]
    fn a_page_that_goes_in_by_itself_is_rescued_each_time_and_waits_for_a_sick_origin() {
        let house = room("on");
        house.set("on_origin_error", "keep");
        house.set("sick_min", "50");
        let page = |target| Ask::get(target).with("accept", "text/html");
        let mut first = Visitor::new(&house);
        assert!(first.ask("/echo").inside);
        let mut visitor = Visitor::new(&house);
        assert_eq!(visitor.ask("/status/500").status, 503);
        for _ in 0..3 {
            assert_eq!(visitor.ask("/_queue/place").json()["waiting"], false);
            let got = visitor.send(page("/status/500"));
            assert_eq!(got.status, 503, "{got:?}");
        }
        assert_eq!(visitor.ask("/_queue/place").json()["waiting"], false);
        assert_eq!(report(&house, r#"{"bad": 90}"#).json()["mode"], "hold");
        house.wait(Duration::from_secs(2));
        first.ask("/echo");
        assert_eq!(visitor.send(page("/echo")).status, 503, "it is sick");
        overrule(&house, "on");
        house.wait(Duration::from_secs(2));
        first.ask("/echo");
        assert_eq!(visitor.send(page("/echo")).status, 200);
        assert_eq!(visitor.send(page("/status/500")).status, 500);
        let log = house.log();
        let many = |reason: &str| log.iter().filter(|line| line["reason"] == reason).count();
        assert_eq!((many("admitted"), many("rescued")), (1, 1), "each once");
    }

    fn report(house: &House, json: &str) -> Got {
        let token = format!("Bearer {PERMIT_TOKEN}");
        let report = Ask::get("/_queue/report").method("POST");
        let report = report.with("authorization", token);
        house.ask(&report.body("application/json", json))
    }

    #[test]
    fn the_origin_reports_how_it_answers_and_its_load() {
        let house = room("on");
        house.set("adaptive_pace", "on");
        house.set("automatic", "60");
        house.set("automatic_quantity", "100");
        house.wait_for_period(60);
        let told = |name: &str| origin(&house)["window"][name].clone();
        let calls = house.calls(|| {
            let got = report(&house, r#"{"load": 0.5, "ok": 10}"#);
            assert_eq!(
                got.json(),
                json!({ "mode": "automatic", "stock": null }),
                "{got:?}"
            );
        });
        assert_eq!(calls, 1);
        assert_eq!((told("load"), told("says")), (json!(0.5), json!("healthy")));
        report(&house, r#"{"load": 1.01}"#);
        // What it says of a window that has just changed is a row of window.json.
        assert_eq!(told("load"), json!(1.01));
        for (wrong, accepted) in [
            ("{}", "load, or at least one of"),
            (r#"{"load": -0.1}"#, "a number from 0 to 10"),
            (r#"{"load": 10.001}"#, "a number from 0 to 10"),
            (r#"{"load": "much"}"#, "a number from 0 to 10"),
            (r#"{"load": 1e999}"#, "a number from 0 to 10"),
            (r#"{"bad": 1.5}"#, "a whole number from 0 to 1000000"),
            (r#"{"ok": 0}"#, "load, or at least one of"),
            (r#"{"level": 1}"#, "load"),
        ] {
            let got = report(&house, wrong);
            assert_eq!(got.status, 400, "{wrong}: {got:?}");
            assert!(got.body.contains(accepted), "{wrong}: {}", got.body);
        }
        assert_eq!(report(&house, r#"{"bad": 9}"#).json()["mode"], "hold");
        let unknown = Ask::get("/_queue/report").method("POST");
        assert_eq!(house.ask(&unknown).status, 401);
        assert_eq!(house.ask(&Ask::get("/_queue/report")).status, 405);
        house.set("adaptive_pace", "off");
        house.set("origin_health", "off");
        assert_eq!(report(&house, r#"{"load": 0.5}"#).status, 400);
    }

    #[test]
    fn answers_to_visitors_of_every_lane_say_something_about_the_window() {
        let house = room("on");
        house.set("regions", r#"[{"name":"west","pops":"XXX"}]"#);
        house.set("adaptive_pace", "on");
        house.set("priority", r#"[{"name":"front","share":20}]"#);
        let code = invitation_by(Some("front"), &house, "one", 9, 3600);
        let mut first = Visitor::new(&house);
        assert!(first.ask("/echo").inside);
        for got in newcomers(&house, 5, "/echo") {
            assert!(got.inside, "{got:?}");
        }
        for _ in 0..3 {
            let mut guest = Visitor::new(&house);
            used(&mut guest, &code);
            assert!(guest.ask("/echo").inside);
        }
        let told = becomes(&house, &mut first, |told| told["window"]["answers"] == 9);
        assert_eq!(told["window"]["late"], 0, "{told}");
        let status = house.ask(&Ask::get("/_queue/status").operator()).json();
        let (west, front) = (&status["regions"][0], &status["invitations"]["groups"][0]);
        let numbers = (&west["cursor"], &front["cursor"], &status["cursor"]);
        assert_eq!(numbers, (&json!(6), &json!(3), &json!(0)), "{status}");
    }

    #[test]
    fn with_watching_off_answers_are_handed_over_and_nothing_is_said() {
        let house = room("off");
        let mut first = Visitor::new(&house);
        assert!(first.ask("/echo").inside);
        newcomers(&house, 5, "/status/500");
        house.wait(Duration::from_secs(3));
        first.ask("/echo");
        let told = origin(&house);
        assert_eq!(
            (counted(&house), &told["sick_until"]),
            ([0; 3], &Value::Null)
        );
        let log = house.log();
        let watched = log.iter().filter(|line| !line["originAnswer"].is_null());
        assert_eq!(watched.count(), 0);
    }
}
