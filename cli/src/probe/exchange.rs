//! A request to the service, and what came back.

use std::time::Duration;

use hyper::HeaderMap;

/// A request to the service.
#[derive(Clone, Debug)]
pub(crate) struct Ask {
    pub(crate) method: &'static str,
    pub(crate) path: String,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: String,
    pub(crate) is_owed: bool,
}

impl Ask {
    pub(crate) fn get(path: &str) -> Self {
        Self {
            method: "GET",
            path: path.to_owned(),
            headers: Vec::new(),
            body: String::new(),
            is_owed: false,
        }
    }

    /// A request by which no number is ever drawn, wherever the path leads: pictures draw none.
    pub(crate) fn quiet(path: &str) -> Self {
        Self::get(path).with("sec-fetch-dest", "image")
    }

    pub(crate) fn method(mut self, method: &'static str) -> Self {
        self.method = method;
        self
    }

    pub(crate) fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    pub(crate) fn json(mut self, body: String) -> Self {
        self.body = body;
        self.method("POST").with("content-type", "application/json")
    }

    /// Puts something back, so it is sent even when the run has used up its requests or its time.
    pub(crate) fn owed(mut self) -> Self {
        self.is_owed = true;
        self
    }
}

/// What came back.
#[derive(Clone, Debug, Default)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: String,
    /// From the request to the head of the answer, on a connection that stood already.
    pub(crate) took: Duration,
}

impl Answer {
    /// A header's lines as one, or nothing.
    pub(crate) fn header(&self, name: &str) -> String {
        let lines = self.headers.get_all(name).iter();
        let lines: Vec<_> = lines
            .map(|line| String::from_utf8_lossy(line.as_bytes()).into_owned())
            .collect();
        lines.join(", ")
    }

    /// Whether the room itself answered, not the origin: it lets nobody keep or index what it says.
    pub(crate) fn is_of_the_room(&self) -> bool {
        self.header("x-robots-tag") == "noindex"
            && self.header("cache-control") == "private, no-store"
    }
}
