//! The metrics as Prometheus reads them: its text format, version 0.0.4.
//!
//! Every series is there from the first scrape on, at zero, so that the first of anything is an increase; only what
//! nobody knows is absent.

mod exposition;
mod table;

use self::exposition::Series;
pub use self::exposition::{Kind, PREFIX};
use self::table::Scrape;
pub use self::table::{METRICS, Metric};
use crate::store::Figures;

/// What the text says it is.
pub const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// All metrics of a room. `age_ms` is the age of the copy of the board in this data centre.
#[must_use]
pub fn text(room: &str, figures: &Figures, age_ms: Option<u64>, now_ms: u64) -> String {
    let scrape = Scrape {
        figures,
        age_ms,
        now_ms,
    };
    let mut text = String::new();
    for metric in METRICS {
        let mut series = Series {
            name: metric.name,
            kind: metric.kind,
            help: metric.help,
            label: metric.label,
            room,
            text: &mut text,
            has_head: false,
        };
        (metric.write)(&mut series, &scrape);
    }
    text
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::cache::outbox::Tally;
    use crate::queue::{Absent, Board, Bound, Explained, Live, Mode, Pace, Reason};

    fn figures() -> Figures {
        let live = Live {
            mode: Mode::Hold,
            pace: Pace {
                automatic: 15,
                quantity: 5,
            },
            ..Live::default()
        };
        let board = Board {
            epoch: 1,
            rolls: vec![crate::queue::Stretch::new(0, 3, 10)],
            live,
            ..Board::default()
        };
        let mut tally = Tally::default();
        tally.decided(Reason::Admitted);
        for ms in [3, 7, 2000] {
            tally.called(Duration::from_millis(ms));
        }
        Figures {
            board,
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
            "# TYPE now_serving_build_info gauge",
            concat!(
                "now_serving_build_info{room=\"main\",version=\"",
                env!("CARGO_PKG_VERSION"),
                "\"} 1"
            ),
            "now_serving_drawn_total{room=\"main\"} 12",
            "now_serving_last_number{room=\"main\"} 10",
            "now_serving_released_total{room=\"main\"} 5",
            "now_serving_admitted_total{room=\"main\"} 1",
            "now_serving_decisions_total{room=\"main\",reason=\"admitted\"} 1",
            "now_serving_decisions_total{room=\"main\",reason=\"store_trouble\"} 0",
            "now_serving_waiting{room=\"main\"} 7",
            "now_serving_absent_ratio{room=\"main\"} 0.31",
            "now_serving_may_come{room=\"main\"} 6",
            "now_serving_board_age_seconds{room=\"main\"} 1.5",
            "now_serving_mode{room=\"main\",mode=\"automatic\"} 0",
            "now_serving_mode{room=\"main\",mode=\"hold\"} 1",
            "now_serving_store_calls_total{room=\"main\"} 3",
            "now_serving_store_errors_total{room=\"main\",kind=\"garbled\"} 0",
            "now_serving_store_call_duration_seconds_bucket{room=\"main\",le=\"0.005\"} 1",
            "now_serving_store_call_duration_seconds_bucket{room=\"main\",le=\"1\"} 2",
            "now_serving_store_call_duration_seconds_bucket{room=\"main\",le=\"+Inf\"} 3",
            "now_serving_store_call_duration_seconds_sum{room=\"main\"} 2.01",
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
        assert!(!text.contains("now_serving_absent_ratio"));
        assert!(!text.contains("now_serving_board_age_seconds"));
        assert!(
            !text.contains("now_serving_estimated_wait_seconds"),
            "nobody goes in on hold"
        );
    }
}
