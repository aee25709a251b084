//! The engine inside against plain definitions.

mod boards;
mod exact;
mod laws;
mod limits;
mod weights;
mod wire;
