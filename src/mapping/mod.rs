//! From one engine's book to the other's without loss.

pub mod demands;
mod moves;
