//! The settings and secrets as the platform keeps them, read once for several requests.

use std::sync::Arc;
use std::time::{Duration, Instant};

use fastly::{ConfigStore, SecretStore};

use now_serving::config::budget::{CALLS, Used};
use now_serving::config::{
    Backend, Config, Deadlines, OriginBackend, Remembering, Source, Spent, StoreBackend,
    Unreadable, Unsound,
};
use now_serving::queue::Now;
use now_serving::service;

use super::upstash::STORE;
use super::{is_local, log, variable};

/// The local server's files are edited by hand, and nothing there limits reading them.
pub(super) const LOCAL_SETTINGS: Duration = Duration::from_secs(1);

#[derive(Default)]
pub(super) struct Settings {
    reading: Option<Reading>,
    /// What readings before this one took.
    before: Spent,
}

/// What was read, and from where.
pub(super) struct Reading {
    stores: Arc<Remembering<Stores>>,
    opened: Instant,
    config: Result<Config, Box<Unsound>>,
}

impl Settings {
    /// What was read for the request before, as far as it could be read; what could not is asked for again.
    pub(super) fn read(&mut self, now: Now) -> Result<&Config, &Unsound> {
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
            Some(kept) => Reading::of(kept.stores, kept.opened, now),
            None => {
                let stores = Arc::new(Remembering::new(Stores::open()));
                Reading::of(stores, Instant::now(), now)
            }
        };
        let reading = self.reading.insert(reading);
        reading.config.as_ref().map_err(|unsound| &**unsound)
    }

    pub(super) fn used(&self) -> Used {
        let now = self.reading.as_ref().map(|reading| reading.stores.spent());
        let spent = self.before.and(now.unwrap_or_default());
        Used {
            look_ups: spent.look_ups,
            secrets: spent.secrets,
            ..Used::default()
        }
    }

    pub(super) fn are_whole(&self) -> bool {
        self.reading.as_ref().is_some_and(Reading::is_whole)
    }

    pub(super) fn most_calls(&self) -> u64 {
        let config = self.reading.as_ref().map(|reading| &reading.config);
        match config {
            // One more for a request may be that of the firewall.
            Some(Ok(config)) if config.waf.is_some() => config.backend_calls.saturating_sub(1),
            Some(Ok(config)) => config.backend_calls,
            Some(Err(_)) | None => CALLS,
        }
    }
}

impl Reading {
    pub(super) fn of(stores: Arc<Remembering<Stores>>, opened: Instant, now: Now) -> Self {
        let config = Config::read(&(Arc::clone(&stores) as Arc<dyn Source>));
        if let Ok(config) = &config {
            for entry in service::settings_entries(now, config) {
                log(&entry);
            }
        }
        Self {
            stores,
            opened,
            config,
        }
    }

    pub(super) fn is_whole(&self) -> bool {
        match &self.config {
            Ok(config) => config.is_whole(),
            Err(unsound) => unsound.is_whole(),
        }
    }
}

/// A store by the name of its link. `fastly compute publish` links what it makes by the store's own name, which is the
/// manifest's: names of stores are those of the whole account.
pub(super) fn named<S, E>(
    open: impl Fn(&str) -> Result<S, E>,
    name: &str,
    is_missing: impl Fn(&E) -> bool,
) -> Result<S, E> {
    match open(name) {
        Err(error) if is_missing(&error) => open(&format!("now-serving-{name}")),
        opened => opened,
    }
}

pub(super) struct Stores {
    config: Result<Option<ConfigStore>, Unreadable>,
    secrets: Result<Option<SecretStore>, Unreadable>,
}

impl Stores {
    /// A store that is not there holds nothing; what is then missing is named by the configuration.
    pub(super) fn open() -> Self {
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

    fn store_host_override(&self) -> Option<String> {
        let backend = fastly::Backend::from_name(STORE).ok()?;
        let found = backend.get_host_override()?;
        Some(found.to_str().ok()?.to_owned())
    }

    fn origin_backend(&self, name: &str) -> OriginBackend {
        match fastly::Backend::from_name(name) {
            Ok(backend) if backend.exists() => OriginBackend::Found,
            _ => OriginBackend::Missing,
        }
    }

    fn is_local(&self) -> bool {
        is_local()
    }
}
