//! Pass positions, which the database and Edax's books contain and Egaroucid's books don't.
//!
//! If a move leaves the other side without a move, Egaroucid only keeps the position after the pass, seen by the side that
//! moves again. A graph has both positions, joined by a link, so passes need no special rules.

use crate::arena::Node;
use crate::slabs::{self, Slabs};
use crate::sort::Layers;
use crate::{Graph, GraphBuilder, NodeId, TooLarge};
use foldhash::HashSet;
use obook_othello::{Board, CanonicalBoard, Leaf, Link, Move, PERSON_LEVEL, Position, RuleSet};
use rayon::prelude::*;

/// Adds the pass positions between two positions of the book, and the finished games of which the book only has the other
/// side's view. Returns how many it added. Marks are as after [`Slabs::grow`].
///
/// A pass position gets the level and engine of the position after the pass, unless a person entered that value, and the value with the
/// sign changed. (Egaroucid
/// itself writes such values with the wrong sign, and its fix changes the sign of a finished game once too often.) Run
/// [`link`](crate::link::link) next to link the parents.
///
/// ```
/// use obook_graph::slabs::{Gathered, Slabs};
/// use obook_graph::passes::restore_passes;
/// use obook_othello::{Board, Engine, Move, Position};
///
/// // Black a1, white b1 and d1. After black plays c1, white has no move, but black has e1.
/// let before = Board::new(0b0001, 0b1010)?;
/// let passing = before.play(Move::from_code(2).unwrap()).unwrap();
/// assert!(passing.must_pass());
/// let passed = passing.passed();
/// let mut gathered = Gathered::within(u64::MAX);
/// for (board, value) in [(before, 9), (passed, 9)] {
///     let mut position = Position::new(board.canonical(), Engine::Egaroucid);
///     position.value = Some(value);
///     gathered.push(position)?;
/// }
/// let (mut book, _) = Slabs::new(gathered)?;
/// assert_eq!(restore_passes(&mut book)?, 1);
/// let graph = book.into_graph().expect("it fits in memory");
/// let pass = graph.find(passing.canonical()).unwrap();
/// assert_eq!(graph.value(pass), Some(-9));
/// assert_eq!(graph.links(pass).next().map(|link| link.mv), Some(Move::Pass));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Returns [`slabs::Error`].
pub fn restore_passes(book: &mut Slabs) -> slabs::Result<u64> {
    book.grow(|slab, passes| {
        lacking_passes(slab.graph(), |_| true, passes);
        Ok(())
    })
}

/// Adds the positions after passes that the book lacks: the pass positions, seen by the other side. Returns how many it added.
/// Marks are as after [`Slabs::grow`]; run [`link`](crate::link::link) next.
///
/// # Errors
/// Returns [`slabs::Error`].
pub(crate) fn add_passed(book: &mut Slabs) -> slabs::Result<u64> {
    book.grow(|slab, added| {
        let graph = slab.graph();
        let own = lacking_passed(graph).filter(|(pass, _)| !graph.is_frozen(*pass));
        own.for_each(|(pass, passed)| added.push(other_view(&graph.position(pass), passed)));
        Ok(())
    })
}

/// The pass positions, each with the board after the pass, if the book lacks that.
pub(crate) fn lacking_passed(graph: &Graph) -> impl Iterator<Item = (NodeId, CanonicalBoard)> {
    let passed = |pass| graph.board(pass).board().passed().canonical();
    let passes = graph.pass_ids().map(move |pass| (pass, passed(pass)));
    passes.filter(|(_, passed)| graph.find(*passed).is_none())
}

/// As [`restore_passes`], if books with these rules may lack pass positions: those with Edax's rules hold all of their own.
///
/// # Errors
/// As [`restore_passes`].
pub fn restore_passes_by(book: &mut Slabs, rules: RuleSet) -> slabs::Result<u64> {
    match rules {
        RuleSet::Edax => Ok(0),
        RuleSet::Egaroucid | RuleSet::EgaroucidEdax => restore_passes(book),
    }
}

