//! Whether a Redis, a store and a site that are not this program's own answer: without them nothing that is served is ready.

use std::time::Duration;

use super::Options;

/// How long either may take to answer.
const DEADLINE: Duration = Duration::from_secs(10);

/// Says at once what visitors would only be told by a room that never lets them in.
///
/// # Errors
/// When the Redis does not answer, the store does not as Upstash does or takes another token, or the origin does not.
pub(super) fn check(options: &Options) -> Result<(), String> {
    if let Some(url) = &options.redis {
        upstash_local::Store::redis(url, "")?;
    }
    if let Some(url) = &options.store {
        store(url, options.store_token.as_deref().unwrap_or_default())?;
    }
    options.origin.as_deref().map_or(Ok(()), origin)
}

/// A client to which any answer is one, within this time. No proxy of this user: the local server goes by none.
pub(super) fn agent(deadline: Duration) -> ureq::Agent {
    let config = ureq::Agent::config_builder();
    let config = config
        .http_status_as_error(false)
        .max_redirects(0)
        .timeout_global(Some(deadline))
        .proxy(None);
    config.build().into()
}

fn store(url: &str, token: &str) -> Result<(), String> {
    let ask = agent(DEADLINE).post(url);
    let asked = ask
        .header("authorization", format!("Bearer {token}"))
        .send(r#"["PING"]"#);
    let mut answer = asked
        .map_err(|error| format!("The store {url} does not answer ({error}): see --store URL."))?;
    let status = answer.status().as_u16();
    let text = answer.body_mut().read_to_string().unwrap_or_default();
    match status {
        200 if text.contains("PONG") => Ok(()),
        401 | 403 => Err(format!(
            "The store {url} refuses the token ({status}): accepted is the REST token of that database, by --store-token or UPSTASH_REDIS_REST_TOKEN."
        )),
        _ => Err(format!(
            "The store {url} answers {status}, and not as Upstash does: accepted is the REST URL of a database."
        )),
    }
}

fn origin(url: &str) -> Result<(), String> {
    let asked = agent(DEADLINE).get(url).call();
    asked.map(drop).map_err(|error| {
        format!(
            "The origin {url} does not answer ({error}): start it, or name another with --origin URL."
        )
    })
}
