//! The scenario's origin on a socket: a pool of workers, each busy with one request at a time.
//!
//! Service times are drawn as in the simulator. A request waits for a free worker, first come, first served.

use std::collections::HashMap;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use simulator::chance::Chance;
use simulator::origin::{Answer, Origin, REFUSED, SICK};
use simulator::scenario::Scenario;
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, oneshot};
use tokio::time::sleep;

use super::held;

/// By this header the origin knows the simulated visitor.
pub(super) const VISITOR: &str = "x-visitor";

/// A visitor's number at the origin, by `Queue-Position`.
pub(super) type Reached = oneshot::Receiver<Option<u64>>;

/// The origin at work.
pub(super) struct Pool {
    takes: Option<Mutex<Origin>>,
    size: usize,
    queue: usize,
    workers: Semaphore,
    /// How many requests wait or are worked on.
    here: AtomicUsize,
    sick_until: Mutex<Option<Instant>>,
    /// Visitors who are to hear when their requests are here.
    awaited: Mutex<HashMap<usize, oneshot::Sender<Option<u64>>>>,
}

/// A request that is here; dropping it lets the next one move up.
struct Here<'a>(&'a AtomicUsize);

impl Drop for Here<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Pool {
    /// The one of this scenario, idle.
    pub(super) fn new(scenario: &Scenario) -> Self {
        let origin = scenario.origin.as_ref();
        let size = origin.map_or(1, |origin| origin.workers);
        let chance = Chance::new(scenario.seed, 2_000_000);
        Self {
            takes: origin.map(|origin| Mutex::new(Origin::new(origin, chance))),
            size,
            queue: origin.map_or(0, |origin| origin.queue),
            workers: Semaphore::new(size),
            here: AtomicUsize::new(0),
            sick_until: Mutex::default(),
            awaited: Mutex::default(),
        }
    }

    /// Serves it on a free port of this machine.
    pub(super) async fn start(self: &Arc<Self>) -> Result<SocketAddr, String> {
        let cannot = |error| format!("The origin cannot listen: {error}.");
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.map_err(cannot)?;
        let addr = listener.local_addr().map_err(cannot)?;
        tokio::spawn(accept(listener, Arc::clone(self)));
        Ok(addr)
    }

    /// Hears when the next request of this visitor is here.
    pub(super) fn awaits(&self, visitor: usize) -> Reached {
        let (tell, reached) = oneshot::channel();
        held(&self.awaited).insert(visitor, tell);
        reached
    }

    /// From now on each request takes this many times as long.
    pub(super) fn is_slower(&self, times: f64) {
        if let Some(origin) = &self.takes {
            held(origin).is_slower(times);
        }
    }

    /// It answers 500 to everybody for so long.
    pub(super) fn is_sick(&self, time: Duration) {
        *held(&self.sick_until) = Some(Instant::now() + time);
    }

    async fn work(&self) -> u16 {
        if held(&self.sick_until).is_some_and(|until| Instant::now() < until) {
            return at_once(SICK).await;
        }
        let Some(origin) = &self.takes else {
            return 200;
        };
        let before = self.here.fetch_add(1, Ordering::SeqCst);
        let _here = Here(&self.here);
        let waiting = before.saturating_sub(self.size);
        if waiting >= self.queue {
            return at_once(REFUSED).await;
        }
        let takes = held(origin).takes(waiting);
        // The pool is never closed.
        let _worker = self.workers.acquire().await;
        sleep(Duration::from_millis(takes)).await;
        200
    }
}

async fn at_once(answer: Answer) -> u16 {
    sleep(Duration::from_millis(answer.after_ms)).await;
    answer.status
}

async fn accept(listener: TcpListener, pool: Arc<Pool>) {
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            sleep(Duration::from_millis(50)).await;
            continue;
        };
        let pool = Arc::clone(&pool);
        tokio::spawn(async move {
            let _ = stream.set_nodelay(true);
            let service = service_fn(move |request| answer(request, Arc::clone(&pool)));
            // An error is an edge that went away.
            let _ = http1::Builder::new()
                .serve_connection(TokioIo::new(stream), service)
                .await;
        });
    }
}

async fn answer(
    request: Request<Incoming>,
    pool: Arc<Pool>,
) -> Result<Response<Full<Bytes>>, Infallible> {
    let number = |name: &str| request.headers().get(name)?.to_str().ok()?.parse().ok();
    // The local server looks once whether the origin is there.
    let status = match number(VISITOR).and_then(|visitor| usize::try_from(visitor).ok()) {
        Some(visitor) => {
            if let Some(tell) = held(&pool.awaited).remove(&visitor) {
                let _ = tell.send(number("queue-position"));
            }
            pool.work().await
        }
        None => 200,
    };
    let mut response = Response::new(Full::from("<!doctype html><title>Shop</title>"));
    if let Ok(status) = status.try_into() {
        *response.status_mut() = status;
    }
    let headers = response.headers_mut();
    let values = [
        ("content-type", "text/html; charset=utf-8"),
        ("cache-control", "private, no-store"),
    ];
    for (name, value) in values {
        headers.insert(name, hyper::header::HeaderValue::from_static(value));
    }
    Ok(response)
}

#[cfg(test)]
mod tests {
    use super::*;
    use simulator::scenario::{Overrides, load};

    /// The origin of a scenario, with one worker and one place before it.
    fn pool() -> Pool {
        let set = ["origin.workers=1", "origin.queue=1"].map(str::to_owned);
        let overrides = Overrides {
            set: set.into(),
            ..Overrides::default()
        };
        let scenarios = load("short", &overrides).unwrap_or_default();
        let pool = scenarios.first().map(|(_, scenario)| Pool::new(scenario));
        pool.unwrap_or_else(|| unreachable!("the scenario comes with the program"))
    }

    #[tokio::test]
    async fn a_request_waits_for_a_worker_and_one_too_many_is_turned_away() {
        let pool = pool();
        let statuses = tokio::join!(pool.work(), pool.work(), pool.work());
        assert_eq!(statuses, (200, 200, 503));
        assert_eq!(pool.work().await, 200);
    }

    #[tokio::test]
    async fn a_sick_origin_answers_500_until_it_is_well() {
        let pool = pool();
        pool.is_sick(Duration::from_hours(1));
        assert_eq!(pool.work().await, 500);
        pool.is_sick(Duration::ZERO);
        assert_eq!(pool.work().await, 200);
    }
}
