//! Games: what was played in a position, and which games went through it.

mod condition;
mod id;
mod list;
mod plays;
mod through;

pub use condition::{Condition, Winner};
pub use id::{GAMES_A_YEAR, GameId};
pub use list::{Summary, list};
pub use plays::{Play, plays};
pub use through::{Passage, through};

/// Boards of at least so many games have rows in table `play_counts`.
pub const COUNTED_FROM: usize = 64;

/// The name of a table, in an attached database where one is named.
fn table(schema: Option<&str>, name: &str) -> String {
    match schema {
        Some(schema) => format!("\"{}\".{name}", schema.replace('"', "\"\"")),
        None => name.to_owned(),
    }
}
