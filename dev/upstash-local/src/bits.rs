//! The two commands on bits, worded as Redis words them.

use crate::commands::{integer, wrong_number};

/// Redis lets a text have 512 MB.
const BITS: std::ops::Range<i64> = 0..1 << 32;

/// One of them, understood.
pub(crate) struct Bit {
    byte: usize,
    mask: u8,
    /// What it is set to; nothing where it is only asked for.
    set: Option<bool>,
}

impl Bit {
    /// Reads one of them; `name` is in lower case.
    pub(crate) fn asked(name: &str, arguments: &[Vec<u8>]) -> Result<Self, String> {
        let (place, set) = match (name, arguments) {
            ("getbit", [place]) => (place, None),
            ("setbit", [place, bit]) => (place, Some(bit)),
            _ => return Err(wrong_number(name)),
        };
        let place = integer(place).ok().filter(|place| BITS.contains(place));
        let place = place.and_then(|place| usize::try_from(place).ok());
        let place = place.ok_or("ERR bit offset is not an integer or out of range")?;
        let set = match set.map(|bit| integer(bit)) {
            None => None,
            Some(Ok(0)) => Some(false),
            Some(Ok(1)) => Some(true),
            Some(_) => return Err("ERR bit is not an integer or out of range".to_owned()),
        };
        Ok(Self {
            byte: place / 8,
            mask: 0x80 >> (place % 8),
            set,
        })
    }

    /// Does it: what the bit was before.
    pub(crate) fn run(&self, text: &mut Vec<u8>) -> bool {
        let Self { byte, mask, set } = *self;
        if set.is_some() && text.len() <= byte {
            text.resize(byte.saturating_add(1), 0);
        }
        let Some(found) = text.get_mut(byte) else {
            return false;
        };
        let before = *found & mask != 0;
        match set {
            Some(true) => *found |= mask,
            Some(false) => *found &= !mask,
            None => {}
        }
        before
    }
}
