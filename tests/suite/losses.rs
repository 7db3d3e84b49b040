//! What must hold when the store loses its data: emptied, the line deleted, a backup restored, the clock set back.
//!
//! `random` plays random traces on the model, the embedded store and a real Redis; `table` tells what becomes of every kind
//! of ticket; `attacks` tells what becomes of an attacker who holds tickets that were issued.

mod attacks;
mod random;
mod settings;
mod table;
