//! A merge that computes the whole book: one pass over both, a graph of all positions, all tables written anew.

use super::Merging;
use crate::check::{Findings, Origin};
use crate::graph::link::link;
use crate::graph::negamax;
use crate::graph::passes::restore_passes;
use crate::graph::{Graph, GraphBuilder};
use crate::store::ChangedRows;
use crate::write::fix::{mend, missing};
use crate::write::increment::Written;
use crate::{BookHeader, Error, Progress, Result, Store, Update};
use obook_converters::{Leaf, Position};
use obook_othello::CanonicalBoard;
use obook_rows::Table;

impl Merging {
    /// Merges, links, computes and writes.
    pub(super) fn whole(
        &mut self,
        update: &Update<'_>,
        book: &Store,
        header: &BookHeader,
        progress: &Progress,
    ) -> Result<Written> {
        let too_large = Error::too_large(book.path());
        progress.step("merging", None);
        let (builder, before) = self.gather(book)?;
        let (mut graph, _) = builder.finish().map_err(&too_large)?;
        if !self.edax {
            restore_passes(&mut graph).map_err(&too_large)?;
        }
        mend(
            &mut graph,
            Origin::Database(header.rules),
            &mut Findings::new(0),
        );
        progress.step("linking", None);
        let leaves: Vec<Option<Leaf>> = graph.ids().map(|id| graph.leaf(id)).collect();
        let report = link(&mut graph).map_err(&too_large)?;
        progress.step("computing", None);
        negamax::negamax(&mut graph, header.negamax_rules());
        progress.step("writing", None);
        let rows = ChangedRows {
            changed: graph.len() as u64,
            all: graph.len() as u64,
            derived: false,
        };
        for table in Table::ALL {
            update.rewrite(table, rows, graph.positions().map(Ok), std::iter::empty())?;
        }
        let missing = missing(&graph, |_| true, |id| leaves[id.index()]);
        update.replace_todo(&missing)?;
        update.mark_fixed()?;
        Ok(Written {
            added: graph.len() as u64 - before.positions,
            changed: before.positions,
            links: (graph.link_count() as u64).saturating_sub(before.links),
            leaves_lost: report.leaves_dropped,
            todo: missing.len() as u64,
        })
    }

    /// All positions of the book and of those that come in, merged but not linked.
    fn gather(&mut self, book: &Store) -> Result<(GraphBuilder, Before)> {
        let mut builder = Graph::builder();
        let mut before = Before::default();
        let mut own = book.positions()?.peekable();
        let mut next_own = |until: Option<CanonicalBoard>| -> Result<Option<Position>> {
            let wanted = |position: &Result<Position>| {
                let Ok(position) = position else { return true };
                until.is_none_or(|board| position.board <= board)
            };
            let position = own.next_if(wanted).transpose()?;
            before.positions += u64::from(position.is_some());
            before.links += position.as_ref().map_or(0, |it| it.links.len() as u64);
            Ok(position)
        };
        self.each(|tally, said| {
            let board = said[0].1.board;
            let mut same = None;
            while let Some(position) = next_own(Some(board))? {
                if position.board == board {
                    same = Some(position);
                    break;
                }
                builder.push(position);
            }
            let lost = match &same {
                Some(position) if position.leaf.is_none() => book.lost_leaf(board)?,
                _ => None,
            };
            builder.push(tally.settle(same.as_ref().map(|own| (own, lost)), said));
            Ok(())
        })?;
        while let Some(position) = next_own(None)? {
            builder.push(position);
        }
        Ok((builder, before))
    }
}

/// How large the book was.
#[derive(Default)]
struct Before {
    positions: u64,
    links: u64,
}
