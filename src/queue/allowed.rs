//! Why a client that is allowed past the room is not, and what its name may be.

use serde::Serialize;

/// Why a request goes through the room like a visitor's, though its sender may take itself for allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AllowFault {
    /// What it brought is no allowance for this room.
    Wrong,
    /// Its time is over.
    Expired,
    /// The list of networks could not be asked.
    ListUnread,
}
