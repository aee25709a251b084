//! What learning says of itself, on its way and at the end.

use super::lines::LineChange;
use crate::complete::Failed;
use serde::Serialize;
use std::ops::Add;

/// What became of the searches.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Totals {
    /// Answers that came.
    pub searches: u64,
    /// Positions that they added.
    pub added: u64,
    /// Leaves that they found or replaced, those of the added positions included.
    pub leaves: u64,
    /// Leaves whose scores were proven, and that another proof has given another score.
    pub corrected: u64,
    /// Searches without an answer; one that is tried again counts each time.
    pub failed: u64,
}

impl Add for Totals {
    type Output = Totals;

    fn add(self, other: Totals) -> Totals {
        Totals {
            searches: self.searches + other.searches,
            added: self.added + other.added,
            leaves: self.leaves + other.leaves,
            corrected: self.corrected + other.corrected,
            failed: self.failed + other.failed,
        }
    }
}

/// A leaf whose score was proven, and that another proof has given another score: one of the searches was wrong.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Correction {
    /// The position: 64 squares and the side to move.
    pub board: String,
    /// The score that it had, in discs for the side to move,
    pub before: i8,
    /// and the one that it has now.
    pub after: i8,
}

/// How far a run is.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Standing {
    /// The stage of the recipe that is at work, 1 for the first.
    pub stage: usize,
    /// How many there are.
    pub stages: usize,
    /// Its rule.
    pub rule: &'static str,
    /// What this run has done so far.
    #[serde(flatten)]
    pub totals: Totals,
    /// Searches that wait, of those at hand: a million at most.
    pub left: u64,
    /// Positions of the book.
    pub positions: u64,
    /// Seconds since the start of the run.
    pub seconds: f64,
    /// What the root is worth, in discs for its side to move.
    pub root: Option<i16>,
}

impl Standing {
    /// In few words.
    pub(crate) fn note(&self) -> String {
        let rate = self.totals.searches as f64 / self.seconds.max(f64::MIN_POSITIVE);
        let positions = self.positions;
        match self.root {
            Some(root) => format!("{rate:.1} a second, {positions} positions, root {root:+}"),
            None => format!("{rate:.1} a second, {positions} positions"),
        }
    }
}

/// What a stage did in this run.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct StageTotals {
    /// The stage, 1 for the first.
    pub stage: usize,
    /// Its rule.
    pub rule: &'static str,
    /// What the engine is called.
    pub engine: String,
    /// The level of the searches.
    pub level: u8,
    /// What came of it.
    #[serde(flatten)]
    pub totals: Totals,
    /// Seconds in which it was at work,
    pub seconds: f64,
    /// of which rules chose for so many,
    pub choosing: f64,
    /// and answers went into the book for so many.
    pub writing: f64,
    /// Whether its rule wants nothing more, or it has done what it was to do.
    pub done: bool,
}

/// What a run did.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Learned {
    /// The number of the change in the book's history; `None`: nothing changed.
    pub change: Option<i64>,
    /// All that it did.
    #[serde(flatten)]
    pub totals: Totals,
    /// The same by stages.
    pub stages: Vec<StageTotals>,
    /// Positions of the book, before
    pub positions_before: u64,
    /// and after.
    pub positions: u64,
    /// What the root was worth, in discs for its side to move, before
    pub root_before: Option<i16>,
    /// and after.
    pub root: Option<i16>,
    /// Lines whose value changed most.
    pub lines: Vec<LineChange>,
    /// The first of the leaves whose proven scores were found otherwise.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub corrections: Vec<Correction>,
    /// The first of those that gave no answer, with the reasons.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<Failed>,
    /// Seconds since the start.
    pub seconds: f64,
    /// What ended it before its end.
    pub stopped: Option<Stopped>,
}

/// What ended a run before all stages were done.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Stopped {
    /// The time was up.
    Time,
    /// It had searched as much as it was to.
    Limit,
    /// It was told to.
    Told,
    /// All that waits was handed out to other machines, which have it until their leases end.
    HandedOut,
}
