//! Databases into files.

use crate::database::file::WRITTEN;
use crate::database::file::{BookFile, Format, LeftOut, is_database, write};
use crate::database::fix::board;
use crate::database::position::{Position, Record};
use crate::database::rows::{State, each_made};
use crate::database::schema::SHOGI;
use crate::{Book, BookMove, Dropped};
use obook_base::compression::{Compression, compress, without_zst};
use obook_store::{AtomicFile, Content, Context, Error, IfExists, Output, Result, Store, spare};
use rusqlite::Connection;
use serde::Serialize;
use std::cmp::Reverse;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// Which scores to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scores {
    /// Own scores if the book is fixed and files list scores. Otherwise what they list: a book of counts stays one.
    Own,
    /// The same, but a move with the best score and another depth than the best one has 1 less, as YaneuraOu's `peta_shock` writes
    /// it. An engine that draws lots among equal scores then plays the move that makes progress.
    Apart,
    /// Those that files list, whether or not the book is fixed.
    Listed,
}

/// The result of an export.
#[derive(Clone, Debug, Serialize)]
pub struct Exported {
    /// The file.
    pub file: PathBuf,
    /// Its format.
    pub format: Format,
    /// Its records.
    pub positions: u64,
    /// Their moves.
    pub moves: u64,
    /// Whether the scores are own scores.
    pub own_scores: bool,
    /// Contents that the format can't hold.
    pub lost: String,
}

/// The records of a database, as a file has them.
///
/// # Errors
/// Returns an error if the database can't be read or has rows that make no sense.
pub fn records(store: &Store, scores: Scores) -> Result<(Book, bool)> {
    let path = store.path();
    let own =
        scores != Scores::Listed && is_fixed(store)? && !has_only_counts(store.connection(), path)?;
    let mut book = Book::default();
    let entries = |position: Position| {
        let moves = |turn, record: &Record| {
            if !own {
                return record.moves.clone();
            }
            let answers = position.answers(turn).into_iter();
            let answers = answers.map(|answer| match answer.is_link {
                true => answer.listed,
                // A leaf ends the line.
                false => BookMove {
                    score: answer.listed.score.or(Some(0)),
                    depth: Some(0),
                    ..answer.listed
                },
            });
            let mut moves: Vec<BookMove> = answers.collect();
            if let (Scores::Apart, [best, rest @ ..]) = (scores, &mut moves[..]) {
                for other in rest.iter_mut() {
                    let ties = other.score == best.score && other.depth != best.depth;
                    other.score = other.score.map(|score| score.saturating_sub(ties.into()));
                }
                rest.sort_by_key(|other| Reverse(other.score));
            }
            moves
        };
        let board = board(&position, path)?;
        Ok(position.entries_with(&board, moves).collect::<Vec<_>>())
    };
    each_made(State::Committed(store), entries, |entries| {
        book.entries.extend(entries);
        Ok(())
    })?;
    Ok((book, own))
}

/// Whether links and values follow from the leaves.
///
/// # Errors
/// Returns [`Error::Sqlite`] if the database can't be read.
pub fn is_fixed(store: &Store) -> Result<bool> {
    let sql = "SELECT count(*) FROM book WHERE fixed = 1";
    let fixed = store.connection().query_row(sql, [], |row| row.get(0));
    fixed.map_err(Error::sqlite(store.path(), "read"))
}

/// Whether counts choose between moves, and no score does.
pub(crate) fn has_only_counts(connection: &Connection, path: &Path) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM leaves WHERE count > 1) AND NOT EXISTS (SELECT 1 FROM leaves WHERE score <> 0)";
    let only_counts = connection.query_row(sql, [], |row| row.get(0));
    only_counts.map_err(Error::sqlite(path, "read"))
}

/// Writes a database for an engine, with positions in the format's order.
///
/// # Errors
/// If the database can't be read, or the output can't be written; a file is then as before.
pub fn export(store: &Store, output: &Output, format: Format, scores: Scores) -> Result<Exported> {
    spare_output(store.path(), output)?;
    store.context().progress().step("reading", None);
    let (mut book, own_scores) = records(store, scores)?;
    if own_scores && format == Format::Db {
        // YaneuraOu puts moves that were played often before better ones.
        let moves = book.entries.iter_mut().flat_map(|entry| &mut entry.moves);
        moves.for_each(|listed| listed.count = None);
    }
    put(book, own_scores, output, format, store.context())
}

