//! A merge that computes the whole book: one pass over both, all positions linked and computed, all tables rewritten.

use super::merging::{Lacking, Merging};
use crate::check::{Findings, Origin};
use crate::database::{Missing, TableChange};
use crate::read::book::{errors_first, memory};
use crate::write::fix::{Plan, mend, missing};
use crate::write::increment::Totals;
use crate::{BookHeader, Change, Error, Result, Store};
use itertools::Itertools;
use obook_graph::link::{LinkReport, link_counted};
use obook_graph::negamax;
use obook_graph::passes::{restore_passes, restore_passes_next_to};
use obook_graph::slabs::{self, ByKey, Gathered, Slab, Slabs};
use obook_graph::sort::Layers;
use obook_othello::{CanonicalBoard, Leaf, Lost};
use obook_sql::rows::Table;
use rayon::prelude::*;

/// The whole book as it will be written.
pub(super) struct Whole {
    positions: ByKey,
    plan: Plan,
    missing: Vec<Missing>,
    totals: Totals,
}

impl Merging {
    /// Merges, links and computes all positions.
    pub(super) fn whole(
        &mut self,
        book: &Store,
        header: &BookHeader,
        waiting: u64,
    ) -> Result<Whole> {
        let progress = book.context().progress();
        let failed = Error::of_slabs(book.path());
        let scoring = header.negamax_rules();
        progress.step("merging", None);
        let Merged {
            gathered,
            mut new,
            due,
            before,
        } = self.gather(book)?;
        self.drop_records();
        let (mut merged, _) = Slabs::new(gathered).map_err(&failed)?;
        let restored = match self.lacking() {
            Lacking::Nothing => Ok(0),
            Lacking::NextToNew => restore_passes_next_to(&mut merged, &mut new),
            Lacking::Anywhere => restore_passes(&mut merged),
        };
        restored.map_err(&failed)?;
        progress.step("computing", Some(merged.len()));
        let (mut report, mut links) = (LinkReport::default(), 0);
        let mut missing_leaves: Vec<Missing> = Vec::new();
        let positions = merged.finish(Slab::position, |slab| {
            let graph = slab.graph_mut();
            let leaves: Vec<Option<Leaf>> = graph.ids().map(|id| graph.leaf(id)).collect();
            mend(graph, Origin::Database(header.rules), &mut Findings::new(0));
            report += link_counted(graph, progress)?;
            negamax::negamax(graph, scoring);
            links += graph.link_count() as u64;
            missing_leaves.extend(missing(graph, |_| true, |id| leaves[id.index()]));
            Ok::<(), slabs::Error>(())
        });
        let positions = positions.map_err(&failed)?;
        missing_leaves.par_sort_unstable_by_key(|missing| missing.board);
        for missing in &mut missing_leaves {
            if let Ok(place) = due.binary_search_by_key(&missing.board, |(board, _)| *board) {
                missing.lost = missing.lost.or(Some(due[place].1));
            }
        }
        let totals = Totals {
            added: positions.len(ByKey::ALL) - before.positions,
            changed: before.positions,
            links: links.saturating_sub(before.links),
            leaves_lost: report.leaves_dropped,
            todo: missing_leaves.len() as i64 - waiting.cast_signed(),
        };
        Ok(Whole {
            positions,
            plan: Plan::fix(Some(scoring)),
            missing: missing_leaves,
            totals,
        })
    }

    /// Merges all positions of the book and of the incoming books, without linking.
    fn gather(&mut self, book: &Store) -> Result<Merged> {
        let mut gathered = Gathered::within(memory(book.context()));
        let mut before = Before::default();
        let mut new = Layers::default();
        let mut due = Vec::new();
        let needs_new = self.lacking() == Lacking::NextToNew;
        self.walk(|incoming, tally| {
            let joined = book.positions()?.merge_join_by(incoming, |own, records| {
                errors_first(own, records, |own, (board, _)| own.board.cmp(board))
            });
            for positions in joined {
                let (own, records) = positions.left_and_right();
                let (own, records) = (own.transpose()?, records.transpose()?);
                if let Some(own) = &own {
                    before.positions += 1;
                    before.links += own.links.len() as u64;
                }
                let merged = match (own, records) {
                    (own, Some((board, records))) => {
                        let lost = match &own {
                            Some(own) if own.leaf.is_none() => book.lost_leaf(board)?,
                            _ => None,
                        };
                        let is_new = own.is_none();
                        let own = own.map(|own| (own, lost));
                        let (merged, lost) = tally.merge(own.as_ref(), records);
                        due.extend(lost.map(|lost| (board, lost)));
                        if is_new && needs_new {
                            new.push(&merged)?;
                        }
                        merged
                    }
                    (Some(own), None) => own,
                    (None, None) => continue,
                };
                gathered.push(merged)?;
            }
            Ok(())
        })?;
        Ok(Merged {
            gathered,
            new,
            due,
            before,
        })
    }
}

impl Whole {
    pub(super) fn totals(&self) -> Totals {
        self.totals
    }

    /// Rewrites all tables.
    pub(super) fn write(&self, update: &Change<'_>) -> Result<Totals> {
        let positions = self.totals.added + self.totals.changed;
        let rows = TableChange {
            changed: positions,
            all: positions,
            derived: false,
        };
        for table in Table::ALL {
            let all = self.positions.positions(ByKey::ALL)?;
            update.replace_rows(table, rows, all, std::iter::empty())?;
        }
        self.plan.record(update, &self.missing)?;
        Ok(self.totals)
    }
}

struct Merged {
    gathered: Gathered,
    /// The positions that are new to the book, if pass positions are to be restored next to them.
    new: Layers,
    /// The searches of leaves that incoming books lost, by board, if the book doesn't know them.
    due: Vec<(CanonicalBoard, Lost)>,
    before: Before,
}

/// The size of the book before.
#[derive(Default)]
struct Before {
    positions: u64,
    links: u64,
}
