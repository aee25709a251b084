//! Scores flow from the leaves to the root, by the rules of either engine.

use crate::arena::{Edge, Node, Step, visit_record};
use crate::{Graph, NodeId};
use obook_converters::Header;
use obook_othello::levels::Effort;
use obook_othello::{
    Bounds, CanonicalBoard, Engine, Leaf, Move, Outcomes, Position, Proof, RuleSet, is_entered,
};
use std::cmp::Reverse;

/// The rules by which numbers are computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scoring {
    /// Edax's rules: value, bounds, outcomes and lines follow from leaves and links.
    Edax {
        /// The error of a midgame search in discs, which is half the width of its bounds.
        midgame_error: i32,
        /// The error of a selective search to the end, in discs.
        endcut_error: i32,
    },
    /// Egaroucid's rules: value and lines follow from links.
    Egaroucid {
        /// Whether leaves count too, as in the engine's “Edax” fix.
        edax_compliant: bool,
    },
}

impl Scoring {
    /// The rules of a book with this header; Edax's defaults for errors that it doesn't have.
    ///
    /// ```
    /// use obook_converters::Header;
    /// use obook_graph::negamax::Scoring;
    /// use obook_othello::RuleSet;
    /// let rules = Scoring::of(RuleSet::Edax, &Header::default());
    /// assert_eq!(rules, Scoring::Edax { midgame_error: 2, endcut_error: 1 });
    /// ```
    #[must_use]
    pub fn of(rules: RuleSet, header: &Header) -> Scoring {
        match rules {
            RuleSet::Edax => {
                let (midgame_error, endcut_error) = header.errors();
                Scoring::Edax {
                    midgame_error,
                    endcut_error,
                }
            }
            RuleSet::Egaroucid | RuleSet::EgaroucidEdax => Scoring::Egaroucid {
                edax_compliant: rules == RuleSet::EgaroucidEdax,
            },
        }
    }
}

/// Computes the numbers of all positions, children first, and sorts their links by score. The best link comes first; equal
/// links keep their order.
///
/// A proof is tightened by those of the children, and the value stays within it. A value that a person entered (level 70) stays. Numbers that the rules don't define become unknown. Run
/// [`link`](crate::link::link) first: a link without a child loses its score and is ignored.
///
/// ```
/// use obook_graph::Graph;
/// use obook_graph::negamax::{Scoring, negamax};
/// use obook_othello::{Board, Engine, Leaf, Line, Position};
///
/// // Two positions. A search of the second one found its first legal move to be worth 3 discs.
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
/// assert_eq!(graph.lines(start), Some(4), "four symmetric paths lead to the leaf");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn negamax(graph: &mut Graph, rules: Scoring) {
    graph.walk_up(|step| visit(step, rules));
}

/// The bounds of a position that follow from the proofs of its children.
#[must_use]
pub fn proof_by_children_of(graph: &Graph, id: NodeId) -> Option<Proof> {
    let mut found = None;
    graph.judge(id, |step| {
        found = proof_by_children(step.board, step.edges, step.below);
    });
    found
}

/// Returns the numbers that [`negamax`] would compute for one position, given the present numbers of its children, as a record without
/// links and leaf.
#[must_use]
pub fn judge(graph: &Graph, id: NodeId, rules: Scoring) -> Position {
    let (node, _) = graph.judge(id, |step| visit(step, rules));
    node.record(graph.board(id), &[])
}

/// Computes the numbers and link scores of one record. `children` are in the order of its links, `None` if the book lacks the
/// child.
#[must_use]
pub fn of_record(position: &Position, children: &[Option<&Position>], rules: Scoring) -> Position {
    visit_record(position, children, |step| visit(step, rules))
}

/// Computes one position again, as if its passes led to `pass`.
pub(crate) fn renew(graph: &mut Graph, id: NodeId, pass: Option<NodeId>, rules: Scoring) {
    graph.visit_again(id, pass, |step| visit(step, rules));
}

