//! The schema of books of shogi.

use crate::functions;
use obook_store::Schema;

/// `PRAGMA application_id` of a book of shogi: "obos".
const APPLICATION_ID: u32 = 0x6f62_6f73;

/// The schema of books of shogi.
pub static SHOGI: Schema = Schema::new(
    APPLICATION_ID,
    include_str!("../schema.sql"),
    functions::register,
);

/// Writes the row of table `book`, with the schema version.
pub(crate) const HEADER: &str =
    "INSERT INTO book (id, game, schema_version) VALUES (1, 'shogi', ?)";
