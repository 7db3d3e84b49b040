//! With `edge/` all that names the platform: settings, clock, store transport, sending, logging.

mod origin;

use std::cell::{Cell, OnceCell, RefCell};
use std::io::{Read, Write as _};
use std::net::IpAddr;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use fastly::cache::core::{self, CacheError, CacheKey, Found, Transaction};
use fastly::handle::{BodyHandle, CacheOverride, RequestHandle};
use fastly::http::body::StreamingBody;
use fastly::http::header::{AUTHORIZATION, CONTENT_TYPE};
use fastly::http::serve::{HandlerResult, Serve};
use fastly::http::{HeaderName, HeaderValue, Method, Url};
use fastly::{Acl, ConfigStore, Request, Response, SecretStore};
use jwt_simple::reexports::ct_codecs::{Encoder, Hex};
use jwt_simple::reexports::rand::Rng as _;

use now_serving::budget::{CALLS, Used};
use now_serving::config::{
    Backend, Config, Deadlines, Problem, Remembering, Source, Spent, StoreBackend, Unreadable,
    Unsound,
};
use now_serving::http::{Answer, Call, HEADERS, Reply, is_withheld};
use now_serving::line::{LastSign, Sign};
use now_serving::near::{
    ADMISSION_KEPT, Copied, Duty, FRESH, KEPT, Listed, Lookup, Marker, Markers, Near, PATIENCE,
    QUEUE, RENEWING, Renew, Turn, Wrong,
};
use now_serving::record::{self, Facts, Query};
use now_serving::service;
use now_serving::tally::{Batch, Tally, Till};
use now_serving::upstash::{Attempt, Attempts, StoreError, Transport};

const STORE: &str = "upstash";
const LOG: &str = "queue_logs";

/// How many requests one sandbox answers at most: what is read and parsed once serves them all, as far as the platform's
/// limits reach.
const REQUESTS: usize = 10;
/// For how long it answers, and then waits for the next one at most: settings are never older than twice this.
const LIFE: Duration = Duration::from_secs(15);
/// The local server's files are edited by hand, and nothing there limits reading them.
const LOCAL_SETTINGS: Duration = Duration::from_secs(1);

/// How many tills a data centre has: sandboxes that end at the same time seldom wait for each other.
const TILLS: usize = 4;
/// A POP that has not read the sign for longer is quiet.
const QUIET_MS: u64 = 60_000;
/// The longest a sandbox that ends waits for a till.
const TURN: Duration = Duration::from_millis(500);
/// And the longest a look waits that others wait for: what is busy goes along with the next one.
const SHORT_TURN: Duration = Duration::from_millis(20);
/// How long a till is kept that nobody asks for.
const TILLS_KEPT: Duration = Duration::from_hours(24);

thread_local! {
    /// The method of the request whose target is being read.
    static READING: RefCell<Option<String>> = const { RefCell::new(None) };
    /// Whether the settings are being read.
    static CONFIGURING: Cell<bool> = const { Cell::new(false) };
}

/// The SDK panics over a request target that it cannot parse, such as `*`, and over an answer of the config store that it
/// does not know, and offers no way to see either before. That visitor is answered all the same, and this sandbox ends:
/// the next request gets another one.
fn answer_what_cannot_be_read() {
    let as_before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let method = READING.with(|reading| reading.try_borrow().ok()?.clone());
        if let Some(method) = method {
            response(service::whole_server(&method)).send_to_client();
            std::process::exit(0);
        }
        if CONFIGURING.get() {
            log(&service::unsound_entry(
                now_ms(),
                &[Problem::unread_document()],
            ));
            response(service::unsound()).send_to_client();
            std::process::exit(0);
        }
        as_before(panic);
    }));
}

/// Requests in, answers out.
pub(crate) fn serve() {
    answer_what_cannot_be_read();
    let mut kept = Kept::default();
    Serve::new()
        .with_max_requests(REQUESTS)
        .with_max_lifetime(LIFE)
        .with_timeout(LIFE)
        .run_with_context(
            |request, kept: &mut Kept| {
                answer(request, kept);
                kept.then()
            },
            &mut kept,
        );
    kept.counts.end();
}