fn visit(mut step: Step<'_>, rules: Scoring) {
    let by_a_person = is_entered(step.node.level());
    let entered = step.node.value().filter(|_| by_a_person);
    let proof = proof_of(&step);
    if let Some(proof) = proof {
        // If the value of a search stays, it counts within the proof.
        step.node.set_value(within(proof, step.node.value()));
    }
    match rules {
        Scoring::Edax {
            midgame_error,
            endcut_error,
        } => visit_edax(&mut step, midgame_error, endcut_error),
        Scoring::Egaroucid { edax_compliant } => visit_egaroucid(&mut step, edax_compliant),
    }
    let Step { node, edges, .. } = step;
    // Best score first, unknown scores last. Equal links keep their order, as in Edax, whose cuts choose among them by it.
    edges.sort_by_key(|edge| Reverse(edge.score()));
    node.set_proof(proof);
    if let Some(proof) = proof {
        apply(proof, node, rules);
    }
    // A value that a person entered counts as exact, whatever lies below.
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

/// The nearest value that is possible.
fn within(proof: Proof, value: Option<i16>) -> Option<i16> {
    let exact = proof.exact().map(i16::from);
    value.map(|value| proof.clamp(value)).or(exact)
}

/// Keeps a position's numbers within what is proven.
fn apply(proof: Proof, node: &mut Node, rules: Scoring) {
    node.set_value(within(proof, node.value()));
    if matches!(rules, Scoring::Edax { .. }) {
        let bounds = node.bounds();
        let [lower, upper] = [proof.lower(), proof.upper()].map(i16::from);
        node.set_bounds(Some(Bounds {
            lower: bounds.map_or(lower, |bounds| proof.clamp(bounds.lower)),
            upper: bounds.map_or(upper, |bounds| proof.clamp(bounds.upper)),
        }));
    }
}

/// A position's proof: its own, tightened by those of its children. Its own stays if they contradict it, but not if it
/// contradicts the result of a finished game.
fn proof_of(step: &Step<'_>) -> Option<Proof> {
    let found = proof_by_children(step.board, step.edges, step.below);
    let own = step.node.proof().map(|own| match result_of(step.board) {
        Some(result) => own.and(result).unwrap_or(result),
        None => own,
    });
    let both = own.into_iter().chain(found);
    both.reduce(|own, found| own.and(found).unwrap_or(own))
}

/// The result of a finished game, which the board itself proves.
///
/// ```
/// use obook_graph::negamax::result_of;
/// use obook_othello::Line;
/// let board = "e6f4e3f6g5d6e7f5c5".parse::<Line>()?.board().canonical();
/// assert_eq!(result_of(board).and_then(|it| it.exact()), Some(-64));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn result_of(board: CanonicalBoard) -> Option<Proof> {
    let board = board.board();
    let score = board.is_over().then(|| board.final_score())?;
    Proof::new(score, score, Engine::Obook)
}

/// The bounds that follow from the children's proofs: a lower bound from any of them, an upper bound from all.
fn proof_by_children(board: CanonicalBoard, edges: &[Edge], below: &[Node]) -> Option<Proof> {
    const MOST: i8 = 64;
    let proof = |edge: &Edge| edge.child_in(below)?.proof().map(Proof::turned);
    if edges.iter().all(|edge| proof(edge).is_none()) {
        return None;
    }
    let of_move = |mv| edges.iter().find(|edge| edge.mv() == mv).and_then(proof);
    let found = board.board().moves().map(|mv| match of_move(mv) {
        Some(proof) => (proof.lower(), proof.upper()),
        None => (-MOST, MOST),
    });
    let best = |(lower, upper): (i8, i8), it: (i8, i8)| (lower.max(it.0), upper.max(it.1));
    let (lower, upper) = found.reduce(best)?;
    Proof::new(lower, upper, Engine::Obook)
}

/// Counts the lines of every position as Egaroucid does and changes nothing else.
pub(crate) fn count_lines(graph: &mut Graph) {
    graph.walk_up(|mut step| count_lines_of(&mut step));
}

/// Counts the positions that [`negamax`] would change if their children stayed as they are. The count is 0 if the whole book
/// follows the rules.
#[must_use]
pub fn count_inconsistent(graph: &Graph, rules: Scoring) -> u64 {
    graph.count_changes(|step| visit(step, rules))
}

