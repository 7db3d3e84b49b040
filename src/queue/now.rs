//! A moment, in the unit that its reader needs.

/// Unix time by one clock, the POP's or the store's. It is kept in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Now {
    ms: u64,
}

impl Now {
    /// From milliseconds since the beginning of 1970.
    #[must_use]
    pub const fn from_ms(ms: u64) -> Self {
        Self { ms }
    }

    /// From seconds since then.
    #[must_use]
    pub const fn from_secs(secs: u64) -> Self {
        Self::from_ms(secs.saturating_mul(1000))
    }

    /// Milliseconds.
    #[must_use]
    pub const fn ms(self) -> u64 {
        self.ms
    }

    /// Whole seconds.
    #[must_use]
    pub const fn secs(self) -> u64 {
        self.ms / 1000
    }

    /// The moment as a clock shows it that is this many seconds ahead, or behind where it is negative.
    #[must_use]
    pub const fn shifted(self, seconds: i64) -> Self {
        Self::from_ms(self.ms.saturating_add_signed(seconds.saturating_mul(1000)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_read_in_seconds_and_in_milliseconds() {
        let now = Now::from_ms(1_999);
        assert_eq!((now.secs(), now.ms()), (1, 1_999));
        assert_eq!(Now::from_secs(2), Now::from_ms(2_000));
        assert!(now < Now::from_secs(2));
    }

    #[test]
    fn a_shifted_clock_stops_at_the_ends_of_time() {
        let now = Now::from_secs(10);
        assert_eq!(now.shifted(5), Now::from_secs(15));
        assert_eq!(now.shifted(-5), Now::from_secs(5));
        assert_eq!(now.shifted(-11), Now::from_secs(0));
        assert_eq!(now.shifted(i64::MAX).ms(), 10_000 + i64::MAX.unsigned_abs());
    }
}
