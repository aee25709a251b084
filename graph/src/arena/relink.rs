//! The links of all positions, found anew.

use super::{BATCH, BoardSet, Edge, Graph, PackedLeaf, TooLarge};
use crate::Progress;
use crate::link::LinkReport;
use obook_model::NoLeaf;
use rayon::prelude::*;
use std::ops::Range;

/// The links of neighbouring positions, found by one thread.
#[derive(Default)]
struct Found {
    edges: Vec<Edge>,
    /// How many links each of the positions has.
    counts: Vec<u32>,
    /// Positions whose leaf is a link, or that lost a link though all their moves were said to be in the book: what is said
    /// of their leaf no longer holds.
    leaves: Vec<usize>,
    report: LinkReport,
}

impl Graph {
    /// What [`crate::link::link`] promises; each position is told of.
    pub fn relink(&mut self, progress: &Progress) -> Result<LinkReport, TooLarge> {
        let none = self.board_set(Vec::new());
        let chunks: Vec<Found> = (0..self.len().div_ceil(BATCH))
            .into_par_iter()
            .map(|batch| {
                let places = batch * BATCH..self.len().min((batch + 1) * BATCH);
                progress.advance(places.len() as u64);
                self.relink_batch(places, &none)
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
                self.leaves[place] = PackedLeaf::missing(None);
            }
            report += found.report;
        }
        Ok(report)
    }

    fn relink_batch(&self, places: Range<usize>, others: &BoardSet) -> Found {
        let mut found = Found::default();
        let frozen = places.start..self.frozen.clamp(places.start, places.end);
        found.counts.resize(frozen.len(), 0);
        let places = frozen.end..places.end;
        let links: Vec<(usize, Edge)> = self.unlinked(places.clone(), others).links().collect();
        let mut links = &links[..];
        for place in places {
            let count = links.iter().take_while(|(from, _)| *from == place).count();
            let (own, rest) = links.split_at(count);
            links = rest;
            self.relink_one(place, own, &mut found);
        }
        found
    }

    /// Keeps the links that are right and adds those that are missing.
    fn relink_one(&self, place: usize, missing: &[(usize, Edge)], found: &mut Found) {
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
        found.edges.extend(missing.iter().map(|(_, link)| *link));
        let links = &found.edges[start..];
        found.counts.push(links.len() as u32);
        let removed = self.edges(place).len() - (kept - start);
        found.report.removed += removed as u64;
        found.report.added += (found.edges.len() - kept) as u64;
        let leaf = self.leaves[place].get().and_then(|leaf| leaf.mv);
        if links.iter().any(|edge| Some(edge.mv()) == leaf) {
            found.report.leaves_dropped += 1;
            found.leaves.push(place);
        }
        if removed > 0 && self.leaves[place].no_leaf() == Some(NoLeaf::AllMovesInBook) {
            found.leaves.push(place);
        }
    }
}