/// All that outlives a request, and nothing in it is about a visitor.
#[derive(Default)]
struct Kept {
    settings: Settings,
    counts: Counts,
}

impl Kept {
    /// Whether this sandbox takes another request. What could not be read is left to the next sandbox.
    fn then(&self) -> Then {
        let vcpu_ms = fastly::compute_runtime::elapsed_vcpu_ms().unwrap_or(u64::MAX);
        let used = Used {
            calls: self.counts.calls.get(),
            vcpu_ms,
            ..self.settings.used()
        };
        if self.settings.are_whole() && used.leaves_room(self.settings.most_calls()) {
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

#[derive(Default)]
struct Settings {
    reading: Option<Reading>,
    /// What readings before this one took.
    before: Spent,
}

/// What was read, and from where.
struct Reading {
    stores: Arc<Remembering<Stores>>,
    opened: Instant,
    config: Result<Config, Box<Unsound>>,
}

impl Settings {
    /// What was read for the request before, as far as it could be read; what could not is asked for again.
    fn read(&mut self, now_ms: u64) -> Result<&Config, &Unsound> {
        let is_stale = |opened: Instant| is_local() && opened.elapsed() > LOCAL_SETTINGS;
        let kept = self.reading.take().filter(|kept| {
            let is_stale = is_stale(kept.opened);
            if is_stale {
                self.before = self.before.and(kept.stores.spent());
            }
            !is_stale
        });
        let reading = match kept {
            Some(kept) if kept.is_whole() => kept,
            Some(kept) => Reading::of(kept.stores, kept.opened, now_ms),
            None => {
                let stores = Arc::new(Remembering::new(Stores::open()));
                Reading::of(stores, Instant::now(), now_ms)
            }
        };
        let reading = self.reading.insert(reading);
        reading.config.as_ref().map_err(|unsound| &**unsound)
    }

    fn used(&self) -> Used {
        let now = self.reading.as_ref().map(|reading| reading.stores.spent());
        let spent = self.before.and(now.unwrap_or_default());
        Used {
            look_ups: spent.look_ups,
            secrets: spent.secrets,
            ..Used::default()
        }
    }

    fn are_whole(&self) -> bool {
        self.reading.as_ref().is_some_and(Reading::is_whole)
    }

    fn most_calls(&self) -> u64 {
        let config = self.reading.as_ref().map(|reading| &reading.config);
        match config {
            Some(Ok(config)) => config.backend_calls,
            Some(Err(_)) | None => CALLS,
        }
    }
}

impl Reading {
    fn of(stores: Arc<Remembering<Stores>>, opened: Instant, now_ms: u64) -> Self {
        let config = Config::read(&(Arc::clone(&stores) as Arc<dyn Source>));
        let ignored = config.as_ref().ok();
        if let Some(entry) = ignored.and_then(|config| service::ignored_entry(now_ms, config)) {
            log(&entry);
        }
        Self {
            stores,
            opened,
            config,
        }
    }

    fn is_whole(&self) -> bool {
        match &self.config {
            Ok(config) => config.is_whole(),
            Err(unsound) => unsound.is_whole(),
        }
    }
}

/// One request: decide, answer, and then what could wait until the visitor had been served.
fn answer(mut request: Request, kept: &mut Kept) {
    let now_ms = now_ms();
    CONFIGURING.set(true);
    let read = kept.settings.read(now_ms);
    CONFIGURING.set(false);
    let config = match read {
        Ok(config) => config,
        Err(unsound) => return answer_unsound(request, unsound, &mut kept.counts, now_ms),
    };
    let now_ms = config.shifted(now_ms);
    let call = call(&request);
    kept.counts.are_of(&config.room);
    let counts = &kept.counts;
    let near = DataCentre::new(counts);
    let store = Upstash::new(config, counts);
    let mut body = BodyOf(&mut request);
    let outcome = service::handle(&call, &mut body, config, &store, &near, now_ms);
    counts.tally.borrow_mut().decided(outcome.record.reason);
    let trace = outcome.record.is_logged().then(|| trace_id(&request));
    let status = match outcome.answer {
        Answer::Reply(reply) => Some(send(response(reply))),
        Answer::Forward(forward) => {
            counts.has_called();
            origin::forwarded(request, &forward, &call).map(send)
        }
    };
    if let Some(trace) = trace {
        let facts = facts(&call, trace, config.log_query, now_ms);
        log(&record::entry(&facts, status, &outcome.record));
    }
    for entry in service::refused_entries(now_ms, config) {
        log(&entry);
    }
    let (store, near) = (Upstash::new(config, counts), DataCentre::new(counts));
    service::afterwards(outcome.after, config, &store, &near, now_ms);
}

/// One request while the configuration is unsound: visitors who were admitted and bypass paths pass, all others are told.
fn answer_unsound(request: Request, unsound: &Unsound, counts: &mut Counts, now_ms: u64) {
    let now_ms = unsound.shifted(now_ms);
    let call = call(&request);
    if let Some(room) = &unsound.room {
        counts.are_of(room);
    }
    let outcome = service::passes(&call, unsound, &DataCentre::new(counts), now_ms);
    match outcome.map(|outcome| (outcome.answer, outcome.record)) {
        Some((Answer::Forward(forward), record)) => {
            counts.tally.borrow_mut().decided(record.reason);
            let trace = trace_id(&request);
            counts.has_called();
            let status = origin::forwarded(request, &forward, &call).map(send);
            let facts = facts(&call, trace, Query::LeftOut, now_ms);
            log(&record::entry(&facts, status, &record));
        }
        Some((Answer::Reply(reply), _)) => drop(send(response(reply))),
        None => drop(send(response(service::unsound()))),
    }
    log(&service::unsound_entry(now_ms, &unsound.problems));
}

/// `FASTLY_TRACE_ID` names the sandbox, which several requests share; this names the request.
fn trace_id(request: &Request) -> String {
    let trace = request.get_client_request_id();
    trace.unwrap_or_default().to_owned()
}

/// The request's body, left alone until somebody reads it: only an operator's route does.
struct BodyOf<'a>(&'a mut Request);

impl Read for BodyOf<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.0.get_body_mut().read(buffer)
    }
}