/// As [`restore_passes`], but only adds a position next to one of `new`.
///
/// # Errors
/// As [`restore_passes`].
pub fn restore_passes_next_to(book: &mut Slabs, new: &mut Layers) -> slabs::Result<u64> {
    book.grow(|slab, passes| {
        let layers = slab.layers();
        let mut boards = HashSet::default();
        for empties in layers.start.saturating_sub(1)..layers.end {
            for position in new.read(empties)? {
                boards.insert(position?.board);
            }
        }
        lacking_passes(slab.graph(), |board| boards.contains(&board), passes);
        Ok(())
    })
}

/// Adds to `passes` what [`restore_passes`] would add next to the children of positions that are not frozen, if it adds only positions
/// next to one that `is_new` accepts.
pub fn lacking_passes(
    graph: &Graph,
    is_new: impl Fn(CanonicalBoard) -> bool + Sync,
    passes: &mut GraphBuilder,
) {
    let lacking = lacking_views(graph);
    if lacking.is_empty() {
        return;
    }
    let (boards, others): (Vec<_>, Vec<_>) = lacking.into_iter().unzip();
    let views = graph.board_set(boards);
    let (others, is_new) = (&others, &is_new);
    let reached = |parent: NodeId| {
        let parent = graph.board(parent);
        let children = views.reached_from(graph, parent);
        children.filter(move |view| is_new(parent) || is_new(graph.board(others[*view])))
    };
    let mut reached: Vec<usize> = graph.unfrozen().flat_map_iter(reached).collect();
    reached.sort_unstable();
    reached.dedup();
    for view in reached {
        let other = graph.position(others[view]);
        passes.push(other_view(&other, views.boards[view]));
    }
}

/// The boards without a move for the side to move of which the book only has the other side's view, with that view.
pub(crate) fn lacking_views(graph: &Graph) -> Vec<(CanonicalBoard, NodeId)> {
    let lacking = |id: NodeId| {
        let other = graph.board(id).board().passed();
        let other = other.legal_moves().is_empty().then(|| other.canonical())?;
        graph.find(other).is_none().then_some((other, id))
    };
    let all = graph.in_parallel(0..graph.len());
    all.filter_map(lacking).collect()
}

/// The boards as which an Egaroucid book may contain the result of a move: `child`, and the other side's view if the side to
/// move has no move.
pub fn views(child: Board) -> impl Iterator<Item = CanonicalBoard> {
    let other = child.legal_moves().is_empty().then(|| child.passed());
    [child].into_iter().chain(other).map(Board::canonical)
}

/// Makes a record of `board`, the other side's view of a position, from the record of that position.
#[must_use]
pub fn other_view(other: &Position, board: CanonicalBoard) -> Position {
    // The proof follows from the one over the pass.
    let mut position = Position {
        proof: None,
        ..Node::new(other).turned().record(board, &[])
    };
    if board.board().must_pass() {
        // Nobody entered this value.
        position.level = position.level.filter(|level| *level < PERSON_LEVEL);
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

/// Removes the pass positions, which Egaroucid's books don't have. If the book lacks the position after the pass, the pass
/// position becomes that position, with its numbers seen by the other side and without a leaf.
///
/// Finished games stay, whichever side's view they are. Links that led to a pass position lose their child.
///
/// ```
/// use obook_graph::{Graph, passes::drop_passes};
/// use obook_othello::{Board, Engine, Leaf, Move, Position};
///
/// // White has no move, black has e1.
/// let passing = Board::new(0b1000, 0b0111)?;
/// let mut position = Position::new(passing.canonical(), Engine::Edax);
/// position.value = Some(-9);
/// position.leaf = Some(Leaf { mv: Some(Move::Pass), score: -9, level: None, engine: Engine::Edax });
/// let mut builder = Graph::builder();
/// builder.push(position);
/// let (mut graph, _) = builder.finish()?;
/// drop_passes(&mut graph)?;
/// let passed = graph.find(passing.passed().canonical()).unwrap();
/// assert_eq!((graph.value(passed), graph.leaf(passed)), (Some(9), None));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Returns [`TooLarge`], but not in practice, because the book doesn't grow.
pub fn drop_passes(graph: &mut Graph) -> Result<(), TooLarge> {
    let mut new = Graph::builder();
    for (pass, passed) in lacking_passed(graph) {
        new.push(other_view(&graph.position(pass), passed));
    }
    let (new, _) = new.finish()?;
    if graph.pass_ids().next().is_some() {
        graph.revise(|graph, id| !graph.board(id).board().must_pass(), &new)?;
    }
    Ok(())
}
