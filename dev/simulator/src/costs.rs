//! What an event costs, as `docs/explanation/costs.md` has it: list prices, and formulas.

use crate::units::float;

/// Dollars for a command of Upstash.
pub const DOLLARS_A_COMMAND: f64 = 0.20 / 100_000.0;
/// Dollars for a request to Fastly Compute.
pub const DOLLARS_A_REQUEST: f64 = 0.50 / 1e6;
/// Dollars for a millisecond of its vCPU.
pub const DOLLARS_A_VCPU_MS: f64 = 0.05 / 1e6;
/// Milliseconds of vCPU that a request takes: assumed.
pub const VCPU_MS_A_REQUEST: f64 = 1.0;
/// How many commands a second one database of Upstash takes.
pub const COMMANDS_A_SECOND: f64 = 10_000.0;
/// Far from the front a poll comes this often, on average, in seconds.
pub const POLL_SECONDS: f64 = 26.0;
/// What a visitor asks before there is a number: the page, whether cookies are kept, the page again.
pub const REQUESTS_BEFORE: f64 = 3.0;

/// Both bills, in dollars.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bills {
    /// For the store.
    pub upstash: f64,
    /// For the edge.
    pub fastly: f64,
}

/// For this many commands and requests.
#[must_use]
pub fn bills(commands: u64, requests: u64) -> Bills {
    let a_request = VCPU_MS_A_REQUEST.mul_add(DOLLARS_A_VCPU_MS, DOLLARS_A_REQUEST);
    Bills {
        upstash: float(commands) * DOLLARS_A_COMMAND,
        fastly: float(requests) * a_request,
    }
}

/// Commands for the board: each POP reads it every second while a visitor waits, and every ten while none does. Under a cap the
/// second counts also where visitors are only inside.
#[must_use]
pub fn busy_commands(pops: f64, [with_line, without]: [f64; 2], has_cap: bool) -> f64 {
    let seldom = if has_cap { 1.0 } else { 10.0 };
    pops * (with_line + without / seldom)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first row of the table in the docs.
    #[test]
    fn a_thousand_who_wait_for_an_hour_cost_what_the_docs_say() {
        let Bills { upstash, fastly } = bills(181_000, 141_462);
        assert_eq!(format!("{upstash:.2} {fastly:.2}"), "0.36 0.08");
    }
}