fn send(response: Response) -> u16 {
    let status = response.get_status().as_u16();
    response.send_to_client();
    status
}

fn now_ms() -> u64 {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// `FASTLY_HOSTNAME` is the platform's own variable: no visitor can set it.
fn is_local() -> bool {
    variable("FASTLY_HOSTNAME") == "localhost"
}

fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_default()
}

/// A store by the name of its link. `fastly compute publish` links what it makes by the store's own name, which is the
/// manifest's: names of stores are those of the whole account.
fn named<S, E>(
    open: impl Fn(&str) -> Result<S, E>,
    name: &str,
    is_missing: impl Fn(&E) -> bool,
) -> Result<S, E> {
    match open(name) {
        Err(error) if is_missing(&error) => open(&format!("now-serving-{name}")),
        opened => opened,
    }
}

struct Stores {
    config: Result<Option<ConfigStore>, Unreadable>,
    secrets: Result<Option<SecretStore>, Unreadable>,
}

impl Stores {
    /// A store that is not there holds nothing; what is then missing is named by the configuration.
    fn open() -> Self {
        use fastly::config_store::OpenError as ConfigError;
        use fastly::secret_store::OpenError;
        let is_no_config = |error: &_| matches!(error, ConfigError::ConfigStoreDoesNotExist);
        let is_no_secrets = |error: &_| matches!(error, OpenError::SecretStoreDoesNotExist(_));
        Self {
            config: match named(ConfigStore::try_open, "config", is_no_config) {
                Ok(store) => Ok(Some(store)),
                Err(error) if is_no_config(&error) => Ok(None),
                Err(_) => Err(Unreadable),
            },
            secrets: match named(SecretStore::open, "secrets", is_no_secrets) {
                Ok(store) => Ok(Some(store)),
                Err(error) if is_no_secrets(&error) => Ok(None),
                Err(_) => Err(Unreadable),
            },
        }
    }
}

