//! `evaluate(board, level)` and `hint(board, level)`: searches by obook's own engine.
//!
//! A search is one step of a statement, and SQLite checks time limits and interrupts only between two steps. So the search runs
//! on a thread of its own, while SQLite's thread regularly checks whether the statement may continue.

use crate::functions::Given;
use obook_base::sql::ColumnType::{Integer, Text};
use obook_base::sql::{Arguments, Column, Problem, Result, RowsOf, Table, Value, read_number};
use obook_base::sqlite::{Database, of_function, of_sqlite, value};
use obook_base::{locked, returned};
use obook_engine::{Answer, Inside, Limits, NothingToSearch, Request, SearchError, Searcher, Stop};
use rusqlite::Connection;
use rusqlite::functions::{Context, FunctionFlags};
use std::sync::Mutex;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// The default level.
const LEVEL: u8 = 10;
/// The time between two checks.
const PATIENCE: Duration = Duration::from_millis(20);
/// A query with enough small steps to make SQLite check its limits, which it does every thousand or so.
const CHECK_LIMITS: &str =
    "WITH RECURSIVE step (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM step LIMIT 500)
     SELECT count(*) FROM step";

/// Idle searchers, kept because their tables are large.
static IDLE: Mutex<Vec<Inside>> = Mutex::new(Vec::new());

pub(crate) fn register(connection: &Connection) -> rusqlite::Result<()> {
    // Not innocuous: it may take hours, so a view in a stranger's database must not call it.
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    for count in [1, 2] {
        connection.create_scalar_function("evaluate", count, flags, |context| {
            evaluate(context).map_err(|problem| of_function(problem.within("evaluate")))
        })?;
    }
    Ok(())
}

fn evaluate(context: &Context<'_>) -> Result<Option<i8>> {
    let values = (0..context.len()).map(|at| value(context.get_raw(at)));
    let values: Vec<Value<'_>> = values.collect();
    if values.contains(&Value::Null) {
        return Ok(None);
    }
    let board = Given::read(values[0])?.board;
    let Ok(request) = Request::new(board, read_level(values.get(1).copied())?) else {
        return Ok(Some(board.final_score()));
    };
    let answer = search(&request, || {
        // SAFETY: the connection is used on this thread only, and dropped before the call ends.
        #[allow(unsafe_code)]
        let connection = unsafe { context.get_connection()? };
        may_continue(&connection)
    })?;
    Ok(Some(answer.score))
}

fn read_level(level: Option<Value<'_>>) -> Result<u8> {
    level.map_or(Ok(LEVEL), |level| read_number(level, "a level", 0..=60))
}

/// The table `hint`.
#[derive(Clone)]
pub(crate) struct Hint;

/// A move: the answer of a search without the moves before it.
pub(crate) struct Hinted {
    /// From 1.
    rank: i64,
    answer: Answer,
}

impl Table for Hint {
    const COLUMNS: &'static [Column<Hinted>] = &[
        ("rank", Integer, |row| row.rank.into()),
        ("square", Text, |row| row.answer.mv.to_string().into()),
        ("move", Integer, |row| row.answer.mv.code().into()),
        ("score", Integer, |row| row.answer.score.into()),
        ("depth", Integer, |row| row.answer.depth.into()),
        ("probability", Integer, |row| row.answer.probability.into()),
        ("proven", Integer, |row| row.answer.proven.into()),
        ("nodes", Integer, |row| {
            row.answer.nodes.map(u64::cast_signed).into()
        }),
        ("line", Text, |row| {
            let moves = row.answer.variation.iter().map(ToString::to_string);
            moves.collect::<String>().into()
        }),
    ];
    const ARGUMENTS: &'static [&'static str] = &["board", "level"];
    const NOT_IN_VIEWS: bool = true;
    const ROWS: i64 = 10;
    type Source<'s> = Database<'s>;
    type Row = Hinted;

    /// Each row is a search, run when the row is requested.
    fn rows<'s>(&'s self, database: Database<'s>, arguments: Arguments<'_>) -> RowsOf<'s, Self> {
        let level = read_level(arguments.optional(1))?;
        let mut request = Request::new(Given::read(arguments.value(0))?.board, level);
        let mut ranks = 1..;
        Ok(Box::new(std::iter::from_fn(move || {
            let asked = request.as_ref().ok()?.clone();
            let found = search(&asked, || may_continue(database.connection));
            request = match &found {
                Ok(answer) => asked.without(answer.mv),
                Err(_) => Err(NothingToSearch::AllLeftOut),
            };
            let rank = ranks.next()?;
            Some(found.map(|answer| Hinted { rank, answer }))
        })))
    }
}

/// Asks SQLite whether the running statement may continue.
fn may_continue(connection: &Connection) -> rusqlite::Result<()> {
    let mut ask = connection.prepare(CHECK_LIMITS)?;
    ask.query_row([], |_| Ok(()))
}

/// Searches with obook's own engine, unless `may_continue` refuses first.
fn search(request: &Request, may_continue: impl Fn() -> rusqlite::Result<()>) -> Result<Answer> {
    let idle = || locked(&IDLE);
    let mut engine = idle().pop().unwrap_or_default();
    let stop = Stop::default();
    let request = request.clone().within(Limits::until(&stop));
    let found = thread::scope(|scope| {
        let (ended, ends) = channel::<()>();
        let engine = &mut engine;
        let searching = scope.spawn(move || {
            let _ended = ended;
            engine.search(&request)
        });
        let mut refused = None;
        while refused.is_none() && ends.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
            refused = may_continue().err();
        }
        if refused.is_some() {
            stop.set();
        }
        let found = searching.join();
        match refused {
            Some(error) => Err(of_sqlite(error)),
            None => returned(found).map_err(|error: SearchError| Problem::new(error)),
        }
    });
    idle().push(engine);
    found
}
