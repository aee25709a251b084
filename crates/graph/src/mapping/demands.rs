//! Edax's demands of a book.
//!
//! Edax's `book fix` searches every position that doesn't meet them, which may take hours, and its negamax crashes on a link
//! without a child.

use crate::{Graph, NodeId};
use obook_othello::levels::MAX_LEVEL;
use obook_othello::{Board, Leaf, Move, Position};
use rayon::prelude::*;

/// A demand that a position doesn't meet. Every [`Graph`] meets some demands: a board is possible and canonical, and occurs
/// once.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, thiserror::Error)]
pub enum Demand {
    /// A centre square is empty.
    #[error("a centre square is empty")]
    EmptyCentre,
    /// The move of a link is illegal.
    #[error("the link {0} is illegal")]
    IllegalLink(Move),
    /// The move of a link leads to no position of the book.
    #[error("the link {0} leads to no position of the book")]
    LinkWithoutChild(Move),
    /// The move of the leaf is illegal.
    #[error("the leaf {0} is illegal")]
    IllegalLeaf(Move),
    /// A move occurs twice among links and leaf.
    #[error("{0} occurs twice among links and leaf")]
    RepeatedMove(Move),
    /// The leaf is the pass, although the position after the pass is in the book.
    #[error("the leaf is the pass, but the position after it is in the book")]
    PassIntoBook,
    /// There is no leaf, although this legal move is not a link. Other moves may not be links either.
    #[error("{0} is not a link, and there is no leaf")]
    MissingLeaf(Move),
    /// The game is over, but there is no final score.
    #[error("the game is over, but there is no final score")]
    MissingFinalScore,
    /// The final score is wrong.
    #[error("the final score is {found:+}, but {expected:+} on the board")]
    WrongFinalScore {
        /// The score in the leaf.
        found: i8,
        /// The score on the board.
        expected: i8,
    },
    /// There is a final score, but the game is not over.
    #[error("there is a final score, but the game is not over")]
    FinalScoreTooEarly,
    /// The level is unknown.
    #[error("the level is unknown")]
    MissingLevel,
    /// The level is above [`MAX_LEVEL`], and Edax would read beyond its table.
    #[error("level {0} is above {most}", most = MAX_LEVEL)]
    LevelTooHigh(u8),
}

/// Returns every demand that a position of the book doesn't meet, children before their parents. Frozen positions don't count.
///
/// ```
/// use obook_graph::{Graph, mapping::demands};
/// use obook_othello::{Board, Engine, Position};
///
/// let mut builder = Graph::builder();
/// let mut position = Position::new(Board::START.canonical(), Engine::Edax);
/// position.level = Some(21);
/// builder.push(position);
/// let (graph, _) = builder.finish()?;
/// let wrong: Vec<String> = demands::check(&graph).map(|(_, demand)| demand.to_string()).collect();
/// assert_eq!(wrong, ["d3 is not a link, and there is no leaf"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn check(graph: &Graph) -> impl Iterator<Item = (NodeId, Demand)> + use<> {
    let with_demands = |id| of(graph, id).into_iter().map(move |demand| (id, demand));
    let found: Vec<_> = graph.unfrozen().flat_map_iter(with_demands).collect();
    found.into_iter()
}

/// Returns the demands that one position doesn't meet.
#[must_use]
pub fn of(graph: &Graph, id: NodeId) -> Vec<Demand> {
    let board = graph.board(id).board();
    let legal = Moves::legal(board);
    let mut wrong = Vec::new();
    if (board.player() | board.opponent()) & Board::CENTRE != Board::CENTRE {
        wrong.push(Demand::EmptyCentre);
    }
    match graph.level(id) {
        None => wrong.push(Demand::MissingLevel),
        Some(level) if level > MAX_LEVEL => wrong.push(Demand::LevelTooHigh(level)),
        Some(_) => {}
    }
    let mut met = Moves::NONE;
    for link in graph.links(id) {
        if !legal.contains(link.mv) {
            wrong.push(Demand::IllegalLink(link.mv));
        } else if link.child.is_none() {
            wrong.push(Demand::LinkWithoutChild(link.mv));
        }
        if !met.insert(link.mv) {
            wrong.push(Demand::RepeatedMove(link.mv));
        }
    }
    match graph.leaf(id) {
        Some(Leaf { mv: Some(mv), .. }) => {
            if !legal.contains(mv) {
                wrong.push(Demand::IllegalLeaf(mv));
            } else if !met.insert(mv) {
                wrong.push(Demand::RepeatedMove(mv));
            } else if mv == Move::Pass && graph.find(board.passed().canonical()).is_some() {
                wrong.push(Demand::PassIntoBook);
            }
        }
        Some(leaf) => {
            let (found, expected) = (leaf.score, board.final_score());
            if !legal.is_empty() {
                wrong.push(Demand::FinalScoreTooEarly);
            } else if found != expected {
                wrong.push(Demand::WrongFinalScore { found, expected });
            }
        }
        None if legal.is_empty() => wrong.push(Demand::MissingFinalScore),
        None => wrong.extend(Moves(legal.0 & !met.0).first().map(Demand::MissingLeaf)),
    }
    wrong
}

/// Whether a position lacks a leaf ([`Demand::MissingLeaf`]). Its links must be correct. This is faster than [`of`].
#[must_use]
pub fn lacks_leaf(graph: &Graph, id: NodeId) -> bool {
    let linked = graph.links(id).map(|link| link.mv);
    graph.leaf(id).is_none() && has_other_move(graph.board(id).board(), linked)
}

/// As [`lacks_leaf`], for a record.
#[must_use]
pub fn record_lacks_leaf(position: &Position) -> bool {
    let linked = position.links.iter().map(|link| link.mv);
    position.leaf.is_none() && has_other_move(position.board.board(), linked)
}

fn has_other_move(board: Board, linked: impl Iterator<Item = Move>) -> bool {
    let mut moves = Moves::legal(board);
    linked.for_each(|mv| moves.remove(mv));
    !moves.is_empty()
}

/// A set of moves by number: bit 0 is a1, bit 63 is h8, bit 64 is the pass.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Moves(u128);

impl Moves {
    pub(super) const NONE: Moves = Moves(0);

    /// The legal moves, including the pass.
    pub(super) fn legal(board: Board) -> Moves {
        let places = board.legal_moves().0;
        let pass = places == 0 && board.must_pass();
        Moves(u128::from(places) | u128::from(pass) << Move::Pass.code())
    }

    pub(super) fn contains(self, mv: Move) -> bool {
        self.0 >> mv.code() & 1 != 0
    }

    /// Adds a move. Returns `false` if the set had it before.
    pub(super) fn insert(&mut self, mv: Move) -> bool {
        let new = !self.contains(mv);
        self.0 |= 1 << mv.code();
        new
    }

    pub(super) fn remove(&mut self, mv: Move) {
        self.0 &= !(1 << mv.code());
    }

    pub(super) fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The move with the smallest number.
    pub(super) fn first(self) -> Option<Move> {
        Move::from_code(self.0.trailing_zeros() as u8)
    }
}
