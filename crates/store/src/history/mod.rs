//! The history of a book and how to undo changes: tables `history` and `undo`.

mod log;
mod part;
mod recorder;
mod undo;

pub(crate) use log::Log;
pub use part::RowSum;
pub(crate) use recorder::Recorder;
pub use recorder::logs_changes;
pub use undo::HistoryStep;
pub(crate) use undo::drop_logs_of_renumbered;

use crate::{Error, Result, Store};
use obook_base::sqlite::all_rows;
use rusqlite::{Connection, OptionalExtension, Row, params};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

obook_base::named! {
    /// Whether there is a log to undo a change with, or to redo it once it was undone. The database has the names.
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
    #[serde(rename_all = "lowercase")]
    pub enum LogState {
        /// Table `undo` has the rows as they were before the change, or, if it was undone, after it.
        Kept = "kept",
        /// There was one.
        Dropped = "dropped",
        /// There never was one: the command created the file, or dropped or altered a table.
        None = "none",
    }
}

/// The name of what happened to the schema among the counts of a change.
const SCHEMA: &str = "schema";

/// The tables, indexes, views and triggers that a change created or dropped, such as `index by_value`. Undo leaves them alone.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct SchemaChange {
    /// The objects that it created.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub created: Vec<String>,
    /// The objects that it dropped.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dropped: Vec<String>,
}

impl SchemaChange {
    /// Whether nothing was created or dropped.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.created.is_empty() && self.dropped.is_empty()
    }

    /// The difference between the objects of two schemas.
    pub(crate) fn between(before: &BTreeSet<String>, after: &BTreeSet<String>) -> SchemaChange {
        SchemaChange {
            created: after.difference(before).cloned().collect(),
            dropped: before.difference(after).cloned().collect(),
        }
    }

    /// A change's effect on the schema, as far as it still holds.
    pub(crate) fn still(counts: &Value, now: &BTreeSet<String>) -> SchemaChange {
        let change = counts.get(SCHEMA).cloned().unwrap_or_default();
        let mut change: SchemaChange = serde_json::from_value(change).unwrap_or_default();
        change.created.retain(|object| now.contains(object));
        change.dropped.retain(|object| !now.contains(object));
        change
    }
}

/// A change in a book's history.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct PastChange {
    /// 1, 2, … in the order of the changes.
    pub id: i64,
    /// The command, as typed.
    pub command: String,
    /// When: `YYYY-MM-DDThh:mm:ssZ`.
    pub time: String,
    /// The main numbers of its report.
    pub counts: Value,
    /// When it was undone, if it was.
    pub undone: Option<String>,
    /// Whether it can be undone, or redone.
    pub log: LogState,
    /// The size of its log in the database.
    pub log_bytes: u64,
}

const CHANGE: &str = "SELECT id, command, time, counts, undone, log,
                             (SELECT sum(length(data)) FROM undo WHERE change = id) FROM history";

fn change(row: &Row<'_>) -> rusqlite::Result<PastChange> {
    let counts: String = row.get(3)?;
    let log: String = row.get(5)?;
    let log = LogState::ALL.into_iter().find(|it| it.name() == log);
    Ok(PastChange {
        id: row.get(0)?,
        command: row.get(1)?,
        time: row.get(2)?,
        // The schema allows only JSON.
        counts: serde_json::from_str(&counts).unwrap_or_default(),
        undone: row.get(4)?,
        log: log.unwrap_or(LogState::None),
        log_bytes: row.get::<_, Option<i64>>(6)?.unwrap_or(0).cast_unsigned(),
    })
}

/// The most changes that can be undone.
const LONGEST: u32 = 100;
/// Bytes that all logs together may always take up. In a book of more than three times the size it is a third of that.
const ROOM: i64 = 1 << 24;

impl Store {
    /// All changes, the first one first.
    ///
    /// # Errors
    /// Returns [`Error::Sqlite`] if the database can't be read.
    pub fn history(&self) -> Result<Vec<PastChange>> {
        let sql = format!("{CHANGE} ORDER BY id");
        self.read(|it| all_rows(it, &sql, [], change))
    }

    /// Keeps the logs for undoing the last `changes` changes, and for redoing as many that were undone, and drops all others.
    /// Later changes use their room in the file again. The database must be open for writing.
    ///
    /// # Errors
    /// Returns [`Error::Sqlite`] if the database can't be written.
    pub fn keep_logs(&mut self, changes: u32) -> Result<()> {
        let transaction = self.begin()?;
        keep(&transaction, changes).map_err(self.failed("write"))?;
        self.end(transaction)
    }

