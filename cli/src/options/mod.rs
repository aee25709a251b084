//! Options and arguments that several commands share.

pub(crate) mod book;
pub(crate) mod destination;
pub(crate) mod engine;
pub(crate) mod games;
pub(crate) mod mapping;
pub(crate) mod memory;
pub(crate) mod moves;
pub(crate) mod picture;
pub(crate) mod rows;
pub(crate) mod server;
pub(crate) mod standard;
pub(crate) mod values;
