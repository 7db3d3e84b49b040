//! What the platform says of a visitor who is about to draw, and what is done about it.
//!
//! Invariant: a signal that is ignored is not asked for, and one that the platform does not know decides nothing. Of several
//! signals the strictest treatment decides.

use super::{Waf, WafAnswer, WafFault, words};

words! {
    /// Something that the platform may know of a request.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Signal {
        /// Bot management takes its client for a bot.
        Bot = "bot",
        /// Its address belongs to a hosting provider.
        Hosting = "hosting",
        /// It came by a VPN, a public proxy or Tor.
        Anonymous = "anonymous",
        /// It is part of an attack on the service.
        Ddos = "ddos",
    }
}

words! {
    /// What is done about visitors of a signal, from the mildest to the strictest.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Treatment {
        /// Nothing, and the platform is not asked.
        #[default]
        Ignore = "ignore",
        /// Their requests are counted and logged.
        Observe = "observe",
        /// They calculate or wait before a number is drawn.
        Challenge = "challenge",
        /// No number is drawn.
        Refuse = "refuse",
    }
}

/// What the platform knows of one request.
pub trait Platform {
    /// Whether the signal is there; nothing where the platform does not know.
    fn says(&self, signal: Signal) -> Option<bool>;
    /// Whether its client is a bot that says truly whose crawler it is.
    fn is_verified_crawler(&self) -> bool;
    /// What the site's firewall says of it.
    fn inspect(&self, waf: &Waf) -> WafAnswer;
}

/// A platform that knows nothing.
pub struct SaysNothing;

impl Platform for SaysNothing {
    fn says(&self, _signal: Signal) -> Option<bool> {
        None
    }

    fn is_verified_crawler(&self) -> bool {
        false
    }

    fn inspect(&self, _waf: &Waf) -> WafAnswer {
        WafAnswer::Failed(WafFault::NotAsked)
    }
}

/// The treatment of each signal, in the order of [`Signal::ALL`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SignalRule([Treatment; Signal::ALL.len()]);

/// What follows from what the platform said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Judgement {
    /// The signals that were there.
    pub seen: Vec<Signal>,
    /// The strictest treatment of these.
    pub treatment: Treatment,
    /// Whether it is a verified crawler, where bots are challenged or refused. It comes back later by itself, whatever else is
    /// seen.
    pub is_crawler: bool,
}

impl SignalRule {
    /// The same with another treatment of this signal.
    #[must_use]
    pub fn with(self, signal: Signal, treatment: Treatment) -> Self {
        let mut pairs = self.pairs();
        Self(std::array::from_fn(|_| match pairs.next() {
            Some((of, _)) if of == signal => treatment,
            Some((_, kept)) => kept,
            None => Treatment::default(),
        }))
    }

    /// What is done about the signals that were seen in this request.
    #[must_use]
    pub fn judge(&self, platform: &dyn Platform) -> Judgement {
        let is_seen = |(signal, _): &(Signal, Treatment)| platform.says(*signal) == Some(true);
        let seen: Vec<(Signal, Treatment)> = self.asked().filter(is_seen).collect();
        let strictest = seen.iter().map(|(_, treatment)| *treatment).max();
        let is_kept_bot = |(signal, treatment): &(Signal, Treatment)| {
            *signal == Signal::Bot && *treatment >= Treatment::Challenge
        };
        Judgement {
            is_crawler: seen.iter().any(is_kept_bot) && platform.is_verified_crawler(),
            seen: seen.into_iter().map(|(signal, _)| signal).collect(),
            treatment: strictest.unwrap_or_default(),
        }
    }

    /// Whether any visitor is challenged.
    #[must_use]
    pub fn challenges(&self) -> bool {
        self.0.contains(&Treatment::Challenge)
    }

