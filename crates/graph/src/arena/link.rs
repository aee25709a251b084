//! Links: every move that leads from a position of the book to another one.

use super::index::{Index, Probe};
use super::walk::{batches, split};
use super::{Edge, Graph, NodeId, PackedLeaf, TooLarge};
use obook_base::Progress;
use obook_othello::{Board, CanonicalBoard, Move, NoLeaf};
use rayon::prelude::*;
use std::ops::Range;

/// The changes that [`link`] made.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize)]
pub struct LinkReport {
    /// Links that were missing.
    pub added: u64,
    /// Links that were dropped because their child is not in the book, their move is illegal, or they are duplicates.
    pub removed: u64,
    /// Leaves that were dropped because their move is a link.
    pub leaves_dropped: u64,
}

obook_base::sums! { LinkReport { added, removed, leaves_dropped } }

/// Gives every position a link for each legal move, including the pass, whose child is in the book.
///
/// Correct links stay in their order, with their scores. New links follow, with scores from their children's values. If a
/// position is symmetric, each of its symmetric moves gets a link, as in Edax's books. A leaf whose move is a link is dropped.
///
/// ```
/// use obook_graph::Graph;
/// use obook_graph::link::{LinkReport, link};
/// use obook_othello::{Board, Engine, Leaf, Link, Move, Position};
///
/// let board = Board::START.canonical();
/// let moves: Vec<Move> = Board::START.moves().collect();
/// let mut start = Position::new(board, Engine::Edax);
/// start.leaf = Some(Leaf { mv: Some(moves[0]), score: 0, level: None, engine: Engine::Edax });
/// start.links.push(Link { mv: moves[1], score: None });
/// start.links.push(Link { mv: Move::Pass, score: None });
/// let child = Board::START.play(moves[0]).unwrap().canonical();
///
/// let positions = [start, Position::new(child, Engine::Edax)];
/// let (mut graph, _) = Graph::from_positions(positions.map(Ok::<_, obook_graph::TooLarge>))?;
/// let report = link(&mut graph)?;
/// assert_eq!(report, LinkReport { added: 3, removed: 1, leaves_dropped: 1 });
/// # Ok::<(), obook_graph::TooLarge>(())
/// ```
///
/// # Errors
/// Returns [`TooLarge`] above 2³² − 2 links. The graph then stays as it was.
pub fn link(graph: &mut Graph) -> Result<LinkReport, TooLarge> {
    link_counted(graph, &Progress::hidden())
}

/// As [`link`], and counts the positions that are not frozen as done.
///
/// # Errors
/// As [`link`].
pub fn link_counted(graph: &mut Graph, progress: &Progress) -> Result<LinkReport, TooLarge> {
    let (report, without_leaf) = graph.relink(progress)?;
    for place in without_leaf {
        graph.leaves[place] = PackedLeaf::missing(None);
    }
    Ok(report)
}

/// As [`link_counted`], but leaves stay even if their moves are links.
///
/// # Errors
/// As [`link`].
pub fn link_beside_leaves(graph: &mut Graph, progress: &Progress) -> Result<(), TooLarge> {
    graph.relink(progress).map(drop)
}

/// Whether [`link`] would change nothing.
///
/// ```
/// use obook_graph::Graph;
/// use obook_graph::link::{is_linked, link};
/// use obook_othello::{Board, Engine, Line, Position};
///
/// let child = "f5".parse::<Line>()?.board();
/// let boards = [Board::START, child].map(Board::canonical);
/// let positions = boards.map(|board| Ok::<_, obook_graph::TooLarge>(Position::new(board, Engine::Edax)));
/// let (mut graph, _) = Graph::from_positions(positions)?;
/// assert!(!is_linked(&graph));
/// link(&mut graph)?;
/// assert!(is_linked(&graph));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn is_linked(graph: &Graph) -> bool {
    batches(0..graph.len(), BATCH).all(|places| {
        let relinked = graph.relink_batch(places);
        relinked.report == LinkReport::default() && relinked.without_leaf.is_empty()
    })
}

/// The new links of neighbouring positions.
#[derive(Default)]
struct Relinked {
    edges: Vec<Edge>,
    /// The number of links of each position.
    counts: Vec<u32>,
    /// Positions whose leaf is a link, and positions that lost a link although a remark said that all their moves are in the
    /// book. Their leaf or remark goes.
    without_leaf: Vec<usize>,
    report: LinkReport,
}

