//! One request in order, and what a sandbox keeps for the next. This folder alone names the platform.

mod board;
mod command;
mod host;
mod last_url;
mod lock;
mod objects;
mod origin;
mod outbox;
mod pop;
mod probe;
mod request;
mod settings;
mod signals;
mod to_origin;
mod upstash;
mod watch;

use std::cell::{Cell, RefCell};
use std::io::Write as _;
use std::rc::Rc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use fastly::Request;
use fastly::http::serve::{HandlerResult, Serve};
use fastly::log::Endpoint;

use now_serving::cache::SandboxCopy;
use now_serving::config::Problem;
use now_serving::config::budget::Used;
use now_serving::queue::Now;
use now_serving::request::{Ports, Request as Asked};
use now_serving::service;

use host::Platform;
use last_url::LastUrl;
use outbox::Counts;
use pop::PlatformCache;
use request::{RequestBody, call, located, send};
use settings::Settings;
use signals::Said;
use upstash::Upstash;

const LOG: &str = "queue_logs";

/// How many requests one sandbox answers at most: what is read and parsed once serves them all, as far as the platform's
/// limits reach.
const REQUESTS: usize = 10;

/// For how long it answers, and then waits for the next one at most: settings are never older than twice this.
const SANDBOX_LIFETIME: Duration = Duration::from_secs(15);

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
        .with_max_lifetime(SANDBOX_LIFETIME)
        .with_timeout(SANDBOX_LIFETIME)
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
    board: Rc<RefCell<SandboxCopy>>,
    host_url: LastUrl,
    store_url: RefCell<LastUrl>,
}

impl SandboxState {
    /// Whether this sandbox takes another request. What could not be read is left to the next sandbox.
    fn then(&self) -> AfterRequest {
        let vcpu_ms = fastly::compute_runtime::elapsed_vcpu_ms().unwrap_or(u64::MAX);
        let used = Used {
            calls: self.counts.calls.get(),
            vcpu_ms,
            ..self.settings.used()
        };
        let is_room = used.leaves_room(self.settings.most_calls());
        if self.settings.are_whole() && is_room && !self.counts.is_at_limit.get() {
            AfterRequest::GoOn
        } else {
            AfterRequest::End
        }
    }
}

/// What follows a request that was answered.
enum AfterRequest {
    GoOn,
    End,
}

impl HandlerResult for AfterRequest {
    type Error = ();

    /// The answer is under way already; an error ends the loop.
    fn send(self) -> Result<(), ()> {
        match self {
            Self::GoOn => Ok(()),
            Self::End => Err(()),
        }
    }
}

/// One request, by the settings as they are now.
fn answer(request: Request, kept: &mut SandboxState) {
    let now = now();
    let SandboxState {
        settings,
        counts,
        board,
        host_url,
        store_url,
    } = kept;
    CONFIGURING.set(true);
    let read = settings.read(now);
    CONFIGURING.set(false);
    counts.has_renewed.set(false);
    let rooms = match read {
        Ok(config) => &config.rooms,
        Err(unsound) => &unsound.rooms,
    };
    let call = located(call(&request, host_url, rooms), rooms);
    let request = RefCell::new(Some(request));
    let mut host = Platform {
        request: &request,
        trace: None,
        counts,
        board,
        store_url,
    };
    match read {
        Ok(config) => {
            let now = config.shifted(now);
            let place = config.place_of(&call);
            counts.switch_room(&place.room.name);
            let ports = Ports {
                store: &Upstash::new(config, counts, store_url),
                pop: &PlatformCache::new(counts, board, now),
                platform: &Said::of(&request, counts),
            };
            let asked = Asked::at(place, &call, config, ports, now);
            service::serve(&asked, &mut RequestBody(&request), &mut host);
        }
        Err(unsound) => {
            let now = unsound.shifted(now);
            if let Some(place) = unsound.place_of(&call) {
                counts.switch_room(&place.room.name);
            }
            let pop = PlatformCache::new(counts, board, now);
            let said = Said::of(&request, counts);
            service::serve_unsound(&call, now, unsound, &pop, &said, &mut host);
        }
    }
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

fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_default()
}

/// A log that cannot be written must not cost the visitor the answer.
fn log(line: &str) {
    ENDPOINT.with_borrow_mut(|endpoint| {
        if let Some(endpoint) = endpoint {
            let _ = endpoint.write_all(format!("{line}\n").as_bytes());
        }
    });
}
