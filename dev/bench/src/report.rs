//! What the bench says at its end: one table for people, one JSON file for programs.

use std::fmt::Write as _;

use anstyle::Style;
use harness::size::Size;
use serde_json::{Value, json};

use crate::cold::{Cold, Starts};
use crate::figures::{Figures, Ratio};
use crate::measure::{Measured, Side};
use crate::scenario::Scenario;

/// Everything a run found.
pub(crate) struct Report {
    pub(crate) pairs: u64,
    pub(crate) page: Option<usize>,
    pub(crate) product_size: Size,
    pub(crate) floor_size: Size,
    /// How often a request of each kind calls the host, where the local server wrote it down.
    pub(crate) host_calls: Vec<(Scenario, Option<usize>)>,
    /// The same of the floor that makes the product's own calls.
    pub(crate) floor_calls: Vec<(Scenario, Option<usize>)>,
    pub(crate) measured: Vec<Measured>,
    pub(crate) cold: Option<Cold>,
}

const HEAD: &str = "scenario   conns  side               req/s   p50 ms   p99 ms  CPU ms/1000   peak MB   calls  commands  req/sandbox  heap MB";

impl Report {
    /// The table, with colours for a terminal.
    pub(crate) fn table(&self) -> String {
        let bold = Style::new().bold();
        let mut text = format!("\n{bold}{HEAD}{bold:#}\n");
        for measured in &self.measured {
            let scenario = measured.scenario.name();
            let lead = format!("{scenario:<10} {:>5}", measured.connections);
            let floor = measured.of.name();
            let _ = writeln!(text, "{lead}  {}", side(floor, &measured.floor));
            let blank = " ".repeat(lead.len());
            let _ = writeln!(text, "{blank}  {}", side("now-serving", &measured.product));
            let _ = writeln!(text, "{blank}  {bold}{}{bold:#}", ratios(measured));
        }
        text.push_str(&self.footer());
        text
    }

    fn footer(&self) -> String {
        let mut text = format!(
            "\nCPU is that of the whole Viceroy process. × is product ÷ floor; that of CPU is the median of {} alternating pairs, with the lowest and the highest behind.\n",
            self.pairs
        );
        if let Some(page) = self.page {
            let floor = now_serving_baselines::PAGE_LENGTH;
            let _ = writeln!(
                text,
                "Waiting page: {page} bytes, the floor's page: {floor}."
            );
        }
        for (of, calls) in [
            ("a request", &self.host_calls),
            ("a request to floor-calls", &self.floor_calls),
        ] {
            let calls = calls.iter().filter_map(|(scenario, calls)| {
                let calls = (*calls)?;
                Some(format!("{} {calls}", scenario.name()))
            });
            let calls: Vec<String> = calls.collect();
            if !calls.is_empty() {
                let _ = writeln!(text, "Calls of the host for {of}: {}.", calls.join(", "));
            }
        }
        for (name, size) in [
            ("now-serving", self.product_size),
            ("floor-hello", self.floor_size),
        ] {
            let (plain, gzipped) = (kilobytes(size.plain), kilobytes(size.gzipped));
            let _ = writeln!(
                text,
                "Wasm of {name}: {plain:.1} KB, gzipped {gzipped:.1} KB."
            );
        }
        if let Some(cold) = &self.cold {
            let _ = writeln!(
                text,
                "First request to a new Viceroy, with one store call: now-serving {}, floor-store {}: {:+.1} ms.",
                start(&cold.product),
                start(&cold.floor),
                cold.product.median - cold.floor.median
            );
        }
        text
    }

