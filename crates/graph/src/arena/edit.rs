//! Changes to a graph: positions added and removed, leaves and levels replaced, links dropped.

use super::index::Index;
use super::walk::{CHUNK, batches, least_share};
use super::{Edge, Graph, Layer, LinkTo, NodeId, PackedLeaf, TooLarge, edge_range};
use itertools::{EitherOrBoth, Itertools};
use obook_othello::levels::Strength;
use obook_othello::{Engine, Leaf};
use rayon::prelude::*;
use std::ops::Range;

impl Graph {
    /// Gives every position that is not frozen a leaf and a level on one engine's scale. They are in the order of the [`NodeId`]s.
    pub(crate) fn apply(&mut self, edits: &[(Option<Leaf>, Option<u8>)], engine: Engine) {
        let own = self.unfrozen_places();
        (&mut self.nodes[own.clone()], &mut self.leaves[own], edits)
            .into_par_iter()
            .with_min_len(CHUNK)
            .for_each(|(node, leaf, (new_leaf, level))| {
                node.set_level(engine, *level);
                *leaf = new_leaf.map_or(PackedLeaf::missing(None), PackedLeaf::new);
            });
    }

    /// Drops every leaf with a move. Final scores stay.
    pub(crate) fn drop_leaves(&mut self) {
        let leaves = self.leaves.par_iter_mut().with_min_len(CHUNK);
        leaves.for_each(|leaf| {
            if leaf.get().is_some_and(|leaf| leaf.mv.is_some()) {
                *leaf = PackedLeaf::missing(None);
            }
        });
    }

    /// Keeps only the links that `keep` accepts.
    pub fn retain_links(&mut self, keep: impl Fn(&Graph, NodeId, LinkTo) -> bool + Sync) {
        let kept = |places: Range<usize>| {
            let (mut edges, mut counts) = (Vec::new(), Vec::new());
            for place in places {
                let before = edges.len();
                let id = NodeId(place as u32);
                let own = self.edges(place).iter();
                edges.extend(own.filter(|edge| keep(self, id, edge.link_to())));
                counts.push((edges.len() - before) as u32);
            }
            (edges, counts)
        };
        let all = batches(0..self.len(), CHUNK);
        let kept: Vec<(Vec<Edge>, Vec<u32>)> = all.map(kept).collect();
        self.replace_links(kept);
    }

    /// Replaces all links. A batch has the links of neighbouring positions, and the number of each position's.
    pub(super) fn replace_links(
        &mut self,
        batches: impl IntoIterator<Item = (Vec<Edge>, Vec<u32>)>,
    ) {
        self.edges.clear();
        self.offsets.truncate(1);
        let mut end = 0;
        for (edges, counts) in batches {
            self.edges.extend_from_slice(&edges);
            self.offsets.extend(counts.iter().map(|count| {
                end += count;
                end
            }));
        }
    }

    /// Freezes the first `count` positions, which must have no links: linking and computing read them but don't change them. So
    /// a book can be computed a few layers at a time, with the layers below frozen.
    pub fn freeze(&mut self, count: usize) {
        assert_eq!(self.offsets[count], 0, "frozen positions have no links");
        self.frozen = count;
    }

    /// These positions, for threads to share: a small book is done where it is, without waking any of them.
    pub(crate) fn in_parallel(
        &self,
        places: Range<usize>,
    ) -> impl IndexedParallelIterator<Item = NodeId> {
        let places = places.into_par_iter().with_min_len(CHUNK);
        places.map(|place| self.id(place))
    }

    /// The positions that are not frozen.
    pub fn unfrozen(&self) -> impl IndexedParallelIterator<Item = NodeId> {
        self.in_parallel(self.unfrozen_places())
    }

    /// The number of positions that are not frozen and of which this is so.
    #[must_use]
    pub fn count_unfrozen(&self, is_so: impl Fn(NodeId) -> bool + Sync) -> u64 {
        self.unfrozen().filter(|id| is_so(*id)).count() as u64
    }

    /// The positions that are not frozen, children before their parents.
    pub fn unfrozen_ids(&self) -> impl DoubleEndedIterator<Item = NodeId> + use<> {
        self.unfrozen_places().map(|place| NodeId(place as u32))
    }

