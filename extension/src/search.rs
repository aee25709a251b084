//! `evaluate(board, level)` and `hint(board, level)`: what the engine inside says of a position.
//!
//! A search is one step of a statement, and SQLite looks at its time limit, and at what interrupts it, only between two
//! steps. So the search runs on a thread of its own, and SQLite's thread asks it now and then whether the statement may go on.

use crate::arguments::read_number;
use crate::board::Given;
use crate::column_value::ColumnValue;
use crate::problem::{Problem, Result};
use crate::table::{Rows, TableFunction, Values};
use obook_engine::{Answer, Inside, Limits, NothingToSearch, Request, SearchError, Searcher, Stop};
use rusqlite::Connection;
use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::types::ValueRef;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// The level where none is given.
const LEVEL: u8 = 10;
/// How long a search runs until SQLite is asked, and again from then on.
const PATIENCE: Duration = Duration::from_millis(20);
/// Enough of SQLite's small steps that it looks at what limits them, which it does after a thousand or so.
const MAY_GO_ON: &str =
    "WITH RECURSIVE step (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM step LIMIT 500)
     SELECT count(*) FROM step";

/// Searchers that have nothing to do: their tables are large.
static IDLE: Mutex<Vec<Inside>> = Mutex::new(Vec::new());

pub(crate) fn register(connection: &Connection) -> rusqlite::Result<()> {
    // Not innocuous: it may take hours, so a view of another's database must not call it.
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    for count in [1, 2] {
        connection.create_scalar_function("evaluate", count, flags, |context| {
            evaluate(context).map_err(|problem| problem.within("evaluate").of_function())
        })?;
    }
    crate::table::register(connection, Hint)
}

fn evaluate(context: &Context<'_>) -> Result<Option<i8>> {
    let null = (0..context.len()).any(|at| context.get_raw(at) == ValueRef::Null);
    if null {
        return Ok(None);
    }
    let level = (1..context.len()).map(|at| context.get_raw(at)).next();
    let board = Given::read(context.get_raw(0))?.board;
    let Ok(request) = Request::new(board, read_level(level)?) else {
        return Ok(Some(board.final_score()));
    };
    let answer = search(&request, || {
        // SAFETY: the connection is used on this thread alone, and dropped before the call of the function ends.
        #[allow(unsafe_code)]
        let connection = unsafe { context.get_connection()? };
        may_go_on(&connection)
    })?;
    Ok(Some(answer.score))
}

fn read_level(level: Option<ValueRef<'_>>) -> Result<u8> {
    level.map_or(Ok(LEVEL), |level| read_number(level, "a level", 0..=60))
}

/// The table `hint`.
#[derive(Clone)]
pub(crate) struct Hint;

/// A move, the answer of a search that left out those before it.
pub(crate) struct Hinted {
    /// From 1.
    rank: i64,
    answer: Answer,
}

impl TableFunction for Hint {
    const NAME: &'static str = "hint";
    const COLUMNS: &'static [&'static str] = &[
        "rank INTEGER",
        "square TEXT",
        "move INTEGER",
        "score INTEGER",
        "depth INTEGER",
        "probability INTEGER",
        "proven INTEGER",
        "nodes INTEGER",
        "line TEXT",
    ];
    const ARGUMENTS: &'static [&'static str] = &["board", "level"];
    const NOT_IN_VIEWS: bool = true;
    const ROWS: i64 = 10;
    type Row = Hinted;

    /// Each row is a search, which waits until the row is asked for.
    fn rows<'c>(
        &'c self,
        connection: &'c Connection,
        board: ValueRef<'_>,
        others: &Values,
    ) -> Result<Rows<'c, Hinted>> {
        let level = read_level(others.get(1))?;
        let mut request = Request::new(Given::read(board)?.board, level);
        let mut ranks = 1..;
        Ok(Box::new(std::iter::from_fn(move || {
            let asked = request.as_ref().ok()?.clone();
            let found = search(&asked, || may_go_on(connection));
            request = match &found {
                Ok(answer) => asked.without(answer.mv),
                Err(_) => Err(NothingToSearch::AllLeftOut),
            };
            let rank = ranks.next()?;
            Some(found.map(|answer| Hinted { rank, answer }))
        })))
    }

    fn value(row: &Hinted, column: usize) -> ColumnValue<'_> {
        let Hinted { rank, answer } = row;
        match column {
            0 => (*rank).into(),
            1 => answer.mv.into(),
            2 => answer.mv.code().into(),
            3 => answer.score.into(),
            4 => answer.depth.into(),
            5 => answer.probability.into(),
            6 => u8::from(answer.proven).into(),
            7 => answer.nodes.map(|nodes| nodes.cast_signed()).into(),
            _ => {
                let moves = answer.variation.iter().map(ToString::to_string);
                ColumnValue::Text(moves.collect::<String>().into())
            }
        }
    }
}

/// Whether SQLite lets the statement that is running go on.
fn may_go_on(connection: &Connection) -> rusqlite::Result<()> {
    let mut ask = connection.prepare(MAY_GO_ON)?;
    ask.query_row([], |_| Ok(()))
}

/// The answer of the engine inside, unless `may_go_on` refuses first.
fn search(request: &Request, may_go_on: impl Fn() -> rusqlite::Result<()>) -> Result<Answer> {
    let idle = || IDLE.lock().unwrap_or_else(PoisonError::into_inner);
    let mut engine = idle().pop().unwrap_or_default();
    let stop = Stop::default();
    let limits = Limits {
        stop: stop.clone(),
        ..Limits::default()
    };
    let request = request.clone().within(limits);
    let found = thread::scope(|scope| {
        let (ended, ends) = channel::<()>();
        let engine = &mut engine;
        let searching = scope.spawn(move || {
            let _ended = ended;
            engine.search(&request)
        });
        let mut refused = None;
        while refused.is_none() && ends.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
            refused = may_go_on().err();
        }
        if refused.is_some() {
            stop.set();
        }
        let found = searching.join();
        match refused {
            Some(error) => Err(Problem::from(error)),
            None => found
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
                .map_err(|error: SearchError| Problem::new(error)),
        }
    });
    idle().push(engine);
    found
}
