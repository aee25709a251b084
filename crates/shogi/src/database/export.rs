//! Databases into files.

use crate::database::file::{BookFile, Format, LeftOut, WRITTEN, is_database};
use crate::database::fix::{board, draws};
use crate::database::format::Writing;
use crate::database::position::{Position, Record};
use crate::database::rows::{State, each_made};
use crate::database::schema::SHOGI;
use crate::database::sorter::Sorter;
use crate::{Book, BookMove, Draws, Dropped, Entry};
use obook_base::Budget;
use obook_base::compression::{Compression, Output as Packing};
use obook_store::{Context, Error, IfExists, Output, Result, Store};
use rayon::prelude::*;
use serde::Serialize;
use std::cmp::Reverse;
use std::io::BufWriter;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

/// Which scores to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scores {
    /// Own scores if the book is fixed and files list scores. Otherwise what they list: a book of counts stays one.
    Own,
    /// The same, but a move with the best score and another depth than the best one has 1 less, as YaneuraOu's `peta_shock` writes
    /// it. An engine that draws lots among equal scores then plays the move that makes progress.
    Apart,
    /// The scores that files list, whether or not the book is fixed.
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
    /// The worth of draws behind these scores.
    pub worth_of_draws: Draws,
    /// Contents that the format can't hold.
    pub lost: String,
}

/// The records of a database, as a file has them, and whether their scores are own scores.
///
/// # Errors
/// Returns an error if the database can't be read or has rows that make no sense.
pub fn records(store: &Store, scores: Scores) -> Result<(Book, bool)> {
    let mut book = Book::default();
    let mut state = State::committed(store)?;
    let own = are_own(state.store(), scores)?;
    let take = |entry| {
        book.entries.push(entry);
        Ok(())
    };
    each_record(&mut state, own.then_some(scores), |entry| entry, take)?;
    Ok((book, own))
}

/// Whether these are own scores.
fn are_own(store: &Store, scores: Scores) -> Result<bool> {
    let is_listed = scores == Scores::Listed || !store.is_fixed()?;
    let is_own = scores == Scores::Apart || !has_only_counts(store)?;
    Ok(!is_listed && is_own)
}

/// Calls `each` with what `make` makes, on all cores, of the records of a database: with own scores, or `None` for listed ones.
fn each_record<T: Send>(
    state: &mut State<'_>,
    own: Option<Scores>,
    make: impl Fn(Entry) -> T + Sync,
    mut each: impl FnMut(T) -> Result<()>,
) -> Result<()> {
    let path = state.store().path().to_owned();
    let records = |position: Position| {
        let moves = |turn, record: &Record| {
            if own.is_none() {
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
            if let (Some(Scores::Apart), [best, rest @ ..]) = (own, &mut moves[..]) {
                for other in rest.iter_mut() {
                    let ties = other.score == best.score && other.depth != best.depth;
                    other.score = other.score.map(|score| score.saturating_sub(ties.into()));
                }
                rest.sort_by_key(|other| Reverse(other.score));
            }
            moves
        };
        let board = board(&position, &path)?;
        let records = position.entries(&board, moves);
        Ok(records.map(&make).collect::<Vec<T>>())
    };
    each_made(state, records, |records| {
        records.into_iter().try_for_each(&mut each)
    })
}

/// Whether counts choose between moves, and no score does.
pub(crate) fn has_only_counts(store: &Store) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM leaves WHERE count > 1) AND NOT EXISTS (SELECT 1 FROM leaves WHERE score <> 0)";
    store.ask(sql, [])
}

/// Writes a database for an engine, with positions in the format's order.
///
/// # Errors
/// If the database can't be read, or the output can't be written; a file is then as before.
pub fn export(store: &Store, output: &Output, format: Format, scores: Scores) -> Result<Exported> {
    output.spare(store.path())?;
    store.context().progress().step("reading", None);
    write(output, format, store.context(), |writing, add| {
        let mut state = State::committed(store)?;
        let own = are_own(state.store(), scores)?;
        let make = |mut entry: Entry| {
            if own && format == Format::Db {
                // YaneuraOu puts moves that were played often before better ones.
                for listed in &mut entry.moves {
                    listed.count = None;
                }
            }
            Drafted::new(&entry, writing)
        };
        each_record(&mut state, own.then_some(scores), make, add)?;
        own.then(|| draws(state.store())).transpose()
    })
}

