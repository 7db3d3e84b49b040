//! Called visitors who do not come: the setting for them, and what the store has measured. `store/lua/turnout.lua` measures, and
//! `absent.lua` calls more visitors for it.

use super::words;

words! {
    /// What is done about called visitors who do not come.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum AbsentVisitors {
        /// Their share is not measured.
        Off = "off",
        /// It is measured and shown.
        #[default]
        Observe = "observe",
        /// It is measured and shown, and the pace calls more visitors for it.
        On = "on",
    }
}

/// What is known of called visitors who do not come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Absent {
    /// Their share of the called visitors, in per mille; `None` while it is not known.
    pub share: Option<u64>,
    /// How many were called within the last minute and have not come yet.
    pub may_come: u64,
}
