//! Builds a [`Graph`] from positions in any order.

use super::index::{Index, Seed};
use super::walk::{CHUNK, least_share};
use super::{Edge, Graph, Layer, Node, PackedLeaf};
use crate::sort::{Combined, Ties};
use obook_othello::{CanonicalBoard, Link, Position};
use rayon::prelude::*;

/// Collects positions in any order and makes a [`Graph`] of them. See [`Graph::builder`].
#[derive(Debug, Default)]
pub struct GraphBuilder {
    /// Two for each number of empty squares: the second one has the positions in which the side to move must pass.
    runs: Vec<Run>,
    /// The number of records.
    records: usize,
    /// The number of records that were combined with others of the same board.
    pub(crate) condensed: usize,
    /// The number of records at which to combine duplicates again.
    look_at: usize,
}

/// The least number of records at which to combine duplicates.
const FIRST_LOOK: usize = 1 << 20;
/// How much the number of records must grow before duplicates are combined again. A small file may have any number of
/// duplicates, but looking for them costs a book without any a third of the time that sorting takes.
const LOOK_AGAIN: usize = 4;

/// The records of a run in the order in which they were added, and their links, one record after another.
#[derive(Debug, Default)]
struct Run {
    records: Vec<Record>,
    links: Vec<Edge>,
}

#[derive(Debug)]
struct Record {
    board: CanonicalBoard,
    node: Node,
    leaf: PackedLeaf,
    /// The end of its links, which begin at the end of the links of the record before. It may overflow, but then
    /// [`GraphBuilder::finish`] refuses the book.
    links_end: u32,
}

/// The book has more positions or links than a [`Graph`] can number.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the book has {found} {what}, but at most 4294967294 fit in memory")]
pub struct TooLarge {
    found: usize,
    what: &'static str,
}

impl TooLarge {
    /// Checks that 32 bits can number this many things, with one number to spare.
    pub(super) fn check(found: usize, what: &'static str) -> Result<(), TooLarge> {
        match found < u32::MAX as usize {
            true => Ok(()),
            false => Err(TooLarge { found, what }),
        }
    }
}

impl GraphBuilder {
    /// Adds a position. Of several records of a board, [`finish`](GraphBuilder::finish) keeps the value and the leaf of the
    /// best search.
    pub fn push(&mut self, position: Position) {
        let board = position.board.board();
        let run = board.empties() as usize * 2 + usize::from(board.must_pass());
        if self.runs.len() <= run {
            self.runs.resize_with(run + 1, Run::default);
        }
        self.runs[run].push(&position);
        self.records += 1;
        self.stay_in_bounds();
    }

    /// Combines duplicates if there may be many.
    fn stay_in_bounds(&mut self) {
        if self.records < self.look_at.max(FIRST_LOOK) {
            return;
        }
        let condensed: usize = self.runs.par_iter_mut().map(Run::condense).sum();
        self.condensed += condensed;
        self.records -= condensed;
        self.look_at = self.records.saturating_mul(LOOK_AGAIN);
    }

    /// The number of bytes that the positions take.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let bytes = |run: &Run| size_of_val(&run.records[..]) + size_of_val(&run.links[..]);
        self.runs.iter().map(bytes).sum()
    }

    /// The positions that were added. Those of one board keep their order.
    pub fn into_positions(self) -> impl Iterator<Item = Position> {
        let positions =
            |run: Run| (0..run.records.len() as u32).map(move |place| run.position(place));
        self.runs.into_iter().flat_map(positions)
    }

    /// Adds all positions of another builder, as if they were pushed now.
    pub fn append(&mut self, later: GraphBuilder) {
        if self.runs.len() < later.runs.len() {
            self.runs.resize_with(later.runs.len(), Run::default);
        }
        for (run, later) in self.runs.iter_mut().zip(later.runs) {
            let before = run.links.len() as u32;
            run.links.extend(later.links);
            run.records
                .extend(later.records.into_iter().map(|record| Record {
                    links_end: record.links_end.wrapping_add(before),
                    ..record
                }));
        }
        self.records += later.records;
        self.condensed += later.condensed;
        self.stay_in_bounds();
    }

    /// Makes the graph: sorts the positions, combines duplicates and finds the children of the links. Also returns the number of
    /// duplicate records of boards. The graph has the value and the leaf of the best search, and of equal searches the last.
    ///
    /// # Errors
    /// Returns [`TooLarge`] above 2³² − 2 positions or links.
    pub fn finish(self) -> Result<(Graph, u64), TooLarge> {
        let (mut graph, duplicates) = self.sort()?;
        graph.index();
        Ok((graph, duplicates))
    }

    /// As [`finish`](GraphBuilder::finish), but no board can be found in the graph, and no link has a child.
    ///
    /// # Errors
    /// As [`finish`](GraphBuilder::finish).
    pub(crate) fn sort(mut self) -> Result<(Graph, u64), TooLarge> {
        let (gathered, _) = self.check_size()?;
        let share = least_share(self.runs.len(), self.records);
        let runs = self.runs.par_iter_mut().with_min_len(share);
        let orders: Vec<Vec<u32>> = runs.map(Run::order).collect();
        // Combined records were added, with their links.
        let (_, links) = self.check_size()?;
        let positions = orders.iter().map(Vec::len).sum();
        let duplicates = (self.condensed + gathered - positions) as u64;
        let mut graph = Graph {
            boards: Vec::with_capacity(positions),
            nodes: Vec::with_capacity(positions),
            leaves: Vec::with_capacity(positions),
            offsets: Vec::with_capacity(positions + 1),
            edges: Vec::with_capacity(links),
            layers: Vec::new(),
            frozen: 0,
            seed: Seed::random(),
        };
        graph.offsets.push(0);
        let mut runs = self.runs.into_iter().zip(orders);
        while let Some((placing, order)) = runs.next() {
            let start = graph.len();
            graph.add_run(placing, &order);
            let passes = graph.len();
            let (passing, order) = runs.next().unwrap_or_default();
            graph.add_run(passing, &order);
            graph.layers.push(Layer {
                start,
                passes,
                end: graph.len(),
                index: Index::default(),
            });
        }
        Ok((graph, duplicates))
    }

    /// The number of positions and of links.
    fn check_size(&self) -> Result<(usize, usize), TooLarge> {
        let positions = self.runs.iter().map(|run| run.records.len()).sum();
        let links = self.runs.iter().map(|run| run.links.len()).sum();
        TooLarge::check(positions, "positions")?;
        TooLarge::check(links, "links")?;
        Ok((positions, links))
    }
}

