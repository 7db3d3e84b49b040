//! The metrics as Prometheus reads them: its text format, version 0.0.4.
//!
//! Every series is there from the first scrape on, at zero, so that the first of anything is an increase; only what
//! nobody knows is absent.

mod exposition;

use self::exposition::{Page, seconds, thousandths};
use crate::cache::outbox::{BUCKETS, FAULTS, Tally};
use crate::queue::{
    Absent, Answered, Bound, Explained, Inversion, Invited, Mode, Pace, Phase, Reason, RegionLine,
    Sessions, Sign, Signal,
};
use crate::store::Figures;

/// What the text says it is.
pub const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// All metrics of a room. `age_ms` is the age of the copy of the sign in this data centre.
#[must_use]
pub fn text(room: &str, figures: &Figures, age_ms: Option<u64>, now_ms: u64) -> String {
    let mut page = Page {
        room,
        text: String::new(),
    };
    page.counters(figures);
    page.gauges(figures, age_ms, now_ms);
    page.front(&figures.sign);
    page.regions(&figures.sign.regions);
    page.absent(figures.absent);
    page.sessions(figures.sign.sessions.as_ref());
    page.gauge(
        "origin_sick",
        "Whether the origin is sick: 1, else 0.",
        Some(u64::from(figures.origin.health.is_sick(now_ms))),
    );
    let window = figures.origin.window.size;
    if window > 0 {
        let name = "queue_window_visitors";
        let help = "Visitors that a period may have, as the answers of the origin say.";
        page.head(name, "gauge", help);
        page.put(name, "", &thousandths(window));
    }
    page.bound(&figures.limits);
    page.invitations(&figures.tally);
    page.inversions(&figures.tally);
    page.signals(&figures.tally);
    page.store(&figures.tally);
    page.text
}