impl Graph {
    /// See [`link`]. Leaves stay; also returns the places of those that should go.
    fn relink(&mut self, progress: &Progress) -> Result<(LinkReport, Vec<usize>), TooLarge> {
        let relink = |places: Range<usize>| {
            let own = places.end.saturating_sub(places.start.max(self.frozen));
            progress.advance(own as u64);
            self.relink_batch(places)
        };
        let all = batches(0..self.len(), BATCH);
        let batches: Vec<Relinked> = all.map(relink).collect();
        let count = batches.iter().map(|batch| batch.edges.len()).sum();
        TooLarge::check(count, "links")?;
        let (mut report, mut without_leaf) = (LinkReport::default(), Vec::new());
        self.edges = Vec::with_capacity(count);
        self.replace_links(batches.into_iter().map(|batch| {
            without_leaf.extend(batch.without_leaf);
            report += batch.report;
            (batch.edges, batch.counts)
        }));
        Ok((report, without_leaf))
    }

    fn relink_batch(&self, places: Range<usize>) -> Relinked {
        let mut relinked = Relinked::default();
        let frozen = places.start..self.frozen.clamp(places.start, places.end);
        relinked.counts.resize(frozen.len(), 0);
        let places = frozen.end..places.end;
        let links: Vec<(usize, Edge)> = self.unlinked(places.clone(), None).links().collect();
        let mut links = &links[..];
        for place in places {
            let count = links.iter().take_while(|(from, _)| *from == place).count();
            let (own, rest) = links.split_at(count);
            links = rest;
            self.relink_one(place, own, &mut relinked);
        }
        relinked
    }

    /// Keeps the correct links of a position and adds the missing ones.
    fn relink_one(&self, place: usize, missing: &[(usize, Edge)], relinked: &mut Relinked) {
        let start = relinked.edges.len();
        for edge in self.edges(place) {
            let mut kept = relinked.edges[start..].iter();
            let twice = kept.any(|other| other.mv() == edge.mv());
            if edge.has_child() && !twice {
                relinked.edges.push(*edge);
            }
        }
        let kept = relinked.edges.len();
        relinked.edges.extend(missing.iter().map(|(_, link)| *link));
        let links = &relinked.edges[start..];
        relinked.counts.push(links.len() as u32);
        let removed = self.edges(place).len() - (kept - start);
        relinked.report.removed += removed as u64;
        relinked.report.added += (relinked.edges.len() - kept) as u64;
        let leaf = self.leaves[place].get().and_then(|leaf| leaf.mv);
        if links.iter().any(|edge| Some(edge.mv()) == leaf) {
            relinked.report.leaves_dropped += 1;
            relinked.without_leaf.push(place);
        }
        if removed > 0 && self.leaves[place].no_leaf() == Some(NoLeaf::AllMovesInBook) {
            relinked.without_leaf.push(place);
        }
    }

    /// Finds the children of the links that have none.
    pub(super) fn find_children(&mut self) {
        let mut edges = std::mem::take(&mut self.edges);
        let graph = &*self;
        let chunks = split(&graph.offsets, 0..graph.len(), &mut edges);
        chunks.into_par_iter().for_each(|mut chunk| {
            let mut probes = Vec::with_capacity(chunk.edges.len());
            for place in chunk.places.clone() {
                let board = graph.boards[place].board();
                let edges = chunk.edges_of(place).iter();
                let childless = edges.filter(|edge| !edge.has_child());
                probes.extend(childless.map(|edge| graph.probe_child(board, edge.mv())));
            }
            let childless = chunk.edges.iter_mut().filter(|edge| !edge.has_child());
            for (edge, probe) in childless.zip(probes) {
                edge.set_child(probe.and_then(|probe: Probe<'_>| probe.find(graph)));
            }
        });
        self.edges = edges;
    }

    /// Starts to look up the position to which a move leads, if the move is legal.
    fn probe_child(&self, board: Board, mv: Move) -> Option<Probe<'_>> {
        let child = board.play(mv)?;
        let layer = self.layers.get(child.empties() as usize)?;
        Some(self.probe(layer, child.canonical()))
    }

    /// The moves of a position for which [`link`] would add a link.
    #[must_use]
    pub fn missing_links(&self, id: NodeId) -> Vec<Move> {
        let unlinked = self.unlinked(id.index()..id.index() + 1, None);
        unlinked.links().map(|(_, edge)| edge.mv()).collect()
    }
}

/// Positions whose moves are looked up together: enough to keep many lookups in flight, and few enough for the cache.
pub(crate) const BATCH: usize = 256;

/// The moves of neighbouring positions that may be missing links, or may lead to certain other boards.
pub(crate) struct Unlinked<'a> {
    graph: &'a Graph,
    others: Option<&'a BoardSet>,
    moves: Vec<Lookup<'a>>,
}