/// The result of a conversion.
#[derive(Clone, Debug, Serialize)]
pub struct Converted {
    /// The contents of the output.
    #[serde(flatten)]
    pub exported: Exported,
    /// The parts of the input that were left out.
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
    output.spare(from)?;
    context.progress().step("reading", None);
    let mut read = BookFile::open(from, context)?;
    let exported = write(output, format, context, |writing, add| {
        // As a database has them: one position for all records of a board, seen by either side.
        let book = std::mem::take(&mut read.read.book);
        let mut records = book.by_position();
        loop {
            let part: Vec<_> = records.by_ref().take(AT_ONCE).collect();
            if part.is_empty() {
                return Ok(None);
            }
            let drafted = part.par_iter().map(|(key, entries)| {
                let mut position = Position::new(*key);
                position.merge_records(entries);
                let board = board(&position, from)?;
                let entries = position.entries(&board, |_, record| record.moves.clone());
                Ok(entries.map(|entry| Drafted::new(&entry, writing)).collect())
            });
            for drafted in drafted.collect::<Result<Vec<Vec<Drafted>>>>()? {
                drafted.into_iter().try_for_each(&mut *add)?;
            }
        }
    })?;
    Ok(Converted {
        exported,
        left_out: read.left_out(),
    })
}

/// Records of a file that are held at a time.
const AT_ONCE: usize = 1 << 14;

/// A record with its key, and what of it the format can't hold.
struct Drafted {
    record: Option<(Vec<u8>, Vec<u8>)>,
    moves: u64,
    lost: Dropped,
}

impl Drafted {
    fn new(entry: &Entry, writing: &Writing) -> Drafted {
        let moves = entry.moves.len() as u64;
        let (record, lost) = match moves {
            0 => {
                let lost = Dropped {
                    positions: 1,
                    comments: entry.comments.len() as u64,
                    ..Dropped::default()
                };
                (None, lost)
            }
            _ => {
                let (record, lost) = (writing.record)(entry);
                (Some(((writing.key)(entry), record)), lost)
            }
        };
        Drafted {
            record,
            moves,
            lost,
        }
    }
}

/// The memory in bytes that records fill before they go to a temporary file. Less would open too many files at once, more would be no
/// faster.
const RUN: RangeInclusive<u64> = 1 << 20..=1 << 27;

/// Writes a file of the records that `draft` adds. `draft` returns the worth of draws behind own scores; `None`: scores are as listed.
fn write(
    output: &Output,
    format: Format,
    context: &Context,
    draft: impl FnOnce(&Writing, &mut dyn FnMut(Drafted) -> Result<()>) -> Result<Option<Draws>>,
) -> Result<Exported> {
    let refused = || Error::unfit(output.name(), format!("books of {format} are only read"));
    let writing = format.row().writing.as_ref().ok_or_else(refused)?;
    let most = Budget::new(context.memory()).bytes() / 4;
    let mut records = Sorter::within(most.clamp(*RUN.start(), *RUN.end()));
    let (mut moves, mut lost) = (0, Dropped::default());
    let own = draft(writing, &mut |drafted| {
        moves += drafted.moves;
        lost += drafted.lost;
        let Some((key, record)) = drafted.record else {
            return Ok(());
        };
        let folder = std::env::temp_dir();
        let failed = Error::io(&folder, "write a temporary file there");
        records.push(key, record).map_err(failed)
    })?;
    context.progress().step("writing", None);
    let sorted = records.finish();
    let compression = Compression::by_name(output.name());
    lost.records += output.write(WRITTEN, context, |out| {
        let written = || {
            let mut out = Packing::new(BufWriter::new(out), compression)?;
            let others = (writing.write)(&sorted, &mut out)?;
            out.finish()?;
            Ok(others)
        };
        written().map_err(Error::io(output.name(), "write"))
    })?;
    Ok(Exported {
        file: output.name().to_owned(),
        format,
        positions: sorted.count,
        moves,
        own_scores: own.is_some(),
        worth_of_draws: own.unwrap_or_default(),
        lost: lost.to_string(),
    })
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
        crate::database::import::create(&[path], book, IfExists::Refuse, context).map(drop)
    };
    Store::temporary(&SHOGI, "book.obook", make, context)
}
