//! What was learned when: table `learned`, and the counts of the change in the history.

use super::Totals;
use super::lines::LineChange;
use rusqlite::{Connection, params};
use serde::Serialize;

/// A row of the table.
pub(super) struct Noted {
    pub(super) change: i64,
    /// Of the recipe, 0 for the first.
    pub(super) stage: usize,
    pub(super) rule: &'static str,
    pub(super) seconds: f64,
    /// Of the stage.
    pub(super) totals: Totals,
    /// Of the book.
    pub(super) positions: u64,
    pub(super) root: Option<i16>,
}

impl Noted {
    pub(super) fn write(&self, connection: &Connection) -> rusqlite::Result<()> {
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
pub(super) struct Counts<'a> {
    #[serde(flatten)]
    pub(super) totals: Totals,
    pub(super) root_before: Option<i16>,
    pub(super) root: Option<i16>,
    pub(super) seconds: f64,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub(super) lines: &'a [LineChange],
}
