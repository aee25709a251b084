//! A merge that computes the whole book: one pass over both, all positions linked and computed, all tables rewritten.

use super::merging::{Lacking, Merging};
use crate::check::{Findings, Origin};
use crate::read::book::{PART, errors_first, memory, records};
use crate::write::fix::{LayeredBook, Plan, boards, mend, missing, sorter_budget};
use crate::write::increment::Totals;
use crate::{BookHeader, Change, Error, Progress, Result, Sorted, Sorter, Store};
use itertools::Itertools;
use obook_graph::link::{LinkReport, link_shown};
use obook_graph::negamax;
use obook_graph::passes::{restore_passes, restore_passes_of};
use obook_graph::slabs::Gathered;
use obook_graph::sort::Layers;
use obook_graph::{Graph, GraphBuilder};
use obook_model::{Leaf, Lost};
use obook_othello::CanonicalBoard;
use obook_rows::Table;
use obook_store::{Missing, TableChange};
use std::path::Path;

/// The whole book as it will be written.
pub(super) struct Whole {
    book: Computed,
    plan: Plan,
    missing: Vec<Missing>,
    totals: Totals,
}

/// All positions with their links and numbers.
enum Computed {
    /// In memory.
    Graph(Graph),
    /// In temporary files.
    Sorted(Sorted),
}

impl Merging {
    /// Merges, links and computes: in memory, or two layers at a time if the book needs more than the context allows.
    pub(super) fn whole(
        &mut self,
        book: &Store,
        header: &BookHeader,
        waiting: u64,
    ) -> Result<Whole> {
        let progress = book.context().progress();
        let plan = Plan::fix(Some(header.negamax_rules()));
        progress.step("merging", None);
        let Merged {
            gathered,
            mut new,
            due,
            before,
        } = self.gather(book)?;
        let (computed, positions, links, report, mut missing) = match gathered {
            Gathered::Memory(builder) => {
                let (graph, report, missing) =
                    self.in_memory(builder, &mut new, header, book.path(), progress)?;
                let (positions, links) = (graph.len() as u64, graph.link_count() as u64);
                (Computed::Graph(graph), positions, links, report, missing)
            }
            Gathered::Disk { layers, .. } => {
                let mut merged = LayeredBook::new(layers, book.path(), progress);
                match self.lacking() {
                    Lacking::Nothing => {}
                    Lacking::NextToNew => drop(merged.restore_passes(Some(&mut new))?),
                    Lacking::Anywhere => drop(merged.restore_passes(None)?),
                }
                let mut sorter = Sorter::with_budget(sorter_budget(memory(book.context())));
                let (mut positions, mut links) = (0, 0);
                let computed = merged.compute(header.rules, plan, |draft, layer| {
                    let graph = &draft.graph;
                    for id in graph.ids().filter(|id| layer.contains(*id)) {
                        let position = graph.position(id);
                        positions += 1;
                        links += position.links.len() as u64;
                        sorter.push(&position)?;
                    }
                    Ok(())
                })?;
                let sorted = Computed::Sorted(sorter.finish()?);
                (sorted, positions, links, computed.link, computed.missing)
            }
        };
        for missing in &mut missing {
            if let Ok(place) = due.binary_search_by_key(&missing.board, |(board, _)| *board) {
                missing.lost = missing.lost.or(Some(due[place].1));
            }
        }
        let totals = Totals {
            added: positions - before.positions,
            changed: before.positions,
            links: links.saturating_sub(before.links),
            leaves_lost: report.leaves_dropped,
            todo: missing.len() as i64 - waiting.cast_signed(),
        };
        Ok(Whole {
            book: computed,
            plan,
            missing,
            totals,
        })
    }

    /// Links and computes a merged book in memory.
    fn in_memory(
        &self,
        builder: GraphBuilder,
        new: &mut Layers,
        header: &BookHeader,
        path: &Path,
        progress: &Progress,
    ) -> Result<(Graph, LinkReport, Vec<Missing>)> {
        let too_large = Error::too_large(path);
        let (mut graph, _) = builder.finish().map_err(&too_large)?;
        match self.lacking() {
            Lacking::Nothing => {}
            Lacking::NextToNew => {
                let new = boards(new, Layers::all())?;
                restore_passes_of(&mut graph, |board| new.contains(&board)).map_err(&too_large)?;
            }
            Lacking::Anywhere => drop(restore_passes(&mut graph).map_err(&too_large)?),
        }
        let leaves: Vec<Option<Leaf>> = graph.ids().map(|id| graph.leaf(id)).collect();
        mend(
            &mut graph,
            Origin::Database(header.rules),
            &mut Findings::new(0),
        );
        let report = link_shown(&mut graph, progress).map_err(&too_large)?;
        progress.step("computing", None);
        negamax::negamax(&mut graph, header.negamax_rules());
        let missing = missing(&graph, |_| true, |id| leaves[id.index()]);
        Ok((graph, report, missing))
    }

    /// Merges all positions of the book and of the incoming books, without linking.
    fn gather(&mut self, book: &Store) -> Result<Merged> {
        let most = records(memory(book.context()));
        let mut gathered = Gathered::default();
        let (mut part, mut in_part) = (Graph::builder(), 0);
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
                part.push(merged);
                in_part += 1;
                if in_part == PART {
                    gathered.append(std::mem::take(&mut part), most)?;
                    in_part = 0;
                }
            }
            Ok(gathered.append(part, most)?)
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
            let none = std::iter::empty();
            match &self.book {
                Computed::Graph(graph) => {
                    update.replace_rows(table, rows, graph.positions().map(Ok), none)?;
                }
                Computed::Sorted(sorted) => {
                    let positions = sorted.positions()?.map(|position| Ok(position?));
                    update.replace_rows(table, rows, positions, none)?;
                }
            }
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