impl Page<'_> {
    fn counters(&mut self, figures: &Figures) {
        let tally = &figures.tally;
        for (name, help, number) in [
            ("drawn", "Numbers drawn.", figures.drawn),
            (
                "released",
                "Visitors whose turn has come, whether they were there or not.",
                figures.released,
            ),
            (
                "admitted",
                "Visitors who went in for the first time.",
                tally.decisions(Reason::Admitted) + tally.decisions(Reason::Rescued),
            ),
        ] {
            let name = format!("queue_{name}_total");
            self.head(&name, "counter", help);
            self.line(&name, "", number);
        }
        self.head(
            "queue_decisions_total",
            "counter",
            "Requests answered, by the reason in the log.",
        );
        for reason in Reason::ALL {
            let label = format!(",reason=\"{}\"", reason.name());
            self.line("queue_decisions_total", &label, tally.decisions(reason));
        }
    }

    fn gauges(&mut self, figures: &Figures, age_ms: Option<u64>, now_ms: u64) {
        let sign = &figures.sign;
        let live = &sign.live;
        let wait = sign.mode().lets_in().then(|| sign.wait_of_the_last(now_ms));
        let wait = wait.flatten();
        for (name, help, number) in [
            (
                "waiting",
                "Visitors who hold a number and have not been released.",
                Some(sign.waiting()),
            ),
            (
                "cursor",
                "Now serving: the last number released.",
                Some(sign.cursor.0),
            ),
            ("length", "The last number drawn.", Some(sign.length)),
            (
                "credit",
                "Admissions granted to arrivals that have not come yet.",
                Some(sign.credit),
            ),
            (
                "epoch",
                "Grows when all tickets are ended.",
                Some(sign.epoch),
            ),
            (
                "settings_version",
                "Grows with each change of mode, pace, message, cap or events.",
                Some(live.version),
            ),
            (
                "estimated_wait_seconds",
                "Wait of the last in line; absent while nobody can tell.",
                wait,
            ),
        ] {
            self.gauge(name, help, number);
        }
        self.pace(live.pace);
        self.sign_age(age_ms);
        self.mode(live.mode);
        self.phase(sign.event.as_ref().map(|event| event.phase));
    }

    fn front(&mut self, sign: &Sign) {
        let front = sign.front.unwrap_or_default();
        let help = "Visitors who wait in the front lane, who are among those that wait.";
        self.gauge("front_waiting", help, Some(front.waiting()));
        let help = "The last number of the front lane that was released.";
        self.gauge("front_cursor", help, Some(front.cursor.0));
    }

    fn absent(&mut self, absent: Absent) {
        if let Some(share) = absent.share {
            let name = "queue_absent_share";
            let help = "Share of the called visitors who do not come, 0 to 1; absent while it is not known.";
            self.head(name, "gauge", help);
            self.put(name, "", &thousandths(share));
        }
        self.gauge(
            "may_come",
            "Visitors called within the last minute who have not come yet.",
            Some(absent.may_come),
        );
    }

    fn sessions(&mut self, sessions: Option<&Sessions>) {
        for (name, help, number) in [
            (
                "inside",
                "Sessions of visitors inside; absent without a cap.",
                sessions.map(Sessions::inside),
            ),
            (
                "promised",
                "Slots kept for called visitors who have not come; absent without a cap.",
                sessions.map(|sessions| sessions.promised),
            ),
            (
                "total_active",
                "The cap: how many sessions there may be; absent without one.",
                sessions.map(|sessions| sessions.total_active),
            ),
        ] {
            self.gauge(name, help, number);
        }
    }

    fn bound(&mut self, limits: &Explained) {
        let name = "queue_bound";
        let help = "Why no more visitors are released now: 1 for the rule that bounds the line, 0 for the others.";
        let rules = Bound::ALL.map(Bound::name);
        self.choice((name, help, "rule"), &rules, limits.bound_by.name());
        self.gauge(
            "recount_ends_timestamp_seconds",
            "Until when it is not known who is inside, since the store lost its data, Unix time; absent while it is known.",
            limits.recount_ms.map(|until| until / 1000),
        );
    }

    fn pace(&mut self, pace: Pace) {
        for (name, help, number) in [
            (
                "period_seconds",
                "Length of a period of the pace; 0: the line moves only by hand and by the origin.",
                Some(pace.automatic),
            ),
            (
                "period_quantity",
                "Visitors released in a period.",
                Some(pace.quantity),
            ),
        ] {
            self.gauge(name, help, number);
        }
    }

    fn sign_age(&mut self, age_ms: Option<u64>) {
        if let Some(age_ms) = age_ms {
            let name = "queue_sign_age_seconds";
            self.head(
                name,
                "gauge",
                "Since the copy of the sign was read from the store, in the data centre that was scraped; absent while nobody looks there.",
            );
            self.put(name, "", &seconds(age_ms.saturating_mul(1000)));
        }
    }

    fn mode(&mut self, live: Mode) {
        let help = "Who goes in: 1 for the mode that holds, 0 for the others.";
        let modes = Mode::ALL.map(Mode::name);
        self.choice(("queue_mode", help, "mode"), &modes, live.name());
    }

    fn phase(&mut self, now: Option<Phase>) {
        let name = "queue_event_phase";
        let help = "Where the event stands whose time it is: 1 for its phase, 0 for the others, and for all without an event.";
        let phases = Phase::ALL.map(Phase::name);
        self.choice((name, help, "phase"), &phases, now.map_or("", Phase::name));
    }

    fn invitations(&mut self, tally: &Tally) {
        let name = "queue_invitations_total";
        let help = "Invitations that visitors brought, by what became of them.";
        self.head(name, "counter", help);
        for (word, invited) in Invited::ALL {
            let label = format!(",outcome=\"{word}\"");
            self.line(name, &label, tally.invitations(invited));
        }
    }

    /// The lines of regions; none where no number was drawn in one.
    fn regions(&mut self, regions: &[RegionLine]) {
        if regions.is_empty() {
            return;
        }
        let name = "queue_region_waiting";
        let help = "Visitors who wait in the line of a region, who are among those that wait.";
        self.head(name, "gauge", help);
        for line in regions {
            self.line(name, &of_region(line), line.waiting());
        }
        let name = "queue_region_cursor";
        let help = "The last number of a region that was released.";
        self.head(name, "gauge", help);
        for line in regions {
            self.line(name, &of_region(line), line.cursor.0);
        }
    }

    fn inversions(&mut self, tally: &Tally) {
        let name = "queue_inversions_total";
        let help =
            "Visitors let in while others waited whose turn was before, by what let them pass.";
        self.head(name, "counter", help);
        for (word, inversion) in Inversion::ALL {
            let label = format!(",by=\"{word}\"");
            self.line(name, &label, tally.inversions(inversion));
        }
    }

    fn signals(&mut self, tally: &Tally) {
        let name = "queue_signals_total";
        let help = "Requests of visitors about to draw, by what the platform said of them.";
        self.head(name, "counter", help);
        for (word, signal) in Signal::ALL {
            let label = format!(",signal=\"{word}\"");
            self.line(name, &label, tally.signals(signal));
        }
    }

    fn store(&mut self, tally: &Tally) {
        let name = "queue_shared_tickets_total";
        let help = "Visits with an admitted ticket that more networks use than should.";
        self.head(name, "counter", help);
        self.line(name, "", tally.shared_visits());
        let name = "queue_network_bound_draws_total";
        let help = "Numbers drawn above the bound of a network.";
        self.head(name, "counter", help);
        self.line(name, "", tally.draws_above_bound());
        let name = "queue_origin_answers_total";
        let help = "Answers of the origin that were watched, by how they were.";
        self.head(name, "counter", help);
        for (word, answered) in Answered::ALL {
            let label = format!(",answer=\"{word}\"");
            self.line(name, &label, tally.origin(answered));
        }
        self.head("queue_store_calls_total", "counter", "Calls to the store.");
        self.line("queue_store_calls_total", "", tally.calls());
        self.head(
            "queue_store_errors_total",
            "counter",
            "What the store gave no usable answer to, by kind.",
        );
        for kind in FAULTS {
            let label = format!(",kind=\"{kind}\"");
            self.line("queue_store_errors_total", &label, tally.errors(kind));
        }
        let name = "queue_store_call_duration_seconds";
        self.head(name, "histogram", "Time of a call to the store.");
        let [buckets, sum, count] = ["bucket", "sum", "count"].map(|part| format!("{name}_{part}"));
        let mut within = 0_u64;
        for most in BUCKETS {
            within = within.saturating_add(tally.calls_within(most));
            let label = format!(",le=\"{}\"", seconds(most.saturating_mul(1000)));
            self.line(&buckets, &label, within);
        }
        self.line(&buckets, ",le=\"+Inf\"", tally.calls());
        self.put(&sum, "", &seconds(tally.took_us()));
        self.line(&count, "", tally.calls());
    }
}

