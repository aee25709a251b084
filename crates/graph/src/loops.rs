//! Cycles in a link table that was edited by hand.
//!
//! A link has no column for its child: the child follows from the move, and each move adds a disc, so links normally can't
//! form cycles. But an illegal *pass*, written by hand for a position with moves or for a finished game, leads to the other
//! side's view of the same board, and a pass there leads back. So a cycle consists of the two views of a board, or of one
//! position if both views are the same.
//!
//! [`Scoring`] determines the value of such a position without its pass. Linking a book drops illegal passes, so this only matters
//! before that.

use crate::arena::Edge;
use crate::negamax::{self, Scoring};
use crate::{Graph, NodeId};
use foldhash::HashMap;
use obook_othello::{CanonicalBoard, Move, Position, is_entered};
use serde::Serialize;
use std::ops::AddAssign;

/// The illegal passes and cycles that [`resolve`] found.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Loops {
    /// Illegal passes that lead to a position of the book.
    pub passes: u64,
    /// The positions on cycles, by key.
    pub positions: Vec<OnCycle>,
}

impl AddAssign for Loops {
    /// Adds those of another part of the book.
    fn add_assign(&mut self, mut more: Loops) {
        self.passes += more.passes;
        self.positions.append(&mut more.positions);
        self.positions.sort_by(|a, b| a.board.cmp(&b.board));
    }
}

/// A position on a cycle.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct OnCycle {
    /// The board as text: 64 squares and the side to move.
    pub board: String,
    /// The value of a game that starts in this position. The book stores it.
    pub value: Option<i16>,
    /// The value after a pass from the other view, if that is different. The book doesn't store it.
    pub after_pass: Option<i16>,
}

/// The value of a view without its pass.
#[derive(Clone, Copy, Debug)]
enum Exit {
    /// The best score of its other moves and its leaf, if it has any.
    Best(Option<i16>),
    /// Entered by a person, so its pass doesn't count.
    Entered(i16),
}

impl Exit {
    /// The value of the view, given the score of its pass.
    fn or_pass(self, score: i16) -> i16 {
        match self {
            Exit::Best(best) => best.map_or(score, |best| best.max(score)),
            Exit::Entered(value) => value,
        }
    }
}

/// The two views of a board, joined by passes in both directions. A line that comes back to a view ends there.
#[derive(Clone, Copy, Debug)]
struct Pair {
    exits: [Exit; 2],
    /// Whether both views are the same position.
    same: bool,
    /// The value of a repetition for the side that makes it.
    repetition: i16,
}

impl Pair {
    /// The best that the mover gets if its pass repeats the position before.
    fn after_pass(self) -> [i16; 2] {
        self.exits.map(|exit| exit.or_pass(self.repetition))
    }

    /// The value of a game that starts with each view.
    fn own(self) -> [i16; 2] {
        let [one, other] = self.after_pass();
        if self.same {
            // The first pass repeats the position.
            return [one, other];
        }
        let [first, second] = self.exits;
        [
            first.or_pass(other.saturating_neg()),
            second.or_pass(one.saturating_neg()),
        ]
    }
}

/// Recomputes the positions with illegal passes, and all positions above them, after [`negamax`](crate::negamax::negamax).
///
/// A position on a cycle gets the value of a game that starts there, unless a person entered another. Its bounds, outcomes and
/// lines become unknown, because a cycle has no definite number of lines. `repetition` is the value, in discs, of a repetition for
/// the side that makes it.
///
/// ```
/// use obook_graph::{Graph, TooLarge};
/// use obook_graph::{loops, negamax};
/// use obook_othello::{Board, Engine, Leaf, Link, Move, Position};
///
/// // The start position is the same for both sides, so a pass leads back to it.
/// let mut start = Position::new(Board::START.canonical(), Engine::Edax);
/// start.leaf = Some(Leaf { mv: Board::START.moves().next(), score: -6, level: None, engine: Engine::Edax });
/// start.links.push(Link { mv: Move::Pass, score: None });
/// let (mut graph, _) = Graph::from_positions([Ok::<_, TooLarge>(start)])?;
/// let rules = negamax::Scoring::Edax { midgame_error: 2, endcut_error: 1 };
/// negamax::negamax(&mut graph, rules);
/// let found = loops::resolve(&mut graph, rules, 0);
/// assert_eq!(found.positions[0].value, Some(0), "a draw by repetition is better than -6");
/// # Ok::<(), TooLarge>(())
/// ```
pub fn resolve(graph: &mut Graph, rules: Scoring, repetition: i8) -> Loops {
    let passes = illegal_passes(graph);
    let mut loops = Loops {
        passes: passes.len() as u64,
        positions: Vec::new(),
    };
    if passes.is_empty() {
        return loops;
    }
    let mut pending = above(graph, &passes);
    for id in graph.ids() {
        if !std::mem::take(&mut pending[id.index()]) {
            continue;
        }
        let pass = passes_to(graph, &passes, id);
        let Some(other) = pass.filter(|_| passes.contains_key(&id)) else {
            negamax::renew(graph, id, pass, rules);
            continue;
        };
        let wait = std::mem::take(&mut pending[other.index()]);
        let back = passes_to(graph, &passes, other);
        if back == Some(id) {
            resolve_pair(graph, [id, other], rules, repetition, &mut loops);
        } else {
            if wait {
                negamax::renew(graph, other, back, rules);
            }
            negamax::renew(graph, id, pass, rules);
        }
    }
    loops.positions.sort_by(|a, b| a.board.cmp(&b.board));
    loops
}

