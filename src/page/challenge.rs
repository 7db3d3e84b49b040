//! The challenge to a visitor above the bound of a network: a page whose script calculates, or with a link to the operator's verifier.
//! It goes on by itself after a wait.

use serde::Serialize;

use super::{Shell, built_in};
use crate::http::Reply;
use crate::http::object::object;
use crate::i18n::Language;

/// How many digests a phone of 2019 looks at in a minute.
const A_MINUTE_ON_A_PHONE: u64 = 15_000_000;

/// What a visitor is asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Challenge {
    /// What the answer is put behind, or what the verifier signs.
    pub text: String,
    /// How many digests the calculation takes on average.
    pub tries: u64,
    /// Where the answer goes.
    pub answer_to: String,
    /// The way to the operator's verifier, where it stands in place of the calculation.
    pub verifier: Option<String>,
    /// Where an invitation goes, where some are taken.
    pub invitation: Option<String>,
}

/// The same for programs: with a verifier there is nothing to calculate.
#[derive(Serialize)]
pub(super) struct ChallengeData<'a> {
    answer_to: &'a str,
    text: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    verifier: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tries: Option<u64>,
}

impl Challenge {
    /// As programs read it.
    pub(super) fn data(&self) -> ChallengeData<'_> {
        let verifier = self.verifier.as_deref();
        ChallengeData {
            answer_to: &self.answer_to,
            text: &self.text,
            verifier,
            tries: verifier.is_none().then_some(self.tries),
        }
    }

    /// How long the calculation takes, and why, where that is more than the visitor expects of a page.
    fn long(&self, words: &Language) -> Option<String> {
        let minutes = self.tries / A_MINUTE_ON_A_PHONE;
        let is_long = self.verifier.is_none() && minutes > 0;
        is_long.then(|| {
            let time = words.counted("minutes", minutes + 1);
            words.text("challenge_long").replace("{time}", &time)
        })
    }

    /// The names of the page's words: what there is to do, and what happens without it.
    fn words(&self) -> [&'static str; 2] {
        match self.verifier {
            None => ["challenge", "challenge_wait"],
            Some(_) => ["verifier", "verifier_wait"],
        }
    }
}

/// The page, from which the visitor goes on to `here`.
#[must_use]
pub fn challenge(
    status: u16,
    refresh: u64,
    challenge: &Challenge,
    unsent: Option<&str>,
    here: &str,
    shell: Shell<'_>,
) -> Reply {
    let words = shell.words;
    let [title, skip, label] =
        ["posted", "challenge_skip", "continue"].map(|name| words.text(name));
    let [text, wait] = challenge.words().map(|name| words.text(name));
    let time = words.counted("minutes", refresh.div_ceil(60));
    let [wait, skip] = [wait, skip].map(|text| text.replace("{time}", &time));
    let long = challenge.long(words).map(|long| format!("{text} {long}"));
    let data = object!({
        "title": title,
        "text": long.as_deref().unwrap_or(text),
        "link": challenge.verifier.as_deref(),
        "label": label,
        "calculates": challenge.verifier.is_none(),
        "wait": wait.as_str(),
        "skip": skip.as_str(),
        "unsent": unsent,
        "challenge": challenge.text.as_str(),
        "tries": challenge.tries,
        "answer_to": challenge.answer_to.as_str(),
        "here": here,
        "invitation": challenge.invitation.as_deref(),
        "invited": words.text("invited"),
    });
    shell.render(&built_in::CHALLENGE, status, data)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::i18n::LANGUAGES;

    #[test]
    fn the_page_has_what_its_script_reads_in_every_language() {
        let asked = Challenge {
            text: "1.a".to_owned(),
            tries: 1 << 20,
            answer_to: "/_queue/challenge".to_owned(),
            verifier: None,
            invitation: Some("/_queue/invitation?to=%2Fa".to_owned()),
        };
        for words in &LANGUAGES {
            let reply = challenge(503, 600, &asked, None, "/a?b=1&c", Shell::plain(words));
            let page = String::from_utf8_lossy(&reply.body).into_owned();
            for part in [
                "<form action=\"/_queue/challenge\">",
                "name=\"text\" value=\"1.a\"",
                "name=\"to\" value=\"/a?b&#x3D;1&amp;c\"",
                "data-tries=\"1048576\"",
                "<a id=invite href=\"/_queue/invitation?to&#x3D;%2Fa\">",
                // Without scripts nothing calculates.
                &format!("<p id=text hidden>{}</p>", words.text("challenge")),
                &words.counted("minutes", 10),
                "Int32Array",
            ] {
                assert!(page.contains(part), "{part} in {page}");
            }
            assert!(!page.contains("{{"), "{page}");
            assert!(page.len() < 6_000, "{}", page.len());
        }
    }

    #[test]
    fn programs_read_what_there_is_to_do() {
        let asked = Challenge {
            text: "1.a".to_owned(),
            tries: 3 << 20,
            answer_to: "/_queue/challenge".to_owned(),
            ..Challenge::default()
        };
        let told = |asked: &Challenge| serde_json::to_string(&asked.data()).unwrap_or_default();
        let calculation = r#"{"answer_to":"/_queue/challenge","text":"1.a","tries":3145728}"#;
        assert_eq!(told(&asked), calculation);
        let asked = Challenge {
            verifier: Some("/test".to_owned()),
            ..asked
        };
        let link = r#"{"answer_to":"/_queue/challenge","text":"1.a","verifier":"/test"}"#;
        assert_eq!(told(&asked), link);
    }

    #[test]
    fn the_page_leads_to_the_verifier_in_every_language() {
        let asked = Challenge {
            verifier: Some("https://verify.example/?text=1.a&to=%2Fa".to_owned()),
            ..Challenge::default()
        };
        for words in &LANGUAGES {
            let reply = challenge(503, 600, &asked, None, "/a", Shell::plain(words));
            let page = String::from_utf8_lossy(&reply.body).into_owned();
            let link = format!(
                "<a href=\"https://verify.example/?text&#x3D;1.a&amp;to&#x3D;%2Fa\">{}</a>",
                words.text("continue")
            );
            let wait = words.text("verifier_wait");
            let wait = wait.replace("{time}", &words.counted("minutes", 10));
            for part in [words.text("verifier"), &wait, &link] {
                assert!(page.contains(part), "{part} in {page}");
            }
            assert!(!page.contains("<form") && !page.contains("{{"), "{page}");
        }
    }
}
