//! `now-serving probe`: what documentation says of production, looked at on a running service.
//!
//! Each check sends a few requests and words what it found; `docs/deep/production.md` says what each is for. Without `--draw`
//! no number is drawn, and without `--token` nothing is changed.

pub(crate) mod client;
mod connect;
mod draws;
pub(crate) mod exchange;
mod health;
mod host;
mod message;
mod methods;
mod origin;
mod pop;
mod report;
mod sharing;
mod silence;
pub(crate) mod target;

use std::time::Duration;

use simulator::units::Span;

use crate::program;
use client::{Bounds, Client};
use exchange::{Answer, Ask};
use report::{Finding, Verdict, summary};
use target::Target;

/// The variable that holds the token: a command line is seen by every process of the machine.
const TOKEN: &str = "NOW_SERVING_TOKEN";

/// What is looked at, in this order; `docs/deep/production.md` says what each is for.
pub const CHECKS: [&str; 14] = [
    health::CHECK,
    connect::CONNECTING,
    connect::REDIRECT,
    sharing::SKIPPING,
    methods::PURGE,
    methods::TRACE,
    draws::CHECK,
    silence::CHECK,
    sharing::BEHIND,
    sharing::CACHED,
    message::CHECK,
    origin::CHECK,
    host::CHECK,
    pop::CHECK,
];

/// Options of `now-serving probe`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
It sends at most 125 requests in at most two minutes, besides what --silence asks for, and at most two to --origin. It ends with 1 if anything differs. \
What each check is for is in docs/deep/production.md.")]
pub struct Options {
    /// The service, such as `https://www-shop-example.edgecompute.app`
    #[arg(long, value_name = "URL")]
    pub service: String,
    /// The setting `admin_path`
    #[arg(long, value_name = "PATH", default_value = "/_queue")]
    pub admin_path: String,
    /// A path that skips the room
    #[arg(long, value_name = "PATH", default_value = "/robots.txt")]
    pub open_path: String,
    /// A page behind the room that differs for each visitor
    #[arg(long, value_name = "PATH")]
    pub path: Option<String>,
    /// A path that `cache_paths` lists
    #[arg(long, value_name = "PATH")]
    pub cached_path: Option<String>,
    /// A path of the origin that answers with the headers it was sent
    #[arg(long, value_name = "PATH")]
    pub echo: Option<String>,
    /// The address of the origin, to see which names it answers
    #[arg(long, value_name = "URL")]
    pub origin: Option<String>,
    /// The setting `origin_host`, unless the origin gets the host of --service
    #[arg(long, value_name = "NAME")]
    pub origin_host: Option<String>,
    /// Draw three numbers of the real line
    #[arg(long)]
    pub draw: bool,
    /// With --draw: draw once more after each of these silences, such as 1m,3m,6m
    #[arg(long, value_name = "TIMES", requires = "draw", value_delimiter = ',', value_parser = silence::time)]
    pub silence: Vec<Span>,
    /// Change the message for some seconds, with the `admin_token` in the variable `NOW_SERVING_TOKEN`
    #[arg(long)]
    pub token: bool,
}

