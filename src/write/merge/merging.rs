//! The walk over all incoming records, and what the records of each board become.

use super::rule::{cap, contradiction, is_conflict, is_derived, sound};
use super::{MergedSource, OtherErrors};
use crate::database::Source;
use crate::read::book::errors_first;
use crate::write::import::sha256;
use crate::write::increment::{Delta, KeyFilter, Readers};
use crate::{Book, BookHeader, Context, LeftOut, OtherEngine, Result, SortedBook, Store, spare};
use itertools::Itertools;
use obook_base::UntilError;
use obook_graph::sort::{Combined, Ties, Verdict};
use obook_othello::{CanonicalBoard, Lost, Position, RuleSet};
use serde::Serialize;
use std::collections::HashSet;
use std::path::PathBuf;

/// The effects of merging one book's positions into another.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct MergeCounts {
    /// Positions that were new.
    pub added: u64,
    /// Positions with a better search behind them or their leaf.
    pub raised: u64,
    /// Positions of the same level that say something else, which was taken.
    pub equal: u64,
    /// Positions that were no better than the book's own.
    pub kept: u64,
    /// Positions for which two people entered different values; the larger one was taken.
    pub conflicts: u64,
    /// Positions about which the book proves something else; the proof with the higher bounds was taken.
    pub contradictions: u64,
}

obook_base::sums! { MergeCounts { added, raised, equal, kept, conflicts, contradictions } }

/// A position about which the book proves something else.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct Contradiction {
    /// The board: 64 squares and the side to move.
    pub board: String,
    /// The book's proof and its author.
    pub book: String,
    /// The incoming book's proof and its author.
    pub other: String,
}

/// The number of contradictions that a report names.
const NAMED: usize = 3;

/// The pass positions that a merged book may lack.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Lacking {
    /// None.
    Nothing,
    /// Positions next to one that is new to the book.
    NextToNew,
    /// Any.
    Anywhere,
}

/// A merge in progress.
pub(super) struct Merging {
    /// The books that are new.
    pub(super) books: Vec<New>,
    pub(super) tally: Tally,
}

impl Merging {
    /// Opens books to merge into `store`, whose header is `own`. Those that it knows already are new only if the merge is `forced`. Files
    /// are sorted within the context's memory.
    pub(super) fn open(
        from: &[PathBuf],
        store: &Store,
        own: &BookHeader,
        forced: bool,
        context: &Context,
    ) -> Result<Merging> {
        let (mut books, mut sources) = (Vec::new(), Vec::new());
        let mut hashes = HashSet::new();
        for path in from {
            let book = Book::open(path, context)?;
            let header = book.header()?;
            let format = header.format.clone();
            let format = format.filter(|_| matches!(book, Book::File(_)));
            let mut merged = MergedSource {
                source: Source {
                    name: context.name_of(path),
                    format: format.unwrap_or_else(|| String::from("obook")),
                    sha256: sha256(path)?,
                    positions: 0,
                    links: 0,
                    leaves: 0,
                    duplicates: 0,
                },
                known: true,
                counts: MergeCounts::default(),
                contradictory: Vec::new(),
                errors: None,
                left_out: LeftOut::default(),
                engines: Vec::new(),
            };
            if !forced && let Some(known) = store.source(&merged.source.sha256)? {
                let name = merged.source.name;
                merged.source = Source { name, ..known };
            } else if spare(path, store.path()).is_ok() {
                // It isn't the book itself.
                let engines = match &book {
                    Book::Database(store) => OtherEngine::all_of(store)?,
                    Book::File(_) => Vec::new(),
                };
                let (records, duplicates) = Book::open(path, context)?.sorted_records(context)?;
                merged.source.duplicates = duplicates;
                let expected = records.estimated_positions()?;
                // Contents that occur twice among the incoming books count once.
                if hashes.insert(merged.source.sha256.clone()) {
                    merged.known = false;
                    merged.errors = OtherErrors::between(own, &header);
                    merged.left_out = book.left_out();
                    merged.engines = engines;
                    books.push(New {
                        place: sources.len(),
                        book,
                        header,
                        records: Some(records),
                        expected,
                    });
                }
            }
            sources.push(merged);
        }
        let rules = own.rules;
        let tally = Tally { sources, rules };
        Ok(Merging { books, tally })
    }

