//! What we answer by ourselves.

use super::object::object;

/// An answer from the edge itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    /// The status.
    pub status: u16,
    /// In the order they are sent.
    pub headers: Vec<(&'static str, String)>,
    /// Empty for HEAD.
    pub body: Vec<u8>,
}

impl Reply {
    /// What every answer of the edge carries: it is private, it is not for an index, and it is what it says it is.
    #[must_use]
    pub fn new(status: u16, content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        let headers = vec![
            ("content-type", content_type.to_owned()),
            ("cache-control", PRIVATE.to_owned()),
            ("x-robots-tag", "noindex".to_owned()),
            ("x-content-type-options", "nosniff".to_owned()),
            ("referrer-policy", "same-origin".to_owned()),
        ];
        let body = body.into();
        Self {
            status,
            headers,
            body,
        }
    }

    /// A page: HTML, and nothing in it may load anything but what its policy names.
    #[must_use]
    pub fn page(status: u16, html: String, policy: &str) -> Self {
        Self::new(status, "text/html; charset=utf-8", html)
            .with("content-security-policy", policy)
            // The platform compresses what says so, in whichever way the browser takes, and takes this line out.
            .with("x-compress-hint", "on")
    }

    /// JSON of something that serialises; `null` if it should ever not.
    #[must_use]
    pub fn json(status: u16, value: &impl serde::Serialize) -> Self {
        let body = serde_json::to_vec(value).unwrap_or_else(|_| b"null".to_vec());
        Self::new(status, "application/json", body)
    }

    /// Data for the waiting page's own script: nothing in front of it but what keeps it private and what it is.
    #[must_use]
    pub fn data(status: u16, value: &impl serde::Serialize) -> Self {
        let mut reply = Self::json(status, value);
        reply
            .headers
            .retain(|(name, _)| !matches!(*name, "x-robots-tag" | "referrer-policy"));
        reply
    }

    /// The next request does not say from which address it came.
    #[must_use]
    pub fn without_referrer(self) -> Self {
        self.with_referrer("no-referrer")
    }

    /// What the next request says of the address from which it came.
    #[must_use]
    pub fn with_referrer(mut self, policy: &'static str) -> Self {
        self.headers.retain(|(name, _)| *name != "referrer-policy");
        self.with("referrer-policy", policy)
    }

    /// An error as RFC 9457 words it: `detail` says what was wrong and what is accepted.
    #[must_use]
    pub fn problem(status: u16, title: &str, detail: &str) -> Self {
        let body = object!({ "title": title, "status": status, "detail": detail });
        let body = serde_json::to_string(&body).unwrap_or_default();
        Self::new(status, "application/problem+json", body)
    }

    /// The answer to a method that is not among these, which are separated by `, `; nothing if it is.
    #[must_use]
    pub fn wrong_method(method: &str, allowed: &'static str) -> Option<Self> {
        let mut allowed_ones = allowed.split(',').map(str::trim_ascii_start);
        if allowed_ones.any(|one| one == method) {
            return None;
        }
        let detail = format!("{method} is not one of {allowed}");
        Some(Self::problem(405, "Method not allowed", &detail).with("allow", allowed))
    }

    /// One header more.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// One header more, if there is something to say.
    #[must_use]
    pub fn with_some(self, name: &'static str, value: Option<String>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    /// The cookies the browser is to keep or to forget, one header each.
    #[must_use]
    pub fn with_cookies(self, cookies: Vec<String>) -> Self {
        cookies
            .into_iter()
            .fold(self, |reply, cookie| reply.with("set-cookie", cookie))
    }

    /// The same without a body.
    #[must_use]
    pub fn without_body(mut self) -> Self {
        self.body.clear();
        self
    }
}

/// `Cache-Control` of whatever is meant for one visitor.
pub const PRIVATE: &str = "private, no-store";
