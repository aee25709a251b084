//! Options and arguments that several commands share.

pub(crate) mod duration;
pub(crate) mod engine;
pub(crate) mod force;
pub(crate) mod games;
pub(crate) mod look;
pub(crate) mod mapping;
pub(crate) mod memory;
pub(crate) mod moves;
pub(crate) mod paging;
pub(crate) mod picture;
pub(crate) mod target;
pub(crate) mod values;
pub(crate) mod which_games;
