//! Engines outside.

mod growing;
mod misbehaving;
mod real;
