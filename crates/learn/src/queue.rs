//! Searches that wait: table `tasks`.

pub(crate) use crate::chosen::Want;
use crate::intake::Outcome;
use crate::rule::look_up;
use crate::search::request;
use crate::stages::level_or_own;
use crate::{Chosen, Variation};
use obook::read::why::Lead;
use obook::{Error, Result, Store};
use obook_engine::{NothingToSearch, Request};
use obook_graph::slabs::{self, Slabs};
use obook_othello::levels::MAX_LEVEL;
use obook_othello::{CanonicalBoard, Engine, Move, SquareSet};
use rusqlite::types::FromSql;
use rusqlite::{Connection, Params, Row, params};
use std::convert::Infallible;
use std::path::Path;

/// The number of failures after which a search is put aside.
pub(crate) const MOST_FAILURES: u32 = 5;

/// A search that waits.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Task {
    pub(crate) board: CanonicalBoard,
    pub(crate) want: Want,
    /// The squares that lead into the book.
    pub(crate) without: SquareSet,
    pub(crate) level: u8,
}

/// A position that lacks a leaf, with the engine and level of the one that it lost.
type Lacking = (CanonicalBoard, Option<(Engine, u8)>);

/// The greatest number of searches in memory at a time.
const MOST_AT_ONCE: u32 = 1 << 20;

/// Whether another machine has a search.
pub(crate) const LEASED: &str =
    "(leased IS NOT NULL AND leased > strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))";

/// The columns of a task.
const COLUMNS: &str = "board, kind, without, level, promised, within";

/// The table, as one connection sees it.
#[derive(Clone, Copy)]
pub(crate) struct Queue<'c> {
    pub(crate) connection: &'c Connection,
    /// The book, for errors.
    pub(crate) path: &'c Path,
}

impl Task {
    /// The search of a board at this level. The moves that lead into the book are not known yet.
    pub(crate) fn new(board: CanonicalBoard, want: Want, level: u8) -> Task {
        Task {
            board,
            want,
            without: SquareSet::default(),
            level,
        }
    }

    /// Its request, as it stands in the queue.
    pub(crate) fn request(&self) -> std::result::Result<Request, NothingToSearch> {
        let without = self.without.iter().map(Move::Place);
        request(self.board, self.level, without)
    }

    /// Whether it makes its board a position.
    pub(crate) fn expands(&self) -> bool {
        self.want != Want::Leaf
    }
}

