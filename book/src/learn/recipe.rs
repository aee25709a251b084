//! What is learned: stages, one after the other.

use super::Rule;
use serde::{Deserialize, Serialize};

/// Stages, each of which goes on until its rule wants nothing more.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recipe {
    /// The stages, one at least.
    pub stages: Vec<Stage>,
}

/// A rule, how well it searches, and when it has done enough.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stage {
    /// What is searched.
    pub rule: Rule,
    /// The level of the searches, 0 to 60 on the engine's scale; the book's, if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<u8>,
    /// So many plies is a line long at most, 1 to 60; as long as the book's, if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u8>,
    /// The name of the engine; that of the command, if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine: Option<String>,
    /// What ends the stage before its rule wants nothing more.
    #[serde(default, skip_serializing_if = "Until::is_never")]
    pub until: Until,
}

/// What ends a stage early: whichever comes first.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Until {
    /// So many answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub searches: Option<u64>,
    /// So many positions in the book.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub positions: Option<u64>,
}

impl Until {
    fn is_never(&self) -> bool {
        *self == Until::default()
    }
}
