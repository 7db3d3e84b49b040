//! How the site's firewall (WAF) is asked: by two names, which are needed where it is.

use super::Reader;
use crate::queue::{OnWafError, Waf};

/// The settings of which one that is wrong leaves unknown whether a request is to be inspected.
pub(super) const SETTINGS: [&str; 3] = ["waf", NAMES, "on_waf_error"];

const NAMES: &str = "waf_workspace";

/// The most characters of one of the two names.
const LONGEST: usize = 128;

impl Reader<'_> {
    /// How the firewall is asked, where it is.
    pub(in crate::config) fn waf(&mut self) -> Option<Waf> {
        let is_asked = self.choice("waf", false, &[("off", false), ("inspect", true)]);
        let names = self.waf_workspace();
        let on_error = self.choice("on_waf_error", OnWafError::default(), &OnWafError::ALL);
        if !is_asked {
            return None;
        }
        if names.is_none() && self.is_known(NAMES) {
            let accepted =
                "CORP/WORKSPACE where waf is inspect, since the WAF is asked by these names";
            self.problem(NAMES, None, accepted);
        }
        let (corp, workspace) = names.unwrap_or_default();
        Some(Waf {
            corp,
            workspace,
            on_error,
        })
    }

    /// The two names, if there are any: empty ones in the place of wrong ones.
    fn waf_workspace(&mut self) -> Option<(String, String)> {
        let text = self.optional(NAMES)?;
        let is_named = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        let is_name =
            |name: &str| (1..=LONGEST).contains(&name.len()) && name.bytes().all(is_named);
        let names = text
            .split_once('/')
            .filter(|(corp, workspace)| is_name(corp) && is_name(workspace))
            .map(|(corp, workspace)| (corp.to_owned(), workspace.to_owned()));
        if names.is_none() {
            let accepted = format!(
                "none, or CORP/WORKSPACE, the two names by which the Next-Gen WAF knows the site: each 1 to {LONGEST} letters, digits, -, _ and ."
            );
            self.problem(NAMES, Some(text), accepted);
        }
        Some(names.unwrap_or_default())
    }
}
