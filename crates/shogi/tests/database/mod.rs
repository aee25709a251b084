//! Books in SQLite.

mod games;
mod laws;
mod yaneuraou;
