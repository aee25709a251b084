//! The schema of books of shogi.

use crate::database::functions;
use obook_store::{Context, Error, IfExists, NewBook, Result, Schema};
use rusqlite::Connection;
use serde::Serialize;
use std::path::Path;

/// `PRAGMA application_id` of a book of shogi: "obos".
const APPLICATION_ID: u32 = 0x6f62_6f73;

/// The schema of books of shogi.
pub static SHOGI: Schema = Schema::new(
    APPLICATION_ID,
    include_str!("../../schema.sql"),
    functions::register,
);

/// Makes a database with what `fill` writes into it.
pub(crate) fn create<T: Serialize>(
    path: &Path,
    if_exists: IfExists,
    context: &Context,
    fill: impl FnOnce(&Connection) -> Result<T>,
) -> Result<T> {
    let new = NewBook::create(&SHOGI, path, if_exists, context)?;
    let header = "INSERT INTO book (id, game, schema_version) VALUES (1, 'shogi', ?)";
    let begun = new.connection().execute(header, [SHOGI.version()]);
    begun.map_err(Error::sqlite(path, "write"))?;
    let filled = fill(new.connection())?;
    new.commit(&filled)?;
    Ok(filled)
}