impl Source for Stores {
    fn setting(&self, key: &str) -> Result<Option<String>, Unreadable> {
        let Some(store) = self.config.as_ref().map_err(|error| *error)? else {
            return Ok(None);
        };
        store.try_get(key).map_err(|_| Unreadable)
    }

    fn secret(&self, key: &str) -> Result<Option<String>, Unreadable> {
        let Some(store) = self.secrets.as_ref().map_err(|error| *error)? else {
            return Ok(None);
        };
        let Some(secret) = store.try_get(key).map_err(|_| Unreadable)? else {
            return Ok(None);
        };
        let bytes = secret.try_plaintext().map_err(|_| Unreadable)?;
        let text = String::from_utf8(bytes.to_vec()).map_err(|_| Unreadable)?;
        Ok(Some(text))
    }

    fn keeps_secrets(&self) -> bool {
        !matches!(self.secrets, Ok(None))
    }

    fn store_backend(&self) -> StoreBackend {
        let backend = fastly::Backend::from_name(STORE).ok();
        let Some(backend) = backend.filter(fastly::Backend::exists) else {
            return StoreBackend::Missing;
        };
        // The local server, whose version of every service is 0, tells no deadlines, and the SDK panics over that.
        let has_deadlines = variable("FASTLY_SERVICE_VERSION") != "0";
        StoreBackend::Found(Backend {
            host: backend.get_host(),
            deadlines: has_deadlines.then(|| Deadlines {
                connect: backend.get_connect_timeout(),
                first_byte: backend.get_first_byte_timeout(),
                between_bytes: backend.get_between_bytes_timeout(),
            }),
        })
    }

    fn is_local(&self) -> bool {
        is_local()
    }
}

struct Upstash<'a> {
    config: &'a Config,
    counts: &'a Counts,
    attempts: Attempts,
}

impl<'a> Upstash<'a> {
    fn new(config: &'a Config, counts: &'a Counts) -> Self {
        Self {
            config,
            counts,
            attempts: Attempts::default(),
        }
    }

    fn send(&self, body: &str) -> Option<(u16, Vec<u8>)> {
        let url = Url::parse(&self.config.upstash_url).ok()?;
        let authorization = format!("Bearer {}", self.config.upstash_token);
        let authorization = HeaderValue::from_str(&authorization).ok()?;
        // By its handle: the SDK's own way goes by its caches, of which a *pass* uses none.
        let mut request = RequestHandle::new();
        request.set_method(&Method::POST);
        request.set_url(&url);
        request.insert_header(&AUTHORIZATION, &authorization);
        request.insert_header(&CONTENT_TYPE, &HeaderValue::from_static("application/json"));
        request.set_cache_override(&CacheOverride::Pass);
        let (head, mut answer) = request.send(BodyHandle::from(body), STORE).ok()?;
        // Nearly every answer fits: each time the buffer grows is one more call of the host.
        let mut bytes = Vec::with_capacity(2048);
        answer.read_to_end(&mut bytes).ok()?;
        Some((head.get_status().as_u16(), bytes))
    }
}

impl Transport for Upstash<'_> {
    fn post(&self, body: &str, attempt: Attempt) -> Option<(u16, Vec<u8>)> {
        if !self.attempts.take(attempt) {
            return None;
        }
        let began = Instant::now();
        let answer = self.send(body);
        self.counts.has_called();
        self.counts.tally.borrow_mut().called(began.elapsed());
        answer
    }

    fn failed(&self, fault: &StoreError) {
        self.counts.tally.borrow_mut().failed(fault);
    }
}

