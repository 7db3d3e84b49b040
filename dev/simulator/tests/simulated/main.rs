//! Simulations, the plans that they bear out, and what the docs say of both.

mod docs;
mod follow;
mod plan;
mod scenarios;
mod sick;
mod simulations;
mod vectors;
mod window;
