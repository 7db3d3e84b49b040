//! The body of a request to the room itself: read whole, up to a length.

use std::fmt;
use std::io::Read;

/// Why there is no body to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unread {
    /// Its sender stopped in the middle.
    BrokeOff,
    /// It holds more bytes than this.
    TooLong(u64),
}

impl fmt::Display for Unread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BrokeOff => f.write_str("the body broke off"),
            Self::TooLong(longest) => write!(f, "the body is longer than {longest} bytes"),
        }
    }
}

/// All of it, if it holds at most `longest` bytes.
///
/// # Errors
/// When it is longer, or breaks off.
pub fn whole(body: &mut dyn Read, longest: u64) -> Result<Vec<u8>, Unread> {
    let mut bytes = Vec::new();
    let mut body = body.take(longest.saturating_add(1));
    match body.read_to_end(&mut bytes) {
        Err(_) => Err(Unread::BrokeOff),
        Ok(read) if read as u64 > longest => Err(Unread::TooLong(longest)),
        Ok(_) => Ok(bytes),
    }
}
