//! Merging books into a database, by the level of each position.
//!
//! Of two records of one board the better search wins; leaves are compared separately. Then links are found among all
//! positions, and a leaf whose move is now a link is dropped. At last numbers are computed by the book's rules: all
//! of them, or only those that can change, if the book was fixed and little comes in.

mod merging;
pub mod rule;
mod whole;

pub use merging::{Contradiction, Errors, MergeCounts};

use crate::check::Damage;
use crate::database::Source;
use crate::read::book::memory;
use crate::write::fix::{DifferingRows, Plan};
use crate::write::increment::{Increment, KeyFilter, Readers};
use crate::{Book, BookHeader, LeftOut, OtherEngine, Result, Store};
use merging::{Lacking, Merging, New};
use serde::Serialize;
use std::path::PathBuf;

/// Merge options.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct MergeOptions {
    /// Only report what would happen.
    pub dry_run: bool,
    /// Merge books again that were merged before.
    pub forced: bool,
    /// Which positions are computed.
    pub strategy: Strategy,
}

/// Which positions a merge links and computes. The result is the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum Strategy {
    /// Whichever is faster.
    #[default]
    Auto,
    /// All, in one pass over the whole book. A book that is not fixed always needs this.
    Whole,
    /// Incoming positions and their ancestors.
    Increment,
}

/// The result of a merge.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct Merged {
    /// The result for each book, in order.
    pub sources: Vec<MergedSource>,
    /// Pass positions added.
    pub restored: u64,
    /// Leaves whose move became a link.
    pub leaves_lost: u64,
    /// Links added.
    pub links: u64,
    /// All positions of the book that lack a leaf; they are listed in table `todo`.
    pub todo: u64,
    /// Whether all positions were recomputed.
    pub whole: bool,
}

/// The result for an incoming book.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct MergedSource {
    /// Its name, digest and counts.
    #[serde(flatten)]
    pub source: Source,
    /// Whether it was merged before.
    pub known: bool,
    /// The effects of its positions.
    #[serde(flatten)]
    pub counts: MergeCounts,
    /// The first few positions about which the book proves something else.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub contradictory: Vec<Contradiction>,
    /// The errors that its bounds allow for, and those of the book, if they differ. The larger of each count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub errors: Option<OtherErrors>,
    /// The parts of the file that don't become positions.
    #[serde(flatten)]
    pub left_out: LeftOut,
    /// The engines in it that obook doesn't know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub engines: Vec<OtherEngine>,
}

/// The errors that the bounds of two books allow for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct OtherErrors {
    /// The errors of the book, before the merge.
    pub book: Errors,
    /// The errors of the incoming one.
    pub other: Errors,
}

/// If more than one in this many positions changes, a pass over the whole book is faster: a position costs about 20
/// µs alone and 2 µs in a pass.
const WHOLE: u64 = 12;

/// The memory in bytes that a position merged alone takes: as it was, as it is, and its place among the others.
const CHANGED: u64 = 1000;

/// The memory that incoming files may take if it is not limited: enough for 15 million positions.
const SORTED: u64 = 3 << 30;

/// Merges books of any kind into a database that is open for writing, as one change in its history. For a dry run it may
/// be open for reading.
///
/// # Errors
/// If a book can't be read or the database can't be written. It is then as before.
pub fn merge(book: &mut Store, from: &[PathBuf], options: MergeOptions) -> Result<Merged> {
    if options.dry_run {
        return Ok(compute(book, from, options)?.merged);
    }
    let update = book.change()?;
    let computed = compute(update.store(), from, options)?;
    update.store().context().progress().step("writing", None);
    if computed.header != computed.before {
        update.set_header(&computed.header)?;
    }
    match &computed.outcome {
        Outcome::Whole(rows) => {
            let plan = Plan::fix(Some(computed.header.negamax_rules()));
            rows.write(&update, &Damage::none(), plan)?;
        }
        Outcome::Increment(increment) => {
            increment.write(&update)?;
        }
    }
    // Its numbers follow the new header, too.
    update.mark_fixed()?;
    for new in &computed.books {
        (new.book).each_forecast(|board, forecast| update.put_forecast(board, forecast))?;
        if let Book::Database(store) = &new.book {
            for (engine, name) in store.other_engines()? {
                update.name_engine(engine, &name)?;
            }
        }
    }
    let merged = computed.merged;
    for taken in merged.sources.iter().filter(|taken| !taken.known) {
        update.add_source(&taken.source)?;
    }
    update.commit(&Effects {
        counts: merged.total(),
        restored: merged.restored,
    })?;
    Ok(merged)
}

