//! Games with repetitions: the solver against their definition.

mod examples;
mod games;
mod large;
mod laws;