    /// Replaces the counts of a change in the history. The database must be open for writing.
    ///
    /// # Errors
    /// Returns [`Error::Sqlite`] if the database can't be written.
    ///
    /// # Panics
    /// If `counts` can't be written as JSON.
    pub fn renew_counts(&mut self, number: i64, counts: &impl Serialize) -> Result<()> {
        let counts = self::counts(counts, &SchemaChange::default());
        let transaction = self.begin()?;
        set_counts(&transaction, number, &counts).map_err(self.failed("write"))?;
        self.end(transaction)
    }
}

/// Enters a change into the history; its counts are a JSON object. From now on, changes that were undone can't be redone.
pub(crate) fn enter(
    connection: &Connection,
    number: i64,
    command: &str,
    counts: &str,
    log: LogState,
) -> rusqlite::Result<()> {
    drop_beyond(connection, 0)?;
    let sql = "INSERT INTO history (id, command, time, counts, log)
               VALUES (?, ?, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'), ?, ?)";
    let row = params![number, command, counts, log.name()];
    connection.execute(sql, row).map(drop)
}

/// Replaces the counts of a change.
pub(crate) fn set_counts(connection: &Connection, id: i64, counts: &str) -> rusqlite::Result<()> {
    let sql = "UPDATE history SET counts = ? WHERE id = ?";
    connection.execute(sql, params![counts, id]).map(drop)
}

/// The number of the next change, and whether it continues the change `last`: that has to be the last one, and must not have
/// been undone.
pub(crate) fn next_number(
    connection: &Connection,
    last: Option<i64>,
) -> rusqlite::Result<(i64, bool)> {
    let sql = "SELECT ifnull(max(id), 0),
                      ifnull(max(id) FILTER (WHERE undone IS NULL AND log = 'kept'), 0) FROM history";
    let (newest, newest_kept): (i64, i64) =
        connection.query_row(sql, [], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(match last {
        Some(last) if last == newest && last == newest_kept => (last, true),
        _ => (newest + 1, false),
    })
}

/// Writes counts as a JSON object, with what happened to the schema, if anything did.
///
/// # Panics
/// If they can't be written as JSON.
pub(crate) fn counts(counts: &impl Serialize, schema: &SchemaChange) -> String {
    let mut counts = match serde_json::to_value(counts).expect("counts are numbers with names") {
        Value::Null => Value::Object(Map::new()),
        counts => counts,
    };
    if let (false, Value::Object(counts)) = (schema.is_empty(), &mut counts) {
        counts.insert(SCHEMA.to_owned(), json!(schema));
    }
    counts.to_string()
}

/// The number of the last change that is in effect.
pub(crate) fn in_effect(connection: &Connection) -> rusqlite::Result<Option<i64>> {
    let sql = "SELECT max(id) FROM history WHERE undone IS NULL";
    connection.query_row(sql, [], |row| row.get(0))
}

/// Keeps the learner's place after a change, undo or redo that left the book itself alone. `before` is the change that was in effect until then.
pub(crate) fn carry_learning(connection: &Connection, before: Option<i64>) -> rusqlite::Result<()> {
    if connection.table_exists(Some("main"), "learning")? {
        let sql = "UPDATE main.learning SET change = ? WHERE change = ?";
        let changes = [in_effect(connection)?, before].map(|change| change.unwrap_or(0));
        connection.execute(sql, changes)?;
    }
    Ok(())
}

/// The last change that is in effect, if it can be undone.
pub(crate) fn last(store: &Store) -> Result<PastChange> {
    let sql = format!("{CHANGE} WHERE undone IS NULL ORDER BY id DESC LIMIT 1");
    let Some(change) = store.read(|it| it.query_row(&sql, [], change).optional())? else {
        let problem = "its history has no change that could be undone";
        return Err(Error::unfit(&store.path, problem));
    };
    let first: i64 = store.ask("SELECT min(id) FROM history", [])?;
    let why = match change.log {
        LogState::Kept => return Ok(change),
        LogState::None if change.id == first => "it created the file",
        LogState::Dropped => "its log was dropped, to save room or because rows were renumbered",
        LogState::None => "it dropped or altered a table, and that isn't logged",
    };
    let (id, command) = (change.id, change.command);
    let problem = format!("change {id}, “{command}”, can't be undone: {why}");
    Err(Error::unfit(&store.path, problem))
}

/// The change that was undone last, if it can be redone.
pub(crate) fn next(store: &Store) -> Result<PastChange> {
    let sql = "SELECT id, command FROM history WHERE undone IS NULL ORDER BY id DESC LIMIT 1";
    let row = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?));
    let holds: Option<(i64, String)> = store.read(|it| it.query_row(sql, [], row).optional())?;
    let since = holds.as_ref().map_or(0, |(id, _)| *id);
    // The newest is undone first, so the oldest was undone last.
    let sql = format!(
        "{CHANGE} WHERE undone IS NOT NULL AND log = 'kept' AND id > ? ORDER BY id LIMIT 1"
    );
    if let Some(change) = store.read(|it| it.query_row(&sql, [since], change).optional())? {
        return Ok(change);
    }
    let sql = "SELECT max(id) FROM history WHERE undone IS NOT NULL";
    let undone: Option<i64> = store.ask(sql, [])?;
    let lost = "what was undone can't be redone";
    let problem = match (undone, holds) {
        (None, _) => String::from("no change in its history was undone"),
        (Some(undone), Some((id, command))) if undone < id => {
            format!("{lost}: change {id}, “{command}”, was made since")
        }
        _ => format!("{lost}: its log was dropped, to save room or because rows were renumbered"),
    };
    Err(Error::unfit(&store.path, problem))
}

