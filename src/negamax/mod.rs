//! Scores flow from the leaves to the root, by the rules of either engine.

mod edax;
mod egaroucid;

use crate::graph::{Edge, Graph};
use std::cmp::Reverse;

/// Whose numbers are computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rules {
    /// Edax's: value, bounds, outcomes and lines, from leaves and links.
    Edax {
        /// Error of a search that does not reach the end, in discs: half the width of its bounds.
        midgame_error: i32,
        /// Error of a selective search to the end, in discs.
        endcut_error: i32,
    },
    /// Egaroucid's: value and lines.
    Egaroucid {
        /// Take leaves into account, as its "Edax" fix does; else the values come from links alone.
        edax_compliant: bool,
    },
}

/// Computes all numbers of all positions from what lies below them, and sorts the links by score, best first, equals as
/// they were.
///
/// The numbers that the rules don't know become unknown. Run [`link`](crate::link::link) first: links without a child
/// lose their score and count for nothing here.
///
/// ```
/// use obook::graph::Graph;
/// use obook::negamax::{Rules, negamax};
/// use obook_converters::{Engine, Leaf, Position};
/// use obook_othello::{Board, Line, Move};
///
/// let mut builder = Graph::builder();
/// for (moves, leaf, score) in [("", None, 0), ("f5", Some("d6"), 3)] {
///     let board = moves.parse::<Line>()?.board().canonical();
///     let mut position = Position::new(board, Engine::Edax);
///     position.level = Some(21);
///     // The only disc that black has just placed is symmetric to the canonical one, so any legal move will do.
///     let mv = leaf.and_then(|_: &str| board.board().moves().next());
///     position.leaf = mv.map(|mv| Leaf { mv: Some(mv), score, level: None });
///     builder.push(position);
/// }
/// let (mut graph, _) = builder.finish()?;
/// obook::link::link(&mut graph)?;
/// negamax(&mut graph, Rules::Edax { midgame_error: 2, endcut_error: 1 });
///
/// let start = graph.find(Board::START.canonical()).unwrap();
/// assert_eq!(graph.value(start), Some(-3));
/// assert_eq!(graph.lines(start), Some(4), "four symmetric paths to the one leaf");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn negamax(graph: &mut Graph, rules: Rules) {
    match rules {
        Rules::Edax {
            midgame_error,
            endcut_error,
        } => graph.walk_up(|step| edax::visit(step, midgame_error, endcut_error)),
        Rules::Egaroucid { edax_compliant } => {
            graph.walk_up(|step| egaroucid::visit(step, edax_compliant));
        }
    }
}

/// Best score first, unknown scores last, equals as they were.
fn sort_links(edges: &mut [Edge]) {
    edges.sort_by_key(|edge| Reverse(edge.score()));
}
