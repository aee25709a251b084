//! Engines by name or by command.

mod choose;
mod command;
mod file;
mod no_engine;

pub(crate) use choose::choose;
pub(crate) use file::EnginesFile;
pub(crate) use no_engine::NoEngine;
