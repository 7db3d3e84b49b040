//! What the waiting page asks of a slow phone: Chromium at a quarter of this machine's speed.
//!
//! The hello floor sends as many bytes of nothing: what it takes to paint is the browser's own.

use std::time::Duration;

use fantoccini::Client;
use serde_json::{Value, json};

use crate::figures::median;
use crate::scenario::Floor;
use crate::test_bed::{Builds, TestBed};
use harness::browser::{self, Driver, Options};

/// How much slower than this machine: what Lighthouse takes for a phone of the middle.
const SLOWER: u8 = 4;
/// How often each page is loaded, always as by a new visitor.
const LOADS: usize = 9;
/// After this long the page's own script has run, and it has looked at its place at least once.
const SETTLE: Duration = Duration::from_secs(7);

/// Adds up, from before the page's first byte on, what every task took beyond 50 ms: the total blocking time.
const WATCH: &str = "window.blocked = 0;
new PerformanceObserver(list => {
  for (const task of list.getEntries()) window.blocked += Math.max(0, task.duration - 50)
}).observe({ type: 'longtask', buffered: true })";

const READ: &str = "const paint = performance.getEntriesByName('first-contentful-paint')[0]
const [page] = performance.getEntriesByType('navigation')
return [paint ? paint.startTime : null, window.blocked, page.encodedBodySize]";

/// Medians over all loads of one side.
struct Seen {
    first_paint_ms: f64,
    blocked_ms: f64,
    bytes: f64,
}

/// Loads both pages in turn and says in a few lines what was seen.
pub(crate) async fn page(builds: &Builds) -> Result<String, String> {
    let bed = TestBed::lay(builds, Floor::Hello).await?;
    let driver = Driver::start()?;
    let browser = driver.open(&Options::window(360, 740)).await?;
    browser::cdp(
        &browser,
        "Emulation.setCPUThrottlingRate",
        json!({ "rate": SLOWER }),
    )
    .await?;
    browser::cdp(
        &browser,
        "Page.addScriptToEvaluateOnNewDocument",
        json!({ "source": WATCH }),
    )
    .await?;
    let (mut product, mut floor) = (Vec::new(), Vec::new());
    for load in 1..=LOADS {
        anstream::eprintln!("[{load}/{LOADS}] Loading the waiting page, {SLOWER} times slower.");
        floor.push(load_once(&browser, &bed.floor.url()).await?);
        product.push(load_once(&browser, &bed.product.url()).await?);
    }
    let closed = browser.close().await;
    closed.map_err(|error| format!("Chromium does not close: {error}."))?;
    let (product, floor) = (Seen::of(&product)?, Seen::of(&floor)?);
    Ok(format!(
        "The waiting page in Chromium, {SLOWER} times slower, medians of {LOADS} loads: first paint {:.0} ms (the floor's, as many bytes of \
         nothing: {:.0} ms), total blocking time {:.0} ms (the floor's: {:.0} ms), {:.0} bytes uncompressed.",
        product.first_paint_ms,
        floor.first_paint_ms,
        product.blocked_ms,
        floor.blocked_ms,
        product.bytes
    ))
}

async fn load_once(browser: &Client, url: &str) -> Result<[f64; 3], String> {
    let failed = |error| format!("The page cannot be measured: {error}.");
    browser::cdp(browser, "Network.clearBrowserCookies", json!({})).await?;
    browser.goto(url).await.map_err(failed)?;
    tokio::time::sleep(SETTLE).await;
    let seen = browser.execute(READ, Vec::new()).await.map_err(failed)?;
    let numbers: Option<Vec<f64>> = seen
        .as_array()
        .and_then(|seen| seen.iter().map(Value::as_f64).collect());
    let numbers = numbers.and_then(|numbers| <[f64; 3]>::try_from(numbers).ok());
    numbers.ok_or_else(|| format!("The page was not painted: {seen}."))
}

impl Seen {
    fn of(loads: &[[f64; 3]]) -> Result<Self, String> {
        let nth = |number: usize| {
            let mut figures: Vec<f64> = loads
                .iter()
                .filter_map(|load| load.get(number).copied())
                .collect();
            figures.sort_by(f64::total_cmp);
            median(&figures).ok_or("No page was loaded.")
        };
        Ok(Self {
            first_paint_ms: nth(0)?,
            blocked_ms: nth(1)?,
            bytes: nth(2)?,
        })
    }
}
