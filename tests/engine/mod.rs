//! Engines outside.

mod misbehaving;
mod real;
