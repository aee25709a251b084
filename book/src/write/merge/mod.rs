//! Merging books into a database, by the level of each position.
//!
//! Of two records of one board the better search wins, and leaves are compared apart from their positions; links are
//! found anew among all positions; a leaf whose move has become a link is no leaf any more. Then numbers are computed by
//! the book's rules: those of all positions, or, where the book was fixed before and little comes in, only those that can
//! change.

mod incoming;
mod rule;
mod whole;

use crate::store::{Lost, Source};
use crate::write::increment::{Delta, Increment, KeyFilter, Readers, Totals};
use crate::{Book, Entry, Error, Progress, Result, Sorter, Store, Update};
use incoming::{ByBoard, Incoming, Records};
use itertools::Itertools;
use obook_converters::Position;
use obook_converters::RuleSet;
use obook_othello::CanonicalBoard;
use rule::{Target, Verdict, is_conflict, sound};
use serde::Serialize;
use std::path::{Path, PathBuf};
use whole::Whole;

/// How to merge.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct MergeOptions {
    /// Only say what would happen.
    pub dry_run: bool,
    /// Take in also what came in before and should be in the book still.
    pub forced: bool,
    /// Which positions are computed.
    pub strategy: Strategy,
    /// About how many bytes of the positions that come in are sorted in memory, those of all books together; beyond that
    /// they are sorted on the disk. `None` for a gigabyte.
    pub memory: Option<usize>,
}

/// Which positions a merge links and computes. The result is the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Strategy {
    /// What is faster.
    #[default]
    Auto,
    /// All: one pass over the whole book. A book that was not fixed before always takes it.
    Whole,
    /// What comes in and its ancestors.
    Increment,
}

/// What a merge did.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Merged {
    /// What became of each book, in the order in which they came in.
    pub sources: Vec<Taken>,
    /// Leaves whose move became a link.
    pub leaves_lost: u64,
    /// Links that the book did not have.
    pub links: u64,
    /// Of the positions that changed, those that lack a leaf: they stand in table `todo`.
    pub todo: u64,
    /// Whether all positions were computed anew.
    pub whole: bool,
}

/// What became of a book that came in.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Taken {
    /// Its name, contents and counts.
    #[serde(flatten)]
    pub source: Source,
    /// Its contents are in the book already.
    pub known: bool,
    /// What its positions did.
    #[serde(flatten)]
    pub counts: Counts,
}

/// What the positions of a book did to those of another.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Counts {
    /// They were not there.
    pub added: u64,
    /// They, or their leaves, come from a better search.
    pub raised: u64,
    /// They are of the same level, say something else, and are newer.
    pub newer: u64,
    /// The book's own are as good or better.
    pub kept: u64,
    /// Both are values that persons entered, and differ; the newer one holds.
    pub conflicts: u64,
}

/// Where more than one in so many positions changes, a pass over the whole book is faster: a position costs some 20 µs on
/// its own and 2 µs in a pass.
const WHOLE: u64 = 12;

/// Takes books of any kind into the database at `book`.
///
/// One transaction, with an entry in the book's history under the name of `command`.
///
/// # Errors
/// [`Error::BookFile`] where `book` is no database; where a book can't be read or the database can't be written. It is then
/// as before.
pub fn merge(
    book: &Path,
    from: &[PathBuf],
    options: MergeOptions,
    command: &str,
    progress: &Progress,
) -> Result<Merged> {
    if let Book::File(_) = Book::open(book)? {
        return Err(Error::book_file(book, "merge into"));
    }
    if options.dry_run {
        let computed = compute(book, from, options, progress)?;
        let totals = computed.outcome.totals();
        return Ok(computed.report(totals));
    }
    let mut store = Store::open_for_writing(book)?;
    let update = store.update()?;
    let computed = compute(book, from, options, progress)?;
    progress.step("writing", None);
    let totals = computed.outcome.write(&update)?;
    let merged = computed.report(totals);
    for taken in merged.sources.iter().filter(|taken| !taken.known) {
        update.add_source(&taken.source)?;
    }
    update.commit(&Entry::new(command).counts(&merged.total()))?;
    Ok(merged)
}

