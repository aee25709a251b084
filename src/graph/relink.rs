//! The links of all positions, found anew.

use super::chunks::CHUNK;
use super::{Edge, Graph, NodeId, PackedLeaf, TooLarge};
use crate::link::LinkReport;
use obook_othello::Move;
use rayon::prelude::*;

/// The links of neighbouring positions, found by one thread.
#[derive(Default)]
struct Found {
    edges: Vec<Edge>,
    /// How many links each of the positions has.
    counts: Vec<u32>,
    /// Positions whose leaf is a link.
    leaves: Vec<usize>,
    report: LinkReport,
}

impl Graph {
    /// What [`crate::link::link`] promises.
    pub(crate) fn relink(&mut self) -> Result<LinkReport, TooLarge> {
        let chunks: Vec<Found> = (0..self.len().div_ceil(CHUNK))
            .into_par_iter()
            .map(|chunk| {
                let mut found = Found::default();
                for place in chunk * CHUNK..self.len().min((chunk + 1) * CHUNK) {
                    self.relink_one(place, &mut found);
                }
                found
            })
            .collect();
        let count = chunks.iter().map(|found| found.edges.len()).sum();
        TooLarge::check(count, "links")?;
        let mut report = LinkReport::default();
        self.edges = Vec::with_capacity(count);
        self.offsets.truncate(1);
        let mut end = 0;
        for found in chunks {
            self.edges.extend_from_slice(&found.edges);
            self.offsets.extend(found.counts.iter().map(|count| {
                end += count;
                end
            }));
            for place in found.leaves {
                self.leaves[place] = PackedLeaf::new(None);
            }
            report += found.report;
        }
        Ok(report)
    }

    fn relink_one(&self, place: usize, found: &mut Found) {
        let board = self.boards[place].board();
        let start = found.edges.len();
        for edge in self.edges(place) {
            let twice = found.edges[start..]
                .iter()
                .any(|other| other.mv() == edge.mv());
            if edge.has_child() && !twice {
                found.edges.push(*edge);
            }
        }
        let kept = found.edges.len();
        let mut add = |mv, child: Option<NodeId>| {
            let known = found.edges[start..kept].iter().any(|edge| edge.mv() == mv);
            if let Some(child) = child.filter(|_| !known) {
                let score = self.value(child).map(Edge::score_of);
                found.edges.push(Edge::new(mv, score, Some(child)));
            }
        };
        let squares = board.legal_moves();
        if squares.is_empty() {
            add(Move::Pass, self.child(board, Move::Pass));
        } else if let Some(below) = self.layers.get(board.empties() as usize - 1) {
            for square in squares {
                let child = board.after(square).canonical();
                add(square.into(), self.find_in(below, child));
            }
        }
        let links = &found.edges[start..];
        found.counts.push(links.len() as u32);
        found.report.removed += (self.edges(place).len() - (kept - start)) as u64;
        found.report.added += (found.edges.len() - kept) as u64;
        let leaf = self.leaves[place].get().and_then(|leaf| leaf.mv);
        if links.iter().any(|edge| Some(edge.mv()) == leaf) {
            found.report.leaves_dropped += 1;
            found.leaves.push(place);
        }
    }
}
