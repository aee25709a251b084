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
use crate::write::increment::{self, Delta, Increment, KeyFilter, Readers};
use crate::{Book, Entry, Error, Progress, Result, Store};
use incoming::{Incoming, Said, Together};
use obook_converters::Position;
use obook_converters::RuleSet;
use obook_othello::CanonicalBoard;
use rule::{Verdict, combine, is_conflict, sound};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// How to merge.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct MergeOptions {
    /// Only say what would happen.
    pub dry_run: bool,
    /// Which positions are computed.
    pub way: Way,
}

/// Which positions a merge links and computes. The result is the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Way {
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
    let mut store = Store::open_for_writing(book)?;
    let update = store.update()?;
    let reader = Store::open(book)?;
    let header = reader.header()?;
    let mut incoming = Vec::new();
    for path in from {
        incoming.push(Incoming::open(path, &reader, progress)?);
    }
    let mut merging = Merging::new(incoming, header.rules == RuleSet::Edax);
    let most = match options.way {
        _ if !reader.is_fixed()? => 0,
        Way::Auto => reader.estimated_positions()? / WHOLE,
        Way::Whole => 0,
        Way::Increment => u64::MAX,
    };
    let coming = merging.positions();
    let mut increment = None;
    if coming <= most {
        let known = KeyFilter::new(book, &merging.boards()?)?;
        let mut readers = Readers::open(book)?;
        let changes = merging.changes(&known, &mut readers)?;
        progress.step("linking and computing", None);
        increment = Increment::new(&mut readers, known, &header, changes, most)?;
    }
    let written = match &increment {
        Some(increment) => {
            progress.step("writing", None);
            increment.write(&update)?
        }
        None => merging.whole(&update, &reader, &header, progress)?,
    };
    let merged = merging.report(written, increment.is_none());
    if options.dry_run {
        return Ok(merged);
    }
    for taken in merged.sources.iter().filter(|taken| !taken.known) {
        update.add_source(&taken.source)?;
    }
    update.commit(&Entry::new(command).counts(&merged.total()))?;
    Ok(merged)
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
    edax: bool,
}

impl Merging {
    fn new(mut incoming: Vec<Incoming>, edax: bool) -> Merging {
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
            edax,
        }
    }

    /// How many positions come in, duplicates counted.
    fn positions(&self) -> u64 {
        let taken = self.incoming.iter().map(|book| match book {
            Incoming::Known(_) => 0,
            Incoming::New { sorted, .. } => sorted.taken(),
        });
        taken.sum()
    }

    /// Every board that comes in, with what the books say of it, to `visit`, which is also given the merge of that with
    /// what the book says.
    fn each(&mut self, mut visit: impl FnMut(&mut Tally<'_>, Said) -> Result<()>) -> Result<()> {
        self.counts.fill(Counts::default());
        let Merging {
            incoming,
            counts,
            edax,
        } = self;
        let mut seen = vec![(0, 0, 0); incoming.len()];
        let together = Together::new(incoming)?;
        let mut tally = Tally {
            counts,
            edax: *edax,
        };
        for said in together {
            let (_, said) = said?;
            for (number, position) in &said {
                let (positions, links, leaves) = &mut seen[*number];
                *positions += 1;
                *links += position.links.len() as u64;
                *leaves += u64::from(position.leaf.is_some_and(|leaf| leaf.mv.is_some()));
            }
            visit(&mut tally, said)?;
        }
        for (book, (positions, links, leaves)) in incoming.iter_mut().zip(seen) {
            if let Incoming::New { source, sorted } = book {
                source.positions = positions;
                source.links = links;
                source.leaves = leaves;
                source.duplicates = sorted.taken() - positions;
            }
        }
        Ok(())
    }

    /// All boards that come in, in key order.
    fn boards(&self) -> Result<Vec<CanonicalBoard>> {
        let boards = Together::new(&self.incoming)?;
        boards.map(|said| Ok(said?.0)).collect()
    }

    /// The positions that become others, or are new, by what comes in alone.
    fn changes(&mut self, known: &KeyFilter, readers: &mut Readers) -> Result<Vec<Delta>> {
        let mut changes = Vec::new();
        let mut waiting: Vec<Said> = Vec::new();
        let mut settle = |tally: &mut Tally<'_>, waiting: &mut Vec<Said>| {
            let boards = waiting.iter().map(|said| said[0].1.board);
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
            for said in waiting.drain(..) {
                let board = said[0].1.board;
                let own = all_own.next_if(|(position, _)| position.board == board);
                let new = tally.settle(own.as_ref().map(|(own, lost)| (own, *lost)), said);
                let old = own.map(|(own, _)| own);
                if old.as_ref() != Some(&new) {
                    changes.push(Delta {
                        old,
                        new,
                        dropped: None,
                    });
                }
            }
            Ok::<_, Error>(())
        };
        const TOGETHER: usize = 1 << 14;
        self.each(|tally, said| {
            waiting.push(said);
            if waiting.len() == TOGETHER {
                settle(tally, &mut waiting)?;
            }
            Ok(())
        })?;
        let edax = self.edax;
        let counts = &mut self.counts;
        settle(&mut Tally { counts, edax }, &mut waiting)?;
        Ok(changes)
    }

    fn report(self, written: increment::Written, whole: bool) -> Merged {
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
            sources: self
                .incoming
                .into_iter()
                .zip(self.counts)
                .map(taken)
                .collect(),
            leaves_lost: written.leaves_lost,
            links: written.links,
            todo: written.todo,
            whole,
        }
    }
}

/// Counts what each book does.
struct Tally<'m> {
    counts: &'m mut Vec<Counts>,
    edax: bool,
}

impl Tally<'_> {
    /// What the book's own record, if it has one, becomes by all that is said of its board.
    fn settle(&mut self, own: Option<(&Position, Option<Lost>)>, said: Said) -> Position {
        let mut merged = own.map(|(own, _)| own.clone());
        let lost = own.and_then(|(_, lost)| lost);
        for (number, position) in said {
            let position = sound(position, self.edax);
            let counts = &mut self.counts[number];
            let Some(book) = &merged else {
                counts.added += 1;
                merged = Some(position);
                continue;
            };
            counts.conflicts += u64::from(is_conflict(book, &position));
            let (combined, verdict) = combine(book, lost, &position);
            match verdict {
                Verdict::Raised => counts.raised += 1,
                Verdict::Newer => counts.newer += 1,
                Verdict::Kept => counts.kept += 1,
            }
            merged = Some(combined);
        }
        merged.expect("somebody says something of every board")
    }
}
