//! What a run says of itself: on its way, at the end, in the history and in table `learned`.

use obook_book::{Result, Store};
use obook_othello::{Board, CanonicalBoard, Line};
use rusqlite::{Connection, params};
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::{HashSet, VecDeque};
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

/// A search without an answer.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Failed {
    /// The position: 64 squares and the side to move.
    pub board: String,
    /// Why.
    pub reason: String,
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

/// A row of the table.
pub(crate) struct Noted {
    pub(crate) change: i64,
    /// Of the recipe, 0 for the first.
    pub(crate) stage: usize,
    pub(crate) rule: &'static str,
    pub(crate) seconds: f64,
    /// Of the stage.
    pub(crate) totals: Totals,
    /// Of the book.
    pub(crate) positions: u64,
    pub(crate) root: Option<i16>,
}

impl Noted {
    pub(crate) fn write(&self, connection: &Connection) -> rusqlite::Result<()> {
        let sql = "INSERT INTO learned (change, number, stage, rule, seconds, searches, added, leaves, positions, root)
                   VALUES (?1, (SELECT ifnull(max(number), 0) + 1 FROM learned WHERE change = ?1), ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
        let Totals {
            searches,
            added,
            leaves,
            ..
        } = self.totals;
        connection
            .prepare_cached(sql)?
            .execute(params![
                self.change,
                self.stage as i64,
                self.rule,
                self.seconds,
                searches.cast_signed(),
                added.cast_signed(),
                leaves.cast_signed(),
                self.positions.cast_signed(),
                self.root
            ])
            .map(drop)
    }
}

/// What the history says of a run.
#[derive(Serialize)]
pub(crate) struct Counts<'a> {
    #[serde(flatten)]
    pub(crate) totals: Totals,
    pub(crate) root_before: Option<i16>,
    pub(crate) root: Option<i16>,
    pub(crate) seconds: f64,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub(crate) lines: &'a [LineChange],
}

/// So many lines are looked at, the shortest first, no two to the same position.
const WATCHED: usize = 1000;
/// Of which so many are named.
const LINES: usize = 10;

/// A line whose value changed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct LineChange {
    /// The moves.
    pub line: String,
    /// What the last of them was worth to who makes it, in discs.
    pub before: i16,
    /// What it is worth now.
    pub after: i16,
}

/// What moves of short lines are worth to who makes them.
pub(crate) struct Watched(Vec<(Line, CanonicalBoard, i16)>);

impl Watched {
    /// As the book has them now.
    pub(crate) fn of(book: &Store) -> Result<Watched> {
        let mut seen = HashSet::from([Board::START.canonical()]);
        let mut waiting = VecDeque::from([Line::default()]);
        let mut found = Vec::new();
        while let Some(line) = waiting.pop_front() {
            for (mv, child) in line.board().children() {
                let board = child.canonical();
                if !seen.insert(board) {
                    continue;
                }
                let Some(position) = book.numbers(board)? else {
                    continue;
                };
                let mut longer = line.clone();
                if longer.push(mv).is_err() {
                    continue;
                }
                if let Some(value) = position.value {
                    found.push((longer.clone(), board, -value));
                }
                waiting.push_back(longer);
            }
            if found.len() >= WATCHED {
                break;
            }
        }
        Ok(Watched(found))
    }

    /// Those whose value changed most, the shorter of those that changed alike first.
    pub(crate) fn changed(self, book: &Store) -> Result<Vec<LineChange>> {
        let mut changed = Vec::new();
        for (line, board, before) in self.0 {
            let after = book.numbers(board)?.and_then(|position| position.value);
            if let Some(after) = after.map(|value| -value).filter(|after| *after != before) {
                changed.push(LineChange {
                    line: line.to_string(),
                    before,
                    after,
                });
            }
        }
        let by = |it: &LineChange| it.before.abs_diff(it.after);
        changed.sort_by_key(|it| Reverse(by(it)));
        changed.truncate(LINES);
        Ok(changed)
    }
}
