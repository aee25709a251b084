//! What a recomputation is to do, and what it did.

use crate::check::Group;
use crate::read::view::as_text;
use obook_graph::link::LinkReport;
use obook_graph::loops::Loops;
use obook_graph::negamax;
use obook_model::RuleSet;
use serde::Serialize;

/// What [`Steps`](super::Steps) come down to.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    pub repair: bool,
    pub link: bool,
    pub negamax: Option<negamax::Scoring>,
    pub repetition: i8,
}

/// What was found and changed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Recomputed {
    /// Positions in the book.
    pub positions: u64,
    /// Whose rules its numbers follow now.
    #[serde(serialize_with = "as_text")]
    pub rules: RuleSet,
    /// What was wrong with the rows and is mended now.
    pub repaired: Vec<Group>,
    /// Pass positions that were put in, which books by Egaroucid's rules may lack.
    pub restored: u64,
    /// What linking changed, if it was asked for.
    pub link: Option<LinkReport>,
    /// What hand-made passes made of the book.
    pub loops: Loops,
    /// Positions whose rows were written anew.
    pub changed: ChangedPositions,
    /// Positions that lack a leaf: a legal move leads out of the book, but none was searched. They stand in table
    /// `todo`.
    pub todo: u64,
}

/// Positions with other rows than before.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct ChangedPositions {
    /// With any of the following.
    pub any: u64,
    /// With another value, other bounds, counts or lines.
    pub positions: u64,
    /// With other links or link scores.
    pub links: u64,
    /// With another leaf.
    pub leaves: u64,
}
