//! Moves that are no links, and whether they should be.

use super::index::Index;
use super::probe::Probe;
use super::{Edge, Graph};
use obook_othello::{Board, CanonicalBoard, Move};
use std::ops::Range;

/// Positions whose moves are looked up at once: so many that the processor waits for many lookups at once, few enough
/// for their moves to stay in its cache.
pub const BATCH: usize = 256;

/// The moves of neighbouring positions that may be missing links, or lead to some other boards.
pub struct Unlinked<'a> {
    graph: &'a Graph,
    others: &'a BoardSet,
    moves: Vec<Lookup<'a>>,
}

/// A legal move and the position that it leads to, which one of the filters knows.
struct Lookup<'a> {
    place: usize,
    mv: Move,
    child: Probe<'a>,
}

/// Boards that the book does not hold, found by the hash that finds its own.
pub struct BoardSet {
    boards: Vec<CanonicalBoard>,
    index: Index,
}

impl Graph {
    /// The legal moves from these positions that have no link with a child, as far as they may lead to a position of the
    /// book or to one of `others`. Asked for a few hundred positions at a time it is twice as fast as [`Graph::find`]
    /// for every move.
    pub fn unlinked<'a>(&'a self, places: Range<usize>, others: &'a BoardSet) -> Unlinked<'a> {
        let mut moves = Vec::new();
        for place in places {
            let board = self.boards[place].board();
            let empties = board.empties() as usize;
            let edges = self.edges(place);
            let mut lookup = |mv: Move, child: Board, layer| {
                let linked = |edge: &Edge| edge.has_child() && edge.mv() == mv;
                if edges.iter().any(linked) {
                    return;
                }
                let child = self.probe(layer, child.canonical());
                if child.may_be_there() || others.index.may_hold(child.hash) {
                    moves.push(Lookup { place, mv, child });
                }
            };
            let squares = board.legal_moves();
            for square in squares {
                let below = &self.layers[empties - 1];
                lookup(square.into(), board.after(square), below);
            }
            if squares.is_empty() && board.must_pass() {
                lookup(Move::Pass, board.passed(), &self.layers[empties]);
            }
        }
        Unlinked {
            graph: self,
            others,
            moves,
        }
    }

    /// Boards, all different, that [`Graph::unlinked`] can find.
    pub fn board_set(&self, boards: Vec<CanonicalBoard>) -> BoardSet {
        let index = Index::new(&boards, self.seed);
        BoardSet { boards, index }
    }
}

impl Unlinked<'_> {
    /// The other boards to which they lead by a disc placed, each as often as a move leads there.
    pub fn others(&self) -> impl Iterator<Item = CanonicalBoard> {
        let BoardSet { boards, index } = self.others;
        let discs = self.moves.iter().filter(|lookup| lookup.mv != Move::Pass);
        let children = discs.map(|lookup| &lookup.child);
        let is_there = |child: &&Probe<'_>| index.find(boards, child.board, child.hash).is_some();
        children.filter(is_there).map(|child| child.board)
    }

    /// Those that lead to another position of the book, in order, as links with the child's value.
    pub fn links(&self) -> impl Iterator<Item = (usize, Edge)> {
        self.moves.iter().filter_map(|lookup| {
            let child = lookup.child.find(self.graph)?;
            let score = self.graph.value(child).map(Edge::score_of);
            Some((lookup.place, Edge::new(lookup.mv, score, Some(child))))
        })
    }
}
