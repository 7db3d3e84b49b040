//! The drawn order of an event: which number the i-th ticket has, without a row for any ticket.
//!
//! Invariant: for every seed and every n the numbers 1 to n are given once each.
//!
//! Everything that is hashed is text, so that a tool for SHA-256 and HMAC-SHA256 can compute every step, as
//! `docs/deep/lot.md` says too. Digests that become text are 64 lower-case hexadecimal digits, and numbers are decimal:
//!
//! | step | computed |
//! |---|---|
//! | secret | HMAC of `queue-draw ROOM EVENT OPENS` under an entry of `jwt_secret`, as text; OPENS is the start in milliseconds since 1970, as it was when the event began |
//! | commitment | SHA-256 of the secret's text |
//! | seed | SHA-256 of `SECRET:VALUE:N`, of another lane than the main one of `SECRET:VALUE:LANE:N`, 32 bytes |
//! | word of round r and half x | the first four bytes of the HMAC of `r:x` under the seed, the greatest byte first |
//! | bits of a half, h | half of the bits of N − 1, rounded up, and at least 3 |
//! | mix of a value | its upper h bits are L, its lower h bits R; for r from 0 to 7: (L, R) = (R, L xor the lowest h bits of the word of r and R) |
//! | number of ticket i ≤ N | mix i − 1, and mix the result until it is below N; add 1 |
//! | number of ticket i > N | i |

use super::{Lane, Position};
use ct_codecs::{Encoder, Hex};
use hmac_sha256::{HMAC, Hash};

/// As many rounds leave no trace of the order of arrival.
const ROUNDS: u8 = 8;
/// Half of the fewest bits that are permuted. With fewer, too few orders would be possible.
const LEAST_HALF: u32 = 3;

/// The secret of a draw, as 64 hexadecimal digits: an HMAC under an entry of `jwt_secret`, so that it can be computed again
/// after every loss. An id that is used again has another one, since the event opens at another time.
#[must_use]
pub fn secret(key: &[u8], room: &str, event: &str, opens_ms: u64) -> String {
    hex(HMAC::mac(
        format!("queue-draw {room} {event} {opens_ms}"),
        key,
    ))
}

/// The secrets that decide orders by lot.
pub trait DrawSecrets {
    /// Those of this event of this room, which was to open then as it began: of the entry of `jwt_secret` that signs first, then of
    /// the others.
    fn secrets(&self, room: &str, event: &str, opens_ms: u64) -> Vec<String>;
}

/// Where no order is drawn.
pub struct NoSecrets;

impl DrawSecrets for NoSecrets {
    fn secrets(&self, _room: &str, _event: &str, _opens_ms: u64) -> Vec<String> {
        Vec::new()
    }
}

/// What is published before the draw, so that the secret cannot be chosen afterwards.
#[must_use]
pub fn commitment(secret: &str) -> String {
    hex(Hash::hash(secret.as_bytes()))
}

/// What decides the order of n tickets: the secret, and a public value that nobody can know before the draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seed([u8; 32]);

impl Seed {
    /// The seed of these, for the order in a lane.
    #[must_use]
    pub fn new(secret: &str, public_value: &str, lane: Lane, n: u64) -> Self {
        let lane = lane.name().map(|lane| format!("{lane}:"));
        let lane = lane.unwrap_or_default();
        Self(Hash::hash(
            format!("{secret}:{public_value}:{lane}{n}").as_bytes(),
        ))
    }

    /// As 64 hexadecimal digits.
    #[must_use]
    pub fn hex(&self) -> String {
        hex(self.0)
    }

    /// The number of the `i`-th ticket. Tickets that were drawn after the first `n` come behind them, in their order.
    #[must_use]
    pub fn drawn(&self, n: u64, i: Position) -> Position {
        match i.0.checked_sub(1) {
            Some(index) if index < n => Position(1 + self.permuted(n, index)),
            _ => i,
        }
    }

    /// Walks along a cycle of a larger permutation until it is back below `n`: a permutation of what is below `n`.
    fn permuted(&self, n: u64, index: u64) -> u64 {
        let half = half_bits(n);
        let mut permuted = self.mixed(half, index);
        while permuted >= n {
            permuted = self.mixed(half, permuted);
        }
        permuted
    }

    /// A Feistel network over two halves.
    fn mixed(&self, half: u32, value: u64) -> u64 {
        let mask = (1_u64 << half) - 1;
        let (mut left, mut right) = (value >> half, value & mask);
        for round in 0..ROUNDS {
            let mixed = left ^ (self.word(round, right) & mask);
            (left, right) = (right, mixed);
        }
        left << half | right
    }

    /// The first four bytes of the HMAC of a round and of a half.
    fn word(&self, round: u8, half: u64) -> u64 {
        let mac = HMAC::mac(format!("{round}:{half}"), self.0);
        let first = mac.first_chunk().copied().unwrap_or_default();
        u64::from(u32::from_be_bytes(first))
    }
}

/// Half of the bits in which every number below `n` fits.
fn half_bits(n: u64) -> u32 {
    let bits = u64::BITS - n.saturating_sub(1).leading_zeros();
    bits.div_ceil(2).max(LEAST_HALF)
}

