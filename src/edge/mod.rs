//! One request in order, and what a sandbox keeps for the next. This folder alone names the platform.

mod board;
mod command;
mod last_url;
mod lock;
mod objects;
mod origin;
mod outbox;
mod perform;
mod pop;
mod probe;
mod request;
mod settings;
mod signals;
mod to_origin;
mod unsound;
mod upstash;
mod watch;

use std::cell::{Cell, RefCell};
use std::io::Write as _;
use std::rc::Rc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use fastly::Request;
use fastly::http::serve::{HandlerResult, Serve};
use fastly::log::Endpoint;

use now_serving::cache::{KeptBoard, LOOKUP_TIMEOUT, MAX_AGE};
use now_serving::config::Problem;
use now_serving::config::budget::Used;
use now_serving::queue::Now;
use now_serving::request::Request as Asked;
use now_serving::service::{self, FollowUp, Outcome};
use now_serving::telemetry::log::{self, Decision};

use last_url::LastUrl;
use outbox::{Counts, SHORT_TURN};
use perform::{Performed, perform};
use pop::PlatformCache;
use request::{RequestBody, call, facts, located, send, trace_id};
use settings::Settings;
use signals::Said;
use unsound::answer_unsound;
use upstash::Upstash;

const LOG: &str = "queue_logs";

/// How many requests one sandbox answers at most: what is read and parsed once serves them all, as far as the platform's
/// limits reach.
const REQUESTS: usize = 10;

/// For how long it answers, and then waits for the next one at most: settings are never older than twice this.
const LIFE: Duration = Duration::from_secs(15);

thread_local! {
    /// The method of the request whose target is being read.
    static READING: RefCell<Option<String>> = const { RefCell::new(None) };
    /// Whether the settings are being read.
    static CONFIGURING: Cell<bool> = const { Cell::new(false) };
    /// Where this sandbox logs.
    static ENDPOINT: RefCell<Option<Endpoint>> = RefCell::new(Endpoint::try_from_name(LOG).ok());
    /// Whether this is the local server, as [`is_local`] says.
    static LOCAL: bool = variable("FASTLY_HOSTNAME") == "localhost";
}

/// The SDK panics over a request target that it cannot parse, such as `*`, and over an answer of the config store that it
/// does not know, and offers no way to see either before. That visitor is answered all the same, and this sandbox ends:
/// the next request gets another one. What was counted for other visitors is put by first, since the answer may end the sandbox
/// too, where its visitor has gone.
fn answer_what_cannot_be_read() {
    let as_before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        Counts::of_this_sandbox().flush_unless_busy();
        let method = READING.with(|reading| reading.try_borrow().ok()?.clone());
        if let Some(method) = method {
            send(service::whole_server(&method));
            std::process::exit(0);
        }
        if CONFIGURING.get() {
            log(&service::unsound_entry(
                now(),
                &[Problem::unread_document()],
            ));
            send(service::unsound());
            std::process::exit(0);
        }
        as_before(panic);
    }));
}

/// Requests in, answers out.
pub(crate) fn serve() {
    answer_what_cannot_be_read();
    let mut kept = SandboxState {
        counts: Counts::of_this_sandbox(),
        ..SandboxState::default()
    };
    Serve::new()
        .with_max_requests(REQUESTS)
        .with_max_lifetime(LIFE)
        .with_timeout(LIFE)
        .run_with_context(
            |request, kept: &mut SandboxState| {
                answer(request, kept);
                kept.then()
            },
            &mut kept,
        );
    kept.counts.flush();
}

/// All that outlives a request, and nothing in it is about a visitor.
#[derive(Default)]
struct SandboxState {
    settings: Settings,
    counts: Counts,
    board: Rc<RefCell<KeptBoard>>,
    host_url: LastUrl,
    store_url: RefCell<LastUrl>,
}

impl SandboxState {
    /// Whether this sandbox takes another request. What could not be read is left to the next sandbox.
    fn then(&self) -> Then {
        let vcpu_ms = fastly::compute_runtime::elapsed_vcpu_ms().unwrap_or(u64::MAX);
        let used = Used {
            calls: self.counts.calls.get(),
            vcpu_ms,
            ..self.settings.used()
        };
        let is_room = used.leaves_room(self.settings.most_calls());
        if self.settings.are_whole() && is_room && !self.counts.is_at_limit.get() {
            Then::Next
        } else {
            Then::End
        }
    }
}

/// What follows a request that was answered.
enum Then {
    Next,
    End,
}

impl HandlerResult for Then {
    type Error = ();

    /// The answer is under way already; an error ends the loop.
    fn send(self) -> Result<(), ()> {
        match self {
            Self::Next => Ok(()),
            Self::End => Err(()),
        }
    }
}