impl<'c> Queue<'c> {
    /// The table of a book.
    pub(crate) fn of(book: &'c Store) -> Queue<'c> {
        Queue {
            connection: book.connection(),
            path: book.path(),
        }
    }

    /// Changes the table of a book, which is no change in its history.
    pub(crate) fn change<T>(
        book: &mut Store,
        change: impl FnOnce(Queue<'_>) -> Result<T>,
    ) -> Result<T> {
        let path = &book.path().to_owned();
        book.aside(|connection| change(Queue { connection, path }))
    }

    /// Writes.
    pub(crate) fn write(self, sql: &str, values: impl Params) -> Result<()> {
        let statement = self.connection.prepare_cached(sql);
        let done = statement.and_then(|mut statement| statement.execute(values));
        done.map(drop).map_err(Error::sqlite(self.path, "write"))
    }

    /// Reads a value.
    fn read<T: FromSql>(self, sql: &str, values: impl Params) -> Result<T> {
        let statement = self.connection.prepare_cached(sql);
        let value = statement.and_then(|mut it| it.query_row(values, |row| row.get(0)));
        value.map_err(Error::sqlite(self.path, "read"))
    }

    /// Reads what makes sense of some rows.
    fn read_all<T>(
        self,
        sql: &str,
        values: impl Params,
        read: impl Fn(&Row<'_>) -> rusqlite::Result<Option<T>>,
    ) -> Result<Vec<T>> {
        let rows = || -> rusqlite::Result<Vec<T>> {
            let mut statement = self.connection.prepare_cached(sql)?;
            let rows = statement.query_map(values, read)?;
            rows.filter_map(rusqlite::Result::transpose).collect()
        };
        rows().map_err(Error::sqlite(self.path, "read"))
    }

    /// Searches that can begin, up to [`MOST_AT_ONCE`]: first those that a person asked for, then those with the highest priority.
    pub(crate) fn ready(self) -> Result<Vec<Task>> {
        self.ready_where("true")
    }

    /// The same, of positions that lack a leaf.
    pub(crate) fn ready_to_complete(self) -> Result<Vec<Task>> {
        self.ready_where("EXISTS (SELECT 1 FROM todo WHERE todo.board = tasks.board)")
    }

    fn ready_where(self, condition: &str) -> Result<Vec<Task>> {
        let sql = format!(
            "SELECT {COLUMNS} FROM tasks
             WHERE without IS NOT NULL AND failures < ? AND NOT {LEASED} AND {condition}
             ORDER BY engine IS NOT NULL, priority DESC, board LIMIT ?"
        );
        self.read_all(&sql, [MOST_FAILURES, MOST_AT_ONCE], task)
    }

    /// Puts a search in, unless the board has one already. Its level is that of the choice, or else `level`, on
    /// the scale of `engine`; `None`: any engine's, because a person asks for the search.
    pub(crate) fn push(
        self,
        chosen: &Chosen,
        without: SquareSet,
        level: u8,
        engine: Option<Engine>,
    ) -> Result<()> {
        let sql =
            "INSERT INTO tasks (board, kind, without, level, engine, priority, promised, within)
                   VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING";
        let (kind, promised, within) = match chosen.want {
            Want::Leaf => ("leaf", None, None),
            Want::Position => ("position", None, None),
            Want::Variation(it) => ("variation", Some(it.promised), it.within),
        };
        let values = params![
            chosen.board.to_key(),
            kind,
            without.0.cast_signed(),
            chosen.level.unwrap_or(level),
            engine.map(Engine::number),
            chosen.priority,
            promised,
            within
        ];
        self.write(sql, values)
    }

    /// Puts in a search that a person asks for. It replaces what the board has already.
    fn ask(self, task: &Task) -> Result<()> {
        self.write("DELETE FROM tasks WHERE board = ?", [task.board.to_key()])?;
        let chosen = Chosen::new(task.board, task.want, None);
        self.push(&chosen, task.without, task.level, None)
    }

    /// Takes the variations that can continue out of the queue.
    pub(crate) fn take_waiting(self) -> Result<Vec<Task>> {
        let sql = format!("SELECT {COLUMNS} FROM tasks WHERE without IS NULL");
        let waiting = self.read_all(&sql, [], task)?;
        self.write("DELETE FROM tasks WHERE without IS NULL", [])?;
        Ok(waiting)
    }

    /// Whether variations can continue.
    pub(crate) fn has_waiting(self) -> Result<bool> {
        let sql = "SELECT EXISTS (SELECT 1 FROM tasks WHERE without IS NULL)";
        self.read(sql, [])
    }

    /// The number of missing leaves that can be searched: those that were not put aside and that no other machine has.
    pub(crate) fn count_missing(self) -> Result<u64> {
        let sql = format!(
            "SELECT count(*) FROM todo WHERE NOT EXISTS
             (SELECT 1 FROM tasks WHERE tasks.board = todo.board AND (failures >= ? OR {LEASED}))"
        );
        self.read(&sql, [MOST_FAILURES]).map(i64::cast_unsigned)
    }

    /// The number of all missing leaves.
    pub(crate) fn count_lacking(self) -> Result<u64> {
        let sql = "SELECT count(*) FROM todo";
        self.read(sql, []).map(i64::cast_unsigned)
    }

    /// Whether a position lacks its leaf.
    pub(crate) fn lacks(self, board: CanonicalBoard) -> Result<bool> {
        let sql = "SELECT EXISTS (SELECT 1 FROM todo WHERE board = ?)";
        self.read(sql, [board.to_key()])
    }

    /// The move of a position's leaf.
    pub(crate) fn leaf(self, board: CanonicalBoard) -> Result<Option<Move>> {
        let sql = "SELECT (SELECT move FROM leaves WHERE board = ?)";
        let code: Option<u8> = self.read(sql, [board.to_key()])?;
        Ok(code.and_then(Move::from_code))
    }

    /// Positions that lack a leaf and have no search in the queue.
    pub(crate) fn lacking(self) -> Result<Vec<Lacking>> {
        let sql = "SELECT board, level, engine FROM todo
                   WHERE NOT EXISTS (SELECT 1 FROM tasks WHERE tasks.board = todo.board)";
        self.read_all(sql, [], |row| {
            let key: [u8; 16] = row.get(0)?;
            let lost = engine_of(row, 2)?.zip(level_of_search(row, 1)?);
            // A damaged book may have a mirror image here, for which the queue never has a search.
            let board = board(row)?.filter(|board| board.to_key() == key);
            Ok(board.map(|board| (board, lost)))
        })
    }

    /// Whether another machine has a search.
    pub(crate) fn is_leased(self) -> Result<bool> {
        let sql = format!("SELECT EXISTS (SELECT 1 FROM tasks WHERE {LEASED})");
        self.read(&sql, [])
    }

    /// An engine with another scale for which other machines search.
    pub(crate) fn leased_by_another(self, engine: Engine) -> Result<Option<Engine>> {
        let sql =
            format!("SELECT (SELECT engine FROM tasks WHERE engine <> ? AND {LEASED} LIMIT 1)");
        let other: Option<i64> = self.read(&sql, [engine.number()])?;
        Ok(other.and_then(Engine::from_number))
    }

    /// Another machine has this search for this many seconds; `None`: it doesn't have it any more.
    pub(crate) fn lease(self, board: CanonicalBoard, seconds: Option<u64>) -> Result<()> {
        let sql = "UPDATE tasks SET leased = strftime('%Y-%m-%dT%H:%M:%SZ', 'now', ? || ' seconds')
                   WHERE board = ?";
        let seconds = seconds.map(u64::cast_signed);
        self.write(sql, params![seconds, board.to_key()])
    }

    /// The search that waits for this board, the engine of its level (`None`: any engine), and whether it was handed out and has not
    /// failed since.
    pub(crate) fn find(
        self,
        board: CanonicalBoard,
    ) -> Result<Option<(Task, Option<Engine>, bool)>> {
        let sql = format!(
            "SELECT {COLUMNS}, engine, leased IS NOT NULL FROM tasks
             WHERE board = ? AND without IS NOT NULL"
        );
        let found = self.read_all(&sql, [board.to_key()], |row| {
            let (engine, is_out) = (engine_of(row, 6)?, row.get(7)?);
            Ok(task(row)?.map(|task| (task, engine, is_out)))
        });
        Ok(found?.pop())
    }

    /// A task has this outcome.
    pub(crate) fn settle(self, task: &Task, outcome: &Outcome) -> Result<()> {
        let key = task.board.to_key();
        match (outcome, task.want) {
            (Outcome::Failed { reason, failures }, _) => {
                let sql = "UPDATE tasks SET failures = failures + ?, reason = ?, leased = NULL
                           WHERE board = ?";
                self.write(sql, params![failures, reason, key])
            }
            // A variation has come into the book as far as this board. It continues from there when all searches that can begin now
            // are done.
            (Outcome::Leaf(_), Want::Variation(_)) => {
                let sql = "UPDATE tasks SET without = NULL, leased = NULL
                           WHERE board = ? AND engine IS NOT NULL";
                self.write(sql, [key])
            }
            // A person may have asked for a deeper search meanwhile.
            (Outcome::Leaf(_) | Outcome::NotNeeded(_), _) => {
                let sql =
                    "DELETE FROM tasks WHERE board = ? AND (engine IS NOT NULL OR level <= ?)";
                self.write(sql, params![key, task.level])
            }
        }
    }

    /// Takes everything out except what a person asked for.
    pub(crate) fn clear(self) -> Result<()> {
        self.write("DELETE FROM tasks WHERE engine IS NOT NULL", [])
    }

    /// Takes out what has a level on another engine's scale.
    pub(crate) fn drop_all_but(self, engine: Engine) -> Result<()> {
        self.write("DELETE FROM tasks WHERE engine <> ?", [engine.number()])
    }

    /// Gives searches that have failed another chance.
    pub(crate) fn retry(self) -> Result<()> {
        self.write("UPDATE tasks SET failures = 0 WHERE failures > 0", [])
    }
}

/// Puts searches that a person asks for into the queue of a book, at this level or else the book's, and returns the
/// level. The next run with any recipe and engine makes them first. Other changes of the book don't remove them.
///
/// # Errors
/// Returns [`Error::NoLevel`](crate::Error::NoLevel) if no level is named. Fails if the book can't be read or
/// written.
pub fn ask(book: &mut Store, leads: &[Lead], level: Option<u8>) -> crate::Result<u8> {
    let level = level_or_own(level, &book.header()?.header)?;
    let task = |lead: &Lead| match *lead {
        Lead::Add(board) => Task::new(board, Want::Position, level),
        Lead::Search(board) => Task::new(board, Want::Leaf, level),
    };
    write(book, leads.iter().map(task).collect())?;
    Ok(level)
}

/// Brings up to date the searches that a person asked for and that no other machine has: the book may have changed since.
pub(crate) fn renew_asked(book: &mut Store) -> Result<()> {
    let sql = format!("SELECT {COLUMNS} FROM tasks WHERE engine IS NULL AND NOT {LEASED}");
    let asked = Queue::of(book).read_all(&sql, [], task)?;
    write(book, asked)
}

/// Leaves out the moves that lead into the book as it is now.
pub(crate) fn renew(book: &Store, tasks: &mut [Task]) -> Result<()> {
    for task in tasks {
        task.without = links_in(book, task.board)?;
    }
    Ok(())
}

fn write(book: &mut Store, mut asked: Vec<Task>) -> Result<()> {
    renew(book, &mut asked)?;
    Queue::change(book, |queue| {
        asked.iter().try_for_each(|task| queue.ask(task))
    })
}

/// The squares that lead from a board to positions of the book.
fn links<E>(
    board: CanonicalBoard,
    mut is_position: impl FnMut(CanonicalBoard) -> Result<bool, E>,
) -> Result<SquareSet, E> {
    let mut squares = 0;
    for (mv, child) in board.board().children() {
        if let Move::Place(square) = mv
            && is_position(child.canonical())?
        {
            squares |= square.bit();
        }
    }
    Ok(SquareSet(squares))
}

/// The same, of a book in a database.
pub(crate) fn links_in(book: &Store, board: CanonicalBoard) -> Result<SquareSet> {
    links(board, |child| Ok(book.numbers(child)?.is_some()))
}

/// The same, of each of these boards.
pub(crate) fn links_of(book: &mut Slabs, chosen: &[Chosen]) -> slabs::Result<Vec<SquareSet>> {
    let boards: Vec<CanonicalBoard> = chosen.iter().map(|chosen| chosen.board).collect();
    look_up(book, &boards, |book, board| {
        let Ok(links) = links(board, |child| {
            Ok::<_, Infallible>(book.find(child).is_some())
        });
        links
    })
}

/// A row; `None` if it makes no sense.
fn task(row: &Row<'_>) -> rusqlite::Result<Option<Task>> {
    let want = match row.get_ref(1)?.as_str()? {
        "leaf" => Some(Want::Leaf),
        "position" => Some(Want::Position),
        _ => {
            let within = small(row, 5)?;
            let variation = |promised| Want::Variation(Variation { promised, within });
            small(row, 4)?.map(variation)
        }
    };
    let without: Option<i64> = row.get(2)?;
    let without = SquareSet(without.unwrap_or_default().cast_unsigned());
    let known = board(row)?.zip(want).zip(small(row, 3)?);
    Ok(known.map(|((board, want), level)| Task {
        without,
        ..Task::new(board, want, level)
    }))
}

/// The board in the first column.
pub(crate) fn board(row: &Row<'_>) -> rusqlite::Result<Option<CanonicalBoard>> {
    Ok(CanonicalBoard::from_key(row.get(0)?).ok().flatten())
}

/// The engine in a column.
pub(crate) fn engine_of(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<Engine>> {
    let code: Option<i64> = row.get(column)?;
    Ok(code.and_then(Engine::from_number))
}

/// The level in a column; also `None` if it isn't that of a search.
pub(crate) fn level_of_search(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<u8>> {
    Ok(small(row, column)?.filter(|level| *level <= MAX_LEVEL))
}

/// The small number in a column.
pub(crate) fn small<T: TryFrom<i64>>(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<T>> {
    let number: Option<i64> = row.get(column)?;
    Ok(number.and_then(|number| number.try_into().ok()))
}