/// What this sandbox counts, and the tills of the data centre into which it goes.
#[derive(Clone, Default)]
struct Counts {
    room: String,
    tally: Rc<RefCell<Tally>>,
    /// Calls of the origin and of the store.
    calls: Rc<Cell<u64>>,
}

impl Counts {
    fn has_called(&self) {
        self.calls.set(self.calls.get() + 1);
    }

    /// From now on they are of this room.
    fn are_of(&mut self, room: &str) {
        if self.room != room {
            self.end();
            room.clone_into(&mut self.room);
        }
    }

    /// All that was counted goes into a till. Where the cache has none to give, the log has it.
    fn end(&self) {
        if !self.put_by(TURN) {
            log(&service::uncounted_entry(now_ms(), &self.tally.take()));
        }
    }

    /// Puts what was counted into a till, any of them, if it is this sandbox's turn there soon enough.
    fn put_by(&self, turn: Duration) -> bool {
        self.tally.borrow().is_empty() || self.put_into_any(turn, |_, _| ()).is_some()
    }

    /// The batch that is to be sent from a till, any of them, with what this sandbox counted.
    fn next_batch(&self) -> Option<Batch> {
        if self.tally.borrow().is_empty() {
            return self.batch_of(any_till());
        }
        self.put_into_any(SHORT_TURN, |place, till| till.batch(place))?
    }

    fn batch_of(&self, place: usize) -> Option<Batch> {
        if self.seen(place)?.is_empty() {
            return None;
        }
        self.at(place, SHORT_TURN, |till| till.batch(place))?
    }

    /// Puts what was counted into the first till of a random order where it is this sandbox's turn soon enough, and does
    /// something more there.
    fn put_into_any<T>(&self, turn: Duration, work: impl Fn(usize, &mut Till) -> T) -> Option<T> {
        let mut tally = self.tally.borrow_mut();
        let mut tills = (any_till()..).map(|next| next % TILLS).take(TILLS);
        let done = tills.find_map(|place| {
            self.at(place, turn, |till| {
                till.put(&tally);
                work(place, till)
            })
        });
        if done.is_some() {
            *tally = Tally::default();
        }
        done
    }

    /// Does something at a till while nobody else is there. The lock is a transaction that nobody fulfils: one has it at a
    /// time, and when it is given up it goes to one of those who wait for it.
    fn at<T>(&self, till: usize, turn: Duration, work: impl FnOnce(&mut Till) -> T) -> Option<T> {
        let lock = Transaction::lookup(self.key("till-lock", till)).timeout(turn);
        let lock = lock.execute().ok()?;
        if !lock.must_insert_or_update() {
            return None;
        }
        let mut kept = self.seen(till).unwrap_or_else(|| Till::new(fresh_id()));
        let done = work(&mut kept);
        let written = core::insert(self.key("till", till), TILLS_KEPT)
            .deliver_node_max_age(Duration::ZERO)
            .user_metadata(kept.encode().into())
            .execute();
        let written = written.is_ok_and(|body| body.finish().is_ok());
        // Whoever waits gets the lock when this one is gone, too.
        let _ = lock.cancel_insert_or_update();
        written.then_some(done)
    }

    fn seen(&self, till: usize) -> Option<Till> {
        let found = core::lookup(self.key("till", till)).execute().ok()??;
        Till::decode(std::str::from_utf8(&found.user_metadata()).ok()?)
    }

    fn key(&self, name: &str, till: usize) -> CacheKey {
        CacheKey::from(format!("{name}:{}:{till}", self.room))
    }
}

fn any_till() -> usize {
    let sum: usize = fresh_id().bytes().map(usize::from).sum();
    sum % TILLS
}