    /// The places of the positions that are not frozen.
    #[must_use]
    pub fn unfrozen_places(&self) -> Range<usize> {
        self.frozen..self.len()
    }

    /// Whether a position is frozen.
    #[must_use]
    pub fn is_frozen(&self, id: NodeId) -> bool {
        id.index() < self.frozen
    }
}

/// The origin of a position in the revised graph: its place among the old positions, followed by the new ones.
type Source = u32;

/// The new place of a position that goes.
const GONE: u32 = u32::MAX;

/// A layer of the revised graph.
struct RevisedLayer {
    sources: Vec<Source>,
    /// The number of positions before those in which the side to move must pass.
    passes: usize,
}

impl Graph {
    /// Keeps the positions that `keep` accepts and adds those of `new`, with their links. If both graphs have a board, the record
    /// with the stronger search stays, or the new one if the searches are equally strong.
    ///
    /// The positions get new [`NodeId`]s. Memory peaks at both graphs and one array.
    ///
    /// ```
    /// use obook_graph::{Graph, TooLarge};
    /// use obook_othello::{Board, Engine, Line, Position};
    ///
    /// let book = |lines: &[&str]| -> Result<Graph, TooLarge> {
    ///     let board = |line: &&str| line.parse::<Line>().unwrap().board().canonical();
    ///     let boards = lines.iter().map(board);
    ///     let positions = boards.map(|board| Ok(Position::new(board, Engine::Edax)));
    ///     Ok(Graph::from_positions(positions)?.0)
    /// };
    /// let mut graph = book(&["", "f5", "f5d6"])?;
    /// let shallow = |graph: &Graph, id| graph.board(id).board().empties() >= 59;
    /// graph.revise(shallow, &book(&["f5f6"])?)?;
    /// let empties: Vec<u32> = graph.ids().map(|id| graph.board(id).board().empties()).collect();
    /// assert_eq!(empties, [58, 59, 60], "children come before their parents");
    /// # Ok::<(), TooLarge>(())
    /// ```
    ///
    /// # Errors
    /// Returns [`TooLarge`] above 2³² − 2 positions or links. The graph then stays as it was.
    pub fn revise(
        &mut self,
        keep: impl Fn(&Graph, NodeId) -> bool + Sync,
        new: &Graph,
    ) -> Result<(), TooLarge> {
        TooLarge::check(self.len() + new.len(), "positions")?;
        TooLarge::check(self.edges.len() + new.edges.len(), "links")?;
        let all = self.in_parallel(0..self.len());
        let kept: Vec<bool> = all.map(|id| keep(self, id)).collect();
        let merged: Vec<RevisedLayer> = (0..self.layers.len().max(new.layers.len()))
            .into_par_iter()
            .map(|empties| self.merge_layer(&kept, new, empties))
            .collect();
        let mut sources = Vec::with_capacity(self.len() + new.len());
        let mut layers = Vec::with_capacity(merged.len());
        for (empties, layer) in merged.into_iter().enumerate() {
            let start = sources.len();
            sources.extend_from_slice(&layer.sources);
            let before = self.layer(empties).map(|place| place as Source);
            // Places in an index count from the start of the layer, so that of the same positions stays correct.
            let same = before.len() > 0 && layer.sources.iter().copied().eq(before);
            let index = same.then(|| std::mem::take(&mut self.layers[empties].index));
            layers.push(Layer {
                start,
                passes: start + layer.passes,
                end: sources.len(),
                index: index.unwrap_or_default(),
            });
        }
        self.pick_edges(&sources, new);
        self.boards = pick(&sources, &self.boards, &new.boards);
        self.nodes = pick(&sources, &self.nodes, &new.nodes);
        self.leaves = pick(&sources, &self.leaves, &new.leaves);
        self.layers = layers;
        self.index();
        Ok(())
    }

