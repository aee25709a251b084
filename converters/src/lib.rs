//! Readers and writers for Othello opening books: Edax (`.dat`, text) and Egaroucid (`.egbk`, `.egbk2`, `.egbk3`).
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod position;

pub use position::{Bounds, Engine, Leaf, Link, Links, Outcomes, PERSON_LEVEL, Position};
