//! What a reading brought to light, and names that no setting has.

use super::Reader;
use crate::config::problem::NAME;
use crate::config::{DOCUMENT, Problem, RETIRED, SECRETS, closest};

/// What a reading brought to light.
#[derive(Default)]
pub(in crate::config) struct Findings {
    /// What closes the room to newcomers.
    pub(in crate::config) problems: Vec<Problem>,
    /// What is wrong with settings that have their defaults instead.
    pub(in crate::config) ignored: Vec<Problem>,
    /// Lists of paths that are in force, and that no visitor can open.
    pub(in crate::config) closed: Vec<Problem>,
    /// Settings and secrets that may be there or not, since what holds them was not read or not understood.
    pub(in crate::config) unknown: Vec<&'static str>,
    /// Whether it is not known which request is for which room, since what says so is wrong.
    pub(in crate::config) mixes_rooms: bool,
    /// Whether it is not known to which backend visitors of a region go.
    pub(in crate::config) mixes_backends: bool,
    /// Whether it is not known to which backend requests of a room go, or for which host they ask there.
    pub(in crate::config) mixes_sites: bool,
    /// The settings of the site's firewall.
    pub(in crate::config) waf: WafSettings,
}

/// The settings that say where the requests of a room go.
pub(in crate::config) const SITE: [&str; 2] = ["backend", "origin_host"];

/// What is known of the settings of the site's firewall.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::config) enum WafSettings {
    /// They are right, or were not read with all others: in most services there are none.
    #[default]
    Sound,
    /// One is wrong, so it is not known which requests the firewall is asked about.
    Wrong,
}

/// What a problem does.
#[derive(Clone, Copy)]
pub(super) enum Weight {
    /// It closes the room to newcomers.
    Closes,
    /// The setting has its default instead.
    Looks,
}

impl Reader<'_> {
    /// What was found, once every setting has been asked for: then a name that was not asked for is none.
    pub(in crate::config) fn findings(mut self) -> Findings {
        self.add_document();
        let is_of_waf = |key: &str| super::waf::SETTINGS.contains(&key);
        let mut problems = self.found.problems.iter();
        if problems.any(|problem| is_of_waf(problem.key)) {
            self.found.waf = WafSettings::Wrong;
        }
        let names: Vec<String> = (self.document.others(|name| self.asked.contains(&name)))
            .map(str::to_owned)
            .collect();
        for name in names {
            let meant = closest(&name, &self.asked);
            let accepted = match meant {
                _ if SECRETS.contains(&name.as_str()) || name == RETIRED => {
                    format!("{NAME}; a secret belongs into the secret store")
                }
                Some(meant) => format!("{NAME}; did you mean {meant}?"),
                None => format!("{NAME}; there is none of this name"),
            };
            let meant = meant.filter(|meant| !self.cosmetic.contains(meant));
            self.found.unknown.extend(meant);
            self.found.mixes_rooms |= meant == Some("rooms");
            self.found.mixes_sites |= meant.is_some_and(|meant| SITE.contains(&meant));
            if meant.is_some_and(is_of_waf) {
                self.found.waf = WafSettings::Wrong;
            }
            let weight = meant.map_or(Weight::Looks, |_| Weight::Closes);
            self.misnamed(DOCUMENT, name, &accepted, weight);
        }
        self.found
    }

    /// What is wrong with the document goes first. A key of the document that holds one setting can be of looks.
    fn add_document(&mut self) {
        let problems = std::mem::take(&mut self.document.problems).into_iter();
        let (looks, others): (Vec<_>, Vec<_>) =
            problems.partition(|problem| self.cosmetic.contains(&problem.key));
        self.found.problems.splice(..0, others);
        self.found.ignored.splice(..0, looks);
    }

    /// A name of a later version sets nothing here, and must not close the room after a roll-back.
    pub(super) fn misnamed(
        &mut self,
        key: &'static str,
        name: String,
        accepted: &str,
        weight: Weight,
    ) {
        let problem = self.of_layer(Problem::wrong(key, Some(name), accepted));
        match weight {
            Weight::Closes => self.found.problems.push(problem),
            Weight::Looks => self.found.ignored.push(problem),
        }
    }
}
