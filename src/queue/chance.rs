//! The random number of one request, of which each rule takes a part of its own.
//!
//! Invariant: two rules never see the same part, so a request that one rule favours is not favoured by another.

/// The random number of one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chance(u64);

/// What the number decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// When a visitor without a number comes back.
    BackOff,
    /// For how long a POP makes no draws.
    Pause,
    /// Whether this draw is one of those that try whether the store is well again.
    Trial,
    /// Whether a called visitor who comes late asks for a slot.
    Claim,
    /// For how long the marker of a sick origin stands.
    Marker,
    /// Whether a document of a visitor inside is watched.
    Watch,
    /// Which of several backends is probed.
    Probe,
}

impl Chance {
    /// Of a number that differs from request to request; its bits need not be well mixed.
    #[must_use]
    pub fn new(number: u64) -> Self {
        Self(number)
    }

    /// Of a request's random id, by FNV-1a.
    #[must_use]
    pub fn of(id: &str) -> Self {
        let mix = |sum: u64, byte: u8| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        Self(id.bytes().fold(0xcbf2_9ce4_8422_2325, mix))
    }

    /// The lower bits of the number.
    #[must_use]
    pub fn bits(self, many: u32) -> u64 {
        self.0 & (1_u64.checked_shl(many).unwrap_or(0).wrapping_sub(1))
    }

    /// A whole number from `from` to `to`, each as likely as the others; `from` where there is nothing between them.
    #[must_use]
    pub fn between(self, rule: Rule, from: u64, to: u64) -> u64 {
        let many = to.saturating_sub(from).saturating_add(1);
        from.saturating_add(self.part(rule) % many)
    }

    /// `SplitMix64`, whose step separates the rules.
    fn part(self, rule: Rule) -> u64 {
        let salt = (rule as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0.wrapping_add(salt);
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_of_a_range_comes_about_as_often() {
        let mut seen = [0_u32; 10];
        for number in 0..10_000 {
            let drawn = Chance::new(number).between(Rule::Trial, 3, 12);
            let index = usize::try_from(drawn - 3).unwrap_or(usize::MAX);
            if let Some(count) = seen.get_mut(index) {
                *count += 1;
            }
        }
        assert!(
            seen.iter().all(|count| (900..1100).contains(count)),
            "{seen:?}"
        );
    }

    #[test]
    fn what_one_rule_gets_says_nothing_about_what_another_gets() {
        let is_same = |number: &u64| {
            let chance = Chance::new(*number);
            chance.between(Rule::Trial, 0, 9) == chance.between(Rule::BackOff, 0, 9)
        };
        let same = (0..10_000).filter(is_same).count();
        assert!((900..1100).contains(&same), "{same}");
    }

    #[test]
    fn a_range_of_one_number_is_that_number() {
        assert_eq!(Chance::new(7).between(Rule::Pause, 5, 5), 5);
    }
}
