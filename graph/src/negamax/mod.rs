//! Scores flow from the leaves to the root, by the rules of either engine.

mod edax;
mod egaroucid;

pub use edax::leaf_bounds;
pub use egaroucid::MOST_LINES;

use crate::{Edge, Graph, Node, NodeId, PassTo, Step, visit_record};
use obook_model::{Bounds, PERSON_LEVEL, Position};
use std::cmp::Reverse;

/// Whose numbers are computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scoring {
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
/// A value that a person entered (level 70) stays. The numbers that the rules don't know become unknown. Run [`link`](crate::link::link) first: links without a child
/// lose their score and count for nothing here.
///
/// ```
/// use obook_graph::Graph;
/// use obook_graph::negamax::{Scoring, negamax};
/// use obook_model::{Engine, Leaf, Position};
/// use obook_othello::{Board, Line};
///
/// // A book of two positions; of the second a search says that its first legal move is worth 3 discs.
/// let start = Position::new(Board::START.canonical(), Engine::Edax);
/// let mut child = Position::new("f5".parse::<Line>()?.board().canonical(), Engine::Edax);
/// child.level = Some(21);
/// child.leaf = Some(Leaf { mv: child.board.board().moves().next(), score: 3, level: None, engine: Engine::Edax });
///
/// let mut builder = Graph::builder();
/// builder.push(start);
/// builder.push(child);
/// let (mut graph, _) = builder.finish()?;
/// obook_graph::link::link(&mut graph)?;
/// negamax(&mut graph, Scoring::Edax { midgame_error: 2, endcut_error: 1 });
///
/// let start = graph.find(Board::START.canonical()).unwrap();
/// assert_eq!(graph.value(start), Some(-3));
/// assert_eq!(graph.lines(start), Some(4), "four symmetric paths to the one leaf");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn negamax(graph: &mut Graph, rules: Scoring) {
    graph.walk_up(|step| visit(step, rules));
}

/// What [`negamax`] would compute for one position if the numbers of its children were right.
pub fn judge(graph: &Graph, id: NodeId, rules: Scoring) -> Node {
    graph.judge(id, |step| visit(step, rules)).0
}

/// The numbers and link scores of one position whose links lead to `children`, in the order of its links.
pub fn of_record(position: &Position, children: &[Option<&Position>], rules: Scoring) -> Position {
    visit_record(position, children, |step| visit(step, rules))
}

/// Computes one position once more, its passes leading elsewhere.
pub fn renew(graph: &mut Graph, id: NodeId, pass: PassTo, rules: Scoring) {
    graph.visit_again(id, pass, |step| visit(step, rules));
}

fn visit(mut step: Step<'_>, rules: Scoring) {
    let by_a_person = step.node.level().is_some_and(|level| level >= PERSON_LEVEL);
    let entered = step.node.value().filter(|_| by_a_person);
    let Step {
        empties,
        node,
        leaf,
        edges,
        below,
    } = &mut step;
    let step = Step {
        empties: *empties,
        node,
        leaf: *leaf,
        edges,
        below,
    };
    match rules {
        Scoring::Edax {
            midgame_error,
            endcut_error,
        } => edax::visit(step, midgame_error, endcut_error),
        Scoring::Egaroucid { edax_compliant } => egaroucid::visit(step, edax_compliant),
    }
    sort_links(edges);
    // What a person entered holds, whatever lies below, and counts as exact.
    if let Some(value) = entered.or(node.value()).filter(|_| by_a_person) {
        node.set_value(Some(value));
        if matches!(rules, Scoring::Edax { .. }) {
            node.set_bounds(Some(Bounds {
                lower: value,
                upper: value,
            }));
        }
    }
}

/// Counts every position's lines as Egaroucid does, the position itself included, and changes nothing else.
pub fn count_lines(graph: &mut Graph) {
    graph.walk_up(|mut step| egaroucid::count_lines(&mut step));
}

/// How many positions [`negamax`] would change if their children stayed as they are: 0 where the whole book follows the
/// rules.
#[must_use]
pub fn count_inconsistent(graph: &Graph, rules: Scoring) -> u64 {
    graph.count_changes(|step| visit(step, rules))
}

/// Best score first, unknown scores last, equals as they were.
fn sort_links(edges: &mut [Edge]) {
    edges.sort_by_key(|edge| Reverse(edge.score()));
}