/// The numbers that follow from the leaf and the children seen so far.
#[derive(Default)]
struct Sum {
    value: Option<i16>,
    /// `None` before the first score; `Some(None)` if the bounds of any score are unknown.
    bounds: Option<Option<Bounds>>,
    outcomes: Outcomes,
    lines: u32,
}

impl Sum {
    fn add(&mut self, value: i16, bounds: Option<Bounds>, outcomes: Outcomes, lines: u32) {
        self.value = self.value.max(Some(value));
        self.bounds = Some(match (self.bounds, bounds) {
            (None, bounds) => bounds,
            (Some(Some(old)), Some(new)) => Some(old.greater(new)),
            (Some(_), _) => None,
        });
        self.outcomes += outcomes;
        self.lines = self.lines.saturating_add(lines);
    }
}

/// Computes a position's value, bounds, outcomes and lines as Edax does.
///
/// A position with neither leaf nor child keeps its value, which counts as the result of a search, like a leaf's score.
fn visit_edax(step: &mut Step<'_>, midgame_error: i32, endcut_error: i32) {
    let mut sum = Sum::default();
    let node = &mut *step.node;
    let empties = step.board.board().empties() as u8;
    let searched = match step.leaf {
        Some(leaf) => Some(i16::from(leaf.score)),
        None if step.edges.iter().any(|edge| edge.has_child()) => None,
        None => node.value(),
    };
    if let Some(score) = searched {
        let level = node.level();
        let search = level.map(|level| Effort::new(node.engine(), level, empties));
        let bounds =
            search.map(|search| leaf_bounds(score, search, empties, midgame_error, endcut_error));
        let solved = search.is_some_and(Effort::is_solved);
        sum.add(score, bounds, outcome(score, solved), 1);
    }
    for edge in step.edges.iter_mut() {
        let child = edge.child_in(step.below);
        edge.set_score(child.and_then(Node::value).map(Edge::score_of));
        let Some(seen) = child.map(|child| child.turned()) else {
            continue;
        };
        let Some(score) = seen.value() else { continue };
        let outcomes = seen.outcomes().unwrap_or_default();
        sum.add(score, seen.bounds(), outcomes, seen.lines().unwrap_or(0));
    }
    node.set_value(sum.value);
    node.set_bounds(sum.bounds.flatten());
    node.set_outcomes(Some(sum.outcomes));
    node.set_lines(Some(sum.lines));
}

/// The bounds of a score that a search found, given the errors in discs.
#[must_use]
pub fn leaf_bounds(
    score: i16,
    search: Effort,
    empties: u8,
    midgame_error: i32,
    endcut_error: i32,
) -> Bounds {
    let (error, bias) = if search.is_solved() {
        (0, 0)
    } else if search.to_the_end {
        (endcut_error, 0)
    } else {
        (
            midgame_error,
            i32::from(search.depth % 2) - i32::from(empties % 2),
        )
    };
    let middle = i32::from(score) - bias;
    Bounds {
        lower: saturated(middle.saturating_sub(error)),
        upper: saturated(middle.saturating_add(error)),
    }
}

/// Keeps a bound within the range that also holds when the sides are swapped.
fn saturated(score: i32) -> i16 {
    score.clamp((-i16::MAX).into(), i16::MAX.into()) as i16
}

fn outcome(score: i16, solved: bool) -> Outcomes {
    Outcomes {
        wins: u32::from(solved && score > 0),
        draws: u32::from(solved && score == 0),
        losses: u32::from(solved && score < 0),
    }
}

/// The number at which Egaroucid stops counting lines. Some of its files have larger counts, which mean the same.
pub const MOST_LINES: u32 = 4_000_000_000;

