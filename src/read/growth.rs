//! How a book grew in a run of `learn`, from its table `learned`.

use crate::{PastChange, Result, Store};
use rusqlite::Connection;
use serde::Serialize;

/// One change of the history and how the book grew with it.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[non_exhaustive]
pub struct Growth {
    /// The change with its counts. A run also records the value of the root before and after, and the lines whose values
    /// changed most.
    #[serde(flatten)]
    pub change: PastChange,
    /// The stages; empty if the change was not a run.
    pub stages: Vec<StageGrowth>,
    /// The course of the run, in small steps at first and then in about a hundredth of the time each.
    pub steps: Vec<Step>,
}

/// The work of a stage.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[non_exhaustive]
pub struct StageGrowth {
    /// The stage, 1 for the first.
    pub stage: u64,
    /// The rule.
    pub rule: String,
    /// The number of answers.
    pub searches: u64,
    /// Positions added.
    pub added: u64,
    /// Leaves found or replaced.
    pub leaves: u64,
    /// The duration in seconds.
    pub seconds: f64,
}

/// The state of a run at one moment.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
#[non_exhaustive]
pub struct Step {
    /// Seconds since the start.
    pub seconds: f64,
    /// The stage, 1 for the first.
    pub stage: u64,
    /// Answers of the stage so far.
    pub searches: u64,
    /// Positions in the book.
    pub positions: u64,
    /// The value of the root in discs, for its side to move.
    pub root: Option<i16>,
}

/// Reads the growth of a change, or returns `None` if there is no such change.
///
/// # Errors
/// Returns an error if the database can't be read.
pub fn growth(book: &Store, change: i64) -> Result<Option<Growth>> {
    let history = book.history()?;
    let Some(change) = history.into_iter().find(|it| it.id == change) else {
        return Ok(None);
    };
    Ok(Some(book.read(|it| read(it, change))?))
}

/// The number of the last change that learned something and is in effect.
///
/// # Errors
/// Returns an error if the database can't be read.
pub fn last_growth(book: &Store) -> Result<Option<i64>> {
    let sql =
        "SELECT max(id) FROM history WHERE undone IS NULL AND id IN (SELECT change FROM learned)";
    Ok(book.ask(sql, [])?)
}

fn read(connection: &Connection, change: PastChange) -> rusqlite::Result<Growth> {
    let sql = "SELECT stage, rule, seconds, searches, added, leaves, positions, root
               FROM learned WHERE change = ? ORDER BY number";
    let mut statement = connection.prepare(sql)?;
    let mut rows = statement.query([change.id])?;
    let mut stages: Vec<StageGrowth> = Vec::new();
    let mut steps = Vec::new();
    let mut begun = 0.0;
    while let Some(row) = rows.next()? {
        let number = |column: usize| -> rusqlite::Result<u64> {
            Ok(row.get::<_, i64>(column)?.max(0).cast_unsigned())
        };
        let (stage, seconds) = (number(0)? + 1, row.get(2)?);
        // A stage is as its last step left it.
        if stages.pop_if(|last| last.stage == stage).is_none() {
            begun = steps.last().map_or(0.0, |last: &Step| last.seconds);
        }
        stages.push(StageGrowth {
            stage,
            rule: row.get(1)?,
            searches: number(3)?,
            added: number(4)?,
            leaves: number(5)?,
            seconds: seconds - begun,
        });
        steps.push(Step {
            seconds,
            stage,
            searches: number(3)?,
            positions: number(6)?,
            root: row.get(7)?,
        });
    }
    Ok(Growth {
        change,
        stages,
        steps,
    })
}
