//! The schema's version, and who may open what.

use crate::{Error, Result};
use rusqlite::Connection;
use std::path::Path;

/// `PRAGMA application_id` of an obook database: "obok".
pub const APPLICATION_ID: u32 = 0x6f62_6f6b;

/// `PRAGMA user_version` that this program writes.
pub const SCHEMA_VERSION: i64 = 1;

/// The whole schema of [`SCHEMA_VERSION`].
const SCHEMA: &str = include_str!("../../schema.sql");

/// Steps from older versions: entry *n* leads from version *n* + 1 to *n* + 2. A database of an older version is
/// brought up when it is opened for writing; reading needs no step as long as steps only add.
const MIGRATIONS: [&str; SCHEMA_VERSION as usize - 1] = [];

/// Whether a file that starts with these bytes is a SQLite database.
#[must_use]
pub fn is_sqlite(head: &[u8]) -> bool {
    head.starts_with(b"SQLite format 3\0")
}

/// Lays out an empty database.
pub(crate) fn create(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(SCHEMA)?;
    connection.pragma_update(None, "application_id", APPLICATION_ID)?;
    connection.pragma_update(None, "user_version", SCHEMA_VERSION)
}

/// Brings an older database up to [`SCHEMA_VERSION`], inside the caller's transaction.
pub(crate) fn migrate(connection: &Connection, path: &Path) -> Result<()> {
    let failed = || Error::sqlite(path, "bring the schema up to date");
    let version = pragma(connection, path, "user_version")?;
    // Even writing the same number would change the file.
    if version == SCHEMA_VERSION {
        return Ok(());
    }
    for step in MIGRATIONS.iter().skip(version as usize - 1) {
        connection.execute_batch(step).map_err(failed())?;
    }
    connection
        .pragma_update(None, "user_version", SCHEMA_VERSION)
        .map_err(failed())
}

/// That this is an obook database of a version that this program knows.
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
    Ok(())
}

fn pragma(connection: &Connection, path: &Path, name: &str) -> Result<i64> {
    connection
        .pragma_query_value(None, name, |row| row.get(0))
        .map_err(Error::sqlite(path, "open"))
}
