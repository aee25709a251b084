//! The links of all positions, found anew.

use super::{Edge, Graph, Layer, PackedLeaf, TooLarge};
use crate::link::LinkReport;
use obook_othello::{CanonicalBoard, Move};
use rayon::prelude::*;
use std::ops::Range;

/// Positions whose moves are looked up together: so many that the processor waits for many lookups at once, few enough
/// for their moves to stay in its cache.
pub(crate) const BATCH: usize = 256;

/// A legal move and the position that it leads to, which the book may hold.
struct Lookup<'a> {
    place: usize,
    mv: Move,
    child: CanonicalBoard,
    hash: u64,
    layer: &'a Layer,
}

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
        let chunks: Vec<Found> = (0..self.len().div_ceil(BATCH))
            .into_par_iter()
            .map(|batch| self.relink_batch(batch * BATCH..self.len().min((batch + 1) * BATCH)))
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

    fn relink_batch(&self, places: Range<usize>) -> Found {
        let mut found = Found::default();
        let links = self.links_of(places.clone());
        let mut links = &links[..];
        for place in places {
            let count = links.iter().take_while(|(from, _)| *from == place).count();
            let (own, rest) = links.split_at(count);
            links = rest;
            self.relink_one(place, own, &mut found);
        }
        found
    }

    /// The moves from these positions that lead to another one, in order, as links with the child's value. Asked for a few
    /// hundred positions at a time it is twice as fast as [`Graph::find`] for every move.
    pub(crate) fn links_of<'a>(&'a self, places: Range<usize>) -> Vec<(usize, Edge)> {
        let mut lookups: Vec<Lookup<'a>> = Vec::new();
        for place in places {
            let board = self.boards[place].board();
            let empties = board.empties() as usize;
            let mut lookup = |mv, child, layer: &'a Layer| {
                let hash = layer.index.hash(child);
                lookups.push(Lookup {
                    place,
                    mv,
                    child,
                    hash,
                    layer,
                });
            };
            let squares = board.legal_moves();
            for square in squares {
                lookup(
                    square.into(),
                    board.after(square).canonical(),
                    &self.layers[empties - 1],
                );
            }
            if squares.is_empty() && board.must_pass() {
                lookup(
                    Move::Pass,
                    board.passed().canonical(),
                    &self.layers[empties],
                );
            }
        }
        lookups.retain(|lookup| lookup.layer.index.may_hold(lookup.hash));
        let link = |lookup: &Lookup<'_>| {
            let Layer {
                start, end, index, ..
            } = lookup.layer;
            let boards = &self.boards[*start..*end];
            let place = index.find_hashed(boards, lookup.child, lookup.hash)?;
            let child = self.id(start + place as usize);
            let score = self.value(child).map(Edge::score_of);
            Some((lookup.place, Edge::new(lookup.mv, score, Some(child))))
        };
        lookups.iter().filter_map(link).collect()
    }

    /// Keeps the links that were right and adds the others of `right`.
    fn relink_one(&self, place: usize, right: &[(usize, Edge)], found: &mut Found) {
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
        for (_, link) in right {
            if found.edges[start..kept]
                .iter()
                .all(|edge| edge.mv() != link.mv())
            {
                found.edges.push(*link);
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
