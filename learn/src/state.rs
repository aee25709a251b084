//! How far a recipe is: table `learning`.

use super::Recipe;
use super::ask::renew_asked;
use super::queue::Queue;
use super::report::Totals;
use obook_book::{Error, Result, Store, Change};
use rusqlite::{Connection, OptionalExtension, params};

/// The row.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct State {
    /// The stage, 0 for the first.
    pub(crate) stage: usize,
    /// How often its rule has chosen,
    pub(crate) turn: u64,
    /// and how often since a leaf was found.
    pub(crate) idle: u64,
    /// Answers since the stage began.
    pub(crate) searches: u64,
}

impl State {
    /// Where a run begins: where the last one ended, if it was the same recipe and nobody has changed the book since; else with
    /// the first stage, and nothing that waits but what a person asked for.
    pub(crate) fn begin(book: &mut Store, recipe: &Recipe) -> Result<State> {
        let text = serde_json::to_string(recipe).expect("a recipe is text and numbers");
        let path = book.path().to_owned();
        let failed = || Error::sqlite(&path, "write");
        renew_asked(book)?;
        book.aside(|connection| {
            let state = read(connection, &text).map_err(failed())?;
            if let Some(state) = state.filter(|state| state.stage < recipe.stages.len()) {
                Queue(connection).retry().map_err(failed())?;
                return Ok(state);
            }
            Queue(connection).clear().map_err(failed())?;
            let begin = "REPLACE INTO learning (id, recipe, stage, turn, idle, searches, change)
                         VALUES (1, ?, 0, 0, 0, 0, ?)";
            let change = last_change(connection).map_err(failed())?;
            let begun = connection.execute(begin, params![text, change]);
            begun.map_err(failed())?;
            Ok(State::default())
        })
    }

    /// Writes it; the book is as it was.
    pub(crate) fn write(self, connection: &Connection) -> rusqlite::Result<()> {
        let sql = "UPDATE learning SET stage = ?, turn = ?, idle = ?, searches = ?";
        let State {
            stage,
            turn,
            idle,
            searches,
        } = self;
        connection
            .prepare_cached(sql)?
            .execute(params![
                stage as i64,
                turn.cast_signed(),
                idle.cast_signed(),
                searches.cast_signed()
            ])
            .map(drop)
    }

    /// Writes it as part of the change with this number.
    pub(crate) fn write_in(self, update: &Change<'_>, change: i64) -> rusqlite::Result<()> {
        self.write(update.connection())?;
        let sql = "UPDATE learning SET change = ?";
        let mut statement = update.connection().prepare_cached(sql)?;
        statement.execute([change]).map(drop)
    }
}

/// Answers came from elsewhere, as part of the change with this number; a row that is about an older book stays so.
pub(crate) fn count_answers(update: &Change<'_>, new: Totals, change: i64) -> rusqlite::Result<()> {
    let connection = update.connection();
    let sql = "UPDATE learning SET searches = searches + ?, idle = iif(?, 0, idle), change = ?
               WHERE change = ?";
    let last = last_change(connection)?;
    let has_changed = new.leaves + new.added > 0;
    let counts = params![new.searches.cast_signed(), has_changed, change, last];
    connection.prepare_cached(sql)?.execute(counts).map(drop)
}

/// The row, if it is about this recipe and the book as it is.
fn read(connection: &Connection, recipe: &str) -> rusqlite::Result<Option<State>> {
    let change = last_change(connection)?;
    let sql = "SELECT stage, turn, idle, searches FROM learning WHERE recipe = ? AND change = ?";
    let state = connection.query_row(sql, params![recipe, change], |row| {
        let number = |column: usize| -> rusqlite::Result<u64> {
            Ok(row.get::<_, i64>(column)?.max(0).cast_unsigned())
        };
        Ok(State {
            stage: number(0)? as usize,
            turn: number(1)?,
            idle: number(2)?,
            searches: number(3)?,
        })
    });
    state.optional()
}

/// The book's last change that holds; 0 where there is none.
fn last_change(connection: &Connection) -> rusqlite::Result<i64> {
    let sql = "SELECT ifnull(max(id), 0) FROM history WHERE undone IS NULL";
    connection.query_row(sql, [], |row| row.get(0))
}
