//! Shogi against published numbers, another generator, other programs' results, and hostile input.

mod another;
#[cfg(feature = "database")]
mod database;
mod draws;
mod effects;
mod formats;
mod games;
mod golden;
mod notation;
mod perft;
mod positions;
mod rules;
mod scores;
mod search;
mod whole;
