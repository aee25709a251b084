//! The schema's version, and who may open what.

use super::tables;
use crate::{APPLICATION_ID, Error, Result};
use rusqlite::Connection;
use std::path::Path;

/// `PRAGMA user_version` that this program writes.
pub const SCHEMA_VERSION: i64 = 5;

/// The whole schema of [`SCHEMA_VERSION`].
const SCHEMA: &str = include_str!("../schema.sql");

/// Where the triggers of the schema begin.
const TRIGGERS: &str = "-- Triggers for other programs";
/// Where its views begin, with which it ends.
const VIEWS: &str = "-- Views for people";

/// The statements of [`SCHEMA`] that make triggers.
fn trigger_statements() -> &'static str {
    let part = |mark: &str| SCHEMA.find(mark).unwrap_or(SCHEMA.len());
    &SCHEMA[part(TRIGGERS)..part(VIEWS)]
}

/// The triggers, by name, as a database has them after the words `CREATE TRIGGER`.
pub(crate) fn triggers() -> impl Iterator<Item = (&'static str, &'static str)> {
    let statements = trigger_statements().split("CREATE TRIGGER ").skip(1);
    statements.filter_map(|statement| {
        let end = statement.find("END;")? + "END".len();
        Some((statement.split_whitespace().next()?, &statement[..end]))
    })
}

/// The statements of [`SCHEMA`] that make views.
fn views() -> &'static str {
    let from = SCHEMA.find(VIEWS).unwrap_or(SCHEMA.len());
    &SCHEMA[from..]
}

/// The names of those views.
pub fn view_names() -> impl Iterator<Item = &'static str> {
    let statements = views().split("CREATE VIEW ").skip(1);
    statements.filter_map(|statement| statement.split_whitespace().next())
}

/// A version that came before [`SCHEMA_VERSION`].
struct Older {
    /// Turns a file of this version into one of the next.
    step: &'static str,
    /// Views of the connection that show what the next version changed; with those of the versions between, a file of this
    /// version looks like one of [`SCHEMA_VERSION`].
    read: &'static str,
    /// Their names.
    views: &'static [&'static str],
    /// Tables, and columns as `table.column`, that the next version added.
    lacks: &'static [&'static str],
}

/// Entry *n* is version *n* + 1. A database of an older version is brought up in the first transaction that changes it;
/// who only reads it sees it through views.
const OLDER: [Older; SCHEMA_VERSION as usize - 1] = [
    Older {
        step: include_str!("migrations/2.sql"),
        read: include_str!("migrations/1.read.sql"),
        views: &["book", "todo", "history", "undo"],
        lacks: &[
            "book.repetition",
            "book.fixed",
            "todo.level",
            "todo.engine",
            "history",
            "undo",
        ],
    },
    Older {
        step: include_str!("migrations/3.sql"),
        read: include_str!("migrations/2.read.sql"),
        views: &["positions", "sources"],
        lacks: &["positions.unsearched", "sources.current", "row_counts"],
    },
    Older {
        step: include_str!("migrations/4.sql"),
        read: include_str!("migrations/3.read.sql"),
        views: GAMES,
        lacks: GAMES,
    },
    Older {
        step: include_str!("migrations/5.sql"),
        read: include_str!("migrations/4.read.sql"),
        views: LEARNING,
        lacks: LEARNING,
    },
];

/// The tables that games are in.
const GAMES: &[&str] = &[
    "players",
    "tournaments",
    "games",
    "played",
    "play_counts",
    "ratings",
];

/// The tables that learning keeps.
const LEARNING: &[&str] = &["tasks", "learning", "learned"];

/// Lays out an empty database.
pub(crate) fn create(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(SCHEMA)?;
    connection.pragma_update(None, "application_id", APPLICATION_ID)?;
    connection.pragma_update(None, "user_version", SCHEMA_VERSION)
}

