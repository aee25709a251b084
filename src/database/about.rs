//! The small tables: the book's settings, its sources, positions that need a search, and accuracy grades.

use super::{Change, Store, engines};
use crate::{Error, Result, SCHEMA_VERSION};
use obook_base::sql::Answer;
use obook_base::sqlite::{BulkInsert, all_rows};
use obook_converters::{BookReader, Date, Header};
use obook_graph::accuracy::Grade;
use obook_graph::negamax;
use obook_othello::{CanonicalBoard, Engine, Lost, Move, Position, RuleSet};
use rusqlite::{Connection, OptionalExtension, Row};

/// The settings of a book, in a database or in a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BookHeader {
    /// The rules that its numbers follow.
    pub rules: RuleSet,
    /// The format of the first imported file.
    pub format: Option<String>,
    /// That file's header. A database doesn't store its count.
    pub header: Header,
}

impl BookHeader {
    /// The settings of a book that wasn't imported.
    #[must_use]
    pub fn new(rules: RuleSet) -> BookHeader {
        BookHeader {
            rules,
            format: None,
            header: Header::default(),
        }
    }

    /// The rules for computing its numbers, with its allowed errors (Edax's defaults if it has none).
    #[must_use]
    #[doc(hidden)]
    pub fn negamax_rules(&self) -> negamax::Scoring {
        negamax::Scoring::of(self.rules, &self.header)
    }

    /// The settings in a book file.
    #[must_use]
    pub fn of(reader: &BookReader) -> BookHeader {
        let format = reader.format();
        BookHeader {
            rules: format.rules(),
            format: Some(format.name().to_owned()),
            header: reader.header().clone(),
        }
    }

    /// Writes these columns of table `book`. Other columns stay, except for `fixed` if it may be wrong by the new rules.
    pub(super) fn write(&self, connection: &Connection) -> rusqlite::Result<()> {
        let header = &self.header;
        let sql = "INSERT INTO book (id, schema_version, rules, level, depth, midgame_error, endcut_error, verbosity,
                                     format, version, release, written)
                   VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                   ON CONFLICT (id) DO UPDATE SET
                      fixed = iif((rules, midgame_error, endcut_error) IS
                                  (excluded.rules, excluded.midgame_error, excluded.endcut_error), fixed, NULL),
                      schema_version = excluded.schema_version, rules = excluded.rules, level = excluded.level,
                      depth = excluded.depth, midgame_error = excluded.midgame_error,
                      endcut_error = excluded.endcut_error, verbosity = excluded.verbosity, format = excluded.format,
                      version = excluded.version, release = excluded.release, written = excluded.written";
        let row = (
            SCHEMA_VERSION,
            self.rules.name(),
            header.level,
            header.depth(),
            header.midgame_error,
            header.endcut_error,
            header.verbosity,
            &self.format,
            header.version,
            header.release,
            header.date.map(|date| date.to_string()),
        );
        connection.execute(sql, row).map(drop)
    }

    /// The settings of a book, in the transaction that a store may have begun.
    pub(crate) fn read(store: &obook_store::Store) -> Result<BookHeader> {
        let (mut book, written) = store.connection()
            .query_row(
                "SELECT rules, level, depth, midgame_error, endcut_error, verbosity, format, version, release, written
                 FROM book",
                [],
                |row| {
                    let depth: Option<i32> = row.get(2)?;
                    let header = Header {
                        version: row.get(7)?,
                        release: row.get(8)?,
                        date: None,
                        level: row.get(1)?,
                        n_empties: depth.and_then(|depth| 61i32.checked_sub(depth)),
                        midgame_error: row.get(3)?,
                        endcut_error: row.get(4)?,
                        verbosity: row.get(5)?,
                        count: None,
                    };
                    // The schema allows only names of rule sets.
                    let rules = RuleSet::from_name(row.get_ref(0)?.as_str()?).unwrap_or(RuleSet::Edax);
                    let format = row.get(6)?;
                    let written: Option<String> = row.get(9)?;
                    Ok((BookHeader { rules, format, header }, written))
                },
            )
            .optional()
            .map_err(store.failed("read"))?
            .ok_or_else(|| {
                let problem = format!(
                    "table book has no row: add it with the rules of the book's numbers, such as \
                     INSERT INTO book (id, schema_version, rules) VALUES (1, {SCHEMA_VERSION}, 'edax')"
                );
                Error::unfit(store.path(), problem)
            })?;
        if let Some(text) = written {
            book.header.date = Some(parse_date(&text).ok_or_else(|| {
                let expected = "expected a date such as 2026-02-28 12:34:56";
                let problem = format!("table book, column written: {expected}, found “{text}”");
                Error::unfit(store.path(), problem)
            })?);
        }
        Ok(book)
    }
}

