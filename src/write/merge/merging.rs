//! The walk over all incoming records, and what the records of each board become.

use super::rule::{cap, contradiction, is_conflict, is_derived, sound};
use crate::database::Source;
use crate::read::book::errors_first;
use crate::write::import::sha256;
use crate::write::increment::{Delta, KeyFilter, Readers};
use crate::{Book, BookHeader, Context, LeftOut, OtherEngine, Result, SortedBook, Store, spare};
use itertools::Itertools;
use obook_base::UntilError;
use obook_converters::Header;
use obook_graph::sort::{Combined, Ties, Verdict};
use obook_othello::{CanonicalBoard, Lost, Position, RuleSet};
use serde::Serialize;
use std::collections::HashSet;
use std::path::Path;

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
    pub(super) incoming: Vec<Incoming>,
    pub(super) tally: Tally,
}

impl Merging {
    pub(super) fn new(mut incoming: Vec<Incoming>, rules: RuleSet) -> Merging {
        // Contents that occur twice among the incoming books count once.
        let mut hashes = HashSet::new();
        for Incoming { source, new } in &mut incoming {
            new.take_if(|_| !hashes.insert(source.sha256.clone()));
        }
        let tally = Tally {
            counts: vec![Default::default(); incoming.len()],
            rules,
        };
        Merging { incoming, tally }
    }

    /// The pass positions that the merged book may lack. A book by Edax's rules holds all of its own.
    pub(super) fn lacking(&self) -> Lacking {
        match self.tally.rules {
            RuleSet::Edax if self.new_books().any(|new| new.lacks_passes) => Lacking::NextToNew,
            RuleSet::Edax => Lacking::Nothing,
            RuleSet::Egaroucid | RuleSet::EgaroucidEdax => Lacking::Anywhere,
        }
    }

    /// The header of the merged book: that of the book, with the largest errors, which hold for all books.
    pub(super) fn header(&self, book: &BookHeader) -> BookHeader {
        let mut header = book.clone();
        let own = &mut header.header;
        for New { errors, .. } in self.new_books() {
            own.midgame_error = own.midgame_error.max(errors.midgame_error);
            own.endcut_error = own.endcut_error.max(errors.endcut_error);
        }
        header
    }

    /// The approximate number of incoming positions, duplicates included.
    pub(super) fn estimated_positions(&self) -> u64 {
        self.new_books().map(|new| new.expected).sum()
    }

    /// The books that are new.
    pub(super) fn new_books(&self) -> impl Iterator<Item = &New> {
        self.incoming.iter().filter_map(|book| book.new.as_ref())
    }

    /// Lets `visit` walk over every incoming board with its records, and then fills in the counts of all books.
    pub(super) fn walk(
        &mut self,
        visit: impl FnOnce(
            &mut dyn Iterator<Item = Result<(CanonicalBoard, Records)>>,
            &mut Tally,
        ) -> Result<()>,
    ) -> Result<()> {
        let tally = &mut self.tally;
        tally.counts.fill(Default::default());
        let mut seen = vec![(0, 0, 0); self.incoming.len()];
        let count = |records: &Result<(CanonicalBoard, Records)>| {
            let records = records.iter().flat_map(|(_, records)| records);
            for record in records {
                let (positions, links, leaves) = &mut seen[record.place];
                *positions += 1;
                *links += record.position.links.len() as u64;
                *leaves += u64::from(record.position.leaf.is_some_and(|leaf| leaf.mv.is_some()));
            }
        };
        visit(&mut by_board(&self.incoming)?.inspect(count), tally)?;
        for (book, (positions, links, leaves)) in self.incoming.iter_mut().zip(seen) {
            if book.new.is_some() {
                book.source.positions = positions;
                book.source.links = links;
                book.source.leaves = leaves;
            }
        }
        Ok(())
    }

    /// Drops the incoming records, which may take as much memory as the book.
    pub(super) fn drop_records(&mut self) {
        for new in self.incoming.iter_mut().flat_map(|book| &mut book.new) {
            new.records = None;
        }
    }

    /// All incoming boards, in key order.
    pub(super) fn boards(&self) -> Result<Vec<CanonicalBoard>> {
        let boards = by_board(&self.incoming)?;
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
        self.walk(|incoming, tally| {
            loop {
                let batch = incoming.take(BATCH).collect::<Result<Vec<_>>>()?;
                if batch.is_empty() {
                    return Ok(());
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
                    let (new, lost) = tally.merge(own.as_ref(), records);
                    let old = own.map(|(own, _)| own);
                    if old.as_ref() != Some(&new) || lost.is_some() {
                        let change = Delta::new(old, new);
                        changes.push(Delta { lost, ..change });
                    }
                }
            }
        })?;
        Ok(changes)
    }
}

