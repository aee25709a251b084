//! Files into databases.

use crate::file::{BookFile, Format};
use crate::position::Position;
use crate::rows::{Writer, find};
use crate::schema::{HEADER, SHOGI};
use obook_shogi::{Dropped, Fault};
use obook_store::{Context, Error, IfExists, NewBook, Result, Store};
use rusqlite::{Connection, params};
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// What an import of a file did.
#[derive(Clone, Debug, Serialize)]
pub struct Imported {
    /// The file.
    pub file: PathBuf,
    /// Its format.
    pub format: Format,
    /// Its positions.
    pub positions: u64,
    /// Their moves.
    pub moves: u64,
    /// Positions that the book did not have.
    pub new_positions: u64,
    /// Moves that the book did not have.
    pub new_moves: u64,
    /// Moves of which the file knew something better, or newer and as deep.
    pub replaced_moves: u64,
    /// Records that were merged into others of the same position.
    pub merged_records: u64,
    /// Moves that aren't legal, and were left out.
    pub illegal_moves: u64,
    /// Positions of which the file has only a hash, and that no line from the start position reaches.
    pub not_found: u64,
    /// Lines with comments, which were left out.
    pub comments: u64,
    /// Records that can't be read, with their places.
    #[serde(serialize_with = "as_texts")]
    pub faults: Vec<Fault>,
}

fn as_texts<S: serde::Serializer>(faults: &[Fault], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(faults.iter().map(ToString::to_string))
}

/// Makes a database of a file.
///
/// # Errors
/// If the file can't be read, or the database can't be written. No database is left behind.
pub fn create(
    file: &Path,
    path: &Path,
    if_exists: IfExists,
    context: &Context,
) -> Result<Imported> {
    let new = NewBook::create_as(&SHOGI, path, if_exists, context)?;
    let failed = || Error::sqlite(path, "write");
    let connection = new.connection();
    let transaction = connection.unchecked_transaction().map_err(failed())?;
    transaction.execute(HEADER, []).map_err(failed())?;
    let imported = add(file, &transaction, path, context)?;
    transaction.commit().map_err(failed())?;
    new.commit(&imported)?;
    Ok(imported)
}

/// Merges a file into a database, in one change. Of two scores of a move, the deeper wins, and of equally deep ones the file's.
///
/// # Errors
/// If the file can't be read, or the database can't be written; it is then as before.
pub fn merge(file: &Path, store: &mut Store) -> Result<Imported> {
    let (path, context) = (store.path().to_owned(), store.context().clone());
    let change = store.change()?;
    let imported = add(file, change.connection(), &path, &context)?;
    change.commit(&imported)?;
    Ok(imported)
}

/// Adds the positions of a file to a book.
fn add(file: &Path, connection: &Connection, path: &Path, context: &Context) -> Result<Imported> {
    let progress = context.progress();
    progress.step("reading", None);
    let (read, bytes) = BookFile::open(file)?;
    let digest = Sha256::digest(&bytes);
    drop(bytes);
    let Dropped { comments, .. } = read.dropped;
    let mut imported = Imported {
        file: file.to_owned(),
        format: read.format,
        positions: 0,
        moves: 0,
        new_positions: 0,
        new_moves: 0,
        replaced_moves: 0,
        merged_records: 0,
        illegal_moves: read.illegal,
        not_found: read.missed,
        comments,
        faults: read.faults,
    };
    let (positions, merged) = Position::all(&read.book);
    imported.merged_records = merged;
    progress.step("writing", Some(read.book.entries.len() as u64));
    let failed = || Error::sqlite(path, "write");
    let mut writer = Writer::new(connection).map_err(failed())?;
    let mut changed = false;
    for position in positions {
        progress.advance(1);
        imported.positions += 1;
        imported.moves += position.leaves.len() as u64;
        let known = find(connection, position.key).map_err(failed())?;
        imported.new_positions += u64::from(known.is_none());
        let mut merged = known.unwrap_or_else(|| Position::new(position.key));
        let gained = merged.merge(&position);
        imported.new_moves += gained.added;
        imported.replaced_moves += gained.replaced;
        if gained.record {
            writer.position(&merged).map_err(failed())?;
        }
        if gained.added + gained.replaced > 0 {
            writer.leaves(&merged).map_err(failed())?;
        }
        changed |= gained.record || gained.added + gained.replaced > 0;
    }
    if changed {
        forget_fixed(connection).map_err(failed())?;
        let name = file.display().to_string();
        let source = params![
            name,
            imported.format.name(),
            hex(&digest),
            imported.positions.cast_signed(),
            imported.moves.cast_signed()
        ];
        let insert = "INSERT INTO sources (name, format, sha256, positions, moves, imported)
                      VALUES (?, ?, ?, ?, ?, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))";
        connection.execute(insert, source).map_err(failed())?;
    }
    Ok(imported)
}

fn forget_fixed(connection: &Connection) -> rusqlite::Result<()> {
    let sql = "UPDATE book SET fixed = NULL WHERE fixed IS NOT NULL";
    connection.execute(sql, []).map(drop)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string never fails.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
