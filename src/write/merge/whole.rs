//! A merge that computes the whole book: one pass over both, all positions linked and computed, and rows that differ written.

use super::merging::{Lacking, Merging, by_board};
use crate::check::{Findings, Origin};
use crate::read::book::{errors_first, memory};
use crate::write::fix::{DifferingRows, mark_stale, mend};
use crate::write::increment::{Totals, links};
use crate::{BookHeader, Error, Result, RowCounts, Store};
use itertools::Itertools;
use obook_graph::link::{LinkReport, link_counted};
use obook_graph::negamax;
use obook_graph::passes::{restore_passes, restore_passes_next_to};
use obook_graph::slabs::{Gathered, Slabs};
use obook_graph::sort::Layers;
use obook_othello::{CanonicalBoard, Lost, Position};

impl Merging {
    /// Merges, links and computes all positions. Returns the rows to write.
    pub(super) fn whole(
        &mut self,
        book: &Store,
        header: &BookHeader,
        waiting: u64,
    ) -> Result<(DifferingRows, Totals)> {
        let progress = book.context().progress();
        let failed = Error::of_slabs(book.path());
        let scoring = header.negamax_rules();
        progress.step("merging", None);
        let mut all = self.gather(book)?;
        self.books.iter_mut().for_each(|new| new.records = None);
        let (mut merged, _) = Slabs::new(all.gathered).map_err(&failed)?;
        let restored = match self.lacking() {
            Lacking::Nothing => Ok(0),
            Lacking::NextToNew => restore_passes_next_to(&mut merged, &mut all.new),
            Lacking::Anywhere => restore_passes(&mut merged),
        };
        restored.map_err(&failed)?;
        progress.step("computing", Some(merged.len()));
        merged.remember();
        let mut report = LinkReport::default();
        let rows = DifferingRows::of(merged, |slab| {
            let mut boards = Vec::new();
            for empties in slab.layers() {
                all.differing.each(empties, |it| boards.push(it.board))?;
            }
            mark_stale(slab, boards);
            let graph = slab.graph_mut();
            mend(graph, Origin::Database(header.rules), &mut Findings::new(0));
            report += link_counted(graph, progress)?;
            negamax::negamax(graph, scoring);
            Ok(vec![true; graph.len()])
        });
        let mut rows = rows.map_err(&failed)?;
        for missing in &mut rows.missing {
            let due = all.due.binary_search_by_key(&missing.board, |it| it.0);
            missing.lost = missing.lost.or(due.ok().map(|place| all.due[place].1));
        }
        let totals = Totals {
            added: rows.positions() - all.before.positions,
            changed: all.before.positions,
            links: rows.links().saturating_sub(all.before.links),
            leaves_lost: report.leaves_dropped.saturating_sub(all.were_links),
            todo: rows.missing.len() as i64 - waiting.cast_signed(),
        };
        Ok((rows, totals))
    }

    /// Merges all positions of the book and of the incoming books, without linking.
    fn gather(&mut self, book: &Store) -> Result<Merged> {
        let mut all = Merged {
            gathered: Gathered::within(memory(book.context())),
            differing: Layers::default(),
            new: Layers::default(),
            due: Vec::new(),
            were_links: 0,
            before: RowCounts::default(),
        };
        let needs_new = self.lacking() == Lacking::NextToNew;
        let incoming = by_board(&self.books)?;
        let joined = book.positions()?.merge_join_by(incoming, |own, records| {
            errors_first(own, records, |own, (board, _)| own.board.cmp(board))
        });
        for positions in joined {
            let (own, records) = positions.left_and_right();
            let (own, records) = (own.transpose()?, records.transpose()?);
            if let Some(own) = &own {
                all.before.positions += 1;
                all.before.links += own.links.len() as u64;
            }
            let merged = match (own, records) {
                (own, Some((board, records))) => {
                    let own = own.map(|own| book.with_lost(own)).transpose()?;
                    let (merged, lost) = self.tally.merge(own.as_ref(), records);
                    all.due.extend(lost.map(|lost| (board, lost)));
                    let was_link = |leaf| own.as_ref().is_some_and(|(own, _)| links(own, leaf));
                    all.were_links += u64::from(merged.leaf.is_some_and(was_link));
                    if own.is_none() && needs_new {
                        all.new.push(&merged)?;
                    }
                    if own.is_none_or(|(own, _)| own != merged) {
                        all.differing.push(&Position::new(board, merged.engine))?;
                    }
                    merged
                }
                (Some(own), None) => own,
                (None, None) => continue,
            };
            all.gathered.push(merged)?;
        }
        Ok(all)
    }
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