/// A board, and the place of a record of it.
type Key = (CanonicalBoard, u32);

fn same_board(one: &Key, other: &Key) -> bool {
    one.0 == other.0
}

impl Run {
    fn push(&mut self, position: &Position) {
        let edge = |link: &Link| Edge::new(link.mv, link.score, None);
        self.links.extend(position.links.iter().map(edge));
        self.records.push(Record {
            board: position.board,
            node: Node::new(position),
            leaf: PackedLeaf::of(position),
            links_end: self.links.len() as u32,
        });
    }

    fn position(&self, place: u32) -> Position {
        let record = &self.records[place as usize];
        Position {
            leaf: record.leaf.get(),
            no_leaf: record.leaf.no_leaf(),
            ..record.node.record(record.board, self.links(place))
        }
    }

    /// The places of the records in the order of their boards. Duplicates are combined into a record at the end.
    fn order(&mut self) -> Vec<u32> {
        let keys = self.keys();
        let one_place = |keys: &[Key]| match keys {
            [(_, place)] => *place,
            several => {
                let combined = self.combine(several).finish();
                self.push(&combined);
                self.records.len() as u32 - 1
            }
        };
        keys.chunk_by(same_board).map(one_place).collect()
    }

    /// Combines duplicates as far as possible. Returns how many records went.
    fn condense(&mut self) -> usize {
        let before = self.records.len();
        let keys = self.keys();
        if keys.chunk_by(same_board).count() == before {
            return 0;
        }
        let mut condensed = Run::default();
        for keys in keys.chunk_by(same_board) {
            match keys {
                [(_, place)] => condensed.push(&self.position(*place)),
                several => {
                    let records = self.combine(several).condense();
                    records.for_each(|record| condensed.push(&record));
                }
            }
        }
        *self = condensed;
        before - self.records.len()
    }

    /// The boards in order, with the places of their records.
    fn keys(&self) -> Vec<Key> {
        if self.records.is_empty() {
            return Vec::new();
        }
        let key = |(place, record): (usize, &Record)| (record.board, place as u32);
        let records = self.records.par_iter().enumerate().with_min_len(CHUNK);
        let mut keys: Vec<_> = records.map(key).collect();
        keys.par_sort_unstable();
        keys
    }

    /// Combines these records, all of one board.
    fn combine(&self, keys: &[Key]) -> Combined {
        let mut records = keys.iter().map(|(_, place)| self.position(*place));
        let first = records.next().expect("a board that has records");
        let mut combined = Combined::new(first, Ties::Later);
        for record in records {
            combined.add(record, None);
        }
        combined
    }

    fn links(&self, place: u32) -> &[Edge] {
        let place = place as usize;
        let before = place.checked_sub(1);
        let start = before.map_or(0, |before| self.records[before].links_end);
        &self.links[start as usize..self.records[place].links_end as usize]
    }
}

impl Graph {
    /// Appends the records of a run in this order.
    fn add_run(&mut self, run: Run, order: &[u32]) {
        // Most runs of a slab, which has few layers.
        if order.is_empty() {
            return;
        }
        let order = || order.par_iter().with_min_len(CHUNK);
        let records = || order().map(|place| &run.records[*place as usize]);
        self.boards.par_extend(records().map(|record| record.board));
        self.nodes.par_extend(records().map(|record| record.node));
        self.leaves.par_extend(records().map(|record| record.leaf));
        self.append_links(|| order().map(|place| run.links(*place)));
    }

    /// Appends the links of further positions.
    pub(super) fn append_links<'a, L>(&mut self, links: impl Fn() -> L)
    where
        L: IndexedParallelIterator<Item = &'a [Edge]>,
    {
        let first = self.offsets.len();
        let mut end = self.edges.len() as u32;
        self.offsets
            .par_extend(links().map(|links| links.len() as u32));
        for offset in &mut self.offsets[first..] {
            end += *offset;
            *offset = end;
        }
        self.edges
            .par_extend(links().flat_map_iter(|links| links.iter().copied()));
    }
}