    /// The pass positions that the merged book may lack. A book by Edax's rules holds all of its own.
    pub(super) fn lacking(&self) -> Lacking {
        let lacks_passes =
            |new: &New| matches!(new.book, Book::File(_)) && new.header.rules != RuleSet::Edax;
        match self.tally.rules {
            RuleSet::Edax if self.books.iter().any(lacks_passes) => Lacking::NextToNew,
            RuleSet::Edax => Lacking::Nothing,
            RuleSet::Egaroucid | RuleSet::EgaroucidEdax => Lacking::Anywhere,
        }
    }

    /// The header of the merged book: that of the book, with the largest errors, which hold for all books.
    pub(super) fn header(&self, book: &BookHeader) -> BookHeader {
        let mut header = book.clone();
        let own = &mut header.header;
        for new in &self.books {
            let new = &new.header.header;
            own.midgame_error = own.midgame_error.max(new.midgame_error);
            own.endcut_error = own.endcut_error.max(new.endcut_error);
        }
        header
    }

    /// All incoming boards, in key order.
    pub(super) fn boards(&self) -> Result<Vec<CanonicalBoard>> {
        let boards = by_board(&self.books)?;
        boards.map_ok(|(board, _)| board).collect()
    }

    /// The positions that the incoming records change or add, before linking.
    pub(super) fn changes(
        &mut self,
        known: &KeyFilter,
        readers: &mut Readers<'_>,
    ) -> Result<Vec<Delta>> {
        /// The number of boards looked up at a time.
        const BATCH: usize = 1 << 14;
        let mut changes = Vec::new();
        let mut incoming = by_board(&self.books)?;
        loop {
            let batch = incoming.by_ref().take(BATCH);
            let batch = batch.collect::<Result<Vec<_>>>()?;
            if batch.is_empty() {
                return Ok(changes);
            }
            let boards = batch.iter().map(|(board, _)| *board);
            let boards: Vec<_> = boards.filter(|board| known.may_hold(*board)).collect();
            let own = readers.ask(&boards, |store, board| {
                let own = store.position(board)?;
                own.map(|own| store.with_lost(own)).transpose()
            })?;
            let mut all_own = own.into_iter().peekable();
            for (board, records) in batch {
                let own = all_own.next_if(|(position, _)| position.board == board);
                let (new, lost) = self.tally.merge(own.as_ref(), records);
                let old = own.map(|(own, _)| own);
                if old.as_ref() != Some(&new) || lost.is_some() {
                    let change = Delta::new(old, new);
                    changes.push(Delta { lost, ..change });
                }
            }
        }
    }
}

/// Counts what each book does.
pub(super) struct Tally {
    /// All books, in order.
    pub(super) sources: Vec<MergedSource>,
    rules: RuleSet,
}

