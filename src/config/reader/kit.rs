//! The setting `kit`: the line of Fastly's starter kit that the first room took over.

use super::{NONE, Reader};
use crate::http::json::{self, Pairs, Value, whole};
use crate::http::moment::moment;
use crate::ticket::kit::KitLine;

/// The greatest number that the scripts of the store hold exactly: 2⁵³ − 1.
const MOST: u64 = 9_007_199_254_740_991;

impl Reader<'_> {
    /// What `cargo dev migrate` printed, if it is given.
    pub(in crate::config) fn kit(&mut self) -> Option<KitLine> {
        let text = self.json("kit").filter(|text| text != NONE)?;
        let line = json::read(text.as_bytes()).ok().and_then(read);
        if line.is_none() {
            let accepted = r#"none, or what cargo dev migrate printed, such as {"until":"2030-02-01T00:00:00Z","born":1896000000000,"numbers":4321}"#;
            self.problem("kit", Some(text), accepted);
        }
        line
    }
}

/// Each member once, and no other.
fn read(Pairs(mut members): Pairs) -> Option<KitLine> {
    let mut take = |name: &str| {
        let at = members.iter().position(|(member, _)| member == name)?;
        Some(members.swap_remove(at).1)
    };
    let until_ms = moment(take("until")?.text()?)?;
    let [born, numbers] = ["born", "numbers"].map(|name| number(&take(name)?));
    let line = KitLine {
        born: born?,
        numbers: numbers?,
        until_ms,
    };
    members.is_empty().then_some(line)
}

fn number(value: &Value) -> Option<u64> {
    match value {
        Value::Number(digits) => whole(digits).filter(|number| (1..=MOST).contains(number)),
        Value::Text(_) | Value::Other(_) => None,
    }
}
