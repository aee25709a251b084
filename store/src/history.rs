//! What was done to a book: table `history`.

use super::Store;
use crate::{Error, Result};
use rusqlite::{Connection, OptionalExtension, Row, params};
use serde::Serialize;
use serde_json::Value;
use std::path::Path;

/// What a change says about itself in the book's history: the command that made it, and what came of it.
///
/// ```
/// use obook_store::Entry;
/// use std::collections::BTreeMap;
///
/// let entry = Entry::new("obook fix 'my book.obook'").counts(&BTreeMap::from([("positions", 12)]));
/// assert_eq!(entry.command(), "obook fix 'my book.obook'");
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    command: String,
    counts: Value,
}

impl Entry {
    /// A change by this command, in the words of the program that makes it.
    #[must_use]
    pub fn new(command: impl Into<String>) -> Entry {
        Entry {
            command: command.into(),
            counts: Value::Object(serde_json::Map::new()),
        }
    }

    /// The main numbers of the command's report, an object.
    ///
    /// # Panics
    /// Where `counts` is nothing that JSON can hold.
    #[must_use]
    pub fn counts(self, counts: &impl Serialize) -> Entry {
        let counts = serde_json::to_value(counts).expect("counts are numbers with names");
        Entry { counts, ..self }
    }

    /// The command.
    #[must_use]
    pub fn command(&self) -> &str {
        &self.command
    }
}

/// What there is to undo a change with, or to make it again once it was taken back.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LogState {
    /// Table `undo` has what stood in the rows before, or, of a change that was taken back, after it.
    Kept,
    /// It was there.
    Dropped,
    /// It never was: the command made the file, or dropped or altered a table.
    None,
}

impl LogState {
    /// As the database spells it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            LogState::Kept => "kept",
            LogState::Dropped => "dropped",
            LogState::None => "none",
        }
    }
}

/// A change in a book's history.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct PastChange {
    /// 1, 2, … in the order of the changes.
    pub id: i64,
    /// The command that made it, as a person types it.
    pub command: String,
    /// When: `YYYY-MM-DDThh:mm:ssZ`.
    pub time: String,
    /// What it did.
    pub counts: Value,
    /// When it was taken back, if it was.
    pub undone: Option<String>,
    /// Whether it can be, or, once it was, whether it can be made again.
    pub log: LogState,
    /// How much room its log takes in the database.
    pub log_bytes: u64,
}

const CHANGE: &str = "SELECT id, command, time, counts, undone, log,
                             (SELECT sum(length(data)) FROM undo WHERE change = id) FROM history";

fn change(row: &Row<'_>) -> rusqlite::Result<PastChange> {
    let counts: String = row.get(3)?;
    let log: String = row.get(5)?;
    Ok(PastChange {
        id: row.get(0)?,
        command: row.get(1)?,
        time: row.get(2)?,
        // The schema allows nothing but JSON.
        counts: serde_json::from_str(&counts).unwrap_or_default(),
        undone: row.get(4)?,
        log: match &*log {
            "kept" => LogState::Kept,
            "dropped" => LogState::Dropped,
            _ => LogState::None,
        },
        log_bytes: row.get::<_, Option<i64>>(6)?.unwrap_or(0).cast_unsigned(),
    })
}

/// So many changes can be undone at most.
const LONGEST: u32 = 100;
/// Logs may take up so many bytes together, however small the book is; more in a book of more than three times the size.
const ROOM: i64 = 1 << 24;

impl Store {
    /// All changes, the first one first.
    ///
    /// # Errors
    /// [`Error::Sqlite`].
    pub fn history(&self) -> Result<Vec<PastChange>> {
        let read = || {
            self.connection
                .prepare(&format!("{CHANGE} ORDER BY id"))?
                .query_map([], change)?
                .collect::<rusqlite::Result<_>>()
        };
        read().map_err(self.failed("read"))
    }

    /// Keeps what it takes to undo the last `changes` changes and to make as many again that were taken back, and drops what
    /// others would need. The room in the file is used again by later changes. The database must be open for writing.
    ///
    /// # Errors
    /// [`Error::Sqlite`].
    pub fn keep_logs(&mut self, changes: u32) -> Result<()> {
        let path = self.path.clone();
        let failed = || Error::sqlite(&path, "write");
        let transaction = self.begin()?;
        keep(&transaction, changes).map_err(failed())?;
        transaction.commit().map_err(failed())
    }
}