/// One request: decide, answer, and then what could wait until the visitor had been served.
fn answer(request: Request, kept: &mut SandboxState) {
    let now = now();
    CONFIGURING.set(true);
    let read = kept.settings.read(now);
    CONFIGURING.set(false);
    let config = match read {
        Ok(config) => config,
        Err(unsound) => {
            let kept = (&kept.counts, &mut kept.host_url, &kept.board);
            return answer_unsound(request, unsound, kept, now);
        }
    };
    let now = config.shifted(now);
    let call = located(call(&request, &mut kept.host_url), &config.rooms);
    let place = config.place_of(&call);
    kept.counts.switch_room(&place.room.name);
    let counts = &kept.counts;
    let upstash = || Upstash::new(config, counts, &kept.store_url);
    let pop = |now| PlatformCache::new(counts, &kept.board, now);
    let (store, cache) = (upstash(), pop(now));
    let request = RefCell::new(request);
    let asked = Asked::at(place, (&call, config), (&store, &cache), now);
    let outcome = decided(&asked, &request);
    if let Some(verdict) = outcome.record.waf {
        counts.inspected(verdict);
    }
    let request = request.into_inner();
    let trace = outcome.record.is_logged().then(|| trace_id(&request));
    let rescue = (outcome.rescue, outcome.record.reason);
    let performed = perform(outcome.answer, rescue, request, (&asked, counts));
    let record = performed.record(outcome.record);
    performed.count(&record, outcome.renewal, (counts, now));
    let is_due = performed.is_due(outcome.renewal, &asked);
    if let Some(trace) = trace {
        let of_room = (&call, Some(&asked.room.name));
        let facts = facts(of_room, trace, config.logging.query, now);
        let record = with_hint(record);
        log(&log::entry(&facts, performed.status, &record));
    }
    log_all(&service::refused_entries(now, asked.room));
    follow_up(performed, outcome.after, &asked, (counts, &upstash, &pop));
    let has_told = counts.has_renewed.take();
    if is_due && !has_told {
        tell_in_time(&asked, (counts, &upstash, &pop));
    }
}

/// The request is read for it: its body, and what the platform says of it.
fn decided(asked: &Asked<'_>, request: &RefCell<Request>) -> Outcome {
    let asked = Asked {
        platform: &Said(request),
        ..*asked
    };
    service::handle(&asked, &mut RequestBody(request))
}

/// The store is to hear of a renewal before the session ends by what it knows, and no other request may come until then. Another one
/// has looked within the last second, before this was counted: the next look takes it along, and this request makes that look
/// where no other does.
fn tell_in_time<'a>(
    asked: &Asked<'a>,
    (counts, upstash, pop): (
        &Counts,
        &impl Fn() -> Upstash<'a>,
        &impl Fn(Now) -> PlatformCache,
    ),
) {
    counts.flush_into_outbox(SHORT_TURN);
    std::thread::sleep(MAX_AGE + LOOKUP_TIMEOUT);
    let later = asked.config.shifted(now());
    let asked = Asked {
        store: &upstash(),
        pop: &pop(later),
        now: later,
        ..*asked
    };
    service::afterwards(FollowUp::Look, &asked);
    counts.has_renewed.set(false);
}

/// What could wait until the visitor had been answered. Each time the store may be called once more, and what the POP
/// remembers may be newer.
fn follow_up<'a>(
    performed: Performed,
    after: FollowUp,
    asked: &Asked<'a>,
    (counts, upstash, pop): (
        &Counts,
        &impl Fn() -> Upstash<'a>,
        &impl Fn(Now) -> PlatformCache,
    ),
) {
    // Each further call would be refused, and another sandbox takes the duty.
    if counts.is_at_limit.get() {
        return;
    }
    let now = || asked.config.shifted(now());
    let later = now();
    let first = Asked {
        store: &upstash(),
        pop: &pop(later),
        now: later,
        ..*asked
    };
    performed.follow_up(after, &first);
    if !counts.has_renewed.get() || !probe::has_bad_news(asked, counts) {
        return;
    }
    let later = now();
    let second = Asked {
        store: &upstash(),
        pop: &pop(later),
        now: later,
        ..*asked
    };
    service::afterwards(FollowUp::Look, &second);
}

fn now() -> Now {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    Now::from_ms(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}

/// `FASTLY_HOSTNAME` is the platform's own variable: no visitor can set it.
fn is_local() -> bool {
    LOCAL.with(|local| *local)
}

/// A developer who has started the edge alone reads what else to start.
fn with_hint(record: Decision) -> Decision {
    let hint = |error| format!("{error}. {}", service::ON_THIS_MACHINE);
    let store_error = record.store_error;
    Decision {
        store_error: if is_local() {
            store_error.map(hint)
        } else {
            store_error
        },
        ..record
    }
}

fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_default()
}

fn log_all(lines: &[String]) {
    for line in lines {
        log(line);
    }
}

/// A log that cannot be written must not cost the visitor the answer.
fn log(line: &str) {
    ENDPOINT.with_borrow_mut(|endpoint| {
        if let Some(endpoint) = endpoint {
            let _ = endpoint.write_all(format!("{line}\n").as_bytes());
        }
    });
}
