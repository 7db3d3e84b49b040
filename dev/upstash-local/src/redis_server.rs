//! A real `redis-server` for tests: on a socket in a folder of its own, so that no two ever meet;
//! keeping nothing on disk unless told to, gone when dropped.

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

const START: Duration = Duration::from_mins(1);

/// Where it saves its keys, and reads them at its start.
const SAVED: &str = "dump.rdb";

/// A running `redis-server`.
pub struct Redis {
    child: Child,
    url: String,
    /// Its working directory, removed with it.
    home: TempDir,
}

impl Redis {
    /// Starts one and waits until it answers `PING`.
    ///
    /// # Errors
    /// When `redis-server` is not installed, ends at once or stays silent.
    pub fn start() -> Result<Self, String> {
        let home = tempfile::tempdir()
            .map_err(|error| format!("No temporary directory for redis-server: {error}"))?;
        let url = format!("redis+unix://{}", socket(&home).display());
        let child = spawn(&home)?;
        let mut redis = Self { child, url, home };
        redis.wait()?;
        Ok(redis)
    }

    /// Writes its keys to disk, where the next start finds them.
    ///
    /// # Errors
    /// When it does not answer, or cannot write.
    pub fn save(&self) -> Result<(), String> {
        let saved = (self.open()).and_then(|mut open| redis::cmd("SAVE").query::<()>(&mut open));
        saved.map_err(|error| error.to_string())
    }

    /// Kills it, as a crash does: what it has not saved is gone.
    pub fn kill(&mut self) {
        // It may have ended by itself; then there is nothing left to kill.
        drop(self.child.kill());
        drop(self.child.wait());
    }

    /// Takes away what it has saved, so that the next start is with nothing.
    pub fn lose_saved(&self) {
        // It may have saved nothing.
        drop(std::fs::remove_file(self.home.path().join(SAVED)));
    }

    /// Starts it again where it was, with what it saved last, and waits until it answers.
    ///
    /// # Errors
    /// As at the first start.
    pub fn start_again(&mut self) -> Result<(), String> {
        self.kill();
        self.child = spawn(&self.home)?;
        self.wait()
    }

    /// Where it listens, as `redis+unix:///tmp/…/redis.sock`.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Forgets what it has counted of commands until now.
    ///
    /// # Errors
    /// When it does not answer.
    pub fn forget_usage(&self) -> Result<(), String> {
        let asked = self
            .open()
            .and_then(|mut open| (redis::cmd("CONFIG").arg("RESETSTAT")).query::<()>(&mut open));
        asked.map_err(|error| error.to_string())
    }

    /// What it has done since, command by command, with those that a script called.
    ///
    /// # Errors
    /// When it does not answer.
    pub fn usage(&self) -> Result<Vec<Usage>, String> {
        let told = self.open().and_then(|mut open| {
            (redis::cmd("INFO").arg("commandstats")).query::<String>(&mut open)
        });
        let told = told.map_err(|error| error.to_string())?;
        Ok(told.lines().filter_map(Usage::read).collect())
    }

    /// From now on it writes down what changes its keys.
    ///
    /// # Errors
    /// When it does not answer, or does not begin in time.
    pub fn log(&self) -> Result<(), String> {
        let begun = self.open().and_then(|mut open| {
            let mut set = redis::cmd("CONFIG");
            set.arg("SET")
                .arg(&["appendonly", "yes"])
                .query::<()>(&mut open)
        });
        begun.map_err(|error| error.to_string())?;
        let deadline = Instant::now() + START;
        while Instant::now() < deadline {
            let told = self.persistence()?;
            let is_on = |name: &str, value: &str| told.contains(&format!("{name}:{value}\r"));
            if is_on("aof_enabled", "1") && is_on("aof_rewrite_in_progress", "0") {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        Err("redis-server did not begin its log".to_owned())
    }

    /// How many bytes it has written down.
    ///
    /// # Errors
    /// When it does not answer, or writes nothing down.
    pub fn logged(&self) -> Result<u64, String> {
        let told = self.persistence()?;
        let size = |line: &str| line.strip_prefix("aof_current_size:")?.parse().ok();
        let size = told.lines().find_map(size);
        size.ok_or_else(|| "redis-server writes no log".to_owned())
    }

    fn persistence(&self) -> Result<String, String> {
        let told = self.open().and_then(|mut open| {
            (redis::cmd("INFO").arg("persistence")).query::<String>(&mut open)
        });
        told.map_err(|error| error.to_string())
    }

    fn open(&self) -> redis::RedisResult<redis::Connection> {
        redis::Client::open(self.url.as_str())?.get_connection_with_timeout(START)
    }

    fn wait(&mut self) -> Result<(), String> {
        let client = redis::Client::open(self.url.as_str()).map_err(|error| error.to_string())?;
        let deadline = Instant::now() + START;
        while Instant::now() < deadline {
            if self.child.try_wait().is_ok_and(|ended| ended.is_some()) {
                return Err("redis-server ended at its start: run it by hand to see why".to_owned());
            }
            let connection = client.get_connection_with_timeout(Duration::from_secs(1));
            let answer =
                connection.and_then(|mut open| redis::cmd("PING").query::<String>(&mut open));
            if answer.is_ok() {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        Err(format!(
            "redis-server at {} did not answer in 10 s",
            self.url
        ))
    }
}

/// What a Redis has done of one command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Usage {
    /// The command, in lower case.
    pub command: String,
    /// How often.
    pub calls: u64,
    /// For how long in all, in microseconds by its own clock; a script with all that it called.
    pub micros: u64,
}

impl Usage {
    /// Of a line such as `cmdstat_get:calls=2,usec=9,usec_per_call=4.50,…`.
    fn read(line: &str) -> Option<Self> {
        let (command, figures) = line.strip_prefix("cmdstat_")?.split_once(':')?;
        let figure = |name: &str| {
            let mut figures = figures.split(',').filter_map(|pair| pair.split_once('='));
            figures.find(|(known, _)| *known == name)?.1.parse().ok()
        };
        Some(Self {
            command: command.to_owned(),
            calls: figure("calls")?,
            micros: figure("usec")?,
        })
    }
}

impl Drop for Redis {
    fn drop(&mut self) {
        self.kill();
    }
}

fn socket(home: &TempDir) -> PathBuf {
    home.path().join("redis.sock")
}

fn spawn(home: &TempDir) -> Result<Child, String> {
    let child = Command::new("redis-server")
        .args(["--port", "0", "--unixsocket"])
        .arg(socket(home))
        .args(["--save", "", "--appendonly", "no", "--dbfilename", SAVED])
        .arg("--dir")
        .arg(home.path())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    child.map_err(|error| {
        format!("redis-server cannot be started ({error}): apt-get install redis-server")
    })
}