/// Brings an older database up to [`SCHEMA_VERSION`], inside the caller's transaction. Says whether it was older.
pub(crate) fn migrate(connection: &Connection, path: &Path) -> Result<bool> {
    let failed = || Error::sqlite(path, "bring the schema up to date");
    let version = pragma(connection, path, "user_version")?;
    // Also where another process has migrated the file since this connection was opened.
    let shown = OLDER.iter().flat_map(|older| older.views).copied();
    for view in shown.chain(view_names()) {
        let sql = format!("DROP VIEW IF EXISTS temp.{view}");
        connection.execute_batch(&sql).map_err(failed())?;
    }
    // Even writing the same number would change the file.
    if version == SCHEMA_VERSION {
        return Ok(false);
    }
    for Older { step, .. } in OLDER.iter().skip(version as usize - 1) {
        connection.execute_batch(step).map_err(failed())?;
    }
    for (name, statement) in triggers() {
        // Version 3 had some of them.
        let has = "SELECT count(*) > 0 FROM main.sqlite_schema WHERE type = 'trigger' AND name = ?";
        let has: bool = connection
            .query_row(has, [name], |row| row.get(0))
            .map_err(failed())?;
        if !has {
            let create = format!("CREATE TRIGGER {statement}");
            connection.execute_batch(&create).map_err(failed())?;
        }
    }
    // Version 2 had views of these names, in words that other programs did not understand.
    if version == 2 {
        for view in own_views(connection).map_err(failed())? {
            let sql = format!("DROP VIEW main.{view}");
            connection.execute_batch(&sql).map_err(failed())?;
        }
    }
    // A user's own table of that name stays what it is.
    let views = views().replace("CREATE VIEW", "CREATE VIEW IF NOT EXISTS");
    connection.execute_batch(&views).map_err(failed())?;
    connection
        .pragma_update(None, "user_version", SCHEMA_VERSION)
        .map_err(failed())?;
    Ok(true)
}

/// The names of [`view_names`] that are views of this file.
fn own_views(connection: &Connection) -> rusqlite::Result<Vec<&'static str>> {
    let mut named =
        connection.prepare("SELECT 1 FROM main.sqlite_schema WHERE type = 'view' AND name = ?")?;
    let mut own = Vec::new();
    for view in view_names() {
        if named.exists([view])? {
            own.push(view);
        }
    }
    Ok(own)
}

/// A number that changes with every change of the schema.
pub(crate) fn cookie(connection: &Connection) -> rusqlite::Result<i64> {
    connection.pragma_query_value(Some("main"), "schema_version", |row| row.get(0))
}

/// That this is an obook database of a version that this program knows. One of an older version looks like a current one
/// afterwards.
pub(crate) fn check(connection: &Connection, path: &Path) -> Result<()> {
    let found = pragma(connection, path, "application_id")? as u32;
    if found != APPLICATION_ID {
        return Err(Error::NotABook {
            path: path.to_owned(),
            found,
            expected: APPLICATION_ID,
        });
    }
    let version = pragma(connection, path, "user_version")?;
    if version > SCHEMA_VERSION {
        return Err(Error::Newer {
            path: path.to_owned(),
            found: version,
            supported: SCHEMA_VERSION,
        });
    }
    if version < SCHEMA_VERSION {
        let older = usize::try_from(version - 1).ok();
        let older = older.and_then(|place| OLDER.get(place..));
        let older = older.ok_or_else(|| {
            Error::unfit(
                path,
                format!("schema version {version}, which no obook ever wrote"),
            )
        })?;
        let lacks: Vec<&str> = older
            .iter()
            .flat_map(|older| older.lacks)
            .copied()
            .collect();
        tables::check(connection, path, &lacks, create)?;
        let views = views().replace("CREATE VIEW", "CREATE TEMP VIEW");
        return older
            .iter()
            .map(|older| older.read)
            .chain([&*views])
            .try_for_each(|views| connection.execute_batch(views))
            .map_err(Error::sqlite(path, "open"));
    }
    tables::check(connection, path, &[], create)
}

fn pragma(connection: &Connection, path: &Path, name: &str) -> Result<i64> {
    connection
        .pragma_query_value(None, name, |row| row.get(0))
        .map_err(Error::sqlite(path, "open"))
}