fn call(request: &Request) -> Call {
    // The host hands over names all at once and values one by one: only those that are there are asked for.
    let names: Vec<&HeaderName> = request.get_header_names().collect();
    let present = |wanted: &&str| names.iter().any(|name| name.as_str() == *wanted);
    let copied = |name: &'static str| {
        request
            .get_header_all(name)
            .map(move |value| (name, value.as_bytes().to_vec()))
    };
    let host = request.get_header_str_lossy("host").unwrap_or_default();
    // The SDK panics over a URL it cannot parse; the host is the part of it that a stranger can spoil.
    let sound = Url::parse(&format!("http://{host}/")).is_ok();
    READING.set(Some(request.get_method_str().to_owned()));
    let url = sound.then(|| request.get_url());
    READING.set(None);
    Call {
        method: request.get_method_str().to_owned(),
        path: url.map(|url| url.path().to_owned()).unwrap_or_default(),
        query: url.and_then(|url| url.query().map(str::to_owned)),
        host: host.into_owned(),
        https: url.is_some_and(|url| url.scheme() == "https")
            || !is_local() && came_by_tls(request),
        address: request.get_client_ip_addr(),
        local: is_local(),
        headers: HEADERS
            .into_iter()
            .filter(present)
            .flat_map(copied)
            .collect(),
        withheld: names
            .iter()
            .map(|name| name.as_str())
            .filter(|name| is_withheld(name))
            .map(str::to_owned)
            .collect(),
        id: fresh_id(),
    }
}

/// Asked for only where the URL does not say https: a redirect to https must not go by one sign alone, or it never ends
/// where that sign is wrong.
fn came_by_tls(request: &Request) -> bool {
    let (handle, _) = request.as_handles();
    let protocol = handle.client_tls_protocol_bytes();
    protocol.is_some_and(|protocol| !protocol.is_empty())
}

/// 128 random bits in hexadecimal.
fn fresh_id() -> String {
    let mut bytes = [0; 16];
    jwt_simple::reexports::rand::rng().fill_bytes(&mut bytes);
    Hex::encode_to_string(bytes).unwrap_or_default()
}

fn facts(call: &Call, trace: String, query: Query, timestamp: u64) -> Facts {
    let place = call.address.and_then(fastly::geo::geo_lookup);
    let known = |text: &str| (!text.is_empty() && text != "?").then(|| text.to_owned());
    Facts {
        timestamp,
        client_address: call.address.map(|address| address.to_string()),
        fastly_region: variable("FASTLY_REGION"),
        fastly_service_id: variable("FASTLY_SERVICE_ID"),
        fastly_service_version: variable("FASTLY_SERVICE_VERSION"),
        fastly_hostname: variable("FASTLY_HOSTNAME"),
        fastly_trace_id: trace,
        client_geo_country: place.as_ref().and_then(|place| known(place.country_code())),
        client_geo_city: place.as_ref().and_then(|place| known(place.city())),
        ..Facts::of(call, query)
    }
}

/// The data centre's cache: the copy of the sign, and the last one there was.
#[derive(Clone)]
struct DataCentre {
    room: String,
    sign: CacheKey,
    last: CacheKey,
    /// The last sign as this request found it: it is asked after in several places, and every time is a call to the host.
    found: OnceCell<Option<Copied>>,
    counts: Counts,
}

impl DataCentre {
    fn new(counts: &Counts) -> Self {
        let key = |name: &str| CacheKey::from(format!("{name}:{}", counts.room));
        Self {
            room: counts.room.clone(),
            sign: key("sign"),
            last: key("last-sign"),
            found: OnceCell::new(),
            counts: counts.clone(),
        }
    }

    /// The last sign as it is now: other requests may have put up a later one since this request began.
    fn last_now(&self) -> Option<Copied> {
        copied(&core::lookup(self.last.clone()).execute().ok()??)
    }

    fn login_key(&self, name: &str, from: &str) -> CacheKey {
        CacheKey::from(format!("login-{name}:{}:{from}", self.room))
    }

    fn marker_key(&self, marker: Marker) -> CacheKey {
        CacheKey::from(format!("{}:{}", marker.name(), self.room))
    }