    /// Each signal that is not ignored, and whether the platform knows it of this request.
    pub fn known<'a>(
        &self,
        platform: &'a dyn Platform,
    ) -> impl Iterator<Item = (Signal, bool)> + use<'a> {
        self.asked()
            .map(move |(signal, _)| (signal, platform.says(signal).is_some()))
    }

    fn asked(self) -> impl Iterator<Item = (Signal, Treatment)> + use<> {
        self.pairs()
            .filter(|(_, treatment)| *treatment > Treatment::Ignore)
    }

    fn pairs(self) -> impl Iterator<Item = (Signal, Treatment)> + use<> {
        let signals = Signal::ALL.into_iter().map(|(_, signal)| signal);
        signals.zip(self.0)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    /// Says this of these signals, remembers for which it was asked, and knows every bot for a crawler.
    struct Says(Vec<(Signal, bool)>, RefCell<Vec<Signal>>);

    impl Platform for Says {
        fn says(&self, signal: Signal) -> Option<bool> {
            self.1.borrow_mut().push(signal);
            let said = self.0.iter().find(|(said, _)| *said == signal);
            said.map(|(_, is_there)| *is_there)
        }

        fn is_verified_crawler(&self) -> bool {
            true
        }

        fn inspect(&self, _waf: &Waf) -> WafAnswer {
            WafAnswer::Allow
        }
    }

    fn says(said: &[(Signal, bool)]) -> Says {
        Says(said.to_vec(), RefCell::default())
    }

    fn rule(treatments: &[(Signal, Treatment)]) -> SignalRule {
        treatments
            .iter()
            .fold(SignalRule::default(), |rule, (signal, treatment)| {
                rule.with(*signal, *treatment)
            })
    }

    #[test]
    fn each_signal_has_the_treatment_that_is_chosen_for_it() {
        for (_, signal) in Signal::ALL {
            for (_, treatment) in Treatment::ALL {
                let rule = rule(&[(signal, treatment)]);
                let is_asked = treatment != Treatment::Ignore;
                for (said, seen) in [(Some(true), is_asked), (Some(false), false), (None, false)] {
                    let said: Vec<_> = said.map(|said| (signal, said)).into_iter().collect();
                    let platform = says(&said);
                    let expected = Judgement {
                        seen: Some(signal).filter(|_| seen).into_iter().collect(),
                        treatment: if seen { treatment } else { Treatment::Ignore },
                        is_crawler: seen
                            && signal == Signal::Bot
                            && matches!(treatment, Treatment::Challenge | Treatment::Refuse),
                    };
                    assert_eq!(rule.judge(&platform), expected, "{signal:?} {treatment:?}");
                    let asked = platform.1.into_inner();
                    let only = Some(signal).filter(|_| is_asked);
                    assert_eq!(asked, only.into_iter().collect::<Vec<_>>());
                }
            }
        }
    }

    #[test]
    fn the_strictest_treatment_of_what_is_seen_wins() {
        let (observe, challenge, refuse) =
            (Treatment::Observe, Treatment::Challenge, Treatment::Refuse);
        let rule = rule(&[
            (Signal::Bot, challenge),
            (Signal::Hosting, observe),
            (Signal::Ddos, refuse),
        ]);
        for (said, treatment) in [
            (&[Signal::Hosting][..], observe),
            (&[Signal::Bot, Signal::Hosting], challenge),
            (&[Signal::Bot, Signal::Ddos], refuse),
            (&[Signal::Hosting, Signal::Ddos], refuse),
            (&[Signal::Anonymous], Treatment::Ignore),
        ] {
            let pairs: Vec<_> = said.iter().map(|signal| (*signal, true)).collect();
            let judged = rule.judge(&says(&pairs));
            assert_eq!(judged.treatment, treatment, "{said:?}");
            let seen: Vec<_> = said
                .iter()
                .filter(|one| **one != Signal::Anonymous)
                .collect();
            assert_eq!(judged.seen.iter().collect::<Vec<_>>(), seen);
        }
    }

    #[test]
    fn it_says_which_of_the_signals_in_use_the_platform_knows() {
        let rule = rule(&[
            (Signal::Bot, Treatment::Refuse),
            (Signal::Ddos, Treatment::Observe),
        ]);
        let platform = says(&[(Signal::Ddos, false), (Signal::Hosting, true)]);
        let known: Vec<_> = rule.known(&platform).collect();
        assert_eq!(known, [(Signal::Bot, false), (Signal::Ddos, true)]);
        assert!(!rule.challenges());
        assert!(rule.with(Signal::Bot, Treatment::Challenge).challenges());
    }
}
