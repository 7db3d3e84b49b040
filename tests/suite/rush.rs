//! A rush above the store's limit: everybody has a number within three minutes, and nobody two.
//!
//! `model` is fifty data centres in plain Rust, with the product's own rules for coming back and for drawing. `scripts` is
//! the service and the real scripts, scaled down, in front of a store that queues beyond its rate.

mod model;
mod scripts;

use model::{Rules, rush};

/// How long after the last arrival everybody has a number.
const WITHIN_MS: u64 = 180_000;

mod native {
    use super::*;

    #[test]
    fn everybody_has_a_number_three_minutes_after_any_rush() {
        for per_second in [12_000, 20_000, 50_000] {
            let outcome = rush(per_second, Rules::All, WITHIN_MS);
            println!("{per_second} a second: {outcome:?}");
            assert!(
                outcome.all_numbered_ms.is_some(),
                "{per_second}: {outcome:?}"
            );
            assert_eq!(outcome.numbers_drawn, outcome.visitors, "{outcome:?}");
            assert!(outcome.commands < 2 * outcome.visitors, "{outcome:?}");
        }
    }
}

mod simulated {
    use super::*;

    #[test]
    fn coming_back_later_does_not_end_a_rush_by_itself() {
        let outcome = rush(50_000, Rules::WithoutBreaker, WITHIN_MS);
        assert_eq!(outcome.all_numbered_ms, None, "{outcome:?}");
    }
}
