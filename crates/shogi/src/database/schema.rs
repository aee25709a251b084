//! The schema of books of shogi.

use crate::database::functions;
use obook_store::{SHOGI_APPLICATION_ID, Schema};

/// The schema of books of shogi: `PRAGMA application_id` is "obos".
pub static SHOGI: Schema = Schema::new(
    SHOGI_APPLICATION_ID,
    include_str!("../../schema.sql"),
    functions::register,
);

/// Writes the row of table `book`, with the schema version.
pub(crate) const HEADER: &str =
    "INSERT INTO book (id, game, schema_version) VALUES (1, 'shogi', ?)";
