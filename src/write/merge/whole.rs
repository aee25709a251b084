//! A merge that computes the whole book: one pass over both, all positions linked and computed, and rows that differ written.

use super::merging::{Lacking, Merging};
use crate::check::{Damage, Findings, Origin};
use crate::database::Missing;
use crate::read::book::{errors_first, memory};
use crate::write::fix::{DifferingRows, Plan, mark_stale, mend};
use crate::write::increment::{Totals, links};
use crate::{BookHeader, Change, Error, Result, RowCounts, Store};
use itertools::Itertools;
use obook_graph::link::{LinkReport, link_counted};
use obook_graph::passes::{restore_passes, restore_passes_next_to};
use obook_graph::slabs::{Gathered, Slab, Slabs};
use obook_graph::sort::{self, Layers};
use obook_graph::{Selection, negamax};
use obook_othello::{CanonicalBoard, Lost, Position};

/// The whole book as it will be written.
pub(super) struct Whole {
    rows: DifferingRows,
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
            mut differing,
            mut new,
            due,
            were_links,
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
        merged.remember();
        let mut report = LinkReport::default();
        let rows = DifferingRows::of(merged, |slab| {
            mark_stale(slab, boards_of(slab, &mut differing)?);
            let graph = slab.graph_mut();
            mend(graph, Origin::Database(header.rules), &mut Findings::new(0));
            report += link_counted(graph, progress)?;
            negamax::negamax(graph, scoring);
            Ok(Selection::all(graph))
        });
        let rows = rows.map_err(&failed)?;
        let mut missing = rows.missing().to_vec();
        for missing in &mut missing {
            if let Ok(place) = due.binary_search_by_key(&missing.board, |(board, _)| *board) {
                missing.lost = missing.lost.or(Some(due[place].1));
            }
        }
        let totals = Totals {
            added: rows.positions() - before.positions,
            changed: before.positions,
            links: rows.links().saturating_sub(before.links),
            leaves_lost: report.leaves_dropped.saturating_sub(were_links),
            todo: missing.len() as i64 - waiting.cast_signed(),
        };
        Ok(Whole {
            rows,
            plan: Plan::fix(Some(scoring)),
            missing,
            totals,
        })
    }

    /// Merges all positions of the book and of the incoming books, without linking.
    fn gather(&mut self, book: &Store) -> Result<Merged> {
        let mut gathered = Gathered::within(memory(book.context()));
        let mut before = RowCounts::default();
        let (mut differing, mut new) = (Layers::default(), Layers::default());
        let (mut due, mut were_links) = (Vec::new(), 0);
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
                        let own = own.map(|own| (own, lost));
                        let (merged, lost) = tally.merge(own.as_ref(), records);
                        due.extend(lost.map(|lost| (board, lost)));
                        let was_link = |leaf| own.as_ref().is_some_and(|(own, _)| links(own, leaf));
                        were_links += u64::from(merged.leaf.is_some_and(was_link));
                        if own.is_none() && needs_new {
                            new.push(&merged)?;
                        }
                        if own.is_none_or(|(own, _)| own != merged) {
                            differing.push(&Position::new(board, merged.engine))?;
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
            differing,
            new,
            due,
            were_links,
            before,
        })
    }
}

impl Whole {
    pub(super) fn totals(&self) -> Totals {
        self.totals
    }

    /// Writes the rows that differ.
    pub(super) fn write(&self, update: &Change<'_>) -> Result<Totals> {
        self.rows.write(update, &Damage::none())?;
        self.plan.record(update, &self.missing)?;
        Ok(self.totals)
    }
}

/// The boards of those positions that are in a slab's own layers.
fn boards_of(slab: &Slab, positions: &mut Layers) -> sort::Result<Vec<CanonicalBoard>> {
    let mut boards = Vec::new();
    for empties in slab.layers() {
        for position in positions.read(empties)? {
            boards.push(position?.board);
        }
    }
    Ok(boards)
}

struct Merged {
    gathered: Gathered,
    /// The boards whose positions differ from the book's own, before linking.
    differing: Layers,
    /// The positions that are new to the book, if pass positions are to be restored next to them.
    new: Layers,
    /// The searches of leaves that incoming books lost, by board, if the book doesn't know them.
    due: Vec<(CanonicalBoard, Lost)>,
    /// The number of leaves whose move was a link of the book before.
    were_links: u64,
    /// The size of the book before.
    before: RowCounts,
}