/// The label of a region, in whose name nothing has to be escaped.
fn of_region(line: &RegionLine) -> String {
    format!(",region=\"{}\"", line.name.as_str())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::queue::{Cursor, Pace};
    use crate::queue::{Live, Sign, TurnsOver};

    fn figures() -> Figures {
        let live = Live {
            mode: Mode::Hold,
            pace: Pace {
                automatic: 15,
                quantity: 5,
            },
            ..Live::default()
        };
        let sign = Sign {
            birth: crate::queue::Birth::default(),
            epoch: 1,
            cursor: Cursor(3),
            length: 10,
            front: None,
            regions: Vec::new(),
            over: TurnsOver::default(),
            credit: 0,
            pops: None,
            sessions: None,
            origin: None,
            event: None,
            begun: None,
            measured: None,
            head: None,
            lines: None,
            logged: None,
            live,
        };
        let mut tally = Tally::default();
        tally.decided(Reason::Admitted);
        for ms in [3, 7, 2000] {
            tally.called(Duration::from_millis(ms));
        }
        Figures {
            sign,
            drawn: 12,
            released: 5,
            origin: crate::queue::OriginState::default(),
            limits: Explained {
                bound_by: Bound::Waiting,
                last: None,
                recount_ms: None,
            },
            absent: Absent {
                share: Some(310),
                may_come: 6,
            },
            tally,
        }
    }

    #[test]
    fn every_number_has_its_line() {
        let text = text("main", &figures(), Some(1_500), 0);
        for line in [
            "queue_drawn_total{room=\"main\"} 12",
            "queue_released_total{room=\"main\"} 5",
            "queue_admitted_total{room=\"main\"} 1",
            "queue_decisions_total{room=\"main\",reason=\"admitted\"} 1",
            "queue_decisions_total{room=\"main\",reason=\"store_trouble\"} 0",
            "queue_waiting{room=\"main\"} 7",
            "queue_absent_share{room=\"main\"} 0.31",
            "queue_may_come{room=\"main\"} 6",
            "queue_sign_age_seconds{room=\"main\"} 1.5",
            "queue_mode{room=\"main\",mode=\"automatic\"} 0",
            "queue_mode{room=\"main\",mode=\"hold\"} 1",
            "queue_store_calls_total{room=\"main\"} 3",
            "queue_store_errors_total{room=\"main\",kind=\"garbled\"} 0",
            "queue_store_call_duration_seconds_bucket{room=\"main\",le=\"0.005\"} 1",
            "queue_store_call_duration_seconds_bucket{room=\"main\",le=\"1\"} 2",
            "queue_store_call_duration_seconds_bucket{room=\"main\",le=\"+Inf\"} 3",
            "queue_store_call_duration_seconds_sum{room=\"main\"} 2.01",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}\n{text}");
        }
    }

    #[test]
    fn what_nobody_knows_is_absent() {
        let figures = Figures {
            absent: Absent::default(),
            origin: crate::queue::OriginState::default(),
            limits: Explained {
                bound_by: Bound::Waiting,
                last: None,
                recount_ms: None,
            },
            ..figures()
        };
        let text = text("main", &figures, None, 0);
        assert!(!text.contains("queue_absent_share"));
        assert!(!text.contains("queue_sign_age_seconds"));
        assert!(
            !text.contains("queue_estimated_wait_seconds"),
            "nobody goes in on hold"
        );
    }
}
