//! Takes positions in any order and makes a [`Graph`] of them.

use super::index::{Index, Seed};
use super::{Edge, Graph, Layer, Node, PackedLeaf};
use obook_converters::Position;
use obook_converters::levels::Strength;
use obook_othello::CanonicalBoard;
use rayon::prelude::*;

/// A book is gathered here, run by run, before it becomes a [`Graph`]; [`Graph::builder`] makes one.
#[derive(Default)]
pub struct GraphBuilder {
    /// By number of empties, twice: where a disc can be placed or the game is over, and where the side to move must pass.
    runs: Vec<Run>,
}

/// The positions of a run in the order in which they came, with the links of all of them behind one another.
#[derive(Default)]
struct Run {
    records: Vec<Record>,
    links: Vec<Edge>,
}

struct Record {
    board: CanonicalBoard,
    node: Node,
    leaf: PackedLeaf,
    /// Where its links end; they begin where those of the record before end. More than 32 bits can number are refused
    /// before they are looked for.
    links_end: u32,
}

/// What [`GraphBuilder::finish`] found.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct BuildReport {
    /// Boards that came more than once: of each the record with the higher level was kept, of equal ones the later.
    pub duplicates: u64,
    /// Links whose child is not in the book or whose move is not legal. They are kept until
    /// [`link`](crate::graph::link::link) drops them.
    pub without_child: u64,
}

/// The book has more positions or links than a [`Graph`] can number.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the book has {found} {what}, at most 4294967294 fit in memory at once")]
pub struct TooLarge {
    found: usize,
    what: &'static str,
}

impl TooLarge {
    /// # Errors
    /// Where `found` can't be numbered with 32 bits and one number to spare.
    pub(super) fn check(found: usize, what: &'static str) -> Result<u32, TooLarge> {
        match u32::try_from(found) {
            Ok(number) if number < u32::MAX => Ok(number),
            _ => Err(TooLarge { found, what }),
        }
    }
}

impl GraphBuilder {
    /// Adds a position. Where the board came before, [`finish`](GraphBuilder::finish) keeps the stronger of the two.
    pub fn push(&mut self, position: Position) {
        let board = position.board.board();
        let run = board.empties() as usize * 2 + usize::from(board.must_pass());
        if self.runs.len() <= run {
            self.runs.resize_with(run + 1, Run::default);
        }
        let Run { records, links } = &mut self.runs[run];
        let edge = |link: &obook_converters::Link| Edge::new(link.mv, link.score, None);
        links.extend(position.links.iter().map(edge));
        records.push(Record {
            board: position.board,
            node: Node::new(&position),
            leaf: PackedLeaf::of(&position),
            links_end: links.len() as u32,
        });
    }

    /// Adds all positions that another builder has taken, as if they were pushed now.
    pub(crate) fn append(&mut self, later: GraphBuilder) {
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
    }

    /// Sorts the runs, drops duplicates and finds the children of the links.
    ///
    /// # Errors
    /// [`TooLarge`] above 2³² − 2 positions or links.
    pub fn finish(self) -> Result<(Graph, BuildReport), TooLarge> {
        let mut report = BuildReport::default();
        let positions = self.runs.iter().map(|run| run.records.len()).sum();
        let links = self.runs.iter().map(|run| run.links.len()).sum();
        TooLarge::check(positions, "positions")?;
        TooLarge::check(links, "links")?;
        let mut graph = Graph {
            boards: Vec::with_capacity(positions),
            nodes: Vec::with_capacity(positions),
            leaves: Vec::with_capacity(positions),
            offsets: Vec::with_capacity(positions + 1),
            edges: Vec::with_capacity(links),
            layers: Vec::new(),
            settled: 0,
            seed: Seed::random(),
        };
        graph.offsets.push(0);
        let orders: Vec<Vec<u32>> = self.runs.par_iter().map(Run::order).collect();
        let mut runs = self.runs.into_iter().zip(orders);
        while let Some((placing, order)) = runs.next() {
            let start = graph.len();
            report.duplicates += graph.add_run(placing, &order);
            let passes = graph.len();
            let (passing, order) = runs.next().unwrap_or_default();
            report.duplicates += graph.add_run(passing, &order);
            graph.layers.push(Layer {
                start,
                passes,
                end: graph.len(),
                index: Index::default(),
            });
        }
        graph.index_layers();
        report.without_child = graph.find_children();
        Ok((graph, report))
    }
}

impl Run {
    /// The places of the records in the order of their boards, without the weaker of equal boards.
    fn order(&self) -> Vec<u32> {
        let key = |(place, record): (usize, &Record)| (record.board, place as u32);
        let mut keys: Vec<_> = self.records.par_iter().enumerate().map(key).collect();
        keys.par_sort_unstable();
        keys.dedup_by(|later, kept| {
            let same = later.0 == kept.0;
            if same && self.strength(later.1) >= self.strength(kept.1) {
                *kept = *later;
            }
            same
        });
        keys.iter().map(|(_, place)| *place).collect()
    }

    fn strength(&self, place: u32) -> Strength {
        let Record { board, node, .. } = &self.records[place as usize];
        Strength::new(node.engine(), node.level(), board.board().empties() as u8)
    }

    fn links(&self, place: u32) -> &[Edge] {
        let place = place as usize;
        let start = place
            .checked_sub(1)
            .map_or(0, |before| self.records[before].links_end);
        &self.links[start as usize..self.records[place].links_end as usize]
    }
}

impl Graph {
    /// Appends a run in this order of its records and returns how many duplicates it had.
    fn add_run(&mut self, run: Run, order: &[u32]) -> u64 {
        let records = || order.par_iter().map(|place| &run.records[*place as usize]);
        self.boards.par_extend(records().map(|record| record.board));
        self.nodes.par_extend(records().map(|record| record.node));
        self.leaves.par_extend(records().map(|record| record.leaf));
        self.append_links(|| order.par_iter().map(|place| run.links(*place)));
        (run.records.len() - order.len()) as u64
    }

    /// Appends the links of the positions that come behind those whose links are known.
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
