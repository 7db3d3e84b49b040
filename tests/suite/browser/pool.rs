//! Browsers that go from story to story: every start takes a processor for two seconds.
//!
//! A story sees nothing of the one before: it has a tab of its own, without cookies, cache, storage and workers. What remains is what
//! a browser knows besides: the passwords that it was given for an address. A story that is about those, or about a browser that is
//! opened in a special way, gets one that no other story has.

use std::cell::RefCell;
use std::ops::Deref;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use fantoccini::Client;
use harness::browser::{Driver, Engine, Options, begin_anew};
use tokio::runtime::Runtime;

/// What browsers are talked to by: a client is of the runtime that it was made in.
static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap()
});

static DRIVER: LazyLock<Driver> = LazyLock::new(|| Driver::start().unwrap());

static IDLE: Mutex<Vec<Client>> = Mutex::new(Vec::new());

fn idle() -> MutexGuard<'static, Vec<Client>> {
    IDLE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How long a poll that was on its way when its page went may still be answered, on a busy machine.
const ON_ITS_WAY: Duration = Duration::from_millis(300);

thread_local! {
    /// The browsers that the story of this thread has left, each with whether another story may have it.
    static LEFT: RefCell<Vec<(Client, bool)>> = const { RefCell::new(Vec::new()) };
}

/// Tells a story that has to wait for browsers. Its pages are gone when it is over: the next poll of one would be of the story that
/// comes next in the same server.
pub(crate) fn tell(story: impl Future<Output = ()>) {
    RUNTIME.block_on(async {
        story.await;
        for (client, is_shared) in LEFT.take() {
            if is_shared && begin_anew(&client).await.is_ok() {
                idle().push(client);
            } else {
                // Without an answer it ends with its driver.
                let _ = client.close().await;
            }
        }
        tokio::time::sleep(ON_ITS_WAY).await;
    });
}

/// A browser of one story.
pub(crate) struct Browser {
    client: Client,
    /// Whether another story may have it next.
    is_shared: bool,
    /// What drives it, where no other story has the same.
    _driver: Option<Driver>,
}

impl Browser {
    /// A browser of this engine. That of Firefox and of `WebKit` has a driver of its own, which opens one at a time.
    pub(crate) async fn open_in(engine: Engine, options: &Options) -> Self {
        if engine == Engine::Chromium {
            return Self::open(options).await;
        }
        let driver = Driver::start_for(engine).unwrap();
        Self {
            client: driver.open(options).await.unwrap(),
            is_shared: false,
            _driver: Some(driver),
        }
    }

    /// Chromium, which another story had before if the options say nothing but the size of the window.
    pub(crate) async fn open(options: &Options) -> Self {
        let is_shared = options.are_of_the_window_alone();
        let before = is_shared.then(|| idle().pop()).flatten();
        let client = match before {
            Some(client) => {
                let (width, height) = options.size();
                client.set_window_size(width, height).await.unwrap();
                client
            }
            None => DRIVER.open(options).await.unwrap(),
        };
        Self {
            client,
            is_shared,
            _driver: None,
        }
    }
}

impl Deref for Browser {
    type Target = Client;

    fn deref(&self) -> &Client {
        &self.client
    }
}

/// A browser in which a story failed ends with its driver: it is not what the next one expects.
impl Drop for Browser {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            LEFT.with_borrow_mut(|left| left.push((self.client.clone(), self.is_shared)));
        }
    }
}