impl Store {
    /// Says anew what a change did. The database must be open for writing.
    pub fn renew_counts(&mut self, change: i64, counts: &impl Serialize) -> Result<()> {
        let entry = Entry::new("").counts(counts);
        let path = self.path.clone();
        self.aside(|connection| {
            let sql = "UPDATE history SET counts = ? WHERE id = ?";
            let renewed = connection.execute(sql, params![entry.counts.to_string(), change]);
            renewed.map(drop).map_err(Error::sqlite(&path, "write"))
        })
    }
}

impl Entry {
    /// Writes it; `log` says what there is to undo it with. What was taken back before can't be made again from now on.
    /// Returns its number.
    pub(crate) fn insert(&self, connection: &Connection, log: LogState) -> rusqlite::Result<i64> {
        drop_logs(connection, "undone IS NOT NULL AND id > ?", 0)?;
        connection.query_row(
            "INSERT INTO history (command, time, counts, log)
             VALUES (?, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'), ?, ?) RETURNING id",
            params![self.command, self.counts.to_string(), log.name()],
            |row| row.get(0),
        )
    }

    /// Goes on with the change of this number where it is the last one and holds, with these counts; else begins a new one.
    /// Returns its number.
    pub(crate) fn insert_or_renew(
        &self,
        connection: &Connection,
        goes_on: Option<i64>,
    ) -> rusqlite::Result<i64> {
        let renewed = connection.execute(
            "UPDATE history SET counts = ?
             WHERE id = ? AND undone IS NULL AND log = 'kept' AND id = (SELECT max(id) FROM history)",
            params![self.counts.to_string(), goes_on],
        )?;
        match goes_on {
            Some(id) if renewed == 1 => Ok(id),
            _ => self.insert(connection, LogState::Kept),
        }
    }
}

/// The last change that holds, where it can be taken back.
pub(crate) fn last(connection: &Connection, path: &Path) -> Result<PastChange> {
    let sql = format!("{CHANGE} WHERE undone IS NULL ORDER BY id DESC LIMIT 1");
    let found = connection.query_row(&sql, [], change).optional();
    let Some(change) = found.map_err(Error::sqlite(path, "read"))? else {
        let problem = "its history has no change that could be taken back";
        return Err(Error::unfit(path, problem));
    };
    let why = match change.log {
        LogState::Kept => return Ok(change),
        LogState::Dropped => "its log was dropped to save room",
        LogState::None => {
            "it made the file, or dropped or altered a table, and there is no log of that"
        }
    };
    let (id, command) = (change.id, change.command);
    Err(Error::unfit(
        path,
        format!("change {id}, “{command}”, can't be taken back: {why}"),
    ))
}

/// The change that was taken back last, where it can be made again.
pub(crate) fn next(connection: &Connection, path: &Path) -> Result<PastChange> {
    let failed = || Error::sqlite(path, "read");
    let sql = "SELECT id, command FROM history WHERE undone IS NULL ORDER BY id DESC LIMIT 1";
    let holds = connection.query_row(sql, [], |row| Ok((row.get(0)?, row.get(1)?)));
    let holds: Option<(i64, String)> = holds.optional().map_err(failed())?;
    let since = holds.as_ref().map_or(0, |(id, _)| *id);
    // Taking back goes from the newest on, so the oldest was the last.
    let sql = format!(
        "{CHANGE} WHERE undone IS NOT NULL AND log = 'kept' AND id > ? ORDER BY id LIMIT 1"
    );
    let found = connection.query_row(&sql, [since], change).optional();
    if let Some(change) = found.map_err(failed())? {
        return Ok(change);
    }
    let sql = "SELECT max(id) FROM history WHERE undone IS NOT NULL";
    let undone: Option<i64> = connection
        .query_row(sql, [], |row| row.get(0))
        .map_err(failed())?;
    let lost = "what was taken back can't be made again";
    let problem = match (undone, holds) {
        (None, _) => String::from("no change of its history was taken back"),
        (Some(undone), Some((id, command))) if undone < id => {
            format!("{lost}: change {id}, “{command}”, was made since")
        }
        _ => format!("{lost}: its log was dropped to save room"),
    };
    Err(Error::unfit(path, problem))
}

/// Says that a change was taken back; what it took has done its work.
pub(crate) fn set_undone(connection: &Connection, id: i64) -> rusqlite::Result<()> {
    turn(connection, id, "strftime('%Y-%m-%dT%H:%M:%SZ', 'now')")
}

/// Says that a change holds again; what it took has done its work.
pub(crate) fn set_redone(connection: &Connection, id: i64) -> rusqlite::Result<()> {
    turn(connection, id, "NULL")
}

fn turn(connection: &Connection, id: i64, undone: &str) -> rusqlite::Result<()> {
    let sql = format!("UPDATE history SET undone = {undone} WHERE id = ?");
    connection.execute(&sql, [id])?;
    connection.execute("DELETE FROM undo WHERE change = ?", [id])?;
    Ok(())
}

/// Drops the logs of all but the last so many changes, and of all but so many that were taken back last.
fn keep(connection: &Connection, changes: u32) -> rusqlite::Result<()> {
    let end = |sql: &str| connection.query_row(sql, [changes], |row| row.get(0));
    let oldest: Option<i64> = end(
        "SELECT min(id) FROM (SELECT id FROM history WHERE undone IS NULL ORDER BY id DESC LIMIT ?)",
    )?;
    let newest: Option<i64> = end(
        "SELECT max(id) FROM (SELECT id FROM history WHERE undone IS NOT NULL AND log = 'kept' ORDER BY id LIMIT ?)",
    )?;
    drop_before(connection, oldest.unwrap_or(i64::MAX))?;
    drop_beyond(connection, newest.unwrap_or(0))
}

/// Of changes that hold, what it takes to undo those before this one.
fn drop_before(connection: &Connection, id: i64) -> rusqlite::Result<()> {
    drop_logs(connection, "undone IS NULL AND id < ?", id)
}

/// Of changes that were taken back, what it takes to make those again that came after this one.
fn drop_beyond(connection: &Connection, id: i64) -> rusqlite::Result<()> {
    drop_logs(connection, "undone IS NOT NULL AND id > ?", id)
}

fn drop_logs(connection: &Connection, whose: &str, id: i64) -> rusqlite::Result<()> {
    let sql = format!("UPDATE history SET log = 'dropped' WHERE log = 'kept' AND {whose}");
    connection.execute(&sql, [id])?;
    let rest = "DELETE FROM undo WHERE change NOT IN (SELECT id FROM history WHERE log = 'kept')";
    connection.execute(rest, [])?;
    Ok(())
}

/// The logs with their numbers, bytes and whether their change was taken back. How long a part is stands at its head; grouped
/// at once, SQLite would read and sort the parts themselves, which takes longer than most changes.
const LOGS: &str = "WITH lengths AS MATERIALIZED (SELECT change, length(data) AS bytes FROM undo),
          logs AS (SELECT change, undone IS NOT NULL AS undone, sum(bytes) AS bytes
                   FROM lengths JOIN history ON history.id = change GROUP BY change)";

/// Drops the oldest logs of changes that hold while there are more than [`LONGEST`], or while all together take up more than
/// [`ROOM`] and more than a third of the used file; the last one stays.
pub(crate) fn tidy(connection: &Connection) -> rusqlite::Result<()> {
    // The newest first, with what they and all newer ones take up.
    let sql = format!(
        "{LOGS}, piled AS (SELECT change, sum(bytes) OVER (ORDER BY change DESC) AS bytes,
                                  row_number() OVER (ORDER BY change DESC) AS number FROM logs WHERE NOT undone)
         SELECT min(change) FROM piled WHERE number = 1 OR number <= ? AND bytes <= ?"
    );
    let oldest: Option<i64> =
        connection.query_row(&sql, params![LONGEST, room(connection)?], |row| row.get(0))?;
    oldest.map_or(Ok(()), |oldest| drop_before(connection, oldest))
}

/// Drops logs of changes that were taken back, those first that would be made again last, until they fit into the room that
/// logs of changes that hold leave; the one that is next stays.
pub(crate) fn tidy_undone(connection: &Connection) -> rusqlite::Result<()> {
    let sql = format!(
        "{LOGS}, piled AS (SELECT change, sum(bytes) OVER (ORDER BY change) AS bytes,
                                  row_number() OVER (ORDER BY change) AS number FROM logs WHERE undone)
         SELECT max(change) FROM piled
         WHERE number = 1 OR number <= ? AND bytes + (SELECT total(bytes) FROM logs WHERE NOT undone) <= ?"
    );
    let newest: Option<i64> =
        connection.query_row(&sql, params![LONGEST, room(connection)?], |row| row.get(0))?;
    newest.map_or(Ok(()), |newest| drop_beyond(connection, newest))
}

/// Bytes that all logs together may take up.
fn room(connection: &Connection) -> rusqlite::Result<i64> {
    let used: i64 = connection.query_row(
        "SELECT (page_count - freelist_count) * page_size FROM pragma_page_count, pragma_freelist_count, pragma_page_size",
        [],
        |row| row.get(0),
    )?;
    Ok(ROOM.max(used / 3))
}