/// Records that a change was undone, or that it was redone, and deletes its old log.
pub(crate) fn set_undone(connection: &Connection, id: i64, undone: bool) -> rusqlite::Result<()> {
    let sql =
        "UPDATE history SET undone = CASE WHEN ? THEN strftime('%Y-%m-%dT%H:%M:%SZ', 'now') END
               WHERE id = ?";
    connection.execute(sql, params![undone, id])?;
    connection.execute("DELETE FROM undo WHERE change = ?", [id])?;
    Ok(())
}

/// Drops all logs but those of the last changes, and of those that were undone last.
fn keep(connection: &Connection, changes: u32) -> rusqlite::Result<()> {
    let end = |sql: &str| connection.query_row(sql, [changes], |row| row.get(0));
    let sql = "SELECT min(id) FROM (SELECT id FROM history WHERE undone IS NULL ORDER BY id DESC LIMIT ?)";
    let oldest: Option<i64> = end(sql)?;
    let sql = "SELECT max(id) FROM (SELECT id FROM history WHERE undone IS NOT NULL AND log = 'kept' ORDER BY id LIMIT ?)";
    let newest: Option<i64> = end(sql)?;
    drop_before(connection, oldest.unwrap_or(i64::MAX))?;
    drop_beyond(connection, newest.unwrap_or(0))
}

/// Drops the logs of changes in effect before this one.
fn drop_before(connection: &Connection, id: i64) -> rusqlite::Result<()> {
    drop_logs(connection, "undone IS NULL AND id < ?", id)
}

/// Drops the logs of undone changes after this one.
fn drop_beyond(connection: &Connection, id: i64) -> rusqlite::Result<()> {
    drop_logs(connection, "undone IS NOT NULL AND id > ?", id)
}

fn drop_logs(connection: &Connection, whose: &str, id: i64) -> rusqlite::Result<()> {
    let sql = format!("UPDATE history SET log = 'dropped' WHERE log = 'kept' AND {whose}");
    connection.prepare_cached(&sql)?.execute([id])?;
    let rest = "DELETE FROM undo WHERE change NOT IN (SELECT id FROM history WHERE log = 'kept')";
    connection.prepare_cached(rest)?.execute([])?;
    Ok(())
}

/// The logs: their change, whether that was undone, and their bytes. The length of a part is in its row's header; without the
/// first step, SQLite would read and sort the parts themselves, which takes longer than most changes.
const LOGS: &str = "WITH lengths AS MATERIALIZED (SELECT change, length(data) AS bytes FROM undo),
          logs AS (SELECT id AS change, undone IS NOT NULL AS undone, ifnull(sum(bytes), 0) AS bytes
                   FROM history LEFT JOIN lengths ON lengths.change = id WHERE log = 'kept' GROUP BY id)";

/// Drops the oldest logs of changes in effect while there are more than [`LONGEST`], or while all together take up more than
/// [`room`]; the last one stays.
pub(crate) fn tidy(connection: &Connection) -> rusqlite::Result<()> {
    // The newest first, with the bytes that they and all newer ones take up.
    let sql = format!(
        "{LOGS}, piled AS (SELECT change, sum(bytes) OVER (ORDER BY change DESC) AS bytes,
                                  row_number() OVER (ORDER BY change DESC) AS number FROM logs WHERE NOT undone)
         SELECT min(change) FROM piled WHERE number = 1 OR number <= ? AND bytes <= ?"
    );
    let mut select = connection.prepare_cached(&sql)?;
    let oldest: Option<i64> =
        select.query_row(params![LONGEST, room(connection)?], |row| row.get(0))?;
    oldest.map_or(Ok(()), |oldest| drop_before(connection, oldest))
}

/// Drops logs of undone changes, the last to be redone first, until they fit into the room that the other logs leave; the log
/// of the next change to be redone stays.
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
    let sql = "SELECT (page_count - freelist_count) * page_size
               FROM pragma_page_count, pragma_freelist_count, pragma_page_size";
    let mut select = connection.prepare_cached(sql)?;
    let used: i64 = select.query_row([], |row| row.get(0))?;
    Ok(ROOM.max(used / 3))
}