    /// Whether the copy there shows more than this one, which was then read earlier and comes late.
    fn is_ahead_of(&self, copy: &Copied) -> bool {
        let there = core::lookup(self.sign.clone()).execute().ok().flatten();
        let there = there.and_then(|found| copied(&found));
        there.is_some_and(|there| copy.is_behind(&there))
    }
}

impl LastSign for DataCentre {
    fn last_sign(&self) -> Option<Sign> {
        self.last()?.sign
    }
}

impl Markers for DataCentre {
    fn marker(&self, marker: Marker) -> Option<Vec<u8>> {
        let found = core::lookup(self.marker_key(marker)).execute().ok()??;
        Some(found.user_metadata().to_vec())
    }

    fn put_marker(&self, marker: Marker, note: &[u8], life: Duration) {
        let inserted = core::insert(self.marker_key(marker), life)
            .deliver_node_max_age(Duration::ZERO)
            .user_metadata(note.to_vec().into())
            .execute();
        // Without a note the next request goes by what it finds out by itself.
        let _ = inserted.map(StreamingBody::finish);
    }

    /// As at a till: the transaction is never completed, so it works as a lock.
    fn alone(&self, marker: Marker, work: &mut dyn FnMut()) {
        let key = CacheKey::from(format!("{}-lock:{}", marker.name(), self.room));
        let Ok(lock) = Transaction::lookup(key).timeout(SHORT_TURN).execute() else {
            return;
        };
        if lock.must_insert_or_update() {
            work();
            let _ = lock.cancel_insert_or_update();
        }
    }
}

impl Near for DataCentre {
    fn lookup(&self) -> Lookup {
        // Nearly always there is a fresh copy, and finding it is less work than a transaction.
        if let Some(copy) = self.peek() {
            return Lookup::Found(Box::new(copy), None);
        }
        let asked = Transaction::lookup(self.sign.clone()).timeout(PATIENCE);
        let transaction = match asked.execute() {
            Ok(transaction) => transaction,
            Err(CacheError::Timeout) => return Lookup::Late,
            Err(_) => return Lookup::Unknown,
        };
        let copy = transaction.found().and_then(|found| copied(&found));
        let duty = transaction.must_insert_or_update().then(|| -> Duty {
            Box::new(Renewal {
                transaction,
                near: self.clone(),
            })
        });
        match (copy, duty) {
            (Some(copy), duty) => Lookup::Found(Box::new(copy), duty),
            (None, Some(duty)) => Lookup::Missing(duty),
            (None, None) => Lookup::Unknown,
        }
    }

    fn peek(&self) -> Option<Copied> {
        let found = core::lookup(self.sign.clone()).execute().ok()??;
        (!found.is_stale()).then(|| copied(&found))?
    }

    fn put(&self, copy: &Copied) {
        if self.is_ahead_of(copy) {
            return;
        }
        let inserted = core::insert(self.sign.clone(), FRESH)
            .stale_while_revalidate(RENEWING)
            .user_metadata(worded(copy).into())
            .execute();
        // Without a copy the next look reads the store, as the first one did.
        let _ = inserted.map(StreamingBody::finish);
        keep(&self.last, copy);
    }

    fn remember(&self, copy: &Copied) {
        if self.last_now().is_none_or(|last| !copy.is_behind(&last)) {
            keep(&self.last, copy);
        }
    }

    fn last(&self) -> Option<Copied> {
        self.found.get_or_init(|| self.last_now()).clone()
    }

    fn is_first_admission(&self, id: &str) -> bool {
        let key = CacheKey::from(format!("admitted:{}:{id}", self.room));
        if matches!(core::lookup(key.clone()).execute(), Ok(Some(_))) {
            return false;
        }
        let inserted = core::insert(key, ADMISSION_KEPT).execute();
        // What cannot be remembered counts again.
        let _ = inserted.map(StreamingBody::finish);
        true
    }

    fn wrong(&self, from: &str) -> Option<Wrong> {
        let found = core::lookup(self.login_key("wrong", from))
            .execute()
            .ok()??;
        Wrong::read(&found.user_metadata())
    }

