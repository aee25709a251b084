//! What a search says of itself, on its way and at the end.

use super::Counts;
use obook_book::write::fix::ChangedPositions;
use serde::Serialize;

/// How far a run is.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Standing {
    /// What became of the positions so far.
    #[serde(flatten)]
    pub counts: Counts,
    /// Positions that are still to be searched.
    pub left: u64,
    /// Seconds since the start.
    pub seconds: f64,
    /// What the position is worth now from which the search goes down: the start position, or the end of a line.
    pub root: Option<i16>,
}

/// What a run did.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Searched {
    /// How far it came.
    #[serde(flatten)]
    pub standing: Standing,
    /// What the engine is called.
    pub engine: String,
    /// The level of the searches; where a better leaf was lost to a link, the level was higher.
    pub level: u8,
    /// Positions that were chosen.
    pub chosen: u64,
    /// The first of those that gave no answer, with the reasons.
    pub failures: Vec<Failed>,
    /// What ended it before its end.
    pub stopped: Option<Stopped>,
    /// What fixing the book changed, where it was not fixed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fixed: Option<ChangedPositions>,
    /// Seconds in which answers went into the book.
    pub writing: f64,
}

/// A position that gave no answer.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Failed {
    /// 64 squares and the side to move.
    pub board: String,
    /// Why.
    pub reason: String,
}

/// What ended a run before its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Stopped {
    /// The time was up.
    Time,
    /// It was told to.
    Told,
}

impl Standing {
    /// In few words.
    pub(crate) fn note(&self) -> String {
        let rate = self.counts.done() as f64 / self.seconds.max(f64::MIN_POSITIVE);
        match self.root {
            Some(root) => format!("{rate:.1} a second, root {root:+}"),
            None => format!("{rate:.1} a second"),
        }
    }
}