/// Counts what each book does.
pub(super) struct Tally {
    /// Of each book, with its first contradictions.
    pub(super) counts: Vec<(MergeCounts, Vec<Contradiction>)>,
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
            let record = sound(incoming.position, self.rules == RuleSet::Edax);
            let lost = incoming.lost.map(|lost| Lost {
                level: lost.level.map(cap),
                ..lost
            });
            let (counts, named) = &mut self.counts[incoming.place];
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

/// An incoming book.
pub(super) struct Incoming {
    /// Its counts are filled in as it is read.
    pub(super) source: Source,
    /// `None` if it was merged before, or is the book itself.
    pub(super) new: Option<New>,
}

/// An incoming book that is new.
pub(super) struct New {
    /// The book, for what it holds beside its records. It stays open, so a file that is moved meanwhile does no harm.
    pub(super) book: Book,
    /// `None` when they will not be read again.
    records: Option<SortedBook>,
    /// The approximate number of records, duplicates included.
    expected: u64,
    /// Whether it leaves out pass positions.
    lacks_passes: bool,
    /// The errors that its bounds allow for.
    pub(super) errors: Errors,
    /// The parts of the file that don't become positions.
    pub(super) left_out: LeftOut,
    /// The engines in it that obook doesn't know.
    pub(super) engines: Vec<OtherEngine>,
}

impl Incoming {
    /// Opens a book that `store` doesn't know yet or, if `forced`, any book. A file is sorted within the context's memory.
    pub(super) fn open(
        path: &Path,
        store: &Store,
        forced: bool,
        context: &Context,
    ) -> Result<Incoming> {
        let book = Book::open(path, context)?;
        let header = book.header()?;
        let is_file = matches!(book, Book::File(_));
        let of_file = header.format.filter(|_| is_file);
        let mut source = Source {
            name: context.name_of(path),
            format: of_file.unwrap_or_else(|| String::from("obook")),
            sha256: sha256(path)?,
            positions: 0,
            links: 0,
            leaves: 0,
            duplicates: 0,
        };
        if !forced && let Some(known) = store.source(&source.sha256)? {
            let name = source.name;
            let source = Source { name, ..known };
            return Ok(Incoming { source, new: None });
        }
        // The book itself.
        if spare(path, store.path()).is_err() {
            return Ok(Incoming { source, new: None });
        }
        let engines = match &book {
            Book::Database(store) => OtherEngine::all_of(store)?,
            Book::File(_) => Vec::new(),
        };
        let (records, duplicates) = Book::open(path, context)?.sorted_records(context)?;
        source.duplicates = duplicates;
        let new = New {
            expected: records.estimated_positions()?,
            records: Some(records),
            left_out: book.left_out(),
            book,
            engines,
            lacks_passes: is_file && header.rules != RuleSet::Edax,
            errors: Errors::of(&header.header),
        };
        let new = Some(new);
        Ok(Incoming { source, new })
    }
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

impl Errors {
    pub(super) fn of(header: &Header) -> Errors {
        Errors {
            midgame_error: header.midgame_error,
            endcut_error: header.endcut_error,
        }
    }

    /// Whether both state an error, but not the same.
    pub(super) fn contradicts(self, other: Errors) -> bool {
        let differ = |one: Option<i32>, other: Option<i32>| {
            one.zip(other).is_some_and(|(one, other)| one != other)
        };
        differ(self.midgame_error, other.midgame_error)
            || differ(self.endcut_error, other.endcut_error)
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

/// The boards of the new ones of the incoming books in key order, each with its records.
fn by_board(
    incoming: &[Incoming],
) -> Result<impl Iterator<Item = Result<(CanonicalBoard, Records)>>> {
    let mut books = Vec::new();
    for (place, book) in incoming.iter().enumerate() {
        if let Some(book) = book.new.as_ref().and_then(|new| new.records.as_ref()) {
            books.push(book.positions()?.map(move |position| {
                let (position, lost) = book.with_lost(position?)?;
                Ok(Record {
                    place,
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
    let records = books.into_iter().kmerge_by(in_order).peekable();
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