/// The local time, or `None` if SQLite can't tell.
pub(crate) fn local_time() -> Option<Date> {
    let now = "SELECT datetime('now', 'localtime')";
    let connection = Connection::open_in_memory().ok()?;
    let text: Option<String> = connection.query_row(now, [], |row| row.get(0)).ok()?;
    parse_date(&text?)
}

/// The inverse of [`Date`]'s `Display`.
fn parse_date(text: &str) -> Option<Date> {
    let (day, time) = text.split_once(' ')?;
    let mut day = day.split('-');
    let mut time = time.split(':');
    Some(Date {
        year: day.next()?.parse().ok()?,
        month: day.next()?.parse().ok()?,
        day: day.next()?.parse().ok()?,
        hour: time.next()?.parse().ok()?,
        minute: time.next()?.parse().ok()?,
        second: time.next()?.parse().ok()?,
    })
}

/// An imported file.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize)]
#[non_exhaustive]
pub struct Source {
    /// Its name when it was imported.
    pub name: String,
    /// `edax`, `egbk3`, … or `obook`.
    pub format: String,
    /// SHA-256 of its bytes, in hexadecimal.
    pub sha256: String,
    /// Positions in it, duplicates counted once.
    pub positions: u64,
    /// Links in it: none if its format has none. For the file that a database was made from: links found between its
    /// positions.
    pub links: u64,
    /// Leaves with a move.
    pub leaves: u64,
    /// Boards that were repeated.
    pub duplicates: u64,
}

impl Source {
    /// Adds it, in place of an earlier import of the same file.
    pub(super) fn insert(&self, connection: &Connection) -> rusqlite::Result<()> {
        let sql = "INSERT INTO sources (name, format, sha256, positions, links, leaves, duplicates, imported, current)
                   VALUES (?, ?, ?, ?, ?, ?, ?, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'), 1)
                   ON CONFLICT (sha256) DO UPDATE SET
                       name = excluded.name, format = excluded.format, positions = excluded.positions,
                       links = excluded.links, leaves = excluded.leaves, duplicates = excluded.duplicates,
                       imported = excluded.imported, current = 1";
        let row = (
            &self.name,
            &self.format,
            &self.sha256,
            self.positions.cast_signed(),
            self.links.cast_signed(),
            self.leaves.cast_signed(),
            self.duplicates.cast_signed(),
        );
        connection.execute(sql, row).map(drop)
    }
}

fn source(row: &Row<'_>) -> rusqlite::Result<Source> {
    let count = |column: usize| row.get::<_, i64>(column).map(i64::cast_unsigned);
    Ok(Source {
        name: row.get(0)?,
        format: row.get(1)?,
        sha256: row.get(2)?,
        positions: count(3)?,
        links: count(4)?,
        leaves: count(5)?,
        duplicates: count(6)?,
    })
}

impl Store {
    /// The settings of the book.
    ///
    /// # Errors
    /// Returns [`StoreError::Sqlite`](crate::StoreError::Sqlite) if they can't be read or are missing, and [`StoreError::Unfit`](crate::StoreError::Unfit) if they make no sense.
    pub fn header(&self) -> Result<BookHeader> {
        BookHeader::read(self)
    }

    /// The file with this SHA-256, if it was imported before and nothing was cut or edited since: importing it again would
    /// change nothing.
    ///
    /// # Errors
    /// Returns [`StoreError::Sqlite`](crate::StoreError::Sqlite) if the database can't be read.
    pub fn source(&self, sha256: &str) -> Result<Option<Source>> {
        let sql = "SELECT name, format, sha256, positions, links, leaves, duplicates FROM sources
                   WHERE sha256 = ? AND current = 1";
        Ok(self.read(|it| it.query_row(sql, [sha256], source).optional())?)
    }