/// Looks at the service. Whether nothing differs from what is documented.
///
/// # Errors
/// When there is nothing to look at: no such host, no Now Serving there, no right token.
pub fn probe(options: &Options) -> Result<bool, String> {
    let token = options.token.then(token).transpose()?;
    let silence_ms = options.silence.iter().map(|silence| silence.ms()).sum();
    let bounds = Bounds {
        time: Bounds::OF_A_LOOK.time + Duration::from_millis(silence_ms),
        ..Bounds::OF_A_LOOK
    };
    let client = |option, url: &str| Client::new(Target::parse(option, url)?, bounds);
    let origin = options.origin.as_deref();
    let probe = Probe {
        client: client("--service", &options.service)?,
        origin: origin.map(|url| client("--origin", url)).transpose()?,
        options,
    };
    for path in probe.paths() {
        if !path.starts_with('/') {
            return Err(format!(
                "{path} is no path; accepted is one that begins with a slash, such as /robots.txt."
            ));
        }
    }
    let health = health::ask(&probe)?;
    let before = token
        .map(|token| message::Operator::admitted(&probe, token))
        .transpose()?;
    probe.announce();
    let mut findings = Vec::new();
    let mut tell = |found: Finding| {
        found.print();
        findings.push(found);
    };
    tell(health::judge(&health));
    connect::check(&probe).into_iter().for_each(&mut tell);
    tell(sharing::skipping(&probe));
    methods::check(&probe).into_iter().for_each(&mut tell);
    let visitors = draws::visitors(&probe);
    tell(draws::check(&visitors, options.draw));
    tell(silence::check(&probe));
    let visitors = visitors.unwrap_or_default();
    tell(sharing::behind(&probe, &visitors));
    tell(sharing::cached(&probe, &visitors));
    tell(message::check(&probe, before.as_ref(), &visitors));
    tell(origin::check(&probe, &visitors));
    tell(host::check(&probe));
    tell(pop::check(&probe, &health));
    anstream::println!(
        "{} requests. {}",
        probe.client.requests() + probe.origin.as_ref().map_or(0, Client::requests),
        summary(&findings)
    );
    Ok(findings
        .iter()
        .all(|found| found.verdict != Verdict::Differs))
}

fn token() -> Result<String, String> {
    let token = std::env::var(TOKEN).unwrap_or_default();
    let is_sendable = token.bytes().all(|byte| byte.is_ascii_graphic());
    if token.is_empty() || !is_sendable {
        return Err(format!(
            "--token needs an admin_token in the variable {TOKEN}, without its name and without white space, such as: {TOKEN}=$(pass show now-serving/admin_token) {} probe …",
            program::name()
        ));
    }
    Ok(token)
}

/// One run: where it asks, and what it was told.
struct Probe<'a> {
    client: Client,
    /// At the origin's own address.
    origin: Option<Client>,
    options: &'a Options,
}

impl Probe<'_> {
    fn ask(&self, ask: &Ask) -> Result<Answer, String> {
        self.client.ask(ask)
    }

    /// A route of the operator's path.
    fn route(&self, route: &str) -> String {
        format!("{}/{route}", self.options.admin_path)
    }

    /// The page that visitors ask for.
    fn page(&self) -> &str {
        self.options.path.as_deref().unwrap_or("/")
    }

    /// The `Host` that the origin should get.
    fn expected_host(&self) -> &str {
        let set = self.options.origin_host.as_deref();
        set.unwrap_or(&self.client.target.authority)
    }

    fn is_local(&self) -> bool {
        self.client.target.is_local
    }

    fn paths(&self) -> impl Iterator<Item = &str> {
        let options = self.options;
        let given = [&options.path, &options.cached_path, &options.echo];
        let given = given.into_iter().filter_map(|path| path.as_deref());
        given.chain([options.admin_path.as_str(), options.open_path.as_str()])
    }

    /// Says what is going to happen before it does.
    fn announce(&self) {
        let (scheme, authority) = (self.client.target.scheme(), &self.client.target.authority);
        anstream::println!("Looking at {scheme}://{authority}.");
        if self.options.draw {
            anstream::println!(
                "Draws {} numbers of the line by {}. Their turns go unused: nothing takes a number back.",
                draws::NUMBERS + self.options.silence.len(),
                self.page()
            );
        }
        if self.options.token {
            anstream::println!(
                "Changes the message to waiting visitors for {} s, and puts it back. If you stop it meanwhile, set the message in the panel.",
                message::LOOKING.as_secs()
            );
        }
    }
}

/// What a check says that could not be made.
fn unasked(check: &'static str, error: &str) -> Finding {
    Finding::differs(check, error.to_owned())
        .means("the service answered before, and not this time; the check is not complete.")
        .mend("run the command again; if it stays so, the log says what became of the request.")
}

/// Milliseconds, with one decimal.
fn ms(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1000.0)
}

/// The middle one, or the lower of the two in the middle.
fn median<T: Ord + Copy>(mut all: Vec<T>) -> Option<T> {
    all.sort_unstable();
    all.get(all.len().saturating_sub(1) / 2).copied()
}