/// Computes a position's value and lines as Egaroucid does. The value is that of the best child, or of the leaf if that counts
/// and is better; without either it stays. Tables that the engine wrote confirm these rules
/// (`tests/negamax_egaroucid_golden.rs`).
fn visit_egaroucid(step: &mut Step<'_>, edax_compliant: bool) {
    count_lines_of(step);
    let mut best = None;
    for edge in step.edges.iter_mut() {
        let value = edge.child_in(step.below).and_then(Node::value);
        edge.set_score(value.map(Edge::score_of));
        best = best.max(value.map(i16::saturating_neg));
    }
    // Egaroucid has no leaves for finished games or pass positions.
    let counts = |leaf: &Leaf| edax_compliant && matches!(leaf.mv, Some(Move::Place(_)));
    let leaf = step.leaf.filter(counts);
    best = best.max(leaf.map(|leaf| leaf.score.into()));
    if best.is_some() {
        step.node.set_value(best);
    }
    step.node.set_bounds(None);
    step.node.set_outcomes(None);
}

/// Counts a position's lines: the position itself, and the lines of each child.
fn count_lines_of(step: &mut Step<'_>) {
    let edges = step.edges.iter();
    let children = edges.filter_map(|edge| edge.child_in(step.below));
    let below = children.fold(0u32, |below, child| {
        below.saturating_add(child.lines().unwrap_or(0))
    });
    // A pass position doesn't count itself: Egaroucid only has the position behind the pass.
    let mut edges = step.edges.iter();
    let pass = edges.any(|edge| edge.mv() == Move::Pass && edge.has_child());
    let lines = below.saturating_add(u32::from(!pass)).min(MOST_LINES);
    step.node.set_lines(Some(lines));
}

#[cfg(test)]
mod tests {
    use super::*;
    use obook_othello::{Board, Engine};

    #[test]
    fn counts_saturate() {
        let mut sum = Sum::default();
        let outcomes = Outcomes {
            wins: u32::MAX - 1,
            draws: u32::MAX,
            losses: 1,
        };
        for _ in 0..3 {
            sum.add(0, None, outcomes, u32::MAX - 1);
        }
        let most = Outcomes {
            wins: u32::MAX,
            draws: u32::MAX,
            losses: 3,
        };
        assert_eq!((sum.outcomes, sum.lines), (most, u32::MAX));
    }

    /// A hostile header may give any 32-bit number as the error.
    #[test]
    fn bounds_saturate() {
        let midgame = Effort {
            depth: 21,
            probability: 73,
            to_the_end: false,
        };
        for error in [i32::MAX, i32::MIN] {
            let bounds = leaf_bounds(-64, midgame, 40, error, 0);
            let (low, high) = (
                bounds.lower.min(bounds.upper),
                bounds.lower.max(bounds.upper),
            );
            assert_eq!((low, high), (-i16::MAX, i16::MAX));
        }
    }

    const START_MOVE: Move = match Move::from_code(37) {
        Some(mv) => mv,
        None => unreachable!(),
    };

    /// The lines of a position whose children have these numbers of lines.
    fn lines_above(children: &[u32]) -> Option<u32> {
        let board = Board::START.canonical();
        let child = Board::START.play(START_MOVE).unwrap();
        let mut builder = Graph::builder();
        for board in [board, child.canonical()] {
            builder.push(Position::new(board, Engine::Egaroucid));
        }
        let (graph, _) = builder.finish().unwrap();
        let below: Vec<Node> = children
            .iter()
            .map(|lines| {
                let mut position = Position::new(board, Engine::Egaroucid);
                position.lines = Some(*lines);
                Node::new(&position)
            })
            .collect();
        let mut edges: Vec<Edge> = (0..children.len())
            .map(|place| Edge::new(START_MOVE, None, Some(graph.id(place))))
            .collect();
        let mut node = Node::new(&Position::new(board, Engine::Egaroucid));
        let mut step = Step {
            board,
            node: &mut node,
            leaf: None,
            edges: &mut edges,
            below: &below,
        };
        visit_egaroucid(&mut step, false);
        node.lines()
    }

    #[test]
    fn lines_stop_at_four_thousand_million() {
        assert_eq!(lines_above(&[1, 2]), Some(4));
        assert_eq!(lines_above(&[MOST_LINES - 2, 1]), Some(MOST_LINES));
        assert_eq!(lines_above(&[MOST_LINES, 1]), Some(MOST_LINES));
        assert_eq!(lines_above(&[u32::MAX, u32::MAX]), Some(MOST_LINES));
    }
}
