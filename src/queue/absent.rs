//! Called visitors who do not come: the setting for them, and what the store has measured. `store/lua/turnout.lua` measures, and
//! `absent.lua` calls more visitors for it.

/// What is done about called visitors who do not come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AbsentVisitors {
    /// Their share is not measured.
    Off,
    /// It is measured and shown.
    #[default]
    Observe,
    /// It is measured and shown, and the pace calls more visitors for it.
    On,
}

impl AbsentVisitors {
    /// Every choice, by its name among the settings.
    pub const ALL: [(&'static str, Self); 3] = [
        ("off", Self::Off),
        ("observe", Self::Observe),
        ("on", Self::On),
    ];

    /// Its name among the settings.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Observe => "observe",
            Self::On => "on",
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_choice_has_its_own_name() {
        for (name, choice) in AbsentVisitors::ALL {
            assert_eq!(choice.name(), name);
        }
    }
}
