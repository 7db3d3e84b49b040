//! What runs the real Now Serving: for its tests, and for the commands it is developed with.
//!
//! [`edge`] runs the Wasm of this [`project`] in the local server, in a folder made by [`sandbox_dir`]; [`heap`] reads
//! what that server says about memory, [`size`] measures the Wasm. [`origin`] is the demo shop behind it, [`browser`] looks
//! at it, [`prometheus`] scrapes it. [`kept`] reads and writes a line.
//! [`ports`] finds free ones, [`link`] puts a server far away. What all of these run is found and installed by [`machine`].
//!
//! The store is not here: `upstash-local` is one, and knows nothing of Now Serving.

#[cfg(feature = "browser")]
pub mod browser;
pub mod edge;
pub mod heap;
pub mod host_calls;
pub mod kept;
pub mod link;
pub mod origin;
pub mod ports;
pub mod prometheus;
pub mod sandbox_dir;
pub mod size;

pub use machine::{install, process, project, quiet, strict, tools, viceroy};
