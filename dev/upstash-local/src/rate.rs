//! A rate beyond which commands queue up, as the provider throttles: by delay.
//!
//! The store never learns that a caller has given up: what was sent is executed in its turn.

use std::time::{Duration, Instant};

/// How many commands a second, and by which clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    /// Commands a second, at least 1.
    pub commands: u32,
    /// What lets the queue get shorter.
    pub clock: Clock,
}

/// What lets time pass for the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// The machine's time, and what the store is advanced by.
    Wall,
    /// Only what the store is advanced by: virtual time, in which a test takes as long as it likes.
    Advanced,
}

/// The commands that were sent and have not had their turn.
pub(crate) struct Queue {
    rate: Rate,
    began: Instant,
    advanced: Duration,
    /// When the last command sent so far will have been executed.
    free: Duration,
}

impl Queue {
    pub(crate) fn new(rate: Rate) -> Self {
        Self {
            rate,
            began: Instant::now(),
            advanced: Duration::ZERO,
            free: Duration::ZERO,
        }
    }

    pub(crate) fn advance(&mut self, by: Duration) {
        self.advanced = self.advanced.saturating_add(by);
    }

    /// How long it takes until this many more commands have been executed.
    pub(crate) fn enter(&mut self, commands: u64) -> Duration {
        let now = match self.rate.clock {
            Clock::Wall => self.advanced.saturating_add(self.began.elapsed()),
            Clock::Advanced => self.advanced,
        };
        let each = Duration::from_secs(1) / self.rate.commands.max(1);
        let many = u32::try_from(commands).unwrap_or(u32::MAX);
        self.free = self.free.max(now).saturating_add(each.saturating_mul(many));
        self.free.saturating_sub(now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_above_the_rate_wait_for_those_before_them() {
        let mut queue = Queue::new(Rate {
            commands: 100,
            clock: Clock::Advanced,
        });
        let ms = Duration::from_millis;
        assert_eq!(
            [1, 1, 3].map(|many| queue.enter(many)),
            [ms(10), ms(20), ms(50)]
        );
        queue.advance(ms(30));
        assert_eq!(queue.enter(1), ms(30), "the queue got shorter");
        queue.advance(ms(1_000));
        assert_eq!(queue.enter(1), ms(10), "idle time is not banked");
    }
}
