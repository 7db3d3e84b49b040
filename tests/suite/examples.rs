//! The examples in `examples/`, each started as its reader starts it.
//!
//! What runs them is installed with the other tools, but for Go and PHP: their examples run where these are.

mod origin;
mod program;