/// The positions with an illegal pass that leads to a position of the book, and that position.
fn illegal_passes(graph: &Graph) -> HashMap<NodeId, NodeId> {
    let illegal = |id: NodeId| {
        let mut links = graph.links(id);
        links.find(|link| link.mv == Move::Pass && link.child.is_none())?;
        let board = graph.board(id).board();
        let other = graph.find(board.passed().canonical())?;
        board.play(Move::Pass).is_none().then_some((id, other))
    };
    graph.ids().filter_map(illegal).collect()
}

/// The positions with these passes, and all positions that lead to them.
fn above(graph: &Graph, passes: &HashMap<NodeId, NodeId>) -> Vec<bool> {
    let mut above = vec![false; graph.len()];
    for id in graph.ids() {
        let children = graph.links(id).filter_map(|link| link.child);
        let mut leads = children.map(|child| above[child.index()]);
        above[id.index()] = leads.any(|leads| leads) || passes.contains_key(&id);
    }
    above
}

/// The position to which the pass of a position leads.
fn passes_to(graph: &Graph, passes: &HashMap<NodeId, NodeId>, id: NodeId) -> Option<NodeId> {
    let by_rules = graph.links(id).find(|link| link.mv == Move::Pass)?.child;
    by_rules.or_else(|| passes.get(&id).copied())
}

/// Computes two positions whose passes lead to each other.
fn resolve_pair(
    graph: &mut Graph,
    ids: [NodeId; 2],
    rules: Scoring,
    repetition: i8,
    loops: &mut Loops,
) {
    let exits = ids.map(|id| {
        let entered = graph.value(id).filter(|_| is_entered(graph.level(id)));
        if let Some(value) = entered {
            return Exit::Entered(value);
        }
        graph.forget_numbers(id);
        negamax::renew(graph, id, None, rules);
        Exit::Best(graph.value(id))
    });
    let pair = Pair {
        exits,
        same: ids[0] == ids[1],
        repetition: repetition.into(),
    };
    let (own, after_pass) = (pair.own(), pair.after_pass());
    for (place, id) in (0..if pair.same { 1 } else { 2 }).zip(ids) {
        graph.forget_numbers(id);
        let value = match (exits[place], graph.proof(id)) {
            (Exit::Best(_), Some(proof)) => proof.clamp(own[place]),
            _ => own[place],
        };
        graph.set_value(id, Some(value));
        graph.set_pass_score(id, Some(own[1 - place]));
        loops.positions.push(OnCycle {
            board: graph.board(id).board().to_text(),
            value: Some(own[place]),
            after_pass: (!pair.same).then_some(after_pass[place]),
        });
    }
}

/// Scores of a position on a cycle that depend on the path to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct OnPath {
    /// The position's score, if it depends on the path.
    pub value: Option<i8>,
    /// The score of its pass, if it depends on the path.
    pub pass: Option<i8>,
}

/// Computes the scores that depend on the path, if the position is on a cycle. `came_by_pass` tells whether the path ends with
/// a pass, `find` looks a position up in the book, and `repetition` is as for [`resolve`].
///
/// # Errors
/// Returns the errors of `find` and `repetition`.
pub fn on_path<E>(
    find: impl FnOnce(CanonicalBoard) -> Result<Option<Position>, E>,
    position: &Position,
    came_by_pass: bool,
    repetition: impl FnOnce() -> Result<i8, E>,
) -> Result<OnPath, E> {
    let passes = |position: &Position| position.links.iter().any(|link| link.mv == Move::Pass);
    let board = position.board;
    if !passes(position) {
        return Ok(OnPath::default());
    }
    let other = find(board.board().passed().canonical())?;
    let Some(other) = other.filter(passes) else {
        return Ok(OnPath::default());
    };
    let repetition = repetition()?;
    let pair = Pair {
        exits: [exit(position), exit(&other)],
        same: board == other.board,
        repetition: repetition.into(),
    };
    let [here, there] = pair.after_pass();
    let depends = came_by_pass && !pair.same && matches!(pair.exits[0], Exit::Best(_));
    Ok(OnPath {
        value: depends.then_some(here as i8),
        pass: Some(match came_by_pass || pair.same {
            true => repetition,
            false => Edge::score_of(there),
        }),
    })
}

/// The value of a position without its pass.
fn exit(position: &Position) -> Exit {
    let entered = position.value.filter(|_| is_entered(position.level));
    if let Some(value) = entered {
        return Exit::Entered(value);
    }
    let links = position.links.iter().filter(|link| link.mv != Move::Pass);
    let links = links.filter_map(|link| link.score);
    let scores = links.chain(position.leaf.map(|leaf| leaf.score));
    Exit::Best(scores.max().map(i16::from))
}