fn hex(digest: [u8; 32]) -> String {
    Hex::encode_to_string(digest).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    const KEY: &str = "0123456789abcdef0123456789abcdef";
    const SECRET: &str = "b92d8744fe2cf7d4700b7ec60b83236d485dd6ad319fd2af96e1f6394b133871";

    fn seed(name: u64) -> Seed {
        Seed::new(
            &secret(KEY.as_bytes(), "main", "sale", 1_800_000_000_000),
            &name.to_string(),
            Lane::Main,
            0,
        )
    }

    fn order(seed: Seed, n: u64) -> Vec<u64> {
        (1..=n).map(|i| seed.drawn(n, Position(i)).0).collect()
    }

    #[test]
    fn the_steps_are_what_openssl_computes() {
        let secret = secret(KEY.as_bytes(), "main", "sale", 1_800_000_000_000);
        assert_eq!(secret, SECRET);
        assert_eq!(
            commitment(&secret),
            "6b21efa0127bcc2360f347eb1a68c1201bb7b77e8f8b6363c97447d0f4dbc1f8"
        );
        let seed = Seed::new(&secret, "beacon 4711", Lane::Main, 10);
        assert_eq!(
            seed.hex(),
            "a257453122a2a9e2fa9b86d26753fd2ba93ef2c4e80e9ce1b444c1f7956a2781"
        );
        assert_eq!(seed.word(0, 5), 2_471_558_344);
        assert_eq!(order(seed, 10), [9, 5, 6, 8, 7, 3, 2, 10, 1, 4]);
    }

    #[test]
    fn every_number_is_given_once() {
        for n in (1..=70).chain([255, 256, 257, 1_000, 4_096, 4_097]) {
            for name in 0..3 {
                let given: BTreeSet<u64> = order(seed(name), n).into_iter().collect();
                let all: BTreeSet<u64> = (1..=n).collect();
                assert_eq!(given, all, "n {n}, seed {name}");
            }
        }
    }

    #[test]
    fn tickets_drawn_after_the_seal_keep_their_number() {
        for i in [11, 12, 1_000_000] {
            assert_eq!(seed(1).drawn(10, Position(i)), Position(i));
        }
        assert_eq!(seed(1).drawn(0, Position(1)), Position(1));
    }

    /// Each of ten tickets gets each of ten numbers in about 200 of 2000 draws. Since the sums of rows and columns are fixed, the
    /// statistic has 81 degrees of freedom: above 127 or below 45 once in a thousand.
    #[test]
    fn over_many_seeds_every_ticket_gets_every_number_as_often() {
        let (n, seeds) = (10_u64, 2_000_u64);
        let mut cells = vec![0_u64; 100];
        for name in 0..seeds {
            for (i, number) in (0..).zip(order(seed(name), n)) {
                let cell = i * n + number - 1;
                if let Some(cell) = usize::try_from(cell).ok().and_then(|at| cells.get_mut(at)) {
                    *cell += 1;
                }
            }
        }
        let expected = (seeds / n).cast_signed();
        let squares = cells
            .iter()
            .map(|cell| (cell.cast_signed() - expected).pow(2));
        let statistic = squares.sum::<i64>() / expected;
        assert!((45..=127).contains(&statistic), "{statistic}");
    }

    /// The correlation of a fair draw of 40 000 is below 0.01 nineteen times out of twenty.
    #[test]
    fn the_order_says_nothing_of_the_arrival() {
        let correlations = [0, 1].map(|name| correlation(seed(name), 40_000));
        let are_small = correlations.iter().all(|one| one.abs() <= 0.01);
        assert!(are_small, "{correlations:?}");
    }

    #[expect(clippy::cast_precision_loss, reason = "the numbers are small")]
    fn correlation(seed: Seed, n: u64) -> f64 {
        let middle = (n + 1) as f64 / 2.0;
        let products = (1..=n).map(|i| {
            let number = seed.drawn(n, Position(i)).0;
            (i as f64 - middle) * (number as f64 - middle)
        });
        let variance = (n as f64 * n as f64 - 1.0) / 12.0;
        products.sum::<f64>() / (n as f64 * variance)
    }

    #[test]
    fn one_bit_of_anything_is_another_order() {
        let whole = Seed::new(SECRET, "beacon 4711", Lane::Main, 1_000);
        let other_secret = SECRET.replacen('b', "c", 1);
        for other in [
            Seed::new(&other_secret, "beacon 4711", Lane::Main, 1_000),
            Seed::new(SECRET, "beacon 4710", Lane::Main, 1_000),
            Seed::new(SECRET, "beacon 4711", Lane::Main, 1_001),
            Seed::new(
                SECRET,
                "beacon 4711",
                Lane::read("vip").unwrap_or_default(),
                1_000,
            ),
        ] {
            let moved = order(whole, 1_000).into_iter().zip(order(other, 1_000));
            let same = moved.filter(|(one, other)| one == other).count();
            assert!(same < 10, "{same} of 1000 tickets kept their number");
        }
    }

    #[test]
    fn a_number_and_a_value_that_run_together_differ() {
        let seed = |value, n| Seed::new(SECRET, value, Lane::Main, n);
        assert_ne!(seed("1", 23), seed("12", 3));
    }
}
