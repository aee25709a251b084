//! How far learning is: table `learning`.

use crate::Recipe;
use crate::queue::{LEASED, MOST_FAILURES, Queue, board, renew_asked};
use crate::report::{Failed, NAMED, Totals};
use obook::{Change, Error, Result, Store};
use obook_base::sqlite::all_rows;
use rusqlite::{Connection, OptionalExtension, Row, params};
use serde::Serialize;

/// The book's last change that was not undone; 0 if there is none.
const LAST_CHANGE: &str = "(SELECT ifnull(max(id), 0) FROM history WHERE undone IS NULL)";

/// The row of the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct State {
    /// The stage, 0 for the first.
    pub(crate) stage: usize,
    /// How often its rule has chosen,
    pub(crate) turn: u64,
    /// and how often since a leaf was last found.
    pub(crate) idle: u64,
    /// Answers since the stage began.
    pub(crate) searches: u64,
}

impl State {
    /// The state in which a run begins: that of the last run if the recipe is the same and nobody has changed the book since.
    /// Otherwise the first stage, with nothing in the queue except what a person asked for.
    pub(crate) fn begin(book: &mut Store, recipe: &Recipe) -> Result<State> {
        let text = serde_json::to_string(recipe).expect("a recipe is text and numbers");
        renew_asked(book)?;
        Queue::change(book, |queue| {
            let state = read(queue.connection, &text);
            let state = state.map_err(Error::sqlite(queue.path, "write"))?;
            if let Some(state) = state.filter(|state| state.stage < recipe.stages.len()) {
                queue.retry()?;
                return Ok(state);
            }
            queue.clear()?;
            let begin = format!(
                "REPLACE INTO learning (id, recipe, stage, turn, idle, searches, change)
                 VALUES (1, ?, 0, 0, 0, 0, {LAST_CHANGE})"
            );
            queue.write(&begin, [&text])?;
            Ok(State::default())
        })
    }

    /// Writes the state, perhaps as part of the change with this number.
    pub(crate) fn write(self, queue: Queue<'_>, change: Option<i64>) -> Result<()> {
        let sql = "UPDATE learning SET stage = ?, turn = ?, idle = ?, searches = ?, change = ifnull(?, change)";
        let values = params![
            self.stage as i64,
            self.turn.cast_signed(),
            self.idle.cast_signed(),
            self.searches.cast_signed(),
            change
        ];
        queue.write(sql, values)
    }
}

/// Counts answers from elsewhere as part of the change with this number, unless the row is out of date.
pub(crate) fn count_answers(update: &Change<'_>, new: Totals) -> Result<()> {
    let sql = format!(
        "UPDATE learning SET searches = searches + ?, idle = iif(?, 0, idle), change = ?
         WHERE change = {LAST_CHANGE}"
    );
    let has_changed = new.leaves + new.added > 0;
    let counts = params![new.searches.cast_signed(), has_changed, update.number()];
    Queue::of(update.store()).write(&sql, counts)
}

/// The row, if it belongs to this recipe and to the book as it is.
fn read(connection: &Connection, recipe: &str) -> rusqlite::Result<Option<State>> {
    let sql = format!(
        "SELECT stage, turn, idle, searches FROM learning
         WHERE recipe = ? AND change = {LAST_CHANGE}"
    );
    let state = connection.query_row(&sql, [recipe], |row| {
        Ok(State {
            stage: number(row, 0)? as usize,
            turn: number(row, 1)?,
            idle: number(row, 2)?,
            searches: number(row, 3)?,
        })
    });
    state.optional()
}

fn number(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    Ok(row.get::<_, i64>(column)?.max(0).cast_unsigned())
}

/// How far learning is.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Status {
    /// The last recipe; `None` if there was none, or if this obook does not know it.
    pub recipe: Option<Recipe>,
    /// The command of the last run; `None` if all answers came in files.
    pub command: Option<String>,
    /// Its stage; 1 is the first; `None`: all are done.
    pub stage: Option<usize>,
    /// How often the rule of the stage has chosen.
    pub turns: u64,
    /// Answers since the stage began.
    pub searches: u64,
    /// Searches that wait.
    pub waiting: u64,
    /// Waiting searches that a person asked for. They come first.
    pub asked: u64,
    /// Waiting searches that another machine has.
    pub leased: u64,
    /// Positions that lack a leaf. They are searched before the rule chooses again.
    pub lacking: u64,
    /// The first searches that were put aside because they failed repeatedly, with the last reasons.
    pub put_aside: Vec<Failed>,
    /// Whether the book has changed since, so that the recipe will begin with its first stage.
    pub outdated: bool,
}

/// The number of the current stage, counted from 1; `None` if all stages are done or there are none.
pub(crate) fn stage_at_work(stage: usize, stages: Option<usize>) -> Option<usize> {
    stages.filter(|stages| stage < *stages).map(|_| stage + 1)
}

/// Reads how far learning is in a book.
///
/// # Errors
/// Fails if the book can't be read.
pub fn status(book: &Store) -> Result<Status> {
    Ok(book.read(read_status)?)
}

fn read_status(connection: &Connection) -> rusqlite::Result<Status> {
    let count = |rows: &str| {
        let sql = format!("SELECT count(*) FROM {rows}");
        connection.query_row(&sql, [], |row| number(row, 0))
    };
    let sql = "SELECT recipe, stage, turn, searches,
                      (SELECT command FROM history WHERE undone IS NULL AND id <= learning.change
                       AND id IN (SELECT change FROM learned) ORDER BY id DESC LIMIT 1)
               FROM learning";
    let row = connection.query_row(sql, [], |row| {
        let recipe: Option<Recipe> = serde_json::from_str(&row.get::<_, String>(0)?).ok();
        let stages = recipe.as_ref().map(|it| it.stages.len());
        Ok(Status {
            stage: stage_at_work(number(row, 1)? as usize, stages),
            recipe,
            turns: number(row, 2)?,
            searches: number(row, 3)?,
            command: row.get(4)?,
            ..Status::default()
        })
    });
    let put_aside = format!("failures >= {MOST_FAILURES}");
    let named =
        format!("SELECT board, ifnull(reason, '') FROM tasks WHERE {put_aside} LIMIT {NAMED}");
    let failed = |row: &Row<'_>| {
        Ok(Failed {
            board: board(row)?.map_or_else(String::new, |it| it.board().to_text()),
            reason: row.get(1)?,
        })
    };
    Ok(Status {
        waiting: count(&format!("tasks WHERE NOT {put_aside}"))?,
        asked: count(&format!("tasks WHERE engine IS NULL AND NOT {put_aside}"))?,
        leased: count(&format!("tasks WHERE {LEASED}"))?,
        lacking: count("todo")?,
        put_aside: all_rows(connection, &named, [], failed)?,
        outdated: count(&format!("learning WHERE change <> {LAST_CHANGE}"))? > 0,
        ..row.optional()?.unwrap_or_default()
    })
}