    fn put_wrong(&self, from: &str, wrong: Wrong, life: Duration) {
        let inserted = core::insert(self.login_key("wrong", from), life)
            .deliver_node_max_age(Duration::ZERO)
            .user_metadata(wrong.written().into())
            .execute();
        // What cannot be counted slows nobody.
        let _ = inserted.map(StreamingBody::finish);
    }

    /// Nobody ever puts up what the transaction is for, so it goes from one to the next.
    fn turn(&self, from: &str) -> Turn {
        let asked = Transaction::lookup(self.login_key("turn", from)).timeout(QUEUE);
        match asked.execute() {
            Ok(turn) if turn.must_insert_or_update() => Turn::Mine(Box::new(turn)),
            Err(CacheError::Timeout) => Turn::Late,
            Ok(_) | Err(_) => Turn::Unknown,
        }
    }

    fn listed(&self, list: &str, address: IpAddr) -> Listed {
        let found = Acl::open(list).map(|acl| acl.try_lookup(address));
        match found {
            Ok(Ok(Some(entry))) if entry.is_allow() => Listed::Allowed,
            Ok(Ok(_)) => Listed::Not,
            Ok(Err(_)) | Err(_) => Listed::Unknown,
        }
    }

    fn pop(&self) -> String {
        variable("FASTLY_POP")
    }

    fn batches(&self) -> Vec<Batch> {
        self.counts.put_by(SHORT_TURN);
        let batches = (0..TILLS).filter_map(|place| self.counts.batch_of(place));
        batches.collect()
    }

    /// One outbox, at random. A POP that has been quiet sends them all: its next refresh may be far away.
    fn next_batches(&self) -> Vec<Batch> {
        let last = self.last();
        let is_quiet = last.is_none_or(|last| now_ms().saturating_sub(last.read_ms) > QUIET_MS);
        if is_quiet {
            return self.batches();
        }
        self.counts.next_batch().into_iter().collect()
    }

    fn acknowledge(&self, batches: &[Batch]) {
        for batch in batches {
            // Where this fails the batch is sent again, and counted no more than once.
            let _ = self
                .counts
                .at(batch.place, SHORT_TURN, |till| till.acknowledge(batch));
        }
    }
}

struct Renewal {
    transaction: Transaction,
    near: DataCentre,
}

impl Renew for Renewal {
    fn renew(self: Box<Self>, copy: &Copied) {
        if self.near.is_ahead_of(copy) {
            return;
        }
        let inserted = self
            .transaction
            .insert(FRESH)
            .stale_while_revalidate(RENEWING)
            .user_metadata(worded(copy).into())
            .execute();
        let _ = inserted.map(StreamingBody::finish);
        keep(&self.near.last, copy);
    }
}

/// Kept for the time when the store does not answer.
fn keep(key: &CacheKey, copy: &Copied) {
    if !copy.is_old {
        let inserted = core::insert(key.clone(), KEPT)
            .deliver_node_max_age(Duration::ZERO)
            .user_metadata(worded(copy).into())
            .execute();
        let _ = inserted.map(StreamingBody::finish);
    }
}

fn worded(copy: &Copied) -> Vec<u8> {
    serde_json::to_vec(copy).unwrap_or_default()
}

fn copied(found: &Found) -> Option<Copied> {
    serde_json::from_slice(&found.user_metadata()).ok()
}

fn response(reply: Reply) -> Response {
    let mut response = Response::from_status(reply.status);
    for (name, value) in reply.headers {
        if let Ok(value) = HeaderValue::from_str(&value) {
            response.append_header(HeaderName::from_static(name), value);
        }
    }
    response.with_body(reply.body)
}

/// A log that cannot be written must not cost the visitor the answer.
fn log(line: &str) {
    if let Ok(mut endpoint) = fastly::log::Endpoint::try_from_name(LOG) {
        let _ = endpoint.write_all(format!("{line}\n").as_bytes());
    }
}
