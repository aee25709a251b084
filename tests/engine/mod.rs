//! Engines outside.

mod growing;
mod real;
