//! The table of `docs/reference/metrics.md`.

use now_serving::telemetry::prometheus::{METRICS, Metric, PREFIX};

/// A row for each metric.
pub(super) fn rows() -> String {
    let head = "| metric | means |\n|---|---|\n".to_owned();
    METRICS.iter().map(row).fold(head, |rows, row| rows + &row)
}

fn row(metric: &Metric) -> String {
    let Metric { name, help, .. } = metric;
    let label = metric.label.map(|label| format!("{{{label}}}"));
    let label = label.unwrap_or_default();
    format!("| `{PREFIX}{name}{label}` | {help} |\n")
}