impl Tally {
    /// Merges all incoming records of a board into the book's own position, if it has one; each with the leaf that it lost. Also
    /// returns that leaf if the book doesn't know it yet.
    pub(super) fn merge(
        &mut self,
        own: Option<&(Position, Option<Lost>)>,
        records: Records,
    ) -> (Position, Option<Lost>) {
        let combine = |position: Position, lost| {
            let derived = is_derived(&position, self.rules);
            Combined::with_lost(position, lost, Ties::Contents).recomputed(derived)
        };
        let mut merged = own.map(|(own, lost)| combine(own.clone(), *lost));
        for incoming in records {
            let MergedSource {
                source,
                counts,
                contradictory: named,
                ..
            } = &mut self.sources[incoming.place];
            let leaf = incoming.position.leaf;
            source.positions += 1;
            source.links += incoming.position.links.len() as u64;
            source.leaves += u64::from(leaf.is_some_and(|leaf| leaf.mv.is_some()));
            let record = sound(incoming.position, self.rules == RuleSet::Edax);
            let lost = incoming.lost.map(|lost| Lost {
                level: lost.level.map(cap),
                ..lost
            });
            let Some(target) = &mut merged else {
                counts.added += 1;
                merged = Some(combine(record, lost));
                continue;
            };
            counts.conflicts += u64::from(is_conflict(target.position(), &record));
            if let Some((book, other)) = contradiction(target.position(), &record) {
                counts.contradictions += 1;
                if named.len() < NAMED {
                    let board = record.board.board().to_text();
                    let [book, other] = [book, other].map(|proof| proof.to_string());
                    named.push(Contradiction { board, book, other });
                }
            }
            match target.add(record, lost) {
                Verdict::Raised => counts.raised += 1,
                Verdict::Equal => counts.equal += 1,
                Verdict::Kept => counts.kept += 1,
            }
        }
        let merged = merged.expect("a board that comes in has a record");
        let value = merged.value();
        let (mut position, lost) = merged.into_parts();
        if own.is_none_or(|(own, _)| own.value != position.value) {
            position.value = value;
        }
        let known = own.and_then(|(_, lost)| *lost);
        (position, lost.filter(|_| lost != known))
    }
}

/// An incoming book that is new.
pub(super) struct New {
    /// Its place among all incoming books.
    place: usize,
    /// The book, for what it holds beside its records. It stays open, so a file that is moved meanwhile does no harm.
    pub(super) book: Book,
    header: BookHeader,
    /// `None` when they will not be read again: they may take as much memory as the book.
    pub(super) records: Option<SortedBook>,
    /// The approximate number of records, duplicates included.
    pub(super) expected: u64,
}

/// The errors of searches that a book's bounds allow for, as its header states them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct Errors {
    /// Of searches in the midgame.
    pub midgame_error: Option<i32>,
    /// Of selective searches to the end.
    pub endcut_error: Option<i32>,
}

impl OtherErrors {
    /// The errors of both books, if both state one, but not the same.
    fn between(book: &BookHeader, other: &BookHeader) -> Option<OtherErrors> {
        let [book, other] = [book, other].map(|it| Errors {
            midgame_error: it.header.midgame_error,
            endcut_error: it.header.endcut_error,
        });
        let pairs = [
            book.midgame_error.zip(other.midgame_error),
            book.endcut_error.zip(other.endcut_error),
        ];
        let differ = pairs
            .into_iter()
            .flatten()
            .any(|(book, other)| book != other);
        differ.then_some(OtherErrors { book, other })
    }
}

/// A record of a board.
pub(super) struct Record {
    /// The index of its book.
    place: usize,
    position: Position,
    /// The search of the leaf that it lost to a link in its book.
    lost: Option<Lost>,
}

/// The records of one board, in the order of the books.
type Records = Vec<Record>;

/// The boards of books in key order, each with its records.
pub(super) fn by_board(
    books: &[New],
) -> Result<impl Iterator<Item = Result<(CanonicalBoard, Records)>>> {
    let mut all = Vec::new();
    for New { place, records, .. } in books {
        if let Some(book) = records {
            all.push(book.positions()?.map(move |position| {
                let (position, lost) = book.with_lost(position?)?;
                Ok(Record {
                    place: *place,
                    position,
                    lost,
                })
            }));
        }
    }
    let key = |record: &Record| (record.position.board, record.place);
    let in_order = move |one: &Result<Record>, other: &Result<Record>| {
        errors_first(one, other, |one, other| key(one).cmp(&key(other))).is_lt()
    };
    let records = all.into_iter().kmerge_by(in_order).peekable();
    let by_board = records.batching(|records| {
        let first = records.next()?;
        Some(first.map(|first| {
            let board = first.position.board;
            let is_of_it = |next: &Result<Record>| {
                next.as_ref().is_ok_and(|next| next.position.board == board)
            };
            let more = std::iter::from_fn(|| records.next_if(is_of_it)).flatten();
            (board, std::iter::once(first).chain(more).collect())
        }))
    });
    Ok(UntilError::new(by_board))
}