    /// Removes the positions that are not frozen and that `goes` accepts. Returns how many went.
    pub(crate) fn remove(
        &mut self,
        goes: impl Fn(&Graph, NodeId) -> bool + Sync,
    ) -> Result<u64, TooLarge> {
        let count = self.count_unfrozen(|id| goes(self, id));
        if count > 0 {
            let (nothing, _) = Graph::builder().finish()?;
            let stays = |graph: &Graph, id| graph.is_frozen(id) || !goes(graph, id);
            self.revise(stays, &nothing)?;
        }
        Ok(count)
    }

    /// Merges what is kept of a layer with the new positions.
    fn merge_layer(&self, kept: &[bool], new: &Graph, empties: usize) -> RevisedLayer {
        let by_board = |old: &usize, add: &usize| self.boards[*old].cmp(&new.boards[*add]);
        let source = |places| match places {
            EitherOrBoth::Both(old, add) if self.strength(old) > new.strength(add) => old as Source,
            EitherOrBoth::Both(_, add) | EitherOrBoth::Right(add) => (self.len() + add) as Source,
            EitherOrBoth::Left(old) => old as Source,
        };
        let mut sources = Vec::with_capacity(self.layer(empties).len());
        let mut passes = 0;
        for (old, add) in self.runs(empties).into_iter().zip(new.runs(empties)) {
            // The second run has the pass positions.
            passes = sources.len();
            let old = old.filter(|place| kept[*place]);
            sources.extend(old.merge_join_by(add, by_board).map(source));
        }
        RevisedLayer { sources, passes }
    }

    /// The two sorted runs of a layer.
    fn runs(&self, empties: usize) -> [Range<usize>; 2] {
        let layer = self.layers.get(empties);
        layer.map_or([0..0, 0..0], Layer::runs)
    }

    fn strength(&self, place: usize) -> Strength {
        let node = &self.nodes[place];
        let empties = self.boards[place].board().empties() as u8;
        Strength::new(node.engine(), node.level(), empties)
    }

    /// Collects the links. A link of an old position keeps its child if that stays; all others have no child yet.
    fn pick_edges(&mut self, sources: &[Source], new: &Graph) {
        let mut moved = vec![GONE; self.len()];
        for (place, source) in (0..).zip(sources) {
            if let Some(moved) = moved.get_mut(*source as usize) {
                *moved = place;
            }
        }
        let old = std::mem::take(&mut self.edges);
        let old_offsets = std::mem::take(&mut self.offsets);
        let childless = |edge: &Edge| Edge::new(edge.mv(), edge.score(), None);
        let added: Vec<Edge> = new.edges.iter().map(childless).collect();
        let of = |source: &Source| match (*source as usize).checked_sub(moved.len()) {
            None => &old[edge_range(&old_offsets, *source as usize)],
            Some(place) => &added[new.edge_range(place)],
        };
        self.edges.reserve_exact(old.len() + added.len());
        self.offsets.reserve_exact(sources.len() + 1);
        self.offsets.push(0);
        self.append_links(|| sources.par_iter().with_min_len(CHUNK).map(of));
        let edges = self.edges.par_iter_mut().with_min_len(CHUNK);
        edges.for_each(|edge| {
            let child = edge.child().map(|child| moved[child.index()]);
            edge.set_child(child.filter(|place| *place != GONE).map(NodeId));
        });
    }

    /// Indexes every layer without an index. If there are any, finds the children of the links.
    pub(crate) fn index(&mut self) {
        if self.layers.iter().all(|layer| layer.index.is_made()) {
            return;
        }
        let (boards, seed) = (&self.boards, self.seed);
        let share = least_share(self.layers.len(), boards.len());
        let layers = self.layers.par_iter_mut().with_min_len(share);
        let new = layers.filter(|layer| !layer.index.is_made());
        new.for_each(|layer| layer.index = Index::new(&boards[layer.start..layer.end], seed));
        self.find_children();
    }
}

/// Collects the items of the old and new positions.
fn pick<T: Copy + Send + Sync>(sources: &[Source], old: &[T], new: &[T]) -> Vec<T> {
    let of = |source: &Source| match (*source as usize).checked_sub(old.len()) {
        None => old[*source as usize],
        Some(place) => new[place],
    };
    sources.par_iter().with_min_len(CHUNK).map(of).collect()
}
