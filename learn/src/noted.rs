//! What was learned when: table `learned`, and the counts of the change in the history.

use super::Totals;
use super::lines::LineChange;
use rusqlite::{Connection, params};
use serde::Serialize;

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