    /// The value of a repetition for the side that makes it, in discs from −64 to 64, when the numbers were last computed.
    ///
    /// # Errors
    /// Returns [`StoreError::Sqlite`](crate::StoreError::Sqlite) if it can't be read, and [`Error::BadRepetition`] if it makes no sense.
    pub fn repetition(&self) -> Result<i8> {
        let sql = "SELECT ifnull(max(repetition), 0) FROM book";
        let found: i64 = self.ask(sql, [])?;
        let worth = i8::try_from(found).ok();
        let worth = worth.filter(|it| (-64..=64).contains(it));
        worth.ok_or_else(|| {
            let path = self.path().to_owned();
            Error::BadRepetition { path, found }
        })
    }
}

/// A position that needs a leaf: a row of table `todo`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Missing {
    /// The position.
    pub board: CanonicalBoard,
    /// The leaf that it had until its move became a link, if it had one: the new search must not be weaker.
    pub lost: Option<Lost>,
}

/// Writes the empty list of positions that need a leaf, each with the leaf that it lost.
pub(super) fn fill_todo(connection: &Connection, missing: &[Missing]) -> rusqlite::Result<()> {
    let mut table = BulkInsert::new(connection, "todo", &TODO)?;
    for it in missing {
        table.push(row(connection, *it)?)?;
    }
    table.finish()
}

const TODO: [&str; 6] = ["board", "reason", "move", "score", "level", "engine"];

/// A row of table `todo`. Its engine gets its name.
fn row(connection: &Connection, missing: Missing) -> rusqlite::Result<[Answer<'static>; 6]> {
    let Missing { board, lost } = missing;
    if let Some(lost) = lost {
        engines::name(connection, lost.engine)?;
    }
    Ok([
        board.to_key().into(),
        Answer::from("leaf"),
        lost.map(|lost| lost.mv.code()).into(),
        lost.map(|lost| lost.score).into(),
        lost.and_then(|lost| lost.level).into(),
        lost.map(|lost| lost.engine.number()).into(),
    ])
}

impl Change<'_> {
    /// Replaces the list of positions that need a leaf by these, which must be in key order. Writes only if that changes
    /// anything. Keeps the lost leaf of a position if none is given.
    ///
    /// # Errors
    /// Returns [`StoreError::Sqlite`](crate::StoreError::Sqlite) if the database can't be written.
    pub fn replace_todo(&self, missing: &[Missing]) -> Result<()> {
        if self.has_todo(missing).map_err(self.failed())? {
            return Ok(());
        }
        self.log_whole(&["todo"])?;
        let write = || {
            let mut missing = missing.to_vec();
            for it in missing.iter_mut().filter(|it| it.lost.is_none()) {
                it.lost = lost_leaf(self.connection(), it.board)?;
            }
            self.connection().execute_batch("DELETE FROM todo")?;
            fill_todo(self.connection(), &missing)
        };
        Ok(write().map_err(self.failed())?)
    }

    /// Adds a position to those that need a leaf. Keeps its lost leaf if none is given.
    ///
    /// # Errors
    /// Returns [`StoreError::Sqlite`](crate::StoreError::Sqlite) if the database can't be written.
    pub fn put_todo(&self, missing: Missing) -> Result<()> {
        let sql = "INSERT INTO todo (board, reason, move, score, level, engine) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
             ON CONFLICT DO UPDATE SET move = ?3, score = ?4, level = ?5, engine = ?6 WHERE ?3 IS NOT NULL";
        let row = row(self.connection(), missing).map_err(self.failed())?;
        Ok(self.set(sql, row)?)
    }

    /// Removes a position from those that need a leaf.
    ///
    /// # Errors
    /// Returns [`StoreError::Sqlite`](crate::StoreError::Sqlite) if the database can't be written.
    pub fn remove_todo(&self, board: CanonicalBoard) -> Result<()> {
        Ok(self.set("DELETE FROM todo WHERE board = ?", [board.to_key()])?)
    }

    /// Replaces all accuracy grades by these, which must be in key order.
    ///
    /// # Errors
    /// Returns [`StoreError::Sqlite`](crate::StoreError::Sqlite) if the database can't be written, or the first error of `grades`.
    #[doc(hidden)]
    pub fn replace_grades(
        &self,
        grades: impl Iterator<Item = Result<(CanonicalBoard, Grade)>>,
    ) -> Result<()> {
        let failed = || self.failed();
        self.log_whole(&["accuracy"])?;
        self.set("DELETE FROM accuracy", [])?;
        let table = BulkInsert::new(self.connection(), "accuracy", &["board", "grade"]);
        let mut table = table.map_err(failed())?;
        for graded in grades {
            let (board, grade) = graded?;
            let row = [board.to_key().into(), Answer::from(grade.name())];
            table.push(row).map_err(failed())?;
        }
        Ok(table.finish().map_err(failed())?)
    }

    /// Whether the table has exactly these rows.
    fn has_todo(&self, missing: &[Missing]) -> rusqlite::Result<bool> {
        let mut statement = self.connection().prepare(ALL_TODO)?;
        let mut rows = statement.query_map([], todo)?;
        for it in missing {
            let row = rows.next().transpose()?.flatten();
            let row = row.filter(|row| row.board == it.board);
            if row.is_none_or(|row| it.lost.is_some() && it.lost != row.lost) {
                return Ok(false);
            }
        }
        Ok(rows.next().transpose()?.is_none())
    }
}