/// A legal move and the lookup of its child, which passed a filter.
struct Lookup<'a> {
    place: usize,
    mv: Move,
    child: Probe<'a>,
}

/// Boards outside the book, indexed by the same hash as the book's own.
pub(crate) struct BoardSet {
    pub(crate) boards: Vec<CanonicalBoard>,
    index: Index,
}

impl Graph {
    /// The legal moves of these positions that have no link with a child but may lead to a position of the book or to one of
    /// `others`. For a few hundred positions at a time, this is twice as fast as [`Graph::find`] for every move.
    pub(crate) fn unlinked<'a>(
        &'a self,
        places: Range<usize>,
        others: Option<&'a BoardSet>,
    ) -> Unlinked<'a> {
        let mut moves = Vec::new();
        for place in places {
            let board = self.boards[place].board();
            let empties = board.empties() as usize;
            let edges = self.edges(place);
            let is_linked = |mv: Move| {
                let is_link = |edge: &Edge| edge.has_child() && edge.mv() == mv;
                edges.iter().any(is_link)
            };
            let mut look_up = |mv: Move, child: Board, layer| {
                let child = self.probe(layer, child.canonical());
                moves.push(Lookup { place, mv, child });
            };
            let squares = board.legal_moves();
            if squares.is_empty() {
                if board.must_pass() && !is_linked(Move::Pass) {
                    look_up(Move::Pass, board.passed(), &self.layers[empties]);
                }
                continue;
            }
            let below = &self.layers[empties - 1];
            let shape = self.seed.shape(board);
            for square in squares {
                let child = shape.hash_with(square);
                let may_be_there = below.index.may_hold(child)
                    || others.is_some_and(|others| others.index.may_hold(child));
                if may_be_there && !is_linked(square.into()) {
                    look_up(square.into(), board.after(square), below);
                }
            }
        }
        Unlinked {
            graph: self,
            others,
            moves,
        }
    }

    /// Indexes boards, all different, for [`Graph::unlinked`].
    pub(crate) fn board_set(&self, boards: Vec<CanonicalBoard>) -> BoardSet {
        let index = Index::new(&boards, self.seed);
        BoardSet { boards, index }
    }
}

impl BoardSet {
    /// The places of the boards to which a disc on `board` leads, once for each move. `graph` is the one that made this set.
    pub(crate) fn reached_from(
        &self,
        graph: &Graph,
        board: CanonicalBoard,
    ) -> impl Iterator<Item = usize> {
        let (board, seed) = (board.board(), graph.seed);
        let shape = seed.shape(board);
        let squares = board.legal_moves().iter();
        let squares = squares.filter(move |square| self.index.may_hold(shape.hash_with(*square)));
        squares.filter_map(move |square| {
            let child = board.after(square).canonical();
            let place = self.index.find(&self.boards, child, seed.hash(child))?;
            Some(place as usize)
        })
    }
}

impl Unlinked<'_> {
    /// The other boards to which the moves lead, once for each move. Passes don't count.
    pub(crate) fn others(&self) -> impl Iterator<Item = CanonicalBoard> {
        let discs = self.moves.iter().filter(|lookup| lookup.mv != Move::Pass);
        let children = discs.map(|lookup| &lookup.child);
        let is_there = |child: &&Probe<'_>| {
            let find =
                |others: &BoardSet| others.index.find(&others.boards, child.board, child.hash);
            self.others.and_then(find).is_some()
        };
        children.filter(is_there).map(|child| child.board)
    }

    /// The moves that lead to a position of the book, as links, each with the place of its position.
    pub(crate) fn links(&self) -> impl Iterator<Item = (usize, Edge)> {
        self.moves.iter().filter_map(|lookup| {
            let child = lookup.child.find(self.graph)?;
            let score = self.graph.value(child).map(Edge::score_of);
            Some((lookup.place, Edge::new(lookup.mv, score, Some(child))))
        })
    }
}
