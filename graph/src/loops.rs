//! Cycles of a link table edited by hand.
//!
//! A link has no column for its child: its move is played by the rules, and a move places a disc, so links make no
//! cycles. But a *pass* written by hand onto a position that has moves (or onto a finished game) leads to the same discs
//! seen by the other side, and a pass of that one leads back. So every cycle of a link table consists of the two views of
//! some discs, or of a single position where both views are the same.
//!
//! [`Scoring`] say what such a position is worth without its pass; what it is worth with it is a
//! matter of [`obook_cycles`]. `link` and `fix` drop the hand-made passes, so all this is for `negamax`, `show` and `line`.

use crate::negamax::{self, Scoring};
use crate::{Graph, NodeId, PassTo};
use foldhash::HashMap;
use obook_cycles::{Answer, Own, Score, TaggingSearch, exact};
use obook_model::Position;
use obook_othello::{CanonicalBoard, Move};
use serde::Serialize;
use std::ops::RangeInclusive;

/// What [`resolve`] found.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Loops {
    /// Links whose pass is not legal but leads to a position of the book.
    pub passes: u64,
    /// The positions on cycles, by key.
    pub positions: Vec<OnCycle>,
}

/// A position on a cycle.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct OnCycle {
    /// 64 squares and the side to move.
    pub board: String,
    /// Its own score, which is stored: the value of a game that starts there.
    pub value: Option<i16>,
    /// Its score for those who came from the other view, where that depends on having come so. It is not stored.
    pub after_pass: Option<i16>,
}

/// The views of some discs, joined by passes both ways.
#[derive(Clone, Copy, Debug)]
struct Pair {
    /// What each view is worth to its mover without the pass. The second one is no position where both are the same.
    exits: [Option<Score>; 2],
    /// Whether both views are the same position.
    same: bool,
    /// What a repetition is worth to the side that makes it.
    repetition: Score,
}

/// More positions than any search of a [`Pair`] enters.
const BUDGET: u64 = 100;

impl obook_cycles::Graph for Pair {
    fn nodes(&self) -> u32 {
        if self.same { 1 } else { 2 }
    }

    fn children(&self, node: u32) -> impl Iterator<Item = obook_cycles::Edge> {
        let other = if self.same { node } else { 1 - node };
        std::iter::once(obook_cycles::Edge::turn(other))
    }

    fn payoff(&self, node: u32) -> Option<Score> {
        self.exits[node as usize]
    }

    fn repetition_range(&self, _: u32) -> RangeInclusive<Score> {
        self.repetition..=self.repetition
    }
}

impl Pair {
    /// The own score of each view.
    fn own(&self) -> [Option<Score>; 2] {
        let scores = exact(self);
        let mut search = TaggingSearch::new(self);
        [0, 1].map(|node| {
            let node = if self.same { 0 } else { node };
            match scores.own(node) {
                Own::Score(score) => Some(score),
                Own::NoScore => None,
                // Where it matters who repeats, the pass has but bounds.
                Own::Unsettled { .. } => match search.answer(&[node], BUDGET) {
                    Ok(Answer::Own(score)) => Some(score),
                    _ => None,
                },
            }
        })
    }

    /// The score of each view for those who came from the other one, where it depends on that.
    fn after_pass(&self) -> [Option<Score>; 2] {
        if self.same {
            return [None; 2];
        }
        let mut search = TaggingSearch::new(self);
        [[1, 0], [0, 1]].map(|path| match search.answer(&path, BUDGET) {
            Ok(Answer::Path { score, .. }) => Some(score),
            _ => None,
        })
    }
}

