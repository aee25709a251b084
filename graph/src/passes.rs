//! Pass positions: the database and Edax hold them, Egaroucid's books do not.
//!
//! Where a move leaves the other side without one, Egaroucid keeps the position after the pass, seen by the side that
//! moves again. Here both are positions, joined by a link, so that every rule of the graph holds for passes too.

use crate::{Graph, NodeId, TooLarge, turned_record};
use foldhash::HashSet;
use obook_model::{Leaf, Link, Position};
use obook_othello::{Board, CanonicalBoard, Move};
use rayon::prelude::*;

/// What [`drop_passes`] took out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct DroppedPasses {
    /// Pass positions whose passed position is in the book.
    pub dropped: u64,
    /// Pass positions that became the passed position.
    pub turned: u64,
}

/// Puts the pass positions in that lie between two positions of the book, and the finished games that it holds from the
/// other side's view only; gives what was put in.
///
/// A pass position gets its value from the passed one, with the sign turned, and its level and engine. Egaroucid itself
/// writes such values with the wrong sign, and turns that of a finished game once too often in its fix; the values here
/// are right. [`link`](crate::link::link) then joins the parents.
///
/// ```
/// use obook_graph::{Graph, passes::restore_passes};
/// use obook_model::{Engine, Position};
/// use obook_othello::{Board, Move};
///
/// // Black a1, white b1 and d1: after black's c1 white has no move, but black has e1.
/// let before = Board::new(0b0001, 0b1010)?;
/// let passing = before.play(Move::from_code(2).unwrap()).unwrap();
/// assert!(passing.must_pass());
/// let passed = passing.passed();
/// let mut builder = Graph::builder();
/// for (board, value) in [(before, 9), (passed, 9)] {
///     let mut position = Position::new(board.canonical(), Engine::Egaroucid);
///     position.value = Some(value);
///     builder.push(position);
/// }
/// let (mut graph, _) = builder.finish()?;
/// assert!(restore_passes(&mut graph)?.contains(&passing.canonical()));
/// let pass = graph.find(passing.canonical()).unwrap();
/// assert_eq!(graph.value(pass), Some(-9));
/// assert_eq!(graph.links(pass).next().map(|link| link.mv), Some(Move::Pass));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`TooLarge`] where the book would grow beyond what a graph can number.
pub fn restore_passes(graph: &mut Graph) -> Result<HashSet<CanonicalBoard>, TooLarge> {
    restore_passes_of(graph, |_| true)
}

/// As [`restore_passes`], but only those that lie between two positions of which `is_new` approves one.
pub fn restore_passes_of(
    graph: &mut Graph,
    is_new: impl Fn(CanonicalBoard) -> bool + Sync,
) -> Result<HashSet<CanonicalBoard>, TooLarge> {
    let (book, is_new) = (&*graph, &is_new);
    let found: Vec<(CanonicalBoard, NodeId)> = (0..book.len())
        .into_par_iter()
        .flat_map_iter(|place| {
            let parent = book.board(book.id(place));
            let views = missing_views(book, book.id(place));
            views.filter(move |(_, other)| is_new(parent) || is_new(book.board(*other)))
        })
        .collect();
    let mut builder = Graph::builder();
    for (board, other) in found {
        builder.push(other_view(&graph.position(other), board));
    }
    let (new, _) = builder.finish()?;
    if !new.is_empty() {
        graph.revise(|_, _| true, &new)?;
    }
    Ok(new.ids().map(|id| new.board(id)).collect())
}

/// The children of a position in which neither side can move, or only by passing, that are in the book from the other side's
/// view alone, with that view.
fn missing_views(graph: &Graph, id: NodeId) -> impl Iterator<Item = (CanonicalBoard, NodeId)> {
    let board = graph.board(id).board();
    board.moves().filter_map(move |mv| {
        let child = board.play(mv)?;
        if mv == Move::Pass || !child.legal_moves().is_empty() {
            return None;
        }
        let other = graph.find(child.passed().canonical())?;
        let child = child.canonical();
        graph.find(child).is_none().then_some((child, other))
    })
}

/// The boards under which an Egaroucid book may hold what a move leads to: a pass and the end of a game it holds as the
/// other side sees them.
pub fn views(child: Board) -> impl Iterator<Item = CanonicalBoard> {
    let other = child.legal_moves().is_empty().then(|| child.passed());
    [Some(child), other]
        .into_iter()
        .flatten()
        .map(Board::canonical)
}

/// What a position says, as `board`, the same discs seen by the other side.
pub fn other_view(other: &Position, board: CanonicalBoard) -> Position {
    let mut position = turned_record(other, board);
    if board.board().must_pass() {
        let score = position.value.map(|value| value.clamp(-127, 127) as i8);
        position.links.push(Link {
            mv: Move::Pass,
            score,
        });
    } else if board.board().is_over() {
        position.leaf = other.leaf.map(|leaf| Leaf {
            score: leaf.score.saturating_neg(),
            ..leaf
        });
    }
    position
}

/// Takes the pass positions out, as Egaroucid's books have it: where the passed position is in the book, the pass
/// position goes; else it becomes the passed position, its numbers seen by the other side, without a leaf.
///
/// Finished games stay, whichever side sees them. Links that led to a pass position are left without a child.
///
/// ```
/// use obook_graph::{Graph, passes::drop_passes};
/// use obook_model::{Engine, Leaf, Position};
/// use obook_othello::{Board, Move};
///
/// // White has no move, black has e1.
/// let passing = Board::new(0b1000, 0b0111)?;
/// let mut position = Position::new(passing.canonical(), Engine::Edax);
/// position.value = Some(-9);
/// position.leaf = Some(Leaf { mv: Some(Move::Pass), score: -9, level: None, engine: Engine::Edax });
/// let mut builder = Graph::builder();
/// builder.push(position);
/// let (mut graph, _) = builder.finish()?;
/// assert_eq!(drop_passes(&mut graph)?.turned, 1);
/// let passed = graph.find(passing.passed().canonical()).unwrap();
/// assert_eq!((graph.value(passed), graph.leaf(passed)), (Some(9), None));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`TooLarge`], never in practice: the book does not grow.
pub fn drop_passes(graph: &mut Graph) -> Result<DroppedPasses, TooLarge> {
    let mut dropped = DroppedPasses::default();
    let mut builder = Graph::builder();
    for id in graph.pass_ids() {
        let passed = graph.board(id).board().passed().canonical();
        if graph.find(passed).is_some() {
            dropped.dropped += 1;
        } else {
            dropped.turned += 1;
            builder.push(other_view(&graph.position(id), passed));
        }
    }
    let (new, _) = builder.finish()?;
    if dropped != DroppedPasses::default() {
        graph.revise(|graph, id| !graph.board(id).board().must_pass(), &new)?;
    }
    Ok(dropped)
}
