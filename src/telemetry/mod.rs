//! What machines read: the log and the metrics.

pub mod log;
pub mod prometheus;
