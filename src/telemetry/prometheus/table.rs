//! The one table of the metrics: what each is called, what kind it is, what it says, and where its numbers come from. What a scrape
//! gets and the table of `docs/reference/metrics.md` follow from it.
//!
//! Names are as Prometheus advises: a counter ends in `_total`, what has a unit ends in the unit, and a gauge of 1 that only
//! tells by its labels ends in `_info`.

use super::exposition::{Kind, Series, seconds, thousandths};
use crate::cache::outbox::{BUCKETS, FAULTS};
use crate::queue::{
    Answered, Bound, Estimated, Inversion, Invited, LaneState, Mode, Phase, Reason, STAYS,
    Sessions, Signal, WAITS, WafVerdict,
};
use crate::store::Figures;

/// A metric.
#[derive(Debug)]
pub struct Metric {
    /// Its name behind [`PREFIX`](super::PREFIX).
    pub name: &'static str,
    /// How Prometheus reads its numbers.
    pub kind: Kind,
    /// The label that its series have besides `room`, if they have one.
    pub label: Option<&'static str>,
    /// A sentence.
    pub help: &'static str,
    pub(super) write: fn(&mut Series<'_>, &Scrape<'_>),
}

/// What a scrape knows of its room.
pub(super) struct Scrape<'a> {
    pub(super) figures: &'a Figures,
    /// Age of the copy of the board in this data centre.
    pub(super) age_ms: Option<u64>,
    pub(super) now_ms: u64,
}

const fn counter(
    name: &'static str,
    help: &'static str,
    write: fn(&mut Series<'_>, &Scrape<'_>),
) -> Metric {
    Metric {
        name,
        kind: Kind::Counter,
        label: None,
        help,
        write,
    }
}

const fn gauge(
    name: &'static str,
    help: &'static str,
    write: fn(&mut Series<'_>, &Scrape<'_>),
) -> Metric {
    Metric {
        name,
        kind: Kind::Gauge,
        ..counter(name, help, write)
    }
}

impl Metric {
    const fn by(self, label: &'static str) -> Self {
        Self {
            label: Some(label),
            ..self
        }
    }
}