/// The result of a conversion.
#[derive(Clone, Debug, Serialize)]
pub struct Converted {
    /// What was written.
    #[serde(flatten)]
    pub exported: Exported,
    /// What of the input was left out.
    #[serde(flatten)]
    pub left_out: LeftOut,
}

/// Writes the records of a file in another format, or a database as [`export`]; `-` is standard input.
///
/// # Errors
/// If the input can't be read, or the output can't be written; a file is then as before.
pub fn convert(
    from: &Path,
    output: &Output,
    format: Format,
    context: &Context,
) -> Result<Converted> {
    if is_database(from)? {
        let store = Store::open(&SHOGI, from, context)?;
        return Ok(Converted {
            exported: export(&store, output, format, Scores::Own)?,
            left_out: LeftOut::default(),
        });
    }
    spare_output(from, output)?;
    context.progress().step("reading", None);
    let mut read = BookFile::open(from, context)?;
    // As a database has them: one position for all records of a board, seen by either side.
    let mut book = Book::default();
    for records in Position::records(&std::mem::take(&mut read.book)) {
        let mut position = Position::new(records.key);
        records.merge_into(&mut position);
        let board = board(&position, from)?;
        book.entries.extend(position.entries(&board));
    }
    Ok(Converted {
        exported: put(book, false, output, format, context)?,
        left_out: read.left_out(),
    })
}

pub(crate) fn spare_output(input: &Path, output: &Output) -> Result<()> {
    match output {
        Output::File(path, _) => spare(input, path),
        Output::Stdout => Ok(()),
    }
}

fn put(
    mut book: Book,
    own_scores: bool,
    output: &Output,
    format: Format,
    context: &Context,
) -> Result<Exported> {
    context.progress().step("writing", None);
    let sorted = book.sort_positions();
    let refused = || Error::unfit(output.name(), format!("books of {format} are only read"));
    let (mut bytes, written) = write(format, &book).ok_or_else(refused)?;
    let lost = Dropped {
        positions: sorted.positions + written.positions,
        records: sorted.records + written.records,
        comments: sorted.comments + written.comments,
        ..written
    };
    let failed = || Error::io(output.name(), "write");
    if without_zst(output.name()).is_some() {
        bytes = compress(&bytes, Compression::default()).map_err(failed())?;
    }
    write_to(output, WRITTEN, context, |out| {
        out.write_all(&bytes).map_err(failed())
    })?;
    let moves = book.entries.iter().map(|entry| entry.moves.len() as u64);
    Ok(Exported {
        file: output.name().to_owned(),
        format,
        positions: book.entries.len() as u64,
        moves: moves.sum(),
        own_scores,
        lost: lost.to_string(),
    })
}

/// Calls `write` with standard output, or with a file that appears when everything is written.
pub(crate) fn write_to<T>(
    output: &Output,
    content: Content,
    context: &Context,
    write: impl FnOnce(&mut dyn Write) -> Result<T>,
) -> Result<T> {
    let written = |out: &mut dyn Write| {
        let written = write(out)?;
        out.flush().map_err(Error::io(output.name(), "write"))?;
        Ok(written)
    };
    match output {
        Output::Stdout => written(&mut BufWriter::new(std::io::stdout().lock())),
        Output::File(path, if_exists) => {
            let mut file = AtomicFile::create(path, content, *if_exists, context)?;
            let written = written(&mut BufWriter::new(file.file()))?;
            file.commit()?;
            Ok(written)
        }
    }
}

/// Opens a database for reading; a file is imported into a temporary one, which is removed when it is closed.
///
/// # Errors
/// If it is neither, or can't be read.
pub fn open(path: &Path, context: &Context) -> Result<Store> {
    if is_database(path)? {
        return Store::open(&SHOGI, path, context);
    }
    let make = |book: &Path| {
        crate::database::import::create(path, book, IfExists::Refuse, context).map(drop)
    };
    Store::temporary(&SHOGI, "book.obook", make, context)
}
