//! Takes positions out of a graph and puts others in.

use super::index::Index;
use super::{Edge, Graph, Layer, NodeId, TooLarge, edge_range};
use itertools::{EitherOrBoth, Itertools};
use obook_model::levels::Strength;
use rayon::prelude::*;
use std::ops::Range;

/// Where a position of the revised graph comes from.
#[derive(Clone, Copy)]
enum Source {
    Old(u32),
    New(u32),
}

/// The new place of a position that does not stay.
const GONE: u32 = u32::MAX;

/// The positions of a layer, and where those that must pass begin.
struct Runs {
    placing: Range<usize>,
    passing: Range<usize>,
}

/// A layer of the revised graph.
struct RevisedLayer {
    sources: Vec<Source>,
    /// How many of them come before those that must pass.
    passes: usize,
    /// Whether it holds the same positions as before.
    unchanged: bool,
}

impl Graph {
    /// Keeps the positions that `keep` approves and adds those of `new`, links as they are given. Of a board that both
    /// hold the stronger record stays, the new one if they are equal.
    ///
    /// Memory peaks at one array more than both graphs take. Ids change.
    ///
    /// ```
    /// use obook_graph::{Graph, TooLarge};
    /// use obook_model::{Engine, Position};
    /// use obook_othello::{Board, Line};
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
    /// [`TooLarge`] above 2³² − 2 positions or links; the graph is then as it was.
    pub fn revise(
        &mut self,
        keep: impl Fn(&Graph, NodeId) -> bool + Sync,
        new: &Graph,
    ) -> Result<(), TooLarge> {
        TooLarge::check(self.len() + new.len(), "positions")?;
        TooLarge::check(self.edges.len() + new.edges.len(), "links")?;
        let kept: Vec<bool> = (0..self.len() as u32)
            .into_par_iter()
            .map(|place| keep(self, NodeId(place)))
            .collect();
        let merged: Vec<RevisedLayer> = (0..self.layers.len().max(new.layers.len()))
            .into_par_iter()
            .map(|empties| self.merge_layer(&kept, new, empties))
            .collect();
        let mut sources = Vec::with_capacity(self.len() + new.len());
        let mut layers = Vec::with_capacity(merged.len());
        for (empties, layer) in merged.into_iter().enumerate() {
            let start = sources.len();
            sources.extend_from_slice(&layer.sources);
            // What it held it finds as before, wherever the layer begins now.
            let index = layer
                .unchanged
                .then(|| std::mem::take(&mut self.layers[empties].index));
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
        self.index_layers();
        self.find_children();
        Ok(())
    }

    /// What a layer will consist of.
    fn merge_layer(&self, kept: &[bool], new: &Graph, empties: usize) -> RevisedLayer {
        let (old, add) = (self.runs(empties), new.runs(empties));
        let before = old.passing.end - old.placing.start;
        let unchanged = add.placing.start == add.passing.end
            && kept[old.placing.start..old.passing.end]
                .iter()
                .all(|kept| *kept);
        let mut sources = Vec::with_capacity(before);
        self.merge_run(kept, old.placing, new, add.placing, &mut sources);
        let passes = sources.len();
        self.merge_run(kept, old.passing, new, add.passing, &mut sources);
        RevisedLayer {
            sources,
            passes,
            unchanged: unchanged && before > 0,
        }
    }

    fn runs(&self, empties: usize) -> Runs {
        let found = self.layers.get(empties);
        Runs {
            placing: found.map_or(0..0, |layer| layer.start..layer.passes),
            passing: found.map_or(0..0, |layer| layer.passes..layer.end),
        }
    }

    /// Merges what is kept of one sorted run with another.
    fn merge_run(
        &self,
        kept: &[bool],
        old: Range<usize>,
        new: &Graph,
        add: Range<usize>,
        sources: &mut Vec<Source>,
    ) {
        let old = old.filter(|place| kept[*place]);
        let by_board = |old: &usize, add: &usize| self.boards[*old].cmp(&new.boards[*add]);
        let source = |places| match places {
            EitherOrBoth::Both(old, add) if self.strength(old) > new.strength(add) => {
                Source::Old(old as u32)
            }
            EitherOrBoth::Both(_, add) | EitherOrBoth::Right(add) => Source::New(add as u32),
            EitherOrBoth::Left(old) => Source::Old(old as u32),
        };
        sources.extend(old.merge_join_by(add, by_board).map(source));
    }

    fn strength(&self, place: usize) -> Strength {
        let node = &self.nodes[place];
        Strength::new(
            node.engine(),
            node.level(),
            self.boards[place].board().empties() as u8,
        )
    }

    /// Takes over the links; those of old positions keep their children where these stay, all others have none yet.
    fn pick_edges(&mut self, sources: &[Source], new: &Graph) {
        let mut moved = vec![GONE; self.len()];
        for (place, source) in (0..).zip(sources) {
            if let Source::Old(from) = source {
                moved[*from as usize] = place;
            }
        }
        let old = std::mem::take(&mut self.edges);
        let old_offsets = std::mem::take(&mut self.offsets);
        let childless = |edge: &Edge| Edge::new(edge.mv(), edge.score(), None);
        let added: Vec<Edge> = new.edges.iter().map(childless).collect();
        let of = |source: &Source| match *source {
            Source::Old(place) => &old[edge_range(&old_offsets, place as usize)],
            Source::New(place) => &added[new.edge_range(place as usize)],
        };
        self.edges.reserve_exact(old.len() + added.len());
        self.offsets.reserve_exact(sources.len() + 1);
        self.offsets.push(0);
        self.append_links(|| sources.par_iter().map(of));
        self.edges.par_iter_mut().for_each(|edge| {
            let child = edge.child().map(|child| moved[child.index()]);
            edge.set_child(child.filter(|place| *place != GONE).map(NodeId));
        });
    }

    /// Makes the index of every layer that has none.
    pub(super) fn index_layers(&mut self) {
        let (boards, seed) = (&self.boards, self.seed);
        let unmade = self.layers.par_iter_mut();
        unmade
            .filter(|layer| !layer.index.is_made())
            .for_each(|layer| {
                layer.index = Index::new(&boards[layer.start..layer.end], seed);
            });
    }
}

fn pick<T: Copy + Send + Sync>(sources: &[Source], old: &[T], new: &[T]) -> Vec<T> {
    let of = |source: &Source| match *source {
        Source::Old(place) => old[place as usize],
        Source::New(place) => new[place as usize],
    };
    sources.par_iter().map(of).collect()
}