    pub(crate) fn json(&self) -> Value {
        let [host_calls, floor_calls] = [&self.host_calls, &self.floor_calls].map(|calls| {
            let named = calls.iter();
            let named = named.map(|(scenario, calls)| (scenario.name().to_owned(), json!(calls)));
            named.collect::<serde_json::Map<_, _>>()
        });
        let measured: Vec<Value> = self.measured.iter().map(measured_json).collect();
        json!({
            "pairs": self.pairs,
            "waiting_page_bytes": self.page,
            "floor_page_bytes": now_serving_baselines::PAGE_LENGTH,
            "host_calls": host_calls,
            "host_calls_of_floor": floor_calls,
            "wasm": {
                "now-serving": size_json(self.product_size),
                "floor-hello": size_json(self.floor_size),
            },
            "cold_start_ms": self.cold.as_ref().map(|cold| json!({
                "now-serving": start_json(&cold.product),
                "floor-store": start_json(&cold.floor),
            })),
            "measured": measured,
        })
    }
}

fn side(name: &str, side: &Side) -> String {
    let figures = &side.figures;
    let heap = side
        .sandboxes
        .heap_mb
        .map_or_else(|| "-".to_owned(), |heap| format!("{heap:.1}"));
    let reuse = side
        .sandboxes
        .requests_each(figures.requests)
        .map_or_else(|| "-".to_owned(), |reuse| format!("{reuse:.1}"));
    format!(
        "{name:<15}{:>9.0}{:>9.2}{:>9.2}{:>13.1}{:>10.1}{:>8.2}{:>10.2}{reuse:>13}{heap:>9}",
        figures.per_second,
        figures.p50_ms,
        figures.p99_ms,
        figures.cpu_ms,
        figures.peak_mb,
        figures.calls,
        figures.commands,
    )
}

fn ratios(measured: &Measured) -> String {
    let of = |read: fn(&Figures) -> f64| {
        let (floor, product) = (&measured.floor.figures, &measured.product.figures);
        times(read(product), read(floor))
    };
    let Ratio {
        median,
        lowest,
        highest,
    } = measured.cpu_ratio;
    format!(
        "{:<15}{:>9}{:>9}{:>9}{:>13}{:>10}  CPU {lowest:.2}–{highest:.2}",
        "product ÷ floor",
        of(|figures| figures.per_second),
        of(|figures| figures.p50_ms),
        of(|figures| figures.p99_ms),
        format!("×{median:.2}"),
        of(|figures| figures.peak_mb),
    )
}

fn times(product: f64, floor: f64) -> String {
    if floor > 0.0 {
        format!("×{:.2}", product / floor)
    } else {
        "-".to_owned()
    }
}

fn start(starts: &Starts) -> String {
    format!(
        "{:.1} ms ({:.1}–{:.1})",
        starts.median, starts.lowest, starts.highest
    )
}

fn kilobytes(bytes: u64) -> f64 {
    u32::try_from(bytes).map_or(f64::INFINITY, f64::from) / 1000.0
}

fn measured_json(measured: &Measured) -> Value {
    let Ratio {
        median,
        lowest,
        highest,
    } = measured.cpu_ratio;
    json!({
        "scenario": measured.scenario.name(),
        "connections": measured.connections,
        "floor": measured.of.name(),
        "cpu_ratio": { "median": median, "lowest": lowest, "highest": highest },
        "of_floor": side_json(&measured.floor),
        "of_product": side_json(&measured.product),
    })
}

fn side_json(side: &Side) -> Value {
    let figures = &side.figures;
    json!({
        "requests": figures.requests,
        "requests_per_second": figures.per_second,
        "p50_ms": figures.p50_ms,
        "p99_ms": figures.p99_ms,
        "cpu_ms_per_1000": figures.cpu_ms,
        "peak_mb": figures.peak_mb,
        "store_calls_per_request": figures.calls,
        "store_commands_per_request": figures.commands,
        "sandboxes_ended": side.sandboxes.ended,
        "largest_heap_mb": side.sandboxes.heap_mb,
    })
}

fn size_json(size: Size) -> Value {
    json!({ "bytes": size.plain, "gzipped_bytes": size.gzipped })
}

fn start_json(starts: &Starts) -> Value {
    json!({ "median": starts.median, "lowest": starts.lowest, "highest": starts.highest })
}
