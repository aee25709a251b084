//! How far learning is.

use super::Recipe;
use super::queue::{LEASED, MOST_FAILURES};
use obook_book::{Book, Error, Result, Store};
use obook_othello::CanonicalBoard;
use rusqlite::OptionalExtension;
use serde::Serialize;
use std::path::Path;

/// So many of those that were put aside are named.
const NAMED: usize = 20;

/// How far learning is.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Status {
    /// The recipe that is at work, or was last; `None`: none ever was, or obook does not know it any more.
    pub recipe: Option<Recipe>,
    /// Its stage, 1 for the first; `None`: all are done.
    pub stage: Option<usize>,
    /// How often the rule of the stage has chosen.
    pub turns: u64,
    /// Answers since the stage began.
    pub searches: u64,
    /// Searches that wait.
    pub waiting: u64,
    /// Of these, those that a person asked for, which come first.
    pub asked: u64,
    /// Of those that wait, those that another machine has.
    pub leased: u64,
    /// Positions that lack a leaf, which are searched before the rule chooses again.
    pub lacking: u64,
    /// Searches that were put aside because they failed again and again, some of them.
    pub put_aside: Vec<PutAside>,
    /// Whether the book has changed since, so that the recipe begins with its first stage again.
    pub outdated: bool,
}

/// A search that failed again and again.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct PutAside {
    /// 64 squares and the side to move.
    pub board: String,
    /// Why it failed last.
    pub reason: String,
}

/// How far learning is, as the database at `path` says.
///
/// # Errors
/// [`Error::BookFile`], and where the book can't be read.
pub fn status(path: &Path) -> Result<Status> {
    let Book::Database(book) = Book::open(path)? else {
        return Err(Error::book_file(path, "teach"));
    };
    read(&book).map_err(Error::sqlite(path, "read"))
}

fn read(book: &Store) -> rusqlite::Result<Status> {
    let connection = book.connection();
    let count = |sql: &str| {
        let count = connection.query_row(sql, [], |row| row.get::<_, i64>(0));
        count.map(|count| count.max(0).cast_unsigned())
    };
    let sql = "SELECT recipe, stage, turn, searches,
                      change <> (SELECT ifnull(max(id), 0) FROM history WHERE undone IS NULL)
               FROM learning";
    let row = connection.query_row(sql, [], |row| {
        let number = |column: usize| -> rusqlite::Result<u64> {
            Ok(row.get::<_, i64>(column)?.max(0).cast_unsigned())
        };
        let recipe: Option<Recipe> = serde_json::from_str(&row.get::<_, String>(0)?).ok();
        Ok((
            recipe,
            number(1)? as usize,
            number(2)?,
            number(3)?,
            row.get(4)?,
        ))
    });
    let (recipe, stage, turns, searches, outdated) = row.optional()?.unwrap_or_default();
    let is_at_work = |recipe: &Recipe| stage < recipe.stages.len();
    let put_aside = format!("failures >= {MOST_FAILURES}");
    Ok(Status {
        stage: recipe
            .as_ref()
            .filter(|it| is_at_work(it))
            .map(|_| stage + 1),
        recipe,
        turns,
        searches,
        waiting: count(&format!("SELECT count(*) FROM tasks WHERE NOT {put_aside}"))?,
        asked: count(&format!(
            "SELECT count(*) FROM tasks WHERE engine IS NULL AND NOT {put_aside}"
        ))?,
        leased: count(&format!("SELECT count(*) FROM tasks WHERE {LEASED}"))?,
        lacking: count("SELECT count(*) FROM todo")?,
        put_aside: connection
            .prepare(&format!(
                "SELECT board, ifnull(reason, '') FROM tasks WHERE {put_aside} LIMIT {NAMED}"
            ))?
            .query_map([], |row| {
                let board = CanonicalBoard::from_key(row.get(0)?).ok().flatten();
                Ok(PutAside {
                    board: board.map_or_else(String::new, |it| it.board().to_text()),
                    reason: row.get(1)?,
                })
            })?
            .collect::<rusqlite::Result<_>>()?,
        outdated,
    })
}
