//! A walk over all that comes in, with what each board's records become.

use super::incoming::{ByBoard, Incoming, Records};
use super::rule::{Target, Verdict, is_conflict, sound};
use crate::Result;
use crate::write::increment::{Delta, KeyFilter, Readers};
use itertools::Itertools;
use obook_model::{Position, RuleSet};
use obook_othello::CanonicalBoard;
use obook_store::Lost;
use serde::Serialize;

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

/// A merge on its way.
pub(super) struct Merging {
    pub(super) incoming: Vec<Incoming>,
    pub(super) counts: Vec<Counts>,
    rules: RuleSet,
}

impl Merging {
    pub(super) fn new(mut incoming: Vec<Incoming>, rules: RuleSet) -> Merging {
        // The same contents twice in one go are known when they come again.
        let mut hashes: Vec<String> = Vec::new();
        for book in &mut incoming {
            if let Incoming::New { source, .. } = book {
                if hashes.contains(&source.sha256) {
                    *book = Incoming::Known(source.clone());
                } else {
                    hashes.push(source.sha256.clone());
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
    pub(super) fn is_edax(&self) -> bool {
        self.rules == RuleSet::Edax
    }

    /// Whether a book that comes in leaves out the pass positions.
    pub(super) fn lacks_passes(&self) -> bool {
        let lacks =
            |book: &Incoming| matches!(book, Incoming::New { lacks_passes, .. } if *lacks_passes);
        self.incoming.iter().any(lacks)
    }

    /// About how many positions come in, duplicates counted.
    pub(super) fn estimated_positions(&self) -> u64 {
        let expected = self.incoming.iter().map(|book| match book {
            Incoming::Known(_) => 0,
            Incoming::New { expected, .. } => *expected,
        });
        expected.sum()
    }

    /// Lets `visit` walk over every board that comes in, with the records of it, and merge them; then the counts of all books
    /// are known.
    pub(super) fn walk(
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
    pub(super) fn boards(&self) -> Result<Vec<CanonicalBoard>> {
        let boards = ByBoard::new(&self.incoming)?;
        boards.map_ok(|(board, _)| board).collect()
    }

    /// The positions that become others, or are new, by what comes in alone.
    pub(super) fn changes(
        &mut self,
        known: &KeyFilter,
        readers: &mut Readers,
    ) -> Result<Vec<Delta>> {
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
pub(super) struct Tally<'m> {
    counts: &'m mut Vec<Counts>,
    rules: RuleSet,
}

impl Tally<'_> {
    /// What the book's own record, if it has one, becomes by all records of its board that come in.
    pub(super) fn merge(
        &mut self,
        own: Option<(&Position, Option<Lost>)>,
        records: Records,
    ) -> Position {
        let mut merged = own.map(|(own, lost)| Target::of(own, lost, self.rules));
        for (place, record) in records {
            let record = sound(record, self.rules == RuleSet::Edax);
            let counts = &mut self.counts[place];
            let Some(target) = &mut merged else {
                counts.added += 1;
                merged = Some(Target::new(record, self.rules));
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
