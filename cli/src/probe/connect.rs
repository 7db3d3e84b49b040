//! The time to connect, and where plain http leads.

use super::client::Connected;
use super::{Answer, Ask, Finding, Probe, median, ms, unasked};

pub(super) const CONNECTING: &str = "connecting";
pub(super) const REDIRECT: &str = "http";

/// Connections made for the time alone.
const TIMES: usize = 3;

pub(super) fn check(probe: &Probe<'_>) -> Vec<Finding> {
    let connected: Result<Vec<Connected>, String> =
        (0..TIMES).map(|_| probe.client.connect_once()).collect();
    let connecting = match connected {
        Ok(times) => timed(&times, probe.client.target.is_secure),
        Err(error) => unasked(CONNECTING, &error),
    };
    vec![connecting, redirect(probe)]
}

fn timed(times: &[Connected], is_secure: bool) -> Finding {
    let tcp = median(times.iter().map(|time| time.tcp).collect()).unwrap_or_default();
    let tls = median(times.iter().map(|time| time.tls).collect()).unwrap_or_default();
    if !is_secure {
        return Finding::unseen(
            CONNECTING,
            format!("TCP {}, plain http: no TLS to look at.", ms(tcp)),
        );
    }
    Finding::fine(
        CONNECTING,
        format!("TCP {}, TLS {} (medians of {TIMES}); the certificate holds.", ms(tcp), ms(tls)),
    )
    .means("one round trip from here to the POP, and one or two more with the handshake's own work: the times below come on top for a new visitor.")
}

fn redirect(probe: &Probe<'_>) -> Finding {
    if !probe.client.target.is_secure {
        return Finding::unseen(
            REDIRECT,
            "the service was named with http, so no redirect is expected here.",
        );
    }
    if probe.is_local() {
        return Finding::unseen(REDIRECT, "the local server has no port 80.");
    }
    let path = probe.route("healthz");
    let secure = format!("https://{}{path}", probe.client.target.authority);
    match probe.client.ask_plainly(&Ask::quiet(&path)) {
        Ok(answer) => leads(&answer, &secure),
        Err(error) => Finding::unseen(REDIRECT, error)
            .means("port 80 does not answer from here; a visitor who types the name without https depends on it or on HSTS."),
    }
}

/// The target of the redirect answered 200 over https before, so one step is the whole way.
fn leads(answer: &Answer, secure: &str) -> Finding {
    let to = answer.header("location");
    match answer.status {
        301 | 302 | 307 | 308 if to == secure => Finding::fine(
            REDIRECT,
            format!(
                "plain http is answered {} to the same address over https, which answers without a redirect.",
                answer.status
            ),
        ),
        301 | 302 | 307 | 308 => Finding::differs(
            REDIRECT,
            format!(
                "plain http is answered {} to {to:?}, not to {secure:?}.",
                answer.status
            ),
        )
        .means("visitors may come to another host, where their ticket is none, or in a circle.")
        .mend("look for a redirect at the DNS provider or in front of the service."),
        status => Finding::differs(
            REDIRECT,
            format!("plain http is answered {status}, not with a redirect to https."),
        )
        .means("tickets are `Secure` cookies: over plain http no visitor keeps a place.")
        .mend("report it to Fastly: its documentation says that Compute answers port 80 with 308."),
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

    use super::*;
    use crate::probe::report::Verdict;

    #[test]
    fn a_redirect_leads_to_the_same_address_over_https_or_differs() {
        let to = |status, location: &'static str| {
            let mut answer = Answer {
                status,
                ..Answer::default()
            };
            answer.headers.insert("location", location.parse().unwrap());
            leads(&answer, "https://a/_queue/healthz").verdict
        };
        assert_eq!(to(308, "https://a/_queue/healthz"), Verdict::Fine);
        assert_eq!(to(301, "https://a/_queue/healthz"), Verdict::Fine);
        assert_eq!(to(308, "http://a/_queue/healthz"), Verdict::Differs);
        assert_eq!(to(301, "https://www.a/"), Verdict::Differs);
        assert_eq!(to(200, "https://a/_queue/healthz"), Verdict::Differs);
    }
}
