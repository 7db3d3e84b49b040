//! Upstash's REST protocol without sockets: what a request asks for, and how an answer is worded.
//!
//! A request that is wrong in itself is refused here, before it counts as a call.

use percent_encoding::percent_decode_str;
use serde_json::{Value as Json, json};

use crate::value::{Value, Words};

/// The largest request Upstash takes.
pub(crate) const LARGEST_BODY: usize = 10 * 1024 * 1024;

/// One HTTP request, as much of it as the protocol reads.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// `GET` or `POST`; others are refused.
    pub method: &'a str,
    /// Path and query, as sent.
    pub target: &'a str,
    /// The header `Authorization`.
    pub authorization: Option<&'a str>,
    /// The whole body.
    pub body: &'a [u8],
}

/// What the caller gets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// An HTTP answer with a JSON body.
    Answer {
        /// The HTTP status.
        status: u16,
        /// JSON, unless a fault broke it.
        body: Vec<u8>,
    },
    /// The connection was closed without an answer.
    Dropped,
}

/// What a request asks for.
pub(crate) enum Batch {
    One(Words),
    Pipeline(Vec<Words>),
    Atomic(Vec<Words>),
}

impl Batch {
    /// How many commands there are.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::One(_) => 1,
            Self::Pipeline(commands) | Self::Atomic(commands) => commands.len(),
        }
    }
}

impl Reply {
    pub(crate) fn json(status: u16, body: &Json) -> Self {
        let body = body.to_string().into_bytes();
        Self::Answer { status, body }
    }

    pub(crate) fn error(status: u16, text: &str) -> Self {
        Self::json(status, &json!({ "error": text }))
    }

    /// The answer to a single command.
    pub(crate) fn to_one(value: &Value) -> Self {
        let failed = matches!(value, Value::Error(_));
        Self::json(if failed { 400 } else { 200 }, &value.answer())
    }

    /// The answer to several commands, some of which may have failed.
    pub(crate) fn to_many(values: &[Value]) -> Self {
        Self::json(200, &values.iter().map(Value::answer).collect())
    }

    pub(crate) fn unauthorized() -> Self {
        Self::error(401, "WRONGPASS invalid or missing auth token")
    }

    pub(crate) fn too_large() -> Self {
        Self::error(413, "ERR max request size exceeded. Limit: 10485760 bytes")
    }
}

/// Reads a request; what cannot be read is answered with the `Err`.
pub(crate) fn read(request: &Request<'_>, token: &str) -> Result<Batch, Reply> {
    if !matches!(request.method, "GET" | "POST") {
        return Err(Reply::error(405, "ERR method not allowed: use GET or POST"));
    }
    let (path, query) = request
        .target
        .split_once('?')
        .unwrap_or((request.target, ""));
    if !is_authorized(request.authorization, query, token) {
        return Err(Reply::unauthorized());
    }
    if request.body.len() > LARGEST_BODY {
        return Err(Reply::too_large());
    }
    let posted = request.method == "POST";
    match path {
        "" | "/" if posted => Ok(Batch::One(read_words(&read_array(request.body)?)?)),
        "/pipeline" if posted => Ok(Batch::Pipeline(read_commands(request.body)?)),
        "/multi-exec" if posted => Ok(Batch::Atomic(read_commands(request.body)?)),
        "" | "/" | "/pipeline" | "/multi-exec" => Err(Reply::error(
            405,
            "ERR method not allowed: POST the command",
        )),
        path => Ok(Batch::One(read_path(path, request.body))),
    }
}

/// What could not be read is the caller's fault.
impl From<String> for Reply {
    fn from(text: String) -> Self {
        Self::error(400, &text)
    }
}

fn is_authorized(header: Option<&str>, query: &str, token: &str) -> bool {
    let bearer = header.and_then(|header| header.split_once(' '));
    match bearer {
        Some((scheme, given)) => scheme.eq_ignore_ascii_case("bearer") && given.trim() == token,
        None => query
            .split('&')
            .filter_map(|pair| pair.strip_prefix("_token="))
            .any(|given| decoded(given) == token.as_bytes()),
    }
}

fn read_array(body: &[u8]) -> Result<Vec<Json>, String> {
    serde_json::from_slice(body)
        .map_err(|error| format!("ERR failed to parse the body as a JSON array: {error}"))
}

fn read_commands(body: &[u8]) -> Result<Vec<Words>, String> {
    let commands = read_array(body)?;
    if commands.is_empty() {
        return Err("ERR empty pipeline request".to_owned());
    }
    let read = |command: &Json| match command {
        Json::Array(words) => read_words(words),
        other => Err(format!("ERR a command must be an array, not {other}")),
    };
    commands.iter().map(read).collect()
}

fn read_words(words: &[Json]) -> Result<Words, String> {
    if words.is_empty() {
        return Err("ERR empty command".to_owned());
    }
    let read = |word: &Json| match word {
        Json::String(text) => Ok(text.clone().into_bytes()),
        Json::Number(_) | Json::Bool(_) => Ok(word.to_string().into_bytes()),
        other => Err(format!(
            "ERR an element of a command must be a string, a number or a boolean, not {other}"
        )),
    };
    words.iter().map(read).collect()
}

/// `/set/key` with the value as the body is a command too.
fn read_path(path: &str, body: &[u8]) -> Words {
    let mut words: Words = path.trim_matches('/').split('/').map(decoded).collect();
    if !body.is_empty() {
        words.push(body.to_vec());
    }
    words
}

fn decoded(text: &str) -> Vec<u8> {
    percent_decode_str(text).collect()
}
