//! Files and databases into databases.

use crate::file::{BookFile, LeftOut};
use crate::position::{Position, Rule};
use crate::rows::{Writer, each, find, hex};
use crate::schema::{HEADER, SHOGI};
use obook_store::{Context, Error, FileKind, IfExists, NewBook, Result, Store};
use rusqlite::{Connection, params};
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};

/// The result of an import.
#[derive(Clone, Debug, Serialize)]
pub struct Imported {
    /// The file.
    pub file: PathBuf,
    /// Its format, `obook` for a database.
    pub format: &'static str,
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
    /// Moves that the book had and lost, because [`Rule::Positions`] took the file's.
    pub removed_moves: u64,
    /// Records that were merged into others of the same position.
    pub merged_records: u64,
    /// What was left out.
    #[serde(flatten)]
    pub left_out: LeftOut,
}

impl Default for Imported {
    /// Nothing, from a database.
    fn default() -> Imported {
        Imported {
            file: PathBuf::new(),
            format: "obook",
            positions: 0,
            moves: 0,
            new_positions: 0,
            new_moves: 0,
            replaced_moves: 0,
            removed_moves: 0,
            merged_records: 0,
            left_out: LeftOut::default(),
        }
    }
}

/// Makes a database of a file or another database.
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
    let imported = add(file, &transaction, path, context, Known::Nothing)?;
    transaction.commit().map_err(failed())?;
    new.commit(&imported)?;
    Ok(imported)
}

/// Merges a file or another database into a database, in one change.
///
/// # Errors
/// If the file can't be read, or the database can't be written; it is then as before.
pub fn merge(file: &Path, store: &mut Store, rule: Rule) -> Result<Imported> {
    let (path, context) = (store.path().to_owned(), store.context().clone());
    let change = store.change()?;
    let imported = add(
        file,
        change.connection(),
        &path,
        &context,
        Known::Rows(rule),
    )?;
    change.commit(&imported)?;
    Ok(imported)
}

/// Adds the positions of a file or another database to a book.
fn add(
    file: &Path,
    connection: &Connection,
    path: &Path,
    context: &Context,
    known: Known,
) -> Result<Imported> {
    let progress = context.progress();
    progress.step("reading", None);
    let mut adding = Adding::begin(connection, path, known)?;
    let kind = FileKind::of(file).map_err(Error::io(file, "open"))?;
    let digest = if kind == FileKind::Database {
        let other = Store::open_as(&SHOGI, file, context)?;
        each(other.connection(), file, |position| adding.add(&position))?;
        None
    } else {
        let (read, bytes) = BookFile::open(file)?;
        let digest = hex(&Sha256::digest(&bytes));
        drop(bytes);
        let (positions, merged_records) = Position::all(&read.book);
        progress.step("writing", Some(read.book.entries.len() as u64));
        for position in positions {
            adding.add(&position)?;
            progress.advance(1);
        }
        adding.imported = Imported {
            format: read.format.name(),
            merged_records,
            left_out: read.left_out(),
            ..adding.imported
        };
        Some(digest)
    };
    let Adding {
        writer,
        imported,
        changed,
        ..
    } = adding;
    let failed = || Error::sqlite(path, "write");
    writer.finish().map_err(failed())?;
    let imported = Imported {
        file: file.to_owned(),
        ..imported
    };
    if changed {
        note(connection, &imported, digest).map_err(failed())?;
    }
    Ok(imported)
}

/// The contents of a book before positions are added.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Known {
    /// It is new, so nothing need be looked up.
    Nothing,
    /// Its rows, which are merged by a rule.
    Rows(Rule),
}

/// Positions on their way into a book.
struct Adding<'c> {
    known: Known,
    connection: &'c Connection,
    path: &'c Path,
    writer: Writer<'c>,
    imported: Imported,
    changed: bool,
}

impl<'c> Adding<'c> {
    fn begin(connection: &'c Connection, path: &'c Path, known: Known) -> Result<Adding<'c>> {
        Ok(Adding {
            known,
            connection,
            path,
            writer: Writer::new(connection).map_err(Error::sqlite(path, "write"))?,
            imported: Imported::default(),
            changed: false,
        })
    }

    /// Merges a position into the book's own.
    fn add(&mut self, position: &Position) -> Result<()> {
        let failed = || Error::sqlite(self.path, "write");
        let imported = &mut self.imported;
        imported.positions += 1;
        imported.moves += position.leaves.len() as u64;
        let (known, rule) = match self.known {
            Known::Nothing => (None, Rule::Moves),
            Known::Rows(rule) => (find(self.connection, position.key).map_err(failed())?, rule),
        };
        imported.new_positions += u64::from(known.is_none());
        let mut merged = known.unwrap_or_else(|| Position::new(position.key));
        let before = merged.leaves.clone();
        let gained = merged.merge(position, rule);
        imported.new_moves += gained.added;
        imported.replaced_moves += gained.replaced;
        imported.removed_moves += gained.removed;
        // The order of moves may be all that differs.
        let moves = merged.leaves != before;
        if gained.record {
            self.writer.position(&merged).map_err(failed())?;
        }
        if gained.removed > 0 {
            self.writer.clear_leaves(merged.key).map_err(failed())?;
        }
        if moves {
            self.writer.leaves(&merged).map_err(failed())?;
        }
        self.changed |= gained.record || moves;
        Ok(())
    }
}

/// Notes that the book has changed, and where that came from.
fn note(
    connection: &Connection,
    imported: &Imported,
    digest: Option<String>,
) -> rusqlite::Result<()> {
    forget_fixed(connection)?;
    let source = params![
        imported.file.display().to_string(),
        imported.format,
        digest,
        imported.positions.cast_signed(),
        imported.moves.cast_signed()
    ];
    let insert = "INSERT INTO sources (name, format, sha256, positions, moves, imported)
                  VALUES (?, ?, ?, ?, ?, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))";
    connection.execute(insert, source).map(drop)
}

fn forget_fixed(connection: &Connection) -> rusqlite::Result<()> {
    let sql = "UPDATE book SET fixed = NULL WHERE fixed IS NOT NULL";
    connection.execute(sql, []).map(drop)
}
