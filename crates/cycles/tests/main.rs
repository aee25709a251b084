//! Games with repetitions: the passes against the definition of a score.

mod examples;
mod games;
mod large;
mod laws;
mod perpetual;
