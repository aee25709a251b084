//! The engine inside against plain definitions, engines outside that misbehave, and the lines between machines.

mod exact;
mod laws;
mod limits;
mod misbehaving;
mod real;
mod usi;
mod weights;
mod wire;
