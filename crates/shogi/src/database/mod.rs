#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod diff;
pub mod export;
pub mod file;
pub mod fix;
mod format;
mod functions;
pub mod games;
pub mod import;
mod position;
pub mod prune;
pub mod ratings;
mod rows;
mod schema;
pub mod stats;
pub mod verify;
pub mod view;
pub mod why;

pub use position::{Answer, Gained, Link, Position, Record, Records, Rule};
pub use schema::SHOGI;
