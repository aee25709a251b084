//! The commands, a file for each.

pub(crate) mod accuracy;
pub(crate) mod changed;
pub(crate) mod cut;
pub(crate) mod diff;
pub(crate) mod edit;
pub(crate) mod fix;
pub(crate) mod history;
pub(crate) mod info;
pub(crate) mod level;
pub(crate) mod line;
pub(crate) mod manual;
pub(crate) mod merge;
pub(crate) mod plot;
pub(crate) mod query;
pub(crate) mod restore;
pub(crate) mod shell;
pub(crate) mod show;
pub(crate) mod snapshot;
pub(crate) mod stats;
pub(crate) mod transfer;
pub(crate) mod undo;
pub(crate) mod verify;
