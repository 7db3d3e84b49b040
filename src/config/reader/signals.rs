//! The setting `signals`: what is done about visitors of whom the platform says something.

use super::Reader;
use crate::http::json::{self, Pairs, Value};
use crate::queue::{Signal, SignalRule, Treatment};

impl Reader<'_> {
    /// The treatment of each signal.
    pub(in crate::config) fn signals(&mut self) -> SignalRule {
        let Some(text) = self.json("signals") else {
            return SignalRule::default();
        };
        read(&text).unwrap_or_else(|| {
            let accepted = r#"an object such as {"bot":"observe"}: bot, hosting, anonymous and ddos, each once, with ignore, observe, challenge or refuse"#;
            self.problem("signals", Some(text), accepted);
            SignalRule::default()
        })
    }
}

fn read(text: &str) -> Option<SignalRule> {
    let Pairs(members) = json::read(text.as_bytes()).ok()?;
    let is_once = |name: &str| members.iter().filter(|(other, _)| other == name).count() == 1;
    let with = |rule: SignalRule, (name, value): &(String, Value)| {
        let signal = Signal::named(name).filter(|_| is_once(name))?;
        Some(rule.with(signal, Treatment::named(value.text()?)?))
    };
    members.iter().try_fold(SignalRule::default(), with)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_signal_is_named_once_with_one_of_four_words() {
        let rule = SignalRule::default();
        let bot = rule.with(Signal::Bot, Treatment::Refuse);
        for (text, read_as) in [
            ("{}", Some(rule)),
            (r#"{"bot":"refuse"}"#, Some(bot)),
            (
                r#"{"ddos":"observe","bot":"refuse","hosting":"ignore"}"#,
                Some(bot.with(Signal::Ddos, Treatment::Observe)),
            ),
            (r#"{"bot":"refuse","bot":"ignore"}"#, None),
            (r#"{"bots":"refuse"}"#, None),
            (r#"{"bot":"block"}"#, None),
            (r#"{"bot":true}"#, None),
            (r#"["bot"]"#, None),
            ("bot", None),
            ("", None),
        ] {
            assert_eq!(read(text), read_as, "{text}");
        }
    }
}
