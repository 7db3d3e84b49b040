//! What must hold when the store loses its data: emptied, the line deleted, a backup restored, the clock set back.
//!
//! `table` tells what becomes of every kind of ticket, `attacks` what becomes of an attacker who holds tickets that were issued, and
//! `settings` what becomes of what operators set. `schedules` measures what visitors lose by random faults.

mod attacks;
mod schedules;
mod settings;
mod table;