/// Computes what hand-made passes lead to: the positions that have them and all above. The rest of the graph is as
/// [`negamax`](crate::negamax::negamax) left it.
///
/// A position on a cycle gets its own score; its bounds, outcomes and lines become unknown, because lines through a
/// cycle have no number. `repetition` is what it is worth, in discs, to come back to a position, for the side that does.
///
/// ```
/// use obook_graph::{Graph, TooLarge};
/// use obook_graph::{loops, negamax};
/// use obook_model::{Engine, Leaf, Link, Position};
/// use obook_othello::{Board, Move};
///
/// // The start position is the same for both sides, so a pass written onto it leads back to it.
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
    let made = hand_made(graph);
    let mut loops = Loops {
        passes: made.len() as u64,
        positions: Vec::new(),
    };
    if made.is_empty() {
        return loops;
    }
    let mut pending = above(graph, &made);
    for id in graph.ids() {
        if !std::mem::take(&mut pending[id.index()]) {
            continue;
        }
        let Some(&other) = made.get(&id) else {
            negamax::renew(graph, id, PassTo::Child, rules);
            continue;
        };
        let wait = std::mem::take(&mut pending[other.index()]);
        if passes_to(graph, &made, other) == Some(id) {
            resolve_pair(graph, [id, other], rules, repetition, &mut loops);
        } else {
            if wait {
                negamax::renew(graph, other, PassTo::Child, rules);
            }
            negamax::renew(graph, id, PassTo::Position(other), rules);
        }
    }
    loops.positions.sort_by(|a, b| a.board.cmp(&b.board));
    loops
}

/// The links that pass where the rules have no pass, and the positions of the book that they lead to.
fn hand_made(graph: &Graph) -> HashMap<NodeId, NodeId> {
    let childless = graph.links_without_child();
    let passes = childless.filter(|(_, mv)| *mv == Move::Pass);
    passes
        .filter_map(|(id, _)| {
            let board = graph.board(id).board();
            let legal = board.play(Move::Pass).is_some();
            let other = graph.find(board.passed().canonical())?;
            (!legal).then_some((id, other))
        })
        .collect()
}

/// These positions and all that lead to them.
fn above(graph: &Graph, made: &HashMap<NodeId, NodeId>) -> Vec<bool> {
    let mut above = vec![false; graph.len()];
    for id in graph.ids() {
        let children = graph.links(id).filter_map(|link| link.child);
        let mut leads = children.map(|child| above[child.index()]);
        above[id.index()] = leads.any(|leads| leads) || made.contains_key(&id);
    }
    above
}

/// Where the pass of a position leads.
fn passes_to(graph: &Graph, made: &HashMap<NodeId, NodeId>, id: NodeId) -> Option<NodeId> {
    let by_rules = graph.links(id).find(|link| link.mv == Move::Pass)?.child;
    by_rules.or_else(|| made.get(&id).copied())
}

fn resolve_pair(
    graph: &mut Graph,
    ids: [NodeId; 2],
    rules: Scoring,
    repetition: i8,
    loops: &mut Loops,
) {
    let exits = ids.map(|id| {
        graph.forget_numbers(id);
        negamax::renew(graph, id, PassTo::Nowhere, rules);
        graph.value(id).map(Score::from)
    });
    let pair = Pair {
        exits,
        same: ids[0] == ids[1],
        repetition: repetition.into(),
    };
    let disc = |score: Score| score as i16;
    let own = pair.own().map(|score| score.map(disc));
    let after_pass = pair.after_pass().map(|score| score.map(disc));
    for (place, id) in ids
        .into_iter()
        .enumerate()
        .take(if pair.same { 1 } else { 2 })
    {
        graph.forget_numbers(id);
        graph.set_value(id, own[place]);
        graph.set_pass_score(id, own[1 - place]);
        loops.positions.push(OnCycle {
            board: graph.board(id).board().to_text(),
            value: own[place],
            after_pass: after_pass[place],
        });
    }
}

/// What the path that was typed makes of a position that is on a cycle.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct OnPath {
    /// Its score, where it holds only for those who came so.
    pub value: Option<i8>,
    /// The score of its pass, where it holds only on this path.
    pub pass: Option<i8>,
}

/// Looks whether a position, reached by a pass or not, is on a cycle of links that `find` knows. `repetition` is as for
/// [`resolve`].
///
/// # Errors
/// Those of `find` and `repetition`.
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
    let disc = |score: Score| score as i8;
    Ok(if came_by_pass || pair.same {
        OnPath {
            value: here.filter(|_| came_by_pass).map(disc),
            pass: Some(repetition),
        }
    } else {
        OnPath {
            value: None,
            pass: there.map(|score| disc(-score)),
        }
    })
}

/// The best that a position has but for its pass.
fn exit(position: &Position) -> Option<Score> {
    let links = position.links.iter().filter(|link| link.mv != Move::Pass);
    let links = links.filter_map(|link| link.score);
    links
        .chain(position.leaf.map(|leaf| leaf.score))
        .max()
        .map(Score::from)
}
