//! Changes to a graph's leaves, levels and links that leave its positions as they are.

use super::chunks::CHUNK;
use super::{Edge, Graph, LinkTo, NodeId, PackedLeaf, Step};
use obook_model::{Engine, Leaf};
use rayon::prelude::*;

/// What becomes of a position: its new leaf and level.
#[derive(Clone, Copy)]
pub struct Edit {
    leaf: PackedLeaf,
    level: Option<u8>,
}

impl Edit {
    pub fn new(leaf: Option<Leaf>, level: Option<u8>) -> Edit {
        Edit {
            leaf: leaf.map_or(PackedLeaf::missing(None), PackedLeaf::new),
            level,
        }
    }
}

impl Graph {
    /// Gives every position, in the order of their ids, a leaf and a level, all on one engine's scale.
    pub fn apply(&mut self, edits: &[Edit], engine: Engine) {
        (&mut self.nodes, &mut self.leaves, edits)
            .into_par_iter()
            .for_each(|(node, leaf, edit)| {
                node.set_level(engine, edit.level);
                *leaf = edit.leaf;
            });
    }

    /// Takes every leaf with a move away; final scores stay.
    pub fn drop_leaves(&mut self) {
        self.leaves.par_iter_mut().for_each(|leaf| {
            if leaf.get().is_some_and(|leaf| leaf.mv.is_some()) {
                *leaf = PackedLeaf::missing(None);
            }
        });
    }

    /// Keeps the links that `keep` approves.
    pub fn retain_links(&mut self, keep: impl Fn(&Graph, NodeId, LinkTo) -> bool + Sync) {
        let kept: Vec<(Vec<Edge>, Vec<u32>)> = (0..self.len().div_ceil(CHUNK))
            .into_par_iter()
            .map(|chunk| {
                let (mut edges, mut counts) = (Vec::new(), Vec::new());
                for place in chunk * CHUNK..self.len().min((chunk + 1) * CHUNK) {
                    let before = edges.len();
                    let id = NodeId(place as u32);
                    let kept = self
                        .edges(place)
                        .iter()
                        .filter(|edge| keep(self, id, edge.link_to()));
                    edges.extend(kept);
                    counts.push((edges.len() - before) as u32);
                }
                (edges, counts)
            })
            .collect();
        self.edges.clear();
        self.offsets.truncate(1);
        let mut end = 0;
        for (edges, counts) in kept {
            self.edges.extend_from_slice(&edges);
            self.offsets.extend(counts.iter().map(|count| {
                end += count;
                end
            }));
        }
    }

    /// How many positions `visit` would change if it computed them anew from the numbers that their children have now:
    /// none where the whole book is computed by it already.
    pub fn count_changes(&self, visit: impl Fn(Step<'_>) + Sync) -> u64 {
        let is_changed = |place: &usize| {
            let before = self.edges(*place);
            let (node, edges) = self.judge(NodeId(*place as u32), &visit);
            node != self.nodes[*place] || before.iter().any(|edge| !edges.contains(edge))
        };
        let places = (0..self.len()).into_par_iter().with_min_len(CHUNK);
        places.filter(is_changed).count() as u64
    }
}
