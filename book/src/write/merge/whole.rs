//! A merge that computes the whole book: one pass over both, a graph of all positions, all tables rewritten.

use super::merging::Merging;
use crate::check::{Findings, Origin};
use crate::write::fix::{Plan, mend, missing};
use crate::write::increment::Totals;
use crate::{BookHeader, Change, Error, Progress, Result, Store};
use itertools::Itertools;
use obook_graph::link::link_shown;
use obook_graph::negamax;
use obook_graph::passes::{restore_passes, restore_passes_of};
use obook_graph::{Graph, GraphBuilder};
use obook_model::Leaf;
use obook_othello::CanonicalBoard;
use obook_rows::Table;
use obook_store::{Missing, TableChange};
use std::cmp::Ordering;

/// The whole book as it will be written.
pub(super) struct Whole {
    graph: Graph,
    plan: Plan,
    missing: Vec<Missing>,
    totals: Totals,
}

impl Merging {
    /// Merges, links and computes.
    pub(super) fn whole(
        &mut self,
        book: &Store,
        header: &BookHeader,
        progress: &Progress,
    ) -> Result<Whole> {
        let too_large = Error::too_large(book.path());
        progress.step("merging", None);
        let Gathered {
            builder,
            new,
            before,
        } = self.gather(book)?;
        let (mut graph, _) = builder.finish().map_err(&too_large)?;
        if !self.is_edax() {
            restore_passes(&mut graph).map_err(&too_large)?;
        } else if self.lacks_passes() {
            restore_passes_of(&mut graph, |board| new.binary_search(&board).is_ok())
                .map_err(&too_large)?;
        }
        mend(
            &mut graph,
            Origin::Database(header.rules),
            &mut Findings::new(0),
        );
        let leaves: Vec<Option<Leaf>> = graph.ids().map(|id| graph.leaf(id)).collect();
        let report = link_shown(&mut graph, progress).map_err(&too_large)?;
        progress.step("computing", None);
        let scoring = header.negamax_rules();
        negamax::negamax(&mut graph, scoring);
        let missing = missing(&graph, |_| true, |id| leaves[id.index()]);
        let totals = Totals {
            added: graph.len() as u64 - before.positions,
            changed: before.positions,
            links: (graph.link_count() as u64).saturating_sub(before.links),
            leaves_lost: report.leaves_dropped,
            todo: missing.len() as u64,
        };
        Ok(Whole {
            graph,
            plan: Plan::fix(Some(scoring)),
            missing,
            totals,
        })
    }

    /// Merges all positions of the book and of the incoming books, without linking.
    fn gather(&mut self, book: &Store) -> Result<Gathered> {
        let mut builder = Graph::builder();
        let mut before = Before::default();
        let mut new = Vec::new();
        self.walk(|incoming, tally| {
            let joined =
                book.positions()?
                    .merge_join_by(incoming, |own, records| match (own, records) {
                        // Let an error through first, from either side.
                        (Err(_), _) => Ordering::Less,
                        (_, Err(_)) => Ordering::Greater,
                        (Ok(own), Ok((board, _))) => own.board.cmp(board),
                    });
            for positions in joined {
                let (own, records) = positions.left_and_right();
                let (own, records) = (own.transpose()?, records.transpose()?);
                if let Some(own) = &own {
                    before.positions += 1;
                    before.links += own.links.len() as u64;
                }
                builder.push(match (own, records) {
                    (own, Some((board, records))) => {
                        let lost = match &own {
                            Some(own) if own.leaf.is_none() => book.lost_leaf(board)?,
                            _ => None,
                        };
                        if own.is_none() {
                            new.push(board);
                        }
                        tally.merge(own.as_ref().map(|own| (own, lost)), records)
                    }
                    (Some(own), None) => own,
                    (None, None) => continue,
                });
            }
            Ok(())
        })?;
        Ok(Gathered {
            builder,
            new,
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
        let rows = TableChange {
            changed: self.graph.len() as u64,
            all: self.graph.len() as u64,
            derived: false,
        };
        for table in Table::ALL {
            let positions = self.graph.positions().map(Ok);
            update.replace_rows(table, rows, positions, std::iter::empty())?;
        }
        self.plan.record(update, &self.missing)?;
        Ok(self.totals)
    }
}

struct Gathered {
    builder: GraphBuilder,
    /// Boards new to the book, in key order.
    new: Vec<CanonicalBoard>,
    before: Before,
}

/// The size of the book before.
#[derive(Default)]
struct Before {
    positions: u64,
    links: u64,
}