/// The counts of a merge in the history.
#[derive(Serialize)]
struct Effects {
    #[serde(flatten)]
    counts: MergeCounts,
    restored: u64,
}

/// A merge that is computed but not written.
struct Computed {
    merged: Merged,
    /// The books that are new.
    books: Vec<New>,
    outcome: Outcome,
    /// The header of the book, and the one that it gets.
    before: BookHeader,
    header: BookHeader,
}

/// The computed positions.
enum Outcome {
    Whole(DifferingRows),
    Increment(Increment),
}

/// Merges, links and computes without writing. Unless the caller holds the write lock, other processes may change the
/// book meanwhile.
fn compute(book: &Store, from: &[PathBuf], options: MergeOptions) -> Result<Computed> {
    let context = book.context();
    let progress = context.progress();
    let reader = book.reader()?;
    let before = reader.header()?;
    let share = context.memory().unwrap_or(SORTED) / from.len().max(1) as u64;
    let sharing = context.clone().with_memory(share);
    let mut merging = Merging::open(from, &reader, &before, options.forced, &sharing)?;
    let header = merging.header(&before);
    let same_rules = header.negamax_rules() == before.negamax_rules();
    let lacking_leaves = "SELECT count(*) FROM todo WHERE reason = 'leaf'";
    let waiting = reader.ask::<i64>(lacking_leaves, [])?.cast_unsigned();
    let most = match options.strategy {
        _ if !same_rules || !reader.is_fixed()? => 0,
        Strategy::Auto => {
            let quicker = reader.estimated_positions()? / WHOLE;
            quicker.min(memory(context) / CHANGED)
        }
        Strategy::Whole => 0,
        Strategy::Increment => u64::MAX,
    };
    // For a second count, if too many positions turn out to change.
    let uncounted = merging.tally.sources.clone();
    let expected: u64 = merging.books.iter().map(|new| new.expected).sum();
    let mut increment = None;
    if expected <= most {
        let known = KeyFilter::new(&reader, &merging.boards()?)?;
        let mut readers = Readers::open(&reader)?;
        let changes = merging.changes(&known, &mut readers)?;
        progress.step("linking and computing", None);
        let restore = merging.lacking() != Lacking::Nothing;
        increment =
            Increment::restoring_passes(restore, &mut readers, known, &header, changes, most)?;
    }
    let (outcome, totals) = match increment {
        Some(increment) => {
            let totals = increment.totals();
            (Outcome::Increment(increment), totals)
        }
        None => {
            merging.tally.sources = uncounted;
            let (rows, totals) = merging.whole(&reader, &header, waiting)?;
            (Outcome::Whole(rows), totals)
        }
    };
    let Merging { books, tally } = merging;
    let added: u64 = tally.sources.iter().map(|it| it.counts.added).sum();
    let merged = Merged {
        sources: tally.sources,
        restored: totals.added.saturating_sub(added),
        leaves_lost: totals.leaves_lost,
        links: totals.links,
        todo: waiting.saturating_add_signed(totals.todo),
        whole: matches!(outcome, Outcome::Whole(_)),
    };
    Ok(Computed {
        merged,
        books,
        outcome,
        before,
        header,
    })
}

impl Merged {
    /// The counts of all books together.
    #[must_use]
    pub fn total(&self) -> MergeCounts {
        let mut total = MergeCounts::default();
        for source in &self.sources {
            total += source.counts;
        }
        total
    }
}
