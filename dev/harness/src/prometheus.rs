//! A real Prometheus for tests: on a free port, keeping what it scrapes in a folder of its own, gone when dropped.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use crate::process::Group;
use crate::{ports, tools};

const START: Duration = Duration::from_mins(1);

/// A running `prometheus` that scrapes once a second, and looks at its rules as often.
pub struct Prometheus {
    url: String,
    // Dropped in this order: first the process, then the folder it runs in.
    group: Group,
    _home: TempDir,
}

impl Prometheus {
    /// Starts one that scrapes `target` (host and port) with the token of `config`, and loads the rules beside that file.
    ///
    /// # Errors
    /// When Prometheus is not there, refuses the configuration or stays silent.
    pub fn start(config: &Path, target: &str, token: &str) -> Result<Self, String> {
        let cannot = |error: std::io::Error| format!("No folder for Prometheus: {error}.");
        let home = tempfile::tempdir().map_err(cannot)?;
        let text = fs::read_to_string(config).map_err(cannot)?;
        let here = text
            .replace("_interval: 15s", "_interval: 1s")
            .replace("scheme: https", "scheme: http")
            .replace("shop.example", target);
        fs::write(home.path().join("prometheus.yml"), here).map_err(cannot)?;
        fs::write(home.path().join("read_token"), token).map_err(cannot)?;
        let rules = config.with_file_name("alerts.yml");
        fs::copy(rules, home.path().join("alerts.yml")).map_err(cannot)?;
        let addr = ports::free_addr()?;
        let group = Group::start(
            Command::new(tools::prometheus()?)
                .arg("--config.file=prometheus.yml")
                .arg("--storage.tsdb.path=data")
                .arg(format!("--web.listen-address={addr}"))
                .current_dir(home.path())
                .stdout(Stdio::null())
                .stderr(Stdio::null()),
        )?;
        let mut prometheus = Self {
            url: format!("http://{addr}"),
            group,
            _home: home,
        };
        prometheus.wait()?;
        Ok(prometheus)
    }

    /// What it answers to a path of its API, such as `query`.
    ///
    /// # Errors
    /// When it does not answer, or refuses.
    pub fn api(&self, path: &str, query: &[(&str, &str)]) -> Result<Value, String> {
        let mut request = ureq::get(format!("{}/api/v1/{path}", self.url));
        for (name, value) in query {
            request = request.query(name, value);
        }
        let mut answer = request.call().map_err(|error| format!("{path}: {error}"))?;
        let text = answer.body_mut().read_to_string();
        let text = text.map_err(|error| error.to_string())?;
        let answer: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
        Ok(answer.get("data").cloned().unwrap_or_default())
    }

    fn wait(&mut self) -> Result<(), String> {
        let deadline = Instant::now() + START;
        while Instant::now() < deadline {
            if let Some(status) = self.group.ended() {
                return Err(format!(
                    "Prometheus ended at its start ({status}): it refuses its configuration, or the port is in use."
                ));
            }
            if ureq::get(format!("{}/-/ready", self.url)).call().is_ok() {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        Err("Prometheus was not ready after a minute.".to_owned())
    }
}
