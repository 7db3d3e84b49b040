//! The setting `profile`: other defaults for several settings at once.
//!
//! Invariant: it lies below all that is given, where the reader looks for what is absent; nothing else knows of profiles.

use super::Reader;
use crate::config::document::Known;

/// Settings, each with what a profile says of it.
pub type Defaults = &'static [(&'static str, &'static str)];

/// Each profile with its defaults. The first is none.
pub const PROFILES: [(&str, Defaults); 3] = [
    ("none", &[]),
    (
        "observe",
        &[
            ("origin_health", "observe"),
            ("adaptive_pace", "observe"),
            ("absent_visitors", "observe"),
            ("active_visitors", "observe"),
            ("shared_tickets", "observe"),
            ("network_bound", "observe"),
            (
                "signals",
                r#"{"bot":"observe","hosting":"observe","anonymous":"observe","ddos":"observe"}"#,
            ),
            ("on_origin_error", "pass"),
        ],
    ),
    (
        "sale",
        &[
            ("origin_health", "on"),
            ("on_origin_error", "keep"),
            ("absent_visitors", "on"),
            ("network_bound", "challenge"),
            ("adaptive_pace", "observe"),
        ],
    ),
];

impl Reader<'_> {
    /// From here on what is absent has this profile's default.
    pub(in crate::config) fn profile(&mut self) -> Defaults {
        self.profile = &[];
        self.profile = self.choice("profile", self.profile, &PROFILES);
        self.profile
    }

    /// What the profile says of a setting that is absent.
    pub(super) fn of_profile(&self, key: &str) -> Option<String> {
        let found = self.profile.iter().find(|(name, _)| *name == key);
        found.map(|(_, text)| (*text).to_owned())
    }

    /// Whether only the profile says something of a setting: that gives way to what is given.
    pub(super) fn is_of_profile(&self, key: &str) -> bool {
        self.of_profile(key).is_some() && self.said(key) == Known::Absent
    }
}
