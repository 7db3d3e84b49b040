//! The engines browsers are made of, and how the driver of each is started.

use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use crate::process::Group;
use crate::{ports, tools};

/// A driver says on which port it listens as soon as it does; a busy machine takes a while.
const START_DEADLINE: Duration = Duration::from_secs(30);

/// A browser by its engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// Chromium, as in Chrome and Edge.
    Chromium,
    /// Firefox, the release with extended support where Debian brings it.
    Firefox,
    /// `WebKit`, as in Safari, in the small browser that comes with `WebKitGTK`.
    WebKit,
}

/// A driver that listens. What it needs ends after it.
#[derive(Debug)]
pub(super) struct Running {
    url: String,
    _group: Group,
    _screen: Option<Group>,
}

impl Running {
    pub(super) fn url(&self) -> &str {
        &self.url
    }
}

impl Engine {
    /// What the browser is called.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Chromium => "Chromium",
            Self::Firefox => "Firefox",
            Self::WebKit => "WebKit",
        }
    }

    /// The driver, where the browser is there as well.
    ///
    /// # Errors
    /// When one of them is not.
    pub fn found(self) -> Result<PathBuf, String> {
        match self {
            Self::Chromium => tools::chromium().and_then(|_| tools::chromedriver()),
            Self::Firefox => tools::firefox().and_then(|_| tools::geckodriver()),
            Self::WebKit => tools::xvfb().and_then(|_| tools::webkit_driver()),
        }
    }

    pub(super) fn start(self) -> Result<Running, String> {
        let mut command = Command::new(self.found()?);
        match self {
            Self::Chromium => told(command.arg("--port=0"), "started successfully on port "),
            // Firefox speaks of itself there.
            Self::Firefox => told(
                command.args(["--port", "0"]).stderr(Stdio::null()),
                "Listening on 127.0.0.1:",
            ),
            Self::WebKit => on_a_screen(&mut command),
        }
    }
}

/// A driver that takes a free port and says which, behind these words.
fn told(command: &mut Command, words: &'static str) -> Result<Running, String> {
    let (group, port) = said(command, words)?;
    Ok(Running {
        url: format!("http://127.0.0.1:{port}"),
        _group: group,
        _screen: None,
    })
}

/// The driver of `WebKit` is given its port. Its browser draws on a screen, and would start a service that reads screens aloud.
fn on_a_screen(command: &mut Command) -> Result<Running, String> {
    let mut screen = Command::new(tools::xvfb()?);
    screen.args(["-displayfd", "1", "-nolisten", "tcp"]);
    screen.args(["-screen", "0", "1400x1000x24"]);
    let (screen, number) = said(screen.stderr(Stdio::null()), "")?;
    let addr = ports::free_addr()?;
    command
        .arg(format!("--port={}", addr.port()))
        .env("DISPLAY", format!(":{number}"))
        .env("NO_AT_BRIDGE", "1")
        .env("LANG", "C.UTF-8");
    let group = Group::start(command)?;
    let deadline = Instant::now() + START_DEADLINE;
    while TcpStream::connect(addr).is_err() {
        if Instant::now() > deadline {
            return Err(format!("WebKitWebDriver does not listen on {addr}."));
        }
        thread::sleep(Duration::from_millis(20));
    }
    Ok(Running {
        url: format!("http://{addr}"),
        _group: group,
        _screen: Some(screen),
    })
}

/// Starts a program, with the number that it says behind these words.
fn said(command: &mut Command, words: &'static str) -> Result<(Group, u16), String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let mut group = Group::start(command.stdout(Stdio::piped()))?;
    let (found, number) = mpsc::channel();
    group.follow(move |line| {
        let rest = line.split_once(words).map(|(_, rest)| rest);
        if let Some(Ok(number)) = rest.map(|rest| rest.trim_end_matches('.').parse()) {
            // Nobody waits any more once the deadline is over.
            let _ = found.send(number);
        }
    });
    let number = number
        .recv_timeout(START_DEADLINE)
        .map_err(|_| format!("{program} does not say where it listens."))?;
    Ok((group, number))
}