/// A merge that is not written yet.
struct Computed {
    merging: Merging,
    outcome: Outcome,
}

/// The positions that a merge has computed.
enum Outcome {
    Whole(Whole),
    Increment(Increment),
}

/// Merges, links and computes; the database is only read. Unless the caller holds the right to write, others may change it
/// meanwhile.
fn compute(
    book: &Path,
    from: &[PathBuf],
    options: MergeOptions,
    progress: &Progress,
) -> Result<Computed> {
    let reader = Store::open(book)?;
    let header = reader.header()?;
    let budget = options.memory.unwrap_or(Sorter::BUDGET) / from.len().max(1);
    let mut incoming = Vec::new();
    for path in from {
        incoming.push(Incoming::open(
            path,
            &reader,
            options.forced,
            budget,
            progress,
        )?);
    }
    let mut merging = Merging::new(incoming, header.rules);
    let most = match options.strategy {
        _ if !reader.is_fixed()? => 0,
        Strategy::Auto => reader.estimated_positions()? / WHOLE,
        Strategy::Whole => 0,
        Strategy::Increment => u64::MAX,
    };
    if merging.estimated_positions() <= most {
        let known = KeyFilter::new(book, &merging.boards()?)?;
        let mut readers = Readers::open(book)?;
        let changes = merging.changes(&known, &mut readers)?;
        progress.step("linking and computing", None);
        let restore = !merging.is_edax() || merging.lacks_passes();
        let increment =
            Increment::restoring_passes(restore, &mut readers, known, &header, changes, most)?;
        if let Some(increment) = increment {
            return Ok(Computed {
                merging,
                outcome: Outcome::Increment(increment),
            });
        }
    }
    let whole = merging.whole(&reader, &header, progress)?;
    Ok(Computed {
        merging,
        outcome: Outcome::Whole(whole),
    })
}

impl Outcome {
    fn totals(&self) -> Totals {
        match self {
            Outcome::Whole(whole) => whole.totals(),
            Outcome::Increment(increment) => increment.totals(),
        }
    }

    fn write(&self, update: &Update<'_>) -> Result<Totals> {
        match self {
            Outcome::Whole(whole) => whole.write(update),
            Outcome::Increment(increment) => increment.write(update),
        }
    }
}

impl Computed {
    fn report(self, totals: Totals) -> Merged {
        let Merging {
            incoming, counts, ..
        } = self.merging;
        let taken = |(book, counts)| {
            let (source, known) = match book {
                Incoming::Known(source) => (source, true),
                Incoming::New { source, .. } => (source, false),
            };
            Taken {
                source,
                known,
                counts,
            }
        };
        Merged {
            sources: incoming.into_iter().zip(counts).map(taken).collect(),
            leaves_lost: totals.leaves_lost,
            links: totals.links,
            todo: totals.todo,
            whole: matches!(self.outcome, Outcome::Whole(_)),
        }
    }
}

impl Merged {
    /// What the positions of all books did.
    #[must_use]
    pub fn total(&self) -> Counts {
        let mut total = Counts::default();
        for Taken { counts, .. } in &self.sources {
            total.added += counts.added;
            total.raised += counts.raised;
            total.newer += counts.newer;
            total.kept += counts.kept;
            total.conflicts += counts.conflicts;
        }
        total
    }
}

/// A merge on its way.
struct Merging {
    incoming: Vec<Incoming>,
    counts: Vec<Counts>,
    rules: RuleSet,
}

impl Merging {
    fn new(mut incoming: Vec<Incoming>, rules: RuleSet) -> Merging {
        // The same contents twice in one go are known when they come again.
        let mut met: Vec<String> = Vec::new();
        for book in &mut incoming {
            if let Incoming::New { source, .. } = book {
                if met.contains(&source.sha256) {
                    *book = Incoming::Known(source.clone());
                } else {
                    met.push(source.sha256.clone());
                }
            }
        }
        Merging {
            counts: vec![Counts::default(); incoming.len()],
            incoming,
            rules,
        }
    }

    /// Whether the book holds every pass position itself, as Edax's do.
    fn is_edax(&self) -> bool {
        self.rules == RuleSet::Edax
    }

