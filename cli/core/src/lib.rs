//! Work of the operators' commands that the suite does too, without a command line.
//!
//! [`mod@secret`] makes what production is protected with, and derives keys from it. [`kit`] takes over the line of Fastly's starter kit.

pub mod kit;
pub mod secret;