/// All metrics, in the order of the docs.
pub const METRICS: &[Metric] = &[
    gauge(
        "build_info",
        "Always 1, with the version of Now Serving that answered the scrape.",
        |series, _| series.labelled(env!("CARGO_PKG_VERSION"), 1),
    )
    .by("version"),
    counter("drawn_total", "Numbers drawn.", |series, scrape| {
        series.whole(Some(scrape.figures.drawn));
    }),
    counter(
        "released_total",
        "Visitors whose turn has come, whether they were there or not.",
        |series, scrape| series.whole(Some(scrape.figures.released)),
    ),
    counter(
        "admitted_total",
        "Visitors who went in for the first time.",
        |series, scrape| {
            let tally = &scrape.figures.tally;
            let admitted = [Reason::Admitted, Reason::Rescued].map(|reason| tally.decisions(reason));
            series.whole(Some(admitted.iter().sum()));
        },
    ),
    counter(
        "decisions_total",
        "Requests answered, by the reason in the log.",
        |series, scrape| {
            for reason in Reason::of_requests() {
                series.labelled(reason.name(), scrape.figures.tally.decisions(reason));
            }
        },
    )
    .by("reason"),
    counter(
        "shared_tickets_total",
        "Visits with an admitted ticket that is used from more networks than ticket_networks, once a minute for each visitor; only where shared_tickets is observe.",
        |series, scrape| series.whole(Some(scrape.figures.tally.shared_visits())),
    ),
    counter(
        "network_bound_draws_total",
        "Numbers drawn though the network of the visitor had drawn as many as network_draws says.",
        |series, scrape| series.whole(Some(scrape.figures.tally.draws_above_bound())),
    ),
    counter(
        "signals_total",
        "Requests of visitors about to draw, by what Fastly said of them.",
        |series, scrape| {
            series.each(&Signal::ALL, |signal| scrape.figures.tally.signals(signal));
        },
    )
    .by("signal"),
    counter(
        "waf_total",
        "Requests about which the Next-Gen WAF was asked, by what it said; where waf is inspect.",
        |series, scrape| {
            series.each(&WafVerdict::ALL, |verdict| scrape.figures.tally.inspections(verdict));
        },
    )
    .by("verdict"),
    counter(
        "invitations_total",
        "Invitations that visitors brought, by what became of them.",
        |series, scrape| {
            series.each(&Invited::ALL, |invited| scrape.figures.tally.invitations(invited));
        },
    )
    .by("outcome"),
    counter(
        "inversions_total",
        "Visitors let in while others waited whose turn was before, by the rule that let them pass.",
        |series, scrape| {
            series.each(&Inversion::ALL, |inversion| scrape.figures.tally.inversions(inversion));
        },
    )
    .by("by"),
    counter(
        "origin_answers_total",
        "Answers of the origin that were watched or probed, by how they were.",
        |series, scrape| {
            series.each(&Answered::ALL, |answered| scrape.figures.tally.origin(answered));
        },
    )
    .by("answer"),
    counter("store_calls_total", "Calls to the store.", |series, scrape| {
        series.whole(Some(scrape.figures.tally.calls()));
    }),
    counter(
        "store_errors_total",
        "Calls to which the store gave no usable answer, by what was wrong.",
        |series, scrape| {
            for kind in FAULTS {
                series.labelled(kind, scrape.figures.tally.errors(kind));
            }
        },
    )
    .by("kind"),
    Metric {
        kind: Kind::Histogram,
        ..counter(
            "store_call_duration_seconds",
            "Time of a call to the store.",
            |series, scrape| {
                let tally = &scrape.figures.tally;
                let buckets = BUCKETS.map(|most| (most, tally.calls_within(most)));
                series.histogram("", &buckets, tally.took_us(), tally.calls());
            },
        )
    },
    Metric {
        kind: Kind::Histogram,
        ..counter(
            "wait_seconds",
            "Time from the draw of a number to the first visit inside, of visitors who went in, by lane.",
            |series, scrape| {
                let tally = &scrape.figures.tally;
                for lane in tally.lanes() {
                    let within = |(at, most): (usize, &u64)| (most * 1000, tally.waits(at, lane));
                    let buckets: Vec<_> = WAITS.iter().enumerate().map(within).collect();
                    let longer = tally.waits(WAITS.len(), lane);
                    let count = buckets.iter().fold(longer, |sum, (_, many)| sum.saturating_add(*many));
                    let sum_us = tally.waited_seconds(lane).saturating_mul(1_000_000);
                    series.histogram(lane, &buckets, sum_us, count);
                }
            },
        )
    }
    .by("lane"),
    counter(
        "estimates_total",
        "Visitors who went in, by how the estimate at the draw came true: early below three quarters of it, late above four thirds, and by more than half a minute; else right.",
        |series, scrape| {
            series.each(&Estimated::ALL, |estimated| scrape.figures.tally.estimates(estimated));
        },
    )
    .by("came"),
    counter(
        "visits_reached_total",
        "Visits under a cap that lasted at least so many minutes, from the first visit inside to the latest.",
        |series, scrape| {
            for (bucket, minutes) in STAYS.iter().enumerate() {
                series.labelled(&minutes.to_string(), scrape.figures.tally.stays(bucket));
            }
        },
    )
    .by("minutes"),
    gauge(
        "waiting",
        "Visitors who hold a number and have not been released, in all lanes.",
        |series, scrape| series.whole(Some(scrape.figures.board.waiting())),
    ),
    gauge(
        "cursor",
        "Now serving: the last number released, in the main line.",
        |series, scrape| series.whole(Some(scrape.figures.board.cursor().0)),
    ),
    gauge(
        "last_number",
        "The last number drawn, in the main line.",
        |series, scrape| series.whole(Some(scrape.figures.board.length())),
    ),
    gauge(
        "credit",
        "Admissions granted to arrivals that have not come yet.",
        |series, scrape| series.whole(Some(scrape.figures.board.credit)),
    ),
    gauge(
        "stock_left",
        "Visitors who may still be called by the stock that the origin reported; absent where it reported none.",
        |series, scrape| series.whole(scrape.figures.board.live.stock),
    ),
    gauge(
        "epoch",
        "The first roll that counts, as the store's time at its beginning in ms; 1 until all tickets are ended or an event begins.",
        |series, scrape| series.whole(Some(scrape.figures.board.epoch)),
    ),
    gauge(
        "lane_waiting",
        "Visitors who wait in the lane of a group or a region; absent without such a lane.",
        |series, scrape| of_lanes(series, scrape, LaneState::waiting),
    )
    .by("lane"),
    gauge(
        "lane_cursor",
        "The last number released in the lane of a group or a region; absent without such a lane.",
        |series, scrape| of_lanes(series, scrape, |lane| lane.cursor().0),
    )
    .by("lane"),
    gauge(
        "estimated_wait_seconds",
        "Wait of the last in line; absent while it is not known.",
        |series, scrape| {
            let board = &scrape.figures.board;
            let wait = board.mode().lets_in().then(|| board.wait_of_the_last(scrape.now_ms));
            series.whole(wait.flatten());
        },
    ),
    gauge(
        "absent_ratio",
        "The ratio of called visitors who do not come, 0 to 1; absent while it is not known.",
        |series, scrape| series.exact(scrape.figures.absent.share.map(thousandths)),
    ),
    gauge(
        "may_come",
        "Visitors called within the last minute who have not come yet.",
        |series, scrape| series.whole(Some(scrape.figures.absent.may_come)),
    ),
    gauge(
        "inside",
        "Sessions of visitors inside; absent without a cap.",
        |series, scrape| series.whole(scrape.sessions().map(Sessions::inside)),
    ),
    gauge(
        "promised",
        "Slots kept for called visitors who have not come; absent without a cap.",
        |series, scrape| series.whole(scrape.sessions().map(|sessions| sessions.promised)),
    ),
    gauge(
        "cap",
        "How many sessions there may be; absent without a cap.",
        |series, scrape| series.whole(scrape.sessions().map(|sessions| sessions.total_active)),
    ),
    gauge(
        "recount_ends_timestamp_seconds",
        "Until when it is not known who is inside, since the store lost its data, as Unix time; absent while it is known.",
        |series, scrape| {
            let until = scrape.figures.limits.recount_ms;
            series.whole(until.map(|until| until / 1000));
        },
    ),
    gauge(
        "origin_sick",
        "Whether the origin is sick: 1, else 0.",
        |series, scrape| {
            let is_sick = scrape.figures.origin.health.is_sick(scrape.now_ms);
            series.whole(Some(u64::from(is_sick)));
        },
    ),
    gauge(
        "window_visitors",
        "Visitors that a period may have by the answers of the origin, or by the pace where it does not follow them; absent until that is known.",
        |series, scrape| {
            let window = scrape.figures.origin.window.size;
            series.exact((window > 0).then(|| thousandths(window)));
        },
    ),
    gauge(
        "bound",
        "Why no more visitors are released now: 1 for the rule that bounds the line, 0 for the others.",
        |series, scrape| series.choice(&Bound::ALL, Some(scrape.figures.limits.bound_by)),
    )
    .by("rule"),
    gauge(
        "mode",
        "Who goes in: 1 for the mode that holds, 0 for the others.",
        |series, scrape| series.choice(&Mode::ALL, Some(scrape.figures.board.live.mode)),
    )
    .by("mode"),
    gauge(
        "event_phase",
        "Where the event stands: 1 for its phase, 0 for the others, and for all without an event.",
        |series, scrape| {
            let event = scrape.figures.board.event.as_ref();
            series.choice(&Phase::ALL, event.map(|event| event.phase));
        },
    )
    .by("phase"),
    gauge(
        "period_seconds",
        "Length of a period of the pace; 0: the line moves only by hand and by the origin.",
        |series, scrape| series.whole(Some(scrape.figures.board.live.pace.automatic)),
    ),
    gauge(
        "period_quantity",
        "Visitors released in a period.",
        |series, scrape| series.whole(Some(scrape.figures.board.live.pace.quantity)),
    ),
    gauge(
        "settings_version",
        "Grows with each change of mode, pace, message, cap or events.",
        |series, scrape| series.whole(Some(scrape.figures.board.live.version)),
    ),
    gauge(
        "board_age_seconds",
        "Age of the copy of the board in the data centre that was scraped; absent while no visitor asks there.",
        |series, scrape| {
            let age = scrape.age_ms.map(|ms| seconds(ms.saturating_mul(1000)));
            series.exact(age);
        },
    ),
];

impl Scrape<'_> {
    fn sessions(&self) -> Option<&Sessions> {
        self.figures.board.sessions.as_ref()
    }
}

/// The name of a lane needs no escapes.
fn of_lanes(series: &mut Series<'_>, scrape: &Scrape<'_>, number: fn(&LaneState) -> u64) {
    for of in &scrape.figures.board.lanes {
        series.labelled(of.lane.full_name(), number(of));
    }
}