    /// Whether a book that comes in leaves out the pass positions.
    fn lacks_passes(&self) -> bool {
        let lacks =
            |book: &Incoming| matches!(book, Incoming::New { lacks_passes, .. } if *lacks_passes);
        self.incoming.iter().any(lacks)
    }

    /// About how many positions come in, duplicates counted.
    fn estimated_positions(&self) -> u64 {
        let expected = self.incoming.iter().map(|book| match book {
            Incoming::Known(_) => 0,
            Incoming::New { expected, .. } => *expected,
        });
        expected.sum()
    }

    /// Lets `visit` walk over every board that comes in, with the records of it, and merge them; then the counts of all books
    /// are known.
    fn walk(
        &mut self,
        visit: impl FnOnce(
            &mut dyn Iterator<Item = Result<(CanonicalBoard, Records)>>,
            &mut Tally<'_>,
        ) -> Result<()>,
    ) -> Result<()> {
        self.counts.fill(Counts::default());
        let mut seen = vec![(0, 0, 0); self.incoming.len()];
        let count = |records: &Result<(CanonicalBoard, Records)>| {
            let records = records.iter().flat_map(|(_, records)| records);
            for (place, position) in records {
                let (positions, links, leaves) = &mut seen[*place];
                *positions += 1;
                *links += position.links.len() as u64;
                *leaves += u64::from(position.leaf.is_some_and(|leaf| leaf.mv.is_some()));
            }
        };
        let mut tally = Tally {
            counts: &mut self.counts,
            rules: self.rules,
        };
        visit(
            &mut ByBoard::new(&self.incoming)?.inspect(count),
            &mut tally,
        )?;
        for (book, (positions, links, leaves)) in self.incoming.iter_mut().zip(seen) {
            if let Incoming::New {
                source, records, ..
            } = book
            {
                source.positions = positions;
                source.links = links;
                source.leaves = leaves;
                source.duplicates = records.duplicates(positions);
            }
        }
        Ok(())
    }

    /// All boards that come in, in key order.
    fn boards(&self) -> Result<Vec<CanonicalBoard>> {
        let boards = ByBoard::new(&self.incoming)?;
        boards.map_ok(|(board, _)| board).collect()
    }

    /// The positions that become others, or are new, by what comes in alone.
    fn changes(&mut self, known: &KeyFilter, readers: &mut Readers) -> Result<Vec<Delta>> {
        /// Boards that the book is asked for at once.
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
                    let Some(position) = store.position(board)? else {
                        return Ok(None);
                    };
                    let lost = match position.leaf {
                        Some(_) => None,
                        None => store.lost_leaf(board)?,
                    };
                    Ok(Some((position, lost)))
                })?;
                let mut all_own = own.into_iter().peekable();
                for (board, records) in batch {
                    let own = all_own.next_if(|(position, _)| position.board == board);
                    let new = tally.merge(own.as_ref().map(|(own, lost)| (own, *lost)), records);
                    let old = own.map(|(own, _)| own);
                    if old.as_ref() != Some(&new) {
                        changes.push(Delta {
                            old,
                            new,
                            dropped: None,
                        });
                    }
                }
            }
        })?;
        Ok(changes)
    }
}

/// Counts what each book does.
struct Tally<'m> {
    counts: &'m mut Vec<Counts>,
    rules: RuleSet,
}

impl Tally<'_> {
    /// What the book's own record, if it has one, becomes by all records of its board that come in.
    fn merge(&mut self, own: Option<(&Position, Option<Lost>)>, records: Records) -> Position {
        let mut merged = own.map(|(own, lost)| Target::of(own, lost, self.rules));
        for (place, record) in records {
            let record = sound(record, self.rules == RuleSet::Edax);
            let counts = &mut self.counts[place];
            let Some(target) = &mut merged else {
                counts.added += 1;
                merged = Some(Target::new(record));
                continue;
            };
            counts.conflicts += u64::from(is_conflict(target.position(), &record));
            match target.add(&record) {
                Verdict::Raised => counts.raised += 1,
                Verdict::Newer => counts.newer += 1,
                Verdict::Kept => counts.kept += 1,
            }
        }
        let merged = merged.expect("a board that comes in has a record");
        merged.into_position()
    }
}
