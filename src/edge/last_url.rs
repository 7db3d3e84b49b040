//! A URL that is parsed once while its text stays the same: nearly every request brings the same host, and to parse it is much
//! of what a request costs.

use fastly::http::Url;

/// The last text that was parsed, and what came of it.
#[derive(Default)]
pub(super) struct LastUrl {
    text: String,
    url: Option<Url>,
}

impl LastUrl {
    /// The URL of a text; nothing if it is none.
    pub(super) fn of(&mut self, text: &str) -> Option<&Url> {
        if self.text != text {
            self.url = Url::parse(text).ok();
            text.clone_into(&mut self.text);
        }
        self.url.as_ref()
    }
}
