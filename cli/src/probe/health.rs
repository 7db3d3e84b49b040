//! Whether there is a Now Serving at all, and whether its configuration is sound.

use serde_json::Value;

use crate::program;

use super::{Answer, Ask, Finding, Probe};

pub(super) const CHECK: &str = "configuration";

/// Asks for the health.
///
/// # Errors
/// When nothing answers, or something else than Now Serving.
pub(super) fn ask(probe: &Probe<'_>) -> Result<Answer, String> {
    let path = probe.route("healthz");
    let answer = probe.ask(&Ask::quiet(&path))?;
    let is_sound = answer.status == 200 && answer.body.lines().next() == Some("ok");
    // In front of the room a request is answered 503 too, by what it accepts; health is the same for everybody.
    let is_unsound = answer.status == 503 && answer.header("vary").is_empty();
    if answer.is_of_the_room() && (is_sound || is_unsound) {
        return Ok(answer);
    }
    let to = answer.header("location");
    if !to.is_empty() {
        return Err(format!(
            "{path} is answered {} and leads to {to}. Name that address with --service; if it is the same one, the service takes TLS for plain http: report it.",
            answer.status
        ));
    }
    Err(format!(
        "{path} is answered {}, and not as Now Serving does. Either the service of this name is another one, or its admin_path is: --admin-path says where the operator's routes are.",
        answer.status
    ))
}

pub(super) fn judge(answer: &Answer) -> Finding {
    if answer.status != 200 {
        let told: Value = serde_json::from_str(&answer.body).unwrap_or_default();
        let detail = told
            .get("detail")
            .and_then(Value::as_str)
            .unwrap_or_default();
        return Finding::differs(CHECK, format!("healthz answers {}: {detail}.", answer.status))
            .means("newcomers and operators get 503; admitted visitors and paths that skip the room are served as far as the rest is sound.")
            .mend(format!("the log says `unsound_configuration` or `unsound_secret`, with key and what is accepted. `{} check` tries settings before they are published.", program::name()));
    }
    // A condition that any client can meet is what the operator set.
    let is_no_fault = |line: &&str| line.starts_with("signals: ") || line.starts_with("open: ");
    let lines = answer.body.lines().skip(1);
    let (signals, ignored): (Vec<&str>, Vec<&str>) = lines.partition(is_no_fault);
    if ignored.is_empty() {
        return judge_signals(&signals.join("; "));
    }
    Finding::differs(
        CHECK,
        format!("healthz answers 200, and: {}", ignored.join("; ")),
    )
    .means("each of these settings is wrong, and its default serves instead.")
    .mend("write the value that is accepted; no deploy is needed.")
}

/// What the platform knows of the signals in use, of the probe's own request.
fn judge_signals(signals: &str) -> Finding {
    let seen = match signals {
        "" => "healthz answers 200 and names no problem.".to_owned(),
        signals => format!("healthz answers 200, and: {signals}."),
    };
    if !signals.contains("not known here") {
        return Finding::fine(CHECK, seen);
    }
    Finding::differs(CHECK, seen)
        .means("a signal that Fastly does not know of a request decides nothing.")
        .mend("switch Fastly's product on for this service, or take the signal out of `signals`.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probe::report::Verdict;

    #[test]
    fn an_ignored_setting_and_an_unsound_configuration_differ() {
        let told = |status, body: &str| {
            judge(&Answer {
                status,
                body: body.to_owned(),
                ..Answer::default()
            })
        };
        assert_eq!(told(200, "ok\n").verdict, Verdict::Fine);
        let known = told(200, "ok\nsignals: bot is answered\n");
        assert_eq!(known.verdict, Verdict::Fine);
        let unknown = told(
            200,
            "ok\nsignals: bot is not known here, ddos is answered\n",
        );
        assert_eq!(unknown.verdict, Verdict::Differs);
        assert!(unknown.seen.contains("bot is not known"), "{unknown:?}");
        let ignored = told(200, "ok\nignored: heading: 1-120 characters\n");
        assert_eq!(ignored.verdict, Verdict::Differs);
        assert!(ignored.seen.contains("ignored: heading"), "{ignored:?}");
        let unsound = told(503, r#"{"detail":"accepted is: automatic: a number"}"#);
        assert_eq!(unsound.verdict, Verdict::Differs);
        assert!(unsound.seen.contains("automatic: a number"), "{unsound:?}");
    }
}