impl Store {
    /// The positions that need a leaf, in key order. Rows with impossible boards are left out.
    ///
    /// # Errors
    /// Returns [`StoreError::Sqlite`](crate::StoreError::Sqlite) if the database can't be read.
    pub fn todo(&self) -> Result<Vec<Missing>> {
        let rows: Vec<Option<Missing>> = self.read(|it| all_rows(it, ALL_TODO, [], todo))?;
        Ok(rows.into_iter().flatten().collect())
    }

    /// The leaf that a position lost because its move became a link, if it has no other yet.
    ///
    /// # Errors
    /// Returns [`StoreError::Sqlite`](crate::StoreError::Sqlite) if the database can't be read.
    pub fn lost_leaf(&self, board: CanonicalBoard) -> Result<Option<Lost>> {
        Ok(self.read(|it| lost_leaf(it, board))?)
    }

    /// A position of the book, with the search of the leaf that it lost, if it has no other.
    pub(crate) fn with_lost(&self, position: Position) -> Result<(Position, Option<Lost>)> {
        let lost = match position.leaf {
            Some(_) => None,
            None => self.lost_leaf(position.board)?,
        };
        Ok((position, lost))
    }
}

/// The positions that need a leaf, in key order.
const ALL_TODO: &str =
    "SELECT move, score, level, engine, board FROM todo WHERE reason = 'leaf' ORDER BY board";

/// Reads such a row; `None` if its board is impossible.
fn todo(row: &Row<'_>) -> rusqlite::Result<Option<Missing>> {
    let key = row.get_ref(4)?.as_bytes()?.try_into().ok();
    let board = key.and_then(|key| CanonicalBoard::from_key(key).ok()?);
    let found = board.map(|board| lost(row).map(|lost| Missing { board, lost }));
    found.transpose()
}

fn lost_leaf(connection: &Connection, board: CanonicalBoard) -> rusqlite::Result<Option<Lost>> {
    let sql = "SELECT move, score, level, engine FROM todo WHERE board = ?";
    let mut select = connection.prepare_cached(sql)?;
    let lost = select.query_row([board.to_key()], lost).optional()?;
    Ok(lost.flatten())
}

/// Reads the columns `move`, `score`, `level` and `engine`; values that make no sense are ignored.
fn lost(row: &Row<'_>) -> rusqlite::Result<Option<Lost>> {
    fn small<T: TryFrom<i64>>(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<T>> {
        let number: Option<i64> = row.get(column)?;
        Ok(number.and_then(|number| number.try_into().ok()))
    }
    let mv = small(row, 0)?.and_then(Move::from_code);
    let (score, level) = (small(row, 1)?, small(row, 2)?);
    let engine = row.get::<_, Option<i64>>(3)?.and_then(Engine::from_number);
    let found = mv.zip(score).zip(engine);
    Ok(found.map(|((mv, score), engine)| Lost {
        mv,
        score,
        level,
        engine,
    }))
}
