//! Reports that several commands share.

pub(crate) mod cut;
pub(crate) mod exported;
pub(crate) mod imported;
pub(crate) mod merged;
pub(crate) mod recomputed;
pub(crate) mod rewritten;
pub(crate) mod sampled;
pub(crate) mod table;
