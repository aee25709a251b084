//! What Edax demands of a book.
//!
//! Its `book fix` searches every position that fails one of these, which keeps it busy for hours, and its negamax
//! crashes on a link that leads nowhere.

use super::moves::Moves;
use crate::{Graph, NodeId};
use obook_model::{Leaf, Position};
use obook_othello::{Board, Move};
use rayon::prelude::*;
use std::fmt;

/// The highest level that Edax knows.
pub const MAX_LEVEL: u8 = 60;

/// A demand that a position does not meet. That boards are canonical, without a square that both sides hold, and each
/// in the book only once, is so in every [`Graph`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Demand {
    /// A centre square is empty.
    EmptyCentre,
    /// The move of a link is not legal.
    IllegalLink(Move),
    /// The move of a link leads to no position of the book.
    LinkWithoutChild(Move),
    /// The move of the leaf is not legal.
    IllegalLeaf(Move),
    /// A move stands twice among links and leaf.
    RepeatedMove(Move),
    /// The leaf is the pass although the position behind the pass is in the book.
    PassIntoBook,
    /// There is no leaf although this legal move, and perhaps others, is no link.
    MissingLeaf(Move),
    /// The game is over but there is no final score.
    MissingFinalScore,
    /// The final score is not the one on the board.
    WrongFinalScore {
        /// What the leaf says.
        found: i8,
        /// What the board says.
        expected: i8,
    },
    /// A final score stands where the game is not over.
    FinalScoreTooEarly,
    /// The level is not known.
    MissingLevel,
    /// The level is above [`MAX_LEVEL`]: Edax reads beyond its table.
    LevelTooHigh(u8),
}

impl fmt::Display for Demand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Demand::EmptyCentre => f.write_str("a centre square is empty"),
            Demand::IllegalLink(mv) => write!(f, "the link {mv} is not legal"),
            Demand::LinkWithoutChild(mv) => {
                write!(f, "the link {mv} leads to no position of the book")
            }
            Demand::IllegalLeaf(mv) => write!(f, "the leaf {mv} is not legal"),
            Demand::RepeatedMove(mv) => write!(f, "{mv} stands twice among links and leaf"),
            Demand::PassIntoBook => {
                f.write_str("the leaf is the pass, but the position behind it is in the book")
            }
            Demand::MissingLeaf(mv) => write!(f, "{mv} is no link, and there is no leaf"),
            Demand::MissingFinalScore => f.write_str("the game is over, but has no final score"),
            Demand::WrongFinalScore { found, expected } => {
                write!(f, "the final score is {found:+}, on the board {expected:+}")
            }
            Demand::FinalScoreTooEarly => {
                f.write_str("it has a final score, but the game is not over")
            }
            Demand::MissingLevel => f.write_str("the level is not known"),
            Demand::LevelTooHigh(level) => write!(f, "level {level} is above {MAX_LEVEL}"),
        }
    }
}

/// Every demand that a position of the book does not meet, children before their parents.
///
/// ```
/// use obook_graph::{Graph, mapping::demands};
/// use obook_model::{Engine, Position};
/// use obook_othello::Board;
///
/// let mut builder = Graph::builder();
/// let mut position = Position::new(Board::START.canonical(), Engine::Edax);
/// position.level = Some(21);
/// builder.push(position);
/// let (graph, _) = builder.finish()?;
/// let wrong: Vec<String> = demands::check(&graph).map(|(_, demand)| demand.to_string()).collect();
/// assert_eq!(wrong, ["d3 is no link, and there is no leaf"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn check(graph: &Graph) -> impl Iterator<Item = (NodeId, Demand)> + use<> {
    let found: Vec<(NodeId, Demand)> = (0..graph.len())
        .into_par_iter()
        .flat_map_iter(|place| {
            let id = graph.id(place);
            of(graph, id).into_iter().map(move |demand| (id, demand))
        })
        .collect();
    found.into_iter()
}

/// The demands that one position does not meet.
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
        Some(Leaf {
            mv: None,
            score: found,
            ..
        }) => {
            let expected = board.final_score();
            if !legal.is_empty() {
                wrong.push(Demand::FinalScoreTooEarly);
            } else if found != expected {
                wrong.push(Demand::WrongFinalScore { found, expected });
            }
        }
        None if legal.is_empty() => wrong.push(Demand::MissingFinalScore),
        None => wrong.extend((legal - met).first().map(Demand::MissingLeaf)),
    }
    wrong
}

/// Whether a position whose links are in order lacks a leaf: [`Demand::MissingLeaf`] alone, found faster.
pub fn lacks_leaf(graph: &Graph, id: NodeId) -> bool {
    let linked = graph.links(id).map(|link| link.mv);
    graph.leaf(id).is_none() && has_other_move(graph.board(id).board(), linked)
}

/// The same of a record.
pub fn record_lacks_leaf(position: &Position) -> bool {
    let linked = position.links.iter().map(|link| link.mv);
    position.leaf.is_none() && has_other_move(position.board.board(), linked)
}

fn has_other_move(board: Board, linked: impl Iterator<Item = Move>) -> bool {
    let mut moves = Moves::NONE;
    for mv in linked {
        moves.insert(mv);
    }
    !(Moves::legal(board) - moves).is_empty()
}
